"""What a bundle has: whose every file is, under which licence, and the bill of materials of all that."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
from PyInstaller.archive.readers import CArchiveReader
from PyInstaller.archive.writers import CArchiveWriter, ZlibArchiveWriter

import bill
import licences
import origins
import product
import sbom
import shipped
from messages import SetupError
from origins import Component
from sbom import BILL
from shipped import CONTENTS, Inventory, take
from shipped_parts import Parts

ROOT = Path(__file__).resolve().parents[2]
#: Packing takes most of a minute of processor; a busy machine may take ten times as long, in seconds.
_LONG = 900


def pack(folder: Path, *modules: str) -> None:
    """Write a program that has these modules, empty."""
    archive = folder / "modules"
    code = {name: compile("", name, "exec") for name in modules}
    ZlibArchiveWriter(str(archive), [(name, "x.py", "PYMODULE") for name in modules], code)
    CArchiveWriter(str(folder / "keybench"), [("PYZ.pyz", str(archive), 0, "z")], "libpython")
    archive.unlink()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A bundle of the program, a module of a package and its data."""
    folder = tmp_path / "a folder, über"
    (folder / CONTENTS / "certifi").mkdir(parents=True)
    shutil.copy(certifi.where(), folder / CONTENTS / "certifi")
    pack(folder, "keybench", "keybench.launch", "httpx._client")
    os.utime(folder / "keybench", (1_700_000_000, 1_700_000_000))
    return folder


def test_files_and_modules_have_their_owners(small: Path) -> None:
    inventory = take(small)
    names = {ref: one.name for ref, one in inventory.components.items()}
    assert {path: names[ref] for path, ref in inventory.files.items()} == {
        f"{CONTENTS}/certifi/cacert.pem": "certifi",
        "keybench": "Keybench",
    }
    assert {name: names[ref] for name, ref in inventory.modules.items()} == {
        "httpx._client": "httpx",
        "keybench": "Keybench",
        "keybench.launch": "Keybench",
    }
    certificates = next(one for one in inventory.components.values() if one.name == "certifi")
    assert certificates.purl == f"pkg:pypi/certifi@{certificates.version}"
    assert certificates.licence == "MPL-2.0"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no library of the system is shipped")
def test_a_library_is_its_system_package_s(small: Path) -> None:
    source = origins.in_system("libz.so.1")
    assert source is not None
    if not origins.debian_owner(source):
        pytest.skip("this system has no packages of Debian's kind")
    subprocess.run(["strip", "--strip-unneeded", "-o", small / CONTENTS / "libz.so.1", source], check=True)
    inventory = take(small)
    owner = inventory.components[inventory.files[f"{CONTENTS}/libz.so.1"]]
    assert owner.name == "zlib1g"
    assert owner.purl.startswith("pkg:deb/")
    assert owner.licence == "Zlib"
    assert "Mark Adler" in licences.text_of(owner)


def test_what_is_nobody_s_is_named_and_nothing_is_written(small: Path) -> None:
    strangers = ["libmystery.so.1", "keybench/resources/notes.txt", "certifi/extra.pem"]
    for name in strangers:
        (small / CONTENTS / name).parent.mkdir(parents=True, exist_ok=True)
        (small / CONTENTS / name).touch()
    (small / "README").touch()
    pack(small, "keybench", "mystery.module")
    with pytest.raises(SetupError) as caught:
        bill.put_into(small)
    for name in [*(f"{CONTENTS}/{one}" for one in strangers), "README", "mystery.module"]:
        assert name in str(caught.value)
    assert not (small / BILL).exists()
    assert not (small / licences.FOLDER).exists()


def test_a_file_that_was_changed_is_not_its_package_s(small: Path) -> None:
    with (small / CONTENTS / "certifi" / "cacert.pem").open("a") as file:
        file.write("one authority more")
    with pytest.raises(SetupError, match=r"cacert\.pem: it isn't the cacert\.pem that it was taken for"):
        take(small)


def test_a_link_that_leads_out_is_refused(small: Path) -> None:
    (small / CONTENTS / "libz.so.1").symlink_to("/etc/hostname")
    with pytest.raises(SetupError, match="leads out of the bundle"):
        take(small)


def test_a_folder_that_is_no_bundle_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bill.main([str(tmp_path)]) == 1
    assert "is no bundle" in capsys.readouterr().err


def test_one_bundle_has_one_bill(small: Path) -> None:
    first = bill.written_bill(take(small))
    assert bill.written_bill(take(small)) == first
    told = json.loads(first)
    assert told["specVersion"] == "1.6"
    assert told["metadata"]["timestamp"].startswith("2023-11-14T22:13:20")
    assert told["metadata"]["component"]["version"] == product.version(ROOT)
    assert "licenses" not in told["metadata"]["component"], "nobody has said one"
    pack(small, "keybench", "keybench.launch")
    os.utime(small / "keybench", (1_700_000_000, 1_700_000_000))
    assert json.loads(bill.written_bill(take(small)))["serialNumber"] != told["serialNumber"]


