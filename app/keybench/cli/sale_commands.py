"""The command that sells."""

from __future__ import annotations

import argparse
from collections.abc import Collection

from keybench.cli import exits
from keybench.cli.commands import require_keystore
from keybench.cli.output import Output
from keybench.cli.records import sale_record, sale_text
from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import SaleChanged
from keybench.core.outcome import Outcome
from keybench.core.sale import Mark, SaleDraft, SaleMode
from keybench.words.formats import clock_time
from keybench.words.outcomes import busy_words, event_words
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
    tell = Teller(output)
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


class Teller:
    """Tells what happens to sales as it happens.

    Args:
        output: Where.
        names: Whether to say of which sale, because there are several.
    """

    def __init__(self, output: Output, *, names: bool = False) -> None:
        self._output = output
        self._names = names
        self._last = ("", "")

    def hear(self, change: SaleChanged) -> None:
        """Tell a change, unless it is an outcome, which is told in full later, or the same again."""
        event = change.event
        words = event_words(event)
        if event.mark is Mark.OUTCOME or (event.reference, words) == self._last:
            return
        self._last = event.reference, words
        if self._output.as_json:
            record = {"event": event.mark.value, "detail": event.detail, "reference": event.reference}
            self._output.result(record | {"at": event.at.isoformat()}, "")
        else:
            of_which = f"{event.reference}  " if self._names else ""
            self._output.message(f"{clock_time(event.at)}  {of_which}{words}")
