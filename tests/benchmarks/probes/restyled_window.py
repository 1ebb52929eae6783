"""The window with every page visited: how long it takes to be painted in another text size, in other colours.

The first argument is the data folder, the second how often to change each. Prints one JSON object.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from PySide6.QtWidgets import QApplication

from keybench import bootstrap
from keybench.loop import run
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.supervisor import Supervisor
from keybench.ui.keys.page import VIEWS, KeysPage
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import Scheme, theme
from keybench.ui.shared.session import Session
from keybench.ui.shell.application import GarbageCollector, make_application
from keybench.ui.shell.window import PAGES, MainWindow

#: So many times 50 ms without a task, and the window has nothing more to do by itself.
QUIET_BEATS = 20


async def rested(session: Session) -> None:
    """Wait until what was started has ended."""
    quiet = 0
    while quiet < QUIET_BEATS:
        await session.console.clock.sleep(0.05)
        quiet = 0 if session.supervisor.running else quiet + 1


async def changed_ms(session: Session, change: Callable[[], None]) -> float:
    """Return how long a change takes, painted, in ms."""
    await rested(session)
    began = time.perf_counter()
    change()
    QApplication.sendPostedEvents()
    window.repaint()
    return 1000 * (time.perf_counter() - began)


async def measure() -> int:
    """Open the window, visit every page, change its look, and print what that took."""
    closing = AsyncExitStack()
    console = await closing.enter_async_context(bootstrap.open_console(folder))
    environments = await console.environments.all()
    session = Session(
        console, Supervisor(on_failure=lambda _name, error: print(error, file=sys.stderr)), environments[-1]
    )
    window.attach(session)
    for page in PAGES:
        window.show_page(page.id)
        await rested(session)
    keys = window.page("keys")
    assert isinstance(keys, KeysPage)
    for view in VIEWS:
        keys.show_view(view)
        await rested(session)
    window.show_page("bench")
    sizes, colours = [], []
    for turn in range(int(sys.argv[2])):
        points = ("12", "10")[turn % 2]
        scheme = (Scheme.DARK, Scheme.LIGHT)[turn % 2]
        sizes.append(await changed_ms(session, lambda points=points: theme().choose_text_size(points)))
        colours.append(await changed_ms(session, lambda scheme=scheme: theme().choose(scheme)))
    found = {
        "widgets": len(QApplication.allWidgets()),
        "size_ms": round(statistics.median(sizes), 1),
        "colours_ms": round(statistics.median(colours), 1),
        "worst_ms": round(max(*sizes, *colours), 1),
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
