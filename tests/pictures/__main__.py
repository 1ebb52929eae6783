"""Take a picture of every page: ``python -m pictures FOLDER WIDTHxHEIGHT [PAGE…]``.

The window is opened on the data of `pictures.data`, and some sales and a rotation are made in it with the
practice gateway. Each page is pictured in every look; ``QT_SCALE_FACTOR`` gives the scale.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final, cast

from PySide6.QtCore import Qt

from fakes.lessons import LESSON, EventRoom
from keybench import bootstrap
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.events import TimeMoved
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.sales.figures import By
from keybench.core.sales.sale import SaleDraft
from keybench.loop import run
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.saving import save_here
from keybench.ui.bench.page import BenchPage
from keybench.ui.devices.page import DevicesPage
from keybench.ui.diagnose.page import DiagnosePage
from keybench.ui.history.page import CHARTS, HistoryPage
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import Scheme, theme
from keybench.ui.lessons.page import LessonsPage
from keybench.ui.lessons.panel import LessonPanel
from keybench.ui.shared.session import Session, ShowKeys
from keybench.ui.shell.application import make_application
from keybench.ui.shell.lifecycle import Life
from keybench.ui.shell.window import MainWindow
from keybench.workflows.lessons.room import Room
from pictures.data import fill
from pictures.habits import SLOWER

#: An amount for each outcome, see the practice gateway's own list; the last one is shown on the Bench.
_AMOUNTS: Final = ("0.50", "10.05", "10.00")
_PAINTED_S: Final = 0.3
#: So many looks at the same tasks, such as those that watch the keystore, and the window is at rest.
_LOOKS: Final = 3
#: The Bench reads the register of its keys so long after them.
_REGISTER_S: Final = 2.0


class Photographer:
    """Goes from page to page of a window and pictures each.

    Args:
        window: Attached to a session on the made-up data.
        folder: Where pictures go, as ``PAGE-LOOK.png``.
        keys: The keys chosen in the inventory.
        wanted: The pages wanted, by the beginning of their pictures' names; none for all.
    """

    def __init__(
        self, window: MainWindow, folder: Path, keys: Sequence[SecurityKey], wanted: list[str]
    ) -> None:
        self._window = window
        self._folder = folder
        self._keys = keys
        self._wanted = tuple(wanted) or ("",)

    async def take_all(self) -> None:
        """Picture every page."""
        for name, go in self._pages().items():
            if not name.startswith(self._wanted):
                continue
            await go()
            for look in (Scheme.LIGHT, Scheme.DARK):
                theme().choose(look)
                await self.settled()
                self._window.grab().save(str(self._folder / f"{name}-{look.value}.png"))

    async def settled(self) -> None:
        """Wait until the window starts and ends nothing any more, and has painted that."""
        session = self._window.session
        assert session is not None
        before: tuple[str, ...] = ()
        same = 0
        while same < _LOOKS:
            await asyncio.sleep(_PAINTED_S)
            now = session.supervisor.running
            same, before = (same + 1 if now == before else 0), now

    def _choose_device(self) -> None:
        """Choose one that became slower, among those that need a look."""
        page = self._window.page("devices")
        assert isinstance(page, DevicesPage)
        table = page.table
        table.horizontalHeader().setSortIndicator(table.model().column("habit"), Qt.SortOrder.AscendingOrder)
        table.select(SLOWER)

    def _charts(self, by: By, form: str = "picture") -> Callable[[], Awaitable[None]]:
        async def go() -> None:
            self._window.show_page("history")
            page = self._window.page("history")
            assert isinstance(page, HistoryPage)
            page.views.choose(CHARTS)
            await self.settled()
            assert page.charts
            page.charts.by.choose(by.value)
            page.charts.form.choose(form)
            await self.settled()

        return go

    def _lessons(self, view: str) -> Callable[[], Awaitable[None]]:
        async def go() -> None:
            self._window.show_page("lessons")
            page = self._window.page("lessons")
            assert isinstance(page, LessonsPage)
            page.show_view(view)

        return go

    async def _lesson(self) -> None:
        """Show a lesson at its second step, after something happened that must not."""
        session = self._window.session
        assert session is not None
        room = EventRoom(session.console, folder.root)
        room.happen("stage done", stage="create")
        room.happen("application seen", subject="web shop")
        room.happen("call", why="key gone")
        session.room = cast("Room", room)
        panel = LessonPanel(session, session.room, DataFolder(folder.root / "lesson"))
        self._window.show_beside(panel)
        panel.begin()
        session.console.events.publish(TimeMoved())
        self._window.show_page("rotations")
        await self.settled()
        panel.rows[1].hint.click()

    def _pages(self) -> dict[str, Callable[[], Awaitable[None]]]:
        def page(page_id: str, view: str = "") -> Callable[[], Awaitable[None]]:
            async def go() -> None:
                session = self._window.session
                assert session is not None
                self._window.show_page(page_id)
                if page_id == "devices":
                    await self.settled()
                    self._choose_device()
                diagnose = self._window.page(page_id)
                if isinstance(diagnose, DiagnosePage):
                    await self.settled()
                    diagnose.run()
                if view:
                    await self.settled()
                    session.ask(ShowKeys(view, self._keys if view == "inventory" else ()))

            return go

        return {
            "bench": page("bench"),
            "keys-inventory": page("keys", "inventory"),
            "keys-applications": page("keys", "applications"),
            "keys-review": page("keys", "review"),
            "keys-activity": page("keys", "activity"),
            "rotations": page("rotations"),
            "devices": page("devices"),
            "history": page("history"),
            "diagnose": page("diagnose"),
            "charts-device": self._charts(By.DEVICE),
            "charts-hour": self._charts(By.HOUR),
            "charts-key": self._charts(By.KEY),
            "charts-table": self._charts(By.DEVICE, "table"),
            "settings": page("settings"),
            "lessons": page("lessons"),
            "lessons-mine": self._lessons("mine"),
            "lessons-gateway": self._lessons("gateway"),
            "lesson": self._lesson,  # the last one: its panel stays
        }


async def take(window: MainWindow, session: Session) -> int:
    """Make sales and a rotation, and picture every page; return the exit status."""
    console, environment = session.console, session.environment
    await console.world.practice.ensure()
    draft = KeyDraft("counter key", "counter1", "API", KeyKind.PRIVATE, "front desk")
    key = (await console.add_key.create(environment, draft)).key
    await console.keys.test(environment, key)
    newest = ""
    for amount in _AMOUNTS:
        sale = await console.sell.note(SaleDraft(PRACTICE_ID, key.id, "counter-1", amount, "USD"))
        newest = (await console.sell.carry_out(sale)).reference
    rotations = session.administration.rotations
    ends_at = console.clock.now() + timedelta(days=14)
    rotation = await rotations.start(
        environment,
        key,
        rotations.proposed(key),
        reason="yearly",
        by="Mira Vogel",
        overlap_ends_at=ends_at,
    )
    await rotations.create(rotation.id)
    photographer = Photographer(window, pictures, (key,), sys.argv[3:])
    await photographer.settled()
    bench = window.page("bench")
    assert isinstance(bench, BenchPage)
    bench.keys.choose(key.id)
    bench.sale.show_sale(newest)
    await asyncio.sleep(_REGISTER_S)
    await photographer.take_all()
    return 0


async def live() -> int:
    """Open the window on new data and return the exit status when it is closed."""
    await fill(folder)
    own = folder.lessons / "own"
    own.mkdir(parents=True)
    save_here(own / "rotate.toml", LESSON)
    return await Life(window, preferences, lambda: bootstrap.open_console(folder), take).live()


pictures = Path(sys.argv[1])
width, height = map(int, sys.argv[2].split("x"))
with tempfile.TemporaryDirectory(prefix="keybench-pictures-", ignore_cleanup_errors=True) as root:
    folder = DataFolder(Path(root) / "data")
    preferences = Preferences(folder.window_settings)
    app = make_application(sys.argv[:1], Scheme.LIGHT)
    with theme().undressed():
        window = MainWindow(preferences)
    window.resize(width, height)
    sys.exit(run(app, live))
