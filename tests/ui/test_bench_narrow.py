"""The Bench in the smallest window with large text: what has no room is cut and can be read, or scrolls."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QScrollArea
from pytestqt.qtbot import QtBot

from fakes.clock import START
from fakes.waiting import until
from keybench.core.security_key import KeyKind, SecurityKey
from keybench.ui.keys.panel import KeysPanel
from keybench.ui.pages.bench import BenchPage
from keybench.ui.preferences import Preferences
from keybench.ui.session import Session
from keybench.ui.theme import Theme
from keybench.ui.widgets.elided import ElidedLabel


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
    page = BenchPage(session, Preferences())
    qtbot.addWidget(page)
    page.resize(900, 620)
    page.show()
    keys = page.keys
    assert isinstance(keys, KeysPanel)
    await until(lambda: len(keys.list.tables.keys) == 3 and keys.height() >= keys.minimumSizeHint().height())
    area = page.splitter.widget(0)
    assert isinstance(area, QScrollArea)
    assert area.verticalScrollBar().maximum() > 0
    assert area.horizontalScrollBar().maximum() == 0
    tables = [keys.list.tables.table(kind) for kind in KeyKind]
    assert tables[0].geometry().bottom() < tables[1].geometry().top()
    page.close_down()


@pytest.mark.usefixtures("large")
async def test_heads_that_are_cut_have_their_words_at_hand(session: Session, qtbot: QtBot) -> None:
    await session.console.world.journal.add_key(a_key("front-desk till", KeyKind.PRIVATE))
    panel = KeysPanel(session)
    qtbot.addWidget(panel)
    panel.setMinimumWidth(300)
    panel.resize(300, 620)
    panel.show()
    await until(lambda: panel.list.tables.keys)
    headings = panel.list.tables.findChildren(ElidedLabel)
    private = next(one for one in headings if one.text().startswith("Private keys"))
    await until(lambda: private.toolTip() == private.text())
    header = panel.list.tables.table(KeyKind.PRIVATE).horizontalHeader()
    assert isinstance(header, QHeaderView)
    assert header.textElideMode() is Qt.TextElideMode.ElideRight
    role = Qt.ItemDataRole.ToolTipRole
    assert header.model().headerData(0, Qt.Orientation.Horizontal, role) == "Key name"
    panel.close_down()
