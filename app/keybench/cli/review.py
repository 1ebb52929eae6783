"""``review``: what is to mend about keys, or all keys of somebody who leaves."""

from __future__ import annotations

import argparse
from typing import Any

from keybench.cli import exits
from keybench.cli.arguments import environment_id
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.core.hygiene.dismissals import Dismissal
from keybench.core.hygiene.findings import Finding
from keybench.core.hygiene.leaver import LeaverKey
from keybench.core.marking import marking
from keybench.words.findings import counted
from keybench.words.hygiene import SEVERITY_WORDS, explain_finding, reminder_words
from keybench.words.leaver import STEP_WORDS, leaver_reason, leaver_summary, leaver_text
from keybench.words.times import day, day_and_time
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console
from keybench.workflows.review import LeaverCheck, Review, Reviewed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add whose keys are reviewed."""
    parser.add_argument("--environment", metavar="E", help="only this environment's keys")
    parser.add_argument(
        "--leaver", metavar="USERNAME", help="list every key of a username, in the order to deal with them"
    )


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Report what is to mend, worst first, and what becomes due; or check a leaver's keys."""
    only = await environment_id(console, options.environment)
    use_case = Administration(console).review
    if options.leaver is not None:
        await _leaver(use_case, options.leaver, only, output)
        return exits.DONE
    silent = await use_case.ask_users(only)
    if silent:
        names = ", ".join(one.name for one in silent)
        output.message(f"The users of {names} couldn't be asked for, so nothing is said about them.")
    _tell(await use_case.look(), only, output)
    return exits.DONE


def _tell(reviewed: Reviewed, only: str | None, output: Output) -> None:
    found = [one for one in reviewed.findings if only in {None, one.environment.id}]
    due = [one for one in reviewed.reminders if only in {None, one.environment.id}]
    for finding in found:
        dismissal = reviewed.dismissed.get(finding.identity)
        if output.as_json or dismissal is None:
            output.result(_record(finding, dismissal), _text(finding))
    for one in due:
        record = {"due": one.due_at.isoformat(), "what": one.what.value, "key": one.key_name}
        record |= {"environment": one.environment.name}
        where = marking(one.environment)
        output.result(record, f"Due {day_and_time(one.due_at)}: {reminder_words(one)} ({where}).")
    standing = sum(one.identity not in reviewed.dismissed for one in found)
    told = counted(standing, "finding") if standing else "Nothing to mend"
    hidden = f", {len(found) - standing:,} more dismissed" if len(found) > standing else ""
    output.message(f"{told}{hidden}.")


def _record(finding: Finding, dismissal: Dismissal | None) -> dict[str, Any]:
    words = explain_finding(finding)
    return {
        "severity": finding.severity.value,
        "finding": finding.rule.value,
        "environment": finding.environment.name,
        "kind": finding.environment.kind.value,
        "key": finding.key.name if finding.key else None,
        "title": words.title,
        "reason": words.reason,
        "remedy": words.remedy,
        "dismissed_until": dismissal.until.isoformat() if dismissal else None,
        "dismissed_for": dismissal.reason if dismissal else None,
    }


def _text(finding: Finding) -> str:
    words = explain_finding(finding)
    key = f"{finding.key.name} · " if finding.key else ""
    head = f"{SEVERITY_WORDS[finding.severity]}: {words.title} · {key}{marking(finding.environment)}"
    return f"{head}\n  {words.reason}\n  → {words.remedy}"


async def _leaver(use_case: Review, username: str, only: str | None, output: Output) -> None:
    check = await use_case.leaver(username)
    keys = tuple(one for one in check.keys if only in {None, one.environment.id})
    shown = LeaverCheck(check.username, check.at, keys, check.disabled_in)
    if not output.as_json:
        output.result({}, leaver_text(shown).rstrip())
        return
    for one in keys:
        output.result(_leaver_record(one), "")
    output.message(leaver_summary(shown))


def _leaver_record(one: LeaverKey) -> dict[str, Any]:
    key = one.key
    return {
        "username": key.username,
        "step": one.step.value,
        "meaning": f"{STEP_WORDS[one.step]}. {leaver_reason(one)}",
        "environment": one.environment.name,
        "kind": one.environment.kind.value,
        "key": key.name,
        "fingerprint": key.fingerprint,
        "since": day(key.created_at),
        "rotation": one.rotation.id if one.rotation else None,
        "applications": [
            {"name": app.name, "owner": app.owner, "contact": app.contact, "place": app.place}
            for app in one.applications
        ],
    }
