"""Causes of a failure as commands print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from keybench.cli.output import Output
from keybench.core.diagnosis.conclusion import Conclusion
from keybench.core.errors import KeybenchError
from keybench.words.diagnosis import cause_record
from keybench.words.diagnosis.causes import cause_title, remedy, standing_word

#: How many are told of at a failure.
MOST: Final = 3


def first_records(conclusion: Conclusion) -> list[dict[str, Any]]:
    return [cause_record(one) for one in conclusion.suspects[:MOST]]


def first_lines(conclusion: Conclusion) -> Sequence[str]:
    return [
        f"  {standing_word(one.standing).capitalize()}: {cause_title(one.cause)} → {remedy(one.cause)}"
        for one in conclusion.suspects[:MOST]
    ]


def report_failure(
    error: KeybenchError, conclusion: Conclusion, output: Output, more: Mapping[str, Any] | None = None
) -> int:
    status = output.failure(error, {**(more or {}), "causes": first_records(conclusion)})
    for line in first_lines(conclusion):
        output.message(line)
    return status
