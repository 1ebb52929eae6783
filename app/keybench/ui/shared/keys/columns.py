"""What the columns of a table of keys show, and what a key is found by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from keybench.core.keys.inventory import InventoryRow, KeyMarks
from keybench.core.keys.key import KeyKind, KeyState
from keybench.ui.kit.tables.model import Column
from keybench.ui.shared.environment_cells import environment_column
from keybench.words.formats import ago_short, day, number
from keybench.words.keys.states import (
    NO_USE,
    kind_word,
    kind_words,
    last_tested,
    last_used,
    looked_state,
    marked_state,
    used_words,
)
from keybench.words.language import _, ngettext

Now = Callable[[], datetime]
LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)
# Sorted by state, what needs a look comes first.
_STATE_ORDER: Final = (KeyState.VALUE_LOST, KeyState.NO_VALUE, KeyState.REFUSED, KeyState.FORBIDDEN)
_CALM_ORDER: Final = ("accent", "warning", "dim", "good")


def words_of_row(row: InventoryRow) -> str:
    """Return what a key is found by; no word reaches over the end of a text."""
    return "\n".join((*row.texts, kind_word(row.key.kind), _state(row))).casefold()


def _state(row: InventoryRow) -> str:
    return marked_state(row.key, row.marks).text


def _tone(row: InventoryRow) -> str:
    return marked_state(row.key, row.marks).tone


def _rank(row: InventoryRow) -> tuple[int, str]:
    key, state = row.key, marked_state(row.key, row.marks)
    if key.compromised:
        return 0, state.text
    if key.state in _STATE_ORDER:
        return 1 + _STATE_ORDER.index(key.state), state.text
    return 1 + len(_STATE_ORDER) + _CALM_ORDER.index(state.tone), state.text


def _last_use(row: InventoryRow) -> datetime:
    return row.last_use or LONG_AGO


def _story(row: InventoryRow, now: datetime) -> str:
    return last_used(row.key, row.marks or KeyMarks(last_use=row.last_use), now)


def _state_column(now: Now) -> Column[InventoryRow]:
    def described(row: InventoryRow) -> str:
        looked, story = looked_state(row.key), _story(row, now())
        return story if marked_state(row.key, row.marks) == looked else f"{looked.text}, {story}"

    # A little longer than the longest usual state, so that no column goes or comes when a key's state changes.
    width = _("Rotating 3 of 55.")
    return Column("state", _("State"), _state, width=width, tone=_tone, described=described, sort=_rank)


def bench_columns(now: Now) -> tuple[Column[InventoryRow], ...]:
    """Return the columns for one environment's keys beside a sale; `now` tells how long ago something was."""

    def used(row: InventoryRow) -> str:
        return ago_short(row.last_use, now()) if row.last_use else "–"  # noqa: RUF001 - a dash for nothing

    def story(row: InventoryRow) -> str:
        return _story(row, now())

    return (
        Column(
            "name",
            _("Key name"),
            lambda row: row.key.name,
            bold=True,
            stretch=True,
            hint=lambda row: f"{row.key.name}\n{row.key.purpose}".strip(),
        ),
        Column(
            "kind",
            _("Kind"),
            lambda row: kind_word(row.key.kind),
            width=kind_word(KeyKind.PRIVATE),
            ink=lambda _row: "dim",
            hint=lambda row: kind_words(row.key.kind),
        ),
        Column("username", _("Username"), lambda row: row.key.username, width="counter01"),
        _state_column(now),
        Column(
            "used",
            _("Last used"),
            used,
            width=_("yesterday"),
            ink=lambda _row: "dim",
            hint=story,
            spoken=story,
            sort=_last_use,
        ),
    )


def inventory_columns(now: Now) -> tuple[Column[InventoryRow], ...]:
    """Return the columns for all keys; `now` tells how long ago something was."""

    def age(row: InventoryRow) -> str:
        return ngettext("1 day", "{count:,} days", row.age_days(now())).format(count=row.age_days(now()))

    # Eight are shown at first: who has which key, how it stands, who depends on it, and how old it is.
    return (
        Column("name", _("Name"), lambda row: row.key.name, bold=True, stretch=True),
        environment_column(),
        replace(_state_column(now), width=""),
        Column("user", _("User"), lambda row: row.key.username, empty=""),
        Column("kind", _("Kind"), lambda row: row.key.kind.value, hidden=True),
        Column("permission", _("Permission"), lambda row: row.key.permission, hidden=True),
        Column("owner", _("Owner"), lambda row: row.key.owner, empty=""),
        Column("purpose", _("Purpose"), lambda row: row.key.purpose, hidden=True),
        Column(
            "applications",
            _("Applications"),
            lambda row: number(len(row.applications)) if row.applications else _("none"),
            right=True,
            empty=_("none"),
            sort=lambda row: len(row.applications),
        ),
        Column("age", _("Age"), age, right=True, sort=lambda row: row.age_days(now())),
        Column(
            "tested",
            _("Last tested"),
            lambda row: last_tested(row.key, now()),
            hidden=True,
            sort=lambda row: row.key.last_test_at or LONG_AGO,
        ),
        Column(
            "used",
            _("Last used"),
            lambda row: used_words(row.last_use, now()),
            empty=NO_USE,
            sort=_last_use,
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
