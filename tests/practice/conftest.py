"""What the practice gateway's tests share."""

from collections.abc import AsyncIterator

import pytest

from practice.bench import Bench


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    await made.close()
