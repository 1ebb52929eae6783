"""The devices of an account: list, ask for their state, register, rename, deregister; who holds one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import Environment
from keybench.core.errors import AnswerLost, AnswerUnreadable, GatewayError, Refused
from keybench.core.events import DevicesChanged, DeviceStateRead
from keybench.core.input_errors import DeregistrationNotConfirmed, SalesUnderWay
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import Caller, Device
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Outcome, Sale
from keybench.core.team.edits import Edit, Edited
from keybench.core.text import clean_text
from keybench.workflows.calling import Calling
from keybench.workflows.guard import guarded
from keybench.workflows.sales.log import SaleLog
from keybench.workflows.world import World

#: A registration code is shown by the device and typed from there.
CODE_LIMIT: Final = 50
#: So many of a device's newest sales are looked through for those whose outcome is unknown.
_NEWEST: Final = 200
#: So many states are written at a time, some 35 ms' worth: a sale that is to be noted needn't wait long.
STATES_AT_A_TIME: Final = 100


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose payment request holds a device.

    Attributes:
        sale: Ours; None where the request isn't from this Keybench, or the gateway didn't name it.
        is_here: Whether this program follows that sale.
    """

    sale: Sale | None = None
    is_here: bool = False
    is_followed: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """What of a device's sales would be lost with it: so many are under way, of so many nobody knows."""

    under_way: int
    unknown: int


