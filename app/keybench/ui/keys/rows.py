"""Immutable rows of the key tables: what each column says of a key, to eye, ear and sorting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from keybench.core.security_key import KeyState, SecurityKey
from keybench.words.keys import key_state, last_tested

COLUMNS: Final = ("Key name", "Username", "Permission", "Last tested", "State")
NAME, USERNAME, PERMISSION, TESTED, STATE = range(len(COLUMNS))

# Sorted by state, what needs a look comes first.
_STATE_ORDER: Final = (
    KeyState.VALUE_LOST,
    KeyState.NO_VALUE,
    KeyState.REFUSED,
    KeyState.FORBIDDEN,
    KeyState.KEPT,
    KeyState.WORKING,
)
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key as the tables show it.

    Attributes:
        key: The key.
        texts: What each column shows, in the order of `COLUMNS`.
        tone: The state's tone.
        sort_keys: What each column sorts by.
        haystack: Folded text for the filter: name, user, purpose, permission, fingerprint, state.
    """

    key: SecurityKey
    texts: tuple[str, ...]
    tone: str
    sort_keys: tuple[str | float, ...]
    haystack: str


def row_of(key: SecurityKey, now: datetime) -> KeyRow:
    """Return the row of `key` as it reads at `now` (UTC)."""
    state = key_state(key)
    tested = key.tested_at or _LONG_AGO
    searched = (key.name, key.username, key.purpose, key.permission, key.fingerprint, state.text)
    return KeyRow(
        key=key,
        texts=(key.name, key.username, key.permission, last_tested(key, now), state.text),
        tone=state.tone,
        sort_keys=(
            key.name.casefold(),
            key.username.casefold(),
            key.permission.casefold(),
            (tested - _LONG_AGO).total_seconds(),
            f"{_STATE_ORDER.index(key.state)} {state.text}",
        ),
        haystack="\n".join(searched).casefold(),
    )
