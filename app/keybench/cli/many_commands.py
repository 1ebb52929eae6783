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
from keybench.core.device_list import DeviceList
from keybench.core.environment import Environment
from keybench.core.errors import DeviceListInvalid, KeybenchError
from keybench.core.outcome import Outcome, Verdict
from keybench.core.sale import SaleMode
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.words.outcomes import outcome_word
from keybench.words.times import duration, roughly
from keybench.workflows.batch import RowState
from keybench.workflows.console import Console
from keybench.workflows.sale_batch import RowResult, SaleBatch, read_device_file

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
    found = read_device_file(Path(options.devices), options.amount, options.currency)
    _tell_wrong(found, output)
    if not found.rows or (found.wrong and not options.skip_wrong):
        raise DeviceListInvalid(DeviceListInvalid.WRONG_ROWS)
    await require_keystore(console)
    report = _Report(console, where, output)
    batch = report.batch = SaleBatch(
        console.sell,
        console.clock,
        found.rows,
        report.on_change,
        environment_id=where.id,
        key_id=key.id,
        at_once=options.at_once,
        mode=SaleMode(options.mode),
        confirmed=options.yes,
    )
    await batch.check()
    await warn_of_busy(console, where, {row.device for row in found.rows}, output)
    with stopping_at_interrupt(batch.stop, _STOPPING, output):
        await batch.carry_out()
    return _sum_up(batch, len(found.wrong), output)


def _tell_wrong(found: DeviceList, output: Output) -> None:
    for wrong in found.wrong:
        meaning = field_sentence(wrong.error)
        output.message(f"Line {wrong.line}: {meaning}")
        if output.as_json:
            output.result({"row": wrong.line, "error": type(wrong.error).__name__, "meaning": meaning}, "")


class _Report:
    """Tells of rows as they end, and now and then how far the batch is.

    Attributes:
        batch: Whose rows; set before it begins.
    """

    batch: SaleBatch

    def __init__(self, console: Console, environment: Environment, output: Output) -> None:
        self._clock = console.clock
        self._environment = environment
        self._output = output
        self._reported_at = self._clock.monotonic()

    def on_change(self, index: int) -> None:
        result = self.batch.rows[index]
        if result.state in {RowState.ENDED, RowState.FAILED}:
            self._output.result(_record(result, self._environment), _line(result))
            self._report_progress()

    def _report_progress(self) -> None:
        now = self._clock.monotonic()
        if now - self._reported_at >= _PROGRESS_EACH_S:
            self._reported_at = now
            left_s = self.batch.time_left_s
            left = "" if left_s is None else f", about {roughly(left_s)} left"
            self._output.message(f"{self.batch.done} of {self.batch.total} done{left}")


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


def _sum_up(batch: SaleBatch, wrong: int, output: Output) -> int:
    counts = {outcome: batch.count(outcome) for outcome in Outcome}
    record: dict[str, Any] = {"summary": True, "rows": batch.total}
    record |= {outcome.value: count for outcome, count in counts.items()}
    record |= {"left": batch.left, "wrong": wrong, "elapsed_s": round(batch.elapsed_s, 3)}
    parts = [f"{outcome_word(outcome)}: {count}" for outcome, count in counts.items() if count]
    if batch.left:
        parts.append(f"not started: {batch.left}")
    output.result(record, f"{', '.join(parts)} (in {duration(batch.elapsed_s)})")
    if batch.trouble:
        output.message(f"keybench: {_meaning(batch.trouble)} No more sales were started.")
    # What was never started was not sent.
    ends = {outcome for outcome, count in counts.items() if count} | (
        {Outcome.NOT_SENT} if batch.left else set()
    )
    worst = next((outcome for outcome in _WORST_FIRST if outcome in ends), Outcome.APPROVED)
    return exits.status_of_verdict(Verdict(worst))
