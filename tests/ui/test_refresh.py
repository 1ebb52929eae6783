"""What is asked for while it is being read is read once more, whatever became of the first reading."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from fakes.slow import Slow
from fakes.waiting import Until
from fakes.world import MADE_UP
from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import JournalError
from keybench.core.events import EnvironmentsChanged
from keybench.core.ports import Journal
from keybench.core.security_key import KeyDraft, KeyKind
from keybench.ui.band import Band
from keybench.ui.keys_page.leaver import LeaverPane
from keybench.ui.pages.environments_section import EnvironmentsSection
from keybench.ui.refresh import Refresh
from keybench.ui.session import Session
from keybench.workflows.world import World

URL = "https://sandbox.example-gateway.com"
Names = Callable[[], list[str]]


class Listener(QWidget):
    """Listens for as long as it lives."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        session.subscribe(self, {EnvironmentsChanged: self.on_event})

    def on_event(self, _event: EnvironmentsChanged) -> None:
        self.update()


async def test_a_session_keeps_nothing_of_a_listener_that_is_gone(session: Session) -> None:
    listener = Listener(session)
    gone = weakref.ref(listener)
    listener.deleteLater()
    QCoreApplication.sendPostedEvents(listener, QEvent.Type.DeferredDelete)
    del listener
    gc.collect()
    assert gone() is None


class Reading:
    """Counts what is read; the first reading can be made to fail."""

    def __init__(self, *, fails: bool) -> None:
        self.count = 0
        self.due = asyncio.Event()
        self._fails = fails

    async def read(self) -> None:
        self.count += 1
        await self.due.wait()
        if self._fails and self.count == 1:
            raise JournalError("it failed")


@pytest.mark.parametrize("fails", [False, True])
async def test_what_is_asked_for_meanwhile_is_read_once_more(
    session: Session,
    until: Until,
    fails: bool,  # noqa: FBT001 - a case
) -> None:
    reading = Reading(fails=fails)
    refresh = Refresh(session, "a reading", reading.read)
    refresh.request()
    await until(lambda: reading.count == 1)

    refresh.request()
    refresh.request()
    reading.due.set()
    await until(lambda: not session.supervisor.running)

    assert reading.count == 2


def the_band(qtbot: QtBot, session: Session) -> tuple[QWidget, Names]:
    band = Band(session.environment)
    qtbot.addWidget(band)
    band.attach(session)
    box = band.environment_box
    return band, lambda: [box.itemText(row) for row in range(box.count())]


def the_settings(qtbot: QtBot, session: Session) -> tuple[QWidget, Names]:
    section = EnvironmentsSection(session)
    qtbot.addWidget(section)
    return section, lambda: [row.environment.name for row in section.model.rows]


@pytest.mark.parametrize("make", [the_band, the_settings])
async def test_a_change_in_the_very_moment_a_reading_ends_is_seen(
    qtbot: QtBot, session: Session, until: Until, make: Callable[..., tuple[QWidget, Names]]
) -> None:
    _widget, names = make(qtbot, session)
    await session.console.environments.add("first", EnvironmentKind.TEST, URL)
    for _turn in range(1000):
        if "first" in names():
            break
        await asyncio.sleep(0)

    await session.console.environments.add("second", EnvironmentKind.TEST, URL)

    await until(lambda: names() == ["practice", "first", "second"])


@pytest.mark.parametrize("make", [the_band, the_settings])
async def test_a_change_while_a_reading_fails_is_seen(
    qtbot: QtBot,
    slow_session: Session,
    slow_journal: Slow[Journal],
    world: World,
    until: Until,
    make: Callable[..., tuple[QWidget, Names]],
) -> None:
    _widget, names = make(qtbot, slow_session)
    await until(lambda: names() == ["practice"])
    await until(lambda: not slow_session.supervisor.running)
    failures: list[object] = []
    slow_session.failed.connect(failures.append)
    await world.journal.close()
    slow_journal.hold("environments")
    world.events.publish(EnvironmentsChanged())
    await until(lambda: slow_journal.is_held)

    await world.journal.open()
    await slow_session.console.environments.add("first", EnvironmentKind.TEST, URL)
    slow_journal.let_go()

    await until(lambda: names() == ["practice", "first"])
    assert len(failures) == 1


async def test_the_leaver_who_was_asked_for_last_is_checked(
    qtbot: QtBot,
    slow_session: Session,
    slow_journal: Slow[Journal],
    environment: Environment,
    until: Until,
) -> None:
    for name, user in (("Till", "mira"), ("Report", "reports")):
        draft = KeyDraft(name, user, "API", KeyKind.PRIVATE)
        await slow_session.console.add_key.keep(environment, draft, f"{MADE_UP}{name}")
    pane = LeaverPane(slow_session)
    qtbot.addWidget(pane)
    slow_journal.hold("applications")
    pane.line.setText("mira")
    pane.check_button.click()
    await until(lambda: slow_journal.is_held)

    pane.line.setText("reports")
    pane.check_button.click()
    slow_journal.let_go()

    await until(lambda: not slow_session.supervisor.running)
    assert pane.summary.text().startswith("1 key belongs to “reports”.")
    assert [row.key.name for row in pane.model.rows] == ["Report"]
