"""The command that sells on every device of a list."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.commands import require_keystore
from keybench.cli.interrupts import stopping_at_interrupt
from keybench.cli.output import Output
from keybench.cli.records import sale_line, sale_record
from keybench.cli.sale_commands import warn_of_busy
from keybench.core.csv_lists import MOST_BYTES, DeviceList, read_device_list
from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import DeviceListInvalid
from keybench.core.outcome import Outcome, Verdict
from keybench.core.run_account import RowResult, RowState
from keybench.core.sale import SaleMode
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.words.formats import duration, roughly
from keybench.words.outcomes import outcome_word
from keybench.workflows.console import Console
from keybench.workflows.many import ManyOrder, ManyRun

#: The worst first: what a script must look at decides the exit status.
_WORST_FIRST: Final = (
    *(Outcome.UNKNOWN, Outcome.NOT_SENT, Outcome.REFUSED),
    *(Outcome.CANCELLED, Outcome.EXPIRED, Outcome.DECLINED),
)
_PROGRESS_EACH_S: Final = 5.0
_STOPPING: Final = "Stopping: no more sales are started, and those under way are finished."


async def sales(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Sell on every device of a file and tell each outcome as it comes, then how many there were of each."""
    where = await console.environments.named(options.environment)
    key = await console.keys.named(where, options.key)
    found = _read(options)
    _tell_wrong(found, output)
    if not found.rows or (found.wrong and not options.skip_wrong):
        raise DeviceListInvalid(DeviceListInvalid.WRONG_ROWS)
    order = ManyOrder(
        where.id, key.id, found.rows, options.at_once, SaleMode(options.mode), confirmed=options.yes
    )
    await require_keystore(console)
    teller = _Teller(console, where, output)
    run = teller.run = ManyRun(console.sell, console.clock, order, teller.hear)
    await run.check()
    await warn_of_busy(console, where, {row.device for row in order.rows}, output)
    with stopping_at_interrupt(run.stop, _STOPPING, output):
        await run.carry_out()
    return _sum_up(run, len(found.wrong), output)


def _read(options: argparse.Namespace) -> DeviceList:
    try:
        with Path(options.devices).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError:
        raise DeviceListInvalid(DeviceListInvalid.UNREADABLE) from None
    return read_device_list(data, amount=options.amount, currency=options.currency)


def _tell_wrong(found: DeviceList, output: Output) -> None:
    for wrong in found.wrong:
        meaning = field_sentence(wrong.error)
        output.message(f"Line {wrong.line}: {meaning}")
        if output.as_json:
            output.result({"row": wrong.line, "error": type(wrong.error).__name__, "meaning": meaning}, "")


class _Teller:
    """Tells of rows as they end, and now and then how far the run is.

    Attributes:
        run: Whose rows; set before it begins.
    """

    run: ManyRun

    def __init__(self, console: Console, environment: Environment, output: Output) -> None:
        self._clock = console.clock
        self._environment = environment
        self._output = output
        self._told_at = self._clock.monotonic()

    def hear(self, index: int) -> None:
        result = self.run.account.result(index)
        if result.state in {RowState.ENDED, RowState.FAILED}:
            self._output.result(_record(result, self._environment), _line(result))
            self._tell_progress()

    def _tell_progress(self) -> None:
        now = self._clock.monotonic()
        if now - self._told_at >= _PROGRESS_EACH_S:
            self._told_at = now
            account, left_s = self.run.account, self.run.time_left_s
            left = "" if left_s is None else f", about {roughly(left_s)} left"
            self._output.message(f"{account.done} of {account.total} done{left}")


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
            "meaning": _meaning(result.error),
        }
    return record | {"row": row.line}


def _line(result: RowResult) -> str:
    row, error = result.row, result.error
    if error is None and result.sale:
        return f"{row.line:>5}  {sale_line(result.sale)}"
    word = outcome_word(result.outcome) if result.outcome else ""
    meaning = _meaning(error) if error else ""
    return f"{row.line:>5}  {row.device:<14} {row.money!s:>14} {word}: {meaning}"


def _meaning(error: KeybenchError) -> str:
    explanation = explain(error)
    return " ".join(part for part in (explanation.title, explanation.text) if part)


def _sum_up(run: ManyRun, wrong: int, output: Output) -> int:
    account = run.account
    counts = {outcome: account.count(outcome) for outcome in Outcome}
    record: dict[str, Any] = {"summary": True, "rows": account.total}
    record |= {outcome.value: count for outcome, count in counts.items()}
    record |= {"left": account.left, "wrong": wrong, "elapsed_s": round(run.elapsed_s, 3)}
    parts = [f"{outcome_word(outcome)}: {count}" for outcome, count in counts.items() if count]
    if account.left:
        parts.append(f"not started: {account.left}")
    output.result(record, f"{', '.join(parts)} (in {duration(run.elapsed_s)})")
    if run.trouble:
        output.message(f"keybench: {_meaning(run.trouble)} No more sales were started.")
    # What was never started was not sent.
    ends = {outcome for outcome, count in counts.items() if count} | (
        {Outcome.NOT_SENT} if account.left else set()
    )
    worst = next((outcome for outcome in _WORST_FIRST if outcome in ends), Outcome.APPROVED)
    return exits.status_of_verdict(Verdict(worst))
