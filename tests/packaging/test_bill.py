"""The licences of all that is shipped, and what Python doesn't know of it."""

import tomllib
from pathlib import Path

import pytest

import bill
import licences
from licences import Component
from messages import SetupError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "_internal" / "PySide6" / "Qt" / "lib").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def parts(root: Path) -> bill.Parts:
    told: bill.Parts = tomllib.loads((root / "packaging" / "shipped_parts.toml").read_text("utf-8"))
    return told


def test_a_part_is_there_when_its_version_is(folder: Path, parts: bill.Parts) -> None:
    library = folder / "_internal" / "PySide6" / "Qt" / "lib" / "libQt6Gui.so.6"
    library.write_bytes(b"Qt 6.11.3 (x)\0libpng version 1.6.59\0")
    found = {one.name: one for one in bill.built_into(folder, parts)}
    assert found["Qt"].version == "6.11.3"
    assert found["libpng (in Qt)"].version == "1.6.59"
    assert found["HarfBuzz (in Qt)"].version == "", "there, in a version that can't be told"
    assert "PCRE2 (in Qt)" not in found
    library.write_bytes(b"Qt 6.11.3 (x)")
    assert "libpng (in Qt)" not in {one.name for one in bill.built_into(folder, parts)}, (
        "the system's is used"
    )


def test_a_library_that_nobody_knows_is_refused(folder: Path, parts: bill.Parts) -> None:
    (folder / "_internal" / "libmystery.so.1").touch()
    (folder / "_internal" / "libz.so.1").write_bytes(b"inflate 1.3.1 Copyright")
    with pytest.raises(SetupError, match=r"whose these are: libmystery\.so\.1\."):
        list(bill.built_into(folder, parts))


@pytest.mark.parametrize(
    ("licence", "has", "has_not"),
    [
        ("MIT AND Apache-2.0", "TERMS AND CONDITIONS", "GNU"),
        ("Apache-2.0 WITH LLVM-exception", "LLVM Exceptions", "GNU"),
        ("Apache-2.0 OR GPL-2.0-only", "TERMS AND CONDITIONS", "GNU GENERAL PUBLIC"),
        ("LGPL-2.1-or-later", "Lesser", "Apache"),
    ],
)
def test_a_licence_has_its_texts_and_of_a_choice_one_that_is_known(
    licence: str, has: str, has_not: str
) -> None:
    text = licences.text_of(Component("thing", "1", licence, ("© somebody",)))
    assert text.startswith(f"{licence}\n© somebody\n")
    assert has in text
    assert has_not not in text


@pytest.mark.parametrize("licence", ["", "EUPL-1.2", "MIT AND EUPL-1.2", "GPL-2.0-only WITH LLVM-exception"])
def test_a_component_without_a_licence_s_text_is_told_and_nothing_is_written(
    tmp_path: Path, licence: str
) -> None:
    with pytest.raises(SetupError, match="thing: "):
        licences.write(tmp_path, [Component("thing", "1", licence)])
    assert list(tmp_path.iterdir()) == []


def test_no_text_has_a_place_left_to_be_filled_in() -> None:
    for path in licences.TEXTS.glob("*.txt"):
        if path.name not in {licences.NOTICE, "GPL-3.0.txt", "LGPL-2.1.txt", "FTL.txt"}:
            assert not {"<year>", "<owner>", "<copyright"} & set(path.read_text("utf-8").split()), path.name


def test_every_part_that_is_known_has_its_text(parts: bill.Parts) -> None:
    for one in (*parts["library"], *parts["part"]):
        # Debian's packages bring the text of this one.
        if one["name"] != "libxkbcommon" and "text" not in one:
            assert licences.text_of(Component(one["name"], "1", one["licence"])), one["name"]
        assert one.get("notice", "") in {"", licences.NOTICE}
