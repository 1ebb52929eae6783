"""The exchanges: laid out, folded, searched, copied, and saved."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from fakes.clock import START
from fakes.waiting import until
from keybench.core.errors import FileNotSaved
from keybench.core.exchange import Exchange, Timings
from keybench.core.secret import MASK
from keybench.runtime.supervisor import Supervisor
from keybench.ui.actions import ActionButton
from keybench.ui.sale.exchange_text import (
    CUT,
    LIMIT,
    SHOWN_LIMIT,
    Hit,
    Message,
    Side,
    answer_facts,
    answer_of,
    answer_word,
    find_all,
    phases,
    pretty,
    request_of,
    short_line,
    span,
    texts_of,
)
from keybench.ui.sale.exchanges import Exchanges
from keybench.ui.sale.exchanges_model import ExchangesModel, Fold, folds_of
from keybench.ui.session import Notice, Session
from keybench.ui.theme import scaled, tokens
from keybench.ui.widgets.dialog import SaveDialog

from .sale_support import Stage, make_stage
from .saving import save_as

REQUEST, ANSWER, TOOK = 1, 2, 3
COPY = "Copy the request…"

BASE = "https://gateway.example/api/v5/devices/till-1/payment-requests"
POLL = f"{BASE}/70a6272c-4949-4515-956a-0123456789ab"
HEADERS = (("Content-Type", "application/json"), ("Authorization", MASK))
POST = Exchange(
    START, "POST", f"{BASE}/sale", HEADERS, '{"amount":"10.00"}', 200, (), '{"status":"pending"}', "",
    Timings(0.041),
)  # fmt: skip

Make = Callable[..., Awaitable[Stage]]


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
def make(qtbot: QtBot, supervisor: Supervisor) -> Make:
    async def made(**wishes: Any) -> Stage:
        return await make_stage(qtbot.addWidget, supervisor, **wishes)

    return made


@pytest.fixture
def shown(qtbot: QtBot, session: Session) -> Exchanges:
    shown = Exchanges(session)
    qtbot.addWidget(shown)
    qtbot.addWidget(shown.search)
    shown.show_sale("KB-1", SALE)
    shown.resize(720, 400)
    shown.show()
    return shown


def folded(exchanges: Sequence[Exchange], unfolded: Collection[int]) -> list[Fold]:
    return folds_of(exchanges, [answer_word(one) for one in exchanges], unfolded)


def hits_in(exchanges: Sequence[Exchange], words: str) -> list[Hit]:
    return find_all([texts_of(one) for one in exchanges], words)


def button_of(within: QWidget, name: str) -> ActionButton:
    return next(one for one in within.findChildren(ActionButton) if one.accessibleName() == name)


def offer(exchanges: Exchanges, name: str) -> QAction:
    """Return what the menu of the request's button offers under a name."""
    button = next(one for one in exchanges.findChildren(QPushButton) if one.accessibleName() == COPY)
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    return next(action for action in button.menu().actions() if action.text() == name)


def cells(model: ExchangesModel, column: int) -> list[str]:
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


# --- laid out -----------------------------------------------------------------------------------------


def test_a_poll_is_shortened_and_what_moves_money_is_not() -> None:
    assert short_line(poll(1)) == "GET …/payment-requests/70a6272c"
    assert short_line(POST) == "POST /api/v5/devices/till-1/payment-requests/sale"
    assert short_line(replace(poll(1), url=f"{BASE}?order_id=KB-1")).endswith(
        "payment-requests?order_id=KB-1"
    )


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
    text = answer_of(replace(POST, response_body="x" * (SHOWN_LIMIT + 1234))).whole
    assert text.endswith(CUT)
    assert len(text) < SHOWN_LIMIT + 300
    listed = json.dumps(list(range(20_000)))
    assert answer_of(replace(POST, response_body=listed)).whole.endswith(CUT)


def test_headers_are_folded_and_what_stands_for_the_key_is_not() -> None:
    request = request_of(POST, "counter key")
    line = "POST /api/v5/devices/till-1/payment-requests/sale"
    masked = f"Authorization: {MASK} (counter key)"
    body = '{\n  "amount": "10.00"\n}'
    assert request.folded == f"{line}\n{masked}\n\n{body}"
    others = "Host: gateway.example\nContent-Type: application/json"
    assert request.whole == f"{line}\n{masked}\n{others}\n\n{body}"
    answer = answer_of(replace(POST, response_headers=(("Server", "g"),), response_body="ok"))
    assert (answer.whole, answer.folded) == ("Server: g\n\nok", "ok")
    assert (
        answer_of(replace(POST, response_headers=(("Server", "g"),), response_body="")).whole == "Server: g"
    )
    assert answer_of(LOST).whole == "No answer: timeout"


names = st.lists(st.text("aé😀", min_size=1, max_size=3), max_size=3)


