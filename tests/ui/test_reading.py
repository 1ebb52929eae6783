"""What is asked for while it is being read is read once more, whatever became of the first reading."""

from __future__ import annotations

import asyncio
import gc
import inspect
import weakref
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any, cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.slow import Slow
from fakes.waiting import Until
from fakes.world import MADE_UP
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import JournalBusy, JournalError, KeystoreLocked
from keybench.core.events import EnvironmentsChanged
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.ports import Journal
from keybench.runtime.supervisor import Supervisor
from keybench.ui.bench.keys_panel import KeysPanel
from keybench.ui.bench.page import BenchPage
from keybench.ui.devices.page import DevicesPage
from keybench.ui.history.page import CHARTS, HistoryPage
from keybench.ui.keys.review import ReviewView
from keybench.ui.keys.review_list import LeaverView
from keybench.ui.kit.tables.table import Table
from keybench.ui.settings.environments import EnvironmentsSection
from keybench.ui.shared.reading import READING, UNREAD, UNREADABLE, Reading
from keybench.ui.shared.session import Session
from keybench.ui.shell.band import Band
from keybench.workflows.console import Console
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


class Counted:
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
    reading = Counted(fails=fails)
    asked = Reading(session, "a reading", reading.read, lambda _value: None)
    asked.request()
    await until(lambda: reading.count == 1)

    asked.request()
    asked.request()
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
    assert failures == [], "another reading followed, and that succeeded"


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
    pane = LeaverView(slow_session)
    qtbot.addWidget(pane)
    slow_journal.hold("applications")
    pane.line.setText("mira")
    pane.check_button.click()
    await until(lambda: slow_journal.is_held)

    pane.line.setText("reports")
    pane.check_button.click()
    slow_journal.let_go()

    await until(lambda: not slow_session.supervisor.running)
    assert pane.status.text().startswith("1 key belongs to “reports”.")
    assert [row.key.name for row in pane.model.rows] == ["Report"]


class Busy:
    """Stands before a journal, and fails as one does that another program holds."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.is_busy = True

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._journal, name)
        return self._held if self.is_busy and inspect.iscoroutinefunction(real) else real

    async def _held(self, *_given: object, **_more: object) -> None:
        raise JournalBusy("held")


def the_bench(session: Session) -> QWidget:
    return BenchPage(session)


def the_charts(session: Session) -> QWidget:
    page = HistoryPage(session)
    page.views.choose(CHARTS)
    return page


def shown_texts(window: QWidget) -> list[str]:
    """Return what labels and empty tables say in sight."""
    labels = [one.text() for one in window.findChildren(QLabel) if one.isVisible()]
    return labels + [one.empty_text for one in window.findChildren(Table) if one.isVisible()]


@pytest.mark.parametrize("make", [the_bench, the_charts, DevicesPage, ReviewView, KeysPanel])
async def test_a_journal_that_is_busy_for_a_while_is_read_again(
    qtbot: QtBot,
    world: World,
    clock: MovedClock,
    supervisor: Supervisor,
    environment: Environment,
    until: Until,
    make: Callable[[Session], QWidget],
) -> None:
    journal = Busy(world.journal)
    console = Console(replace(world, journal=cast("Journal", journal)))
    session = Session(console, supervisor, environment)
    told: list[object] = []
    ended: list[str] = []
    session.failed.connect(told.append)
    session.notice_ended.connect(ended.append)
    page = make(session)
    qtbot.addWidget(page)
    page.resize(1300, 800)
    page.show()
    await until(lambda: clock.sleepers)
    for _try in range(20):
        await clock.advance(10)
    assert len(told) < 10, "each reading tells it once, however often it is tried"

    journal.is_busy = False
    await clock.advance(3)
    await until(
        lambda: not any(READING in text or UNREADABLE in text or "busy" in text for text in shown_texts(page))
    )
    await until(lambda: UNREAD in ended and not supervisor.running)


async def test_a_busy_journal_isnt_read_again_for_a_page_that_is_gone(
    session: Session, clock: MovedClock, until: Until
) -> None:
    class Page(QWidget):
        asked = 0

        async def read(self) -> None:
            Page.asked += 1
            raise JournalBusy("held")

        def show_value(self, _value: object) -> None: ...

    page = Page()
    Reading(session, "a page", page.read, page.show_value).request()
    await until(lambda: clock.sleepers)
    await clock.advance(2)
    assert Page.asked == 2
    page.deleteLater()
    QCoreApplication.sendPostedEvents(page, QEvent.Type.DeferredDelete)
    await clock.advance(20)
    assert Page.asked == 2


async def test_a_late_failure_of_the_environment_before_hides_no_keys_of_this_one(
    qtbot: QtBot,
    slow_session: Session,
    slow_journal: Slow[Journal],
    world: World,
    environment: Environment,
    until: Until,
) -> None:
    draft = KeyDraft("Till", "mira", "API", KeyKind.PRIVATE)
    await slow_session.console.add_key.keep(environment, draft, MADE_UP)
    sandbox = await slow_session.console.environments.add("sandbox", EnvironmentKind.TEST, URL)
    slow_session.choose_environment(sandbox)
    panel = KeysPanel(slow_session)
    qtbot.addWidget(panel)
    panel.show()
    await until(panel.no_keys.isVisible)
    await world.journal.close()
    slow_journal.hold("keys")
    panel.refresh()
    await until(lambda: slow_journal.is_held)

    await world.journal.open()
    slow_session.choose_environment(environment)
    slow_journal.let_go()

    await until(lambda: [key.name for key in panel.keys] == ["Till"])
    await until(lambda: not slow_session.supervisor.running)
    assert not panel.no_keys.isVisible()


async def test_why_nothing_is_shown_stands_in_its_place_and_what_is_shown_stays(
    session: Session, until: Until
) -> None:
    wanted, fails = ["a"], [True]
    shown: list[str] = []
    words: list[str] = []
    told: list[object] = []
    session.failed.connect(told.append)

    async def read() -> str:
        if fails[0]:
            raise KeystoreLocked
        return wanted[0]

    reading = Reading(session, "kept", read, shown.append, wanted=lambda: wanted[0], say=words.append)
    for fails[0], wanted[0] in ((True, "a"), (False, "a"), (True, "a"), (True, "b")):
        before = len([*shown, *told])
        reading.request()
        await until(lambda before=before: len([*shown, *told]) > before)
    assert (shown, words.count(UNREADABLE), len(told)) == (["a"], 2, 3)


async def test_a_session_keeps_nothing_of_what_it_did_for_an_owner_that_lives_on(
    session: Session, until: Until
) -> None:
    async def nothing() -> None:
        await asyncio.sleep(0)

    def closures() -> int:
        gc.collect()
        return sum(
            isinstance(one, FunctionType) and one.__qualname__ == "Session.run.<locals>.gone"
            for one in gc.get_objects()
        )

    owner = QWidget()
    before = closures()
    for number in range(20):
        session.run(f"a reading {number}", nothing(), owner=owner)
        assert not session.run(f"a reading {number}", nothing(), owner=owner)
    await until(lambda: not session.supervisor.running)
    assert closures() == before

    async def never() -> None:
        await asyncio.get_running_loop().create_future()

    session.run("a reading", never(), owner=owner)
    owner.deleteLater()
    QCoreApplication.sendPostedEvents(owner, QEvent.Type.DeferredDelete)
    await until(lambda: not session.supervisor.running)
