"""The identifiers that gateways gave to sales, to notice one that is given twice."""

from __future__ import annotations

from typing import Final

from keybench.core.errors import AnswerUnreadable

#: So many are remembered, the oldest forgotten first: far more than are under way at once.
KEPT: Final = 20_000


class GivenIds:
    """Remembers for this run which sale an identifier was given to.

    Polling one identifier for two sales would give both the same outcome, and one of them a wrong one.
    """

    def __init__(self) -> None:
        self._sales: dict[tuple[str, str], str] = {}

    def note(self, environment_id: str, request_id: str, reference: str) -> None:
        """Remember that a gateway gave an identifier to a sale.

        Raises:
            AnswerUnreadable: It gave the same one to another sale before.
        """
        first = self._sales.setdefault((environment_id, request_id), reference)
        if first != reference:
            raise AnswerUnreadable("identifier given twice")
        if len(self._sales) > KEPT:
            del self._sales[next(iter(self._sales))]
