"""A journal in memory for tests of use cases; it passes the same contract suite as the real one."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from fakes.register import MemoryRegister
from keybench.core.attention import Attention
from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import PRACTICE_ID, Environment
from keybench.core.errors import JournalError
from keybench.core.exchange import Exchange
from keybench.core.input_errors import EnvironmentBuiltIn, NameTaken, NotFound
from keybench.core.keys.key import KeyMove, SecurityKey
from keybench.core.ports import (
    Clock,
    Device,
    Journal,
    JournalPlace,
    KeptAnswer,
    Older,
    PollNote,
    RunningProgram,
)
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Outcome, RequestIdTaken, Sale, SaleEvent, SaleStage


class MemoryJournal(MemoryRegister):
    """Implements `core.ports.Journal`; what it holds outlives `close` as long as the object does."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._installation = uuid.uuid4().hex
        self._devices: dict[tuple[str, str], Device] = {}
        self._device_states: dict[tuple[str, str], DeviceState] = {}
        self._programs: dict[str, RunningProgram] = {}
        self._events: list[SaleEvent] = []
        self._exchanges: list[tuple[str, Exchange]] = []
        self._key_exchanges: dict[str, list[Exchange]] = {}
        self._answers: dict[str, KeptAnswer] = {}
        self.place = JournalPlace()

    async def keep_answer(self, answer: KeptAnswer) -> None:
        self._answers[answer.reference] = answer

    async def kept_answers(self) -> Sequence[KeptAnswer]:
        return list(self._answers.values())

    async def drop_answers(self, references: Collection[str]) -> None:
        self._answers = {r: answer for r, answer in self._answers.items() if r not in references}

    async def open(self) -> str:
        self._is_open = True
        return self._installation

    async def close(self) -> None:
        self._is_open = False

    async def add_environment(self, environment: Environment) -> None:
        self._writing()
        if any(e.name.casefold() == environment.name.casefold() for e in self._environments.values()):
            raise NameTaken("environment", environment.name)
        if environment.id in self._environments:
            raise JournalError("identifier taken")
        self._environments[environment.id] = environment

    async def update_environment(
        self, environment_id: str, move: Callable[[Environment], Environment]
    ) -> Environment:
        self._writing()
        before = self._environments.get(environment_id)
        if before is None:
            raise NotFound("environment", environment_id)
        moved = replace(move(before), id=before.id, kind=before.kind)
        if any(
            e.name.casefold() == moved.name.casefold()
            for e in self._environments.values()
            if e.id != environment_id
        ):
            raise NameTaken("environment", moved.name)
        self._environments[environment_id] = moved
        return moved

    async def remove_environment(self, environment_id: str) -> None:
        self._writing()
        if environment_id == PRACTICE_ID:
            raise EnvironmentBuiltIn(environment_id)
        self._environments.pop(environment_id, None)
        self._keys = {i: k for i, k in self._keys.items() if k.environment_id != environment_id}
        self._devices = {i: d for i, d in self._devices.items() if i[0] != environment_id}
        self._device_states = {i: s for i, s in self._device_states.items() if i[0] != environment_id}
        self._applications = {
            i: a for i, a in self._applications.items() if a.environment_id != environment_id
        }
        self._plans = {i: p for i, p in self._plans.items() if p.environment_id != environment_id}

    async def keys(self, environment_id: str) -> Sequence[SecurityKey]:
        self._reading()
        found = [self._told(k) for k in self._keys.values() if k.environment_id == environment_id]
        return sorted(found, key=lambda k: (k.name.casefold(), k.name))

    async def add_key(self, key: SecurityKey) -> None:
        self._writing()
        self._check_key(key)
        if key.id in self._keys:
            raise JournalError("identifier taken")
        self._keys[key.id] = key

    async def update_key(self, key_id: str, move: KeyMove) -> SecurityKey:
        self._writing()
        if key_id not in self._keys:
            raise NotFound("key", key_id)
        self._move_key(key_id, move)
        return self._told(self._keys[key_id])

    async def remove_key(self, key_id: str) -> None:
        self._writing()
        self._keys.pop(key_id, None)

    async def keep_key_exchanges(self, key_id: str, exchanges: Sequence[Exchange]) -> None:
        self._writing()
        if key_id not in self._keys:
            raise NotFound("key", key_id)
        self._key_exchanges[key_id] = list(exchanges)

    async def key_exchanges(self, key_id: str) -> Sequence[Exchange]:
        self._reading()
        return list(self._key_exchanges.get(key_id, [])) if key_id in self._keys else []

    async def devices(self, environment_id: str) -> Sequence[Device]:
        self._reading()
        found = [d for (owner, _), d in self._devices.items() if owner == environment_id]
        return sorted(found, key=lambda d: (d.nickname.casefold(), d.id))

    async def remember_devices(self, environment_id: str, devices: Sequence[Device]) -> None:
        self._writing()
        self._require_environment(environment_id)
        self._devices |= {(environment_id, d.id): d for d in devices}

    async def forget_device(self, environment_id: str, device_id: str) -> None:
        self._writing()
        self._devices.pop((environment_id, device_id), None)
        self._device_states.pop((environment_id, device_id), None)

    async def device_states(self, environment_id: str) -> Sequence[DeviceState]:
        self._reading()
        found = [s for (owner, _), s in self._device_states.items() if owner == environment_id]
        return sorted(found, key=lambda s: s.device_id)

    async def keep_device_states(self, environment_id: str, states: Sequence[DeviceState]) -> None:
        self._writing()
        self._require_environment(environment_id)
        for state in states:
            place = environment_id, state.device_id
            known = self._device_states.get(place)
            if known and known.read_at > state.read_at:
                continue
            self._device_states[place] = state
            if place in self._devices:
                listed = self._devices[place]
                self._devices[place] = Device(
                    state.device_id, state.nickname or listed.nickname, state.connection or listed.connection
                )

    async def keep_program(self, program: RunningProgram) -> None:
        self._writing()
        self._programs[program.id] = program

    async def programs(self) -> Sequence[RunningProgram]:
        self._reading()
        return sorted(self._programs.values(), key=lambda program: (program.began_at, program.id))

    async def remove_programs(self, ids: Collection[str]) -> None:
        self._writing()
        self._programs = {name: one for name, one in self._programs.items() if name not in ids}

    async def note_sale(self, sale: Sale, event: SaleEvent) -> None:
        self._writing()
        if sale.reference in self._sales:
            raise JournalError("reference taken")
        self._sales[sale.reference] = sale
        self._events.append(event)

    async def advance_sale(
        self,
        reference: str,
        move: Callable[[Sale], Sale],
        events: Sequence[SaleEvent] = (),
        exchanges: Sequence[Exchange] = (),
    ) -> Sale:
        self._writing()
        before = self._sale(reference)
        moved = move(before)
        if moved.request_id != before.request_id:
            self._check_request_id(moved)
        self._sales[reference] = moved
        if moved.was_sent != before.was_sent and (key := self._keys.get(moved.key_id)):
            sent = [s.noted_at for s in self._sales.values() if s.key_id == key.id and s.was_sent]
            self._keys[key.id] = replace(key, used_at=max(sent, default=None))
        self._events.extend(events)
        self._exchanges.extend((reference, exchange) for exchange in exchanges)
        return moved

    async def note_polls(self, notes: Sequence[PollNote]) -> None:
        self._writing()
        for note in notes:
            reference = note.event.reference
            self._sales[reference] = self._sale(reference).polled()
            self._events.append(note.event)
            self._exchanges.extend((reference, exchange) for exchange in note.exchanges)

    async def sale(self, reference: str) -> Sale:
        self._reading()
        return self._sale(reference)

    async def sales(self, environment_id: str | None, limit: int, device: str = "") -> Sequence[Sale]:
        self._reading()
        newest = sorted(
            enumerate(self._sales.values()), key=lambda pair: (pair[1].noted_at, pair[0]), reverse=True
        )
        wanted = [s for _, s in newest if environment_id in {None, s.environment_id}]
        return [s for s in wanted if device in {"", s.device}][:limit]

    async def find_sales(self, wanted: SaleFilter, *, after: str = "", limit: int) -> Sequence[Sale]:
        found = [s for s in await self.sales(None, len(self._sales)) if wanted.matches(s, self._nickname(s))]
        if after:
            ranks = {s.reference: (s.noted_at, n) for n, s in enumerate(self._sales.values())}
            if after not in ranks:
                raise NotFound("sale", after)
            found = [s for s in found if ranks[s.reference] < ranks[after]]
        return found[:limit]

    async def count_sales(self, wanted: SaleFilter) -> int:
        self._reading()
        return sum(wanted.matches(s, self._nickname(s)) for s in self._sales.values())

    async def attention(self) -> Attention:
        self._reading()
        keys = [k.environment_id for k in map(self._told, self._keys.values()) if k.compromised]
        sales = [s.environment_id for s in self._sales.values() if s.outcome is Outcome.UNKNOWN]
        rotations = tuple(r for r in await self.rotations() if r.is_open)
        return Attention(Counter(keys), Counter(sales), rotations)

    async def unfinished_sales(self) -> Sequence[Sale]:
        self._reading()
        found = [s for s in self._sales.values() if s.stage is not SaleStage.FINISHED]
        return sorted(found, key=lambda s: s.noted_at)

    async def sale_events(self, reference: str) -> Sequence[SaleEvent]:
        self._reading()
        return [e for e in self._events if e.reference == reference]

    async def timelines(self, references: Collection[str]) -> Mapping[str, Sequence[SaleEvent]]:
        return {reference: await self.sale_events(reference) for reference in references}

    async def exchanges(self, reference: str) -> Sequence[Exchange]:
        self._reading()
        return [exchange for owner, exchange in self._exchanges if owner == reference]

    async def count_older(self, before: datetime) -> Older:
        self._reading()
        older = [sale for sale in self._sales.values() if sale.noted_at < before]
        said = {reference for reference, one in self._exchanges if one.at < before}
        return Older(
            sales=sum(sale.is_settled for sale in older),
            with_exchanges=sum(self._sales[reference].is_settled for reference in said),
            unsettled=sum(not sale.is_settled for sale in older),
        )

    async def delete_older(self, before: datetime, *, with_sales: bool) -> bool:
        self._writing()
        said = {r for r, one in self._exchanges if one.at < before and self._sales[r].is_settled}
        if with_sales:
            gone = {r for r, sale in self._sales.items() if sale.noted_at < before and sale.is_settled}
            said |= gone
            self._sales = {r: sale for r, sale in self._sales.items() if r not in gone}
            self._events = [event for event in self._events if event.reference not in gone]
        self._exchanges = [(r, one) for r, one in self._exchanges if r not in said]
        return False

    def _sale(self, reference: str) -> Sale:
        if reference not in self._sales:
            raise NotFound("sale", reference)
        return self._sales[reference]

    def _check_request_id(self, sale: Sale) -> None:
        for other in self._sales.values():
            is_neighbour = other.environment_id == sale.environment_id and other.reference != sale.reference
            if sale.request_id and is_neighbour and other.request_id == sale.request_id:
                raise RequestIdTaken(sale)

    def _nickname(self, sale: Sale) -> str:
        known = self._devices.get((sale.environment_id, sale.device))
        return known.nickname if known else ""


async def put_key(journal: Journal, key: SecurityKey) -> None:
    """Have the journal's key be as a test needs it."""
    await journal.update_key(key.id, lambda _stored: key)
