"""The rows of the Bench's key tables: what each column says of a key, to eye, ear and sorting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from keybench.core.security_key import KeyState, SecurityKey
from keybench.ui.widgets.table_model import Column
from keybench.words.keys import KeyMarks, last_tested, looked_state, marked_state

MarksOf = Callable[[SecurityKey], KeyMarks | None]

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
        tested: When it was last tested, in words.
        state: How it stands, in words.
        tone: The state's tone.
        rank: What sorts it by state.
        described: What a screen reader may add to the state.
        words: What the filter looks through, casefolded: the columns, purpose, fingerprint, applications.
    """

    key: SecurityKey
    tested: str
    state: str
    tone: str
    rank: int
    described: str
    words: str

    @property
    def hint(self) -> str:
        """The whole name and the purpose."""
        return f"{self.key.name}\n{self.key.purpose}".strip()


def row_of(key: SecurityKey, now: datetime, marks: KeyMarks | None = None) -> KeyRow:
    """Return the row of `key` as it reads at `now` (UTC), with its marks if they are known."""
    state, looked = marked_state(key, marks), looked_state(key)
    tested = last_tested(key, now)
    described = f"last tested {tested}"
    names = () if marks is None else marks.applications
    searched = (key.name, key.username, key.purpose, key.permission, key.fingerprint, state.text, *names)
    return KeyRow(
        key=key,
        tested=tested,
        state=state.text,
        tone=state.tone,
        rank=_rank(key, state.tone),
        described=described if state == looked else f"{looked.text}, {described}",
        words="\n".join(searched).casefold(),
    )


def _rank(key: SecurityKey, tone: str) -> int:
    if key.compromised:
        return 0
    if key.state in _STATE_ORDER:
        return 1 + _STATE_ORDER.index(key.state)
    return 1 + len(_STATE_ORDER) + _CALM_ORDER.index(tone)


def _tested_at(row: KeyRow) -> datetime:
    return row.key.last_test_at or _LONG_AGO


def _standing(row: KeyRow) -> tuple[int, str]:
    return row.rank, row.state


COLUMNS: Final[tuple[Column[KeyRow], ...]] = (
    Column("name", "Key name", lambda row: row.key.name, bold=True, stretch=True, hint=lambda row: row.hint),
    Column("username", "Username", lambda row: row.key.username),
    Column("permission", "Permission", lambda row: row.key.permission),
    Column("tested", "Last tested", lambda row: row.tested, ink=lambda _row: "dim", sort=_tested_at),
    Column(
        "state",
        "State",
        lambda row: row.state,
        tone=lambda row: row.tone,
        described=lambda row: row.described,
        sort=_standing,
    ),
)
