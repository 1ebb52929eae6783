"""The rows of the inventory's table, and what each column shows of a key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.inventory import InventoryRow, finds, folded
from keybench.ui.inventory.places import environment_ink, environment_mark, environment_words
from keybench.ui.widgets.arranged_model import ArrangedModel
from keybench.ui.widgets.rows_model import Column, Look
from keybench.words.formats import ago, day
from keybench.words.keys import key_state, last_tested

_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)
NAME, ENVIRONMENT, STATE = range(3)
FINGERPRINT: Final = 12


class _Moment:
    """What time it is for the columns that tell how long ago something was."""

    def __init__(self) -> None:
        self.now = _LONG_AGO

    def ago(self, then: datetime | None) -> str:
        return ago(then, self.now) if then else "never"

    def age(self, row: InventoryRow) -> str:
        days = row.age_days(self.now)
        return "1 day" if days == 1 else f"{days:,} days"

    def tested(self, row: InventoryRow) -> str:
        return last_tested(row.key, self.now)

    def used(self, row: InventoryRow) -> str:
        return self.ago(row.key.used_at)


def state_words(row: InventoryRow) -> str:
    """Return how a key stands."""
    return key_state(row.key).text


def applications_words(row: InventoryRow) -> str:
    """Return how many applications a key has, or that it has none."""
    return f"{row.applications:,}" if row.applications else "none"


def _columns(moment: _Moment) -> tuple[Column[InventoryRow], ...]:
    return (
        Column("Name", lambda row: row.key.name, Look(bold=True)),
        Column("Environment", environment_words, Look(mark=environment_mark, ink=environment_ink)),
        Column("State", state_words, Look(tone=lambda row: key_state(row.key).tone)),
        Column("User", lambda row: row.key.username),
        Column("Kind", lambda row: row.key.kind.value),
        Column("Permission", lambda row: row.key.permission),
        Column("Owner", lambda row: row.key.owner),
        Column("Purpose", lambda row: row.key.purpose),
        Column("Age", moment.age, Look(right=True), sort=lambda row: row.age_days(moment.now)),
        Column("Last tested", moment.tested, sort=lambda row: row.key.last_test_at or _LONG_AGO),
        Column("Last used here", moment.used, sort=lambda row: row.key.used_at or _LONG_AGO),
        Column("Applications", applications_words, Look(right=True), sort=lambda row: row.applications),
        Column("Fingerprint", lambda row: row.key.fingerprint, Look(mono=True)),
        Column("Rotation", lambda row: "rotating" if row.rotating else ""),
        Column("Created", lambda row: day(row.key.created_at), sort=lambda row: row.key.created_at),
    )


class InventoryModel(ArrangedModel[InventoryRow]):
    """The keys, found as one types and sorted by any column."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._moment = _Moment()
        self._texts: dict[str, str] = {}
        super().__init__(_columns(self._moment), parent)

    def show_inventory(self, rows: Sequence[InventoryRow], now: datetime) -> None:
        """Show these keys; where they are the same ones as before, only what changed is told."""
        self._moment.now = now
        self._texts = {row.key.id: folded((*row.texts, state_words(row))) for row in rows}
        if [row.key.id for row in rows] != [row.key.id for row in self._items]:
            self.show_items(rows)
            return
        changed = {item: row for item, row in enumerate(rows) if row != self._items[item]}
        if changed:
            self.put_items(changed)

    def key_row(self, key_id: str) -> InventoryRow | None:
        """Return the row of a key, shown or not."""
        return next((row for row in self._items if row.key.id == key_id), None)

    def _is_found(self, row: InventoryRow) -> bool:
        return not self._words or finds(self._words, self._texts[row.key.id])
