"""A search among past sales, and the pure rule by which a sale is found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal

from keybench.core.sale import Outcome, Sale

UNDER_WAY: Final = "under_way"
#: An outcome, or that there is none yet.
SaleState = Outcome | Literal["under_way"]

# Beyond them a time of day can't be turned to another zone everywhere.
_FIRST_DAY: Final = date(1970, 1, 2)
_LAST_DAY: Final = date(9998, 12, 30)
#: Every reference of ours begins so.
REFERENCE_START: Final = "KB-"


@dataclass(frozen=True, slots=True)
class SaleFilter:
    """Which sales to find; what is left empty doesn't matter.

    Attributes:
        text: Words, in any case of letters. A sale is found by its device and key if each word stands
            somewhere in the device's identifier, its nickname or the key's name; or by its reference if
            that begins with the text, with or without its ``KB-``.
        state: How it ended, or `UNDER_WAY`.
        since: Noted then or later, UTC.
        until: Noted before that, UTC.
        key_id: Sent with this key, whatever it was called.
    """

    text: str = ""
    environment_id: str | None = None
    state: SaleState | None = None
    since: datetime | None = None
    until: datetime | None = None
    key_id: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The text's words, folded; none where every reference begins with the text."""
        return () if REFERENCE_START.startswith(self._upper) else tuple(self.text.casefold().split())

    @property
    def reference_starts(self) -> tuple[str, ...]:
        """What a reference begins with if the text finds it; none where there are no words."""
        return (self._upper, REFERENCE_START + self._upper) if self.words else ()

    @property
    def _upper(self) -> str:
        return self.text.strip().upper()

    def matches(self, sale: Sale, nickname: str = "") -> bool:
        """Tell whether `sale`, whose device has this nickname, is one of those."""
        return (
            self.environment_id in {None, sale.environment_id}
            and self.state in {None, state_of(sale)}
            and self.key_id in {None, sale.key_id}
            and (self.since is None or sale.noted_at >= self.since)
            and (self.until is None or sale.noted_at < self.until)
            and self._finds(sale, nickname)
        )

    def _finds(self, sale: Sale, nickname: str) -> bool:
        if not self.words or sale.reference.startswith(self.reference_starts):
            return True
        named = [text.casefold() for text in (sale.device, sale.key_name, nickname)]
        return all(any(word in name for name in named) for word in self.words)


def state_of(sale: Sale) -> SaleState:
    """Return a sale's outcome, or that it is under way."""
    return sale.outcome or UNDER_WAY


def start_of(day: date) -> datetime:
    """Return when a day begins where this computer is, UTC; the nearest usable one if it is out of range."""
    usable = min(max(day, _FIRST_DAY), _LAST_DAY)
    return datetime.combine(usable, time.min).astimezone(UTC)


def end_of(day: date) -> datetime:
    """Return when the day after begins where this computer is, UTC; on a day of 23 or 25 hours, too."""
    return start_of(min(day, _LAST_DAY) + timedelta(days=1))
