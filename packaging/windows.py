"""Make what is shipped for Windows, an installer and a ZIP: `python packaging/windows.py [--out DIR]`.

It packs the program (packaging/bundle.py), which works on Windows only, into `DIR/keybench/`, and makes
`DIR/keybench-VERSION-windows-x64-setup.exe` and `DIR/keybench-VERSION-windows-x64.zip` of that. With
`--bundle FOLDER` it takes a folder that is there, on any system. NSIS (makensis) makes the installer: it can
be had on Windows, macOS and Linux, so the script is compiled and tried everywhere. With a certificate (see
packaging/windows_signing.py) the programs and the installer are signed.

Two programs are in the folder, with one and the same code: `keybench.exe` opens the window, `keybench.com` is
for terminals and scripts. Windows has a program be for one or the other, and of a command without ending
terminals try `.com` first.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import bundle
import environment
import product
import program_facts
import tools
import windows_signing
from command_line import telling_trouble
from messages import SetupError, say

ROOT: Final = Path(__file__).resolve().parent.parent
COMMAND: Final = bundle.FOR_TERMINALS
WINDOW: Final = f"{product.COMMAND}.exe"
#: The processor that it is made for. Windows 11 on ARM runs it, too.
MACHINE: Final = "x64"
_FOLDER: Final = Path(__file__).with_name("windows")
_SCRIPT: Final = _FOLDER / "keybench.nsi"
_TERMS: Final = _FOLDER / "terms.txt"
_NSIS: Final = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)")) / "NSIS" / "makensis.exe"
#: What ZIP can say of a time, in seconds since 1970: no earlier day than the first of 1980.
_ZIP_BEGINS: Final = 315_532_800


@dataclass(frozen=True)
class Installer:
    """What an installer is made of.

    Attributes:
        folder: The bundle.
        version: The program's version.
        output: The installer's file.
        target: NSIS's name of what the installer itself is built for; empty for its own choice, which every
            Windows runs.
        signer: A command that signs the file which is added to it; empty for none.
    """

    folder: Path
    version: str
    output: Path
    target: str = ""
    signer: str = ""


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Make installer and ZIP and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="windows.py", description="Make the installer and the portable ZIP for Windows."
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "dist", help="write to this folder (default dist/)"
    )
    parser.add_argument(
        "--bundle", type=Path, metavar="FOLDER", help="take this bundle instead of making one"
    )
    options = parser.parse_args(arguments)
    for made in make(ROOT, options.out, options.bundle):
        say(f"{made}: {made.stat().st_size / 1e6:.1f} MB")
    return 0


def make(root: Path, out: Path, folder: Path | None = None) -> list[Path]:
    """Make the installer and the ZIP of the checkout at `root` and return both."""
    facts = bundle.source(root)
    certificate = windows_signing.given(os.environ)
    if folder is None:
        if os.name != "nt":
            raise SetupError("The program is packed for Windows on Windows. Elsewhere give --bundle FOLDER.")
        folder = bundle.make(root, out, package="windows")
    require_programs(folder)
    out.mkdir(parents=True, exist_ok=True)
    if certificate:
        windows_signing.sign(windows_signing.unsigned(folder.rglob("*")), certificate)
    name = f"{product.COMMAND}-{facts.version}-windows-{MACHINE}"
    zipped = portable(folder, out / f"{name}.zip", facts)
    signer = f'"{sys.executable}" "{windows_signing.__file__}"' if certificate else ""
    setup = make_installer(
        root, Installer(folder, facts.version, out / f"{name}-setup.exe", signer=signer), facts.made_at
    )
    if certificate:
        windows_signing.sign([setup], certificate)
    return [setup, zipped]


def require_programs(folder: Path) -> None:
    """Do nothing if a folder has both programs."""
    missing = [name for name in (WINDOW, COMMAND) if not (folder / name).is_file()]
    if missing:
        raise SetupError(f"{folder} is no bundle for Windows: it has no {' and no '.join(missing)}.")


def portable(folder: Path, zipped: Path, facts: bundle.Source) -> Path:
    """Pack the bundle's folder as a ZIP and return the file. The same folder gives the same bytes."""
    made = time.gmtime(max(facts.made_at, _ZIP_BEGINS))[:6]
    draft = zipped.with_name(f"{zipped.name}.new")
    try:
        with zipfile.ZipFile(draft, "w") as archive:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                place = f"{product.COMMAND}-{facts.version}/{path.relative_to(folder).as_posix()}"
                entry = zipfile.ZipInfo(place, made)
                entry.create_system = 0  # Windows, so that no rights of POSIX are taken from it
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
        draft.replace(zipped)
    finally:
        draft.unlink(missing_ok=True)
    return zipped


