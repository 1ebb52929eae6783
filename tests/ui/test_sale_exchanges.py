"""The exchanges: laid out, folded, searched, copied, and saved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fakes.clock import START
from fakes.waiting import until
from keybench.core.errors import FileNotSaved
from keybench.core.exchange import Exchange, Timings
from keybench.core.secret import MASK
from keybench.ui.kit.actions import ActionButton
from keybench.ui.kit.dialog import SaveDialog
from keybench.ui.shared.sales.exchange_text import (
    CUT,
    MOST_SHOWN,
    SHOWN_LIMIT,
    phases,
    pieces_of,
    pretty,
    span,
)
from keybench.ui.shared.sales.exchanges import LIMIT, Exchanges
from keybench.ui.shared.session import Notice, Session
from keybench.words.formats import clock_time_exact

from .questions import asked
from .sale_support import Selling, Stage
from .saving import save_as

COPY = "Copy the request…"

BASE = "https://gateway.example/api/v5/devices/till-1/payment-requests"
POLL = f"{BASE}/70a6272c-4949-4515-956a-0123456789ab"
HEADERS = (("Content-Type", "application/json"), ("Authorization", MASK))
POST = Exchange(
    START, "POST", f"{BASE}/sale", HEADERS, '{"amount":"10.00"}', 200, (), '{"status":"pending"}', "",
    Timings(0.041),
)  # fmt: skip


def poll(number: int, status: str = "inFlight", took_ms: int = 8) -> Exchange:
    return replace(
        POST,
        at=START + timedelta(seconds=number),
        method="GET",
        url=POLL,
        request_body="",
        response_body=f'{{"status":"{status}"}}',
        timings=Timings(took_ms / 1000),
    )


LOST = replace(poll(9), status=0, response_body="", failure="timeout")
SALE = [
    POST,
    poll(1, "pending"),
    poll(2, took_ms=7),
    poll(3, took_ms=9),
    poll(4),
    poll(5, "interactionComplete"),
]


@pytest.fixture
def shown(qtbot: QtBot, session: Session) -> Exchanges:
    shown = Exchanges(session)
    qtbot.addWidget(shown)
    qtbot.addWidget(shown.search)
    shown.show_sale("KB-1", SALE)
    shown.resize(720, 400)
    shown.show()
    return shown


def told(exchanges: Sequence[Exchange], *, headers: bool = False) -> str:
    return "".join(piece.text for piece in pieces_of(exchanges, "counter key", headers=headers))


def button_of(within: QWidget, name: str) -> ActionButton:
    return next(one for one in within.findChildren(ActionButton) if one.accessibleName() == name)


def offer(exchanges: Exchanges, name: str) -> QAction:
    """Return what the menu of the request's button offers under a name."""
    button = next(one for one in exchanges.findChildren(QPushButton) if one.accessibleName() == COPY)
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    return next(action for action in button.menu().actions() if action.text() == name)


# --- laid out -----------------------------------------------------------------------------------------


def test_what_it_took_in_one_unit() -> None:
    assert span(0.007, 0.009) == "7\N{EN DASH}9 ms"
    assert span(0.008, 0.008) == "8 ms"
    assert span(0.008, 1.5) == "8 ms \N{EN DASH} 1.50 s"


def test_json_is_laid_out_word_for_word() -> None:
    text = '{"a":10.00,"a":1e2,"b":[],"c":[{"d":"\\u00e9, }"}],"e":{}}'
    assert pretty(text).splitlines() == [
        "{", '  "a": 10.00,', '  "a": 1e2,', '  "b": [],', '  "c": [', "    {", '      "d": "\\u00e9, }"',
        "    }", "  ],", '  "e": {}', "}",
    ]  # fmt: skip
    for other in ("<html>", '{"a":', "", "[" * 5000, "null"):
        assert pretty(other) == other


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_laying_out_changes_nothing_that_is_said(value: object) -> None:
    assert json.loads(pretty(json.dumps(value))) == value


def test_a_long_body_says_what_is_not_shown() -> None:
    text = told([replace(POST, response_body="x" * (SHOWN_LIMIT + 1234))])
    assert text.rstrip().endswith(CUT)
    assert len(text) < SHOWN_LIMIT + 500
    listed = json.dumps(list(range(20_000)))
    assert told([replace(POST, response_body=listed)]).rstrip().endswith(CUT)
    many = [replace(poll(n), response_body=f"{n}" + "x" * 60_000) for n in range(100)]
    assert len(told(many)) < MOST_SHOWN + 100_000


