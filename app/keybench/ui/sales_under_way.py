"""Knows the sales this program has under way, and tells of those whose ends the journal doesn't take."""

from __future__ import annotations

from typing import Final

from keybench.core.events import SaleChanged, SalesUnkept
from keybench.ui.session import Notice, Session
from keybench.words.unsaved_sales import KEPT_AGAIN, unsaved_sales_words

_UNKEPT_TOPIC: Final = "unkept sales"


class SalesUnderWay:
    """Knows each sale that was noted and has no outcome yet, whichever page, run or rotation started it.

    Args:
        session: Announces each sale's changes, and knows how many sales of a run wait to be sent.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._references: set[str] = set()
        self._unkept: tuple[str, str] | None = None
        session.console.events.subscribe(SaleChanged, self._on_sale)
        session.console.events.subscribe(SalesUnkept, self._on_unkept)

    def closing_question(self) -> tuple[str, str] | None:
        """Return the title and text of the question to ask before closing.

        None if no sale is under way and the journal has all that came of them.
        """
        count, waiting = len(self._references), self._session.sales_waiting
        if self._unkept:
            title, text = self._unkept
            return "Close before the journal has everything?", f"{title} {text} Closing loses what it hasn't."
        if not count and not waiting:
            return None
        title = (
            "Close while a sale is under way?" if count + waiting == 1 else "Close while sales are under way?"
        )
        told = []
        if count:
            sales = "A sale is" if count == 1 else f"{count:,} sales are"
            told.append(
                f"{sales} under way and will go on at the device. Keybench asks for the outcome when it is "
                "opened again; nothing is sent twice."
            )
        if waiting:
            sales = (
                "One more sale of the run has" if waiting == 1 else f"{waiting:,} more sales of the run have"
            )
            told.append(f"{sales} not been sent and will not be.")
        return title, " ".join(told)

    def _on_unkept(self, unkept: SalesUnkept) -> None:
        words = unsaved_sales_words(unkept) if unkept.sales else None
        if words == self._unkept:  # it was tried once more
            return
        self._unkept = words
        if words:
            self._session.notify(Notice("bad", *words, topic=_UNKEPT_TOPIC))
        else:
            self._session.notify(Notice("good", KEPT_AGAIN, topic=_UNKEPT_TOPIC))

    def _on_sale(self, change: SaleChanged) -> None:
        if change.sale.verdict is None:
            self._references.add(change.sale.reference)
        else:
            self._references.discard(change.sale.reference)
