"""What every practice gateway must do: subclass `GatewayContract` and give it a `bench` fixture.

The bench is a fresh account with the users counter1 (sells and reads), reports (reads) and frozen (disabled),
the connected devices till-1 and till-2, and offline-1, which isn't.
"""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from keybench.core.environments.connection import BaseUrlFound
from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    AnswerUnreadable,
    Forbidden,
    GatewayError,
    GatewayFailed,
    KeyMadeBefore,
    KeyRefused,
    NotSent,
    Refused,
)
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.money import Money
from keybench.core.ports import Accepted, Caller, CreatedKey, Gateway, Portal, SaleOrder, StatusReading
from keybench.core.rotations.rotation import Expectation
from keybench.core.sales.sale import Outcome, SaleMode, Verdict
from keybench.core.secret import Secret

PRACTICE = Environment(
    PRACTICE_ID, "Practice", EnvironmentKind.PRACTICE, "", "practice", datetime(2026, 3, 1, tzinfo=UTC)
)
UNKNOWN_VALUE = Secret("MadeUpValueThatNobodyHas00000000")


@dataclass
class Bench:
    """A gateway with its portal, and short ways to use them."""

    gateway: Gateway
    portal: Portal
    base_url: str
    exchanges: list[Exchange] = field(default_factory=list)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def key(self, username: str = "counter1", kind: KeyKind = KeyKind.PRIVATE) -> CreatedKey:
        permission = "API" if kind is KeyKind.PRIVATE else "Tokenization"
        number = next(self._numbers)
        draft = KeyDraft(f"Key {number}", username, permission, kind)
        return await self.portal.create_key(PRACTICE, self.base_url, draft, f"make-{number}")

    def caller(self, value: Secret, contract: str = "practice") -> Caller:
        environment = replace(PRACTICE, contract=contract)
        return Caller(environment, self.base_url, value, self.exchanges.append)

    async def seller(self) -> Caller:
        return self.caller((await self.key()).value)

    def order(
        self, amount: str = "10.00", *, device: str = "till-1", mode: SaleMode = SaleMode.ASYNCHRONOUS
    ) -> SaleOrder:
        return SaleOrder(f"ref-{next(self._numbers)}", device, Money(Decimal(amount), "USD"), mode)

    async def accepted(self, caller: Caller, order: SaleOrder) -> str:
        answer = await self.gateway.start_sale(caller, order)
        assert isinstance(answer, Accepted)
        return answer.request_id

    async def outcome(self, caller: Caller, order: SaleOrder, request_id: str) -> Verdict:
        async with asyncio.timeout(60):
            while True:
                reading = await self.gateway.sale_status(caller, order, request_id)
                if reading.verdict:
                    return reading.verdict
                await asyncio.sleep(0.05)  # a real device takes its time


