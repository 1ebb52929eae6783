"""The environments as a table's rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from keybench.core.environment import Environment, EnvironmentKind
from keybench.ui.icons import mark_pixmap
from keybench.ui.theme import scaled, tokens
from keybench.ui.tokens import tone_of_kind
from keybench.ui.widgets.rows_model import Column, Look
from keybench.words.system import proxy_words

KIND_WORDS: Final = {
    EnvironmentKind.PRACTICE: "Practice",
    EnvironmentKind.TEST: "Test",
    EnvironmentKind.LIVE: "LIVE",
}
NAME, KIND, BASE_URL, CONTRACT, PROXY, LIMIT, KEYS = range(7)
_NONE: Final = "\N{EN DASH}"
_MARK_PX: Final = 11


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """An environment and how many keys it has."""

    environment: Environment
    keys: int


def _limit(row: EnvironmentRow) -> str:
    limit = row.environment.amount_limit
    return _NONE if limit is None else str(limit)


COLUMNS: Final[tuple[Column[EnvironmentRow], ...]] = (
    Column(
        "Name",
        lambda row: row.environment.name,
        Look(mark=lambda row: mark_pixmap(row.environment.kind, tokens(), scaled(_MARK_PX))),
    ),
    Column(
        "Kind",
        lambda row: KIND_WORDS[row.environment.kind],
        Look(tone=lambda row: tone_of_kind(row.environment.kind)),
    ),
    Column("Base URL", lambda row: row.environment.base_url or "Built in, on this computer"),
    Column("Contract", lambda row: row.environment.contract),
    Column("Proxy", lambda row: proxy_words(row.environment)),
    Column("Limit", _limit, Look(right=True)),
    Column("Keys", lambda row: str(row.keys), Look(right=True)),
)
