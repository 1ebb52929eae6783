"""Sign programs for Windows, where a certificate is given: `python packaging/windows_signing.py FILE…`.

Which certificate, these variables say; without them nothing is signed, and that is no failure:

- KEYBENCH_SIGN_THUMBPRINT: one in Windows' store, also of a token or of a service that puts it there;
- KEYBENCH_SIGN_FILE and KEYBENCH_SIGN_PASSWORD_FILE: a PKCS #12 file, and a file with its password.

KEYBENCH_SIGN_TIMESTAMP is the address that confirms when it was signed, so that the signature outlives the
certificate; `none` asks nobody. Windows signs with Microsoft's signtool; elsewhere osslsigncode does the same
with a file. The password goes from file to tool and stands in no list of arguments.
"""

import os
import shutil
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tools
from command_line import telling_trouble
from messages import SetupError, say

TIMESTAMP: Final = "http://timestamp.digicert.com"
_SDK: Final = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)")) / "Windows Kits/10/bin"
_LONG_FORM: Final = 0x20B  # PE32+
_PROGRAMS: Final = frozenset({".exe", ".com", ".dll", ".pyd"})
#: Put a PKCS #12 file into the person's store and print its thumbprint; take it out again.
_IMPORT: Final = (
    "$ErrorActionPreference = 'Stop';"
    " $word = (Get-Content -TotalCount 1 -LiteralPath $env:KEYBENCH_SIGN_PASSWORD_FILE)"
    " | ConvertTo-SecureString -AsPlainText -Force;"
    " (Import-PfxCertificate -FilePath $env:KEYBENCH_SIGN_FILE -Password $word"
    " -CertStoreLocation Cert:\\CurrentUser\\My).Thumbprint"
)
_FORGET: Final = "Remove-Item -LiteralPath Cert:\\CurrentUser\\My\\{thumbprint} -DeleteKey"


