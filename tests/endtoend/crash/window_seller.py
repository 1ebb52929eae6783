"""The real window, which sends a sale as its Send button does as soon as it is there.

Run as ``python window_seller.py DATA_DIR ENVIRONMENT MODE``.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from PySide6.QtWidgets import QApplication

from keybench import desktop, launch
from keybench.core.errors import JournalError
from keybench.core.sales.sale import SaleDraft, SaleMode
from keybench.runtime.data_folder import DataFolder
from keybench.ui.shared.sales.actions import task_of
from keybench.ui.shared.session import Session
from keybench.ui.shell.window import MainWindow
from keybench.workflows.console import Console


async def _session() -> Session:
    while True:
        for window in QApplication.topLevelWidgets():
            if isinstance(window, MainWindow) and window.session:
                return window.session
        await asyncio.sleep(0.02)


async def _sell(environment: str, mode: SaleMode) -> None:
    session = await _session()
    console = session.console
    with suppress(JournalError):  # the window is closed again
        where = await console.environments.named(environment)
        key = await console.keys.named(where, "till")
        sale = await console.sell.note(SaleDraft(where.id, key.id, "till-1", "10.00", "USD", mode))
        session.run(task_of(sale), console.sell.carry_out(sale))


def main(folder: str, environment: str, mode: str) -> int:
    """Open the window and sell; return its exit status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as the program's own beginning does
    selling: list[asyncio.Task[None]] = []

    @asynccontextmanager
    async def opened(where: DataFolder, who: Callable[[], str]) -> AsyncIterator[Console]:
        async with launch.open_for_now(where, who) as console:
            sale = _sell(environment, SaleMode(mode))
            selling.append(asyncio.get_running_loop().create_task(sale))
            yield console

    return desktop.run_window(DataFolder(Path(folder)), opened)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