def test_a_bill_is_true_again_when_files_were_signed(small: Path) -> None:
    (small / BILL).parent.mkdir(parents=True)
    (small / BILL).write_bytes(bill.written_bill(take(small)))
    before = json.loads((small / BILL).read_bytes())
    (small / "keybench").write_bytes(b"signed")
    sbom.renew(small)
    told = json.loads((small / BILL).read_bytes())
    program = next(one for one in _flat([told["metadata"]["component"]]) if one["name"] == "keybench")
    assert program["hashes"] == [{"alg": "SHA-256", "content": shipped.digest(small / "keybench")}]
    assert told["serialNumber"] != before["serialNumber"]
    program["hashes"] = next(
        one["hashes"] for one in _flat([before["metadata"]["component"]]) if one["name"] == "keybench"
    )
    assert told | {"serialNumber": ""} == before | {"serialNumber": ""}


def test_parts_that_are_built_in_are_there_when_their_version_is(tmp_path: Path) -> None:
    told = tmp_path / "parts.toml"
    told.write_text(
        "[[part]]\n"
        'name = "libpng"\n'
        'inside = "Qt"\n'
        'files = ["*Gui*"]\n'
        r"version = 'libpng version (\d+\.\d+)'"
        "\n"
        'licence = "libpng-2.0"\n'
        "[[part]]\n"
        'name = "HarfBuzz"\n'
        'inside = "Qt"\n'
        'files = ["*Gui*"]\n'
        'licence = "MIT"\n'
    )
    png, shaper = Parts(told).built_in
    library = tmp_path / "libQt6Gui.so.6"
    library.write_bytes(b"\0libpng version 1.6\0")
    assert png.fits("PySide6/Qt/lib/libQt6Gui.so.6")
    assert not png.fits("PySide6/Qt/lib/libQt6Core.so.6")
    assert png.version_in([library]) == "1.6"
    library.write_bytes(b"")
    assert png.version_in([library]) is None, "the system's is used"
    assert shaper.version_in([library]) == "", "there, in a version that can't be told"


@pytest.mark.parametrize(
    ("licence", "has", "has_not"),
    [
        ("MIT OR Apache-2.0", "Permission is hereby granted", "TERMS AND CONDITIONS"),
        ("MIT AND Apache-2.0", "TERMS AND CONDITIONS", "GNU"),
        ("Apache-2.0 WITH LLVM-exception", "LLVM Exceptions", "GNU"),
        ("Apache-2.0 OR GPL-2.0-only", "TERMS AND CONDITIONS", "GNU GENERAL PUBLIC"),
        ("LGPL-2.1-or-later", "Lesser", "Apache"),
    ],
)
def test_a_licence_has_its_texts_and_of_a_choice_one_that_is_known(
    licence: str, has: str, has_not: str
) -> None:
    text = licences.text_of(Component("ref", "thing", "1", licence=licence, copyright=("© somebody",)))
    assert text.startswith(f"{licence}\n© somebody\n")
    assert has in text
    assert has_not not in text


@pytest.mark.parametrize("licence", ["", "EUPL-1.2", "MIT AND EUPL-1.2", "GPL-2.0-only WITH LLVM-exception"])
def test_a_component_without_a_licence_s_text_is_told(small: Path, licence: str) -> None:
    inventory = Inventory(small, "keybench")
    inventory.add(Component("a", "thing", "1", licence=licence))
    with pytest.raises(SetupError, match="thing: "):
        licences.write(inventory)


def test_no_text_has_a_place_left_to_be_filled_in() -> None:
    for path in licences.TEXTS.glob("*.txt"):
        if path.name not in {licences.NOTICE, "GPL-3.0.txt", "LGPL-2.1.txt", "FTL.txt"}:
            assert not {"<year>", "<owner>", "<copyright"} & set(path.read_text("utf-8").split()), path.name


def test_every_part_that_is_known_has_its_text() -> None:
    known = Parts()
    for part in (*known.packages.values(), *known.libraries, *known.built_in):
        if part.name not in _WITH_THEIR_OWN:
            assert licences.text_of(origins.of_part(part, "1"))
        assert part.notice in {"", licences.NOTICE}


#: Whose packages bring a text that SPDX has no file for here.
_WITH_THEIR_OWN = {"pyinstaller", "libgfortran", "libxkbcommon"}


@pytest.fixture(scope="module")
def inventory(made: Path) -> Inventory:
    return take(made)


