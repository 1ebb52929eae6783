"""Ctrl+F on the Bench goes to the keys, or to the exchanges of a sale."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from fakes.clock import START
from fakes.waiting import until
from keybench.core.keys.key import KeyKind, SecurityKey
from keybench.ui.bench.page import BenchPage
from keybench.ui.shared.session import Session


async def test_ctrl_f_goes_to_what_is_searched_where_somebody_works(session: Session, qtbot: QtBot) -> None:
    key = SecurityKey("k", "practice", "till", "counter1", "Sale", KeyKind.PRIVATE, "", "amber-nine", START)
    await session.console.world.journal.add_key(key)
    page = BenchPage(session)
    qtbot.addWidget(page)
    page.resize(1300, 800)
    page.show()
    page.activateWindow()
    await until(lambda: page.isActiveWindow() and page.keys.keys)
    keys, exchanges = page.keys, page.sale.exchanges
    amount = page.sale.form.amount

    def found_from(widget: QWidget) -> QWidget:
        widget.setFocus()
        QTest.keyClick(widget, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        return page.focusWidget()

    assert found_from(keys.table) is keys.search
    await until(amount.isEnabled)
    assert found_from(amount) is keys.search
    page.sale.views.choose("exchanges")
    await until(exchanges.search.isVisible)
    assert found_from(amount) is exchanges.search.field
    assert found_from(keys.table) is keys.search
    keys.add_new_key()
    at = page.focusWidget()
    assert found_from(at) is at
