"""What sales take in the journal, how long an old one's upgrade takes, and how long others wait meanwhile.

The journal that is brought up to date has some 10 KB of exchanges a sale, as versions before 12 kept them;
``KEYBENCH_KEPT_SALES=100000`` makes one of 1 GB. Another process notes lines of the activity all the while
older sales are deleted, and tells its longest wait.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, insert, select

from benchmarks.figures import Figure, size
from benchmarks.generated_journal import fill
from contracts.journal_samples import APPROVED, NOW, a_point, a_sale, note
from fakes.world import Bench, build_world
from journal.files import content_of
from keybench.core.exchange import Exchange, Timings
from keybench.core.sales.sale import Mark
from keybench.journal import SqlJournal
from keybench.journal.rows import exchange_values
from keybench.journal.sqlite.engine import engine_for
from keybench.journal.tables import older_exchanges, sales
from keybench.runtime.clock import SystemClock
from keybench.workflows.console import Console
from keybench.workflows.sales.retention import Retention

LIMIT_MS: Final = 500.0
UPGRADE_S: Final = 60.0
#: What another program's write is: a line of the activity, durable when it is written.
_WRITER: Final = """
import json, sqlite3, sys, time
there = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
there.execute("PRAGMA synchronous = FULL")
longest, count, end = 0.0, 0, False
print("ready", flush=True)
while not there.execute("SELECT count(*) FROM settings WHERE name = 'over'").fetchone()[0]:
    began = time.perf_counter()
    there.execute("BEGIN IMMEDIATE")
    there.execute("INSERT INTO activities (at, action, environment_id, subject, result, fingerprint, folded,"
                  " who) VALUES (0, 'x', '', '', '', '', '', '')")
    there.execute("COMMIT")
    longest, count = max(longest, time.perf_counter() - began), count + 1
    time.sleep(0.01)  # writes as often as a busy console, and leaves the lock free between
