"""Which rows a sale's exchanges take: polls with one and the same answer are folded into one row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from keybench.core.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Fold:
    """Which exchanges a row stands for.

    Attributes:
        first: The place of its exchange, or of the first of those folded into it.
        count: How many it stands for.
        inner: Whether it is one of an unfolded row's, and stands below that.
    """

    first: int
    count: int = 1
    inner: bool = False

    @property
    def key(self) -> tuple[int, bool]:
        """What stays the same when more exchanges are folded into it."""
        return self.first, self.inner


def folds_of(exchanges: Sequence[Exchange], answers: Sequence[str], unfolded: Collection[int]) -> list[Fold]:
    """Return the rows in order.

    Args:
        exchanges: All of the sale's, in order.
        answers: What each one's answer is called (`exchange_text.answer_word`), which takes some reading.
        unfolded: The first places of the rows whose exchanges are shown one by one, too.
    """
    rows: list[Fold] = []

    def likeness(place: int) -> tuple[object, ...]:
        """Return what neighbours must share to be folded; anything but a GET stands alone."""
        one = exchanges[place]
        return (one.url, answers[place]) if one.method == "GET" else (place,)

    for _, group in groupby(range(len(exchanges)), key=likeness):
        places = list(group)
        rows.append(Fold(places[0], len(places)))
        if len(places) > 1 and places[0] in unfolded:
            rows += [Fold(place, inner=True) for place in places]
    return rows
