"""``activity``: list what was done on this computer, or write it to a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from keybench.cli.arguments import USUAL_LIMIT, add_search, environment_id
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.core.ports import ActivityFilter
from keybench.words.activity import action_words, result_words, who_words
from keybench.words.formats import day_and_time
from keybench.words.language import _, ngettext
from keybench.workflows.activity import ActivityTrail, record_of
from keybench.workflows.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_search(parser, _("words of what was done, to which, how, or by whom"))


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> None:
    wanted = ActivityFilter(
        text=options.find,
        environment_id=await environment_id(console, options.environment),
        since=options.since,
        until=options.until,
    )
    trail = ActivityTrail(console.world)
    if options.out:
        path = Path(options.out)
        written = await trail.export(wanted, path, at_most=options.limit)
        text = ngettext("Wrote {count} line to {path}.", "Wrote {count} lines to {path}.", written)
        output.result({"file": str(path), "lines": written}, text.format(path=path))
    else:
        await _list(trail, wanted, options.limit or USUAL_LIMIT, output)


async def _list(trail: ActivityTrail, wanted: ActivityFilter, limit: int, output: Output) -> None:
    async for page in trail.pages(wanted, limit):
        names = await trail.environment_names(page)
        for line in page:
            record = record_of(line, names)
            words = (
                who_words(line),
                action_words(line),
                line.subject,
                record["environment"],
                result_words(line),
            )
            output.result(
                dict(record), f"{day_and_time(line.at)}  {'  '.join(word for word in words if word)}"
            )
