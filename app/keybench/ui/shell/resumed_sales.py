"""Sales in the background: resumed when nobody follows them, and reported when they end out of sight."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.errors import JournalError, KeybenchError
from keybench.core.events import SaleChanged, SalesUnkept
from keybench.core.sales.sale import Mark, Outcome, Sale
from keybench.ui.shared.sales.actions import task_of
from keybench.ui.shared.session import Notice, Place, Session
from keybench.words.language import _, ngettext
from keybench.words.sales.outcomes import explain_sale, outcome_headline, sale_amount, tone_of_outcome
from keybench.words.system import KEPT_AGAIN, unsaved_sales_words

#: The pause between two rounds of looking for orphans, in seconds.
EVERY_S: Final = 30.0
#: A sale whose following ended without an outcome is resumed once more after this, in seconds.
_AGAIN_S: Final = 600.0
_UNKEPT_TOPIC: Final = "unkept sales"
_ASKED_LATER: Final = _("Keybench asks for the outcome when it is opened again; nothing is sent twice.")


async def resume_sales(session: Session) -> None:
    """Resume every sale that no running program and no task of this one follows; ends when cancelled.

    They are those of programs that have ended, also while the window was open, and those of this one whose
    following failed. What fails is tried again, and reported once until there is nothing left to resume.
    """
    rounds = _Rounds(session)
    while True:
        await rounds.run()
        await session.console.clock.sleep(EVERY_S)


class _Rounds:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._due: dict[str, float] = {}
        self._failures: set[type[KeybenchError]] = set()

    async def run(self) -> None:
        now = self._session.console.clock.monotonic()
        try:
            orphans = await self._session.console.resume.orphans()
        except JournalError as error:
            self._report_failure(error)
            return
        if not orphans:
            self._failures.clear()
        new = 0
        for sale in orphans:
            if self._due.get(sale.reference, now) > now:
                continue
            work = self._session.console.resume.resume(sale)
            failed = partial(self._on_failure, sale.reference)
            if self._session.run(task_of(sale), work, failed):
                new += sale.reference not in self._due
                self._due[sale.reference] = now + _AGAIN_S
        if new:
            self._report(new)

    def _on_failure(self, reference: str, error: KeybenchError) -> None:
        self._due[reference] = 0.0  # it isn't the sale's, so the sale needn't wait
        self._report_failure(error)

    def _report_failure(self, error: KeybenchError) -> None:
        if type(error) not in self._failures:
            self._failures.add(type(error))
            self._session.failed.emit(error)

    def _report(self, count: int) -> None:
        title = ngettext(
            "One sale was left unfinished and is being followed again.",
            "{count} sales were left unfinished and are being followed again.",
            count,
        )
        self._session.notify(Notice("info", title, _("Nothing is sent twice.")))


class ResumedSales(QObject):
    """Knows each sale without an outcome, whichever page, run or rotation started it.

    Reports a sale that ends where nobody looks, in an environment that isn't shown or behind other windows,
    and sales whose ends the journal doesn't take.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._references: set[str] = set()
        self._unkept: tuple[str, str] | None = None
        session.subscribe(self, {SaleChanged: self._on_sale, SalesUnkept: self._on_unkept})

    def closing_question(self) -> tuple[str, str] | None:
        """Return the title and text of what to ask before closing.

        None if no sale is under way and the journal has all that came of them.
        """
        count, waiting = len(self._references), self._session.sales_waiting
        if self._unkept:
            title, text = self._unkept
            return _("Close before the journal has everything?"), _(
                "{title} {text} Closing loses what it hasn't."
            ).format(title=title, text=text)
        if not count and not waiting:
            return None
        title = ngettext(
            "Close while a sale is under way?", "Close while sales are under way?", count + waiting
        )
        parts = []
        if count:
            going_on = ngettext(
                "A sale is under way and will go on at the device.",
                "{count} sales are under way and will go on at the device.",
                count,
            )
            parts += [going_on, _ASKED_LATER]
        if waiting:
            unsent = ngettext(
                "One more sale of the run has not been sent and will not be.",
                "{count} more sales of the run have not been sent and will not be.",
                waiting,
            )
            parts.append(unsent)
        return title, " ".join(parts)

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
        sale, console = change.sale, self._session.console
        if sale.owner != console.world.owners.me and not console.log.is_at_work(sale.reference):
            self._references.discard(sale.reference)  # another program of the team follows it
            return
        if sale.verdict is None:
            self._references.add(sale.reference)
            return
        self._references.discard(sale.reference)
        if sale.outcome is not Outcome.UNKNOWN:
            self._session.end_notice(_about(sale))
        is_shown = sale.environment_id == self._session.environment.id and self._session.is_attended()
        is_alone = sale.reference not in self._session.sales_in_runs
        if not is_shown and is_alone and change.event.mark is Mark.OUTCOME:
            self._session.run(f"report {sale.reference}", self._report_end(sale))

    async def _report_end(self, sale: Sale) -> None:
        if sale.verdict is None:
            return
        name, device, kind, place = "", sale.device, None, None
        for environment in await self._session.console.environments.all():
            if environment.id == sale.environment_id:
                name, kind = environment.name, environment.kind
                place = Place("bench", environment, sale.reference)
                known = {d.id: d.nickname for d in await self._session.console.devices.listed(environment)}
                device = known.get(sale.device) or sale.device
        where = f" ({name})" if name else ""
        tone = tone_of_outcome(sale.verdict.outcome)
        explained = explain_sale(sale, kind)
        self._session.notify(
            Notice(
                "warning" if tone == "unknown" else tone,
                _("{outcome_headline} {money} on {device}{where}").format(
                    outcome_headline=outcome_headline(sale),
                    money=sale_amount(sale),
                    device=device,
                    where=where,
                ),
                " ".join(part for part in (explained.money, explained.next) if part),
                _about(sale),
                name,
                place,
                ends=True,
            )
        )


def _about(sale: Sale) -> str:
    """Return the topic of a sale's end; it is over when the outcome is known after all."""
    return f"sale {sale.reference}"
