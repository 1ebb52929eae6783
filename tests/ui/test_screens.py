"""Every page on every screen and in every size of text: all can be reached, and no text is cut."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShortcut, QStandardItemModel
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from fakes.waiting import until
from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.supervisor import Supervisor
from keybench.ui.bench.page import BenchPage
from keybench.ui.devices.page import DevicesPage
from keybench.ui.diagnose.page import DiagnosePage
from keybench.ui.kit.labels import ElidedLabel
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import AS_THE_SYSTEM, Theme
from keybench.ui.settings.page import SettingsPage
from keybench.ui.shared.session import Session, ShowKeys
from keybench.ui.shell.window import MainWindow
from keybench.workflows.console import Console
from keybench.workflows.world import World
from pictures.data import fill
from pictures.habits import SLOWER
from sweeps import ALL, every

from .inventory_support import press
from .screens import faults, sideways

#: The windows that fill the screens we promise, without the desktop's panel and the window's frame; the last
#: two are 1600 by 900 at 150 % and at 200 %.
SIZES = every(4, [(1024, 700), (1280, 800), (1366, 768), (1066, 600), (800, 450)])
#: The sizes of text, each with the windows in which it is looked at.
TEXT_SIZES = {
    AS_THE_SYSTEM: SIZES,
    **({"9": SIZES[:1]} if ALL else {}),
    "18": [SIZES[0], SIZES[-1]] if ALL else SIZES[:1],
}
SECTIONS = ("environments", "general", "appearance", "privacy", "review", "keystore")
#: The buttons that open a page's form in the place of what it shows.
FORMS = {"bench": "Add a New Key", "settings": "Add environment"}
DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
VIEWS = ("inventory", "applications", "review", "activity")
#: What is looked at in one window each: the pages with their views, and apart what leaves a page changed.
ROUNDS = [
    [
        "bench",
        *(f"keys {view}" for view in VIEWS),
        *("rotations", "devices", "history", "diagnose"),
        *(f"settings {section}" for section in SECTIONS),
    ],
    ["devices chosen", "diagnose done"],
    *([f"{page_id} form"] for page_id in FORMS),
]
PLACES = [place for places in ROUNDS for place in places]
#: One that asks for room again does so in a later turn of the loop: after so many nobody did.
_STILL = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A journal with 204 keys and 2,000 sales, which no test here changes."""
    folder = DataFolder(tmp_path_factory.mktemp("screens"))
    asyncio.run(fill(folder))
    return folder


