"""A whole world of fakes for tests of use cases, put together as the program puts together the real one."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import AnswerLost, GatewayError, KeybenchError, KeyMadeBefore, PracticeUnavailable
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.ports import CreatedKey, PortalUser, RunningProgram, entry_of
from keybench.core.sales.sale import SaleDraft
from keybench.core.secret import Secret
from keybench.core.team.desk import Desk
from keybench.runtime.events import Events
from keybench.workflows.console import Console
from keybench.workflows.world import World

from .classes import FakeClasses
from .clock import MovedClock
from .journal import MemoryJournal
from .keystore import FakeKeystore
from .moves import FakeMoves
from .probing import FakeProbing
from .scripted_gateway import ScriptedGateway

T = TypeVar("T")

#: When the first sale of a program is first polled for, where nothing is known of its device.
FIRST_S = 0.88

MADE_UP = "MadeUpForTests0123456789abcdefgh"
TILL_KEY = KeyDraft("Till", "mira", "Sale", KeyKind.PRIVATE, "training")


class ScriptedPortal:
    """Implements `core.ports.Portal`; remembers the keys that are there and what made them.

    Attributes:
        active: The gateway's identifiers of the keys it has.
        requests: The identifier of the key that each request made, also when it is deleted since.
        lose_answers: How many of the next calls do what they should and then lose their answer.
        failure: Raised by every call while it is set.
        to_delete: Raised by deleting alone while it is set.
        listed: The account's users.
    """

    def __init__(self, lose_answers: int = 0) -> None:
        self.active: list[str] = []
        self.requests: dict[str, str] = {}
        self.lose_answers = lose_answers
        self.failure: KeybenchError | None = None
        self.to_delete: GatewayError | None = None
        self.listed: Sequence[PortalUser] = (PortalUser("mira", "Mira Lind", ("Sale",), enabled=True),)

    async def users(self, environment: Environment, base_url: str) -> Sequence[PortalUser]:
        self._fail()
        return self.listed

    async def create_key(
        self, environment: Environment, base_url: str, draft: KeyDraft, request_id: str
    ) -> CreatedKey:
        self._fail()
        if request_id in self.requests:
            raise KeyMadeBefore(self.requests[request_id])
        number = len(self.requests) + 1
        identifier = self.requests[request_id] = f"K-{number}"
        self.active.append(identifier)
        self._lose()
        return CreatedKey(identifier, Secret(MADE_UP if number == 1 else f"{MADE_UP[:-4]}{number:04}"))

    async def delete_key(self, environment: Environment, base_url: str, gateway_id: str) -> None:
        self._fail()
        if self.to_delete:
            raise self.to_delete
        if gateway_id in self.active:
            self.active.remove(gateway_id)
        self._lose()

    @property
    def request_ids(self) -> list[str]:
        return list(self.requests)

    def _fail(self) -> None:
        if self.failure:
            raise self.failure

    def _lose(self) -> None:
        if self.lose_answers:
            self.lose_answers -= 1
            raise AnswerLost("connection closed")


class FakePractice:
    """Implements `core.ports.Practice`; comes up at `address`, unless `failure` is set."""

    def __init__(self) -> None:
        self.address = "http://127.0.0.1:4001"
        self.failure: PracticeUnavailable | None = None
        self.base_url = ""
        self.version = ""

    async def ensure(self) -> str:
        if self.failure:
            raise self.failure
        self.base_url = self.address
        return self.base_url

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Tell of nothing: the gateway's own calls are for tests with the real one."""
        await self.ensure()
        told = {"applications": [], "devices": [], "unpaired": {"code": ""}, "entries": []}
        return {**told, "weather": {"preset": "calm"}, "next": []}

    async def stop(self) -> None:
        self.base_url = ""


