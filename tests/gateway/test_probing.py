"""The real looks at a gateway against the practice gateway, and the fake, keep one contract."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from contracts.gateway_contract import PRACTICE
from contracts.probing_contract import Looked, ProbingContract
from fakes.probing import FakeProbing
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.secret import Secret
from keybench.gateway.diagnosis.probing import HttpProbing
from keybench.gateway.portal import HttpPortal

MADE = datetime(2026, 3, 1, tzinfo=UTC)


class TestHttpProbing(ProbingContract):
    @pytest.fixture
    async def looked(self, practice_url: str) -> AsyncIterator[Looked]:
        portal, probing = HttpPortal(), HttpProbing()
        draft = KeyDraft("Till", "counter1", "API", KeyKind.PRIVATE)
        created = await portal.create_key(PRACTICE, practice_url, draft, "make-1")
        yield Looked(probing, PRACTICE, practice_url, created.value)
        await probing.close()
        await portal.close()


class TestFakeProbing(ProbingContract):
    @pytest.fixture
    def looked(self) -> Looked:
        value = Secret("MadeUpForTests0123456789abcdefgh")
        shop = Environment("e1", "Shop", EnvironmentKind.TEST, "https://gateway.example", "v5", MADE)
        return Looked(FakeProbing([value]), shop, "https://gateway.example", value)