def test_headers_are_left_out_and_what_stands_for_the_key_is_not() -> None:
    posted = replace(POST, response_headers=(("Server", "g"),), response_body="ok")
    line = "POST /api/v5/devices/till-1/payment-requests/sale"
    masked = f"Authorization: {MASK} (counter key)"
    body = '{\n  "amount": "10.00"\n}'
    at = clock_time_exact(POST.at)
    assert told([posted]) == f"{at}  {line}\n{masked}\n{body}\n→ 200 OK · 41 ms\nok\n\n"
    others = "Host: gateway.example\nContent-Type: application/json"
    assert told([posted], headers=True) == (
        f"{at}  {line}\n{masked}\n{others}\n{body}\n→ 200 OK · 41 ms\nServer: g\nok\n\n"
    )
    assert "→ ✕ no answer: timeout · 8 ms\n" in told([LOST])


def test_where_the_time_went_is_told_in_one_unit() -> None:
    quick = Timings(0.008, connect_s=0.003, wait_s=0.004, read_s=0.001)
    assert phases(quick) == "8 ms: connect 3 · wait 4 · read 1"
    assert phases(Timings(1.5, connect_s=0.003, wait_s=1.497)) == "1.50 s: connect 3 ms · wait 1.50 s"
    assert phases(Timings(0.041)) == "41 ms"


# --- polls with the same answer -------------------------------------------------------------------------


def test_polls_with_the_same_answer_are_told_once() -> None:
    text = told(SALE)
    assert text.count("GET /api/v5") == 3
    assert text.count("inFlight") == 2  # in the body and beside the status
    until = clock_time_exact(poll(4).at)
    assert f"The same 2 times more, until {until}, 8\N{EN DASH}9 ms\n" in text
    assert told([POST, POST]).count("POST") == 2
    assert told([poll(1), LOST, poll(10)]).count("GET") == 3


def test_more_of_the_same_poll_leaves_the_reader_where_they_are(shown: Exchanges) -> None:
    shown.show_sale("KB-1", SALE[:3])
    text = shown.text
    text.moveCursor(QTextCursor.MoveOperation.Start)
    text.moveCursor(QTextCursor.MoveOperation.EndOfLine, QTextCursor.MoveMode.KeepAnchor)
    selected = text.textCursor().selectedText()
    for count in range(3, len(SALE) + 1):
        shown.show_sale("KB-1", SALE[:count])
        assert text.textCursor().selectedText() == selected
        assert text.toPlainText() == told_plainly(SALE[:count])


def told_plainly(exchanges: Sequence[Exchange]) -> str:
    return "".join(piece.text for piece in pieces_of(exchanges))


events = st.lists(st.sampled_from(["pending", "inFlight"]), max_size=8)


@given(st.lists(events, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
def test_whatever_was_shown_before_the_text_is_that_of_what_is_shown(
    shown: Exchanges, stages: list[list[str]]
) -> None:
    for stage in stages:
        exchanges = [POST, *(poll(number, status) for number, status in enumerate(stage))]
        shown.show_sale("KB-1", exchanges)
        assert shown.text.toPlainText() == told_plainly(exchanges)


def test_a_failure_is_told_by_sign_word_and_colour() -> None:
    pieces = pieces_of([POST, LOST, replace(POST, status=401, response_body="")])
    answers = [(piece.text.partition(" ·")[0], piece.tone) for piece in pieces if piece.text.startswith("→")]
    assert answers == [
        ("→ 200 pending", "strong"), ("→ ✕ no answer: timeout", "bad"), ("→ ✕ 401 Unauthorized", "bad"),
    ]  # fmt: skip


# --- searched -----------------------------------------------------------------------------------------


def marked(shown: Exchanges) -> list[str]:
    return [mark.cursor.selectedText() for mark in shown.text.extraSelections()]


def test_a_search_goes_through_all_texts(shown: Exchanges) -> None:
    field = shown.search.field
    QTest.keyClicks(field, "INTERACTION")
    assert shown.search.count.text() == "1 of 2"
    assert marked(shown) == ["interaction"] * 2
    first = shown.text.textCursor().position()
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert shown.search.count.text() == "2 of 2"
    assert shown.text.textCursor().position() > first
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert shown.search.count.text() == "2 of 2"
    QTest.mouseClick(shown.search.after, Qt.MouseButton.LeftButton)
    assert shown.search.count.text() == "1 of 2"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert shown.search.count.text() == ""
    assert marked(shown) == []


def test_too_many_matches_are_marked_to_a_limit(shown: Exchanges) -> None:
    shown.show_sale("KB-1", [replace(POST, response_body="😀" + " a" * 5000)])
    QTest.keyClicks(shown.search.field, "a")
    assert len(marked(shown)) == LIMIT
    assert {one.lower() for one in marked(shown)} == {"a"}
    assert shown.search.count.text().endswith(f"of {LIMIT}")


def test_a_match_in_headers_that_are_left_out_tells_them(shown: Exchanges) -> None:
    assert "Content-Type" not in shown.text.toPlainText()
    QTest.keyClicks(shown.search.field, "content-type")
    assert shown.headers.isChecked()
    assert marked(shown)[0] == "Content-Type"
    shown.search.field.clear()
    shown.headers.click()
    assert "Content-Type" not in shown.text.toPlainText()
    QTest.keyClicks(shown.search.field, '"10.00"')
    assert marked(shown) == ['"10.00"']
    assert not shown.headers.isChecked()


def test_a_body_is_copied_as_it_is_laid_out(shown: Exchanges) -> None:
    button_of(shown, "Copy the answer's body").click()
    assert QGuiApplication.clipboard().text() == '{\n  "status": "pending"\n}'
    offer(shown, "Copy the request's body").trigger()
    assert QGuiApplication.clipboard().text() == '{\n  "amount": "10.00"\n}'
    go_to(shown, "GET")
    assert not offer(shown, "Copy the request's body").isEnabled()
    assert shown.here.text().startswith("GET ")


def go_to(shown: Exchanges, words: str) -> None:
    shown.text.setTextCursor(shown.text.document().find(words))


def test_other_exchanges_are_searched_again(shown: Exchanges) -> None:
    QTest.keyClicks(shown.search.field, "inflight")
    shown.show_sale("KB-1", [poll(1, "inFlight")])
    assert shown.search.count.text() == "1 of 2"
    shown.show_sale("KB-1", [POST])
    assert shown.search.count.text() == "Not found"


def test_what_is_not_there_is_said(shown: Exchanges) -> None:
    QTest.keyClicks(shown.search.field, "no such words")
    assert shown.search.count.text() == "Not found"
    assert not shown.search.after.isEnabled()


def test_new_exchanges_keep_the_match_looked_at(shown: Exchanges) -> None:
    shown.show_sale("KB-1", SALE[:5])
    QTest.keyClicks(shown.search.field, "status")
    QTest.keyClick(shown.search.field, Qt.Key.Key_F3)
    shown.show_sale("KB-1", SALE)
    assert shown.search.count.text() == "2 of 4"


# --- copied and saved ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("Copy as cURL", "$KEYBENCH_KEY"),
        ("Copy as PowerShell", "$env:KEYBENCH_KEY"),
    ],
)
def test_the_chosen_request_is_copied_with_the_key_as_a_variable(
    shown: Exchanges, session: Session, name: str, variable: str
) -> None:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    offer(shown, name).trigger()
    assert [notice.title for notice in notices] == [name.replace("Copy", "Copied")]
    text = QGuiApplication.clipboard().text()
    assert variable in text
    assert MASK not in text
    assert "/payment-requests/sale" in text


