"""Make the Flatpak: `python3 packaging/flatpak.py [--out DIR]` gives `DIR/keybench-VERSION-MACHINE.flatpak`.

The manifest, packaging/flatpak/io.keybench.Keybench.yml, says what the Flatpak may do. It runs on the runtime
of freedesktop.org, which `flatpak install` fetches from Flathub with it. flatpak-builder makes it, and wants
that runtime and its SDK: what of them isn't here is put in for this user, from Flathub.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

if sys.version_info < (3, 11):  # noqa: UP036 - so that an older Python gets a sentence and not a SyntaxError
    sys.exit("Keybench needs Python 3.11 or later, and this is %d.%d." % sys.version_info[:2])  # noqa: UP031

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Final

import bundle
import environment
import product
import system_parts
from command_line import INTERRUPTED
from messages import SetupError, complain, explain_os_error, last_lines, say

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


def main(arguments: list[str]) -> int:
    """Make the Flatpak and return the exit status."""
    parser = argparse.ArgumentParser(prog="flatpak.py", description="Make the Flatpak of Keybench.")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=ROOT / "dist", help="write to this folder (default dist/)"
    )
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        system_parts.ensure(system_parts.parse_parts(TOOLS))
        python = environment.ensure(ROOT, "build")
        if Path(sys.prefix) != python.parents[1]:  # Qt and the program's own parser are in the environment
            os.execv(python, [os.fspath(python), __file__, *arguments])  # noqa: S606 - no shell is wanted
        path = make(ROOT, options.out)
    except SetupError as error:
        complain(str(error))
        return 1
    except OSError as error:
        complain(explain_os_error(error))
        return 1
    except KeyboardInterrupt:
        complain("Stopped.")
        return INTERRUPTED
    say(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


def make(root: Path, out: Path) -> Path:
    """Make the Flatpak of the checkout at `root` and return its file in `out`.

    Raises:
        SetupError: A tool is missing or fails.
        OSError: `out` can't be written.
    """
    machine = run("flatpak", "--default-arch").strip()
    _put_in_runtime()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".keybench-flatpak-", dir=out) as folder:
        work = Path(folder)
        stage(root, work)
        say("Building the Flatpak …")
        run(
            *("flatpak-builder", "--user", "--disable-cache", "--disable-rofiles-fuse"),
            *(
                "--state-dir",
                os.fspath(work / "state"),
                os.fspath(work / "build"),
                os.fspath(work / MANIFEST.name),
            ),
        )
        made_at = datetime.fromtimestamp(bundle.source(root).made_at, UTC)
        repository, file = os.fspath(work / "repository"), work / "keybench.flatpak"
        run(
            *("flatpak", "build-export", f"--timestamp={made_at:%Y-%m-%dT%H:%M:%SZ}"),
            *(
                f"--subject={product.NAME} {product.version(root)}",
                repository,
                os.fspath(work / "build"),
                BRANCH,
            ),
        )
        run(
            *("flatpak", "build-bundle", f"--runtime-repo={FLATHUB}"),
            *(repository, os.fspath(file), product.ID, BRANCH),
        )
        return file.replace(out / f"{product.COMMAND}-{product.version(root)}-{machine}.flatpak")


def stage(root: Path, work: Path) -> None:
    """Lay out in `work` what flatpak-builder reads: the manifest, and beside it the files for /app.

    Raises:
        SetupError: The bundle can't be made.
        OSError: `work` can't be written.
    """
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


def run(*command: str, variables: Mapping[str, str] = os.environ) -> str:
    """Run a tool, and return what it wrote.

    Raises:
        SetupError: It failed; the text has its last lines.
    """
    done = subprocess.run(
        command,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        name = " ".join(command[: 1 if command[1].startswith("-") else 2])
        raise SetupError(f"{name} failed. Its last lines:\n{last_lines(done.stdout)}")
    return done.stdout


def _put_in_runtime() -> None:
    """Put in what flatpak-builder builds in, where it isn't here."""
    version = runtime_version()
    missing = [one for one in (f"{RUNTIME}//{version}", f"{SDK}//{version}") if not _is_installed(one)]
    if not missing:
        return
    say(f"Fetching {' and '.join(missing)} from Flathub (several hundred megabytes, once) …")
    try:
        run("flatpak", "remote-add", "--user", "--if-not-exists", "flathub", FLATHUB)
        run("flatpak", "install", "--user", "--noninteractive", "flathub", *missing)
    except SetupError as error:
        raise SetupError(
            f"{error}\nThe Flatpak is built in the SDK of freedesktop.org, which isn't here and can't be"
            " fetched. Without it packaging/flatpak_trial.py builds and tries the Flatpak on a stand-in."
        ) from None


def _is_installed(what: str) -> bool:
    return subprocess.run(["flatpak", "info", what], capture_output=True, check=False).returncode == 0


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    """Let a CI system's stop take the same way out as Ctrl-C, so that nothing stays behind."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
