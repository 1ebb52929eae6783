"""A program on one account, ready to rotate a key: what the tests of rotations share."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeVar

from fakes.classes import FakeClasses
from fakes.clock import MovedClock
from fakes.gateway import FakeAccount, FakeGateway
from fakes.journal import MemoryJournal, put_key
from fakes.mortal import Fate, WatchedKeystore, WatchedPortal, mortal
from fakes.person import ANN, carry_through, compare
from fakes.probing import FakeProbing
from fakes.world import FakeOwners, FakePractice
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.rotations.rotation import Rotation
from keybench.core.sales.sale import SaleDraft
from keybench.core.secret import Secret
from keybench.runtime.events import Events
from keybench.workflows.console import Console
from keybench.workflows.rotations.managing import Rotations
from keybench.workflows.world import World

T = TypeVar("T")
OLD = KeyDraft("web shop 2024", "counter1", "API", KeyKind.PRIVATE, "web shop")


@dataclass
class Places:
    """What outlives a program: the clock, the journal, the keystore, the gateway's account."""

    clock: MovedClock = field(default_factory=MovedClock)
    account: FakeAccount = field(default_factory=FakeAccount)
    keystore: WatchedKeystore = field(default_factory=WatchedKeystore)
    running: set[str] = field(default_factory=set)
    programs: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    journal: MemoryJournal = field(init=False)
    portal: WatchedPortal = field(init=False)

    def __post_init__(self) -> None:
        self.journal = MemoryJournal(self.clock)
        self.portal = WatchedPortal(self.account)

    def world(self, *, alone: bool = True) -> World:
        """Return the ports for a new program; the ones before it have ended, if it is alone."""
        if alone:
            self.running.clear()
        return World(
            clock=self.clock,
            journal=self.journal,
            keystore=self.keystore,
            gateway=FakeGateway(self.account),
            portal=self.portal,
            practice=FakePractice(),
            probing=FakeProbing(),
            owners=FakeOwners(f"program-{next(self.programs)}", self.running),
            events=Events(),
            classes=FakeClasses(),
        )

    @property
    def active(self) -> set[str]:
        """The gateway's identifiers of the keys it has."""
        return set(self.account.keys)


@dataclass
class Rotating:
    """One program, its old key, and the places it works on."""

    places: Places
    console: Console
    rotations: Rotations
    environment: Environment
    old: SecurityKey

    @classmethod
    async def ready(
        cls, kind: EnvironmentKind = EnvironmentKind.PRACTICE, applications: int = 2, draft: KeyDraft = OLD
    ) -> Rotating:
        """Return one with a key, in practice made by the gateway, else pasted; and applications of it."""
        places = Places()
        await places.journal.open()
        console = Console(places.world())
        if kind is EnvironmentKind.PRACTICE:
            where = await console.environments.named("practice")
            old = (await console.add_key.create(where, draft)).key
        else:
            where = await console.environments.add("Sandbox", kind, "https://gateway.example")
            old = (await console.add_key.keep(where, draft, in_the_portal(places, draft))).key
        old = replace(old, owner="Online team")
        await put_key(places.journal, old)
        for number in range(1, applications + 1):
            await places.journal.add_application(
                Application(f"A-{number}", where.id, old.id, f"shop {number}", "Ops", "ops@shop.example")
            )
        return cls(places, console, Rotations(console), where, old)

    def again(self, fate: Fate | None = None) -> Rotating:
        """Return a new program on the same places, mortal if it has a fate; this one has ended."""
        return self.on(mortal(self.places.world(), fate or Fate()))

    def on(self, world: World) -> Rotating:
        """Return a program on these ports."""
        console = Console(world)
        return replace(self, console=console, rotations=Rotations(console))

    async def begun(self, **more: Any) -> Rotation:
        """Return a rotation of the old key that has just begun."""
        end = self.places.clock.now() + timedelta(days=2)
        draft = self.rotations.proposed(self.old)
        more = {"reason": "older than a year", "by": ANN, "overlap_ends_at": end} | more
        return await self.rotations.start(self.environment, self.old, draft, **more)

    async def created(self, rotation: Rotation) -> Rotation:
        """Return the rotation with its replacement, made as the environment has it."""
        if self.rotations.can_create(self.environment):
            return await self.rotations.create(rotation.id)
        assert rotation.making
        return await self.rotations.keep(rotation.id, in_the_portal(self.places, rotation.making.draft))

    async def proven(self) -> Rotation:
        """Return a new rotation whose keys are proven to be allowed the same."""
        return await self.rotations.prove((await self.created(await self.begun())).id)

    async def tested(self, rotation: Rotation) -> Rotation:
        """Return a rotation with a replacement as it is when stage 3 is complete."""
        await compare(self.rotations, rotation)
        for step in rotation.applications:
            await self.rotations.application_changed(rotation.id, step.application_id, ANN)
            await self.rotations.application_seen(rotation.id, step.application_id, ANN, "an order")
        return await self.rotations.test_key(rotation.id)

    async def deleted(self, rotation: Rotation) -> Rotation:
        """Return a tested rotation whose old key is deleted, as the environment has it."""
        asked = await self.rotations.delete(rotation.id, ANN)
        if asked.deletion and asked.deletion.deleted_at:
            return asked
        self.delete_in_the_portal()
        return await self.rotations.deleted_in_portal(rotation.id, ANN)

    def sale_draft(self, key_id: str) -> SaleDraft:
        """Return a draft of a sale with one of the keys."""
        return SaleDraft(self.environment.id, key_id, "till-1", "10.00", "USD")

    async def carry(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` to its end and let time pass for it, sleeper by sleeper."""
        task = self.start(work)
        clock = self.places.clock
        await clock.advance(0)
        while not task.done():
            due = clock.next_due_s
            assert due is not None, "it waits for something that isn't time"
            await clock.advance(due)
        return await task

    async def to_the_end(self, *, paste: str = "") -> Rotation:
        """Do what a person has left to do until the rotation is documented; return it.

        Args:
            paste: What they have copied from the portal, where a value is pasted.
        """
        found = await self.rotations.listed()
        rotation = found[0] if found else await self.begun()
        by_hand = self.delete_in_the_portal if paste else None
        return await carry_through(self.rotations, rotation, paste=paste, delete_in_the_portal=by_hand)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin a piece of work that goes on while the test does something else."""
        return asyncio.get_running_loop().create_task(work)

    def draft(self, name: str) -> KeyDraft:
        """Return a draft of another key like the old one."""
        return replace(OLD, name=name)

    def delete_in_the_portal(self) -> None:
        """Delete the old key as a person does."""
        names = [gateway_id for gateway_id, (draft, _) in self.places.account.keys.items() if draft == OLD]
        for gateway_id in names:
            del self.places.account.keys[gateway_id]

    async def has_value(self, key_id: str) -> bool:
        """Tell whether the keystore has a value under a key's entry."""
        return f"{self.environment.id}/{key_id}" in self.places.keystore.entries


def in_the_portal(places: Places, draft: KeyDraft) -> str:
    """Make a key as a person does in the portal and return what they copy."""
    number = places.account.number()
    text = f"MadeUpPortalValue{number:015d}"
    places.account.keys[f"key-{number}"] = (draft, Secret(text))
    return text
