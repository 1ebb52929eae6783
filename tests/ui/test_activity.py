"""The Activity view: listed, found as one types, read on as one scrolls, exported."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench.core.environments.environment import PRACTICE_ID, EnvironmentKind
from keybench.core.errors import JournalBusy
from keybench.core.events import ActivityRecorded
from keybench.core.ports import Activity
from keybench.ui.keys.activity import NO_MATCH, NOTHING_YET, ActivityView
from keybench.ui.shared.session import Session
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
    await until(lambda: len(listed(view)) == 2)


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

    monkeypatch.setattr(session.console.world.journal, "activities", busy)
    view.refresh()
    await until(lambda: failures)

    assert isinstance(failures[0], JournalBusy)
