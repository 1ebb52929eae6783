"""The real client against the real practice gateway, and the fake of both, keep one contract."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import keybench
from contracts.gateway_contract import Bench, GatewayContract
from fakes.gateway import BASE_URL, FakeAccount, FakeGateway, FakePortal, FakePractice
from keybench.core.errors import PracticeUnavailable
from keybench.core.ports import Gateway, Portal, Practice
from keybench.gateway.client import HttpGateway
from keybench.gateway.portal import HttpPortal
from keybench.gateway.practice_process import PracticeProcess


class TestHttpGateway(GatewayContract):
    @pytest.fixture
    async def bench(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
        monkeypatch.setenv("PYTHONPATH", str(Path(keybench.__file__).parent.parent))
        serve = [sys.executable, "-m", "keybench.practice", "--data-dir", str(tmp_path), "--speed", "20"]
        practice = PracticeProcess(tmp_path, command=[*serve, "--json", "--until-stdin-closes"])
        gateway, portal = HttpGateway(), HttpPortal()
        yield Bench(gateway, portal, await practice.ensure())
        await gateway.close()
        await portal.close()
        await practice.stop()


class TestFakeGateway(GatewayContract):
    @pytest.fixture
    def bench(self) -> Bench:
        account = FakeAccount()
        return Bench(FakeGateway(account), FakePortal(account), BASE_URL)


async def test_the_fake_practice_starts_once_and_fails_when_told() -> None:
    practice = FakePractice()
    assert await practice.ensure() == await practice.ensure() == practice.base_url == BASE_URL
    assert practice.starts == 1
    await practice.stop()
    practice.fails = True
    with pytest.raises(PracticeUnavailable):
        await practice.ensure()


def test_the_real_things_and_the_fakes_fit_the_ports(tmp_path: Path) -> None:
    account = FakeAccount()
    gateways: list[Gateway] = [HttpGateway(), FakeGateway(account)]
    portals: list[Portal] = [HttpPortal(), FakePortal(account)]
    practices: list[Practice] = [PracticeProcess(tmp_path), FakePractice()]
    assert len(gateways) == len(portals) == len(practices)