@pytest.mark.sweep
@pytest.mark.timeout(_LONG)
def test_every_file_of_the_bundle_is_in_its_bill_once(made: Path, inventory: Inventory) -> None:
    told = json.loads((made / BILL).read_bytes())
    every = [*_flat([told["metadata"]["component"]]), *_flat(told["components"])]
    files = [one for one in every if one["type"] == "file"]
    assert sorted(one["name"] for one in files) == list(shipped.own_files(made))
    assert all(one["hashes"][0]["content"] == shipped.digest(made / one["name"]) for one in files)
    assert (made / BILL).read_bytes() == bill.written_bill(inventory)
    versions = {one["name"]: one.get("version") for one in every}
    assert versions["CPython"] == sysconfig.get_config_var("VERSION") + f".{sys.version_info.micro}"
    assert {"Qt", "ICU", "OpenSSL", "PCRE2", "libpng", "OpenBLAS", "pyinstaller"} <= versions.keys()
    needed = {one["ref"]: one.get("dependsOn", ()) for one in told["dependencies"]}
    assert any(one.startswith("pkg:generic/icu@") for one in needed[f"pkg:generic/qt@{versions['Qt']}"])


@pytest.mark.sweep
@pytest.mark.timeout(_LONG)
def test_the_bundle_has_the_licence_of_all_that_is_in_it(made: Path, inventory: Inventory) -> None:
    folder = made / licences.FOLDER
    listed = json.loads((folder / "licences.json").read_text("utf-8"))
    assert len(listed) == len(inventory.components) - 1
    names = [one["name"].lower() for one in listed]
    assert names == sorted(names)
    for one in listed:
        assert one.keys() == {"name", "version", "licence", "text", "notice"}
        assert len((folder / one["text"]).read_text("utf-8")) > len("Permission is hereby granted")
    notice = (folder / "qt-notice.txt").read_text("utf-8")
    qt = next(one.version for one in inventory.components.values() if one.name == "Qt")
    assert f"qt-everywhere-src-{qt}.tar.xz" in notice
    assert product.MAINTAINER_ADDRESS in notice
    assert "{" not in notice


@pytest.mark.sweep
@pytest.mark.timeout(_LONG)
def test_the_bundle_tells_nothing_of_the_machine_that_made_it(made: Path, inventory: Inventory) -> None:
    assert not [path for path in inventory.files if "__pycache__" in path or "direct_url" in path]
    places = {str(ROOT).encode(), str(made.parents[1]).encode()}
    # What was compiled into CPython's own libraries is from whoever built it, on Linux often this machine.
    builder = str(Path(sys.base_prefix)).encode()
    for name, content in _contents(made):
        own = inventory.components[inventory.files.get(name, inventory.ours)].name == origins.CPYTHON
        for place in places if own or builder in {b"/usr", b"/usr/local"} else {*places, builder}:
            assert place not in content, f"{name} names {place.decode()}"


@pytest.mark.sweep
@pytest.mark.timeout(_LONG)
@pytest.mark.skipif(sys.platform != "linux", reason="the library is changed with Linux's tools")
def test_a_changed_build_of_qt_is_used_in_its_place(made: Path, tmp_path: Path) -> None:
    """What the LGPL asks for: whoever has the program may use their own build of the library with it."""
    # The copy shares its files with the bundle, so they may be replaced and not changed.
    copy = shutil.copytree(made, tmp_path / "keybench", copy_function=os.link, symlinks=True)
    library = copy / CONTENTS / "PySide6/Qt/lib/libQt6Core.so.6"
    library.unlink()
    (tmp_path / "mark").write_text("a build of our own")
    command = ["objcopy", "--add-section", f".note.ours={tmp_path / 'mark'}"]
    subprocess.run([*command, made / library.relative_to(copy), library], check=True)
    assert shipped.digest(library) != shipped.digest(made / library.relative_to(copy))
    reads, writes = os.pipe()  # it ends when nobody holds its standard input any more
    done = subprocess.run(
        [copy / "keybench", "--self-test-checks", "--data-dir", tmp_path / "data"],
        stdin=reads,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(reads)
    os.close(writes)
    told = json.loads(done.stdout.splitlines()[0])
    assert told["result"] == "ok", told


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file, packed module and member of CPython's library, by name."""
    for path in (one for one in folder.rglob("*") if one.is_file()):
        yield path.relative_to(folder).as_posix(), path.read_bytes()
    archive = CArchiveReader(str(shipped.program_of(folder)))
    modules = archive.open_embedded_archive("PYZ.pyz")
    for name in modules.toc:
        yield name, modules.extract(name, raw=True) or b""
    for name, (*_place, kind) in archive.toc.items():
        if kind in {"m", "s"}:
            yield name, archive.extract(name)
    with zipfile.ZipFile(folder / CONTENTS / "base_library.zip") as library:
        for name in library.namelist():
            yield name, library.read(name)


def _flat(components: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    for one in components:
        yield one
        yield from _flat(one.get("components", []))  # type: ignore[arg-type]
