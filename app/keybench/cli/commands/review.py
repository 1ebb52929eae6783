"""``review``: what to fix about keys, worst first, or all keys of somebody who leaves."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from keybench.cli.arguments import add_environment, environment_id
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.core.environments.environment import marking
from keybench.core.keys.leaver import LeaverCheck, LeaverKey
from keybench.core.keys.review import Dismissal, Finding, grouped
from keybench.words.formats import day, day_and_time, some
from keybench.words.keys.leaver import STEP_WORDS, leaver_reason, leaver_summary, leaver_text
from keybench.words.keys.review import SEVERITY_WORDS, finding_words, overdue_words, reminder_words
from keybench.words.language import _, ngettext, number
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console
from keybench.workflows.keys.review import Reviewed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_environment(parser)
    parser.add_argument(
        "--leaver", metavar="USERNAME", help=_("list every key of a username, in the order to deal with them")
    )


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> None:
    only = await environment_id(console, options.environment)
    use_case = Administration(console).review
    if options.leaver is not None:
        _report_leaver(await use_case.leaver(options.leaver), only, output)
        return
    if silent := await use_case.ask_users(only):
        names = ", ".join(one.name for one in silent)
        output.message(
            _("The users of {names} couldn't be asked for, so nothing is said about them.").format(
                names=names
            )
        )
    _report(await use_case.look(), only, output)


def _report(reviewed: Reviewed, only: str | None, output: Output) -> None:
    found = [one for one in reviewed.findings if only in {None, one.environment.id}]
    due = [one for one in reviewed.reminders if only in {None, one.environment.id}]
    standing = [one for one in found if one.identity not in reviewed.dismissed]
    if output.as_json:
        for finding in found:
            output.result(_record(finding, reviewed.dismissed.get(finding.identity)), "")
    else:
        for group in grouped(standing):
            output.result({}, _text(group))
    for one in due:
        record: dict[str, Any] = {"due": one.due_at.isoformat(), "what": one.what.value, "key": one.key_name}
        record |= {"environment": one.environment.name, "overdue": one.is_overdue}
        when = overdue_words(one) or _("Due {moment}").format(moment=day_and_time(one.due_at))
        output.result(record, f"{when}: {reminder_words(one)} ({marking(one.environment)}).")
    count, dismissed = len(standing), len(found) - len(standing)
    summary = ngettext("1 finding", "{count} findings", count) if count else _("Nothing to fix")
    hidden = _(", {count} more dismissed").format(count=number(dismissed)) if dismissed else ""
    output.message(f"{summary}{hidden}.")


def _record(finding: Finding, dismissal: Dismissal | None) -> dict[str, Any]:
    words = finding_words([finding])
    return {
        "severity": finding.severity.value,
        "finding": finding.id,
        "environment": finding.environment.name,
        "kind": finding.environment.kind.value,
        "key": finding.key.name if finding.key else None,
        "title": words.title,
        "reason": words.reason,
        "remedy": words.remedy,
        "dismissed_until": dismissal.until.isoformat() if dismissal else None,
        "dismissed_for": dismissal.reason if dismissal else None,
    }


def _text(group: Sequence[Finding]) -> str:
    words, several = finding_words(group), len(group) > 1
    places = {one.environment.id: marking(one.environment) for one in group}
    key = "" if several or not group[0].key else f"{group[0].key.name} · "
    head = f"{SEVERITY_WORDS[group[0].severity]}: {words.title} · {key}{', '.join(places.values())}"
    names = [f"  {some([one.name for one in group])}"] if several else []
    return "\n".join([head, *names, f"  {words.reason}", f"  → {words.remedy}"])


def _report_leaver(check: LeaverCheck, only: str | None, output: Output) -> None:
    keys = tuple(one for one in check.keys if only in {None, one.environment.id})
    shown = replace(check, keys=keys)
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
