"""The one importer of qasync: one asyncio loop for the window and HTTP, on the main thread."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QCoreApplication

# qasync takes whichever Qt binding it finds first; this must stand before its import.
os.environ["QT_API"] = "pyside6"


def make_loop(app: QCoreApplication) -> asyncio.AbstractEventLoop:
    """Return a new asyncio loop that runs on `app`'s Qt event loop; the caller closes it."""
    from qasync import QEventLoop  # noqa: PLC0415, TID251 - after QT_API is set; this is its one importer

    # At DEBUG it writes arguments and results of calls to the log, and some of them are secrets.
    logging.getLogger("qasync").setLevel(logging.WARNING)
    loop: asyncio.AbstractEventLoop = QEventLoop(app, already_running=False)
    return loop


def run(app: QCoreApplication, main: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Run `main` on a loop of `app` until it returns, and return what it returns.

    Tasks still running then are cancelled and awaited.
    """
    # asyncio.run has no loop_factory on Python 3.11.
    with asyncio.Runner(loop_factory=lambda: make_loop(app)) as runner:
        return runner.run(main())
