"""For how long each of our own writes holds the journal's write lock, in a journal of 20,000 sales.

``KEYBENCH_LOCKED_SALES=100000`` for a longer one. Making a new journal and bringing an older one up to date
aren't measured: nobody of that version is at work then.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from benchmarks.figures import Figure, size
from benchmarks.generated_journal import BEGAN, fill
from contracts.journal_samples import APPROVED, NOW, a_key, a_point, a_sale, an_environment, an_exchange
from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.ports import Activity, Device, PollNote
from keybench.core.sales.sale import Mark, SaleEvent
from keybench.journal import SqlJournal
from keybench.journal.opening import Store
from keybench.journal.rows import exchange_values
from keybench.journal.tables import older_exchanges, sales
from keybench.runtime.clock import SystemClock
from keybench.workflows.devices.managing import STATES_AT_A_TIME

LIMIT_MS: Final = 200.0
MANY: Final = 2000


class Held:
    """Measures how long transactions that write last, by what is being done."""

    def __init__(self) -> None:
        self.longest: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Measure what goes on in the block under a name."""
        run = Store.run

        def timed(store: Store, call: Callable[[Connection], Any], *, writes: bool) -> Any:
            began = time.perf_counter()
            try:
                return run(store, call, writes=writes)
            finally:
                if writes:
                    self.longest[what] = max(self.longest[what], time.perf_counter() - began)

        Store.run = timed  # type: ignore[method-assign]
        try:
            yield
        finally:
            Store.run = run  # type: ignore[method-assign]


def measure(folder: Path) -> list[Figure]:
    """Fill a journal and do everything once that writes much at a time."""
    return asyncio.run(_measure(folder / "journal.sqlite3", size("KEYBENCH_LOCKED_SALES", 20_000)))


async def _measure(file: Path, count: int) -> list[Figure]:
    journal, held = SqlJournal(file, SystemClock()), Held()
    await journal.open()
    fill(file, count)
    await journal.run(_add_exchanges, writes=True)

    await _sell(journal, held)
    await _manage(journal, held)
    before = NOW + timedelta(days=1)
    with held.doing("delete older sales, a step"):
        while await journal.delete_older(before, with_sales=True):
            pass
    await journal.close()
    return [
        Figure(f"{count:,} sales, the lock held longest: {what}", 1000 * took, "ms", LIMIT_MS)
        for what, took in sorted(held.longest.items(), key=lambda one: -one[1])
    ]


def _add_exchanges(connection: Connection) -> None:
    """Add exchanges as older versions kept them, which take the most room."""
    for reference in connection.execute(select(sales.c.reference)).scalars().all():
        said = replace(an_exchange(), response_body=f"{'x' * 1500}")
        connection.execute(insert(older_exchanges), [exchange_values(said, reference=reference)])


async def _sell(journal: SqlJournal, held: Held) -> None:
    references = [f"KB-{number}" for number in range(500)]
    with held.doing("note a sale"):
        for reference in references:
            await journal.note_sale(a_sale(reference), a_point(a_sale(reference)))
    notes = [PollNote(SaleEvent(reference, NOW, Mark.STATUS), (an_exchange(),)) for reference in references]
    with held.doing("note 500 polls"):
        await journal.note_polls(notes)
    with held.doing("finish a sale"):
        for reference in references:
            end = SaleEvent(reference, NOW, Mark.OUTCOME)
            await journal.advance_sale(
                reference, lambda sale: sale.finish(APPROVED, NOW), [end], [an_exchange()]
            )


async def _manage(journal: SqlJournal, held: Held) -> None:
    devices = [Device(f"D-{number}", f"Till {number}", "connected") for number in range(MANY)]
    with held.doing(f"remember {MANY:,} devices"):
        await journal.remember_devices(PRACTICE_ID, devices)
    states = [DeviceState(one.id, NOW + timedelta(hours=1), nickname=one.nickname) for one in devices]
    with held.doing("keep the states of devices, as many as are kept at a time"):
        await journal.keep_device_states(PRACTICE_ID, states[:STATES_AT_A_TIME])
    shop = an_environment("Shop")
    with held.doing("add a key"):
        await journal.add_environment(shop)
        for number in range(MANY):
            await journal.add_key(replace(a_key(f"Key {number}"), environment_id=shop.id))
    with held.doing(f"remove an environment with {MANY:,} keys"):
        await journal.remove_environment(shop.id)
    with held.doing("add a line of the activity"):
        await journal.record_activity(Activity(BEGAN, "key added", PRACTICE_ID, "Till", "kept"))