@dataclass(frozen=True)
class Certificate:
    """A certificate to sign with: by its thumbprint in Windows' store, or in a file.

    Attributes:
        thumbprint: Its thumbprint; empty where it is in a file.
        file: A PKCS #12 file; empty where it is in the store.
        password_file: What the file's password is read from.
        timestamp: Who confirms when it was signed; empty for nobody.
    """

    thumbprint: str = ""
    file: str = ""
    password_file: str = ""
    timestamp: str = TIMESTAMP


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Sign the files that are named, if there is a certificate, and return the exit status."""
    certificate = given(os.environ)
    if certificate is None:
        say("Not signed: no certificate is given.")
    else:
        sign([Path(one) for one in arguments], certificate)
    return 0


def given(variables: Mapping[str, str]) -> Certificate | None:
    """Return the certificate that the variables name, or None."""
    thumbprint = variables.get("KEYBENCH_SIGN_THUMBPRINT", "").replace(" ", "")
    file = variables.get("KEYBENCH_SIGN_FILE", "")
    password_file = variables.get("KEYBENCH_SIGN_PASSWORD_FILE", "")
    timestamp = variables.get("KEYBENCH_SIGN_TIMESTAMP") or TIMESTAMP
    timestamp = "" if timestamp == "none" else timestamp
    if thumbprint and not (len(thumbprint) == 40 and all(c in "0123456789abcdefABCDEF" for c in thumbprint)):  # noqa: PLR2004 - SHA-1
        raise SetupError("KEYBENCH_SIGN_THUMBPRINT isn't a thumbprint: it has 40 digits from 0 to F.")
    if thumbprint:
        return Certificate(thumbprint=thumbprint, timestamp=timestamp)
    if not file and not password_file:
        return None
    for name, path in (("KEYBENCH_SIGN_FILE", file), ("KEYBENCH_SIGN_PASSWORD_FILE", password_file)):
        if not path or not Path(path).is_file():
            raise SetupError(f"{name} must name a file that is there.")
    return Certificate(file=file, password_file=password_file, timestamp=timestamp)


def sign(files: Sequence[Path], certificate: Certificate) -> None:
    """Sign each of the files, which are changed in place."""
    if not files:
        return
    if sys.platform != "win32":
        for file in files:
            _sign_elsewhere(file, certificate)
    elif certificate.thumbprint:
        _run(signtool_command(_signtool(), files, certificate), "signtool")
    else:
        _sign_from_file(files, certificate)
    say(f"Signed {', '.join(file.name for file in files[:5])}{' …' if len(files) > 5 else ''}.")  # noqa: PLR2004 - enough to know


def signtool_command(tool: str, files: Sequence[Path], certificate: Certificate) -> list[str]:
    """Return the arguments by which signtool signs files with a certificate of the store."""
    stamp = ["/tr", certificate.timestamp, "/td", "sha256"] if certificate.timestamp else []
    return [tool, "sign", "/sha1", certificate.thumbprint, "/fd", "sha256", *stamp, *map(os.fspath, files)]


def osslsigncode_command(tool: str, file: Path, signed: Path, certificate: Certificate) -> list[str]:
    """Return the arguments by which osslsigncode writes a signed copy of a file."""
    stamp = ["-ts", certificate.timestamp] if certificate.timestamp else []
    return [
        *(tool, "sign", "-h", "sha256", "-pkcs12", certificate.file),
        *("-readpass", certificate.password_file, *stamp),
        *("-in", os.fspath(file), "-out", os.fspath(signed)),
    ]


def unsigned(paths: Iterable[Path]) -> list[Path]:
    """Return which of the files are Windows programs and libraries without a signature, in order."""
    return sorted(path for path in paths if path.suffix.lower() in _PROGRAMS and _is_unsigned(path))


def _is_unsigned(path: Path) -> bool:
    """Tell whether a file is a program without a signature, by its head.

    https://learn.microsoft.com/windows/win32/debug/pe-format#optional-header-data-directories-image-only
    """
    head = path.read_bytes()[:4096]
    try:
        (start,) = struct.unpack_from("<I", head, 0x3C)
        if head[:2] != b"MZ" or head[start : start + 4] != b"PE\0\0":
            return False
        optional = start + 24
        is_long = struct.unpack_from("<H", head, optional)[0] == _LONG_FORM
        _place, size = struct.unpack_from("<2I", head, optional + (112 if is_long else 96) + 4 * 8)
    except struct.error:
        return False
    return bool(size == 0)


def _sign_elsewhere(file: Path, certificate: Certificate) -> None:
    tool = shutil.which("osslsigncode")
    if tool is None or not certificate.file:
        raise SetupError(
            "Outside Windows osslsigncode signs, with the certificate in a file (KEYBENCH_SIGN_FILE)."
        )
    signed = file.with_name(f"{file.name}.signed")
    try:
        _run(osslsigncode_command(tool, file, signed, certificate), "osslsigncode")
        signed.replace(file)
    finally:
        signed.unlink(missing_ok=True)


def _sign_from_file(files: Sequence[Path], certificate: Certificate) -> None:
    """Sign with a certificate that is in the store meanwhile: signtool wants passwords as arguments."""
    thumbprint = _powershell(_IMPORT)
    try:
        kept = Certificate(thumbprint=thumbprint, timestamp=certificate.timestamp)
        _run(signtool_command(_signtool(), files, kept), "signtool")
    finally:
        _powershell(_FORGET.format(thumbprint=thumbprint))


def _powershell(command: str) -> str:
    return _run(["powershell", "-NoProfile", "-NonInteractive", "-Command", command], "PowerShell").strip()


def _signtool() -> str:
    """Return where signtool is: on PATH, or the newest of the Windows SDK."""
    found = shutil.which("signtool") or next(
        (os.fspath(path) for path in sorted(_SDK.glob("10.*/x64/signtool.exe"), reverse=True)), None
    )
    if found is None:
        raise SetupError("A certificate is given, but signtool isn't here. It comes with the Windows SDK.")
    return found


def _run(command: Sequence[str], name: str) -> str:
    return tools.run(*command, trouble=f"{name} could not sign.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
