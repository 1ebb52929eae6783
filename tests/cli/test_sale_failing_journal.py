"""The journal fails at each read and each write of a command's sale: what is told is what the gateway has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

import pytest

from fakes.clock import HurriedClock
from fakes.failing import MODES, FailingJournal
from fakes.journal import MemoryJournal
from fakes.scripted_gateway import DONE, PENDING
from fakes.world import Bench
from keybench.core.sales.sale import Outcome, Sale
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.console import Console

from .conftest import CommandLine, Composed

SALE: Final = ("sale", "--environment", "practice", "--key", "till", "--device", "D-1", "--amount", "10.00")
#: As many as a command's sale has calls of the journal; the first test holds the figure.
CALLS: Final = 23


class Whole(Composed):
    """Begins and ends as the program does."""

    @asynccontextmanager
    async def open_console(self, folder: DataFolder) -> AsyncIterator[Console]:
        async with super().open_console(folder) as console:
            await console.resume.take_kept()
            try:
                yield console
            finally:
                await console.log.close()


@dataclass
class Till:
    """Programs one after another on one journal that fails, one keystore and one gateway."""

    keybench: CommandLine
    journal: FailingJournal
    bench: Bench

    def next_program(self) -> None:
        """Begin a program; the one before it has ended, and the journal is well."""
        self.journal.begin()
        self.bench.owners.running.clear()
        self.bench = self.bench.next_program(f"{self.bench.owners.me}-next")
        self.keybench.composed = Whole(self.bench)

    async def stored(self) -> list[Sale]:
        return list(await self.journal.journal.sales(None, 9))


@pytest.fixture
def till(keybench: CommandLine) -> Till:
    return new_till(keybench)


def new_till(keybench: CommandLine) -> Till:
    clock = HurriedClock()
    journal = FailingJournal(MemoryJournal(clock), clock)
    till = Till(keybench, journal, Bench(clock=clock, journal_to_share=cast("Any", journal)))
    till.next_program()

    async def add() -> None:
        await till.bench.journal.open()
        await till.bench.add_key(await till.bench.practice_environment())

    asyncio.run(add())
    till.bench.gateway.to_poll = [PENDING, DONE]
    return till


def test_a_sale_has_so_many_calls(till: Till) -> None:
    till.journal.begin()
    assert till.keybench(*SALE).status == 0
    assert len(till.journal.calls) == CALLS, till.journal.calls


@pytest.mark.logs  # what the journal did not take before the program ended
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("call", range(1, CALLS + 1))
def test_what_is_told_is_what_the_gateway_has(till: Till, call: int, mode: str) -> None:
    till.journal.begin(call, mode)
    ended = till.keybench(*SALE, "--json")
    failed = till.journal.calls[call - 1]
    told, posts = ended.records[-1], till.bench.gateway.posts
    if posts:
        assert len(posts) == 1, failed
        assert (told["state"], ended.status) == ("approved", 0), failed
        assert "Nothing is sent" not in ended.err
    else:
        assert told["state"] == Outcome.NOT_SENT, failed
    till.next_program()
    resumed = till.keybench("resume", "--json")
    for sale in asyncio.run(till.stored()):
        if posts:
            assert (sale.outcome, sale.request_id) == (Outcome.APPROVED, "PR-1"), failed
        else:
            assert sale.outcome is Outcome.NOT_SENT, failed
    assert resumed.status == 0
    assert len(till.bench.gateway.posts) == len(posts), "nothing is sent again"
    assert asyncio.run(till.journal.kept_answers()) == []
