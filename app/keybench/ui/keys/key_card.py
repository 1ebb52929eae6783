"""The rows of the inventory: what each column shows of a key, what it is found by, and the card of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from keybench.core.keys.inventory import InventoryRow
from keybench.ui.kit.labels import ElidedLabel, label
from keybench.ui.kit.tables.detail_card import DetailCard
from keybench.ui.kit.tables.model import Column
from keybench.ui.kit.theme import set_role
from keybench.ui.shared.environment_cells import environment_column, environment_words
from keybench.words.formats import ago, day, number
from keybench.words.keys.states import NO_USE, key_state, last_tested, used_words, why_without_value
from keybench.words.language import _, ngettext

LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)


def state_words(row: InventoryRow) -> str:
    return key_state(row.key).text


def words_of_row(row: InventoryRow) -> str:
    """Return what a key is found by; no word reaches over the end of a text."""
    return "\n".join((*row.texts, state_words(row))).casefold()


def _state_tone(row: InventoryRow) -> str:
    return key_state(row.key).tone


def _applications(row: InventoryRow) -> str:
    return number(row.applications) if row.applications else _("none")


def inventory_columns(now: Callable[[], datetime]) -> tuple[Column[InventoryRow], ...]:
    """Return the columns; `now` tells how long ago something was."""

    def age(row: InventoryRow) -> str:
        return ngettext("1 day", "{count:,} days", row.age_days(now())).format(count=row.age_days(now()))

    def tested(row: InventoryRow) -> str:
        return last_tested(row.key, now())

    def used(row: InventoryRow) -> str:
        return used_words(row.last_use, now())

    # Eight are shown at first: who has which key, how it stands, who depends on it, and how old it is.
    return (
        Column("name", _("Name"), lambda row: row.key.name, bold=True, stretch=True),
        environment_column(),
        Column("state", _("State"), state_words, tone=_state_tone),
        Column("user", _("User"), lambda row: row.key.username, empty=""),
        Column("kind", _("Kind"), lambda row: row.key.kind.value, hidden=True),
        Column("permission", _("Permission"), lambda row: row.key.permission, hidden=True),
        Column("owner", _("Owner"), lambda row: row.key.owner, empty=""),
        Column("purpose", _("Purpose"), lambda row: row.key.purpose, hidden=True),
        Column(
            "applications",
            _("Applications"),
            _applications,
            right=True,
            empty=_("none"),
            sort=lambda row: row.applications,
        ),
        Column("age", _("Age"), age, right=True, sort=lambda row: row.age_days(now())),
        Column(
            "tested",
            _("Last tested"),
            tested,
            hidden=True,
            sort=lambda row: row.key.last_test_at or LONG_AGO,
        ),
        Column(
            "used",
            _("Last used"),
            used,
            empty=NO_USE,
            sort=lambda row: row.last_use or LONG_AGO,
        ),
        Column("fingerprint", _("Fingerprint"), lambda row: row.key.fingerprint, mono=True, hidden=True),
        Column("rotation", _("Rotation"), lambda row: _("rotating") if row.rotating else "", hidden=True),
        Column(
            "created",
            _("Created"),
            lambda row: day(row.key.created_at),
            hidden=True,
            sort=lambda row: row.key.created_at,
        ),
    )


_NONE: Final = _("No key chosen")
_HOW: Final = _("Choose a key above: its owner and purpose can be changed here, and a value given to it.")


class KeyCard(DetailCard):
    """The card."""

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