class FakeOwners:
    """Implements `core.ports.Owners` for programs that a test starts and ends.

    Attributes:
        running: Who runs, shared by the programs on one data folder.
        programs: What is told of them, if asked for.
        works: What was noted to be open here, and whether it was taken over.
    """

    def __init__(self, me: str = "program-1", running: set[str] | None = None) -> None:
        self.me = me
        self.running = {me} if running is None else running
        self.running.add(me)
        self.programs: Sequence[RunningProgram] = ()
        self.works: list[tuple[str, bool]] = []

    async def ended(self, owners: Collection[str]) -> frozenset[str]:
        return frozenset(owners) - self.running

    async def others(self) -> Sequence[RunningProgram]:
        return [one for one in self.programs if one.id in self.running - {self.me}]

    async def work_on(self, what: str, *, take_over: bool = False) -> None:
        self.works.append((what, take_over))


@dataclass
class Bench:
    """One program on fakes; give two of them the same journal, and they share it."""

    clock: MovedClock = field(default_factory=MovedClock)
    keystore: FakeKeystore = field(default_factory=FakeKeystore)
    gateway: ScriptedGateway = field(default_factory=ScriptedGateway)
    portal: ScriptedPortal = field(default_factory=ScriptedPortal)
    practice: FakePractice = field(default_factory=FakePractice)
    probing: FakeProbing = field(default_factory=FakeProbing)
    owners: FakeOwners = field(default_factory=FakeOwners)
    events: Events = field(default_factory=Events)
    journal: MemoryJournal = field(init=False)
    console: Console = field(init=False)
    journal_to_share: MemoryJournal | None = None
    desk: Desk | None = None

    def __post_init__(self) -> None:
        self.journal = self.journal_to_share or MemoryJournal(self.clock)
        self.console = Console(build_world(self))

    def next_program(self, me: str = "program-2") -> Bench:
        """Return another program on the same folder; who of them runs stands in `owners.running`."""
        owners = FakeOwners(me, self.owners.running)
        return Bench(
            self.clock,
            self.keystore,
            self.gateway,
            self.portal,
            owners=owners,
            journal_to_share=self.journal,
        )

    async def practice_environment(self) -> Environment:
        return await self.console.environments.named("practice")

    async def add(self, name: str = "Sandbox", kind: EnvironmentKind = EnvironmentKind.TEST) -> Environment:
        return await self.console.environments.add(name, kind, "https://gateway.example")

    async def add_key(
        self,
        environment: Environment,
        name: str = "Till",
        kind: KeyKind = KeyKind.PRIVATE,
        value: str = MADE_UP,
    ) -> SecurityKey:
        draft = KeyDraft(name, "mira", "Sale", kind)
        return (await self.console.add_key.keep(environment, draft, value)).key

    async def draft(self, amount: str = "10.00", environment: Environment | None = None) -> SaleDraft:
        """Return a draft of a sale, with a key to send it with."""
        where = environment or await self.practice_environment()
        keys = await self.journal.keys(where.id)
        key = keys[0] if keys else await self.add_key(where)
        return SaleDraft(where.id, key.id, "D-1", amount, "USD")

    async def carry(self, work: Coroutine[Any, Any, T], *, at_most_s: float = 3600.0) -> T:
        """Run `work` to its end and let time pass for it, sleeper by sleeper."""
        task = asyncio.get_running_loop().create_task(work)
        end = self.clock.monotonic() + at_most_s
        await self.clock.advance(0)
        while not task.done():
            due = self.clock.next_due_s
            assert due is not None, "it waits for something that isn't time"
            assert self.clock.monotonic() < end, "it goes on for too long"
            await self.clock.advance(due)
        return await task

    def holds_value_of(self, key: SecurityKey) -> bool:
        return entry_of(key) in self.keystore.entries


def build_world(bench: Bench) -> World:
    """Return the world that a bench's fakes make."""
    return World(
        clock=bench.clock,
        journal=bench.journal,
        keystore=bench.keystore,
        gateway=bench.gateway,
        portal=bench.portal,
        practice=bench.practice,
        probing=bench.probing,
        owners=bench.owners,
        events=bench.events,
        classes=FakeClasses(),
        who=lambda: "Ann",
        desk=bench.desk,
        moves=FakeMoves(),
    )
