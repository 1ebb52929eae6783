"""Some desks of a team, each a thread with a connection of its own.

Arguments: the journal's URL, how many desks, how many moves each makes as fast as it can, and for how many
seconds each works as a person does then: a page or a move a second, one in four a page. Prints JSON: how many
moves were made, how long the fast ones took, and what each page and each slow move took, in ms.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import Connection

from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalBusy
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent
from keybench.core.team.desk import Desk
from keybench.journal import history, keys, sales
from keybench.journal.postgres.engine import TeamStore
from keybench.journal.postgres.opening import open_team

#: The sales that all desks move.
SHARED = [f"KB-SHARED-{number}" for number in range(100)]
_PAGE = 48
_WANTED = (
    SaleFilter(),
    SaleFilter(environment_id=PRACTICE_ID),
    SaleFilter(state=Outcome.UNKNOWN),
    SaleFilter("till-123"),
    SaleFilter("R-77"),
    SaleFilter("10.00"),
    SaleFilter("key 3 till-04", state=Outcome.DECLINED),
)
Call = Callable[[Connection], object]


def move(chance: random.Random) -> Call:
    """Return a move of one of the sales, as a poll of it."""
    reference = chance.choice(SHARED)
    event = SaleEvent(reference, datetime.now(UTC), Mark.STATUS, "", 0.1)

    def polled(sale: Sale) -> Sale:
        return replace(sale, polls=sale.polls + 1)

    return lambda connection: sales.advance_sale(connection, reference, polled, [event])


#: What reads each page: the keys, or past sales.
PAGES: list[Call] = [
    partial(keys.keys, environment_id=PRACTICE_ID),
    *(partial(history.find_sales, wanted=wanted, limit=_PAGE) for wanted in _WANTED),
]


def main(url: str, desks: int, moves: int, seconds: float) -> None:
    """Let the desks work and tell what was seen."""
    found: dict[str, list[float]] = {"fast_s": [], "pages": [], "moves": []}
    stores = [
        open_team(url, None, Desk("a" * 32, f"{n:032}", str(n), url), lambda: datetime.now(UTC), 30.0)
        for n in range(desks)
    ]
    together = threading.Barrier(desks)
    sys.setswitchinterval(0.0005)  # real desks don't wait for each other's interpreter

    def took(store: TeamStore, call: Call, *, writes: bool) -> None:
        began = time.perf_counter()
        store.run(call, writes=writes)
        found["moves" if writes else "pages"].append(1000 * (time.perf_counter() - began))

    def work(number: int) -> None:
        chance, store = random.Random(number), stores[number]
        for page in PAGES:  # what a statement costs once, as it begins, isn't meant
            store.run(page, writes=False)
        together.wait()
        began = time.perf_counter()
        for _ in range(moves):
            made = False
            while not made:  # as a console does that finds a sale held for too long
                with suppress(JournalBusy):
                    store.run(move(chance), writes=True)
                    made = True
        found["fast_s"].append(time.perf_counter() - began)
        together.wait()
        due = time.perf_counter() + 4 * chance.random()
        end = due + seconds
        while due < end:
            for call, writes in ((chance.choice(PAGES), False), *(3 * [(move(chance), True)])):
                threading.Event().wait(max(0.0, due - time.perf_counter()))
                took(store, call, writes=writes)
                due += 1
        store.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(desks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(found | {"moved": moves * desks + len(found["moves"])}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
