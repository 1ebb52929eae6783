"""The card of a key of the inventory: what is known of it, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from keybench.core.inventory import InventoryRow
from keybench.ui.keys_page.environment_cells import environment_words
from keybench.ui.theme import set_role
from keybench.ui.widgets.detail_card import DetailCard
from keybench.ui.widgets.labels import ElidedLabel, label
from keybench.words.formats import ago, day
from keybench.words.keys import key_state, why_without_value
from keybench.words.language import _

_NONE: Final = _("No key chosen")
_HOW: Final = _("Choose a key above: its owner and purpose can be changed here, and a value given to it.")


class KeyCard(DetailCard):
    """The card.

    Args:
        actions: What can be done with the key, from left to right.
    """

    def __init__(self, actions: Sequence[QAction]) -> None:
        self.fingerprint = label("", "mono")
        self.fingerprint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note = ElidedLabel("", "dim", least=12)
        super().__init__(actions, head=[self.fingerprint], body=[self.note])

    def show_row(self, row: InventoryRow | None, now: datetime) -> None:
        if row is None:
            self.show_head(_NONE, "", "dim", "")
            self.facts.setText(_HOW)
            self.fingerprint.setText("")
            self.note.setText("")
            return
        key, state = row.key, key_state(row.key)
        place = f"{environment_words(row)} · {key.kind} · {key.permission} · {key.username}"
        self.show_head(key.name, state.text, state.tone, place, live=row.environment.is_live)
        self.fingerprint.setText(key.fingerprint)
        self.fingerprint.setAccessibleName(
            _("Fingerprint: {value}").format(value=key.fingerprint or _("none"))
        )
        owner = key.owner or _("no owner")
        self.facts.setText(
            _("{owner} · {value} · created {day}, {ago}").format(
                owner=owner,
                value=key.purpose or _("no purpose given"),
                day=day(key.created_at),
                ago=ago(key.created_at, now),
            )
        )
        self.note.setText(why_without_value(key))
        set_role(self.note, "tone", "warning" if self.note.text() else "")

    def show_low(self, *, low: bool) -> None:
        """Show less where there is little room; the table's columns have it all."""
        self.facts.setVisible(not low)
        self.note.setVisible(not low)
