"""Make the package for Debian 12, Ubuntu 24.04 and later: `python3 packaging/deb.py [--out DIR]`.

The bundle goes to /usr/lib/keybench. The package has no scripts of its own: nothing runs when it is put in,
renewed or taken away, and what people have in their homes stays. It needs a C library as new as that of the
machine on which the bundle was made; apt is told so. The same bundle gives the same bytes.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

import bundle as folders
import debian_files
import elf
import environment
import product
import system_parts
import tools
from command_line import telling_trouble
from debian_files import PLACE
from messages import SetupError, say

ROOT: Final = Path(__file__).resolve().parents[1]
#: What the program is told that it came in, and where in the bundle that stands.
PACKAGE: Final = "deb"
BUILD_FILE: Final = Path("_internal", "keybench", "resources", "build.json")


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Make the package and return the exit status."""
    parser = argparse.ArgumentParser(prog="deb.py", description="Make the package for Debian and Ubuntu.")
    parser.add_argument("--out", metavar="DIR", type=Path, default=ROOT / "dist", help="where it goes (dist)")
    parser.add_argument("--bundle", metavar="DIR", type=Path, help="pack this bundle, and make none")
    options = parser.parse_args(arguments)
    system_parts.ensure_for("deb")
    environment.enter(ROOT, "build", __file__, arguments)
    path = make(ROOT, options.out, options.bundle)
    say(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
    return 0


def make(root: Path, out: Path, bundle: Path | None = None) -> Path:
    """Make the package of the checkout at `root` in `out` and return its path."""
    out.mkdir(parents=True, exist_ok=True)
    # Beside the package, so that it is put into place by one move, whole or not at all.
    with tempfile.TemporaryDirectory(prefix=".keybench-deb-", dir=out) as folder:
        work = Path(folder)
        tree = work / "tree"
        architecture = stage(root, bundle or folders.make(root, work, PACKAGE), tree)
        unfinished = work / "unfinished.deb"
        _pack(tree, unfinished, folders.source(root).made_at)
        path = out / f"{product.COMMAND}_{product.version(root)}_{architecture}.deb"
        return unfinished.replace(path)


def stage(root: Path, bundle: Path, tree: Path) -> str:
    """Lay everything out in `tree` as it is to be installed and return the architecture it is for."""
    import linux_files  # noqa: PLC0415 - it needs the environment

    _copy(root, bundle, tree / PLACE)
    needs = elf.needs(tree / PLACE)
    usr = tree / "usr"
    linux_files.write(root, usr)
    (usr / "bin").mkdir()
    (usr / "bin" / product.COMMAND).symlink_to(Path("..", "lib", product.COMMAND, product.COMMAND))
    documents = usr / "share" / "doc" / product.COMMAND
    documents.mkdir(parents=True)
    (documents / "copyright").write_text(debian_files.copyright_file(tree / PLACE), "utf-8")
    (documents / "changelog.gz").write_bytes(
        linux_files.packed(debian_files.changelog(product.releases(root)))
    )
    overrides = usr / "share" / "lintian" / "overrides"
    overrides.mkdir(parents=True)
    shutil.copyfile(root / "packaging" / "linux" / "lintian-overrides", overrides / product.COMMAND)
    _describe(root, tree, needs)
    _settle(tree, folders.source(root).made_at)
    return needs.architecture


def _copy(root: Path, bundle: Path, place: Path) -> None:
    """Copy the bundle, and let it know that it comes in this package."""
    if not (bundle / product.COMMAND).is_file():
        raise SetupError(f"{bundle} is no bundle: it has no program {product.COMMAND} in it.")
    top = bundle.resolve()
    for path in [bundle, *sorted(bundle.rglob("*"))]:  # copytree would go on, and fail, for every file
        copy = place / path.relative_to(bundle)
        if path.is_symlink():
            inside = path.exists() and path.resolve().is_relative_to(top)
            if path.readlink().is_absolute() or not inside:
                raise SetupError(f"{path.relative_to(bundle)} in the bundle points nowhere in it.")
            copy.symlink_to(path.readlink())
        elif path.is_dir():
            copy.mkdir(parents=True)
        else:
            shutil.copy2(path, copy)
    told = place / BUILD_FILE
    build = json.loads(told.read_text("utf-8"))
    if build["version"] != product.version(root):
        raise SetupError(f"{bundle} has version {build['version']}, and this is {product.version(root)}.")
    if build["package"] != PACKAGE:
        told.write_text(json.dumps({**build, "package": PACKAGE}, indent=1), "utf-8")


def _describe(root: Path, tree: Path, needs: elf.Needs) -> None:
    """Write what Debian's tools read of the package: its control file, and every file's sum."""
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    others = sum(1 for _ in tree.rglob("*")) - len(files)  # folders and links count as a kilobyte each
    kilobytes = sum(-(-path.stat().st_size // 1024) for path in files) + others
    control = tree / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(debian_files.control(needs, product.version(root), kilobytes), "utf-8")
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files]  # noqa: S324 - dpkg's own
    (control / "md5sums").write_text("".join(sums), "utf-8")


def _settle(tree: Path, day: int) -> None:
    """Give everything the rights and the time that it has in the package, whoever makes it and when."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            runs = path.is_dir() or (path.stat().st_mode & 0o100 and ".so" not in path.name)
            path.chmod(0o755 if runs else 0o644)
        os.utime(path, (day, day), follow_symlinks=False)


def _pack(tree: Path, path: Path, day: int) -> None:
    tools.run(
        *("dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, path),
        trouble="dpkg-deb could not make the package.",
        variables={**os.environ, "SOURCE_DATE_EPOCH": str(day), "LC_ALL": "C.UTF-8"},
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
