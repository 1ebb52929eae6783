"""``history``: list past sales, or write them to a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from keybench.cli import exits
from keybench.cli.arguments import count, environment_id, since, until
from keybench.cli.commands.sale import sale_line, sale_record
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.core.sales.history import UNDER_WAY, SaleFilter, SaleState
from keybench.core.sales.sale import Outcome
from keybench.words.formats import number
from keybench.words.language import _, ngettext
from keybench.workflows.console import Console
from keybench.workflows.sales.history import PAGE

_USUAL_LIMIT: Final = 50
_STATES: Final[dict[str, SaleState]] = {outcome.value: outcome for outcome in Outcome} | {
    UNDER_WAY: UNDER_WAY
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--environment", metavar="E", help=_("only this environment's"))
    parser.add_argument(
        "--limit", type=count, default=None, metavar="N", help=_("at most N (default 50; all with --out)")
    )
    parser.add_argument(
        "--find",
        default="",
        metavar="TEXT",
        help=_(
            "words of device or key, an amount, or how the reference, payment request, transaction or "
            "authorisation begins"
        ),
    )
    parser.add_argument("--outcome", choices=_STATES, default=None, help=_("only those that ended so"))
    parser.add_argument(
        "--since", type=since, metavar="DATE", help=_("recorded on this day or later (2026-03-31)")
    )
    parser.add_argument("--until", type=until, metavar="DATE", help=_("recorded on this day or before"))
    parser.add_argument("--out", default="", metavar="FILE", help=_("write them to FILE.csv or FILE.json"))


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    wanted = SaleFilter(
        text=options.find,
        environment_id=await environment_id(console, options.environment),
        state=_STATES[options.outcome] if options.outcome else None,
        since=options.since,
        until=options.until,
    )
    if options.out:
        await _write(console, wanted, options, output)
    else:
        await _list(console, wanted, options.limit or _USUAL_LIMIT, output)
    return exits.DONE


async def _list(console: Console, wanted: SaleFilter, limit: int, output: Output) -> None:
    environments = {one.id: one for one in await console.environments.all()}
    after = ""
    while limit > 0 and (page := await console.history.page(wanted, after=after, limit=min(limit, PAGE))):
        for sale in page:
            output.result(sale_record(sale, environments.get(sale.environment_id)), sale_line(sale))
        limit, after = limit - len(page), page[-1].reference


async def _write(console: Console, wanted: SaleFilter, options: argparse.Namespace, output: Output) -> None:
    bar = _Bar()
    path = Path(options.out)
    try:
        written = await console.history.export(wanted, path, at_most=options.limit, progress=bar.show)
    finally:
        bar.clear()
    text = ngettext("Wrote {count} sale to {path}.", "Wrote {count} sales to {path}.", written)
    output.result({"file": str(path), "sales": written}, text.format(count=number(written), path=path))


class _Bar:
    """How far the writing is, on a terminal's one line; nothing where messages go to a file."""

    _WIDTH: Final = 30

    def __init__(self) -> None:
        self._is_seen = sys.stderr.isatty()

    def show(self, written: int, total: int) -> None:
        if self._is_seen:
            done = self._WIDTH * written // max(total, 1)
            bar = "#" * done + "." * (self._WIDTH - done)
            sys.stderr.write(
                _("\r[{bar}] {written:,} of {total:,}").format(bar=bar, written=written, total=total)
            )
            sys.stderr.flush()

    def clear(self) -> None:
        if self._is_seen:
            sys.stderr.write("\r\x1b[K")
