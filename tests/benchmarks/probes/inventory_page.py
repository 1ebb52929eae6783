"""The window with thousands of keys: how soon the inventory is painted, and how soon a filter answers.

The first argument is the data folder, the second how many keys are in it. Prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from heartbeat import Heartbeat
from PySide6.QtCore import QEvent, QObject, Qt

from keybench import bootstrap
from keybench.core.ports import Keystore, KeystoreStatus
from keybench.core.secret import Secret
from keybench.loop import run
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.supervisor import Supervisor
from keybench.ui.keys.inventory import InventoryView
from keybench.ui.keys.page import KeysPage
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.session import Session
from keybench.ui.shell.application import GarbageCollector, make_application
from keybench.ui.shell.window import MainWindow
from keybench.workflows.console import Console

FILTERS = (
    "t",
    "ti",
    "till",
    "till 3",
    "till 3 shop",
    "nothing of it",
    "",
    "live",
    "refused",
    "person 7 sale",
    "",
)

#: So many times 50 ms without a task, and the window has nothing more to do by itself.
QUIET_BEATS = 20


class CountingKeystore:
    """Implements `core.ports.Keystore`: the real one, with its calls counted."""

    def __init__(self, real: Keystore) -> None:
        self._real = real
        self.calls = 0

    @property
    def status(self) -> KeystoreStatus:
        return self._real.status

    async def probe(self) -> KeystoreStatus:
        return await self._real.probe()

    async def write(self, entry: str, value: Secret) -> None:
        self.calls += 1
        await self._real.write(entry, value)

    async def read(self, entry: str) -> Secret:
        self.calls += 1
        return await self._real.read(entry)

    async def erase(self, entry: str) -> None:
        self.calls += 1
        await self._real.erase(entry)

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)


class Painted(QObject):
    """Notes when a view was first painted with rows in it."""

    def __init__(self) -> None:
        super().__init__()
        self.at: float | None = None
        self.seen = asyncio.Event()
        self.view: InventoryView | None = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and self.view and self.at is None and self.view.model.rowCount():
            self.at = time.perf_counter()
            self.seen.set()
        return super().eventFilter(watched, event)


async def opened(window: MainWindow) -> tuple[InventoryView, float]:
    """Go to the page and return its view and how long that took until there were painted rows, in ms."""
    painted = Painted()
    began = time.perf_counter()
    window.show_page("keys")
    page = window.page("keys")
    assert isinstance(page, KeysPage)
    view = page._views.get("inventory")
    assert isinstance(view, InventoryView)
    painted.view = view
    view.table.viewport().installEventFilter(painted)
    await painted.seen.wait()
    assert painted.at is not None
    return view, 1000 * (painted.at - began)


async def rested(session: Session) -> None:
    """Wait until what opening the window started has ended: the Bench asks the gateway for its devices."""
    quiet = 0
    while quiet < QUIET_BEATS:
        await session.console.clock.sleep(0.05)
        quiet = 0 if session.supervisor.running else quiet + 1


def answered_ms(view: InventoryView, text: str) -> float:
    """Return how long it takes from a letter to the rows it finds, painted, in ms."""
    began = time.perf_counter()
    view.search.setText(text)
    view.table.viewport().repaint()
    return 1000 * (time.perf_counter() - began)


def sorted_ms(view: InventoryView, column: int, order: Qt.SortOrder) -> float:
    """Return how long a sort takes, painted, in ms."""
    began = time.perf_counter()
    view.table.horizontalHeader().setSortIndicator(column, order)
    view.table.viewport().repaint()
    return 1000 * (time.perf_counter() - began)


def chosen_ms(view: InventoryView) -> float:
    """Return how long it takes to choose all rows, painted, in ms."""
    began = time.perf_counter()
    view.table.selectAll()
    view.table.viewport().repaint()
    return 1000 * (time.perf_counter() - began)


async def measure() -> int:
    """Open the program and its window, visit the page, look for things, and print what it took."""
    closing = AsyncExitStack()
    opened_console = await closing.enter_async_context(bootstrap.open_console(folder))
    keystore = CountingKeystore(opened_console.world.keystore)
    console = Console(replace(opened_console.world, keystore=keystore))
    environments = await console.environments.all()
    session = Session(
        console, Supervisor(on_failure=lambda _name, error: print(error, file=sys.stderr)), environments[0]
    )
    window.attach(session)
    await rested(session)
    keystore.calls = 0
    heart = Heartbeat()
    heart.start()
    await asyncio.sleep(0.1)
    view, opened_ms = await opened(window)
    await asyncio.sleep(0.3)
    heart.stop()
    shown = view.model.rowCount()
    gaps = max(heart.gaps)
    filters = [answered_ms(view, text) for text in FILTERS for _ in range(3)]
    orders = (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder)
    columns = range(view.model.columnCount())
    sorts = [sorted_ms(view, column, order) for column in columns for order in orders]
    chosen = chosen_ms(view)
    found = {
        "keys": shown,
        "opened_ms": round(opened_ms, 1),
        "filter_ms": round(max(filters), 1),
        "sort_ms": round(max(sorts), 1),
        "choose_all_ms": round(chosen, 1),
        "worst_gap_ms": round(gaps, 1),
        "keystore_calls": keystore.calls,
    }
    print(json.dumps(found), flush=True)
    window.finish_close()
    await closing.aclose()
    return 0


folder = DataFolder(Path(sys.argv[1]))
app = make_application(sys.argv[:1])
GarbageCollector(app)  # as the program does: not in the midst of a sort
window = MainWindow(Preferences(folder.window_settings))
window.show()
sys.exit(run(app, measure))
