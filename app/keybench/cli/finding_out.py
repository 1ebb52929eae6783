"""The commands that find out what became of what was begun; they send nothing again."""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from keybench.cli import exits
from keybench.cli.commands import require_keystore
from keybench.cli.output import Output
from keybench.cli.records import sale_line, sale_record, sale_text
from keybench.cli.sale_commands import Teller
from keybench.core.environment import Environment
from keybench.core.errors import (
    AnswerLost,
    GatewayFailed,
    JournalError,
    KeybenchError,
    NotFound,
    NotSent,
    PracticeUnavailable,
)
from keybench.core.events import SaleChanged
from keybench.core.history import REFERENCE_START, start_of
from keybench.core.making import KeyPlan
from keybench.core.outcome import Outcome
from keybench.core.sale import Sale
from keybench.words.keys import settled_words
from keybench.words.looking_up import in_vain, is_not_found_yet
from keybench.workflows.console import Console
from keybench.workflows.resume import NEVER_RECEIVED_AFTER_S

#: How far back `resume` asks for unknown sales by itself. Older ones would be asked for at each call, and
#: what no gateway or key knows any more would be told as unknown for ever.
LOOKED_BACK: Final = timedelta(days=30)
#: How many unknown sales of an environment are asked for at a time.
AT_ONCE: Final = 5
#: After so many failures in a row the other sales of an environment are not asked for.
ENOUGH_FAILURES: Final = 3

_NOT_YET: Final = (
    "The gateway knows nothing of it yet; its request may still be on the way. To be sure, look it up again "
    "in six minutes, or with --wait."
)
_WAITING: Final = (
    "The gateway knows nothing of it yet. It is asked again in six minutes, to be sure; Ctrl+C stops."
)