def make_installer(root: Path, installer: Installer, made_at: int) -> Path:
    """Have NSIS make the installer and return its file. The same folder gives the same bytes."""
    tool = shutil.which("makensis") or (os.fspath(_NSIS) if _NSIS.exists() else None)
    if tool is None:
        raise SetupError(
            "NSIS isn't here, which makes the installer. Install it, such as with `winget install NSIS.NSIS`"
            " on Windows or `apt-get install nsis` on Debian, then start again."
        )
    python = environment.ensure(root, "build")
    with tempfile.TemporaryDirectory(prefix="keybench-nsis-") as name:
        work = Path(name)
        made = {
            "ICON": work / "keybench.ico",
            "SIDE": work / "side.bmp",
            "LIST": work / "installed.txt",
            "TERMS": work / "terms.txt",
        }
        drawing = [Path(__file__).with_name("icons.py"), made["ICON"], made["SIDE"]]
        _run([os.fspath(python), *map(os.fspath, drawing)], "Qt")
        lines = "".join(f"{line}\r\n" for line in lines_of(installer.folder))
        made["LIST"].write_bytes(lines.encode("ascii"))
        made["TERMS"].write_text(terms_of(installer.version), "utf-8-sig", newline="\r\n")
        for path in made.values():
            os.utime(path, (made_at, made_at))
        draft = installer.output.with_name(f"{installer.output.name}.new")
        try:
            _run(nsis_command(tool, installer, draft, made), "NSIS")
            draft.replace(installer.output)
        finally:
            draft.unlink(missing_ok=True)
    return installer.output


def nsis_command(tool: str, installer: Installer, output: Path, made: Mapping[str, Path]) -> list[str]:
    """Return the arguments by which makensis makes an installer."""
    told = {
        "NAME": product.NAME,
        "COMMAND": product.COMMAND,
        "ID": product.ID,
        "SUMMARY": product.SUMMARY,
        "PUBLISHER": product.MAINTAINER,
        "COPYRIGHT": f"© {product.COPYRIGHT}",
        "VERSION": installer.version,
        "FOUR_NUMBERS": ".".join(map(str, program_facts.four_numbers(installer.version))),
        "SIZE_KB": str(-(-bundle.size_of(installer.folder) // 1024)),
        "FILE_NAME": installer.output.name,
        "OUTPUT": os.fspath(output.absolute()),
        "PAYLOAD": os.fspath(installer.folder.absolute()),
        **{name: os.fspath(path) for name, path in made.items()},
    }
    if product.HOMEPAGE:
        told["HOMEPAGE"] = product.HOMEPAGE
    if installer.target:
        told["TARGET"] = installer.target
    if installer.signer:
        told["SIGNER"] = installer.signer
    defined = [f"-D{name}={value}" for name, value in told.items()]
    return [tool, "-V2", "-WX", "-INPUTCHARSET", "UTF8", *defined, os.fspath(_SCRIPT)]


def lines_of(folder: Path) -> list[str]:
    r"""Return the paths of what is in a folder, files first, then the folders from the inside out.

    The uninstaller reads them. They go as Windows writes them, and folders end with a backslash.
    """
    files: list[str] = []
    folders: list[str] = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder)).replace("/", "\\")
        if not name.isascii():
            raise SetupError(f"The bundle has a file whose name isn't ASCII: {name}.")
        (folders if path.is_dir() else files).append(name)
    return [*files, *(f"{name}\\" for name in reversed(folders))]


def terms_of(version: str) -> str:
    """Return what the installer shows about copyright and licences."""
    text = _TERMS.read_text("utf-8").format(version=version, copyright=product.COPYRIGHT)
    # A paragraph is one line: the page breaks it where it is wide enough.
    return re.sub(r"(?<=\S)\n(?=\S)", " ", text)


def _run(command: list[str], name: str) -> None:
    variables = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    tools.run(*command, trouble=f"{name} could not do its part.", variables=variables)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
