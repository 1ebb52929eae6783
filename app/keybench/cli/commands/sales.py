"""``sales``: sell on every device of a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.arguments import add_key, count, key_named, require_keystore
from keybench.cli.commands.sale import add_way, sale_line, sale_record, warn_of_busy
from keybench.cli.output import Output, meaning_of
from keybench.cli.running import stopping_at_interrupt, with_console
from keybench.core.environments.environment import Environment
from keybench.core.input_errors import DeviceListInvalid
from keybench.core.sales.sale import Outcome, SaleMode, Verdict
from keybench.words.formats import duration, money
from keybench.words.language import _
from keybench.words.sales.outcomes import outcome_word
from keybench.workflows.batch import RowState
from keybench.workflows.console import Console
from keybench.workflows.sales.batch import (
    AT_ONCE,
    MOST_AT_ONCE,
    RowResult,
    SaleBatch,
    read_device_file,
)

#: The worst first: what a script must look at decides the exit status. Where money was taken, or may have been,
#: and isn't what was asked for, comes before where none was.
_WORST_FIRST: Final = (
    *(Outcome.UNKNOWN, Outcome.PARTLY_APPROVED, Outcome.NOT_SENT, Outcome.REFUSED),
    *(Outcome.CANCELLED, Outcome.EXPIRED, Outcome.DECLINED),
)
_STOPPING: Final = _("Stopping: no more sales are started, and those under way are finished.")


def lanes(text: str) -> int:
    number = count(text)
    if number > MOST_AT_ONCE:
        raise argparse.ArgumentTypeError(f"{MOST_AT_ONCE} at the most")
    return number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_key(parser)
    parser.add_argument(
        "--devices",
        required=True,
        metavar="FILE.csv",
        help=_("columns device, amount, currency; one sale a row"),
    )
    parser.add_argument("--amount", default="", metavar="10.00", help=_("for rows without one"))
    parser.add_argument(
        "--currency", default="USD", metavar="USD", help=_("for rows without one (default USD)")
    )
    add_way(parser)
    parser.add_argument(
        "--at-once",
        type=lanes,
        default=AT_ONCE,
        metavar="N",
        help=_("sales under way at a time (default %(default)s)"),
    )
    parser.add_argument("--skip-wrong", action="store_true", help=_("sell although some rows are wrong"))


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Sell on every device of a file and report each outcome as it comes, then how many of each."""
    environment, key = await key_named(console, options)
    found = read_device_file(Path(options.devices), options.amount, options.currency)
    for wrong in found.wrong:
        output.wrong_row(wrong.line, wrong.error)
    if not found.rows or (found.wrong and not options.skip_wrong):
        raise DeviceListInvalid(DeviceListInvalid.WRONG_ROWS)
    await require_keystore(console)

    def on_changed(index: int) -> None:
        result = batch.rows[index]
        if result.state in {RowState.ENDED, RowState.FAILED}:
            output.result(_record(result, environment), _line(result))

    batch = SaleBatch(
        console.sell,
        console.clock,
        found.rows,
        on_changed,
        environment_id=environment.id,
        key_id=key.id,
        at_once=options.at_once,
        mode=SaleMode(options.mode),
        confirmed=options.yes,
    )
    await batch.check()
    await warn_of_busy(console, environment, {row.device for row in found.rows}, output)
    with stopping_at_interrupt(batch.stop, _STOPPING, output):
        await batch.carry_out()
    return _sum_up(batch, len(found.wrong), output)


def _record(result: RowResult, environment: Environment) -> dict[str, Any]:
    row = result.row
    record: dict[str, Any] = {
        "device": row.device,
        "amount": row.money.figure,
        "currency": row.money.currency,
    }
    if result.sale:
        record = sale_record(result.sale, environment)
    if result.error and result.outcome:
        record |= {
            "state": result.outcome.value,
            "error": type(result.error).__name__,
            "meaning": meaning_of(result.error),
        }
    return record | {"row": row.line}


def _line(result: RowResult) -> str:
    row, error = result.row, result.error
    if error is None and result.sale:
        return f"{row.line:>5}  {sale_line(result.sale)}"
    word = outcome_word(result.outcome) if result.outcome else ""
    meaning = meaning_of(error) if error else ""
    return f"{row.line:>5}  {row.device:<14} {money(row.money):>14} {word}: {meaning}"


def _sum_up(batch: SaleBatch, wrong: int, output: Output) -> int:
    counts = {outcome: batch.count(outcome) for outcome in Outcome}
    record: dict[str, Any] = {"summary": True, "rows": batch.total}
    record |= {outcome.value: count for outcome, count in counts.items()}
    record |= {"left": batch.left, "wrong": wrong, "elapsed_s": round(batch.elapsed_s, 3)}
    parts = [f"{outcome_word(outcome)}: {count}" for outcome, count in counts.items() if count]
    if batch.left:
        parts.append(_("not started: {left}").format(left=batch.left))
    output.result(
        record,
        _("{names} (in {duration})").format(names=", ".join(parts), duration=duration(batch.elapsed_s)),
    )
    if batch.trouble:
        output.message(
            _("keybench: {meaning_of} No more sales were started.").format(
                meaning_of=meaning_of(batch.trouble)
            )
        )
    # What was never started was not sent.
    ends = {outcome for outcome, count in counts.items() if count} | (
        {Outcome.NOT_SENT} if batch.left else set()
    )
    worst = next((outcome for outcome in _WORST_FIRST if outcome in ends), Outcome.APPROVED)
    return exits.status_of_verdict(Verdict(worst))
