"""The real client against the real practice gateway, and the fake of both, keep one contract."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from contracts.gateway_contract import PRACTICE, Bench, GatewayContract
from fakes.gateway import BASE_URL, FakeAccount, FakeGateway, FakePortal
from fakes.world import ScriptedPortal
from keybench.core.errors import AnswerLost, KeyMadeBefore
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.ports import Portal
from keybench.gateway.client import HttpGateway
from keybench.gateway.portal import HttpPortal


class TestHttpGateway(GatewayContract):
    @pytest.fixture
    async def bench(self, practice_url: str) -> AsyncIterator[Bench]:
        gateway, portal = HttpGateway(), HttpPortal()
        yield Bench(gateway, portal, practice_url)
        await gateway.close()
        await portal.close()


class TestFakeGateway(GatewayContract):
    @pytest.fixture
    def bench(self) -> Bench:
        account = FakeAccount()
        return Bench(FakeGateway(account), FakePortal(account), BASE_URL)


@pytest.mark.parametrize("portal", [FakePortal(FakeAccount(lose_answers=1)), ScriptedPortal(lose_answers=1)])
async def test_the_fakes_can_lose_the_answer_that_a_key_was_made(portal: Portal) -> None:
    draft = KeyDraft("Once", "counter1", "API", KeyKind.PRIVATE)
    with pytest.raises(AnswerLost):
        await portal.create_key(PRACTICE, BASE_URL, draft, "same")
    with pytest.raises(KeyMadeBefore) as raised:
        await portal.create_key(PRACTICE, BASE_URL, draft, "same")
    await portal.delete_key(PRACTICE, BASE_URL, raised.value.gateway_id)
    assert (await portal.create_key(PRACTICE, BASE_URL, draft, "another")).value
