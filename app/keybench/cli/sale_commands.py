"""The commands that sell and take up sales."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Collection

from keybench.cli import exits
from keybench.cli.commands import require_keystore
from keybench.cli.output import Output
from keybench.cli.records import sale_line, sale_record, sale_text
from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError, NotFound
from keybench.core.events import SaleChanged
from keybench.core.making import KeyPlan
from keybench.core.outcome import Outcome
from keybench.core.sale import Mark, Sale, SaleDraft, SaleMode
from keybench.words.keys import settled_words
from keybench.words.outcomes import busy_words, event_words
from keybench.words.times import clock_time
from keybench.workflows.console import Console


async def sale(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Send a sale and wait for its outcome; also a sale that comes to nothing has a state."""
    so_far: dict[str, str] = {
        "state": Outcome.NOT_SENT.value,
        "device": options.device,
        "amount": options.amount,
    }
    try:
        return await _sell(console, options, output, so_far)
    except KeybenchError as error:
        status = exits.status_of_error(error)
        output.failure(error, status, so_far)
        return status


async def _sell(console: Console, options: argparse.Namespace, output: Output, so_far: dict[str, str]) -> int:
    where = await console.environments.named(options.environment)
    key = await console.keys.named(where, options.key)
    draft = SaleDraft(
        where.id,
        key.id,
        options.device,
        options.amount,
        options.currency,
        SaleMode(options.mode),
        confirmed=options.yes,
    )
    await require_keystore(console)
    await warn_of_busy(console, where, [draft.device], output)
    tell = _Teller(output)
    unsubscribe = console.events.subscribe(SaleChanged, tell.hear)
    try:
        noted = await console.sell.note(draft)
        so_far |= {"reference": noted.reference}  # what fails from here on, failed before it was sent
        ended = await console.sell.carry_out(noted)
    finally:
        unsubscribe()
    output.result(sale_record(ended, where), sale_text(ended, where))
    return exits.status_of_verdict(ended.verdict) if ended.verdict else exits.OTHER


async def warn_of_busy(
    console: Console, where: Environment, devices: Collection[str], output: Output
) -> None:
    """Say which of the devices sell something of ours already."""
    if busy := await console.sell.under_way(where.id, devices):
        output.message(busy_words(busy, console.clock.now()))


class _Teller:
    """Tells what happens to a sale as it happens."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._last = ""

    def hear(self, change: SaleChanged) -> None:
        event = change.event
        words = event_words(event)
        if event.mark is Mark.OUTCOME or words == self._last:
            return
        self._last = words
        if self._output.as_json:
            record = {"event": event.mark.value, "detail": event.detail, "reference": event.reference}
            self._output.result(record | {"at": event.at.isoformat()}, "")
        else:
            self._output.message(f"{clock_time(event.at)}  {words}")


async def resume(console: Console, _options: argparse.Namespace, output: Output) -> int:
    """Take up every unfinished sale that no running program follows, all at once, and then every key."""
    orphans, plans = await console.resume.orphans(), await console.add_key.unsettled()
    if not orphans and not plans:
        output.message("No sale and no key is waiting to be taken up.")
        return exits.DONE
    await require_keystore(console)
    places = {one.id: one for one in await console.environments.all()}

    async def take_up(orphan: Sale) -> None:
        ended = await console.resume.take_up(orphan)
        output.result(sale_record(ended, places.get(ended.environment_id)), sale_line(ended))

    ends = await asyncio.gather(*map(take_up, orphans), return_exceptions=True)
    statuses = [await _settle(console, plan, places[plan.environment_id], output) for plan in plans]
    for end in ends:  # only now, so that one sale's failure leaves no other alone
        if isinstance(end, BaseException):
            raise end
    return max(statuses, default=exits.DONE)


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
