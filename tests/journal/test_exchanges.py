"""Exchanges come back as they were, are kept once each, and no more of them than is said."""

from __future__ import annotations

import random
import sqlite3
import uuid
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.journal_samples import NOW, a_sale, an_exchange, note
from keybench.core.errors import JournalDamaged
from keybench.core.exchange import LEFT_OUT, MOST_OF_A_SALE, Exchange, Timings
from keybench.journal import SqlJournal
from sweeps import examples

POLL: Final = replace(
    an_exchange("https://gateway.example/api/v5/payments/requests/7"),
    method="GET",
    request_body="",
    response_headers=(("Date", "Sun, 01 Mar 2026 12:30:15 GMT"), ("Content-Type", "application/json")),
)


def polled(seconds: float, body: str = POLL.response_body) -> Exchange:
    """Return a poll some seconds later, with a header and timings of its own."""
    date = (("Date", f"after {seconds} s"), POLL.response_headers[1])
    timings = Timings(total_s=0.1 + seconds / 3, wait_s=seconds / 7)
    at = NOW + timedelta(seconds=seconds)
    return replace(POLL, at=at, response_headers=date, response_body=body, timings=timings)


def rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as other:
        return int(other.execute("SELECT count(*) FROM sale_exchanges").fetchone()[0])


def size(path: Path) -> int:
    lengths = " + ".join(f"length({name})" for name in ("request", "rounds", "headers", "body"))
    with closing(sqlite3.connect(path)) as other:
        return int(other.execute(f"SELECT sum({lengths}) FROM sale_exchanges").fetchone()[0])  # noqa: S608 - our own


async def test_polls_with_the_same_answer_are_one_row_and_come_back_each_as_it_was(
    journal: SqlJournal, path: Path
) -> None:
    await note(journal, a_sale())
    said = [polled(1), polled(2.5), polled(2.25), polled(4, "news"), polled(5, "news"), polled(6)]
    for one in said:
        await journal.advance_sale("KB-1", lambda sale: sale, exchanges=[one])
    assert list(await journal.exchanges("KB-1")) == said
    assert rows(path) == 3


@pytest.mark.parametrize(
    "other",
    [
        replace(POLL, response_headers=(*POLL.response_headers, ("Retry-After", "3"))),
        replace(POLL, response_headers=(("Date", "x" * 1000), POLL.response_headers[1])),
        replace(POLL, status=503),
        replace(POLL, failure="timeout"),
        replace(POLL, url="https://gateway.example/other"),
    ],
    ids=["a header more", "a long header", "status", "failure", "address"],
)
async def test_another_answer_is_another_row(journal: SqlJournal, path: Path, other: Exchange) -> None:
    await note(journal, a_sale())
    await journal.advance_sale("KB-1", lambda sale: sale, (), [POLL, other])
    assert list(await journal.exchanges("KB-1")) == [POLL, other]
    assert rows(path) == 2


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_whatever_comes_in_whichever_portions_comes_back(
    journal: SqlJournal, data: st.DataObject
) -> None:
    reference = f"KB-{uuid.uuid4()}"
    await note(journal, a_sale(reference))
    times = st.floats(-1e6, 1e6).map(lambda seconds: timedelta(microseconds=round(seconds * 1e6)))
    one = st.builds(
        lambda at, body, header, total: replace(
            POLL,
            at=NOW + at,
            response_body=body,
            response_headers=(("Date", header),),
            timings=Timings(total),
        ),
        times,
        st.sampled_from(["", "a", '{"b": "ü"}']),
        st.sampled_from(["x", "y\u2028z\n\\"]),
        st.floats(0, 1e4),
    )
    portions = data.draw(st.lists(st.lists(one, max_size=4), max_size=5))
    for portion in portions:
        await journal.advance_sale(reference, lambda sale: sale, (), portion)
    assert list(await journal.exchanges(reference)) == [each for portion in portions for each in portion]


async def test_of_a_sale_with_large_answers_the_first_and_the_last_stay_and_it_is_said_what_went(
    journal: SqlJournal, path: Path
) -> None:
    await note(journal, a_sale())
    noise = random.Random(7)
    said = [polled(number, noise.randbytes(32_000).hex()) for number in range(40)]
    for one in said:
        await journal.advance_sale("KB-1", lambda sale: sale, exchanges=[one])
    assert size(path) <= MOST_OF_A_SALE
    kept = list(await journal.exchanges("KB-1"))
    assert [one.at for one in kept] == [one.at for one in said]
    assert [one.timings for one in kept] == [one.timings for one in said]
    whole = [number for number, one in enumerate(kept) if one == said[number]]
    assert whole == [0, *range(whole[1], 40)]
    assert {one.response_body for one in kept if one not in said} == {LEFT_OUT}
    assert len(whole) > 5


async def test_a_row_that_can_not_be_read_is_damage(journal: SqlJournal, path: Path) -> None:
    await note(journal, a_sale())
    await journal.advance_sale("KB-1", lambda sale: sale, exchanges=[POLL])
    for broken in ("rounds = '[1]' || char(10)", "rounds = 'x'", "body = x'00'"):
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute(f"UPDATE sale_exchanges SET {broken}")  # noqa: S608 - our own
        with pytest.raises(JournalDamaged):
            await journal.exchanges("KB-1")
