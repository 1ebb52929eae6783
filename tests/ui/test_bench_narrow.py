"""The Bench in the smallest window with large text: what has no room is cut and can be read, or scrolls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QHeaderView, QLabel, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from fakes.clock import START
from fakes.waiting import until
from keybench.core.keys.inventory import InventoryRow, KeyMarks
from keybench.core.keys.key import KeyKind, SecurityKey
from keybench.core.secret import Secret
from keybench.ui.bench.keys_panel import KeysPanel
from keybench.ui.bench.page import BenchPage
from keybench.ui.kit.theme import Theme
from keybench.ui.shared.keys.value_line import REVEAL_S
from keybench.ui.shared.session import Session


def a_key(name: str, kind: KeyKind) -> SecurityKey:
    made = START - timedelta(days=262)
    return SecurityKey(name, "practice", name, "counter1", "Sale", kind, "till", "amber-river-nine-fox", made)


async def panel_of(session: Session, qtbot: QtBot, size: QSize, *names: str) -> KeysPanel:
    """Show a panel of so many pixels with private keys of these names."""
    for name in names:
        await session.console.world.journal.add_key(a_key(name, KeyKind.PRIVATE))
    panel = KeysPanel(session)
    qtbot.addWidget(panel)
    panel.setMinimumWidth(300)
    panel.resize(size)
    panel.show()
    await until(lambda: panel.keys)
    return panel


@pytest.fixture
def large(light_theme: Theme) -> Iterator[None]:
    light_theme.set_scale(1.5)
    yield
    light_theme.set_scale(1.0)


@pytest.mark.usefixtures("large")
async def test_the_keys_scroll_where_they_are_higher_than_the_window(session: Session, qtbot: QtBot) -> None:
    for name, kind in (
        ("front-desk till", KeyKind.PRIVATE),
        ("nightly", KeyKind.PRIVATE),
        ("web", KeyKind.PUBLIC),
    ):
        await session.console.world.journal.add_key(a_key(name, kind))
    page = BenchPage(session)
    qtbot.addWidget(page)
    page.resize(900, 620)
    page.show()
    keys = page.keys
    assert isinstance(keys, KeysPanel)
    await until(lambda: len(keys.keys) == 3 and keys.height() >= keys.minimumSizeHint().height())
    area = page.splitter.widget(0)
    assert isinstance(area, QScrollArea)
    assert area.verticalScrollBar().maximum() > 0
    assert area.horizontalScrollBar().maximum() == 0
    assert keys.table.geometry().bottom() < keys.details.geometry().top()


@pytest.mark.usefixtures("large")
async def test_nothing_of_the_keys_is_cut_or_overlaps_where_text_is_large(
    session: Session, qtbot: QtBot
) -> None:
    key = replace(a_key("front-desk till", KeyKind.PRIVATE), fingerprint="-".join(["waterfall"] * 4))
    await session.console.world.journal.add_key(key)
    page = BenchPage(session)
    qtbot.addWidget(page)
    page.resize(900, 620)
    page.show()
    keys = page.keys
    assert isinstance(keys, KeysPanel)
    details, head = keys.details, keys.details.head
    await until(lambda: head.fingerprint.text() == key.fingerprint)
    fingerprint = head.fingerprint
    await until(lambda: fingerprint.height() >= fingerprint.heightForWidth(fingerprint.width()))
    assert details.value.width() >= details.value.minimumWidth() > 0
    pressed = [one for one in keys.findChildren(QPushButton) if one.isVisibleTo(keys)]
    title = next(one for one in keys.findChildren(QLabel) if one.text() == "Security Keys")
    assert len(pressed) == 11
    for one in (title, *pressed):
        assert one.width() >= one.sizeHint().width()
    places = [QRect(one.mapTo(keys, QPoint()), one.size()) for one in (title, *pressed)]
    assert all(keys.rect().contains(place) for place in places)
    assert not any(one.intersects(other) for one, other in combinations(places, 2))


@pytest.mark.usefixtures("light_theme")
@pytest.mark.parametrize(("width", "height", "least"), [(910, 616, 5), (1166, 716, 9), (1326, 816, 9)])
async def test_two_hundred_keys_show_many_rows_beside_the_whole_card(
    session: Session, qtbot: QtBot, width: int, height: int, least: int
) -> None:
    """The page's size in windows of 1024 by 700, 1280 by 800 and 1440 by 900."""
    for number in range(204):
        await session.console.world.journal.add_key(a_key(f"branch {number:03} till", KeyKind.PRIVATE))
    page = BenchPage(session)
    qtbot.addWidget(page)
    page.resize(width, height)
    page.show()
    keys = page.keys
    await until(lambda: keys.table.model().rowCount() == 204 and page.sale.isVisible())
    await until(lambda: keys.table.viewport().height() >= least * keys.table.rowHeight(0))
    area = page.splitter.widget(0)
    assert isinstance(area, QScrollArea)
    bars = area.verticalScrollBar(), area.horizontalScrollBar()
    await until(lambda: not any(bar.maximum() for bar in bars))
    assert keys.rect().contains(QRect(keys.details.mapTo(keys, QPoint()), keys.details.size()))


