"""The record as PDF: how it is set, what its pages say, its paper, and a file that is whole or not there."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QPageSize, QTextDocument
from pytestqt.qtbot import QtBot

from fakes.records import AT, FINISHED, STATES, after, environment
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.rotations.rotation import ApplicationStep, Evidence, Rotation
from keybench.ui.shared.paper_pdf import paper_size, pdf_of
from keybench.words.paper import Paper
from keybench.words.rotations.record import paper_markdown, record_paper
from ui.pdf_text import pages_of, title_of

LIVE = environment(EnvironmentKind.LIVE, "Shop <b>")
MANY = replace(
    FINISHED,
    applications=tuple(ApplicationStep(f"a{n}", f"Till {n}", "Mira", changed_at=AT) for n in range(80)),
    evidence=tuple(Evidence(after(n), "application changed", f"Till {n}", by="Mira") for n in range(80)),
)
#: Everything that people can write, as long as they may.
LONG = replace(
    FINISHED,
    old=replace(FINISHED.old, name="web shop " * 11, username="w" * 100),
    reason="why " * 900,
    applications=tuple(
        ApplicationStep(f"a{n}", "n" * 100, "o" * 100, "c" * 100, "/" * 200, changed_at=AT) for n in range(12)
    ),
    evidence=(Evidence(AT, "checked", "line\n" * 400, by="Mira"),),
)
A4: Final = QPageSize(QPageSize.PageSizeId.A4)
LETTER: Final = QPageSize(QPageSize.PageSizeId.Letter)


def record(rotation: Rotation) -> Paper:
    return record_paper(rotation, LIVE, after(11))


def close(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("rotation", STATES.values(), ids=STATES.keys())
def test_the_pdf_says_what_the_page_says(qtbot: QtBot, rotation: Rotation) -> None:
    pdf = pdf_of(record(rotation))
    text = "".join(pages_of(pdf))
    for section in record_paper(rotation, LIVE, after(11)).sections:
        assert close(section.title) in text
        words = {word for row in section.rows for cell in row for word in cell.split()}
        assert [word for word in words if word not in text] == []
    assert pdf.startswith(b"%PDF-")
    draft = "Draft: " if rotation.is_open else ""
    assert title_of(pdf).startswith(f"▲ LIVE · Shop <b> · {draft}Key rotation: web shop 2024")


def test_every_page_has_the_records_name_and_date_the_environment_and_its_number(qtbot: QtBot) -> None:
    pages = pages_of(pdf_of(record(MANY)))
    assert len(pages) > 3
    for number, page in enumerate(pages, 1):
        assert page.count(close(f"Key rotation: {MANY.old.name}")) == (2 if number == 1 else 1)
        assert "4Mar2026,0" in page
        assert page.endswith(close(f"▲ LIVE · Shop <b> Page {number} of {len(pages)}"))
        assert "Draft" not in page
    text = "".join(pages)
    assert [n for n in range(80) if f"Till{n}" not in text] == []
    assert text.count("Lookedafterby") > 1  # a table that goes on repeats its head


def test_every_page_of_a_draft_says_so(qtbot: QtBot) -> None:
    pages = pages_of(pdf_of(record(replace(MANY, documentation=None))))
    assert len(pages) > 3
    assert [number for number, page in enumerate(pages, 1) if not page.count("DraftKeyrotation")] == []


def test_what_is_taller_than_a_page_goes_on_on_the_next(qtbot: QtBot) -> None:
    text = "".join(pages_of(pdf_of(record(LONG))))
    assert text.count("line") >= 400
    # A line at a page's end is in the text of the next page too, where nothing of it is seen.
    assert 900 <= text.count("why") <= 920
    assert "w" * 100 in text  # a word that is too long is broken, and nothing of it is lost


def test_a_short_record_is_no_longer_than_two_pages(qtbot: QtBot) -> None:
    assert len(pages_of(pdf_of(record(FINISHED)))) <= 2


def test_a_long_title_leaves_room_for_the_date(qtbot: QtBot) -> None:
    (page, *_) = pages_of(pdf_of(record(LONG)))
    assert "…4Mar2026" in page


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("en_US", LETTER),
        ("es_MX", LETTER),
        ("fr_CA", LETTER),
        ("en_GB", A4),
        ("de_DE", A4),
        ("ja_JP", A4),
        ("C", A4),
    ],
)
def test_the_paper_is_the_one_that_is_usual_where_the_user_is(
    qtbot: QtBot, name: str, size: QPageSize
) -> None:
    assert paper_size(QLocale(name)) == size
    points = size.sizePoints()
    pdf = pdf_of(record(FINISHED), paper_size(QLocale(name)))
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert boxes
    for width, height in boxes:
        assert abs(float(width) - points.width()) <= 1
        assert abs(float(height) - points.height()) <= 1


@pytest.mark.parametrize(
    "name", ["a | b", "*bold* _it_", "`code`", "[link](x)", "<b>&amp;", "1. one #", "~~gone~~ $x$", "a\\|b"]
)
def test_names_in_the_markdown_read_as_they_were_written(qtbot: QtBot, name: str) -> None:
    rotation = replace(FINISHED, old=replace(FINISHED.old, name=name), reason=name)
    document = QTextDocument()
    document.setMarkdown(paper_markdown(record_paper(rotation, LIVE, AT)))
    shown = document.toPlainText()
    assert f"Key rotation: {name} → web shop 2026" in shown
    assert f"\nReason\n{name}\n" in shown
    assert "\nShop <b>" in shown or "· Shop <b>\n" in shown
