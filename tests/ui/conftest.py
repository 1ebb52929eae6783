"""The window's tests: a themed application, coroutines on the window's own loop, a world of fakes."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from fakes.classes import FakeClasses
from fakes.clock import MovedClock
from fakes.gateway import FakeAccount, FakeGateway, FakePortal
from fakes.journal import MemoryJournal
from fakes.keystore import FakeKeystore
from fakes.moves import FakeMoves
from fakes.probing import FakeProbing
from fakes.rotating import Rotating
from fakes.slow import Slow
from fakes.waiting import PATIENCE_S, Until
from fakes.waiting import until as wait_until
from fakes.world import FakeOwners, FakePractice
from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.ports import Journal
from keybench.loop import make_loop
from keybench.runtime.events import Events
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import AS_THE_SYSTEM, Scheme, Theme, theme
from keybench.ui.shared.session import Session
from keybench.ui.shell.application import make_application
from keybench.workflows.console import Console
from keybench.workflows.world import World

from . import devices_support, history_support, practice_support, sale_support
from .keys_driver import KeysWindow
from .rotations_driver import Opener, RotationsWindow

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def _application() -> QApplication:
    """Return the process's application, with the theme on and pytest-qt still hearing Qt's messages."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        listening = qInstallMessageHandler(None)
        app = make_application(["keybench-tests"], Scheme.LIGHT, scale=1.0)
        qInstallMessageHandler(listening)
        _kept.append(app)
    return app


class LooplessSupervisor(Supervisor):
    """Starts nothing while pytest-qt runs Qt's events before a test's call, without a loop."""

    def start(self, name: str, work: Coroutine[Any, Any, Any], **more: Any) -> bool:
        if asyncio._get_running_loop() is None:
            work.close()
            return False
        return super().start(name, work, **more)


_kept: list[QApplication] = []
_supervisors: list[Supervisor] = []


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run every coroutine test of this folder on a loop of Qt's, as the window does."""
    return {"qt": lambda: make_loop(_application())}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Stop a test's tasks as soon as it ends, as the program does before its loop ends.

    pytest-qt runs Qt's events after each test, without asyncio's loop: a signal then starts nothing.
    """
    try:
        return (yield)
    finally:
        while _supervisors:
            _supervisors.pop().stop()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """Have Qt delete what pytest-qt closed: a change of colours would restyle earlier tests' windows, too."""
    try:
        return (yield)
    finally:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    return _application()