@pytest.mark.usefixtures("light_theme")
async def test_no_column_goes_or_comes_with_what_a_key_says(session: Session, qtbot: QtBot) -> None:
    panel = await panel_of(session, qtbot, QSize(600, 800), "front-desk till")
    header = panel.table.horizontalHeader()
    before = [header.sectionSize(number) for number in range(header.count())]
    assert all(before)
    keys = [*panel.keys, *(a_key(f"till {n}", KeyKind.PUBLIC) for n in range(90))]
    panel.show_rows([InventoryRow(key, session.environment, KeyMarks(stage=3)) for key in keys])
    await until(lambda: panel.table.verticalScrollBar().maximum() > 0)
    sizes = [header.sectionSize(number) for number in range(header.count())]
    assert sizes[1:] == before[1:]
    state = panel.table.model().column("state")
    assert panel.table.sizeHintForColumn(state) <= sizes[state]


@pytest.mark.usefixtures("light_theme")
async def test_what_a_button_found_out_takes_room_from_the_table_alone(
    session: Session, qtbot: QtBot
) -> None:
    names = [f"till {number:02}" for number in range(30)]
    panel = await panel_of(session, qtbot, QSize(520, 700), *names)
    await until(lambda: panel.key is not None)
    last = panel.keys[8]
    panel.choose(last.id)
    details = panel.details
    stay = [details.head, *(one for one in details.findChildren(QPushButton) if one.isVisible())]
    await until(lambda: panel.table.visualRect(panel.table.currentIndex()).isValid())
    before, room = [one.mapTo(panel, QPoint()) for one in stay], panel.table.height()
    details.show_message("The gateway can't be reached.\nNothing is known of the key.\nTry again.", "bad")
    await until(lambda: panel.table.height() < room)
    assert [one.mapTo(panel, QPoint()) for one in stay] == before
    seen = panel.table.viewport().rect()
    await until(lambda: seen.contains(panel.table.visualRect(panel.table.currentIndex())))
    details.show_message("", "")
    await until(lambda: panel.table.height() == room)


@pytest.mark.usefixtures("light_theme")
async def test_the_buttons_stay_where_they_are_whatever_they_say(session: Session, qtbot: QtBot) -> None:
    panel = await panel_of(session, qtbot, QSize(520, 800), "front-desk till")
    details = panel.details
    buttons = {one.accessibleName(): one for one in details.findChildren(QPushButton)}
    before = [one.geometry() for one in buttons.values()]
    details.row_actions[0].setText("Testing…")
    details.value.ticked.emit(REVEAL_S)
    assert buttons["Reveal"].text() == "Hide (10 s)"
    await until(lambda: buttons["Test key"].text() == "Testing…")
    assert [one.geometry() for one in buttons.values()] == before
    assert [one.accessibleName() for one in buttons.values()] == list(buttons)


@pytest.mark.usefixtures("large")
async def test_a_value_has_the_whole_line_as_soon_as_it_is_shown(session: Session, qtbot: QtBot) -> None:
    panel = await panel_of(session, qtbot, QSize(400, 900), "front-desk till")
    value = panel.details.value
    before = value.width()
    value.reveal(Secret("MadeUpForTests0123456789abcdefgh"))
    fits = value.fits
    assert fits
    assert value.width() > before


@pytest.mark.usefixtures("large")
async def test_titles_that_are_cut_have_their_words_at_hand(session: Session, qtbot: QtBot) -> None:
    panel = await panel_of(session, qtbot, QSize(300, 620), "front-desk till")
    header = panel.table.horizontalHeader()
    assert isinstance(header, QHeaderView)
    assert header.textElideMode() is Qt.TextElideMode.ElideRight
    role = Qt.ItemDataRole.ToolTipRole
    assert header.model().headerData(0, Qt.Orientation.Horizontal, role) == "Key name"
