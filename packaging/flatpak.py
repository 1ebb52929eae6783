"""Make the Flatpak: `python3 packaging/flatpak.py [--out DIR]` gives `DIR/keybench-VERSION-MACHINE.flatpak`.

The manifest, packaging/flatpak/io.keybench.Keybench.yml, says what the Flatpak may do. It runs on the runtime
of freedesktop.org, which `flatpak install` fetches from Flathub with it. flatpak-builder makes it, and wants
that runtime and its SDK: what of them isn't here is put in for this user, from Flathub.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import bundle
import environment
import product
import system_parts
import tools
from command_line import telling_trouble
from messages import SetupError, say

ROOT: Final = Path(__file__).resolve().parents[1]
MANIFEST: Final = Path(__file__).with_name("flatpak") / f"{product.ID}.yml"
#: What the program is told that it came in.
PACKAGE: Final = "flatpak"
#: The line of versions that the Flatpak belongs to.
BRANCH: Final = "stable"
RUNTIME: Final = "org.freedesktop.Platform"
SDK: Final = "org.freedesktop.Sdk"
#: Where `flatpak install` finds the runtime.
FLATHUB: Final = "https://dl.flathub.org/repo/flathub.flatpakrepo"
#: What of the files for Linux desktops a Flatpak hands on to the desktop; it has no use for the others.
_EXPORTED: Final = ("applications", "icons", "metainfo")
TOOLS: Final = """
flatpak                 flatpak             flatpak             flatpak                 flatpak
flatpak-builder         flatpak-builder     flatpak-builder     flatpak-builder         flatpak-builder
"""


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Make the Flatpak and return the exit status."""
    parser = argparse.ArgumentParser(prog="flatpak.py", description="Make the Flatpak of Keybench.")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=ROOT / "dist", help="write to this folder (default dist/)"
    )
    options = parser.parse_args(arguments)
    system_parts.ensure(system_parts.parse_parts(TOOLS))
    environment.enter(ROOT, "build", __file__, arguments)
    path = make(ROOT, options.out)
    say(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


def make(root: Path, out: Path, variables: Mapping[str, str] = os.environ) -> Path:
    """Make the Flatpak of the checkout at `root` and return its file in `out`."""
    tool = partial(tools.run, variables=variables)
    machine = tool("flatpak", "--default-arch").strip()
    put_in_runtime(variables)
    facts = bundle.source(root)
    made_at = f"{datetime.fromtimestamp(facts.made_at, UTC):%Y-%m-%dT%H:%M:%SZ}"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".keybench-flatpak-", dir=out) as folder:
        work = Path(folder)
        stage(root, work)
        say("Building the Flatpak …")
        file = work / "keybench.flatpak"
        built, state, repository = (os.fspath(work / name) for name in ("built", "state", "repository"))
        tool(
            *("flatpak-builder", "--user", "--disable-cache", "--disable-rofiles-fuse", "--state-dir", state),
            *(built, os.fspath(work / MANIFEST.name)),
        )
        tool(
            *("flatpak", "build-export", f"--timestamp={made_at}"),
            *(f"--subject={product.NAME} {facts.version}", repository, built, BRANCH),
        )
        tool(
            *("flatpak", "build-bundle", f"--runtime-repo={FLATHUB}"),
            *(repository, os.fspath(file), product.ID, BRANCH),
        )
        return file.replace(out / f"{product.COMMAND}-{facts.version}-{machine}.flatpak")


def stage(root: Path, work: Path) -> None:
    """Lay out in `work` what flatpak-builder reads: the manifest, and beside it the files for /app."""
    import linux_files  # noqa: PLC0415 - it needs the environment

    files = work / "files"
    bundle.make(root, files / "lib", PACKAGE)
    (files / "bin").mkdir()
    (files / "bin" / product.COMMAND).symlink_to(Path("..", "lib", bundle.NAME, product.COMMAND))
    linux_files.write(root, files)
    for path in (files / "share").iterdir():
        if path.name not in _EXPORTED:
            shutil.rmtree(path)
    shutil.copyfile(MANIFEST, work / MANIFEST.name)


def runtime_version() -> str:
    """Return the version of the runtime that the manifest names."""
    found = re.search(r"^runtime-version: '(.+)'$", MANIFEST.read_text("utf-8"), re.MULTILINE)
    assert found  # noqa: S101 - a test reads it, too
    return found[1]


def put_in_runtime(variables: Mapping[str, str] = os.environ) -> None:
    """Put in what flatpak-builder builds in, where it isn't here."""
    wanted = [f"{name}//{runtime_version()}" for name in (RUNTIME, SDK)]
    missing = [one for one in wanted if not _is_installed(one, variables)]
    if not missing:
        return
    say(f"Fetching {' and '.join(missing)} from Flathub (several hundred megabytes, once) …")
    tool = partial(tools.run, variables=variables)
    try:
        tool("flatpak", "remote-add", "--user", "--if-not-exists", "flathub", FLATHUB)
        tool("flatpak", "install", "--user", "--noninteractive", "flathub", *missing)
    except SetupError as error:
        raise SetupError(
            f"{error}\nThe Flatpak is built in the SDK of freedesktop.org, which isn't here and can't be"
            " fetched."
        ) from None


def _is_installed(what: str, variables: Mapping[str, str]) -> bool:
    done = subprocess.run(["flatpak", "info", what], env=variables, capture_output=True, check=False)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
