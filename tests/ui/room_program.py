"""Opens the window in a language, goes through all that it shows, and prints each text that hasn't room.

``LANGUAGE=de python -m ui.room_program WIDTHxHEIGHT SCALE [FOLDER]`` keeps a picture of each place in the
folder; ``LANGUAGE=made-up`` is 1.6 times as long as English.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from fakes.made_up import speak

if os.environ["LANGUAGE"] == "made-up":
    speak()

from PySide6.QtWidgets import QWidget

from fakes.waiting import until
from fakes.world import Bench, build_world
from keybench.core.environments.environment import PRACTICE_ID
from keybench.journal import SqlJournal
from keybench.loop import run
from keybench.runtime.clock import SystemClock
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.actions import COMMANDS, Action
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.session import Session
from keybench.ui.shell.application import make_application
from keybench.ui.shell.window import MainWindow
from keybench.workflows.console import Console
from pictures.data import fill
from ui.screens import cramped, faults, sideways
from ui.test_screens import PLACES, go_to, settled

MORE = ("settings journal", "history charts", "lessons lessons", "lessons mine", "lessons gateway")
#: The commands that ask something or show a form, by the place where they are given.
QUESTIONS = {
    "bench": ("help.about", "bundle.save", "key.rename", "key.compromised", "key.add"),
    "keys inventory": ("key.describe", "key.forget"),
    "keys applications": ("application.add", "application.edit", "application.changed"),
    "devices": ("device.register",),
    "lessons lessons": ("desk.open",),
    "settings environments": ("environment.add",),
}
FORMS = {"key.add", "environment.add"}


class Visitor:
    """Goes through a window and looks it over at each place."""

    def __init__(self, window: MainWindow, session: Session) -> None:
        self.window, self.session = window, session
        self.found: dict[str, list[str]] = {}

    async def visit(self, place: str) -> None:
        """Look at a place, and at what is asked there."""
        await go_to(self.window, place)
        page_id, _, part = place.partition(" ")
        page: Any = self.window.page(page_id)
        match page_id, part:
            case "history", "charts":
                page.views.choose(part)
            case "lessons", _:
                page.show_view(part)
            case "settings", _:
                page.show_section(part)
            case "bench", _:
                await self.see_sales(page)
        for table in page.findChildren(Table):
            if table.isVisible() and table.selected is None and table.model().rowCount():
                table.select_row(0)
        await self.look(self.window, place)
        for command in QUESTIONS.get(place, ()):
            next(one for one in self.window.findChildren(Action) if is_usable(one, command)).trigger()
            if command in FORMS:
                await self.look(self.window, command)
                continue
            await until(self.questions)
            question = self.questions()[0]
            await self.look(question, command)
            question.reject()
            await until(lambda: not self.questions())

    async def see_sales(self, page: Any) -> None:
        """Look at a sale of each outcome."""
        sales = await self.session.console.world.journal.sales(PRACTICE_ID, 400)
        for sale in {one.outcome: one for one in sales}.values():
            page.sale.show_sale(sale.reference)
            await self.look(self.window, f"bench {sale.outcome}")
        page.sale.views.choose("exchanges")

    def questions(self) -> list[Dialog]:
        return [one for one in self.window.findChildren(Dialog) if one.isVisible()]

    async def look(self, shown: QWidget, place: str) -> None:
        await until(lambda: self.questions() or not self.session.supervisor.running)
        await settled(self.window)
        for folder in sys.argv[3:]:
            shown.grab().save(f"{folder}/{place.replace(' ', '-')}.png")
        for one in [*faults(shown), *cramped(shown), *(f"sideways: {area}" for area in sideways(shown))]:
            self.found.setdefault(one.replace("\n", " / "), []).append(place)


def is_usable(action: Action, command: str) -> bool:
    action.refresh()
    return action.command is COMMANDS[command] and action.isEnabled()


async def look_over(window: MainWindow, folder: DataFolder) -> int:
    await fill(folder)
    clock = SystemClock()
    journal = SqlJournal(folder.journal, clock)
    await journal.open()
    console = Console(replace(build_world(Bench()), clock=clock, journal=journal))
    supervisor = Supervisor(on_failure=lambda name, error: print(f"failed: {name}: {error!r}"))
    practice = await console.environments.named("practice")
    session = Session(console, supervisor, practice, window)
    key, rotations = (await console.keys.listed(practice))[0], session.administration.rotations
    plan, end = rotations.proposed(key), clock.now() + timedelta(days=14)
    await rotations.start(practice, key, plan, reason="yearly", by="Mira Vogel", overlap_ends_at=end)
    window.resize(*map(int, sys.argv[1].split("x")))
    window.show()
    window.attach(session)
    visitor = Visitor(window, session)
    for place in (*PLACES, *MORE):
        if not place.endswith(" form"):  # which are found by English names
            await visitor.visit(place)
    for one, places in sorted(visitor.found.items()):
        print(f"{one}: {', '.join(places)}")
    await supervisor.close()
    await journal.close()
    return 0


if __name__ == "__main__":
    app = make_application(["keybench"], scale=float(sys.argv[2]))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
        folder = DataFolder(Path(root) / "data")
        window = MainWindow()
        sys.exit(run(app, lambda: look_over(window, folder)))
