"""The record as PDF: its text and title, a foot on every page, and a file that is whole or isn't there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from fakes.records import AT, FINISHED, STATES, after, environment
from keybench.core.environment import EnvironmentKind
from keybench.core.errors import FileNotSaved
from keybench.core.rotation import ApplicationStep, Evidence, Rotation
from keybench.ui.record_pdf import pdf_of, save_pdf
from keybench.words.record import record_markdown, record_sections
from keybench.words.record_html import checklist_html, record_html
from ui.pdf_text import pages_of, title_of

LIVE = environment(EnvironmentKind.LIVE, "Shop <b>")
MANY = replace(
    FINISHED,
    applications=tuple(ApplicationStep(f"a{n}", f"Till {n}", "Mira", changed_at=AT) for n in range(80)),
    evidence=tuple(Evidence(after(n), "application changed", f"Till {n}", by="Mira") for n in range(80)),
)


def names_in(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir()]


def close(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("rotation", STATES.values(), ids=STATES.keys())
def test_the_pdf_says_what_the_page_says(qtbot: QtBot, rotation: Rotation) -> None:
    pdf = pdf_of(record_html(rotation, LIVE, after(11)))
    text = "".join(pages_of(pdf))
    for section in record_sections(rotation, LIVE, after(11)):
        assert close(section.title) in text
        words = {word for row in section.rows for cell in row for word in cell.split()}
        assert [word for word in words if word not in text] == []
    assert pdf.startswith(b"%PDF-")
    assert title_of(pdf).startswith("▲ LIVE · Shop <b> · Key rotation: web shop 2024")


def test_every_page_names_the_environment_and_its_number(qtbot: QtBot) -> None:
    pages = pages_of(pdf_of(record_html(MANY, LIVE, after(11))))
    assert len(pages) > 3
    for number, page in enumerate(pages, 1):
        assert close(f"▲ LIVE · Shop <b> · Key rotation: {MANY.old.name}") in page
        assert page.endswith(close(f"Page {number} of {len(pages)}"))
    text = "".join(pages)
    assert [n for n in range(80) if f"Till{n}" not in text] == []
    assert text.count("Lookedafterby") > 1  # a table that goes on repeats its head


def test_a_short_record_is_no_longer_than_two_pages(qtbot: QtBot) -> None:
    assert len(pages_of(pdf_of(record_html(FINISHED, LIVE, AT)))) <= 2
    assert len(pages_of(pdf_of(checklist_html(FINISHED, LIVE)))) == 1


def test_a_long_title_leaves_room_for_the_pages_number(qtbot: QtBot) -> None:
    long = replace(FINISHED, old=replace(FINISHED.old, name="web shop " * 11))
    (page, *_) = pages_of(pdf_of(record_html(long, LIVE, AT)))
    assert "…Page1of" in page


async def test_a_pdf_is_saved_whole_or_not_at_all(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "record.pdf"
    await save_pdf(path, record_html(FINISHED, LIVE, AT))
    whole = path.read_bytes()
    assert whole.rstrip().endswith(b"%%EOF")
    with pytest.raises(FileNotSaved):
        await save_pdf(tmp_path / "none" / "record.pdf", checklist_html(FINISHED, LIVE))
    assert names_in(tmp_path) == ["record.pdf"]


@pytest.mark.parametrize(
    "name", ["a | b", "*bold* _it_", "`code`", "[link](x)", "<b>&amp;", "1. one #", "~~gone~~ $x$", "a\\|b"]
)
def test_names_in_the_markdown_read_as_they_were_written(qtbot: QtBot, name: str) -> None:
    rotation = replace(FINISHED, old=replace(FINISHED.old, name=name), reason=name)
    document = QTextDocument()
    document.setMarkdown(record_markdown(rotation, LIVE, AT))
    shown = document.toPlainText()
    assert f"Key rotation: {name} → web shop 2026" in shown
    assert f"\nReason\n{name}\n" in shown
    assert "\nShop <b>" in shown or "· Shop <b>\n" in shown
