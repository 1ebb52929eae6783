"""What tests of the practice gateway's views share: a session on a real one, and the trainer's calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from keybench.core.environments.environment import Environment
from keybench.gateway.practice_process import PracticeProcess
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.session import Session
from keybench.workflows.console import Console
from keybench.workflows.world import World
from practice.serving import served

#: How much faster the gateway's devices and applications are.
SPEED = 20.0


@dataclass
class Practising:
    """A session whose practice gateway is a real one, and the calls of somebody else to it."""

    session: Session
    practice: PracticeProcess
    qtbot: QtBot

    async def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return await self.practice.ask(method, f"/portal/{path}", body)

    async def make_key(self, name: str) -> str:
        """Make a key that sells, and return the gateway's identifier of it."""
        body = {"name": name, "username": "counter1", "permission": "API", "kind": "private"}
        return str((await self.ask("POST", "keys", body))["id"])

    async def application(self, name: str, key_id: str, device: str = "till-1") -> None:
        """Have an application sell with a key, as often as it can."""
        body = {"device_id": device, "amount": "10.00", "every_s": 20, "key_id": key_id}
        await self.ask("PUT", f"applications/{name}", body)

    def show(self, widget: QWidget) -> None:
        self.qtbot.addWidget(widget, before_close_func=lambda _widget: self.session.end())
        widget.resize(1100, 760)
        widget.show()


@asynccontextmanager
async def practising(
    folder: Path, world: World, environment: Environment, supervisor: Supervisor, qtbot: QtBot
) -> AsyncIterator[Practising]:
    """Serve a gateway for as long as the block lasts, and find it as the program does."""
    with served(folder / "practice", SPEED, is_told=True):
        practice = PracticeProcess(folder, lambda *_: None)
        console = Console(replace(world, practice=practice))
        try:
            yield Practising(Session(console, supervisor, environment), practice, qtbot)
        finally:
            supervisor.stop()
            await practice.stop()


def cells(table: Table[Any], column: str) -> Sequence[str]:
    """Return what a column shows, from the top."""
    model = table.model()
    wanted = model.columns[model.column(column)]
    return [wanted.text(row) for row in model.rows]
