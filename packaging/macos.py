"""Make what is shipped for macOS, a disk image with the app: `python3 packaging/macos.py [--out DIR]`.

On a Mac it packs the program (packaging/bundle.py) into `DIR/Keybench.app`, signs that from the inside out
with the hardened runtime, and makes `DIR/keybench-VERSION-macos-MACHINE.dmg` of it. These variables say how:

- KEYBENCH_SIGN_IDENTITY: a Developer ID Application in the keychain. Without one it is signed ad hoc, which
  opens on the Mac that made it; elsewhere a person has to allow it in the settings.
- KEYBENCH_NOTARY_PROFILE: what `xcrun notarytool store-credentials` kept under that name. Or
  KEYBENCH_NOTARY_KEY, KEYBENCH_NOTARY_KEY_ID and KEYBENCH_NOTARY_ISSUER: the file of a key of App Store
  Connect's API, its identifier and whose it is. With one of these Apple notarises the image, and its answer
  is attached to it.
"""

import argparse
import json
import os
import platform
import plistlib
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import bundle
import product
import tools
from command_line import telling_trouble
from messages import SetupError, last_lines, say

ROOT: Final = Path(__file__).resolve().parent.parent
AD_HOC: Final = "-"
ENTITLEMENTS: Final = Path(__file__).with_name("macos") / "entitlements.plist"
#: What an ad hoc signature needs besides: it names no team, so no library is of the same one.
_FOR_AD_HOC: Final = "com.apple.security.cs.disable-library-validation"
#: How programs and libraries begin: for one processor, of 64 or 32 bits, and for several.
_MACH_O: Final = frozenset(
    {b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"}
)
#: Apple mostly answers within minutes.
_NOTARY_LIMIT: Final = "45m"


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Make the disk image and return the exit status."""
    parser = argparse.ArgumentParser(prog="macos.py", description="Make the disk image for macOS.")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "dist", help="write to this folder (default dist/)"
    )
    options = parser.parse_args(arguments)
    image = make(ROOT, options.out, os.environ)
    say(f"{image}: {image.stat().st_size / 1e6:.1f} MB")
    return 0


def make(root: Path, out: Path, variables: Mapping[str, str]) -> Path:
    """Make the disk image of the checkout at `root` and return its file."""
    notary = notary_in(variables)
    identity = variables.get("KEYBENCH_SIGN_IDENTITY") or AD_HOC
    if notary and identity == AD_HOC:
        raise SetupError("Apple notarises only what a Developer ID signed: set KEYBENCH_SIGN_IDENTITY, too.")
    if platform.system() != "Darwin":
        raise SetupError("The app for macOS is made on a Mac.")
    bundle.make(root, out, package="macos")
    app = out / bundle.APP
    sign(app, identity)
    image = out / f"{bundle.NAME}-{bundle.source(root).version}-macos-{platform.machine()}.dmg"
    make_image(app, image)
    if identity != AD_HOC:
        _run(codesign_command(image, identity), "codesign")
    if notary:
        notarise(image, notary)
    return image


def notary_in(variables: Mapping[str, str]) -> Sequence[str]:
    """Return how notarytool is told the account that the variables name, or nothing; no secret is in it."""
    if profile := variables.get("KEYBENCH_NOTARY_PROFILE"):
        return ("--keychain-profile", profile)
    names = {
        "--key": "KEYBENCH_NOTARY_KEY",
        "--key-id": "KEYBENCH_NOTARY_KEY_ID",
        "--issuer": "KEYBENCH_NOTARY_ISSUER",
    }
    told = {option: variables.get(name, "") for option, name in names.items()}
    if not any(told.values()):
        return ()
    if not all(told.values()) or not Path(told["--key"]).is_file():
        raise SetupError(
            f"{', '.join(names.values())} go together, and the first names a file that is there."
        )
    return tuple(word for pair in told.items() for word in pair)


def sign(app: Path, identity: str) -> None:
    """Sign all code of an app, from the inside out, and have the signature looked at."""
    say(f"Signing {app.name} {'ad hoc' if identity == AD_HOC else f'as {identity}'} …")
    with tempfile.TemporaryDirectory(prefix="keybench-sign-") as name:
        entitlements = Path(name) / "entitlements.plist"
        entitlements.write_bytes(plistlib.dumps(entitlements_for(identity)))
        for part in signed_in_order(app):
            is_program = part == app
            _run(codesign_command(part, identity, entitlements if is_program else None), "codesign")
    _run(["codesign", "--verify", "--deep", "--strict", "--verbose=2", os.fspath(app)], "codesign")


def entitlements_for(identity: str) -> dict[str, bool]:
    """Return what the program may do under the hardened runtime, with a signature of this kind."""
    told: dict[str, bool] = plistlib.loads(ENTITLEMENTS.read_bytes())
    return told | {_FOR_AD_HOC: True} if identity == AD_HOC else told


def signed_in_order(app: Path) -> list[Path]:
    """Return all that codesign has to sign in an app: libraries, then frameworks, then the app itself.

    A signature holds the signatures of what is inside, so the innermost come first. What a framework's or the
    app's own signature covers, its library or its program, isn't signed apart.
    """
    frameworks = sorted(path for path in app.rglob("*.framework") if path.is_dir() and not path.is_symlink())
    versions = [version for framework in frameworks for version in _versions(framework)]
    own = {version / version.parent.parent.stem for version in versions}
    own.add(app / "Contents" / "MacOS" / bundle.NAME)
    libraries = [path for path in app.rglob("*") if path not in own and _is_code(path)]
    inside_out = sorted([*libraries, *versions], key=lambda path: (-len(path.parts), path))
    return [*inside_out, app]


def codesign_command(part: Path, identity: str, entitlements: Path | None = None) -> list[str]:
    """Return the arguments by which codesign signs a file, a framework, the app or the disk image."""
    stamp = "--timestamp=none" if identity == AD_HOC else "--timestamp"
    hardened = [] if part.suffix == ".dmg" else ["--options", "runtime"]
    rights = ["--entitlements", os.fspath(entitlements)] if entitlements else []
    return ["codesign", "--force", "--sign", identity, stamp, *hardened, *rights, os.fspath(part)]


def make_image(app: Path, image: Path) -> None:
    """Make a disk image with an app and a link to the folder of applications, where it is to be dragged."""
    with tempfile.TemporaryDirectory(prefix="keybench-image-") as name:
        folder = Path(name) / product.NAME
        shutil.copytree(app, folder / app.name, symlinks=True)
        (folder / "Applications").symlink_to("/Applications")
        draft = Path(name) / image.name
        _run(image_command(folder, draft), "hdiutil")
        shutil.move(draft, image)


def image_command(folder: Path, image: Path) -> list[str]:
    """Return the arguments by which hdiutil makes a compressed image of a folder."""
    return [
        *("hdiutil", "create", "-volname", product.NAME, "-srcfolder", os.fspath(folder)),
        *("-fs", "HFS+", "-format", "ULMO", "-ov", os.fspath(image)),
    ]


def notarise(image: Path, notary: Sequence[str]) -> None:
    """Have Apple look at a disk image, wait for the answer and attach it."""
    say("Waiting for Apple to notarise it (some minutes) …")
    answer = _run(notary_command("submit", os.fspath(image), notary), "notarytool")
    told = _json(answer)
    if told.get("status") != "Accepted":
        log = (
            _run(notary_command("log", str(told.get("id", "")), notary), "notarytool") if "id" in told else ""
        )
        raise SetupError(f"Apple didn't notarise it: {told.get('status', 'no answer')}.\n{last_lines(log)}")
    _run(["xcrun", "stapler", "staple", os.fspath(image)], "stapler")


def notary_command(what: str, subject: str, notary: Sequence[str]) -> list[str]:
    """Return the arguments by which notarytool submits a file and waits, or fetches the log of one."""
    more = ["--wait", "--timeout", _NOTARY_LIMIT, "--output-format", "json"] if what == "submit" else []
    return ["xcrun", "notarytool", what, subject, *notary, *more]


def _versions(framework: Path) -> Sequence[Path]:
    folder = framework / "Versions"
    return [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.is_symlink()]


def _is_code(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) in _MACH_O


def _json(text: str) -> Mapping[str, object]:
    try:
        told = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _run(command: Sequence[str], name: str) -> str:
    try:
        return tools.run(*command, trouble=f"{name} could not do its part.")
    except FileNotFoundError:
        raise SetupError(f"{command[0]} isn't here. It comes with Xcode's command line tools.") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
