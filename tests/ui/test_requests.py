"""Whatever a control of the window asks for, somebody does it: no request goes unheard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from PySide6.QtCore import QMetaMethod, QObject
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.ui.bench.keys_panel import KeysPanel
from keybench.ui.bench.page import BenchPage
from keybench.ui.history.detail import SaleDetail
from keybench.ui.keys.applications import ApplicationsView
from keybench.ui.keys.page import VIEWS, KeysPage
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.rotations.tables import ApplicationsTable
from keybench.ui.shared.sales.first_steps import FirstSteps
from keybench.ui.shared.session import Session
from keybench.ui.shell.lock import Lock
from keybench.ui.shell.window import PAGES, MainWindow

from .inventory_support import press


@pytest.fixture
def window(qtbot: QtBot, session: Session) -> Iterator[MainWindow]:
    """The window with its own pages, and the Bench alone visited."""
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(1280, 800)
    Lock(window, session, Preferences())
    window.attach(session)
    window.show()
    yield window
    window.finish_close()


def never_asks(one: QObject) -> bool:
    """Tell whether it can't come to ask: it has all its rows, nothing can be copied, or it is never shown."""
    if isinstance(one, FirstSteps):
        card = one.parent()
        while card and not isinstance(card, SaleDetail):
            card = card.parent()
        return card is not None
    return isinstance(one, TableModel | ApplicationsTable)


def unheard(objects: Iterable[QObject]) -> list[str]:
    """Return the requests, which are the signals called so, that nothing is connected to.

    That the window answers each kind of `Request` is checked by mypy, by `assert_never`.
    """
    found = []
    for one in objects:
        if never_asks(one):
            continue
        meta = one.metaObject()
        for method in map(meta.method, range(meta.methodCount())):
            name = bytes(method.name().data()).decode()
            is_request = name == "requested" or name.endswith(("_wanted", "_asked"))
            if is_request and method.methodType() is QMetaMethod.MethodType.Signal:
                found += [] if one.isSignalConnected(method) else [f"{type(one).__name__}.{name}"]
    return found


async def test_what_is_asked_of_the_window_is_heard_before_any_page_but_the_first_was_visited(
    window: MainWindow, session: Session, until: Until
) -> None:
    assert unheard([session]) == []
    await until(lambda: not session.supervisor.running)


async def test_every_request_of_every_page_is_heard(
    window: MainWindow, session: Session, until: Until
) -> None:
    for page in PAGES:
        window.show_page(page.id)
    keys = window.page("keys")
    assert isinstance(keys, KeysPage)
    for view in VIEWS:
        keys.show_view(view)
    await until(lambda: not session.supervisor.running)
    assert unheard(window.findChildren(QObject)) == []


async def test_the_bench_leads_to_the_keys_page_and_what_it_has_of_a_key(
    window: MainWindow, session: Session, until: Until
) -> None:
    bench = window.page("bench")
    assert isinstance(bench, BenchPage)
    panel: KeysPanel = bench.keys
    session.choose_environment(
        await session.console.environments.add("sandbox", EnvironmentKind.TEST, "https://sandbox.example.com")
    )
    await until(lambda: not session.supervisor.running)
    press(panel, "Go to Import")
    assert window.page_id == "keys"

    window.show_page("bench")
    session.choose_environment((await session.console.environments.all())[0])
    draft = KeyDraft("Till", "counter1", "API", KeyKind.PRIVATE)
    key = (await session.console.add_key.create(session.environment, draft)).key
    await until(lambda: panel.key == key)
    (action,) = (one for one in panel.details.row_actions if one.text() == "Its applications")
    action.trigger()

    assert window.page_id == "keys"
    keys = window.page("keys")
    assert isinstance(keys, KeysPage)
    view = keys.stack.currentWidget()
    assert isinstance(view, ApplicationsView)
    await until(lambda: view.status.text() == "0 applications of “Till”")
