"""The Bench in the smallest window with large text: what has no room is cut and can be read, or scrolls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QHeaderView, QLabel, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from fakes.clock import START
from fakes.waiting import until
from keybench.core.secret import Secret
from keybench.core.security_key import KeyKind, SecurityKey
from keybench.ui.keys.panel import KeysPanel
from keybench.ui.keys.value_line import REVEAL_S
from keybench.ui.pages.bench import BenchPage
from keybench.ui.session import Session
from keybench.ui.theme import Theme
from keybench.ui.widgets.labels import ElidedLabel


def a_key(name: str, kind: KeyKind) -> SecurityKey:
    made = START - timedelta(days=262)
    return SecurityKey(name, "practice", name, "counter1", "Sale", kind, "till", "amber-river-nine-fox", made)


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
    await until(lambda: len(keys.tables.keys) == 3 and keys.height() >= keys.minimumSizeHint().height())
    area = page.splitter.widget(0)
    assert isinstance(area, QScrollArea)
    assert area.verticalScrollBar().maximum() > 0
    assert area.horizontalScrollBar().maximum() == 0
    tables = [keys.tables.table(kind) for kind in KeyKind]
    assert tables[0].geometry().bottom() < tables[1].geometry().top()


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
    assert len(pressed) == 7
    for one in (title, *pressed):
        assert one.width() >= one.sizeHint().width()
    places = [QRect(one.mapTo(keys, QPoint()), one.size()) for one in (title, *pressed)]
    assert all(keys.rect().contains(place) for place in places)
    assert not any(one.intersects(other) for one, other in combinations(places, 2))


async def test_what_a_button_found_out_is_brought_into_view(session: Session, qtbot: QtBot) -> None:
    await session.console.world.journal.add_key(a_key("front-desk till", KeyKind.PRIVATE))
    page = BenchPage(session)
    qtbot.addWidget(page)
    page.resize(900, 480)
    page.show()
    keys = page.keys
    assert isinstance(keys, KeysPanel)
    area = page.splitter.widget(0)
    assert isinstance(area, QScrollArea)
    await until(lambda: keys.tables.keys and area.verticalScrollBar().maximum() > 0)
    keys.details.show_message("✓ Accepted by the gateway (200) in 12 ms.", "good")
    assert area.verticalScrollBar().value() > 0


@pytest.mark.usefixtures("light_theme")
async def test_the_buttons_stay_where_they_are_whatever_they_say(session: Session, qtbot: QtBot) -> None:
    await session.console.world.journal.add_key(a_key("front-desk till", KeyKind.PRIVATE))
    panel = KeysPanel(session)
    qtbot.addWidget(panel)
    panel.resize(520, 800)
    panel.show()
    await until(lambda: panel.tables.keys)
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
    await session.console.world.journal.add_key(a_key("front-desk till", KeyKind.PRIVATE))
    panel = KeysPanel(session)
    qtbot.addWidget(panel)
    panel.resize(400, 900)
    panel.show()
    await until(lambda: panel.tables.keys)
    value = panel.details.value
    before = value.width()
    value.reveal(Secret("MadeUpForTests0123456789abcdefgh"))
    fits = value.fits
    assert fits
    assert value.width() > before


@pytest.mark.usefixtures("light_theme")
async def test_the_tables_take_what_room_there_is(session: Session, qtbot: QtBot) -> None:
    for number in range(30):
        await session.console.world.journal.add_key(a_key(f"till {number}", KeyKind.PRIVATE))
    panel = KeysPanel(session)
    qtbot.addWidget(panel)
    panel.resize(520, 1000)
    panel.show()
    private, public = (panel.tables.table(kind) for kind in KeyKind)
    await until(lambda: private.height() > private.height_for_rows(10))
    assert public.height() == public.height_for_rows(1)
    assert panel.details.height() <= panel.details.minimumSizeHint().height()


@pytest.mark.usefixtures("light_theme")
async def test_columns_stand_below_each_other_beside_a_scroll_bar_too(session: Session, qtbot: QtBot) -> None:
    for number in range(30):
        await session.console.world.journal.add_key(a_key(f"till {number}", KeyKind.PRIVATE))
    await session.console.world.journal.add_key(a_key("web", KeyKind.PUBLIC))
    panel = KeysPanel(session)
    qtbot.addWidget(panel)
    panel.resize(520, 700)
    panel.show()
    private, public = (panel.tables.table(kind) for kind in KeyKind)
    await until(lambda: private.viewport().width() < public.viewport().width())
    await until(lambda: public.columnViewportPosition(4) == private.columnViewportPosition(4))


@pytest.mark.usefixtures("large")
async def test_heads_that_are_cut_have_their_words_at_hand(session: Session, qtbot: QtBot) -> None:
    await session.console.world.journal.add_key(a_key("front-desk till", KeyKind.PRIVATE))
    panel = KeysPanel(session)
    qtbot.addWidget(panel)
    panel.setMinimumWidth(300)
    panel.resize(300, 620)
    panel.show()
    await until(lambda: panel.tables.keys)
    headings = panel.tables.findChildren(ElidedLabel)
    private = next(one for one in headings if one.text().startswith("Private keys"))
    await until(lambda: private.toolTip() == private.text())
    header = panel.tables.table(KeyKind.PRIVATE).horizontalHeader()
    assert isinstance(header, QHeaderView)
    assert header.textElideMode() is Qt.TextElideMode.ElideRight
    role = Qt.ItemDataRole.ToolTipRole
    assert header.model().headerData(0, Qt.Orientation.Horizontal, role) == "Key name"
