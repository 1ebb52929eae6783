"""Tells of sales that end in an environment which isn't shown."""

from __future__ import annotations

from PySide6.QtCore import QObject

from keybench.core.events import SaleChanged
from keybench.core.sale import Mark, Sale
from keybench.ui.sale.feed import SaleFeed
from keybench.ui.session import Notice, Session
from keybench.words.outcomes import explain_sale, outcome_headline, tone_of_outcome


class Elsewhere(QObject):
    """Gives a notice when a sale of another environment gets its outcome."""

    def __init__(self, session: Session, feed: SaleFeed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        feed.sales_changed.connect(self._on_sales)

    def _on_sales(self, changes: list[SaleChanged]) -> None:
        for change in changes:
            sale = change.sale
            is_elsewhere = sale.environment_id != self._session.environment.id
            is_alone = sale.reference not in self._session.sales_in_runs
            if is_elsewhere and is_alone and sale.verdict and change.event.mark is Mark.OUTCOME:
                self._session.run(f"tell of {sale.reference}", self._tell(sale))

    async def _tell(self, sale: Sale) -> None:
        if sale.verdict is None:
            return
        name, device, kind = "", sale.device, None
        for environment in await self._session.console.environments.all():
            if environment.id == sale.environment_id:
                name, kind = environment.name, environment.kind
                known = {d.id: d.nickname for d in await self._session.console.keys.devices(environment)}
                device = known.get(sale.device) or sale.device
        place = f" ({name})" if name else ""
        tone = tone_of_outcome(sale.verdict.outcome)
        explained = explain_sale(sale, kind)
        self._session.notify(
            Notice(
                "warning" if tone == "unknown" else tone,
                f"{outcome_headline(sale)} {sale.money} on {device}{place}",
                " ".join(part for part in (explained.money, explained.next) if part),
            )
        )
