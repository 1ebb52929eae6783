"""A search among past sales, and the pure rule by which a sale is found."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Final, Literal

from keybench.core.sales.sale import Outcome, Sale

UNDER_WAY: Final = "under_way"
#: An outcome, or that there is none yet.
SaleState = Outcome | Literal["under_way"]

# Beyond them a time of day can't be turned to another zone everywhere. Windows knows the years 1970 to 3000;
# Python looks a day further back, for an hour that comes twice.
_FIRST_DAY: Final = date(1970, 1, 3)
_LAST_DAY: Final = date(3000, 12, 30)

#: Every reference of ours begins so.
REFERENCE_START: Final = "KB-"
#: ``10``, ``10.00``, ``10,5``, ``10.00 USD`` or ``USD 10``. Three digits behind a comma are thousands to many
#: people, so a decimal comma has one or two.
_AMOUNT: Final = re.compile(
    r"(?:(?P<before>[A-Z]{3})\s*)?(?P<whole>[0-9]{1,9})(?:\.(?P<point>[0-9]{1,4})|,(?P<comma>[0-9]{1,2}))?"
    r"(?:\s*(?P<behind>[A-Z]{3}))?",
    re.ASCII,
)
#: No currency has more decimal places.
_MOST_PLACES: Final = 4


@dataclass(frozen=True, slots=True)
class SaleFilter:
    """Which sales to find, noted from `since` to before `until` in UTC; what is left empty doesn't matter.

    By its text a sale is found if each word, in any case of letters, stands in its device's identifier or
    nickname or its key's name; if its reference, with or without ``KB-``, its payment request, transaction or
    authorisation begins with it; or by its amount, with or without its currency.
    """

    text: str = ""
    environment_id: str | None = None
    state: SaleState | None = None
    since: datetime | None = None
    until: datetime | None = None
    key_ids: frozenset[str] | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The text's words, folded; none where every reference begins with the text."""
        return () if REFERENCE_START.startswith(self._upper) else tuple(self.text.casefold().split())

    @property
    def reference_starts(self) -> tuple[str, ...]:
        """What a reference begins with if the text finds it; none where there are no words."""
        return (self._upper, REFERENCE_START + self._upper) if self.words else ()

    @property
    def identifier_starts(self) -> tuple[str, ...]:
        """What a gateway's identifier begins with if the text finds it; none where there are no words."""
        text = self.text.strip()
        return tuple(dict.fromkeys((text, text.lower(), text.upper()))) if self.words else ()

    @property
    def amount(self) -> tuple[Decimal, str] | None:
        """The amount that the text names, with its currency or an empty text; None if it names none."""
        found = _AMOUNT.fullmatch(self._upper)
        if found is None or (found["before"] and found["behind"]):
            return None
        decimals = found["point"] or found["comma"] or "0"
        return Decimal(f"{found['whole']}.{decimals}"), found["before"] or found["behind"] or ""

    @property
    def amounts(self) -> tuple[str, ...]:
        """The ways in which that amount is written, with more or fewer decimal places."""
        if self.amount is None:
            return ()
        figure = self.amount[0]
        written = (figure.quantize(Decimal(1).scaleb(-places)) for places in range(_MOST_PLACES + 1))
        return tuple(str(one) for one in written if one == figure)

    @property
    def _upper(self) -> str:
        return self.text.strip().upper()

    def matches(self, sale: Sale, nickname: str = "") -> bool:
        """Tell whether `sale`, whose device has this nickname, is one of those."""
        return (
            self.environment_id in {None, sale.environment_id}
            and self.state in {None, state_of(sale)}
            and (self.key_ids is None or sale.key_id in self.key_ids)
            and (self.since is None or sale.noted_at >= self.since)
            and (self.until is None or sale.noted_at < self.until)
            and self._finds(sale, nickname)
        )

    def _finds(self, sale: Sale, nickname: str) -> bool:
        if not self.words or sale.reference.startswith(self.reference_starts):
            return True
        verdict = sale.verdict
        given = (verdict.transaction_id, verdict.authorisation) if verdict else ()
        if any(one.startswith(self.identifier_starts) for one in (sale.request_id, *given)):
            return True
        for money in (sale.money, sale.approved or sale.money):
            if self.amount and self.amount in {(money.amount, money.currency), (money.amount, "")}:
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