@pytest.fixture
def qtbot(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QtBot:
    """pytest-qt's, which keeps the widgets it is to close.

    pytest-qt itself holds them weakly and runs Qt's events once more after a test: a search for garbage may
    then find a window that nobody holds any more, while it is being painted.
    """
    kept: list[QWidget] = []
    add = qtbot.addWidget

    def add_and_keep(widget: QWidget, **more: Any) -> None:
        kept.append(widget)
        add(widget, **more)

    monkeypatch.setattr(qtbot, "addWidget", add_and_keep)
    return qtbot


@pytest.fixture(autouse=True)
def light_theme(qapp: QApplication) -> Iterator[Theme]:
    """Put the light theme at the usual size before and after each test."""
    current = theme()
    yield current
    current.choose(Scheme.LIGHT)
    if current.scale != 1.0 or current.text_size != AS_THE_SYSTEM:
        current.set_scale(1.0)


@pytest.fixture(autouse=True)
def garbage_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a window freeze nothing: what it froze would stay for the whole run."""
    monkeypatch.setattr(gc, "freeze", lambda: None)


@pytest.fixture
def until() -> Until:
    """``await until(predicate)`` in coroutine tests."""
    return wait_until


@pytest.fixture
def pump(qtbot: QtBot) -> Callable[..., None]:
    """``pump(predicate)`` in plain tests: run Qt's events until it is true."""

    def wait(predicate: Callable[[], bool], limit_s: float = PATIENCE_S) -> None:
        qtbot.waitUntil(predicate, timeout=round(limit_s * 1000))

    return wait


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def environment(clock: MovedClock) -> Environment:
    """The practice environment, as the journal has it."""
    return Environment(PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", clock.now())


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    """A supervisor whose failures fail the test."""
    failures: list[tuple[str, BaseException]] = []
    _supervisors.append(LooplessSupervisor(on_failure=lambda name, error: failures.append((name, error))))
    yield _supervisors[-1]
    if failures:
        name, error = failures[0]
        raise AssertionError(f"the task {name!r} failed: {type(error).__name__}") from error


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    """What a window remembers, in a file."""
    return Preferences(tmp_path / "window.ini")


@pytest.fixture
def account() -> FakeAccount:
    """What the fake gateway and portal know: devices, people, sales."""
    return FakeAccount()


@pytest.fixture
def keystore() -> FakeKeystore:
    """Where the fakes keep values."""
    return FakeKeystore()


@pytest.fixture
async def world(clock: MovedClock, account: FakeAccount, keystore: FakeKeystore) -> World:
    """Every port, each a fake that a test may reach into; the journal is open."""
    journal = MemoryJournal(clock)
    await journal.open()
    return World(
        clock=clock,
        journal=journal,
        keystore=keystore,
        gateway=FakeGateway(account),
        portal=FakePortal(account),
        practice=FakePractice(),
        probing=FakeProbing(),
        owners=FakeOwners(),
        events=Events(),
        classes=FakeClasses(),
        moves=FakeMoves(),
    )


@pytest.fixture
def slow_journal(world: World) -> Slow[Journal]:
    """What stands before the journal of `slow_session`."""
    return Slow(world.journal)


@pytest.fixture
def slow_session(
    world: World, slow_journal: Slow[Journal], supervisor: Supervisor, environment: Environment
) -> Session:
    """A window's session whose journal's answers can be held back."""
    return Session(Console(replace(world, journal=slow_journal.port)), supervisor, environment)


@pytest.fixture
def console(world: World) -> Console:
    return Console(world)


@pytest.fixture
def session(console: Console, supervisor: Supervisor, environment: Environment) -> Session:
    return Session(console, supervisor, environment)


@pytest.fixture
def keys_window(supervisor: Supervisor, environment: Environment, clock: MovedClock) -> KeysWindow:
    """A window for the panel of the keys, which isn't open yet."""
    return KeysWindow(supervisor, environment, clock)


@pytest.fixture
async def keys(keys_window: KeysWindow, qtbot: QtBot) -> KeysWindow:
    """The same with two keys, and open."""
    await keys_window.open_with_two_keys(qtbot)
    return keys_window


@pytest.fixture
def opened(qtbot: QtBot, supervisor: Supervisor) -> Opener:
    """``await opened(rotating)``: the Rotations page in a window."""

    async def open_on(rotating: Rotating | None = None) -> RotationsWindow:
        window = RotationsWindow(rotating or await Rotating.ready(), supervisor)
        await window.open(qtbot)
        return window

    return open_on


@pytest.fixture
def selling(qtbot: QtBot, supervisor: Supervisor) -> sale_support.Selling:
    """Make Sale test panels on fakes."""
    return partial(sale_support.make_stage, qtbot.addWidget, supervisor)


@pytest.fixture
def fleet(qtbot: QtBot, supervisor: Supervisor) -> devices_support.Fleet:
    """Make Devices pages on fakes."""
    return partial(devices_support.make_stage, qtbot, supervisor)


@pytest.fixture
def past(qtbot: QtBot, supervisor: Supervisor) -> history_support.Past:
    """Make History pages on fakes."""
    return partial(history_support.make_stage, qtbot, supervisor)


@pytest.fixture
async def practising(
    tmp_path: Path, world: World, environment: Environment, supervisor: Supervisor, qtbot: QtBot
) -> AsyncIterator[practice_support.Practising]:
    """A session on a real practice gateway."""
    async with practice_support.practising(tmp_path, world, environment, supervisor, qtbot) as ready:
        yield ready
