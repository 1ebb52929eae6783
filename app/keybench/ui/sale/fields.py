"""The fields of a sale: its key, and amount and currency, which are checked by each other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from keybench.core.input_errors import InputInvalid
from keybench.core.money import parse_currency, parse_money
from keybench.core.security_key import SecurityKey
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.form import Field
from keybench.words.keys import choice_words

#: Whose decimal places count while the currency itself isn't one.
_USUAL_CURRENCY = "USD"


def is_empty(text: str) -> bool:
    """Tell whether nothing is entered, which isn't wrong while somebody may still be typing."""
    return not text.strip()


def currency_field(editor: QWidget, *, lines: int | None = 1) -> Field:
    """Return the field of a currency."""
    return Field("Currency", editor, id="currency", check=parse_currency, unfinished=is_empty, lines=lines)


def amount_field(editor: QLineEdit, currency: Field, *, lines: int | None = 1) -> Field:
    """Return the field of an amount, which is judged by the currency that another field holds."""

    def check(text: str) -> None:
        try:
            known = parse_currency(currency.text)
        except InputInvalid:
            known = _USUAL_CURRENCY
        parse_money(text, known)

    field = Field("Amount", editor, id="amount", check=check, unfinished=_is_begun, lines=lines)
    currency.edited.connect(field.refresh)
    return field


def _is_begun(text: str) -> bool:
    """Tell whether an amount is empty, or only its decimal places are missing."""
    entered = text.strip()
    return not entered or (entered[:-1].isdigit() and entered[-1] in ".,")


class KeyBox(ComboBox):
    """A combo box of private keys, for public ones can't sell; the choice stays when they are read again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(11)
        self.setPlaceholderText("No private key")
        self.setAccessibleName("Key")
        self._keys: dict[str, SecurityKey] = {}

    @property
    def key(self) -> SecurityKey | None:
        """The chosen key, or None if there is none."""
        return self._keys.get(str(self.currentData()))

    @property
    def keys(self) -> tuple[SecurityKey, ...]:
        """The keys offered."""
        return tuple(self._keys.values())

    def show_keys(self, keys: Sequence[SecurityKey]) -> None:
        """Offer those of `keys` that can sell, and keep the choice, or choose the first with a value."""
        before = self.key
        self._keys = {key.id: key for key in keys if key.can_sell}
        with QSignalBlocker(self):
            self.clear()
            for key in self._keys.values():
                self.addItem(choice_words(key), key.id)
        usable = [key.id for key in self._keys.values() if key.has_value]
        wanted = (before.id if before else "", *usable, *self._keys)
        rows = (self.findData(key_id) for key_id in wanted if key_id in self._keys)
        self.setCurrentIndex(next(rows, -1))
        self.setEnabled(bool(self._keys))

    def choose(self, key: SecurityKey) -> bool:
        """Choose a key, if it is offered; return whether it is."""
        row = self.findData(key.id)
        if row >= 0:
            self.setCurrentIndex(row)
        return row >= 0
