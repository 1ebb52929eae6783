"""Immutable rows of the key tables: what each column says of a key, to eye, ear and sorting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from keybench.core.security_key import KeyState, SecurityKey
from keybench.words.keys import KeyMarks, last_tested, looked_state, marked_state

COLUMNS: Final = ("Key name", "Username", "Permission", "Last tested", "State")
NAME, USERNAME, PERMISSION, TESTED, STATE = range(len(COLUMNS))

# Sorted by state, what needs a look comes first.
_STATE_ORDER: Final = (
    KeyState.VALUE_LOST,
    KeyState.NO_VALUE,
    KeyState.REFUSED,
    KeyState.FORBIDDEN,
)
_CALM_ORDER: Final = ("accent", "warning", "dim", "good")
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key as the tables show it.

    Attributes:
        key: The key.
        texts: What each column shows, in the order of `COLUMNS`.
        tone: The state's tone.
        sort_keys: What each column sorts by.
        described: What a screen reader may add to the state.
        haystack: Folded text for the filter: what the columns say, purpose, fingerprint, applications.
    """

    key: SecurityKey
    texts: tuple[str, ...]
    tone: str
    sort_keys: tuple[str | float, ...]
    described: str
    haystack: str


def row_of(key: SecurityKey, now: datetime, marks: KeyMarks | None = None) -> KeyRow:
    """Return the row of `key` as it reads at `now` (UTC), with its marks if they are known."""
    state, looked = marked_state(key, marks), looked_state(key)
    tested = key.last_test_at or _LONG_AGO
    described = f"last tested {last_tested(key, now)}"
    names = () if marks is None else marks.applications
    searched = (key.name, key.username, key.purpose, key.permission, key.fingerprint, state.text, *names)
    return KeyRow(
        key=key,
        texts=(key.name, key.username, key.permission, last_tested(key, now), state.text),
        tone=state.tone,
        sort_keys=(
            key.name.casefold(),
            key.username.casefold(),
            key.permission.casefold(),
            (tested - _LONG_AGO).total_seconds(),
            f"{_rank(key, state.tone)} {state.text}",
        ),
        described=described if state == looked else f"{looked.text}, {described}",
        haystack="\n".join(searched).casefold(),
    )


def _rank(key: SecurityKey, tone: str) -> int:
    if key.compromised:
        return 0
    if key.state in _STATE_ORDER:
        return 1 + _STATE_ORDER.index(key.state)
    return 1 + len(_STATE_ORDER) + _CALM_ORDER.index(tone)
