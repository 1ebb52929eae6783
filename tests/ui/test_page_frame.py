"""Frames that scroll to what is to be seen."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench.ui.kit.boxes import PageFrame, bring_into_sight, in_column


async def test_what_is_brought_into_sight_stays_there_though_something_above_it_is_growing(
    qtbot: QtBot, until: Until
) -> None:
    frame, content, above, around, card = PageFrame(), QWidget(), QWidget(), QWidget(), QWidget()
    qtbot.addWidget(frame)
    above.setMinimumHeight(150)
    card.setMinimumHeight(60)
    in_column(card, within=around)
    in_column(above, around, within=content)
    frame.hold(content)
    frame.resize(200, 200)
    frame.show()
    await until(lambda: content.height() > frame.viewport().height())
    QTimer.singleShot(
        0, above, partial(above.setMinimumHeight, 400)
    )  # before it is scrolled, and not laid out yet
    bring_into_sight(card)
    await until(lambda: content.height() > 400)
    await until(lambda: card.visibleRegion().boundingRect().height() == card.height())
