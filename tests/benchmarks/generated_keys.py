"""Fills a journal's file with made-up keys of several environments, and applications that use them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import insert

from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.journal import SqlJournal
from keybench.journal.rows import named_values
from keybench.journal.sqlite.engine import engine_for
from keybench.journal.tables import applications, security_keys
from keybench.runtime.clock import SystemClock

BEGAN: Final = datetime(2024, 1, 1, tzinfo=UTC)
_PURPOSES: Final = ("front desk", "web shop", "kiosk", "refunds at night", "monitoring")
_STATES: Final = (KeyState.WORKING, KeyState.KEPT, KeyState.REFUSED, KeyState.NO_VALUE, KeyState.VALUE_LOST)


async def fill_with_keys(path: Path, count: int) -> None:
    """Make a journal with `count` keys in four environments, and three applications for each two of them."""
    journal = SqlJournal(path, SystemClock())
    await journal.open()
    for number, kind in enumerate((EnvironmentKind.TEST, EnvironmentKind.LIVE, EnvironmentKind.LIVE)):
        where = Environment(f"e{number}", f"Region {number}", kind, "https://gateway.example", "v5", BEGAN)
        await journal.add_environment(where)
    await journal.close()
    engine = engine_for(path, 5.0)
    try:
        with engine.begin() as connection:
            keys = [a_key(number) for number in range(count)]
            connection.execute(insert(security_keys), [named_values(key) for key in keys])
            uses = [an_application(number, keys[number * 2 // 3]) for number in range(count * 3 // 2)]
            connection.execute(insert(applications), [named_values(use) for use in uses])
    finally:
        engine.dispose()


def a_key(number: int) -> SecurityKey:
    """Return the key with a number, unlike its neighbours."""
    at = BEGAN + timedelta(hours=number)
    return SecurityKey(
        id=f"k{number}",
        environment_id=(PRACTICE_ID, "e0", "e1", "e2")[number % 4],
        name=f"Till {number // 20} of shop {number % 20}",
        username=f"counter{number % 37}",
        permission=("Sale", "Sale and refund", "API")[number % 3],
        kind=KeyKind.PUBLIC if number % 7 == 0 else KeyKind.PRIVATE,
        purpose=_PURPOSES[number % 5],
        fingerprint=f"acorn-alarm-album-{number}" if number % 11 else "zebra-zinnia-zither-yellow",
        created_at=at,
        state=_STATES[number % 5],
        status=401 if number % 5 == 2 else 0,
        tested_at=at + timedelta(days=3) if number % 5 < 3 else None,
        owner=f"Person {number % 50}" if number % 3 else "",
    )


def an_application(number: int, key: SecurityKey) -> Application:
    """Return an application of a key."""
    return Application(
        f"a{number}", key.environment_id, key.id, f"Application {number}", f"Person {number % 9}"
    )
