"""The sale form: each wrong input has its sentence, card data never stays, and Send says why it can't."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from fakes.clock import START
from fakes.waiting import PATIENCE_MS
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.input_errors import AmountInvalid, KeyKindUnfit, KeyWithoutValue
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.core.ports import Device
from keybench.core.sales.sale import SaleMode
from keybench.ui.bench.sale_form import NO_KEY, SaleForm
from keybench.ui.shared.sales.fields import SEND_LIVE, DeviceBox
from keybench.ui.shared.session import Session

from .sale_support import TILLS

PRACTICE = Environment("practice", "practice", EnvironmentKind.PRACTICE, "", "practice", START)
LIVE = Environment("live", "Main shop", EnvironmentKind.LIVE, "https://pay.example", "v5", START)
CARD = "4111 1111 1111 1111"


def key(name: str, kind: KeyKind = KeyKind.PRIVATE) -> SecurityKey:
    return SecurityKey(name, "practice", name, "mira", "Sale", kind, "", "a-b-c-d", START)


@pytest.fixture
def form(qtbot: QtBot, session: Session) -> SaleForm:
    made = SaleForm(session)
    qtbot.addWidget(made)
    made.resize(760, 120)
    made.show_environment(PRACTICE)
    made.show_keys([key("till")])
    made.show_devices(TILLS)
    with qtbot.waitActive(made, timeout=PATIENCE_MS):
        made.show()
        made.activateWindow()
    return made


@pytest.fixture
def sent(form: SaleForm) -> list[bool]:
    pressed: list[bool] = []
    form.submitted.connect(lambda: pressed.append(True))
    return pressed


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        ("abc", "plain figures"),
        ("-1", "plain figures"),
        ("0", "more than zero"),
        ("0.00", "more than zero"),
        ("1.005", "2 decimal places"),
        ("1e3", "plain figures"),
        ("٣", "plain figures"),
        ("1,000.00", "plain figures"),
    ],
)
def test_a_wrong_amount_is_told_as_one_types_and_isnt_sent(
    form: SaleForm, sent: list[bool], amount: str, words: str
) -> None:
    form.amount.setText(amount)
    assert words in form.message.text()
    assert form.amount.property("invalid") == "true"
    assert words in form.amount.accessibleDescription()
    form.submit()
    assert not sent
    assert form.amount.hasFocus()
    assert form.amount.text() == amount


@pytest.mark.parametrize("currency", ["US", "USDX", "U5D", "ÄÖÜ"])
def test_a_currency_is_three_letters(form: SaleForm, sent: list[bool], currency: str) -> None:
    form.currency.setEditText(currency)
    assert "three letters" in form.message.text()
    form.submit()
    assert not sent


def test_any_three_letters_are_a_currency(form: SaleForm, sent: list[bool]) -> None:
    form.currency.setEditText("sek")
    form.submit()
    assert sent
    assert form.draft(PRACTICE, SaleMode.ASYNCHRONOUS).currency == "sek"


def test_the_amount_is_judged_by_its_currency(form: SaleForm) -> None:
    form.amount.setText("10.50")
    form.currency.setEditText("JPY")
    assert "no decimal places" in form.message.text()
    form.currency.setEditText("USD")
    assert not form.message.text()


@pytest.mark.parametrize("field", ["device", "amount", "currency"])
def test_a_card_number_is_refused_with_the_reason_and_not_kept(
    form: SaleForm, sent: list[bool], field: str
) -> None:
    editor = {
        "device": form.device.editor,
        "amount": form.amount,
        "currency": form.currency.lineEdit(),
    }[field]
    editor.setText(CARD)
    assert editor.text() == ""
    assert not editor.isUndoAvailable()
    assert "card number" in form.message.text()
    assert "1111" not in form.message.text()
    form.submit()
    assert not sent
    assert "card number" in form.message.text()


def test_a_refused_card_number_is_told_until_something_else_is_typed(form: SaleForm) -> None:
    form.device.editor.setText(CARD)
    form.amount.setFocus()
    form.show_devices(TILLS)
    assert form.device.device_id == ""
    assert "card number" in form.message.text()


def test_a_device_that_comes_with_the_list_is_missing_no_more(form: SaleForm) -> None:
    form.show_devices(())
    form.device.choose("")
    form.submit()
    assert "Device" in form.message.text()
    form.amount.setFocus()
    form.show_devices(TILLS)
    assert form.device.device_id == "D-1"
    assert not form.message.text()


def test_a_listed_device_may_have_a_long_nickname(form: SaleForm, sent: list[bool]) -> None:
    form.show_devices([Device("D-1", "Till at the far end of the hall " * 3, "connected")])
    form.device.choose("D-1")
    form.submit()
    assert (form.message.text(), sent) == ("", [True])


def test_what_follows_a_refused_card_number_is_judged_afresh(form: SaleForm, sent: list[bool]) -> None:
    form.amount.setText(CARD)
    form.amount.setText("12.00")
    assert not form.message.text()
    form.submit()
    assert sent


def test_nothing_is_called_wrong_before_it_is_there(form: SaleForm, sent: list[bool]) -> None:
    form.amount.setText("")
    form.device.choose("")
    assert not form.message.text()
    form.amount.setText("1.")
    assert not form.message.text()
    form.submit()
    assert not sent
    assert "Device" in form.message.text()
    assert form.device.editor.hasFocus()


def test_without_a_key_send_is_off_and_says_what_to_do_first(form: SaleForm, sent: list[bool]) -> None:
    form.show_keys([key("checkout", KeyKind.PUBLIC)])
    assert form.key.count() == 0
    assert not form.send.isEnabled()
    assert form.message.text() == NO_KEY
    assert form.send.accessibleDescription() == NO_KEY
    form.submit()
    assert not sent


def test_nothing_is_sent_with_a_guessed_key(form: SaleForm, sent: list[bool]) -> None:
    form.show_keys([key("front-desk till"), key("nightly")])
    form.key.setEditText("front")
    assert form.send.isEnabled(), "somebody may still be typing"
    form.submit()
    assert not sent
    assert "No private key has this name" in form.message.text()
    assert form.key.editor.hasFocus()
    form.key.setEditText("Front-Desk Till")
    assert not form.message.text()
    form.submit()
    assert sent
    assert form.draft(LIVE, SaleMode.ASYNCHRONOUS).key_id == key("front-desk till").id


def test_the_chosen_key_stays_when_keys_are_read_again(form: SaleForm) -> None:
    form.show_keys([key("a"), key("b"), key("c")])
    assert form.key.choose(key("b"))
    form.show_keys([key("a0"), key("b"), key("c")])
    assert form.key.key == key("b")
    form.show_keys([key("c")])
    assert form.key.key == key("c")


def test_live_looks_different_and_takes_nothing_along(form: SaleForm) -> None:
    form.show_environment(LIVE)
    assert form.send.text() == form.send.accessibleName() == SEND_LIVE
    assert form.send.property("tone") == "danger"
    assert form.amount.text() == ""
    form.show_devices(TILLS)
    assert form.device.device_id == ""
    form.show_environment(PRACTICE)
    assert form.send.text() == "Send sale"


def test_a_barred_form_says_why(form: SaleForm, sent: list[bool]) -> None:
    form.bar("Live sales need a keystore.")
    assert form.message.text() == "Live sales need a keystore."
    form.submit()
    assert not sent
    form.bar("")
    form.submit()
    assert sent


def test_an_error_of_the_use_case_stands_at_its_field(form: SaleForm) -> None:
    form.show_error(AmountInvalid("x", AmountInvalid.ZERO))
    assert "more than zero" in form.message.text()
    assert form.amount.hasFocus()
    form.amount.setText("5")
    form.show_error(KeyKindUnfit("checkout"))
    assert "public key" in form.message.text()


def test_enter_in_a_field_sends_nothing(qtbot: QtBot, form: SaleForm, sent: list[bool]) -> None:
    for field in (form.amount, form.device, form.currency, form.key):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not sent


def test_each_environment_has_its_own_device(form: SaleForm) -> None:
    sandbox = replace(PRACTICE, id="sandbox", kind=EnvironmentKind.TEST)
    form.device.setEditText("typed-7")
    form.show_environment(sandbox)
    assert not form.device.device_id
    assert not form.device.count()
    form.show_devices([Device("S-1", "", "connected")])
    assert form.device.device_id == "S-1"
    form.show_environment(PRACTICE)
    assert not form.device.device_id
    form.show_devices(TILLS)
    assert form.device.device_id == "typed-7"
    for live in (LIVE, replace(LIVE, id="live2")):
        form.show_environment(live)
        assert not form.device.device_id
        form.device.setEditText("real-1")
    form.show_environment(LIVE)
    assert not form.device.device_id
    form.show_environment(sandbox)
    form.show_devices([Device("S-0", "", "connected"), Device("S-1", "", "connected")])
    assert form.device.device_id == "S-1"


def test_tab_goes_through_the_fields_in_order(qtbot: QtBot, form: SaleForm) -> None:
    form.device.setFocus()
    for following in (form.key, form.amount, form.amounts, form.currency, form.send):
        focused = form.focusWidget()
        assert focused is not None
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
        assert following.hasFocus()


def test_little_room_puts_the_fields_in_two_rows(qtbot: QtBot, form: SaleForm) -> None:
    def top(widget: QWidget) -> int:
        return widget.mapTo(form, QPoint(0, 0)).y()

    assert top(form.device) == top(form.send)
    form.resize(380, 200)
    qtbot.waitUntil(lambda: top(form.device) < top(form.amount))
    assert form.send.geometry().right() <= 380


@pytest.mark.usefixtures("light_theme")
def test_in_a_window_of_1280_pixels_all_fields_stand_in_one_row(qtbot: QtBot, form: SaleForm) -> None:
    form.resize(556, 120)
    row = form.send.parentWidget().layout()
    assert row is not None
    row.activate()
    tops = {one.mapTo(form, QPoint(0, 0)).y() for one in (form.device, form.amount, form.key, form.send)}
    assert len(tops) == 1
    assert form.send.geometry().right() <= 556


@pytest.mark.usefixtures("light_theme")
@pytest.mark.parametrize("width", [760, 556, 470])
def test_a_message_comes_without_moving_anything(qtbot: QtBot, form: SaleForm, width: int) -> None:
    form.resize(width, 200)
    for _ in range(3):  # the form, the rows in it, and the form around the other rows
        QApplication.sendPostedEvents()

    def height() -> int:
        return max(form.heightForWidth(width), form.minimumSizeHint().height())

    before = height()
    currency = form.currency.lineEdit()
    assert currency is not None
    for box, text in ((form.amount, "abc"), (currency, "ZZZ"), (form.key.editor, "no such key")):
        usual = box.text()
        box.setFocus()
        box.setText(text)
        form.key.editor.textEdited.emit(text)
        for field in form.fields:
            field.touch()
        assert form.message.text()
        assert height() == before
        box.setText(usual)


def test_a_device_is_meant_by_label_nickname_or_identifier(qtbot: QtBot) -> None:
    box = DeviceBox()
    qtbot.addWidget(box)
    box.show_devices(TILLS, choose=True)
    assert box.currentText() == "Till 1 · D-1"
    assert box.device_id == "D-1"
    assert box.accessibleDescription() == "connected"
    box.setEditText("till 2")
    assert box.device_id == "D-2"
    assert box.accessibleDescription() == "disconnected"
    box.setEditText("another-7")
    assert box.device_id == "another-7"
    assert box.accessibleDescription() == ""


def test_what_was_typed_stays_when_devices_are_read_again(qtbot: QtBot) -> None:
    box = DeviceBox()
    qtbot.addWidget(box)
    box.show_devices(TILLS, choose=True)
    box.setEditText("another-7")
    box.show_devices([*TILLS, Device("D-3")], choose=True)
    assert box.device_id == "another-7"
    box.choose("D-2")
    box.show_devices([Device("D-2", "Renamed")], choose=True)
    assert box.device_id == "D-2"
    assert box.currentText() == "Renamed · D-2"
    assert box.accessibleDescription() == "connection not known"


@pytest.mark.parametrize("typed", ["ti", "till", "Till 1", "D-", "D-1", "another-7"])
def test_devices_that_are_read_while_one_types_leave_letters_and_cursor_alone(
    qtbot: QtBot, typed: str
) -> None:
    box = DeviceBox()
    qtbot.addWidget(box)
    box.show()
    box.editor.setFocus()
    qtbot.waitUntil(box.editor.hasFocus)
    box.show_devices((), choose=True)
    for place, letter in enumerate(typed):
        qtbot.keyClick(box.editor, letter)
        box.show_devices(TILLS[: place % 3], choose=True)
    assert box.currentText() == typed
    box.editor.setCursorPosition(1)
    box.show_devices(TILLS, choose=True)
    assert (box.currentText(), box.editor.cursorPosition()) == (typed, 1)


def test_what_is_chosen_to_be_typed_over_is_typed_over(qtbot: QtBot) -> None:
    box = DeviceBox()
    qtbot.addWidget(box)
    box.show()
    box.show_devices(TILLS, choose=True)
    box.editor.setFocus()
    qtbot.waitUntil(box.editor.hasFocus)
    box.editor.selectAll()
    box.show_devices([Device("D-1", "Renamed", "connected")], choose=True)
    assert box.device_id == "D-1"
    qtbot.keyClicks(box.editor, "x")
    assert box.currentText() == "x"


def test_a_key_that_shouldnt_be_sold_with_says_so_in_the_list(form: SaleForm) -> None:
    described = replace(key("described"), state=KeyState.NO_VALUE)
    leaked = replace(key("leaked"), compromised=True, state=KeyState.VALUE_LOST)
    form.show_keys([described, leaked, key("till")])
    assert [form.key.itemText(row) for row in range(form.key.count())] == [
        "described · no value here",
        "leaked · compromised · no value here",
        "till",
    ]
    assert form.key.key == key("till"), "the chosen one stays chosen"
    form.show_keys([])
    form.show_keys([described, key("till")])
    assert form.key.key == key("till"), "the first one that can be sold with"
    form.show_error(KeyWithoutValue("described"))
    assert "has no value here" in form.message.text()


def test_amounts_to_try_are_offered_with_what_each_does_and_never_in_live(
    form: SaleForm, qtbot: QtBot
) -> None:
    assert form.amounts.isVisible()
    assert form.amounts.accessibleName() == "Amounts to try"
    form.amounts.setFocus()
    qtbot.keyClick(form.amounts, Qt.Key.Key_Space)
    (menu,) = form.amounts.findChildren(QMenu)
    declined = next(one for one in menu.actions() if one.text().startswith("20.00"))
    assert "declined" in declined.text()
    declined.trigger()
    menu.close()
    assert form.amount.text() == "20.00"
    assert form.amount.hasFocus()
    form.show_environment(LIVE)
    assert not form.amounts.isVisible()