@pytest.fixture
async def window(
    qtbot: QtBot, folder: DataFolder, world: World, supervisor: Supervisor
) -> AsyncIterator[MainWindow]:
    clock = SystemClock()
    journal = SqlJournal(folder.journal, clock)
    await journal.open()
    practice = Environment(PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", clock.now())
    session = Session(Console(replace(world, clock=clock, journal=journal)), supervisor, practice)
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(1024, 700)
    window.attach(session)
    window.show()
    bench = window.page("bench")
    assert isinstance(bench, BenchPage)
    await until(lambda: bench.sale.recent.model().rowCount() > 0)
    yield window
    if isValid(window):  # qtbot has closed it by now, and Qt deletes it when it comes to that
        window.finish_close()
    await supervisor.close()
    await journal.close()


async def go_to(window: MainWindow, place: str) -> None:
    """Go to a page, or a view of it, and wait until it has read what it shows."""
    page_id, _, part = place.partition(" ")
    window.show_page(page_id)
    session = window.session
    assert session is not None
    if page_id == "keys" and part:
        session.ask(ShowKeys(part))
    page = window.page(page_id)
    if isinstance(page, SettingsPage) and part:
        page.show_section(part if part in SECTIONS else SECTIONS[0])
    if isinstance(page, DevicesPage) and part:
        await until(lambda: page.table.select(SLOWER))
    if isinstance(page, DiagnosePage) and part:
        page.run()
        await until(lambda: page.diagnosis is not None)
    if part == "form":
        await until(lambda: not session.supervisor.running)
        press(page, FORMS[page_id])
    await until(lambda: not session.supervisor.running)


async def settled(window: MainWindow) -> None:
    """Let layouts and what waits for the fonts to be measured come to rest."""
    seen: list[object] = []

    def is_still() -> bool:
        QApplication.sendPostedEvents()
        seen.append([one.geometry().getRect() for one in window.findChildren(QWidget)])
        return len(seen) >= _STILL and all(one == seen[-1] for one in seen[-_STILL:])

    await until(is_still)


async def test_the_title_stands_at_the_same_height_on_every_page(window: MainWindow) -> None:
    def baselines() -> set[int]:
        titles = [one for one in window.findChildren(QLabel) if one.property("role") == "title"]
        shown = [one for one in titles if one.isVisible()]
        heights = [one.mapTo(window, one.rect().center()).y() for one in shown]
        return {one for one in heights if one < min(heights) + window.fontMetrics().height()}

    await go_to(window, "bench")
    await settled(window)
    bench = baselines()
    assert len(bench) == 1  # both panels'
    for page_id in ("keys", "rotations", "devices", "history", "diagnose", "settings"):
        await go_to(window, page_id)
        await settled(window)
        assert baselines() == bench, page_id


async def test_no_keys_are_a_shortcut_of_two_things_at_once(window: MainWindow) -> None:
    def reaches(one: QAction | QShortcut, owner: QWidget, at: QWidget) -> bool:
        contexts = Qt.ShortcutContext
        context = one.context() if isinstance(one, QShortcut) else one.shortcutContext()
        if context is contexts.WidgetShortcut:
            return at is owner
        return context is not contexts.WidgetWithChildrenShortcut or at is owner or owner.isAncestorOf(at)

    for place in PLACES:
        await go_to(window, place)
        shown = [one for one in (window, *window.findChildren(QWidget)) if one.isVisibleTo(window)]
        found: list[tuple[QAction | QShortcut, QWidget]] = []
        for owner in shown:
            if not isinstance(owner, QMenu):
                found += [(one, owner) for one in owner.actions()]
                found += [(one, owner) for one in owner.findChildren(QShortcut, options=DIRECT)]
        for at in shown:
            keys = Counter(
                key.toString()
                for one, owner in found
                if one.isEnabled() and reaches(one, owner, at)
                for key in (one.keys() if isinstance(one, QShortcut) else one.shortcuts())
            )
            assert [key for key, times in keys.items() if times > 1] == [], (place, at)
        assert {"Ctrl+1", "Ctrl++", "F1", "F5"} <= set(keys)


@pytest.mark.parametrize("places", ROUNDS, ids=lambda places: places[0])
async def test_everything_can_be_reached_and_no_text_is_cut(
    window: MainWindow, light_theme: Theme, places: list[str]
) -> None:
    found: dict[str, list[str]] = {}
    here = ""
    for text_size, sizes in TEXT_SIZES.items():
        light_theme.choose_text_size(text_size)  # while one of them is in sight
        for place in places:
            if place != here:
                await go_to(window, place)
                here = place
            for width, height in sizes:
                window.resize(width, height)
                await settled(window)
                wrong = faults(window)
                if text_size in {AS_THE_SYSTEM, "9"} and width >= 1024:
                    wrong += [f"{one} scrolls sideways" for one in sideways(window)]
                for one in wrong:
                    found.setdefault(one, []).append(f"{place}, {width}x{height} at {text_size}")
    assert not found, "\n".join(f"{one}: {'; '.join(where)}" for one, where in found.items())


@pytest.mark.usefixtures("light_theme")
def test_what_is_cut_low_or_out_of_reach_is_noticed(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 300)
    cut = QLabel("a label that says more than it has room for", window)
    cut.setGeometry(0, 0, 40, 20)
    elided = ElidedLabel("a label that says more than it has room for", parent=window)
    elided.setGeometry(0, 20, 40, 20)
    far = QPushButton("far", window)
    far.setGeometry(280, 50, 80, 30)
    rows = QStandardItemModel(5, 1)
    low = QTableView(window)
    low.setModel(rows)
    low.setAccessibleName("low")
    low.setGeometry(0, 100, 200, 40)
    columns = (Column[str]("name", "Name", str), Column[str]("amount", "Amount", str, right=True))
    amounts = TableModel(columns, str)
    amounts.show(["1 234 567.00 USD"])
    narrow = Table("narrow", amounts, parent=window)
    narrow.setGeometry(0, 150, 290, 140)
    window.show()
    for number in range(2):
        narrow.horizontalHeader().resizeSection(number, 40)
    told = faults(window)
    assert [one.split(":")[0] for one in told] == [
        "QLabel 'a label that says more than it has room for'",
        "QPushButton 'far'",
        "QTableView 'low'",
        "Table 'narrow'",
    ]
    assert told[-1].endswith("for amount")  # the name says something where it is cut