async def look_up(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Ask the gateway what became of sales and tell it; one that has an outcome isn't asked for."""
    sales = {sale.reference: sale for sale in [await _named(console, text) for text in options.references]}
    if not all(sale.is_settled for sale in sales.values()):
        await require_keystore(console)
    finding = _Finding(console, output, await _places(console), waits=options.wait)
    tell = Teller(output, names=len(sales) > 1)
    unsubscribe = console.events.subscribe(SaleChanged, tell.hear)
    try:
        ends = await asyncio.gather(*map(finding.find_out, sales.values()), return_exceptions=True)
    finally:
        unsubscribe()
    return max(_statuses(ends))


async def resume(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Take up every sale that nobody follows, and ask again for the sales and keys that are unknown."""
    since = start_of(options.since) if options.since else console.clock.now() - LOOKED_BACK
    orphans, unknown = await console.resume.orphans(), await console.resume.unknown(since)
    plans = await console.add_key.unsettled()
    if not orphans and not unknown and not plans:
        output.message("No sale and no key is waiting to be taken up.")
        return exits.DONE
    await require_keystore(console)
    places = await _places(console)
    finding = _Finding(console, output, places)
    ends = await asyncio.gather(
        *map(finding.take_up, orphans), *map(finding.ask_again, unknown), return_exceptions=True
    )
    settled = [await _settle(console, plan, places[plan.environment_id], output) for plan in plans]
    if finding.unknown:
        count = "One sale stays" if len(finding.unknown) == 1 else f"{len(finding.unknown)} sales stay"
        output.message(f"{count} unknown: {', '.join(finding.unknown)}.")
        output.message("`keybench look-up REFERENCE` asks again; send nothing again before it is known.")
    # A sale that was declined is found out about, and that was the wish.
    found = [one for one in _statuses(ends) if one >= exits.UNKNOWN]
    return max([*settled, *found], default=exits.DONE)


@dataclass(slots=True)
class _Place:
    """How asking for the unknown sales of one environment goes."""

    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    failures: int = 0


class _Finding:
    """Finds out about sales and tells each.

    Args:
        console: The use cases.
        output: Where each sale is told.
        places: The environments by id.
        waits: Whether to wait until it is sure that a sale which isn't found was never received.

    Attributes:
        unknown: The references of those that were told to be unknown.
    """

    def __init__(
        self, console: Console, output: Output, places: dict[str, Environment], *, waits: bool = False
    ) -> None:
        self._console = console
        self._output = output
        self._places = places
        self._waits = waits
        self._asked: defaultdict[str, _Place] = defaultdict(_Place)
        self.unknown: list[str] = []

    async def take_up(self, orphan: Sale) -> int:
        """Carry a sale that nobody follows to its outcome; return its exit status."""
        return self._tell(await self._console.resume.resume(orphan), "")

    async def ask_again(self, sale: Sale) -> int:
        """Ask for an unknown sale, some at a time; not where its gateway has failed for several others."""
        place = self._asked[sale.environment_id]
        async with place.turns:
            if place.failures >= ENOUGH_FAILURES:
                return self._tell(sale, "Not asked for: its gateway has failed for others before it.")
            found, error = await self._looked_up(sale)
            place.failures = place.failures + 1 if error and _is_out_of_reach(error) else 0
        return self._tell(found, in_vain(error, sale) if error else "", error)

    async def find_out(self, sale: Sale) -> int:
        """Find out about a sale at any stage, and tell it in full; return its exit status."""
        found, error, why = sale, None, ""
        if sale.verdict is None:
            found = await self._console.resume.resume(sale)
        if found.verdict is None:
            why = "Another Keybench that is running follows this sale; it isn't asked for from here."
        elif sale.is_settled:
            why = "It has an outcome already, so the gateway wasn't asked."
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
        return self._tell(found, why, error, in_full=True)

    async def _looked_up(self, sale: Sale) -> tuple[Sale, KeybenchError | None]:
        """Return a sale as the gateway knows it, or as it was and why that told nothing."""
        try:
            return await self._console.resume.look_up(sale), None
        except JournalError:
            raise
        except KeybenchError as error:
            return sale, error

    async def _is_not_found_yet(self, sale: Sale) -> bool:
        return is_not_found_yet(sale, await self._console.timeline(sale.reference))

    def _tell(
        self, sale: Sale, why: str, error: KeybenchError | None = None, *, in_full: bool = False
    ) -> int:
        place = self._places.get(sale.environment_id)
        record = sale_record(sale, place)
        if why:
            record["looked_up"] = why
            self._output.message(f"{sale.reference}: {why}")
        if error:
            record["error"] = type(error).__name__
        self._output.result(record, sale_text(sale, place) if in_full else sale_line(sale))
        if sale.outcome is Outcome.UNKNOWN:
            self.unknown.append(sale.reference)
        if error and exits.status_of_error(error) == exits.NO_KEYSTORE:
            return exits.NO_KEYSTORE
        return exits.status_of_verdict(sale.verdict) if sale.verdict else exits.UNKNOWN


def _is_out_of_reach(error: KeybenchError) -> bool:
    """Tell whether asking for other sales would fail the same way."""
    unreached = NotSent | AnswerLost | GatewayFailed | PracticeUnavailable
    return isinstance(error, unreached) or exits.status_of_error(error) == exits.NO_KEYSTORE


def _statuses(ends: Iterable[int | BaseException]) -> Sequence[int]:
    """Return the exit statuses; raise what failed only now, so that it leaves no other sale alone."""
    statuses = []
    for end in ends:
        if isinstance(end, BaseException):
            raise end
        statuses.append(end)
    return statuses


async def _places(console: Console) -> dict[str, Environment]:
    return {one.id: one for one in await console.environments.all()}


async def _named(console: Console, text: str) -> Sale:
    """Return a sale by its reference, in any case of letters and with or without its ``KB-``.

    Raises:
        NotFound: There is none.
    """
    reference = text.strip().upper()
    try:
        return await console.sale(
            reference if reference.startswith(REFERENCE_START) else f"{REFERENCE_START}{reference}"
        )
    except NotFound:
        raise NotFound("sale", text) from None


async def _settle(console: Console, plan: KeyPlan, where: Environment, output: Output) -> int:
    """Find out about a key of which nobody could tell, and tell what became of it."""
    so_far = {"key": plan.name, "environment": where.name}
    try:
        words = settled_words(await console.add_key.settle(plan.making.key_id))
    except NotFound:  # another program was faster
        return exits.DONE
    except KeybenchError as error:
        status = exits.status_of_error(error)
        output.failure(error, status, so_far)
        return status
    output.result(so_far | {"state": words.state}, f"{where.name:<12} {words.title} {words.text}")
    return exits.UNKNOWN if words.tone == "warning" else exits.DONE
