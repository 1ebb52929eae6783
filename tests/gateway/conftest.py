"""What the gateway room's tests share: a caller with a made-up key, clients that wait long and that don't."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gateway.callers import MADE_UP_KEY, MakeCaller
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.exchange import Exchange
from keybench.core.ports import Caller
from keybench.core.secret import Secret
from keybench.gateway.client import HttpGateway
from keybench.gateway.messages import Limits
from practice.serving import served

pytest.register_assert_rewrite("contracts.gateway_contract")

#: For an answer that never comes. The rest is long all the same: a busy machine may take its time to ask.
SHORT = Limits(read_s=0.2, total_s=1.0, held_s=0.2)


@pytest.fixture
def exchanges() -> list[Exchange]:
    return []


@pytest.fixture
def caller(exchanges: list[Exchange]) -> MakeCaller:
    def make(base_url: str, *, contract: str = "practice", value: str = MADE_UP_KEY) -> Caller:
        made = datetime(2026, 3, 1, tzinfo=UTC)
        environment = Environment("e1", "Test", EnvironmentKind.TEST, base_url, contract, made)
        return Caller(environment, base_url, Secret(value), exchanges.append)

    return make


@pytest.fixture
async def gateway() -> AsyncIterator[HttpGateway]:
    gateway = HttpGateway()
    yield gateway
    await gateway.close()
    await gateway.close()


@pytest.fixture
async def impatient() -> AsyncIterator[HttpGateway]:
    """A client that gives up soon."""
    gateway = HttpGateway(limits=SHORT)
    yield gateway
    await gateway.close()


@pytest.fixture
def practice_url(tmp_path: Path) -> Iterator[str]:
    """The base URL of a practice gateway whose devices act twenty times as fast."""
    with served(tmp_path / "practice", 20.0) as base_url:
        yield base_url