print(json.dumps([longest, count]))
"""


def measure(folder: Path) -> list[Figure]:
    """Measure all three, each on a journal of its own."""
    figures = asyncio.run(_sizes(folder))
    return [*figures, *asyncio.run(_upgraded(folder / "old.sqlite3", size("KEYBENCH_KEPT_SALES", 20_000)))]


# --- what a sale takes -----------------------------------------------------------------------------------


async def _sizes(folder: Path) -> list[Figure]:
    kinds = {
        "a sale of 5 polls": (_usual(), 400),
        "a sale of 133 polls with the same 64 KB": (_large(1), 10),
        "a sale of 133 polls, each with other 64 KB": (_large(133), 10),
    }
    return [
        Figure(name, await _each(folder / f"{len(name)}.sqlite3", said, count), "KB")
        for name, (said, count) in kinds.items()
    ]


def _exchange(number: int, method: str, body: str) -> Exchange:
    """Return an exchange as the practice gateway answers it."""
    return Exchange(
        at=NOW + timedelta(seconds=number),
        method=method,
        url="http://127.0.0.1:41234/api/v5/payments/sale/PR-0123456789",
        request_headers=(
            ("Host", "127.0.0.1:41234"), ("Accept", "application/json"), ("Accept-Encoding", "gzip, deflate"),
            ("Connection", "keep-alive"), ("User-Agent", "Keybench/0.9"), ("Authorization", "\u2022" * 6),
            ("Content-Type", "application/json"),
        ),
        request_body="" if method == "GET" else '{"amount": "10.00", "currency": "USD", "device": "till-1"}',
        status=200,
        response_headers=(
            ("Server", "practice"), ("Date", f"Sun, 01 Mar 2026 12:{number // 60:02}:{number % 60:02} GMT"),
            ("Content-Type", "application/json"), ("Content-Length", str(len(body))),
            ("X-Request-Id", f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}"),
        ),
        response_body=body,
        failure="",
        timings=Timings(0.0123456 + number / 1e5, wait_s=0.0119876, read_s=0.000321),
    )  # fmt: skip


def _usual() -> Sequence[Exchange]:
    first = '{"paymentRequestId": "PR-0123456789", "status": "SENT_TO_DEVICE", "deviceId": "till-1"}'
    waits = [first.replace("SENT_TO_DEVICE", "IN_PROGRESS")] * 4
    done = (
        first.replace("SENT_TO_DEVICE", "COMPLETED")[:-1]
        + ', "approval": "A1B2C3", "transaction": "8000001"}'
    )
    return [_exchange(n, "GET" if n else "POST", body) for n, body in enumerate([first, *waits, done])]


def _large(answers: int) -> Sequence[Exchange]:
    lines = [f'{{"line": {n}, "hash": "{n * 0x9E3779B97F4A7C15 % 2**64:016x}"}}' for n in range(140_000)]
    bodies = ["".join(lines[1000 * n : 1000 * n + 1500])[: 64 * 1024] for n in range(answers)]
    return [_exchange(0, "POST", "{}"), *(_exchange(n + 1, "GET", bodies[n % answers]) for n in range(133))]


async def _each(file: Path, said: Sequence[Exchange], count: int) -> float:
    """Return what one of some such sales takes, in KB."""
    journal = SqlJournal(file, SystemClock())
    await journal.open()
    before = await journal.run(_pages, writes=False)
    for number in range(count):
        sale = await note(journal, a_sale(f"KB-{number:04}-XXXX-XXXX"))
        for one in said:
            await journal.advance_sale(
                sale.reference, lambda stored: stored, [a_point(sale, Mark.STATUS)], [one]
            )
        await journal.advance_sale(sale.reference, lambda stored: stored.finish(APPROVED, NOW))
    after = await journal.run(_pages, writes=False)
    await journal.close()
    return (after - before) / count / 1024


def _pages(connection: Connection) -> int:
    count, each, free = (
        int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
        for name in ("page_count", "page_size", "freelist_count")
    )
    return (count - free) * each


# --- an old journal --------------------------------------------------------------------------------------


async def _upgraded(file: Path, count: int) -> list[Figure]:
    journal = SqlJournal(file, SystemClock())
    await journal.open()
    await journal.close()
    fill(file, count)
    _fill_exchanges(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as there:
        there.execute("DROP TABLE sale_exchanges")
        there.execute("DROP INDEX ix_exchanges_at")
        there.execute("UPDATE meta SET value = '11' WHERE name = 'schema_version'")
    megabytes = len(content_of(file)) / 2**20
    journal = SqlJournal(file, SystemClock())
    began = time.perf_counter()
    await journal.open()
    took_s = time.perf_counter() - began
    longest_s, written, deleted_s = await _deleted(journal, file)
    await journal.close()
    return [
        Figure(f"{megabytes:.0f} MB of version 11 brought up to date, with its copy", took_s, "s", UPGRADE_S),
        Figure(f"{count:,} sales and their exchanges deleted", deleted_s, "s"),
        Figure(f"the longest wait of another process's {written:,} writes", 1000 * longest_s, "ms", LIMIT_MS),
    ]


def _fill_exchanges(file: Path) -> None:
    engine = engine_for(file, 5.0)
    rows = [exchange_values(one) for one in _usual()]
    for row in rows:
        row["response_body"] += "x" * 1000
    with engine.begin() as connection:
        references = connection.execute(select(sales.c.reference)).scalars().all()
        for start in range(0, len(references), 1000):
            some = [row | {"reference": one} for one in references[start : start + 1000] for row in rows]
            connection.execute(insert(older_exchanges), some)
    engine.dispose()


async def _deleted(journal: SqlJournal, file: Path) -> tuple[float, int, float]:
    """Delete all, and return another process's longest wait in seconds, its writes, and how long it took."""
    writer = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _WRITER, str(file)), stdout=asyncio.subprocess.PIPE
    )
    assert writer.stdout is not None
    await writer.stdout.readline()
    world = replace(build_world(bench := Bench()), clock=SystemClock(), journal=journal)
    bench.console = Console(world)
    began = time.perf_counter()
    await Retention(world).delete(SystemClock().now() + timedelta(days=36500), with_sales=True)
    took_s = time.perf_counter() - began
    await journal.update_setting("over", lambda _: "yes")
    longest_s, written = json.loads(await writer.stdout.read())
    await writer.wait()
    return float(longest_s), int(written), took_s
