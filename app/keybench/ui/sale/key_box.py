"""The Key box of the sale form: the environment's private keys. Public keys can't sell and aren't offered."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QWidget

from keybench.core.security_key import SecurityKey
from keybench.ui.widgets.combo import ComboBox
from keybench.words.keys import choice_words


class KeyBox(ComboBox):
    """A combo box of private keys; the chosen one stays chosen when the keys are read again."""

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
        self.blockSignals(True)
        self.clear()
        for key in self._keys.values():
            self.addItem(choice_words(key), key.id)
        self.blockSignals(False)
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
