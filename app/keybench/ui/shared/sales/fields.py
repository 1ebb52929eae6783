"""The fields of a sale: its key, and amount and currency, which are checked by each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from typing import Final

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QIcon
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QWidget,
)

from keybench.core.card_data import refuse_card_data
from keybench.core.input_errors import InputInvalid
from keybench.core.keys.key import SecurityKey
from keybench.core.money import COMMON_CURRENCIES, parse_currency, parse_money
from keybench.core.ports import Device
from keybench.core.text import clean_text
from keybench.ui.kit import theme
from keybench.ui.kit.actions import popup_below
from keybench.ui.kit.choosers import ComboBox, let_type
from keybench.ui.kit.form import Field, Hint
from keybench.ui.kit.icons import sign_icon
from keybench.ui.kit.labels import ElidedLine, literal, set_tip
from keybench.words.formats import figure
from keybench.words.keys.states import choice_words
from keybench.words.language import _
from keybench.words.texts import text

SEND_LIVE: Final = _("Send LIVE sale")

#: Whose decimal places count while the currency itself isn't one.
_USUAL_CURRENCY = "USD"
#: Round a name in a list of keys, in pixels at 13 px text, and what such a list keeps from the window's edge.
_LIST_PX: Final = 40
_EDGE_PX: Final = 16


def is_empty(text: str) -> bool:
    """Tell whether nothing is entered, which isn't wrong while somebody may still be typing."""
    return not text.strip()


def currency_box() -> ComboBox:
    box = ComboBox()
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    box.addItems(list(COMMON_CURRENCIES))
    line_of(box).setAccessibleName(_("Currency"))
    return box


def currency_field(editor: QWidget, *, lines: int | None = 1) -> Field:
    return Field(_("Currency"), editor, id="currency", check=parse_currency, unfinished=is_empty, lines=lines)


def amount_field(
    editor: QLineEdit, currency: Field, *, lines: int | None = 1, beside: QWidget | None = None
) -> Field:
    """Return the field of an amount, which is judged by the currency that another field holds."""

    def check(text: str) -> None:
        try:
            known = parse_currency(currency.text)
        except InputInvalid:
            known = _USUAL_CURRENCY
        parse_money(text, known)

    field = Field(
        _("Amount"), editor, id="amount", check=check, unfinished=_is_begun, lines=lines, beside=beside
    )
    currency.edited.connect(field.refresh)
    return field


def _is_begun(text: str) -> bool:
    entered = text.strip()
    return not entered or (entered[:-1].isdigit() and entered[-1] in ".,")


def line_of(box: QComboBox) -> QLineEdit:
    editor = box.lineEdit()
    if editor is None:
        raise RuntimeError("an editable combo box has a line edit")
    return editor


