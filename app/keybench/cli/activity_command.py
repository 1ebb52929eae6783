"""The command about what was done on this computer: it lists the lines, saves them, or erases a text."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.commands import read_value
from keybench.cli.output import Output
from keybench.core.erasing import Erasure
from keybench.core.history import end_of, start_of
from keybench.core.ports import ActivityFilter
from keybench.core.secret import Secret
from keybench.runtime.person import person_name
from keybench.words.activity import action_words, erased_sentence, erased_title, found_sentence, result_words
from keybench.words.formats import day_and_time
from keybench.workflows.activity import PAGE, ActivityTrail, record_of
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console

_USUAL_LIMIT: Final = 50


async def activity(console: Console, options: argparse.Namespace, output: Output) -> int:
    """List the lines, newest first, or write them to a file; or erase a text from all that is kept."""
    if options.erase:
        return await _erase(console, options, output)
    only = (await console.environments.named(options.environment)).id if options.environment else None
    wanted = ActivityFilter(
        text=options.find,
        environment_id=only,
        since=start_of(options.since) if options.since else None,
        until=end_of(options.until) if options.until else None,
    )
    trail = ActivityTrail(console.world)
    if options.out:
        path = Path(options.out)
        written = await trail.export(wanted, path)
        lines = "line" if written == 1 else "lines"
        output.result({"file": str(path), "lines": written}, f"Wrote {written:,} {lines} to {path}.")
    else:
        await _list(trail, wanted, options.limit or _USUAL_LIMIT, output)
    return exits.DONE


async def _erase(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Erase a text if that is confirmed; else only tell in how many places it stands."""
    erasing = Administration(console).erasing
    text = Secret(read_value("The text to erase"))
    if not options.yes:
        found = await erasing.find(text)
        output.result(_record(found, erased=False), found_sentence(found))
        output.message("Nothing was erased. With --yes it is, and that can't be undone.")
        return exits.WRONG_USE
    erasure = await erasing.erase(text, person_name())
    output.result(_record(erasure, erased=True), f"{erased_title(erasure)}.")
    output.message(erased_sentence(erasure))
    return exits.DONE if erasure.is_swept else exits.OTHER


def _record(erasure: Erasure, *, erased: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"erased": erased, "places": erasure.places, "copies": erasure.copies}
    return record | ({"number": erasure.number, "swept": erasure.is_swept} if erased else {})


async def _list(trail: ActivityTrail, wanted: ActivityFilter, limit: int, output: Output) -> None:
    names = await trail.environment_names()
    after = 0
    while limit > 0 and (page := await trail.page(wanted, after=after, limit=min(limit, PAGE))):
        for line in page:
            record = record_of(line, names)
            words = (action_words(line), line.subject, record["environment"], result_words(line))
            output.result(
                dict(record), f"{day_and_time(line.at)}  {'  '.join(word for word in words if word)}"
            )
        limit, after = limit - len(page), page[-1].number
