"""The command that looks through past sales: it lists them, or writes them to a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.cli.records import sale_line, sale_record
from keybench.core.history import UNDER_WAY, SaleFilter, SaleState, end_of, start_of
from keybench.core.outcome import Outcome
from keybench.workflows.console import Console
from keybench.workflows.history import PAGE

_USUAL_LIMIT: Final = 50


async def history(console: Console, options: argparse.Namespace, output: Output) -> int:
    """List sales, newest first, or write them to a file."""
    only = (await console.environments.named(options.environment)).id if options.environment else None
    wanted = SaleFilter(
        text=options.find,
        environment_id=only,
        state=_state(options.outcome),
        since=start_of(options.since) if options.since else None,
        until=end_of(options.until) if options.until else None,
    )
    if options.out:
        await _write(console, wanted, options, output)
    else:
        await _list(console, wanted, options.limit or _USUAL_LIMIT, output)
    return exits.DONE


def _state(word: str | None) -> SaleState | None:
    if word is None or word == UNDER_WAY:
        return UNDER_WAY if word else None
    return Outcome(word)


async def _list(console: Console, wanted: SaleFilter, limit: int, output: Output) -> None:
    places = {one.id: one for one in await console.environments.all()}
    after = ""
    while limit > 0 and (page := await console.history.page(wanted, after=after, limit=min(limit, PAGE))):
        for sale in page:
            output.result(sale_record(sale, places.get(sale.environment_id)), sale_line(sale))
        limit, after = limit - len(page), page[-1].reference


async def _write(console: Console, wanted: SaleFilter, options: argparse.Namespace, output: Output) -> None:
    bar = _Bar()
    path = Path(options.out)
    try:
        written = await console.history.export(wanted, path, at_most=options.limit, progress=bar.show)
    finally:
        bar.clear()
    output.result(
        {"file": str(path), "sales": written},
        f"Wrote {written:,} {'sale' if written == 1 else 'sales'} to {path}.",
    )


class _Bar:
    """How far the writing is, on a terminal's one line; nothing where messages go to a file."""

    _WIDTH: Final = 30

    def __init__(self) -> None:
        self._is_seen = sys.stderr.isatty()

    def show(self, written: int, total: int) -> None:
        """Show how many of how many sales are written."""
        if self._is_seen:
            done = self._WIDTH * written // max(total, 1)
            bar = "#" * done + "." * (self._WIDTH - done)
            sys.stderr.write(f"\r[{bar}] {written:,} of {total:,}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Leave the line empty."""
        if self._is_seen:
            sys.stderr.write("\r\x1b[K")