@given(names, names, st.text("bé😀", max_size=5))
def test_every_place_in_a_text_is_found_again_when_it_is_folded(
    head: list[str], headers: list[str], body: str
) -> None:
    message = Message(tuple(head), tuple(headers), body)
    whole, folded = (text.encode("utf-16-le") for text in (message.whole, message.folded))
    seen = [place for place in range(len(whole) // 2) if not message.is_hidden(place)]
    units = [whole[2 * place : 2 * place + 2] for place in seen]
    found = [message.folded_place(place) for place in seen]
    assert [folded[2 * place : 2 * place + 2] for place in found if place < len(folded) // 2] == [
        unit for unit, place in zip(units, found, strict=True) if place < len(folded) // 2
    ]
    assert b"".join(units).startswith(folded)


def test_where_the_time_went_is_told_in_one_unit() -> None:
    quick = Timings(0.008, connect_s=0.003, wait_s=0.004, read_s=0.001)
    assert phases(quick) == "8 ms: connect 3 · wait 4 · read 1"
    assert answer_facts(replace(POST, timings=quick)) == "200 OK · 8 ms: connect 3 · wait 4 · read 1"
    assert phases(Timings(1.5, connect_s=0.003, wait_s=1.497)) == "1.50 s: connect 3 ms · wait 1.50 s"
    assert phases(Timings(0.041)) == "41 ms"
    assert answer_facts(replace(LOST, timings=Timings(0.041))) == "No answer · 41 ms"


# --- folded -------------------------------------------------------------------------------------------


def test_polls_with_the_same_answer_are_folded() -> None:
    assert folded(SALE, ()) == [Fold(0), Fold(1), Fold(2, 3), Fold(5)]
    assert folded(SALE, {2}) == [
        Fold(0), Fold(1), Fold(2, 3), Fold(2, inner=True), Fold(3, inner=True), Fold(4, inner=True), Fold(5),
    ]  # fmt: skip
    assert folded([POST, POST], ()) == [Fold(0), Fold(1)]


def test_a_folded_row_says_how_many_and_unfolds(qtmodeltester: ModelTester) -> None:
    model = ExchangesModel()
    model.show_exchanges(SALE)
    qtmodeltester.check(model)
    assert cells(model, REQUEST)[2] == "GET …/payment-requests/70a6272c \N{MULTIPLICATION SIGN} 3 ▸"
    assert cells(model, TOOK) == ["41 ms", "8 ms", "7\N{EN DASH}9 ms", "8 ms"]
    spoken = model.index(2, REQUEST).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "3 times, folded" in spoken
    model.toggle(model.row(2))
    assert model.rowCount() == 7
    assert cells(model, REQUEST)[2].endswith("▾")
    assert [row.fold.first for row in model.rows] == [0, 1, 2, 2, 3, 4, 5]
    model.toggle(model.row(0))
    model.toggle(model.row(2))
    assert model.rowCount() == 4
    assert model.number(model.reveal(3)) == 4
    assert model.number(model.reveal(5)) == 6


events = st.lists(st.sampled_from(["pending", "inFlight"]), max_size=12)


@given(events, events, st.lists(st.integers(0, 14), max_size=5))
def test_growing_and_unfolding_always_comes_to_the_same_rows(
    first: list[str], then: list[str], toggles: list[int]
) -> None:
    model = ExchangesModel()
    polls = [poll(number, status) for number, status in enumerate(first + then)]
    model.show_exchanges([POST, *polls[: len(first)]])
    for row in toggles:
        if row < model.rowCount():
            model.toggle(model.row(row))
    model.show_exchanges([POST, *polls])
    assert [row.fold for row in model.rows] == folded(model.exchanges, model._unfolded)


def test_more_of_the_same_poll_leaves_the_choice_alone(shown: Exchanges) -> None:
    shown.show_sale("KB-1", SALE[:4])
    shown.table.select_row(2)
    shown.show_sale("KB-1", SALE[:5])
    assert shown.table.selected_number == 2
    assert cells(shown.model, REQUEST)[2].endswith("\N{MULTIPLICATION SIGN} 3 ▸")
    QTest.keyClick(shown.table, Qt.Key.Key_Return)
    assert shown.model.rowCount() == 6
    assert shown.table.selected_number == 2


def test_a_failure_is_told_by_sign_word_and_colour() -> None:
    model = ExchangesModel()
    model.show_exchanges([POST, LOST, replace(POST, status=401, response_body="")])
    assert cells(model, ANSWER) == ["200 pending", "✕ no answer: timeout", "✕ 401 Unauthorized"]
    colours = [model.index(row, ANSWER).data(Qt.ItemDataRole.ForegroundRole) for row in range(3)]
    assert colours[0] is None
    assert colours[1].name() == tokens().bad


# --- searched -----------------------------------------------------------------------------------------


def test_hits_are_counted_in_qts_units() -> None:
    odd = replace(POST, request_body="😀 PENDING")
    hits = hits_in([odd], "pending")
    assert [hit.side for hit in hits] == [Side.REQUEST, Side.ANSWER]
    before = f"POST /api/v5/devices/till-1/payment-requests/sale\nAuthorization: {MASK}\n"
    head = f"{before}Host: gateway.example\nContent-Type: application/json\n\n"
    assert hits[0].start == len(head) + 3  # the face takes two, the space one
    assert len(hits_in([replace(POST, response_body="a" * 5000)], "a")) == LIMIT
    assert hits_in([POST], "") == []


def first_of(shown: Exchanges) -> int | None:
    row = shown.table.selected
    return row.fold.first if row else None


def test_a_search_goes_through_all_texts_and_unfolds(shown: Exchanges) -> None:
    field = shown.search.field
    QTest.keyClicks(field, "INFLIGHT")
    assert shown.search.count.text() == "1 of 3"
    assert first_of(shown) == 2
    assert len(shown.views.answer.text.extraSelections()) == 1
    assert shown.views.answer.text.textCursor().position() == hits_in(SALE, "inflight")[0].start
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert shown.search.count.text() == "2 of 3"
    assert first_of(shown) == 3
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert shown.search.count.text() == "3 of 3"
    QTest.mouseClick(shown.search.after, Qt.MouseButton.LeftButton)
    assert shown.search.count.text() == "1 of 3"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert shown.search.count.text() == ""
    assert shown.views.answer.text.extraSelections() == []


def test_a_match_in_folded_headers_unfolds_them(shown: Exchanges) -> None:
    request = shown.views.request
    assert request.headers.text() == "▸ 2 headers"
    assert request.headers.accessibleName() == "Request: show 2 headers"
    assert "Content-Type" not in request.text.toPlainText()
    QTest.keyClicks(shown.search.field, "content-type")
    assert request.headers.text() == "▾ 2 headers"
    (marked,) = request.text.extraSelections()
    assert marked.cursor.selectedText() == "Content-Type"
    request.headers.click()
    assert "Content-Type" not in request.text.toPlainText()
    assert request.text.extraSelections() == []
    QTest.keyClick(shown.search.field, Qt.Key.Key_Escape)
    QTest.keyClicks(shown.search.field, '"10.00"')
    (marked,) = request.text.extraSelections()
    assert marked.cursor.selectedText() == '"10.00"'


def test_a_narrow_view_has_tabs_and_goes_to_the_match(shown: Exchanges, qtbot: QtBot) -> None:
    views = shown.views
    assert views.request.isVisible()
    assert views.answer.isVisible()
    shown.resize(420, 400)
    assert (views.request.isVisible(), views.answer.isVisible()) == (False, True)
    QTest.keyClicks(shown.search.field, "amount")
    assert (views.request.isVisible(), views.answer.isVisible()) == (True, False)
    shown.resize(1300, 400)
    qtbot.waitUntil(lambda: shown.table.geometry().right() < views.geometry().left())


def test_a_body_is_copied_as_it_is_laid_out(shown: Exchanges) -> None:
    button_of(shown, "Copy the answer's body").click()
    assert QGuiApplication.clipboard().text() == '{\n  "status": "pending"\n}'
    offer(shown, "Copy the request's body").trigger()
    assert QGuiApplication.clipboard().text() == '{\n  "amount": "10.00"\n}'
    shown.table.select_row(1)
    assert not offer(shown, "Copy the request's body").isEnabled()


def test_the_texts_get_the_room(shown: Exchanges) -> None:
    shown.resize(720, 500)
    assert shown.views.height() > 2 * shown.table.height()
    first = shown.views.answer.text
    assert first.toPlainText().startswith("{")


@pytest.mark.parametrize("width", [850, 1400])
def test_beside_the_texts_the_table_cuts_no_answer(
    shown: Exchanges, pump: Callable[..., None], width: int
) -> None:
    shown.resize(scaled(width), 500)
    table = shown.table
    pump(lambda: table.geometry().right() < shown.views.geometry().left())
    pump(lambda: not table.horizontalScrollBar().maximum())
    for column in table.columns.visible:
        number = table.model().column(column.id)
        rows = range(table.model().rowCount())
        needs = max(table.sizeHintForIndex(table.model().index(row, number)).width() for row in rows)
        assert table.columnWidth(number) >= needs or not column.is_firm, column.id


def test_other_exchanges_are_searched_again(shown: Exchanges) -> None:
    QTest.keyClicks(shown.search.field, "inflight")
    shown.show_sale("KB-1", [poll(1, "inFlight")])
    assert shown.search.count.text() == "1 of 1"
    shown.show_sale("KB-1", [POST])
    assert shown.search.count.text() == "Not found"


def test_what_is_not_there_is_said(shown: Exchanges) -> None:
    QTest.keyClicks(shown.search.field, "no such words")
    assert shown.search.count.text() == "Not found"
    assert not shown.search.after.isEnabled()


def test_new_exchanges_keep_the_match_looked_at(shown: Exchanges) -> None:
    shown.show_sale("KB-1", SALE[:4])
    QTest.keyClicks(shown.search.field, "inflight")
    QTest.keyClick(shown.search.field, Qt.Key.Key_F3)
    shown.show_sale("KB-1", SALE)
    assert shown.search.count.text() == "2 of 3"


def test_a_poll_leaves_the_reader_where_they_are(shown: Exchanges) -> None:
    shown.show_sale("KB-1", SALE[:3])
    QTest.keyClicks(shown.search.field, "pending")
    answer = shown.views.answer.text
    assert answer.textCursor().position() > 0
    answer.moveCursor(QTextCursor.MoveOperation.Start)
    answer.moveCursor(QTextCursor.MoveOperation.EndOfLine, QTextCursor.MoveMode.KeepAnchor)
    selected = answer.textCursor().selectedText()
    shown.show_sale("KB-1", SALE[:4])
    assert answer.textCursor().selectedText() == selected
    QTest.keyClick(shown.search.field, Qt.Key.Key_Return)
    QTest.keyClick(shown.search.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert not answer.textCursor().hasSelection()


# --- copied and saved ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("Copy as cURL", "$KEYBENCH_KEY"),
        ("Copy as Python", 'os.environ["KEYBENCH_KEY"]'),
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


async def test_a_row_offers_what_the_buttons_do(shown: Exchanges) -> None:
    actions = shown.table._row_actions
    assert [action.text() for action in actions] == [
        "Copy the request's body", "Copy the answer's body",
        "Copy as cURL", "Copy as Python", "Copy as PowerShell", "Save as HAR…"
    ]  # fmt: skip
    shown.table.select_row(1)
    actions[2].trigger()
    assert "70a6272c" in QGuiApplication.clipboard().text()


async def test_what_a_copied_sale_would_do_is_said(make: Make) -> None:
    stage = await make()
    await stage.send()
    await stage.outcome_is("Approved")
    exchanges = stage.panel.exchanges
    offer(exchanges, "Copy as cURL").trigger()
    exchanges.table.select_row(1)
    offer(exchanges, "Copy as Python").trigger()
    assert [notice.tone for notice in stage.notices] == ["warning", "info"]
    assert "another sale" in stage.notices[0].text
    assert stage.notices[1].title == "Copied as Python"


def test_without_exchanges_there_is_nothing_to_take_along(shown: Exchanges) -> None:
    shown.show_sale("KB-1", [])
    assert not any(action.isEnabled() for action in (*shown.copies, shown.save))
    assert not shown.views.isVisible()


def open_question() -> SaveDialog | None:
    return next(
        (w for w in QApplication.topLevelWidgets() if isinstance(w, SaveDialog) and w.isVisible()), None
    )


async def saving(make: Make) -> tuple[Stage, SaveDialog]:
    stage = await make()
    await stage.send()
    await stage.outcome_is("Approved")
    button_of(stage.panel, "Save as HAR…").click()
    await until(lambda: open_question() is not None)
    question = open_question()
    assert question is not None
    return stage, question


async def test_the_exchanges_are_saved_where_a_person_says(make: Make, tmp_path: Path) -> None:
    stage, question = await saving(make)
    assert stage.panel.selection.reference in question.selectedFiles()[0]
    typed = question.findChild(QLineEdit)
    assert isinstance(typed, QLineEdit)
    typed.setText(str(tmp_path / "sale"))
    question.accept()
    await until(lambda: bool(stage.notices))
    log = json.loads((tmp_path / "sale.har").read_text("utf-8"))["log"]
    assert len(log["entries"]) == 2
    assert "sale.har" in stage.notices[0].title


async def test_a_file_that_cant_be_saved_is_told(make: Make, tmp_path: Path) -> None:
    stage, question = await saving(make)
    (tmp_path / "gone").mkdir()
    save_as(question, tmp_path / "gone" / "sale.har")
    (tmp_path / "gone").rmdir()
    await until(lambda: bool(stage.failures))
    assert isinstance(stage.failures[0], FileNotSaved)
    assert len(stage.panel.exchanges.model.exchanges) == 2


async def test_leaving_the_question_saves_nothing(make: Make) -> None:
    stage, question = await saving(make)
    question.reject()
    await until(lambda: "save exchanges" not in stage.session.supervisor.running)
    assert not stage.notices
    assert not stage.failures
    assert button_of(stage.panel, "Save as HAR…").isEnabled()
