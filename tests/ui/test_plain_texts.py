"""What people and gateways say is shown as it is: no markup, and no file that it names is opened."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench.core.ports import Device
from keybench.ui.kit.labels import ElidedLabel, Label, literal
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.sales.fields import DeviceBox

_IN_NONBLOCK, _IN_OPEN = 0o4000, 0x20


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[list[str]]:
    """A list with the markup to show, and afterwards nothing has opened the file that it names."""
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"no picture")
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(_IN_NONBLOCK)
    assert libc.inotify_add_watch(watch, os.fsencode(picture), _IN_OPEN) >= 0
    yield [f'<img src="file://{picture}">till', f'<b>till</b> &lt;i&gt; <img src="{picture}">']
    QToolTip.hideText()
    try:
        with pytest.raises(BlockingIOError):
            os.read(watch, 4096)
    finally:
        os.close(watch)


def show_tip(widget: QWidget, place: QPoint) -> None:
    """Let the mouse rest over a widget."""
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place)))


def shown_tip() -> str:
    """Return what the tool tip on screen says, as it is seen."""
    tips = [one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel") and one.isVisible()]
    assert len(tips) == 1
    (tip,) = tips
    assert isinstance(tip, QLabel)
    assert not QtGui.Qt.mightBeRichText(tip.text())
    return tip.text().replace("\u2060", "")


async def test_a_table_s_tool_tip_is_no_markup(qtbot: QtBot, opened: list[str]) -> None:
    columns = [
        Column[str]("device", "Device", lambda row: row),
        Column[str]("hint", "Hint", lambda row: row[:1], hint=lambda row: row),
    ]
    model = TableModel(columns)
    table = Table("Devices", model)
    qtbot.addWidget(table)
    model.show(opened)
    table.resize(400, 200)
    table.show()
    for row, words in enumerate(opened):
        for column in (0, 1):
            show_tip(table.viewport(), table.visualRect(model.index(row, column)).center())
            await until(lambda said=words: QToolTip.isVisible() and shown_tip() == said)


async def test_a_widget_s_tool_tip_is_no_markup(qtbot: QtBot, opened: list[str]) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(30, 20)
    label.show()
    for words in opened:
        label.setText(words)
        show_tip(label, QPoint(2, 2))
        await until(lambda said=words: QToolTip.isVisible() and shown_tip() == said)


async def test_a_device_s_connection_is_no_markup(qtbot: QtBot, opened: list[str]) -> None:
    box = DeviceBox()
    qtbot.addWidget(box)
    box.show_devices([Device("till-1", "", words) for words in opened], choose=True)
    said = [box.itemData(row, Qt.ItemDataRole.ToolTipRole) for row in range(box.count())]
    assert any("till" in one for one in said if one)
    assert not any(QtGui.Qt.mightBeRichText(one) for one in (*said, box.toolTip()) if one)


async def test_a_label_shows_markup_as_it_is(qtbot: QtBot, opened: list[str]) -> None:
    label = Label("")
    qtbot.addWidget(label)
    label.show()
    for words in opened:
        label.setText(words)
        assert label.textFormat() is Qt.TextFormat.PlainText
        assert not label.grab().isNull()


@pytest.mark.parametrize("text", ["till 1", "a < b", "5 & 6", "", "a\n<b>c</b>"])
def test_what_can_t_be_taken_for_markup_stays_as_it_is(text: str) -> None:
    assert literal(text) == text
