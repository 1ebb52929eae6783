"""Sells on a small disk that fills up as soon as a sale has left, and tells what the journal then has.

Run as ``python full_disk_program.py FOLDER SALES``, FOLDER on a disk of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from fakes.scripted_gateway import DONE, PENDING
from fakes.waiting import until
from fakes.world import Bench, build_world
from journal.files import remove
from keybench.core.errors import JournalUnwritable
from keybench.core.events import SalesUnkept
from keybench.core.ports import SaleOrder
from keybench.core.sales.sale import Sale, SaleDraft
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock
from keybench.workflows.console import Console


def fill(filler: Path) -> None:
    """Write until nothing more fits, in ever smaller pieces."""
    descriptor = os.open(filler, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for piece in (65536, 4096, 1):
        try:
            while True:
                os.write(descriptor, b"x" * piece)
        except OSError:
            continue
    os.close(descriptor)


def in_journal(path: Path) -> dict[str, Any]:
    """Return what another program finds there of sales and exchanges."""
    sales = "SELECT stage, outcome, request_id FROM sales ORDER BY number"
    with closing(sqlite3.connect(path)) as other:
        exchanges = other.execute("SELECT count(DISTINCT reference) FROM sale_exchanges").fetchone()[0]
        return {"kept": other.execute(sales).fetchall(), "exchanges": exchanges}


async def refused(bench: Bench, draft: SaleDraft) -> str:
    """Return why another sale isn't noted; empty if it is."""
    try:
        await bench.console.sell.note(draft)
    except JournalUnwritable as error:
        return error.reason
    return ""


async def main(folder: Path, sales: int) -> dict[str, Any]:
    """Sell, and return what is to be told."""
    filler, path = folder / "filler", folder / "data" / "journal.sqlite3"
    journal, bench = SqlJournal(path, SystemClock()), Bench()
    bench.console = Console(replace(build_world(bench), clock=SystemClock(), journal=journal))
    bench.journal = journal  # type: ignore[assignment]  # another journal, the same port
    await journal.open()
    unkept: list[tuple[Sale, ...]] = []
    bench.console.events.subscribe(SalesUnkept, lambda told: unkept.append(told.sales))
    draft = await bench.draft()
    noted = [await bench.console.sell.note(draft) for _ in range(sales)]
    all_sent = asyncio.Event()

    async def fill_up(_order: SaleOrder) -> None:
        if len(bench.gateway.posts) == sales:
            fill(filler)
            all_sent.set()
        await all_sent.wait()

    bench.gateway.before_post = fill_up
    bench.gateway.to_poll = [*[PENDING] * (2 * sales), DONE]
    ends = asyncio.gather(*(bench.console.sell.carry_out(one) for one in noted))
    await until(all_sent.is_set)
    told: dict[str, Any] = {"another": await refused(bench, draft), "posts": len(bench.gateway.posts)}
    told["outcomes"] = [(str(sale.outcome), sale.request_id) for sale in await ends]
    told["held"] = len(bench.console.log.pending.sales)
    told["announced"] = max(map(len, unkept))
    remove(filler)
    await bench.console.log.pending.settle(within_s=30)
    told |= in_journal(path)
    bench.gateway.before_post = None
    after = await bench.console.sell.carry_out(await bench.console.sell.note(draft))
    told["after"] = str(after.outcome)
    await bench.console.log.close()
    await journal.close()
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))))
