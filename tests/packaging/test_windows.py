"""What is made for Windows, as far as it can be made here; test_windows_installer.py runs the installer."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImageReader

import bundle
import icons
import product
import windows
import windows_signing
from messages import SetupError
from windows_signing import Certificate

FACTS = bundle.Source("0.2.0", "abc", 1_700_000_001)
needs_nsis = pytest.mark.skipif(shutil.which("makensis") is None, reason="makensis isn't here")
needs_osslsigncode = pytest.mark.skipif(
    shutil.which("osslsigncode") is None, reason="osslsigncode isn't here"
)
THUMBPRINT = "0123456789abcdef0123456789ABCDEF01234567"


def program(*, signed: bool) -> bytes:
    """Return the head of a Windows program of 64 bits, as linkers write it, and nothing behind it."""
    head = bytearray(0x200)
    head[:2] = b"MZ"
    struct.pack_into("<I", head, 0x3C, 0x80)
    head[0x80:0x84] = b"PE\0\0"
    struct.pack_into("<H", head, 0x98, 0x20B)
    struct.pack_into("<2I", head, 0x98 + 112 + 32, 0x200 if signed else 0, 8 if signed else 0)
    return bytes(head)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bundle for Windows, with nothing in it that works."""
    top = tmp_path / "bundle"
    inside = top / "_internal" / "PySide6" / "plugins"
    inside.mkdir(parents=True)
    for path in (top / windows.WINDOW, top / windows.COMMAND, inside / "qwindows.dll"):
        path.write_bytes(program(signed=False))
    (top / "_internal" / "python311.dll").write_bytes(program(signed=True))
    (top / "_internal" / "a b.txt").write_text("text")
    return top


def test_the_list_has_each_file_and_then_the_folders_from_the_inside_out(folder: Path) -> None:
    assert windows.lines_of(folder) == [
        "_internal\\PySide6\\plugins\\qwindows.dll",
        "_internal\\a b.txt",
        "_internal\\python311.dll",
        "keybench.com",
        "keybench.exe",
        "_internal\\PySide6\\plugins\\",
        "_internal\\PySide6\\",
        "_internal\\",
    ]


def test_a_name_that_not_every_windows_can_read_is_refused(folder: Path) -> None:
    (folder / "é").write_text("")
    with pytest.raises(SetupError, match="ASCII: é"):
        windows.lines_of(folder)


def test_the_same_folder_gives_the_same_zip_whoever_made_it_when(folder: Path, tmp_path: Path) -> None:
    one = windows.portable(folder, tmp_path / "one.zip", FACTS).read_bytes()
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    (folder / "keybench.exe").chmod(0o600)
    assert windows.portable(folder, tmp_path / "two.zip", FACTS).read_bytes() == one
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        names = archive.namelist()
        assert archive.read("keybench-0.2.0/_internal/a b.txt") == b"text"
        assert {info.date_time for info in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}
    assert len(names) == 5
    assert all(name.startswith("keybench-0.2.0/") for name in names)


def test_a_time_before_zips_began_is_their_first(folder: Path, tmp_path: Path) -> None:
    windows.portable(folder, tmp_path / "one.zip", replace(FACTS, made_at=0))
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert {info.date_time[:3] for info in archive.infolist()} == {(1980, 1, 1)}


def test_what_is_no_bundle_for_windows_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "keybench").write_text("")
    with pytest.raises(SetupError, match=r"no keybench\.exe and no keybench\.com"):
        windows.make(root, tmp_path, tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="it works there")
def test_elsewhere_a_bundle_has_to_be_given(root: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="--bundle"):
        windows.make(root, tmp_path)


def test_without_nsis_it_is_said_how_to_get_it(root: Path, folder: Path, programs: Path) -> None:
    with pytest.raises(SetupError, match="winget install"):
        windows.make_installer(root, windows.Installer(folder, "0.2.0", folder / "setup.exe"), FACTS.made_at)


