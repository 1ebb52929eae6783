"""The History page's charts over thousands of sales: how soon they are there, and how long the loop stood.

The first argument is the data folder. Prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

from heartbeat import Heartbeat

from keybench import bootstrap
from keybench.core.sales.figures import By
from keybench.loop import run
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.supervisor import Supervisor
from keybench.ui.history.page import CHARTS, HistoryPage
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.session import Session
from keybench.ui.shell.application import GarbageCollector, make_application
from keybench.ui.shell.window import MainWindow

QUIET_BEATS = 20


async def rested(session: Session) -> None:
    """Wait until what opening the window and the page started has ended."""
    quiet = 0
    while quiet < QUIET_BEATS:
        await session.console.clock.sleep(0.05)
        quiet = 0 if session.supervisor.running else quiet + 1


async def shown(page: HistoryPage, by: By) -> float:
    """Return how long it takes until the charts are painted that were asked for just now, in ms."""
    began = time.perf_counter()
    while page.charts is None or page.charts._charted is None or page.charts._charted.by is not by:  # noqa: ASYNC110 - there is no signal for it
        await asyncio.sleep(0.002)
    page.charts.sheet.repaint()
    return 1000 * (time.perf_counter() - began)


async def measure() -> int:
    """Open the program and its window, visit the charts, and print what it took."""
    closing = AsyncExitStack()
    console = await closing.enter_async_context(bootstrap.open_console(folder))
    environments = await console.environments.all()
    supervisor = Supervisor(on_failure=lambda _name, error: print(error, file=sys.stderr))
    session = Session(console, supervisor, environments[0])
    window.attach(session)
    await rested(session)
    window.show_page("history")
    page = window.page("history")
    assert isinstance(page, HistoryPage)
    await rested(session)
    heart = Heartbeat()
    heart.start()
    await asyncio.sleep(0.1)
    page.views.choose(CHARTS)
    opened_ms = await shown(page, By.DEVICE)
    await asyncio.sleep(0.2)
    assert page.charts
    opening_ms = heart.worst_ms
    heart.gaps.clear()
    page.charts.by.choose(By.HOUR.value)
    again_ms = await shown(page, By.HOUR)
    await asyncio.sleep(0.2)
    heart.stop()
    charted = page.charts._charted
    assert charted
    found = {
        "sales": charted.sales,
        "opened_ms": round(opened_ms, 1),
        "opening_gap_ms": round(opening_ms, 1),
        "again_ms": round(again_ms, 1),
        "again_gap_ms": round(heart.worst_ms, 1),
    }
    print(json.dumps(found), flush=True)
    window.finish_close()
    await closing.aclose()
    return 0


folder = DataFolder(Path(sys.argv[1]))
app = make_application(sys.argv[:1])
GarbageCollector(app)
window = MainWindow(Preferences(folder.window_settings))
window.show()
sys.exit(run(app, measure))
