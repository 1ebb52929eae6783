"""``diagnose``: why a key, a device or a sale fails, with proof; no sale is ever sent."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.arguments import sale_named
from keybench.cli.output import Output
from keybench.cli.running import stopping_at_interrupt, with_console
from keybench.core.diagnosis.causes import Trouble
from keybench.core.diagnosis.checks import Check, CheckFinding, Result
from keybench.core.diagnosis.conclusion import Conclusion, Diagnosis
from keybench.core.diagnosis.rules import result_of
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Sale
from keybench.words.diagnosis import (
    cause_record,
    check_record,
    check_title,
    evidence_text,
    next_check_text,
    ticket_text,
    verdict_record,
)
from keybench.words.diagnosis.causes import cause_title, remedy, standing_word
from keybench.words.formats import duration, sentence_case
from keybench.words.language import _
from keybench.workflows.console import Console
from keybench.workflows.diagnosis.checks import Question

_RESULTS: Final = {
    Result.FINE: _("fine"),
    Result.FAULT: _("FAULT"),
    Result.COULD_NOT_TELL: "?",
}
_MARK: Final = max(map(len, _RESULTS.values()))
_TITLE: Final = max(len(check_title(check)) for check in Check)
#: As long as ``999 ms`` and ``3.01 s``.
_TOOK: Final = 6
#: Between the columns, and before what is set in.
_GAP: Final = "  "
_WIDTHS: Final = (60, 110)
#: How many causes are told of at a failure.
_CAUSES_TOLD: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--environment", metavar="E", help=_("where; left out, that of the sale"))
    parser.add_argument("--key", metavar="N", help=_("with which key; left out, that of the sale, or none"))
    parser.add_argument(
        "--device", metavar="D", help=_("on which device; left out, that of the sale, or none")
    )
    parser.add_argument("--sale", metavar="REFERENCE", help=_("a sale that failed"))
    parser.add_argument(
        "--other-forms",
        action="store_true",
        help=_("in live, too, send a refused key as Bearer, as Basic and in X-Api-Key"),
    )
    parser.add_argument(
        "--elsewhere",
        nargs="+",
        default=[],
        metavar="ENV",
        help=_(
            "also make one harmless call with the key in these environments of yours, if they are of the "
            "same gateway"
        ),
    )


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    question = await _question(console, options, output)
    if question is None:
        return exits.WRONG_USE
    stop = asyncio.Event()
    words = _("Stopped. This is what is known so far.")
    with stopping_at_interrupt(stop.set, words, output):
        diagnosis = await console.diagnose.run(
            question, lambda finding: output.result(check_record(finding), check_text(finding)), stop=stop
        )
    output.result(verdict_record(diagnosis), "\n" + verdict_text(diagnosis))
    return exits.DONE if diagnosis.conclusion.trouble is Trouble.NONE else exits.OTHER


async def _question(console: Console, options: argparse.Namespace, output: Output) -> Question | None:
    """Return what is asked about; None, with a message, where that isn't said."""
    sale = await sale_named(console, options.sale) if options.sale else None
    if options.environment:
        environment = await console.environments.named(options.environment)
    elif sale is not None:
        environment = await console.calling.environment(sale.environment_id)
    else:
        output.message(_("keybench: Name an environment with --environment, or a sale with --sale."))
        return None
    if sale is not None and sale.environment_id != environment.id:
        raise NotFound("sale", options.sale)
    key: SecurityKey | None = None
    if options.key:
        key = await console.keys.named(environment, options.key)
    elif sale is not None:
        key = await _key_of(console, sale, output)
    question = Question(environment, key, options.device or "", sale, other_forms=options.other_forms)
    named = [await console.environments.named(name) for name in options.elsewhere]
    if not named:
        return question
    siblings = {one.id for one in await console.diagnose.elsewhere(question)}
    for one in named:
        if one.id not in siblings:
            output.message(
                _("{name} isn't of the same gateway, so the key isn't sent there.").format(name=one.name)
            )
    return replace(question, elsewhere=tuple(one for one in named if one.id in siblings))


async def _key_of(console: Console, sale: Sale, output: Output) -> SecurityKey | None:
    try:
        return await console.calling.key(sale.environment_id, sale.key_id)
    except NotFound:
        output.message(_("The sale's key was forgotten, so only the way to the gateway is checked."))
        return None


def check_text(finding: CheckFinding) -> str:
    took = duration(finding.took_s) if finding.took_s else ""
    mark, title = _RESULTS[result_of(finding)], check_title(finding.check)
    head = f"{mark:<{_MARK}}{_GAP}{title:<{_TITLE}}{_GAP}{took:>{_TOOK}}{_GAP}"
    return _set_in(evidence_text(finding), head)


def verdict_text(diagnosis: Diagnosis) -> str:
    """Return the verdict as a ticket has it, and what to look at next."""
    lines = ticket_text(diagnosis).splitlines()
    if diagnosis.conclusion.next_check:
        lines.append(_("Next: {check}").format(check=next_check_text(diagnosis.conclusion.next_check)))
    return "\n".join(_set_in(line, "") for line in lines)


def _set_in(text: str, head: str) -> str:
    least, most = _WIDTHS
    width = min(max(shutil.get_terminal_size().columns, least), most)
    indent = " " * len(head)
    return textwrap.fill(
        text,
        width,
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def first_records(conclusion: Conclusion) -> list[dict[str, Any]]:
    return [cause_record(one) for one in conclusion.suspects[:_CAUSES_TOLD]]


def first_lines(conclusion: Conclusion) -> Sequence[str]:
    return [
        f"  {sentence_case(standing_word(one.standing))}: {cause_title(one.cause)} → {remedy(one.cause)}"
        for one in conclusion.suspects[:_CAUSES_TOLD]
    ]


def report_failure(
    error: KeybenchError, conclusion: Conclusion, output: Output, more: Mapping[str, Any] | None = None
) -> int:
    status = output.failure(error, {**(more or {}), "causes": first_records(conclusion)})
    for line in first_lines(conclusion):
        output.message(line)
    return status