@guarded
class Devices:
    """The use cases about devices."""

    def __init__(self, world: World, calling: Calling, log: SaleLog) -> None:
        self._world = world
        self._calling = calling
        self._log = log

    async def listed(self, environment: Environment) -> Sequence[Device]:
        """Return the environment's known devices."""
        return await self._world.journal.devices(environment.id)

    async def states(self, environment: Environment) -> Mapping[str, DeviceState]:
        """Return what was last told of the environment's devices, by identifier."""
        return {state.device_id: state for state in await self._world.journal.device_states(environment.id)}

    async def refresh(self, environment: Environment, key: SecurityKey) -> Sequence[Device]:
        """Ask the gateway for the account's devices with a key, remember and return them."""
        async with self._calling.connection(environment, key) as connection:
            await self._listed_anew(connection.caller)
        return await self.listed(environment)

    async def check(self, environment: Environment, key: SecurityKey, device: str) -> DeviceState:
        """Ask the gateway for the state of the device of an identifier, and keep it."""
        device_id = clean_text("device", device)
        async with self._calling.connection(environment, key) as connection:
            state = await self._world.gateway.device_state(connection.caller, device_id)
        # Told first: a journal that can't be written takes nothing from what the gateway said.
        self._world.events.publish(DeviceStateRead(environment.id, state))
        await self._world.journal.keep_device_states(environment.id, [state])
        return state

    async def register(
        self, environment: Environment, key: SecurityKey, code: str, nickname: str
    ) -> DeviceState:
        """Register the device that shows a registration code, and remember it."""
        wanted, name = clean_code(code), clean_nickname(nickname)
        async with self._calling.connection(environment, key) as connection:
            try:
                state = await self._world.gateway.register_device(connection.caller, wanted, name)
            except (AnswerLost, AnswerUnreadable):
                # The list says more than the answer that was lost; the person sees both.
                with suppress(GatewayError):
                    await self._listed_anew(connection.caller)
                raise
        device = Device(state.device_id, state.nickname or name, state.connection)
        await self._world.note_activity("device registered", environment.id, device.nickname, device.id)
        await self._keep(environment.id, [device], [state])
        return state

    async def rename(
        self, environment: Environment, key: SecurityKey, device: Device, nickname: str
    ) -> Device:
        """Give a device another nickname at the gateway, and return it as it is then known."""
        name = clean_nickname(nickname)
        if name == device.nickname:
            return device
        async with self._calling.connection(environment, key) as connection:
            await self._world.gateway.rename_device(connection.caller, device.id, name)
        line = self._world.line("device renamed", environment.id, device.nickname or device.id, name)
        fields = {"nickname": device.nickname}, {"nickname": name}
        await self._world.edit(Edit(Edited.DEVICE, environment.id, device.id, *fields, line))
        return Device(device.id, name, device.connection)

    async def bound(self, environment: Environment, device_id: str) -> Bound:
        """Return how many of a device's sales still need it."""
        newest = await self._world.journal.sales(environment.id, _NEWEST, device_id)
        sales = [self._log.pending.latest(sale) for sale in newest]
        return Bound(
            under_way=sum(sale.verdict is None for sale in sales),
            unknown=sum(sale.outcome is Outcome.UNKNOWN for sale in sales),
        )

    async def deregister(
        self, environment: Environment, key: SecurityKey, device: Device, *, confirmed: bool = False
    ) -> None:
        """Take a device off the account and out of the list; only a new code registers it again."""
        if environment.is_live and not confirmed:
            raise DeregistrationNotConfirmed(device.nickname or device.id)
        if under_way := (await self.bound(environment, device.id)).under_way:
            raise SalesUnderWay(device.nickname or device.id, under_way)
        async with self._calling.connection(environment, key) as connection:
            try:
                await self._world.gateway.deregister_device(connection.caller, device.id)
            except (AnswerLost, Refused) as error:
                lost = isinstance(error, AnswerLost) or error.status == HTTPStatus.NOT_FOUND
                if not lost or not await self._is_gone(connection.caller, device.id):
                    raise
        await self._world.note_activity(
            "device deregistered", environment.id, device.nickname or device.id, device.id
        )
        await self._world.journal.forget_device(environment.id, device.id)
        self._world.events.publish(DevicesChanged(environment.id))

    async def holder(self, environment: Environment, state: DeviceState) -> Holder | None:
        """Return whose request holds a device; None if none does, or nobody can tell.

        Where the gateway doesn't tell whether it is busy, a sale of ours that is under way on it does. Where
        it tells no request of ours, one whose identifier we never learnt may be it.
        """
        if state.is_busy is False:
            return None
        if state.busy_with:
            found = await self._world.journal.find_sales(
                SaleFilter(state.busy_with, environment_id=environment.id), limit=_NEWEST
            )
            ours = [sale for sale in found if sale.request_id == state.busy_with]
        elif state.is_busy is None:
            ours = [
                sale
                for sale in await self._world.journal.unfinished_sales()
                if sale.environment_id == environment.id and sale.device == state.device_id
            ]
        else:
            ours = []
        if state.is_busy and not ours:
            ours = await self._may_hold(environment, state)
        if not ours:
            return Holder() if state.is_busy else None
        sale = self._log.pending.latest(ours[0])
        if state.is_busy is None and sale.verdict:
            return None
        me = self._world.owners.me
        ended = await self._world.owners.ended({sale.owner})
        is_here = sale.owner == me and self._log.is_at_work(sale.reference)
        others = sale.owner not in ended and sale.owner != me
        return Holder(sale, is_here=is_here, is_followed=is_here or others)

    async def _may_hold(self, environment: Environment, state: DeviceState) -> list[Sale]:
        """Return the sale of ours that may hold a busy device; none if none can.

        It can only be the newest that may have reached the device, which sells one at a time.
        """
        newest = await self._world.journal.sales(environment.id, _NEWEST, state.device_id)
        sent = (sale for sale in map(self._log.pending.latest, newest) if sale.verdict or sale.sent_to)
        newest_there = [sale for sale in sent if sale.outcome not in {Outcome.NOT_SENT, Outcome.REFUSED}][:1]
        return [
            sale
            for sale in newest_there
            if sale.outcome in {None, Outcome.UNKNOWN}
            and (not state.busy_with or sale.request_id in {"", state.busy_with})
        ]

    async def _listed_anew(self, caller: Caller) -> Sequence[DeviceState]:
        states = await self._world.gateway.devices(caller)
        devices = [Device(state.device_id, state.nickname, state.connection) for state in states]
        await self._keep(caller.environment.id, devices, states)
        return states

    async def _is_gone(self, caller: Caller, device_id: str) -> bool:
        """Tell whether the gateway lists its devices, and this one isn't among them."""
        try:
            states = await self._listed_anew(caller)
        except GatewayError:
            return False
        return device_id not in {state.device_id for state in states}

    async def _keep(
        self, environment_id: str, devices: Sequence[Device], states: Sequence[DeviceState]
    ) -> None:
        await self._world.journal.remember_devices(environment_id, devices)
        for start in range(0, len(states), STATES_AT_A_TIME):
            some = states[start : start + STATES_AT_A_TIME]
            await self._world.journal.keep_device_states(environment_id, some)
        self._world.events.publish(DevicesChanged(environment_id))


def clean_code(code: str) -> str:
    """Return a registration code without white space at its ends."""
    return clean_text("registration code", code, limit=CODE_LIMIT)


def clean_nickname(nickname: str) -> str:
    """Return a device's nickname, tidied."""
    return clean_text("nickname", nickname)