@needs_nsis
def test_the_installers_script_compiles_without_a_warning(root: Path, folder: Path, tmp_path: Path) -> None:
    setup = windows.Installer(folder, "0.2.0", tmp_path / "setup.exe")
    content = windows.make_installer(root, setup, FACTS.made_at).read_bytes()
    assert content[:2] == b"MZ"
    for text in (product.NAME, "0.2.0", product.MAINTAINER, product.COPYRIGHT, "setup.exe"):
        assert text.encode("utf-16-le") in content, "version information"
    # https://learn.microsoft.com/windows/win32/api/verrsrc/ns-verrsrc-vs_fixedfileinfo
    assert struct.pack("<6I", 0xFEEF04BD, 0, 2, 0, 2, 0) in content, "its numbers: 0.2.0.0 twice"
    for text in (b"longPathAware", b"dpiAware", b'level="asInvoker"'):
        assert text in content, "manifest"
    assert windows.make_installer(root, setup, FACTS.made_at).read_bytes() == content, "twice the same"


@needs_nsis
def test_an_installer_that_cannot_be_made_leaves_the_one_before(
    root: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "setup.exe"
    output.write_bytes(b"before")
    broken = tmp_path / "broken.nsi"
    broken.write_text("this is no command\n")
    monkeypatch.setattr(windows, "_SCRIPT", broken)
    with pytest.raises(SetupError, match=r"(?s)NSIS could not.*this"):
        windows.make_installer(root, windows.Installer(folder, "0.2.0", output), FACTS.made_at)
    assert output.read_bytes() == b"before"
    assert {path.name for path in tmp_path.iterdir()} == {"bundle", "broken.nsi", "setup.exe"}


def test_what_is_said_about_licences_names_qts_and_breaks_no_paragraph() -> None:
    text = windows.terms_of("0.2.0")
    assert "Keybench 0.2.0" in text
    assert product.COPYRIGHT in text
    assert "GNU Lesser General Public License, version 3" in text
    assert "\n" not in text.split("\n\n")[3]


@pytest.mark.parametrize(
    ("variables", "certificate"),
    [
        ({}, None),
        ({"KEYBENCH_SIGN_TIMESTAMP": "http://time.example"}, None),
        ({"KEYBENCH_SIGN_THUMBPRINT": THUMBPRINT}, Certificate(thumbprint=THUMBPRINT)),
        (
            {"KEYBENCH_SIGN_THUMBPRINT": THUMBPRINT, "KEYBENCH_SIGN_TIMESTAMP": "none"},
            Certificate(thumbprint=THUMBPRINT, timestamp=""),
        ),
    ],
)
def test_a_certificate_is_what_the_variables_name(
    variables: dict[str, str], certificate: Certificate | None
) -> None:
    assert windows_signing.given(variables) == certificate


@pytest.mark.parametrize(
    "variables",
    [
        {"KEYBENCH_SIGN_THUMBPRINT": "abc"},
        {"KEYBENCH_SIGN_THUMBPRINT": "z" * 40},
        {"KEYBENCH_SIGN_FILE": __file__},
        {"KEYBENCH_SIGN_FILE": __file__, "KEYBENCH_SIGN_PASSWORD_FILE": "/nowhere"},
        {"KEYBENCH_SIGN_PASSWORD_FILE": __file__},
    ],
)
def test_half_a_certificate_is_refused(variables: dict[str, str]) -> None:
    with pytest.raises(SetupError, match="KEYBENCH_SIGN_"):
        windows_signing.given(variables)


def test_no_password_is_among_the_arguments_of_a_signing_tool(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("made-up-word")
    kept = Certificate("", "c.p12", str(tmp_path / "password"), "http://time.example")
    told = windows_signing.osslsigncode_command("tool", Path("a.exe"), Path("b.exe"), kept)
    assert told[-4:] == ["-in", "a.exe", "-out", "b.exe"]
    assert "made-up-word" not in " ".join(told)
    told = windows_signing.signtool_command("signtool", [Path("a.exe")], Certificate(thumbprint=THUMBPRINT))
    assert told == [
        *("signtool", "sign", "/sha1", THUMBPRINT, "/fd", "sha256"),
        *("/tr", windows_signing.TIMESTAMP, "/td", "sha256", "a.exe"),
    ]


def test_what_others_signed_is_not_signed_again(folder: Path) -> None:
    (folder / "broken.dll").write_bytes(b"MZ and no more")
    (folder / "empty.exe").write_bytes(b"")
    found = windows_signing.unsigned(folder.rglob("*"))
    assert [path.name for path in found] == ["qwindows.dll", "keybench.com", "keybench.exe"]


@needs_nsis
@needs_osslsigncode
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl isn't here")
def test_with_a_certificate_programs_installer_and_uninstaller_are_signed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = made_up_certificate(tmp_path, monkeypatch)
    folder = tmp_path / "bundle"
    folder.mkdir()
    stub = next(Path("/usr/share/nsis/Stubs").glob("zlib-amd64-unicode"), None)
    if stub is None:
        pytest.skip("this NSIS has no program of 64 bits to sign")
    for name in (windows.WINDOW, windows.COMMAND):
        shutil.copy(stub, folder / name)
    setup, zipped = windows.make(root, tmp_path / "out", folder)
    for path in (setup, folder / windows.WINDOW, folder / windows.COMMAND):
        assert "Succeeded" in verified(path, certificate), path
    with zipfile.ZipFile(zipped) as archive:
        name = next(name for name in archive.namelist() if name.endswith(windows.COMMAND))
        assert archive.read(name) == (folder / windows.COMMAND).read_bytes(), "the signed one"


@needs_osslsigncode
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl isn't here")
def test_a_wrong_password_is_told_and_changes_nothing(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up_certificate(tmp_path, monkeypatch)
    (tmp_path / "password").write_text("another\n")
    before = (folder / windows.WINDOW).read_bytes()
    kept = windows_signing.given(os.environ)
    assert kept is not None
    with pytest.raises(SetupError, match=r"(?i)osslsigncode could not sign"):
        windows_signing.sign([folder / windows.WINDOW], kept)
    assert (folder / windows.WINDOW).read_bytes() == before
    assert not list(folder.glob("*.signed"))


def made_up_certificate(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a certificate, name it in the variables and return it."""
    key, certificate, kept, password = (
        folder / name for name in ("key", "certificate", "kept.p12", "password")
    )
    password.write_text("made-up-word\n")
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    made += ["-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", "/CN=Made up"]
    subprocess.run([*made, "-addext", "extendedKeyUsage=codeSigning"], check=True, capture_output=True)
    packed = ["openssl", "pkcs12", "-export", "-inkey", str(key), "-in", str(certificate), "-out", str(kept)]
    subprocess.run([*packed, "-passout", f"file:{password}"], check=True, capture_output=True)
    monkeypatch.setenv("KEYBENCH_SIGN_FILE", str(kept))
    monkeypatch.setenv("KEYBENCH_SIGN_PASSWORD_FILE", str(password))
    monkeypatch.setenv("KEYBENCH_SIGN_TIMESTAMP", "none")
    return certificate


def verified(path: Path, certificate: Path) -> str:
    told = ["osslsigncode", "verify", "-in", str(path), "-CAfile", str(certificate)]
    return subprocess.run(told, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    ("name", "sizes"), [("k.ico", icons.ICO_SIZES), ("k.icns", icons.ICNS_SIZES.values())]
)
def test_qt_reads_every_picture_of_an_icon(root: Path, tmp_path: Path, name: str, sizes: list[int]) -> None:
    icons.write(root, tmp_path / name)
    reader = QImageReader(str(tmp_path / name))
    found = []
    for number in range(reader.imageCount()):
        assert reader.jumpToImage(number)
        image = reader.read()
        found.append(image.width())
        assert (image.width(), image.pixelColor(0, 0).alpha()) == (image.height(), 0)
        top, below = (image.pixelColor(image.width() // 2, image.height() * part // 64) for part in (8, 48))
        assert (top.name(), below.lightness() > top.lightness()) == ("#0f766e", True), "upright"
    assert found == list(sizes)


def test_an_icon_has_no_third_format(root: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"k\.gif ends in none of"):
        icons.write(root, tmp_path / "k.gif")
