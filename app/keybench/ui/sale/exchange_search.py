"""Where a sought text stands in a sale's exchanges: pure, over the texts as they are shown."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.exchange import Exchange
from keybench.ui.sale.exchange_text import answer_text, request_text

#: More matches than this help nobody to find anything.
LIMIT: Final = 1000


class Side(enum.Enum):
    """Which of the two texts."""

    REQUEST = "request"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Hit:
    """A match.

    Attributes:
        place: Its exchange's place.
        side: In which text.
        start: Where it begins, in UTF-16 units as Qt counts.
        length: How long it is, in the same.
    """

    place: int
    side: Side
    start: int
    length: int


def texts_of(exchange: Exchange) -> tuple[str, str]:
    """Return the two texts of an exchange, the request's first; laying them out takes some time."""
    return request_text(exchange), answer_text(exchange)


def find_all(texts: Sequence[tuple[str, str]], sought: str) -> list[Hit]:
    """Return the matches in order, `LIMIT` at the most; upper and lower case are alike.

    Args:
        texts: Each exchange's texts, from `texts_of`.
        sought: What to find; nothing is found by nothing.
    """
    if not sought:
        return []
    pattern = re.compile(re.escape(sought), re.IGNORECASE)
    hits: list[Hit] = []
    for place, both in enumerate(texts):
        for side, text in zip(Side, both, strict=True):
            for match in pattern.finditer(text):
                hits.append(Hit(place, side, _units(text[: match.start()]), _units(match[0])))
                if len(hits) == LIMIT:
                    return hits
    return hits


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