class _Line(ElidedLine):
    """Selects its text when it is clicked into, so that what is typed takes its place."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() is Qt.FocusReason.MouseFocusReason:
            QTimer.singleShot(0, self, self.selectAll)


class _Choice(ComboBox):
    """An editable combo box; what is chosen or typed stays when the list is read again."""

    def __init__(self, name: str, least: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setLineEdit(_Line())  # it brings a completer, which goes with the next line
        let_type(self)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(least)

    @property
    def editor(self) -> QLineEdit:
        return line_of(self)

    @contextmanager
    def _listed_anew(self) -> Iterator[bool]:
        """Fill the list in the block, which is told whether somebody is typing and chooses nothing then."""
        text = self.currentText()
        with self.typing_kept() as is_typing, QSignalBlocker(self):
            self.clear()
            yield is_typing
        # Once, and only where it is another text: clearing and filling a combo box passes through others.
        if self.currentText() != text:
            self.currentTextChanged.emit(self.currentText())

    def _choose(self, row: int) -> None:
        self.setCurrentIndex(row)
        self.editor.setCursorPosition(0)  # in a narrow field the name's beginning tells more than its end


class AmountChoice(QPushButton):
    """Offers the amounts that the gateway treats in a known way, each with what it does."""

    def __init__(self, editor: QLineEdit) -> None:
        super().__init__("▾")
        self._editor = editor
        self._amounts: Mapping[str, str] = {}
        self.setProperty("tone", "drop")
        self.setAutoDefault(False)
        self.setAccessibleName(_("Amounts to try"))
        set_tip(self, _("Amounts to try, and what each does"))
        self.clicked.connect(self._on_clicked)
        self.hide()

    def offer(self, amounts: Mapping[str, str]) -> None:
        self._amounts = amounts
        self.setVisible(bool(amounts))

    def _on_clicked(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for amount, does in self._amounts.items():
            shown = figure(Decimal(amount))
            menu.addAction(f"{shown}  {text(does)}", partial(self._choose, shown))
        popup_below(menu, self)

    def _choose(self, amount: str) -> None:
        self._editor.setText(amount)
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)


class KeyBox(_Choice):
    """An editable combo box of keys, found by any part of their names.

    Typed text is a key only if it is a key's whole name. The choice stays when the keys are read again.
    """

    def __init__(self, *, sells: bool = True) -> None:
        super().__init__(_("Key"), 4)
        self._sells = sells
        self._keys: dict[str, SecurityKey] = {}
        self._listed: dict[str, str] = {}
        self._environment = ""
        self._completions = QListView()
        self._completions.setObjectName("completions")
        completer = QCompleter(self.model(), self)
        completer.setPopup(self._completions)
        self._completions.setItemDelegate(QStyledItemDelegate(self._completions))
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setMaxVisibleItems(self.maxVisibleItems())
        self.setCompleter(completer)
        self.editor.textEdited.connect(self._dress)
        self.currentTextChanged.connect(partial(set_tip, self))

    @property
    def key(self) -> SecurityKey | None:
        """The chosen key, or None if there is none, or the text names none."""
        text = self.currentText().strip()
        if text == self.itemText(self.currentIndex()):
            return self._keys.get(str(self.currentData()))
        return self._keys.get(self._listed.get(text.casefold(), ""))

    @property
    def keys(self) -> tuple[SecurityKey, ...]:
        return tuple(self._keys.values())

    def show_keys(self, keys: Sequence[SecurityKey], wanted: str = "") -> None:
        """Offer `keys`, or those that can sell, and keep the choice.

        Where there was none, the key whose id is `wanted` is chosen, else the first with a value, but to sell
        with never one that may be in the wrong hands.
        """
        before = self.key
        environment = next((key.environment_id for key in keys), self._environment)
        if environment != self._environment:  # what was typed was one of the other's
            self._environment = environment
            self.setEditText("")
        self._keys = {key.id: key for key in keys if key.can_sell or not self._sells}
        # A name stands for its key, also where another key's name reads like it with its mark.
        self._listed = {choice_words(key).casefold(): key.id for key in self._keys.values()}
        self._listed |= {key.name.casefold(): key.id for key in self._keys.values()}
        with self._listed_anew() as is_typing:
            for key in self._keys.values():
                self.addItem(choice_words(key), key.id)
            if not is_typing:
                safe = [key for key in self._keys.values() if not (self._sells and key.compromised)]
                safe.sort(key=lambda key: (key.id != wanted, not key.has_value))
                chosen = [before.id] if before and before.id in self._keys else [key.id for key in safe]
                self._choose(self.findData(chosen[0]) if chosen else -1)
        self.setEnabled(bool(self._keys))
        if self._sells:
            self.editor.setPlaceholderText(_("Choose a key") if self._keys else _("No private key"))

    def choose(self, key: SecurityKey) -> bool:
        row = self.findData(key.id)
        if row >= 0:
            self._choose(row)
        return row >= 0

    def look_at(self, text: str) -> Hint:
        """Return what is wrong with a text: that it names no key; nothing as long as there are none."""
        refuse_card_data("key", text)
        if self.key or not self._keys:
            return Hint()
        return Hint(_("No private key has this name. Choose one from the list."), "bad")

    def is_begun(self, text: str) -> bool:
        """Tell whether a text may become a key's name, or nothing is entered."""
        entered = text.strip().casefold()
        return any(entered in listed for listed in self._listed)

    def showPopup(self) -> None:
        self._dress()
        super().showPopup()

    def _dress(self) -> None:
        """Make the lists as wide as the names, as far as there is room in the window, when one is opened."""
        longest = max(map(self.fontMetrics().horizontalAdvance, self._listed), default=0)
        room = self.window().width() - self.mapTo(self.window(), QPoint()).x() - _EDGE_PX
        for view in (self.view(), self._completions):
            view.setMinimumWidth(min(longest + theme.scaled(_LIST_PX), max(room, self.width())))


