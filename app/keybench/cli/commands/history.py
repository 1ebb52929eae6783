"""``history``: list past sales, or write them to a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from keybench.cli.arguments import USUAL_LIMIT, add_search, environment_id
from keybench.cli.commands.sale import sale_line, sale_record
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.core.sales.history import UNDER_WAY, SaleFilter, SaleState
from keybench.core.sales.sale import Outcome
from keybench.words.language import _, ngettext
from keybench.workflows.console import Console

_STATES: Final[dict[str, SaleState]] = {outcome.value: outcome for outcome in Outcome} | {
    UNDER_WAY: UNDER_WAY
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    found_by = _(
        "words of device or key, an amount, or how the reference, payment request, transaction or "
        "authorisation begins"
    )
    add_search(parser, found_by)
    parser.add_argument("--outcome", choices=_STATES, help=_("only those that ended so"))


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> None:
    wanted = SaleFilter(
        text=options.find,
        environment_id=await environment_id(console, options.environment),
        state=_STATES[options.outcome] if options.outcome else None,
        since=options.since,
        until=options.until,
    )
    if options.out:
        path = Path(options.out)
        written = await console.history.export(wanted, path, at_most=options.limit)
        text = ngettext("Wrote {count} sale to {path}.", "Wrote {count} sales to {path}.", written)
        output.result({"file": str(path), "sales": written}, text.format(path=path))
    else:
        await _list(console, wanted, options.limit or USUAL_LIMIT, output)


async def _list(console: Console, wanted: SaleFilter, limit: int, output: Output) -> None:
    environments = {one.id: one for one in await console.environments.all()}
    async for page in console.history.pages(wanted, limit):
        for sale in page:
            output.result(sale_record(sale, environments.get(sale.environment_id)), sale_line(sale))
