"""A made-up merchant's journal: 204 keys, 2,000 sales, applications and activity.

``python -m pictures.data FOLDER`` fills a new data folder, to look at the window with it.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from sqlalchemy import insert

from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.core.money import Money
from keybench.core.ports import Activity
from keybench.core.sales.sale import Outcome, Sale, SaleMode, SaleStage, Verdict
from keybench.journal import SqlJournal
from keybench.journal.activities import row_of
from keybench.journal.rows import Values, fold, named_values, sale_values, values_of
from keybench.journal.sqlite.engine import engine_for
from keybench.journal.tables import activities, applications, sale_events, sale_groups, sales, security_keys
from keybench.runtime.clock import SystemClock
from keybench.runtime.data_folder import DataFolder
from pictures.habits import COUNTERS, TILLS, as_the_device_is, devices, states, timeline

KEYS: Final = 204
SALES: Final = 2000
_NAMED: Final = (
    "airport kiosk",
    "main street point of sale",
    "mobile app",
    "web checkout",
    "night refunds of the customer service centre in the northern region, second floor",
    "Zürich Hauptbahnhof, Schalterhalle Süd",
)
_PURPOSES: Final = ("front desk", "web shop", "kiosk", "refunds at night", "monitoring of the tills")
_OWNERS: Final = ("Mira Vogel", "Shop floor", "Alexander Konstantinopoulos", "", "Web team")
_DEVICES: Final = (*COUNTERS, *TILLS)
#: The newest sales, which History shows first, are all at the counters.
_AT_COUNTERS: Final = 40
_STATES: Final = (KeyState.WORKING,) * 6 + (KeyState.KEPT, KeyState.REFUSED, KeyState.NO_VALUE)
_OUTCOMES: Final = random.Random(7).choices(
    list(Outcome), weights=[80 if one is Outcome.APPROVED else 3 for one in Outcome], k=SALES
)
_WORDS: Final = ("lion", "anchor", "planet", "magnet", "acorn", "zebra", "violet", "copper", "meadow")


async def fill(folder: DataFolder) -> None:
    """Make a journal in a new data folder."""
    now = datetime.now(UTC)
    folder.journal.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    journal = SqlJournal(folder.journal, SystemClock())
    await journal.open()
    for name, kind in (("sandbox", EnvironmentKind.TEST), ("shop", EnvironmentKind.LIVE)):
        url = f"https://{name}.gateway.example"
        await journal.add_environment(Environment(f"e-{name}", name, kind, url, "v5", now - timedelta(900)))
    await journal.remember_devices(PRACTICE_ID, devices())
    await journal.keep_device_states(PRACTICE_ID, states(now))
    await journal.close()
    engine = engine_for(folder.journal, 5.0)
    try:
        with engine.begin() as connection:
            keys = [_key(number, now) for number in range(KEYS)]
            connection.execute(insert(security_keys), [named_values(key) for key in keys])
            uses = [named_values(_application(number, keys[number * 2 // 3], now)) for number in range(90)]
            connection.execute(insert(applications), uses)
            connection.execute(insert(sale_groups), [_group(*pair, keys) for pair in _pairs()])
            made = list(_sales(now, keys))
            connection.execute(insert(sales), [row for _sale_made, row in made])
            events = [values_of(event) for sale, _row in made for event in timeline(sale)]
            connection.execute(insert(sale_events), events)
            connection.execute(insert(activities), list(_activity(now, keys)))
    finally:
        engine.dispose()


def _key(number: int, now: datetime) -> SecurityKey:
    chance = random.Random(number)
    state = _STATES[number % len(_STATES)]
    tested = state in {KeyState.WORKING, KeyState.REFUSED}
    used = state is KeyState.WORKING and number % 3 < 2
    created = now - timedelta(days=chance.randrange(3, 500))
    return SecurityKey(
        id=f"k{number}",
        environment_id=PRACTICE_ID,
        name=_NAMED[number] if number < len(_NAMED) else f"branch {number:03} till",
        username=f"till{number % 37}" if number % 11 else "customer-service-night-shift",
        permission=("Sale", "Sale and refund", "API")[number % 3],
        kind=KeyKind.PUBLIC if number % 17 == 3 else KeyKind.PRIVATE,
        purpose=_PURPOSES[number % len(_PURPOSES)],
        fingerprint="-".join(chance.sample(_WORDS, 4)),
        created_at=created,
        state=state,
        status=401 if state is KeyState.REFUSED else 200 if tested else 0,
        tested_at=now - timedelta(hours=chance.randrange(1, 900)) if tested else None,
        used_at=now - timedelta(minutes=chance.randrange(2, 60_000)) if used else None,
        owner=_OWNERS[number % len(_OWNERS)],
    )


def _application(number: int, key: SecurityKey, now: datetime) -> Application:
    return Application(
        f"a{number}",
        key.environment_id,
        key.id,
        ("Till software", "Web shop", "Nightly refunds")[number % 3] + f" {number}",
        owner=_OWNERS[number % len(_OWNERS)],
        place="" if number % 4 else "/etc/tills/keys.conf on the till's computer",
        seen_at=now - timedelta(days=number) if number % 3 else None,
    )


def _pairs() -> Iterator[tuple[int, int]]:
    return ((device, key) for device in range(len(_DEVICES)) for key in range(0, KEYS, 9))


def _group_number(device: int, key: int) -> int:
    return device * KEYS + key + 1


def _group(device: int, key: int, keys: list[SecurityKey]) -> dict[str, Any]:
    names = {"device": _DEVICES[device], "key_id": keys[key].id, "key_name": keys[key].name}
    folded = f"{fold(names['device'])}\n{fold(names['key_name'])}"
    return names | {
        "id": _group_number(device, key),
        "environment_id": PRACTICE_ID,
        "folded_names": folded,
    }


def _sales(now: datetime, keys: list[SecurityKey]) -> Iterator[tuple[Sale, dict[str, Any]]]:
    """Return all sales with their rows, the oldest first."""
    made = [_sale(number, now, keys) for number in range(SALES)]
    newer = Counter(sale.device for sale, _row in made)
    for sale, group in made:
        newer[sale.device] -= 1
        as_it_was = as_the_device_is(sale, newer[sale.device])
        yield as_it_was, sale_values(as_it_was) | {"group_id": group}


def _sale(number: int, now: datetime, keys: list[SecurityKey]) -> tuple[Sale, int]:
    chance = random.Random(number)
    counters = len(COUNTERS)
    device, key = list(_pairs())[chance.randrange(counters * len(range(0, KEYS, 9)))]
    if number % 2 and number < SALES - _AT_COUNTERS:
        device = counters + number // 2 % len(TILLS)
    at = now - timedelta(minutes=(SALES - number) * 37)
    letters = "".join(chance.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=8))
    outcome = _OUTCOMES[number]
    approved = outcome is Outcome.APPROVED
    sale = Sale(
        reference=f"KB-{letters[:4]}-{letters[4:]}",
        environment_id=PRACTICE_ID,
        key_id=keys[key].id,
        key_name=keys[key].name,
        device=_DEVICES[device],
        money=Money(Decimal(chance.choice(["10.00", "4.50", "129.90", "12850.00"])), "USD"),
        mode=SaleMode.ASYNCHRONOUS,
        stage=SaleStage.FINISHED,
        noted_at=at,
        finished_at=at + timedelta(seconds=chance.uniform(2, 40)),
        request_id="" if outcome is Outcome.NOT_SENT else f"{chance.getrandbits(64):016x}",
        polls=chance.randrange(1, 9),
        verdict=Verdict(
            outcome,
            status=401 if outcome is Outcome.REFUSED else 200,
            transaction_id=str(88_000_000_000 + number) if approved else "",
            authorisation=f"{chance.randrange(1_000_000):06}" if approved else "",
        ),
    )
    return sale, _group_number(device, key)


def _activity(now: datetime, keys: list[SecurityKey]) -> Iterator[Values]:
    for number in range(400):
        subject = keys[number % KEYS].name
        action, result = (("key tested", "working"), ("key added", ""), ("value copied", ""))[number % 3]
        # The oldest are of before names were recorded.
        who = ("Mira Lind", "Anna-Katharina von Hohenberg")[number % 2] if number > 370 else ""
        at = now - timedelta(hours=(400 - number) * 5)
        yield row_of(Activity(at, action, PRACTICE_ID, subject, result, who))


if __name__ == "__main__":
    asyncio.run(fill(DataFolder(Path(sys.argv[1]))))
