"""``look-up``: ask the gateway what became of sales; nothing is sent again."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from keybench.cli import exits
from keybench.cli.arguments import require_keystore, sale_named
from keybench.cli.commands.sale import FOLLOWED_ELSEWHERE, SaleReporter, sale_line, sale_record, sale_text
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.core.environments.environment import Environment
from keybench.core.errors import (
    AnswerLost,
    GatewayFailed,
    JournalError,
    KeybenchError,
    NotSent,
    PracticeUnavailable,
)
from keybench.core.events import SaleChanged
from keybench.core.reasons import Reason
from keybench.core.sales.forensics import Account
from keybench.core.sales.sale import Outcome, Sale
from keybench.words.language import _
from keybench.words.sales import forensics
from keybench.words.sales.outcomes import in_vain, is_not_found_yet
from keybench.workflows.console import Console
from keybench.workflows.sales.resume import NEVER_RECEIVED_AFTER_S

#: How many unknown sales of an environment are asked for at a time.
AT_ONCE: Final = 5
#: After so many failures in a row the other sales of an environment are not asked for.
ENOUGH_FAILURES: Final = 3

_NOT_YET: Final = _(
    "The gateway knows nothing of it yet; its request may still be on the way. To be sure, look it up again "
    "in six minutes, or with --wait."
)
_WAITING: Final = _(
    "The gateway knows nothing of it yet. It is asked again in six minutes, to be sure; Ctrl+C stops."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("references", nargs="+", metavar="REFERENCE", help=_("such as KB-7Q2M-X4T9-KD3F"))
    parser.add_argument(
        "--wait",
        action="store_true",
        help=_("where the gateway knows nothing of it yet, ask once more in six minutes, to be sure"),
    )


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Ask what became of sales and report it; one that has an outcome isn't asked for."""
    sales = {
        sale.reference: sale for sale in [await sale_named(console, text) for text in options.references]
    }
    if not all(sale.is_settled for sale in sales.values()):
        await require_keystore(console)
    look_ups = LookUps(console, output, await environments_by_id(console), waits=options.wait)
    reporter = SaleReporter(output, names=len(sales) > 1)
    unsubscribe = console.events.subscribe(SaleChanged, reporter.on_changed)
    try:
        ends = await asyncio.gather(*map(look_ups.find_out, sales.values()), return_exceptions=True)
    finally:
        unsubscribe()
    return max(statuses(ends))


async def environments_by_id(console: Console) -> dict[str, Environment]:
    return {one.id: one for one in await console.environments.all()}


def statuses(ends: Iterable[int | BaseException]) -> Sequence[int]:
    """Return the exit statuses; raise what failed only now, so that it leaves no other sale alone."""
    found = []
    for end in ends:
        if isinstance(end, BaseException):
            raise end
        found.append(end)
    return found


class LookUps:
    """Finds out what became of sales and reports each.

    `waits` until it is sure that a sale which isn't found was never received; `unknown` are the references of
    those that were reported as unknown.
    """

    def __init__(
        self, console: Console, output: Output, environments: dict[str, Environment], *, waits: bool = False
    ) -> None:
        self._console = console
        self._output = output
        self._environments = environments
        self._waits = waits
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(AT_ONCE))
        self._failures: Counter[str] = Counter()
        self.unknown: list[str] = []

    async def resume(self, orphan: Sale) -> int:
        """Carry a sale that nobody follows to its outcome, or ask for it; return its exit status."""
        resumed = await self._console.resume.resume(orphan)
        is_unanswered = resumed.verdict and resumed.verdict.reason == Reason.ENDED_BEFORE_ANSWER
        return await self.ask_again(resumed) if is_unanswered else self._report(resumed, "")

    async def ask_again(self, sale: Sale) -> int:
        """Ask for an unknown sale, some at a time; not where its gateway has failed for several others."""
        environment = sale.environment_id
        if not self._console.resume.can_look_up(sale, self._environments.get(environment)):
            return self._report(sale, in_vain(NotSent(Reason.NOT_OFFERED), sale))
        async with self._turns[environment]:
            if self._failures[environment] >= ENOUGH_FAILURES:
                return self._report(sale, _("Not asked for: its gateway has failed for others before it."))
            found, error = await self._looked_up(sale)
            failed = error is not None and _is_out_of_reach(error)
            self._failures[environment] = self._failures[environment] + 1 if failed else 0
        not_yet = _NOT_YET if await self._is_not_found_yet(found) else ""
        return self._report(found, in_vain(error, sale) if error else not_yet, error)

    async def find_out(self, sale: Sale) -> int:
        found, error, why = sale, None, ""
        if sale.verdict is None:
            found = await self._console.resume.resume(sale)
        if found.verdict is None:
            why = FOLLOWED_ELSEWHERE
        elif sale.is_settled:
            why = _("It has an outcome already, so the gateway wasn't asked.")
        elif found.outcome is Outcome.UNKNOWN:
            found, error = await self._looked_up(found)
            while self._waits and not error and await self._is_not_found_yet(found):
                self._output.message(_WAITING)
                await self._console.clock.sleep(NEVER_RECEIVED_AFTER_S + 1)  # timers may be early
                found, error = await self._looked_up(found)
            if error:
                why = in_vain(error, found)
            elif await self._is_not_found_yet(found):
                why = _NOT_YET
        return self._report(found, why, error, in_full=True, account=await self._account(found))

    async def _account(self, sale: Sale) -> Account | None:
        """Return what went on; None where that can't be read, which leaves the outcome as it is."""
        with suppress(JournalError):
            events = await self._console.timeline(sale.reference)
            exchanges = await self._console.exchanges(sale.reference)
            return await self._console.history.account(sale, events, exchanges)
        return None

    async def _looked_up(self, sale: Sale) -> tuple[Sale, KeybenchError | None]:
        """Return a sale as the gateway knows it, or as it was and why that couldn't be found out."""
        try:
            return await self._console.resume.look_up(sale), None
        except JournalError:
            raise
        except KeybenchError as error:
            return sale, error

    async def _is_not_found_yet(self, sale: Sale) -> bool:
        return is_not_found_yet(sale, await self._console.timeline(sale.reference))

    def _report(
        self,
        sale: Sale,
        why: str,
        error: KeybenchError | None = None,
        *,
        in_full: bool = False,
        account: Account | None = None,
    ) -> int:
        environment = self._environments.get(sale.environment_id)
        record = sale_record(sale, environment)
        if why:
            record["looked_up"] = why
            self._output.message(f"{sale.reference}: {why}")
        if error:
            record["error"] = type(error).__name__
        text = sale_text(sale, environment) if in_full else sale_line(sale)
        if account is not None:
            record |= {"forensics": forensics.record(account), "times": forensics.times(account)}
            text = "\n".join(
                filter(None, [text, *forensics.sentences(account), forensics.times_sentence(account)])
            )
        self._output.result(record, text)
        if sale.outcome is Outcome.UNKNOWN:
            self.unknown.append(sale.reference)
        if error and exits.status_of_error(error) == exits.NO_KEYSTORE:
            return exits.NO_KEYSTORE
        return exits.status_of_verdict(sale.verdict)


def _is_out_of_reach(error: KeybenchError) -> bool:
    """Return whether asking for other sales would fail the same way."""
    unreached = NotSent | AnswerLost | GatewayFailed | PracticeUnavailable
    return isinstance(error, unreached) or exits.status_of_error(error) == exits.NO_KEYSTORE
