"""Hours of work in the window, in a hurry: what has grown since the first sales, what rest costs.

Arguments: the data folder, how many sales come before the first look and after it, how many for each other
deed, how many keys there are, how many hours pass, and how long the Bench rests in seconds, others half as
long. Prints one JSON object.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import itertools
import json
import os
import sys
import time
from collections import Counter, deque
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, cast

import psutil
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog

from keybench import bootstrap, desktop
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.sales.sale import Outcome, SaleMode
from keybench.runtime.clock import SystemClock
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.worker import run_in_thread
from keybench.ui.keys.page import VIEWS
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import Scheme, theme
from keybench.ui.shared.list_page import ListPage
from keybench.ui.shared.session import LockNow, Notice, Session
from keybench.ui.shell.application import make_application
from keybench.ui.shell.lock import Cover
from keybench.ui.shell.window import PAGES, MainWindow

sys.path.append(str(Path(__file__).parents[2]))  # the tests'

from fakes.waiting import until
from keystore.buses import Bus

#: What each comes to is in the practice gateway's own list.
AMOUNTS = ("10.00", "20.00", "11.00", "30.00", "12.50", "40.00", "70.00", "15.00", "60.00", "13.00", "80.00")
DEVICES = ("till-1", "till-2", "counter-1", "kiosk-1")


class HurriedClock(SystemClock):
    """The system's clock, so many times as fast since a moment."""

    pace, then, since = 1.0, time.time(), time.monotonic()

    def monotonic(self) -> float:
        return self.then + (time.monotonic() - self.since) * self.pace

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.monotonic(), UTC)

    async def sleep(self, seconds: float) -> None:
        end = self.monotonic() + seconds
        while (left := end - self.monotonic()) > 0:  # noqa: ASYNC110 - as its own
            await asyncio.sleep(left / self.pace)


