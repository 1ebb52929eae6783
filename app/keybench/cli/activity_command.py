"""The command that looks through what was done on this computer: it lists the lines, or saves them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.core.history import end_of, start_of
from keybench.core.ports import ActivityFilter
from keybench.words.activity import action_words, result_words
from keybench.words.times import day_and_time
from keybench.workflows.activity import PAGE, ActivityTrail, record_of
from keybench.workflows.console import Console

_USUAL_LIMIT: Final = 50


async def activity(console: Console, options: argparse.Namespace, output: Output) -> int:
    """List the lines, newest first, or write them to a file."""
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
