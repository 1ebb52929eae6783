"""What the columns of the inventory show of a key, and what it is found by."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from keybench.core.inventory import InventoryRow
from keybench.ui.keys_page.environment_cells import environment_column
from keybench.ui.widgets.table_model import Column
from keybench.words.formats import day, number
from keybench.words.keys import NO_USE, key_state, last_tested, used_words
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
