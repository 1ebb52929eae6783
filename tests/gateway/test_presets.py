"""The presets against the real practice gateway: the older status call, and Classic as web forms."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from contracts.gateway_contract import UNKNOWN_VALUE, Bench
from gateway.callers import ORDER
from keybench.core.errors import KeyRefused
from keybench.core.ports import Accepted
from keybench.core.sales.sale import APPROVALS, Outcome, SaleMode
from keybench.gateway.client import HttpGateway
from keybench.gateway.portal import HttpPortal


@pytest.fixture
async def bench(practice_url: str) -> AsyncIterator[Bench]:
    gateway, portal = HttpGateway(), HttpPortal()
    yield Bench(gateway, portal, practice_url)
    await gateway.close()
    await portal.close()


@pytest.mark.parametrize(
    ("amount", "outcome"),
    [
        ("10.00", Outcome.APPROVED),
        ("15.00", Outcome.PARTLY_APPROVED),
        ("20.02", Outcome.DECLINED),
        ("30.00", Outcome.CANCELLED),
        ("40.00", Outcome.EXPIRED),
    ],
)
@pytest.mark.parametrize(
    ("contract", "mode"),
    [("v5-asyncstatus", SaleMode.ASYNCHRONOUS), ("classic-form", SaleMode.CLASSIC)],
)
async def test_one_poll_waits_for_the_outcome(
    bench: Bench, contract: str, mode: SaleMode, amount: str, outcome: Outcome
) -> None:
    caller = bench.caller((await bench.key()).value, contract)
    order = bench.order(amount, mode=mode)
    accepted = await bench.gateway.start_sale(caller, order)
    assert isinstance(accepted, Accepted)
    reading = await bench.gateway.sale_status(caller, order, accepted.request_id)
    assert reading.verdict
    assert reading.verdict.outcome is outcome
    assert bool(reading.verdict.authorisation) == (outcome in APPROVALS)
    assert (reading.verdict.approved_amount == 10) == (outcome is Outcome.PARTLY_APPROVED)


async def test_the_key_in_a_form_and_behind_bearer_is_in_no_exchange(bench: Bench) -> None:
    for value in ((await bench.key()).value, UNKNOWN_VALUE):
        caller = bench.caller(value, "classic-form")
        answer = await bench.gateway.start_sale(caller, bench.order(mode=SaleMode.CLASSIC))
        if isinstance(answer, Accepted):
            await bench.gateway.sale_status(caller, ORDER, answer.request_id)
        else:
            with pytest.raises(KeyRefused):
                await bench.gateway.sale_status(caller, ORDER, "any")
        leaked = value.reveal() in repr(bench.exchanges)
        assert not leaked
    assert "security_key=" in bench.exchanges[0].request_body
