"""Sending again from the card: a settled sale at once, an unknown one only after a person's check."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from fakes.scripted_gateway import ACCEPTED, DONE, PARTLY_APPROVED
from fakes.waiting import until
from keybench.core.errors import AnswerLost
from keybench.core.ports import StatusReading
from keybench.core.sales.sale import Mark
from keybench.ui.kit.actions import COMMANDS, Menu, MenuBar
from keybench.ui.kit.boxes import PageFrame
from keybench.ui.kit.theme import theme
from keybench.ui.shared.sales.actions import CHECK_FIRST, CHECKED_AT_GATEWAY, CHECKED_CONFIRM, SEND_REST

from .questions import press
from .sale_support import Selling, Stage


async def unknown(selling: Selling) -> Stage:
    stage = await selling()
    stage.bench.gateway.to_post = [AnswerLost("timeout"), ACCEPTED]
    await stage.send()
    await stage.outcome_is("Unknown")
    return stage


async def test_an_unknown_sale_waits_for_a_check_before_it_is_sent_again(selling: Selling) -> None:
    stage = await unknown(selling)
    card = stage.panel.card
    assert not card.again.isVisible()
    assert "Look it up before anything is sent again." in card.meaning.text()
    assert stage.panel.actions_of_sale.again.toolTip() == CHECK_FIRST
    card.check.click()
    asked = await press(CHECKED_CONFIRM)
    assert CHECKED_AT_GATEWAY in asked.accessibleDescription()
    await until(card.again.isEnabled)
    assert card.check.isHidden()
    assert not card.look_up.isHidden()
    assert "Checked here at" in card.meaning.text()
    assert stage.outcome.startswith("Unknown")
    assert stage.panel.selection.events[-1].mark is Mark.CHECKED
    first = stage.panel.selection.reference
    card.again.click()
    await until(lambda: stage.panel.selection.reference != first)
    await stage.outcome_is("Approved")
    references = [order.reference for order in stage.bench.gateway.posts]
    assert len(set(references)) == 2


async def test_a_partial_approval_says_how_much_and_offers_the_rest_alone(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [StatusReading("interactionComplete", PARTLY_APPROVED), DONE]
    stage.panel.resize(466, 820)
    await stage.send()
    await stage.outcome_is("Partly approved · 7.50 of 10.00 USD on Till 1")
    card = stage.panel.card
    assert card.title.text() == "7.50 of 10.00 USD was approved: the rest was not."
    assert (card.pill.text(), card.pill.property("tone")) == ("◐ Partly approved", "warning")
    assert card.timeline.accessibleDescription().endswith("partly approved")
    header = card.figure.parentWidget()
    assert header is not None
    assert header.rect().contains(card.figure.geometry())
    assert card.width() <= stage.panel.width()
    assert card.causes.isHidden()
    recent = stage.panel.recent.model()
    shown = {column.id: recent.index(0, number).data() for number, column in enumerate(recent.columns)}
    assert (shown["amount"], shown["outcome"]) == ("7.50 of 10.00 USD", "◐ Partly approved")
    assert (card.again.text(), card.again.accessibleDescription()) == (SEND_REST, "2.50 USD")
    card.again.click()
    await stage.outcome_is("Approved")
    assert [order.money.figure for order in stage.bench.gateway.posts] == ["10.00", "2.50"]
    assert card.again.text() == COMMANDS["sale.again"].text


async def test_a_menu_that_is_opened_doesnt_allow_what_has_to_be_checked_first(
    qtbot: QtBot, selling: Selling
) -> None:
    stage = await unknown(selling)
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setCentralWidget(stage.panel)
    bar = MenuBar(window)

    bar.fill()

    assert not stage.panel.card.again.isEnabled()
    assert stage.panel.card.look_up.isEnabled()
    again = COMMANDS["sale.again"].text
    assert [one.isEnabled() for one in bar.menu(Menu.SALE).actions() if one.text() == again] == [False]


async def test_a_check_taken_back_changes_nothing(selling: Selling) -> None:
    stage = await unknown(selling)
    stage.panel.card.check.click()
    asked = await press("Cancel")
    assert asked.confirm_button.property("tone") == "danger"
    await until(lambda: not [name for name in stage.session.supervisor.running if name.startswith("check")])
    assert not stage.panel.card.again.isEnabled()
    assert all(event.mark is not Mark.CHECKED for event in stage.panel.selection.events)


async def test_a_new_sale_is_brought_into_view(selling: Selling, qtbot: QtBot) -> None:
    stage = await selling()
    frame = PageFrame()
    qtbot.addWidget(frame)
    frame.hold(stage.panel)
    frame.resize(500, 400)
    frame.show()
    await stage.send()
    await stage.outcome_is("Approved")
    stage.panel.views.choose("exchanges")
    bar = frame.verticalScrollBar()
    await until(lambda: bar.value() > 0)
    stage.panel.card.again.click()
    pill, sight = stage.panel.card.pill, frame.viewport()
    await until(lambda: sight.rect().contains(QRect(pill.mapTo(sight, QPoint()), pill.size())))
    frame.takeWidget()


async def test_nothing_is_cut_in_a_narrow_panel_with_large_text(selling: Selling) -> None:
    stage = await unknown(selling)
    theme().set_scale(1.5)
    stage.panel.resize(514, 600)
    card = stage.panel.card
    shown = (
        card.look_up,
        card.check,
        *(stage.panel.modes.button(m) for m in ("async", "classic")),
    )
    await until(lambda: all(one.width() >= one.sizeHint().width() for one in shown))
    for button in (card.look_up, card.check):
        row = button.parentWidget()
        assert row is not None
        assert row.rect().contains(button.geometry())
        assert row.parentWidget().rect().contains(row.geometry())