def key_field(box: KeyBox, *, lines: int | None = 1) -> Field:
    return Field(_("Key"), box, id="key", check=box.look_at, unfinished=box.is_begun, lines=lines)


_CONNECTED: Final = "connected"
_DOT_PX: Final = 12
_ICON_PX: Final = 16


def device_label(device: Device) -> str:
    return f"{device.nickname} · {device.id}" if device.nickname else device.id


def connection_words(device: Device) -> str:
    """Return what is known of the device's connection; the dot is never alone."""
    return device.connection or _("connection not known")


class DeviceBox(_Choice):
    """An editable combo box of devices, by identifier or nickname."""

    def __init__(self) -> None:
        super().__init__(_("Device"), 8)
        self._devices: tuple[Device, ...] = ()
        self.editor.setPlaceholderText(_("Identifier"))
        self.currentTextChanged.connect(self._show_connection)
        theme.theme().changed.connect(self._on_theme)
        self._on_theme()

    @property
    def nicknames(self) -> dict[str, str]:
        return {device.id: device.nickname for device in self._devices if device.nickname}

    @property
    def device_id(self) -> str:
        """The identifier meant: a listed device's by its label or its own nickname, else what was typed.

        It is empty where the text is a nickname of several devices, for none of them is meant more than another.
        """
        text = self.currentText().strip()
        device = self._meant(text)
        return device.id if device else "" if self._named(text) else text

    @property
    def is_listed(self) -> bool:
        return self._meant(self.currentText().strip()) is not None

    def look_at(self, text: str, *, required: bool = True) -> Hint:
        """Return what is wrong with a text: that it is the nickname of several devices."""
        refuse_card_data("device", text)  # as it was typed; a nickname in it has no other rules
        entered = text.strip()
        if self._meant(entered) is None and (shared := self._named(entered)):
            ids = ", ".join(device.id for device in shared)
            return Hint(_("Several devices have this nickname: {ids}. Choose one.").format(ids=ids), "bad")
        clean_text("device", self.device_id, required=required)
        return Hint()

    def show_devices(self, devices: Sequence[Device], *, choose: bool, wanted: str = "") -> None:
        """List `devices`, and keep the choice, or what was typed as it is.

        Args:
            devices: In the order to show.
            choose: Whether to choose one when there was none, nor a list to choose from.
            wanted: The identifier of that one, listed or not; by default it is a connected one.
        """
        before, choose = self.device_id, choose and not self._devices
        with self._listed_anew() as is_typing:
            self._devices = tuple(devices)
            for row, device in enumerate(self._devices):
                self.addItem(_dot(device.connection), device_label(device), device.id)
                self.setItemData(row, literal(connection_words(device)), Qt.ItemDataRole.ToolTipRole)
                words = f"{device_label(device)}, {connection_words(device)}"
                self.setItemData(row, words, Qt.ItemDataRole.AccessibleTextRole)
            if not is_typing:
                if not before and choose:
                    usable = sorted(self._devices, key=lambda device: device.connection != _CONNECTED)
                    before = wanted or (usable[0].id if usable else "")
                self.choose(before)

    def choose(self, device_id: str) -> None:
        row = self.findData(device_id) if device_id else -1
        self._choose(row)
        if row < 0:
            self.setEditText(device_id)
        self._show_connection()

    def _on_theme(self) -> None:
        self.setIconSize(QSize(theme.scaled(_ICON_PX), theme.scaled(_ICON_PX)))
        for row, device in enumerate(self._devices):
            self.setItemIcon(row, _dot(device.connection))

    def _meant(self, text: str) -> Device | None:
        exact = [one for one in self._devices if text in {one.id, device_label(one)}]
        named = self._named(text)
        return exact[0] if exact else named[0] if len(named) == 1 else None

    def _named(self, text: str) -> list[Device]:
        return [one for one in self._devices if text and text.casefold() == one.nickname.casefold()]

    def _show_connection(self) -> None:
        device = self._meant(self.currentText().strip())
        words = connection_words(device) if device else ""
        set_tip(self, words)
        self.setAccessibleDescription(words)


def _dot(connection: str) -> QIcon:
    """Draw full for connected, empty for any other word, dashed for none: told apart without colour."""
    if connection == _CONNECTED:
        return sign_icon("on", theme.tokens().good, theme.scaled(_DOT_PX))
    return sign_icon("off" if connection else "silent", theme.tokens().dim, theme.scaled(_DOT_PX))