class GatewayContract:
    async def test_the_account_names_its_users(self, bench: Bench) -> None:
        users = {user.username: user for user in await bench.portal.users(PRACTICE, bench.base_url)}
        assert users["counter1"].enabled
        assert "sell on devices" in users["counter1"].permissions
        assert "sell on devices" not in users["reports"].permissions
        assert not users["frozen"].enabled

    async def test_a_made_key_is_accepted(self, bench: Bench) -> None:
        assert await bench.gateway.probe_key(await bench.seller()) == 200

    async def test_two_keys_of_one_name_are_two_keys(self, bench: Bench) -> None:
        draft = KeyDraft("Same", "counter1", "API", KeyKind.PRIVATE)
        first = await bench.portal.create_key(PRACTICE, bench.base_url, draft, "one")
        second = await bench.portal.create_key(PRACTICE, bench.base_url, draft, "two")
        assert second.gateway_id != first.gateway_id
        assert not first.value.matches(second.value)

    async def test_a_repeated_request_makes_no_second_key(self, bench: Bench) -> None:
        draft = KeyDraft("Once", "counter1", "API", KeyKind.PRIVATE)
        made = await bench.portal.create_key(PRACTICE, bench.base_url, draft, "same")
        for _ in range(2):
            with pytest.raises(KeyMadeBefore) as raised:
                await bench.portal.create_key(PRACTICE, bench.base_url, draft, "same")
            assert (raised.value.gateway_id, raised.value.status) == (made.gateway_id, 409)
            await bench.portal.delete_key(PRACTICE, bench.base_url, made.gateway_id)

    @pytest.mark.parametrize(("username", "permission"), [("nobody", "API"), ("counter1", "Tokenization")])
    async def test_a_key_that_fits_nobody_is_refused(
        self, bench: Bench, username: str, permission: str
    ) -> None:
        draft = KeyDraft("Odd", username, permission, KeyKind.PRIVATE)
        with pytest.raises(Refused) as raised:
            await bench.portal.create_key(PRACTICE, bench.base_url, draft, "odd")
        assert raised.value.status == 400

    async def test_a_deleted_key_is_refused_and_can_be_deleted_again(self, bench: Bench) -> None:
        key = await bench.key()
        for _ in range(2):
            await bench.portal.delete_key(PRACTICE, bench.base_url, key.gateway_id)
        with pytest.raises(KeyRefused) as raised:
            await bench.gateway.probe_key(bench.caller(key.value))
        assert raised.value.status == 401
        assert "not found" in raised.value.message

    async def test_an_unknown_key_is_refused(self, bench: Bench) -> None:
        with pytest.raises(KeyRefused):
            await bench.gateway.start_sale(bench.caller(UNKNOWN_VALUE), bench.order())

    @pytest.mark.parametrize(
        ("username", "kind"),
        [("reports", KeyKind.PRIVATE), ("frozen", KeyKind.PRIVATE), ("counter1", KeyKind.PUBLIC)],
    )
    async def test_a_key_may_do_what_its_user_may(self, bench: Bench, username: str, kind: KeyKind) -> None:
        key = await bench.key(username, kind)
        with pytest.raises(Forbidden) as raised:
            await bench.gateway.start_sale(bench.caller(key.value), bench.order())
        assert (raised.value.status, raised.value.reason) == (403, "forbidden")

    async def test_a_proof_tells_what_a_key_may(self, bench: Bench) -> None:
        statuses = {}
        for username in ("admin", "counter1", "frozen"):
            caller = bench.caller((await bench.key(username)).value)
            statuses[username] = [await bench.gateway.proof_status(caller, one) for one in Expectation]
        stranger = bench.caller(UNKNOWN_VALUE)
        statuses["nobody"] = [await bench.gateway.proof_status(stranger, one) for one in Expectation]
        assert statuses == {
            "admin": [200, 200],
            "counter1": [200, 403],
            "frozen": [403, 403],
            "nobody": [401, 401],
        }
        assert [exchange.status for exchange in bench.exchanges] == [*itertools.chain(*statuses.values())]
        assert [call for call, _ in bench.gateway.facts("practice").proof_calls] == [
            "GET /api/v5/devices",
            "GET /api/v5/security_keys",
        ]

    async def test_devices_are_listed(self, bench: Bench) -> None:
        devices = {one.device_id: one for one in await bench.gateway.devices(await bench.seller())}
        assert devices["till-1"].nickname == "Till 1"
        assert devices["till-1"].connection == "connected"
        assert devices["till-1"].is_connected
        assert devices["offline-1"].connection == "disconnected"
        assert devices["offline-1"].is_connected is False

    async def test_a_device_tells_its_state(self, bench: Bench) -> None:
        caller = await bench.seller()
        state = await bench.gateway.device_state(caller, "till-1")
        assert (state.device_id, state.nickname) == ("till-1", "Till 1")
        assert (state.is_connected, state.connection) == (True, "connected")
        assert (state.is_busy, state.busy_with) == (False, "")
        assert (state.battery_percent, state.network) == (87, "practice")
        assert state.last_connected_at
        assert state.last_sale_at is None
        away = await bench.gateway.device_state(caller, "offline-1")
        assert (away.is_connected, away.connection) == (False, "disconnected")
        assert (away.battery_percent, away.network) == (None, "")
        with pytest.raises(Refused) as raised:
            await bench.gateway.device_state(caller, "no-such-device")
        assert raised.value.status == 404
        # Its list may be asked, too, before a device is called unknown.
        assert {exchange.method for exchange in bench.exchanges} == {"GET"}

    async def test_a_busy_device_names_the_request_that_holds_it(self, bench: Bench) -> None:
        caller, order = await bench.seller(), bench.order("90.00")
        request_id = await bench.accepted(caller, order)
        held = await bench.gateway.device_state(caller, order.device)
        assert (held.is_busy, held.busy_with) == (True, request_id)
        assert held.last_sale_at
        await bench.gateway.cancel(caller, order.device, request_id)
        freed = await bench.gateway.device_state(caller, order.device)
        assert (freed.is_busy, freed.busy_with) == (False, "")

    async def test_a_device_is_registered_renamed_sold_on_and_deregistered(self, bench: Bench) -> None:
        caller = bench.caller((await bench.key("admin")).value)
        device = await bench.gateway.register_device(caller, "T00001", "Trial")
        assert (device.nickname, device.connection) == ("Trial", "connected")
        assert device.device_id in {one.device_id for one in await bench.gateway.devices(caller)}
        order = bench.order(device=device.device_id)
        verdict = await bench.outcome(caller, order, await bench.accepted(caller, order))
        assert verdict.outcome is Outcome.APPROVED
        await bench.gateway.rename_device(caller, device.device_id, "Fair")
        assert (await bench.gateway.device_state(caller, device.device_id)).nickname == "Fair"
        await bench.gateway.deregister_device(caller, device.device_id)
        assert device.device_id not in {one.device_id for one in await bench.gateway.devices(caller)}
        for gone in (
            bench.gateway.deregister_device(caller, device.device_id),
            bench.gateway.rename_device(caller, device.device_id, "Nobody"),
        ):
            with pytest.raises(Refused) as raised:
                await gone
            assert raised.value.status == 404

    async def test_a_registration_code_works_once_while_its_device_is_there(self, bench: Bench) -> None:
        caller = bench.caller((await bench.key("admin")).value)
        first = await bench.gateway.register_device(caller, "T00001", "One")
        for code in ("T00001", "T00002", "made up"):
            with pytest.raises(Refused) as raised:
                await bench.gateway.register_device(caller, code, "Two")
            assert (raised.value.status, raised.value.reason) == (400, "bad request")
        await bench.gateway.deregister_device(caller, first.device_id)
        again = await bench.gateway.register_device(caller, "T00001", "Two")
        assert again.device_id != first.device_id

    async def test_only_who_may_manage_devices_does(self, bench: Bench) -> None:
        caller = await bench.seller()
        for call in (
            bench.gateway.register_device(caller, "T00001", "Trial"),
            bench.gateway.rename_device(caller, "till-1", "Trial"),
            bench.gateway.deregister_device(caller, "till-1"),
        ):
            with pytest.raises(Forbidden):
                await call
        assert (await bench.gateway.device_state(caller, "till-1")).nickname == "Till 1"

    @pytest.mark.parametrize(
        ("amount", "outcome"),
        [
            ("10.00", Outcome.APPROVED),
            ("20.00", Outcome.DECLINED),
            ("30.00", Outcome.CANCELLED),
            ("40.00", Outcome.EXPIRED),
        ],
    )
    async def test_a_sale_ends_as_its_amount_says(self, bench: Bench, amount: str, outcome: Outcome) -> None:
        caller, order = await bench.seller(), bench.order(amount)
        verdict = await bench.outcome(caller, order, await bench.accepted(caller, order))
        assert verdict.outcome is outcome
        assert verdict.status == 200
        assert bool(verdict.authorisation) == (outcome is Outcome.APPROVED)
        assert bool(verdict.transaction_id) == (outcome in {Outcome.APPROVED, Outcome.DECLINED})

    @pytest.mark.parametrize("mode", [SaleMode.SYNCHRONOUS, SaleMode.CLASSIC])
    @pytest.mark.parametrize(
        ("amount", "outcome"),
        [("10.00", Outcome.APPROVED), ("20.00", Outcome.DECLINED), ("30.00", Outcome.CANCELLED)],
    )
    async def test_a_held_sale_answers_with_its_outcome(
        self, bench: Bench, mode: SaleMode, amount: str, outcome: Outcome
    ) -> None:
        verdict = await bench.gateway.start_sale(await bench.seller(), bench.order(amount, mode=mode))
        assert isinstance(verdict, Verdict)
        assert verdict.outcome is outcome

    async def test_a_device_does_one_thing_at_a_time(self, bench: Bench) -> None:
        caller, slow, other = await bench.seller(), bench.order("90.00"), bench.order()
        await bench.accepted(caller, slow)
        verdict = await bench.outcome(caller, other, await bench.accepted(caller, other))
        assert (verdict.outcome, verdict.reason) == (Outcome.REFUSED, "device busy")

    async def test_a_sale_can_be_cancelled_until_it_is_over(self, bench: Bench) -> None:
        caller, order = await bench.seller(), bench.order("90.00")
        request_id = await bench.accepted(caller, order)
        await bench.gateway.cancel(caller, order.device, request_id)
        verdict = await bench.outcome(caller, order, request_id)
        assert (verdict.outcome, verdict.gateway_status) == (Outcome.CANCELLED, "cancelledByApi")
        done = bench.order(device="till-2")
        done_id = await bench.accepted(caller, done)
        await bench.outcome(caller, done, done_id)
        with pytest.raises(Refused) as raised:
            await bench.gateway.cancel(caller, done.device, done_id)
        assert raised.value.status == 409

    @pytest.mark.parametrize(
        ("amount", "device", "kind", "status"),
        [
            ("10.00", "offline-1", Refused, 409),
            ("60.00", "till-1", Refused, 409),
            ("10.00", "no-such-device", Refused, 404),
            ("80.00", "till-1", Forbidden, 403),
            ("85.00", "till-1", GatewayFailed, 500),
        ],
    )
    async def test_a_refused_sale_leaves_nothing_behind(
        self, bench: Bench, amount: str, device: str, kind: type[GatewayError], status: int
    ) -> None:
        caller, order = await bench.seller(), bench.order(amount, device=device)
        with pytest.raises(kind) as raised:
            await bench.gateway.start_sale(caller, order)
        assert raised.value.status == status
        assert bool(raised.value.retry_after_s) == (amount == "80.00")
        if status != 404:
            assert await bench.gateway.look_up(caller, order) is None

    @pytest.mark.parametrize(("amount", "kind"), [("70.00", AnswerLost), ("71.00", AnswerUnreadable)])
    async def test_a_sale_whose_answer_is_lost_is_found_by_our_reference(
        self, bench: Bench, amount: str, kind: type[GatewayError]
    ) -> None:
        caller, order = await bench.seller(), bench.order(amount)
        with pytest.raises(kind):
            await bench.gateway.start_sale(caller, order)
        found = await bench.gateway.look_up(caller, order)
        assert isinstance(found, StatusReading)
        verdict = await bench.outcome(caller, order, found.request_id)
        assert verdict.outcome is Outcome.APPROVED

    async def test_a_request_nobody_made_is_not_found(self, bench: Bench) -> None:
        caller = await bench.seller()
        assert await bench.gateway.look_up(caller, bench.order()) is None
        with pytest.raises(Refused) as raised:
            await bench.gateway.sale_status(caller, bench.order(), "never-made")
        assert raised.value.status == 404

    async def test_what_the_contract_lacks_is_not_sent(self, bench: Bench) -> None:
        v5 = bench.caller((await bench.key()).value, "v5")
        for call in (
            bench.gateway.look_up(v5, bench.order()),
            bench.gateway.cancel(v5, "till-1", "r"),
            bench.gateway.rename_device(v5, "till-1", "Trial"),
            bench.gateway.start_sale(v5, bench.order(mode=SaleMode.CLASSIC)),
            bench.gateway.proof_status(v5, Expectation.REFUSED),
            bench.portal.users(v5.environment, bench.base_url),
        ):
            with pytest.raises(NotSent):
                await call
        assert bench.exchanges == []

    async def test_every_call_leaves_one_redacted_exchange(self, bench: Bench) -> None:
        caller, order = await bench.seller(), bench.order()
        await bench.outcome(caller, order, await bench.accepted(caller, order))
        with pytest.raises(KeyRefused):
            await bench.gateway.probe_key(bench.caller(UNKNOWN_VALUE))
        assert [exchange.status for exchange in bench.exchanges][-1] == 401
        assert bench.exchanges[0].method == "POST"
        text = repr(bench.exchanges)
        leaked = caller.value.reveal() in text or UNKNOWN_VALUE.reveal() in text
        assert not leaked

    async def test_an_address_is_tried_without_a_key(self, bench: Bench) -> None:
        tried = await bench.gateway.try_connection(PRACTICE, bench.base_url)
        assert (tried.base_url, tried.found, tried.status) == (bench.base_url, BaseUrlFound.GATEWAY, 401)
        assert tried.is_gateway

        wrong = await bench.gateway.try_connection(PRACTICE, bench.base_url + "/shop")
        assert (wrong.found, wrong.status) == (BaseUrlFound.NO_PATH, 404)
        assert not wrong.is_gateway

        nowhere = await bench.gateway.try_connection(PRACTICE, "https://nobody.invalid")
        assert (nowhere.found, nowhere.status, nowhere.reason) == (
            BaseUrlFound.NOT_REACHED,
            0,
            "name not found",
        )

        with pytest.raises(NotSent):
            await bench.gateway.try_connection(replace(PRACTICE, contract="none"), bench.base_url)
        assert bench.exchanges == []

    async def test_facts_tell_what_a_contract_offers(self, bench: Bench) -> None:
        assert bench.gateway.facts("practice").can_create_keys
        assert not bench.gateway.facts("v5").can_create_keys
        for contract, renames in (("practice", True), ("v5", False)):
            facts = bench.gateway.facts(contract)
            assert facts.can_tell_device
            assert facts.can_register_devices
            assert facts.can_deregister_devices
            assert facts.can_rename_devices == renames
        assert "v5" in bench.gateway.contracts()
        assert "practice" not in bench.gateway.contracts()
        with pytest.raises(NotFound):
            bench.gateway.facts("none")
