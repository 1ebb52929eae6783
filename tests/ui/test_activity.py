"""The Activity view: listed, found as one types, read on as one scrolls, exported."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from contracts.journal_samples import a_key
from fakes.slow import Slow
from fakes.waiting import until
from keybench.core.environment import PRACTICE_ID, EnvironmentKind
from keybench.core.errors import JournalBusy, KeybenchError
from keybench.core.events import ActivityRecorded
from keybench.core.ports import Activity, Journal
from keybench.ui.keys_page.activity import NO_MATCH, NOTHING_YET, ActivityView
from keybench.ui.keys_page.erase_dialog import EraseDialog
from keybench.ui.session import Notice, Session
from keybench.ui.theme import theme
from keybench.ui.widgets.list_page import UNREADABLE
from keybench.workflows.activity import PAGE


async def record(
    session: Session, subject: str, action: str = "key tested", place: str = PRACTICE_ID
) -> None:
    console = session.console
    line = Activity(console.clock.now(), action, place, subject, "200 accepted")
    await console.world.journal.record_activity(line)


@pytest.fixture
async def view(qtbot: QtBot, session: Session) -> AsyncIterator[ActivityView]:
    made = ActivityView(session)
    qtbot.addWidget(made)
    made.resize(1100, 600)
    made.show()
    yield made
    session.end()


def listed(view: ActivityView) -> list[str]:
    return [row.line.subject for row in view.model.rows]


async def test_before_anything_was_done_it_says_what_will_be_noted(view: ActivityView) -> None:
    await until(lambda: view.table.empty_text == NOTHING_YET)
    assert view.status.text() == "0 lines"


async def test_what_is_done_while_one_looks_comes_in_above(view: ActivityView, session: Session) -> None:
    await record(session, "Till")
    session.console.events.publish(ActivityRecorded())
    await until(lambda: listed(view) == ["Till"])
    view.table.select_row(0)

    await record(session, "Kiosk", "value revealed")
    session.console.events.publish(ActivityRecorded())
    await until(lambda: listed(view) == ["Kiosk", "Till"])

    assert view.table.selected_number == 1, "the chosen line stays chosen"
    first = view.model.index(0, 1)
    assert first.data() == "Value revealed"
    assert "Kiosk" in first.data(Qt.ItemDataRole.AccessibleDescriptionRole)


async def test_it_is_found_as_one_types(view: ActivityView, session: Session) -> None:
    await record(session, "Till")
    await record(session, "Kiosk")
    view.refresh()
    await until(lambda: len(listed(view)) == 2)

    view.filters.text.setText("kio")
    await until(lambda: listed(view) == ["Kiosk"])
    view.filters.text.setText("nobody")
    await until(lambda: not listed(view))
    assert view.table.empty_text == NO_MATCH
    view.filters.text.clear()
    view.filters.since.setText("31.3.2026")
    await until(lambda: len(listed(view)) == 2)
    assert "2026-03-31" in view.status.text()


async def test_every_line_says_who_and_a_removed_environment_keeps_its_name(
    view: ActivityView, session: Session
) -> None:
    console = session.console
    old = Activity(console.clock.now(), "key tested", session.environment.id, "Till", "200")
    await console.world.journal.record_activity(old)
    shop = await console.environments.add("shop", EnvironmentKind.LIVE, "https://live.example.com")
    await console.environments.remove(shop)
    await until(lambda: view.model.rowCount() == 3)
    who, where = view.model.column("who"), view.model.column("environment")
    shown = [(view.model.index(row, who).data(), view.model.index(row, where).data()) for row in range(3)]
    name = console.world.who()
    assert shown == [(name, "shop"), (name, "shop"), ("\N{EN DASH}", session.environment.name)]
    spoken = view.model.index(2, who).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "not recorded"
    view.filters.text.setText(name)
    await until(lambda: view.model.rowCount() == 2)


async def test_only_this_environments_can_be_asked_for(view: ActivityView, session: Session) -> None:
    other = await session.console.environments.add("Shop", EnvironmentKind.TEST, "https://gateway.example")
    await record(session, "Till")
    await record(session, "Web", place=other.id)
    view.refresh()
    await until(lambda: len(listed(view)) >= 2)

    view.filters.where.choose("here")
    view.filters.where.changed.emit("here")
    await until(lambda: listed(view) == ["Till"])
    session.choose_environment(other)
    await until(lambda: "Web" in listed(view))


async def test_it_reads_on_as_one_scrolls(view: ActivityView, session: Session) -> None:
    for number in range(PAGE + 5):
        await record(session, f"Till {number}")
    view.refresh()
    await until(lambda: len(listed(view)) == PAGE)
    assert "scroll on for more" in view.status.text()

    view.table.scrollToBottom()
    await until(lambda: len(listed(view)) == PAGE + 5)

    assert view.status.text() == f"{PAGE + 5} lines"
    assert listed(view)[-1] == "Till 0"


async def test_it_is_exported(view: ActivityView, session: Session, tmp_path: Path) -> None:
    await record(session, "Till")
    path = tmp_path / "activity.json"

    await view.export.write(view.wanted(), path)

    assert [one["subject"] for one in json.loads(path.read_text("utf-8"))] == ["Till"]


async def test_a_journal_that_cant_be_read_is_said(
    view: ActivityView, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[object] = []
    session.failed.connect(failures.append)

    async def busy(*_: object, **__: object) -> None:
        raise JournalBusy("held")

    monkeypatch.setattr(session.console.world.journal, "find_activities", busy)
    view.refresh()
    await until(lambda: failures)

    assert view.status.text() == UNREADABLE


async def test_a_keys_own_lines_can_be_asked_for(view: ActivityView, session: Session) -> None:
    await record(session, "Till")
    await record(session, "Kiosk")
    key = replace(a_key(), name="Kiosk")

    view.show_key(key)

    await until(lambda: listed(view) == ["Kiosk"])


# --- erasing a text ----------------------------------------------------------------------------------

TEXT = "typed into a wrong field"


async def asked(view: ActivityView) -> EraseDialog:
    button = next(one for one in view.findChildren(QPushButton) if one.text() == "Erase a text…")
    button.click()
    await until(lambda: view.findChildren(EraseDialog) or view.window().findChildren(EraseDialog))
    (question,) = view.window().findChildren(EraseDialog)
    return question


async def found(qtbot: QtBot, question: EraseDialog, text: str) -> None:
    question.edit.clear()
    qtbot.keyClicks(question.edit, text)
    qtbot.keyClick(question.edit, Qt.Key.Key_Return)
    await until(lambda: question.field.has_message and question.field.message.text() != "Looking…")


async def test_a_text_is_found_erased_and_the_line_is_shown(
    qtbot: QtBot, view: ActivityView, session: Session
) -> None:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    await record(session, f"my {TEXT}")
    question = await asked(view)
    assert question.edit.echoMode() is QLineEdit.EchoMode.Password
    assert question.edit.accessibleName() == "Text to erase"
    assert not question.confirm_button.isEnabled()
    assert not question.find_button.isEnabled()

    await found(qtbot, question, TEXT)

    assert question.field.message.text() == "It is in 1 place."
    assert question.edit.accessibleDescription() == "It is in 1 place."
    assert question.isVisible()
    question.confirm_button.click()
    await until(lambda: listed(view) == ["", "my [erased #2]"])
    assert view.model.index(0, 1).data() == "Text erased"
    assert view.model.index(0, view.model.column("result")).data() == "in 1 place"
    (notice,) = notices
    assert (notice.tone, notice.title) == ("good", "Erased in 1 place")
    assert "rotate the key" in notice.text
    await until(lambda: not view.window().findChildren(EraseDialog))


async def test_a_name_that_holds_what_was_erased_is_forgotten(
    qtbot: QtBot, view: ActivityView, session: Session
) -> None:
    """Each line of the activity carries the name, so the next one would bring the text back."""
    session.preferences.person = f"Mira {TEXT}"
    await record(session, TEXT)
    question = await asked(view)
    await found(qtbot, question, TEXT)
    question.confirm_button.click()
    await until(lambda: listed(view) == ["", "[erased #2]"])
    await until(lambda: not session.supervisor.running)
    assert not session.preferences.has_person


async def test_what_was_erased_goes_from_a_list_that_was_scrolled_on(
    qtbot: QtBot, view: ActivityView, session: Session
) -> None:
    await record(session, TEXT)
    for number in range(PAGE + 5):
        await record(session, f"Till {number}")
    view.refresh()
    await until(lambda: len(listed(view)) == PAGE)
    view.table.scrollToBottom()
    await until(lambda: TEXT in listed(view))
    question = await asked(view)
    await found(qtbot, question, TEXT)
    question.confirm_button.click()
    await until(lambda: TEXT not in listed(view))
    assert view.model.row(0).line.action == "text erased"


@pytest.mark.parametrize("scale", [1.0, 2.0])
async def test_nothing_of_the_question_lies_over_something_else(
    qtbot: QtBot, view: ActivityView, session: Session, scale: float
) -> None:
    theme().set_scale(scale)
    await record(session, TEXT)
    question = await asked(view)
    await found(qtbot, question, TEXT)

    field = question.field
    assert field.message.geometry().top() > question.edit.geometry().bottom()
    assert field.message.height() >= field.message.heightForWidth(field.message.width())
    assert question.height() >= question.layout().totalHeightForWidth(question.width())
    assert question.width() <= 1024
    assert question.height() <= 700


async def test_another_text_has_to_be_found_before_it_is_erased(
    qtbot: QtBot, view: ActivityView, session: Session
) -> None:
    await record(session, TEXT)
    question = await asked(view)
    await found(qtbot, question, TEXT)
    assert question.confirm_button.isEnabled()

    qtbot.keyClicks(question.edit, "s")

    assert not question.confirm_button.isEnabled()
    assert not question.field.has_message
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    await until(lambda: not view.window().findChildren(EraseDialog))
    assert [line.subject for line in await session.console.world.journal.activities(9)] == [TEXT]


async def test_a_text_that_cant_be_erased_says_why(
    qtbot: QtBot, view: ActivityView, session: Session
) -> None:
    question = await asked(view)
    await found(qtbot, question, "Till")
    assert "6 characters at least" in question.field.message.text()
    assert not question.confirm_button.isEnabled()
    await found(qtbot, question, "nowhere to be found")
    assert question.field.message.text().startswith("It isn't anywhere in the journal.")
    session.locking.emit()
    await until(lambda: not view.window().findChildren(EraseDialog))


async def test_a_journal_that_is_held_meanwhile_is_asked_again(
    qtbot: QtBot, view: ActivityView, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    await record(session, TEXT)
    question = await asked(view)
    await found(qtbot, question, TEXT)

    async def busy(*_: object) -> None:
        raise JournalBusy("held")

    with monkeypatch.context() as patch:
        patch.setattr(session.console.world.journal, "erase_text", busy)
        question.confirm_button.click()
        await until(lambda: "Another program is holding" in question.field.message.text())
    await until(question.isVisible)
    await found(qtbot, question, TEXT)
    question.confirm_button.click()
    await until(lambda: listed(view) == ["", "[erased #2]"])


async def test_a_dialog_that_opens_again_after_a_lock_still_finds(
    qtbot: QtBot, view: ActivityView, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    await record(session, TEXT)
    question = await asked(view)
    await found(qtbot, question, TEXT)
    gate, is_asked = asyncio.Event(), asyncio.Event()

    async def busy(*_: object) -> None:
        is_asked.set()
        await gate.wait()
        raise JournalBusy("held")

    monkeypatch.setattr(session.console.world.journal, "erase_text", busy)
    question.confirm_button.click()
    await is_asked.wait()
    session.locking.emit()
    gate.set()
    await until(question.isVisible)
    await found(qtbot, question, TEXT)
    assert question.confirm_button.isEnabled()


async def test_a_question_that_was_left_is_told_nothing(
    qtbot: QtBot, slow_session: Session, slow_journal: Slow[Journal]
) -> None:
    failures: list[KeybenchError] = []
    slow_session.failed.connect(failures.append)
    view = ActivityView(slow_session)
    qtbot.addWidget(view)
    view.show()
    question = await asked(view)
    slow_journal.hold("find_text")
    qtbot.keyClicks(question.edit, "Till 9")
    qtbot.keyClick(question.edit, Qt.Key.Key_Return)
    await until(lambda: slow_journal.is_held)
    question.reject()
    await until(lambda: not view.window().findChildren(EraseDialog))
    slow_journal.let_go()
    await until(lambda: not slow_session.supervisor.running)
    assert failures == []
    slow_session.end()
