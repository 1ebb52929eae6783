"""``sale``: send a sale to a device and wait for its outcome."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.arguments import add_key, key_named, require_keystore
from keybench.cli.commands.diagnose import first_lines, first_records, report_failure
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.core.devices.habit import Habit
from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import PollPlanned, SaleChanged
from keybench.core.sales.sale import APPROVALS, Mark, Outcome, Sale, SaleDraft, SaleMode
from keybench.words.formats import clock_time, day_and_time, duration
from keybench.words.language import _, ngettext
from keybench.words.sales.outcomes import (
    UNDER_WAY,
    busy_words,
    event_words,
    explain_sale,
    outcome_headline,
    sale_amount,
)
from keybench.words.sales.polls import poll_reason
from keybench.workflows.console import Console

FOLLOWED_ELSEWHERE: Final = _(
    "Another Keybench that is running follows this sale; it isn't asked for from here."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_key(parser)
    parser.add_argument(
        "--device", required=True, metavar="D", help=_("the device to sell on, by its identifier")
    )
    parser.add_argument("--amount", required=True, metavar="10.00", help=_("how much to sell for"))
    parser.add_argument(
        "--currency", default="USD", metavar="USD", help=_("the amount's currency (default USD)")
    )
    add_way(parser)


def add_way(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mode",
        choices=[mode.value for mode in SaleMode],
        default=SaleMode.ASYNCHRONOUS.value,
        help=_("how the sale is sent (default %(default)s)"),
    )
    parser.add_argument("--yes", action="store_true", help=_("confirm that money may move (live)"))


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Send a sale and wait for its outcome; also a sale that comes to nothing has a state."""
    so_far: dict[str, Any] = {
        "state": Outcome.NOT_SENT.value,
        "device": options.device,
        "amount": options.amount,
    }
    try:
        return await _sell(console, options, output, so_far)
    except KeybenchError as error:
        return report_failure(error, await console.diagnose.at_error(error), output, so_far)


async def _sell(console: Console, options: argparse.Namespace, output: Output, so_far: dict[str, Any]) -> int:
    environment, key = await key_named(console, options)
    draft = SaleDraft(
        environment.id,
        key.id,
        options.device,
        options.amount,
        options.currency,
        SaleMode(options.mode),
        confirmed=options.yes,
    )
    await require_keystore(console)
    await warn_of_busy(console, environment, [draft.device], output)
    reporter = SaleReporter(output)
    unsubscribe = console.events.subscribe(SaleChanged, reporter.on_changed)
    unsubscribe_plans = console.events.subscribe(PollPlanned, reporter.on_planned)
    try:
        noted = await console.sell.note(draft)
        so_far |= {"reference": noted.reference}  # what fails from here on, failed before it was sent
        ended = await console.sell.carry_out(noted)
    finally:
        unsubscribe()
        unsubscribe_plans()
    habit = console.habits.of(environment.id, draft.device)
    record = sale_record(ended, environment) | habit_record(habit)
    text = sale_text(ended, environment)
    if ended.outcome not in APPROVALS:
        why = await console.diagnose.at_failure(ended)
        record["causes"] = first_records(why)
        text = "\n".join([text, *first_lines(why)])
    output.result(record, text)
    if ended.verdict is None:
        output.message(FOLLOWED_ELSEWHERE)
    return exits.status_of_verdict(ended.verdict)


async def warn_of_busy(
    console: Console, environment: Environment, devices: Collection[str], output: Output
) -> None:
    """Say which of the devices sell something of ours already."""
    if busy := await console.sell.under_way(environment.id, devices):
        output.message(busy_words(busy, console.clock.now()))


class SaleReporter:
    """Reports what happens to sales as it happens; `names` says of which, where there are several."""

    def __init__(self, output: Output, *, names: bool = False) -> None:
        self._output = output
        self._names = names
        self._last = ("", "")

    def on_planned(self, planned: PollPlanned) -> None:
        """Report when a sale is polled next and why then, in JSON alone."""
        if self._output.as_json:
            pause = planned.pause
            record = {
                "event": "poll_planned",
                "reference": planned.reference,
                "in_s": round(pause.seconds, 3),
                "why": pause.why.value,
                "reason": poll_reason(pause.why, planned.habit),
            }
            self._output.result(record | habit_record(planned.habit), "")

    def on_changed(self, change: SaleChanged) -> None:
        """Report a change, unless it is an outcome, which is reported in full later, or the same again."""
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


def habit_record(habit: Habit) -> dict[str, Any]:
    usual = habit.usual_s
    return {
        "usual_s": [round(one, 3) for one in usual] if usual else None,
        "usual_of": habit.basis.value,
        "learnt_from": habit.outcomes,
    }


def sale_record(sale: Sale, environment: Environment | None) -> dict[str, Any]:
    verdict = sale.verdict
    explanation = explain_sale(sale, environment.kind if environment else None)
    record: dict[str, Any] = {
        "state": verdict.outcome.value if verdict else "under_way",
        "reference": sale.reference,
        "request_id": sale.request_id,
        "environment": environment.name if environment else "removed",
        "key": sale.key_name,
        "device": sale.device,
        "amount": sale.money.figure,
        "currency": sale.money.currency,
        "mode": sale.mode.value,
        "noted": sale.noted_at.isoformat(),
        "elapsed_s": round(sale.elapsed_s, 3) if sale.elapsed_s is not None else None,
        "lasted_s": round(sale.lasted_s, 3) if sale.lasted_s is not None else None,
        "polls": sale.polls,
        "meaning": " ".join(
            part for part in (explanation.title, explanation.money, explanation.next) if part
        ),
    }
    if verdict:
        record |= {
            "status": verdict.status,
            "message": verdict.message,
            "transaction": verdict.transaction_id,
            "authorisation": verdict.authorisation,
            "approved_amount": sale.approved.figure if sale.approved else None,
        }
    return record


def sale_line(sale: Sale) -> str:
    took = duration(sale.elapsed_s) if sale.elapsed_s is not None else ""
    state = outcome_headline(sale) if sale.verdict else UNDER_WAY
    return (
        f"{day_and_time(sale.noted_at):<20} {sale.reference:<17} {sale.device:<14} {sale_amount(sale):>18} "
        f"{sale.key_name:<20} {state:<16} {took}"
    ).rstrip()


def sale_text(sale: Sale, environment: Environment | None) -> str:
    explanation = explain_sale(sale, environment.kind if environment else None)
    lines = [
        _("{outcome_headline}: {money} on {device}").format(
            outcome_headline=outcome_headline(sale), money=sale_amount(sale), device=sale.device
        ),
        explanation.title,
        explanation.text,
    ]
    facts = {
        _("Reference"): sale.reference,
        _("Payment request"): sale.request_id,
        _("Transaction"): sale.verdict.transaction_id if sale.verdict else "",
        _("Authorisation"): sale.verdict.authorisation if sale.verdict else "",
        _("Took"): ngettext("{duration}, {count} poll", "{duration}, {count} polls", sale.polls).format(
            duration=duration(sale.elapsed_s)
        )
        if sale.elapsed_s is not None
        else "",
    }
    lines += [f"  {name:<16} {fact}" for name, fact in facts.items() if fact]
    return "\n".join(line for line in lines if line)
