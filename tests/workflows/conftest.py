"""What the tests of use cases share: a program on fakes whose clock is moved."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from fakes.world import Bench


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    await bench.journal.open()
    yield bench
    await bench.journal.close()
