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
from keybench.words.formats import ago_short, day
from keybench.words.keys.states import (
    kind_word,
    kind_words,
    last_tested,
    last_used,
    looked_state,
    marked_state,
)
from keybench.words.language import _, ngettext, number

Now = Callable[[], datetime]
LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)
_NO_USE: Final = "–"  # noqa: RUF001 - a dash for nothing
# Sorted by state, what needs a look comes first.
_STATE_ORDER: Final = (KeyState.VALUE_LOST, KeyState.NO_VALUE, KeyState.REFUSED, KeyState.FORBIDDEN)
_CALM_ORDER: Final = ("accent", "warning", "dim", "good")


def words_of_row(row: InventoryRow) -> str:
    """Return what a key is found by; no word reaches over the end of a text."""
    return "\n".join((*row.texts, kind_word(row.key.kind), _state(row))).casefold()


def _state(row: InventoryRow) -> str:
    return marked_state(row.key, row.marks).text


def _rank(row: InventoryRow) -> tuple[int, str]:
    key, state = row.key, marked_state(row.key, row.marks)
    if key.compromised:
        return 0, state.text
    if key.state in _STATE_ORDER:
        return 1 + _STATE_ORDER.index(key.state), state.text
    return 1 + len(_STATE_ORDER) + _CALM_ORDER.index(state.tone), state.text


def key_columns(now: Now) -> tuple[Column[InventoryRow], ...]:
    """Return the columns for all keys; `now` tells how long ago something was."""

    def age(row: InventoryRow) -> str:
        return ngettext("1 day", "{count} days", row.age_days(now()))

    def story(row: InventoryRow) -> str:
        return last_used(row.key, row.marks or KeyMarks(last_use=row.last_use), now())

    def state_described(row: InventoryRow) -> str:
        looked = looked_state(row.key)
        is_it = marked_state(row.key, row.marks) == looked
        return story(row) if is_it else f"{looked.text}, {story(row)}"

    # Eight are shown at first: who has which key, how it stands, who depends on it, and how old it is.
    return (
        Column(
            "name",
            _("Key name"),
            lambda row: row.key.name,
            bold=True,
            stretch=True,
            hint=lambda row: f"{row.key.name}\n{row.key.purpose}".strip(),
        ),
        environment_column(),
        Column(
            "state",
            _("State"),
            _state,
            # A little longer than the longest usual state, so that no column goes or comes when a key's state changes.
            width=_("Rotating 3 of 55."),
            tone=lambda row: marked_state(row.key, row.marks).tone,
            described=state_described,
            sort=_rank,
        ),
        Column("user", _("Username"), lambda row: row.key.username, width="counter01", empty=""),
        Column(
            "kind",
            _("Kind"),
            lambda row: kind_word(row.key.kind),
            width=kind_word(KeyKind.PRIVATE),
            ink=lambda _row: "dim",
            hint=lambda row: kind_words(row.key.kind),
            hidden=True,
        ),
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
            lambda row: ago_short(row.last_use, now()) if row.last_use else _NO_USE,
            width=_("yesterday"),
            empty=_NO_USE,
            ink=lambda _row: "dim",
            hint=story,
            spoken=story,
            sort=lambda row: row.last_use or LONG_AGO,
        ),
        Column("held", _("Held at"), lambda row: ", ".join(row.held_at), empty=""),
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


def bench_columns(now: Now) -> tuple[Column[InventoryRow], ...]:
    """Return those for one environment's keys beside a sale; none comes or goes with what the rows say."""
    known = {one.id: replace(one, hidden=False, empty=None) for one in key_columns(now)}
    username = replace(known["user"], id="username")  # as it is remembered on the Bench
    return known["name"], known["kind"], username, known["state"], known["used"]