async def test_what_a_copied_sale_would_do_is_said(selling: Selling) -> None:
    stage = await selling()
    await stage.send()
    await stage.outcome_is("Approved")
    exchanges = stage.panel.exchanges
    offer(exchanges, "Copy as cURL").trigger()
    go_to(exchanges, "GET")
    offer(exchanges, "Copy as PowerShell").trigger()
    assert [notice.tone for notice in stage.notices] == ["warning", "info"]
    assert "another sale" in stage.notices[0].text
    assert stage.notices[1].title == "Copied as PowerShell"


def test_without_exchanges_there_is_nothing_to_take_along(shown: Exchanges) -> None:
    shown.show_sale("KB-1", [])
    assert not any(action.isEnabled() for action in (*shown.copies, shown.save))
    assert shown.text.toPlainText() == ""


async def saving(selling: Selling) -> tuple[Stage, SaveDialog]:
    stage = await selling()
    await stage.send()
    await stage.outcome_is("Approved")
    button_of(stage.panel, "Save as HAR…").click()
    return stage, await asked()


async def test_the_exchanges_are_saved_where_a_person_says(selling: Selling, tmp_path: Path) -> None:
    stage, question = await saving(selling)
    assert stage.panel.selection.reference in question.selectedFiles()[0]
    typed = question.findChild(QLineEdit)
    assert isinstance(typed, QLineEdit)
    typed.setText(str(tmp_path / "sale"))
    question.accept()
    await until(lambda: bool(stage.notices))
    log = json.loads((tmp_path / "sale.har").read_text("utf-8"))["log"]
    assert len(log["entries"]) == 2
    assert "sale.har" in stage.notices[0].title


async def test_a_file_that_cant_be_saved_is_told(selling: Selling, tmp_path: Path) -> None:
    stage, question = await saving(selling)
    (tmp_path / "gone").mkdir()
    save_as(question, tmp_path / "gone" / "sale.har")
    (tmp_path / "gone").rmdir()
    await until(lambda: bool(stage.failures))
    assert isinstance(stage.failures[0], FileNotSaved)
    assert len(stage.panel.exchanges.exchanges) == 2


async def test_leaving_the_question_saves_nothing(selling: Selling) -> None:
    stage, question = await saving(selling)
    question.reject()
    await until(lambda: "save exchanges" not in stage.session.supervisor.running)
    assert not stage.notices
    assert not stage.failures
    assert button_of(stage.panel, "Save as HAR…").isEnabled()