class Soak:
    """Somebody who works in the window for hours."""

    def __init__(self, window: MainWindow, session: Session) -> None:
        self.window, self.session, self.console = window, session, session.console
        self.places: list[Environment] = [session.environment]
        self.keys: dict[str, list[str]] = {}
        self.outcomes: Counter[str] = Counter()
        self._numbers = itertools.count()
        visits = [partial(self.visit, page.id) for page in PAGES]
        views = [partial(self.visit, "keys", view) for view in VIEWS]
        others = (self.switch, self.lock_keystore, self.fuss, self.switch)
        self.deeds = itertools.cycle([*visits, self.switch, *views, *others])

    def page(self, page_id: str) -> Any:
        self.window.show_page(page_id)
        return self.window.page(page_id)

    async def prepare(self, keys: int) -> None:
        """Add two test environments to practice, the keys of all, and rotations of the last ones."""
        base_url, add = await self.console.world.practice.ensure(), self.console.environments.add
        rotations = self.session.administration.rotations
        await self.console.look_at_keystore()
        for name, side in (("Sandbox", ""), ("Second", "/live")):
            self.places.append(await add(name, EnvironmentKind.TEST, f"{base_url}{side}", "practice"))
        ends = self.console.clock.now() + timedelta(days=30)
        for number in range(keys):
            where, draft = (
                self.places[number % 3],
                KeyDraft(f"Till {number}", "admin", "API", KeyKind.PRIVATE),
            )
            key = (await self.console.add_key.create(where, draft)).key
            self.keys.setdefault(where.id, []).append(key.id)
            if number >= keys - 6:
                plan = rotations.proposed(key)
                await rotations.start(where, key, plan, reason="old", by="Ann", overlap_ends_at=ends)

    async def hurry(self, pace: float) -> None:
        """Have the clock go, and devices act, so many times as fast."""
        await self.console.world.practice.ask("PUT", "/portal/clock", {"moved_s": 0, "speed": pace})
        clock = cast("HurriedClock", self.console.clock)
        clock.then, clock.since, clock.pace = clock.monotonic(), time.monotonic(), pace

    async def rested(self) -> None:
        """Wait for a second in which nothing begins or ends, or for five: some pages ask each second."""
        before, same, looks = self.session.supervisor.running, 0, 0
        while same < 20 and (looks := looks + 1) < 100:
            await asyncio.sleep(0.05)
            now = self.session.supervisor.running
            same, before = (same + 1 if now == before else 0), now

    async def go_to(self, where: Environment) -> None:
        """Choose an environment, and wait until its keys can be sold with."""
        self.session.choose_environment(where)
        keys, form = self.page("bench").keys, self.page("bench").sale.form
        await until(lambda: form.key.key and form.key.key.environment_id == where.id)
        if form.device.count() < len(DEVICES):
            form.refresh_devices()
        await until(lambda: form.device.count() >= len(DEVICES))
        keys.choose(self.keys[where.id][0])
        await until(lambda: keys.key and keys.key.environment_id == where.id)

    async def sell(self, due_s: float) -> None:
        """Send a sale, wait for what becomes of it, look it up if nobody can tell, and wait for the next."""
        number, sale, keys = (
            next(self._numbers),
            self.page("bench").sale,
            self.keys[self.session.environment.id],
        )
        chosen, before = sale.selection, sale.selection.reference
        if number % 3 == 0:
            self.page("bench").keys.choose(keys[number // 3 % len(keys)])
        sale.modes.choose((SaleMode.ASYNCHRONOUS, SaleMode.SYNCHRONOUS)[number % 3 == 0])
        sale.form.device.choose(DEVICES[number % len(DEVICES)])
        sale.form.amount.setText(AMOUNTS[number % len(AMOUNTS)])
        sale.send()
        await until(lambda: chosen.reference not in {"", before})
        await until(lambda: chosen.sale and chosen.sale.verdict)
        self.outcomes[chosen.sale.outcome] += 1
        if chosen.sale.outcome is Outcome.UNKNOWN:
            await until(sale.actions_of_sale.look_up.isEnabled)
            known = len(chosen.events)
            sale.actions_of_sale.look_up.trigger()
            await until(lambda: len(chosen.events) > known)
        await self.console.clock.sleep(due_s - self.console.clock.monotonic())
        for timer in self.window.findChildren(QTimer):  # Qt's don't hurry, and most long ones are a minute's
            if number % 4 == 0 and timer.isActive() and timer.interval() >= 5_000:
                timer.timeout.emit()

    async def visit(self, page_id: str, view_id: str = "") -> None:
        """Look at a page or one of its views: review anew, filter by each letter, choose rows."""
        page = self.page(page_id).show_view(view_id) if view_id else self.page(page_id)
        if view_id == "review":
            page = page.findings
            page.again.trigger()
        for text in ("t", "ti", "till 3", "nothing of it", "") if isinstance(page, ListPage) else ():
            page.search.setText(text)
            await asyncio.sleep(0.03)
            page.table.select_row(0)

    async def switch(self) -> None:
        await self.go_to(self.places[next(self._numbers) % 3])

    async def lock_keystore(self) -> None:
        """Lock the keyring behind the program's back, sell in vain, and unlock it."""

        def can_read() -> bool:
            self.console.stop_asking()  # nobody answers
            return not (self.console.keystore_status.asking or self.console.keystore_status.trouble)

        keyring = Bus(Path(), os.environ["DBUS_SESSION_BUS_ADDRESS"])
        with keyring.unanswered():
            await run_in_thread("soak", keyring.lock)
            await until(lambda: not can_read())
            self.page("bench").sale.form.submit()
            await asyncio.sleep(0.2)
            await run_in_thread("soak", keyring.unlock)
            await until(can_read)
        await self.rested()

    async def fuss(self) -> None:
        """Lock the window, have a notice come and go, leave what asks for something, and change the look."""
        self.session.ask(LockNow())
        self.window.findChildren(Cover)[0].button.click()
        self.session.notify(Notice("bad", f"Something {next(self._numbers)} went wrong.", topic="soak"))
        rename, shell = self.page("bench").keys.details.rename_action.trigger, self.window
        for ask in (rename, shell._on_list_notices, shell._on_about, shell._on_save_bundle):
            ask()
            await until(lambda: any(one.isVisible() for one in shell.findChildren(QDialog)))
            for dialog in shell.findChildren(QDialog):
                dialog.reject()
        self.session.end_notice("soak")
        for scheme, points in ((Scheme.DARK, "12"), (Scheme.LIGHT, "10")):
            theme().choose(scheme)
            theme().choose_text_size(points)

    async def look(self) -> dict[str, Any]:
        """Return what there is, each time in the same place."""
        await self.go_to(self.places[0])
        self.session.end_notice("")
        await self.rested()
        gc.unfreeze()
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        process, objects = psutil.Process(), gc.get_objects()
        told = {
            "resident": process.memory_info().rss / 1e6,
            "unshared": process.memory_full_info().uss / 1e6,
            "log": folder.log.stat().st_size if folder.log.exists() else 0,
            "lists": lists(objects),
            "kinds": Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in objects),
            "widgets": len(QApplication.allWidgets()),
            "objects of Qt": len(self.window.findChildren(QObject)),
            "listeners": sum(map(len, self.console.events._listeners.values())),
            "subscriptions": len(self.session._stops),
            "tasks": len(asyncio.all_tasks()),
            "threads": process.num_threads(),
            "handles": process.num_fds(),
        }
        gc.freeze()
        return told

    async def rest(self, seconds: float) -> dict[str, float]:
        """Return the share of a processor in per cent that a resting window takes, on each page."""
        await self.hurry(1)
        found = {}
        for name in (*(page.id for page in PAGES), "minimised"):
            self.window.showMinimized() if name == "minimised" else self.page(name)
            await self.rested()
            began, used = time.monotonic(), time.process_time()
            await asyncio.sleep(seconds if name == "bench" else seconds / 2)
            found[name] = 100 * (time.process_time() - used) / (time.monotonic() - began)
        return found


def lists(objects: list[Any]) -> Counter[str]:
    """Return how many things the program's own objects hold, by class and attribute."""
    sizes: Counter[str] = Counter()
    for one in (each for each in objects if str(type(each).__module__).startswith("keybench")):
        for name in (*getattr(one, "__dict__", ()), *getattr(type(one), "__slots__", ())):
            if isinstance(value := getattr(one, name, None), list | dict | set | deque):
                sizes[f"{type(one).__qualname__}.{name}"] += len(value)
    return sizes


async def play(window: MainWindow, session: Session) -> int:
    """Work, look, work on, look again, and rest."""
    before, after, each, keys, hours, rest_s = map(int, sys.argv[2:])
    soak, looks, began = Soak(window, session), [], time.monotonic()
    await soak.rested()
    await soak.prepare(keys)
    await soak.hurry(100)
    await soak.switch()
    start = session.console.clock.monotonic()
    for number in range(1, before + after + 1):
        await soak.sell(start + number * hours * 3600 / (before + after))
        if number % each == 0:
            await next(soak.deeds)()
        if number in {before, before + after}:
            looks.append(await soak.look())
    found = {"looks": looks, "outcomes": soak.outcomes, "took_s": time.monotonic() - began}
    print(json.dumps(found | {"rest": await soak.rest(rest_s) if rest_s else {}}), flush=True)
    return 0


folder = DataFolder(Path(sys.argv[1]))
bootstrap.SystemClock = HurriedClock  # type: ignore[misc]  # the program makes its own
app = make_application(sys.argv[:1])
sys.exit(desktop._run(app, folder, bootstrap.open_console, Preferences(folder.window_settings), play))
