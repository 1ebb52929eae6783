"""A team of 100 desks at one PostgreSQL beside them: how soon a page is there, and that moves add up.

First all move the same 100 sales as fast as they can, then each works as a person does, a page and three
moves in four seconds, in a journal of 100,000 sales and 500 keys. The server keeps what it commits.

``KEYBENCH_TEAM_MOVES=100000`` sets how many fast moves; usually there are fewer.
"""

from __future__ import annotations

import statistics
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, func, select, text

from benchmarks.figures import Figure, probed, size
from benchmarks.generated_journal import add_sales
from benchmarks.probes.team_desks import SHARED
from contracts.journal_samples import a_key, a_point, a_sale
from journal.postgres import a_store, server_here
from keybench.journal import keys, sales, tables

DESKS: Final = 100
#: The threads of one process wait for each other; as many processes as desks would take 6 GB.
_PROCESSES: Final = 10
_SALES: Final = 100_000
_KEYS: Final = 500
_SECONDS: Final = 20
_LIMIT_MS: Final = 50.0


def measure(folder: Path) -> list[Figure]:
    """Let the desks work, and count; the server has a folder of its own, because a socket's path is short."""
    moves = size("KEYBENCH_TEAM_MOVES", 10_000)
    server = server_here(is_durable=True)
    url = server.url(server.database())
    each = str(moves // DESKS)
    with closing(a_store(url)) as store:
        store.run(_fill, writes=True)
        server.execute("VACUUM ANALYZE", url.partition("@/")[2].partition("?")[0])
        found: list[dict[str, Any]] = []
        with ThreadPoolExecutor(_PROCESSES) as processes:
            desks = str(DESKS // _PROCESSES)
            for fast, slow_s in ((each, "0"), ("0", str(_SECONDS))):  # nobody is slowed by those who are fast
                running = [
                    processes.submit(probed, "team_desks", url, desks, fast, slow_s)
                    for _ in range(_PROCESSES)
                ]
                found += [one.result() for one in running]
        polls, points = store.run(_counted, writes=False)
    server.stop()
    moved = sum(one["moved"] for one in found)
    fast_s = max(max(one["fast_s"]) for one in found)
    return [
        Figure(
            f"{DESKS} desks, {moved:,} moves of the same sales: lost or doubled", abs(polls - moved), "", 0
        ),
        Figure("the same: points of timelines lost or doubled", abs(points - moved), "", 0),
        Figure("the same, as fast as they can: moves a second", moves / fast_s, ""),
        Figure(
            "each a page and three moves in 4 s: 95 % of pages within", _p95(found, "pages"), "ms", _LIMIT_MS
        ),
        Figure("the same: 95 % of moves within", _p95(found, "moves"), "ms"),
    ]


def _p95(found: list[dict[str, Any]], name: str) -> float:
    return statistics.quantiles((ms for one in found for ms in one[name]), n=20)[-1]


def _fill(connection: Connection) -> None:
    add_sales(connection, _SALES)
    connection.execute(text("SELECT setval('sale_groups_id_seq', 1000000)"))
    for number in range(_KEYS):
        keys.KEYS.add(connection, a_key(f"Key {number}"))
    for reference in SHARED:
        sales.note_sale(connection, a_sale(reference), a_point(a_sale(reference)))


def _counted(connection: Connection) -> tuple[int, int]:
    """Return how many polls and how many points behind the first are there of the shared sales."""
    polls = select(func.sum(tables.sales.c.polls)).where(tables.sales.c.reference.in_(SHARED))
    points = select(func.count()).select_from(tables.sale_events)
    return int(connection.execute(polls).scalar_one()), connection.execute(points).scalar_one() - len(SHARED)
