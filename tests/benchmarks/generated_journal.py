"""Fills a journal's file with made-up sales, many thousands a second, as years of use would leave it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert

from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.money import Money
from keybench.core.sales.sale import Outcome, Sale, SaleMode, SaleStage, Verdict
from keybench.journal.rows import fold, sale_values
from keybench.journal.sqlite.engine import engine_for
from keybench.journal.tables import sale_groups, sales

BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
TILLS, KEYS = 400, 8
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# Unknown ones are rare, as they should be.
OUTCOMES = random.Random(2).choices(list(Outcome), weights=[7000, 20, 1980, 400, 300, 200, 95, 5], k=100_003)
#: A till that was used in the first hundredth alone.
RETIRED = "till-retired"
FIRST_TRANSACTION = 88_000_000_000
#: Most sales' amount, and one that was common in the first tenth alone.
USUAL_AMOUNT, OLD_AMOUNT = "10.00", "7.77"


def fill(path: Path, count: int) -> None:
    """Add `count` sales, a minute apart, to an existing journal."""
    engine = engine_for(path, 5.0)
    try:
        with engine.begin() as connection:
            add_sales(connection, count)
    finally:
        engine.dispose()


def add_sales(connection: Connection, count: int) -> None:
    """Add `count` sales, a minute apart."""
    connection.execute(insert(sale_groups), list(_groups()))
    for start in range(0, count, 20_000):
        rows = [_row(n, count) for n in range(start, min(start + 20_000, count))]
        connection.execute(insert(sales), rows)


def _groups() -> Iterator[dict[str, Any]]:
    for till in range(TILLS):
        for key in range(KEYS):
            yield _group(till * KEYS + key + 1, f"till-{till:03}", f"Key {key}")
    yield _group(TILLS * KEYS + 1, RETIRED, "Key 0")


def _group(number: int, device: str, key: str) -> dict[str, Any]:
    names = {"environment_id": PRACTICE_ID, "device": device, "key_id": key, "key_name": key}
    return names | {"id": number, "folded_names": f"{fold(device)}\n{fold(key)}"}


def _letters(number: int) -> str:
    """Return eight letters that look random and are no other number's: an odd factor permutes 40 bits."""
    bits = number * 0x9E3779B97F4A7C15 % 2**40
    return "".join(ALPHABET[bits >> shift & 31] for shift in range(35, -1, -5))


def _row(number: int, count: int) -> dict[str, Any]:
    chance = random.Random(number)
    till, key = chance.randrange(TILLS), chance.randrange(KEYS)
    retired = number < count // 100 and number % 10 == 0
    device, key_name = (RETIRED, "Key 0") if retired else (f"till-{till:03}", f"Key {key}")
    at = BEGAN + timedelta(minutes=number)
    letters = _letters(number)
    sale = Sale(
        reference=f"KB-{letters[:4]}-{letters[4:]}",
        environment_id=PRACTICE_ID,
        key_id=key_name,
        key_name=key_name,
        device=device,
        money=Money(_amount(number, count, chance), "USD"),
        mode=SaleMode.ASYNCHRONOUS,
        stage=SaleStage.FINISHED,
        noted_at=at,
        finished_at=at + timedelta(seconds=6),
        request_id=f"R-{number}",
        verdict=_verdict(OUTCOMES[number % len(OUTCOMES)], number, letters),
    )
    group = TILLS * KEYS + 1 if retired else till * KEYS + key + 1
    return sale_values(sale) | {"group_id": group}


def _amount(number: int, count: int, chance: random.Random) -> Decimal:
    if number < count // 10 and number % 2:
        return Decimal(OLD_AMOUNT)
    return Decimal(USUAL_AMOUNT) if number % 3 else Decimal(chance.randrange(100, 100_000)).scaleb(-2)


def _verdict(outcome: Outcome, number: int, letters: str) -> Verdict:
    """Return how it ended, with a gateway's identifiers: transactions count up, authorisations don't."""
    if outcome not in {Outcome.APPROVED, Outcome.DECLINED}:
        return Verdict(outcome, status=200)
    code = letters[:6] if outcome is Outcome.APPROVED else ""
    return Verdict(outcome, status=200, transaction_id=str(FIRST_TRANSACTION + number), authorisation=code)
