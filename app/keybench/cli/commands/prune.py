"""``prune``: delete sales, or their exchanges alone, from before a day."""

from __future__ import annotations

import argparse

from keybench.cli import exits
from keybench.cli.arguments import since
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.words.language import _
from keybench.words.system import older_sentence
from keybench.workflows.console import Console
from keybench.workflows.sales.retention import Retention


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--before", type=since, required=True, metavar="DAY", help=_("from before this day (2026-03-31)")
    )
    parser.add_argument(
        "--exchanges-only", action="store_true", help=_("only what was asked and answered; the sales stay")
    )
    parser.add_argument("--yes", action="store_true", help=_("confirm that it is to be deleted"))


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    before, with_sales = options.before, not options.exchanges_only
    found, day = await console.world.journal.count_older(before), f"{before.astimezone():%Y-%m-%d}"
    if options.yes:
        await Retention(console.world).delete(before, with_sales=with_sales)
    record = {
        "before": day,
        "deleted": options.yes,
        "sales": found.sales if with_sales else 0,
        "sales_with_exchanges": found.with_exchanges,
        "kept_unsettled": found.unsettled,
    }
    output.result(record, older_sentence(found, day, with_sales=with_sales))
    if options.yes:
        output.message(_("Deleted. The journal's file keeps its size, and what comes next uses the room."))
        return exits.DONE
    output.message(_("Nothing was deleted. With --yes it is, and that can't be undone."))
    return exits.WRONG_USE
