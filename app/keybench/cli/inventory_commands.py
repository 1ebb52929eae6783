"""The commands about many keys: test all, write them to a file, take a list over."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from keybench.cli import commands, exits
from keybench.cli.interrupts import stopping_at_interrupt
from keybench.cli.output import Output
from keybench.cli.records import key_record
from keybench.core.errors import KeybenchError
from keybench.core.inventory import InventoryRow
from keybench.runtime.person import person_name
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.workflows.console import Console
from keybench.workflows.inventory import Inventory
from keybench.workflows.key_import import ImportPlan, KeyImport, require_whole
from keybench.workflows.key_tests import KeyTests, KeyTrial, TrialEnd

_STOPPING: Final = "Stopping: no more keys are tested, and those under way are finished."
_OVER: Final = frozenset(set(TrialEnd) - {TrialEnd.WAITING, TrialEnd.UNDER_WAY})


async def key(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Carry out any of the commands about keys."""
    if options.action == "export":
        return await _export(console, options, output)
    if options.action == "import":
        return await _import(console, options, output)
    if options.action == "test" and options.all:
        return await _test_all(console, options, output)
    if options.action == "test" and not options.environment:
        output.message("keybench: name the key's environment: --environment E")
        return exits.WRONG_USE
    return await commands.key(console, options, output)


async def _rows(console: Console, environment: str | None) -> Sequence[InventoryRow]:
    """Return the keys of one environment, or of all.

    Raises:
        NotFound: There is no such environment.
    """
    where = await console.environments.named(environment) if environment else None
    rows = await Inventory(console).rows()
    return [row for row in rows if where is None or row.environment.id == where.id]


async def _export(console: Console, options: argparse.Namespace, output: Output) -> int:
    path = Path(options.out)
    written = await Inventory(console).export(path, await _rows(console, options.environment))
    keys = "key" if written == 1 else "keys"
    output.result(
        {"file": str(path), "keys": written}, f"Wrote {written:,} {keys} to {path}, without values."
    )
    return exits.DONE


async def _import(console: Console, options: argparse.Namespace, output: Output) -> int:
    keys = KeyImport(console.world)
    usual = await console.environments.named(options.environment)
    plan = await keys.read(Path(options.file), usual)
    _tell_wrong(plan, output)
    if not options.dry_run:
        require_whole(plan, skip_wrong=options.skip_wrong)
        await keys.take_over(plan, options.by or person_name())
    for row in plan.rows:
        record = key_record(row.key, row.environment) | {"row": row.line, "owner": row.key.owner}
        output.result(
            record | {"imported": not options.dry_run},
            f"{row.line:>5}  {row.environment.name:<12} {row.key.name:<24} {row.key.kind.value}",
        )
    count, wrong = len(plan.rows), len(plan.wrong)
    verb = "would be taken over" if options.dry_run else "taken over, without values"
    summary = {"summary": True, "keys": count, "wrong": wrong, "dry_run": options.dry_run}
    output.result(summary, f"{count:,} {verb}; {wrong:,} can't be.")
    return exits.DONE


def _tell_wrong(plan: ImportPlan, output: Output) -> None:
    for wrong in plan.wrong:
        meaning = field_sentence(wrong.error)
        output.message(f"Line {wrong.line}: {meaning}")
        if output.as_json:
            output.result({"row": wrong.line, "error": type(wrong.error).__name__, "meaning": meaning}, "")


async def _test_all(console: Console, options: argparse.Namespace, output: Output) -> int:
    rows = await _rows(console, options.environment)
    await commands.require_keystore(console)

    def on_change(index: int) -> None:
        test = run.rows[index]
        if test.end in _OVER and test.end is not TrialEnd.NOT_TESTED:
            output.result(_record(test), _line(test))

    run = KeyTests(console, rows, on_change)
    with stopping_at_interrupt(run.stop, _STOPPING, output):
        await run.carry_out()
    counts = {end: run.count(end) for end in TrialEnd if end in _OVER}
    told = ", ".join(f"{end.value}: {count}" for end, count in counts.items() if count)
    summary: dict[str, Any] = {"summary": True, "keys": run.total}
    summary |= {end.name.lower(): count for end, count in counts.items()}
    output.result(summary, told or "No keys.")
    if run.trouble:
        output.message(f"keybench: {_meaning(run.trouble)} No more keys were tested.")
    return _status(run)


def _record(test: KeyTrial) -> dict[str, Any]:
    record: dict[str, Any] = key_record(test.row.key, test.row.environment)
    for name in ("state", "status", "tested"):  # as they were before the test
        del record[name]
    record["result"] = test.end.name.lower()
    if test.error:
        record |= {"error": type(test.error).__name__, "meaning": _meaning(test.error)}
        record["status"] = getattr(test.error, "status", 0)
    return record


def _line(test: KeyTrial) -> str:
    meaning = f": {_meaning(test.error)}" if test.error else ""
    return f"{test.row.environment.name:<12} {test.row.key.name:<24} {test.end.value}{meaning}"


def _meaning(error: KeybenchError) -> str:
    explanation = explain(error)
    return " ".join(part for part in (explanation.title, explanation.text) if part)


def _status(run: KeyTests) -> int:
    """Return the exit status that tells the worst; a key whose value was never here has nothing to tell."""
    if run.trouble:
        return exits.status_of_error(run.trouble)
    if run.count(TrialEnd.REFUSED):
        return exits.REFUSED
    is_well = all(
        test.end is TrialEnd.WORKING or (test.end is TrialEnd.NO_VALUE and test.error is None)
        for test in run.rows
    )
    return exits.DONE if is_well else exits.OTHER
