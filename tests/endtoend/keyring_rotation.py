"""Whoever rotates keys on real parts while a real keyring gets into trouble."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Self

from endtoend.crash.mortal_gateway import MortalGateway
from endtoend.troubled_keyring import Keyring, Trouble
from fakes.mortal import Died
from fakes.person import ANN, carry_through, make_ready
from keybench.bootstrap import open_console
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.rotations.rotation import KeyFacts, Rotation
from keybench.core.secret import Secret
from keybench.keystore.native import service_name
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console
from keybench.workflows.rotations.managing import Rotations


class Meanwhile:
    """A real port; each time one of its calls was answered, something happens before anybody goes on."""

    def __init__(self, port: object, call: str, happens: Callable[[], object]) -> None:
        self._port = port
        self._call = call
        self._happens = happens

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._port, name)
        return self._then(real) if name == self._call else real

    def _then(self, real: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return await real(*args, **kwargs)
            finally:
                self._happens()

        return call


@dataclass
class Hand:
    """A program with an environment of its own, and whoever rotates keys there.

    Attributes:
        keys_before: What the gateway had before this one came, by identifier.
        given_up: The value that a trouble took, and whose it is.
    """

    folder: Path
    closing: AsyncExitStack
    opened: Console
    console: Console
    gateway: MortalGateway
    keyring: Keyring
    environment: Environment
    namespace: str
    keys_before: frozenset[str]
    given_up: tuple[KeyFacts, Secret] | None = None

    @classmethod
    async def ready(cls, folder: Path, gateway: MortalGateway, keyring: Keyring) -> Self:
        """Open a program on a new data folder and add the gateway as an environment."""
        closing = AsyncExitStack()
        console = await closing.enter_async_context(open_console(DataFolder(folder)))
        assert (await console.look_at_keystore()).durable, "a keystore is needed"
        where = await console.environments.add("Sandbox", EnvironmentKind.TEST, gateway.base_url, "practice")
        before = frozenset(key["id"] for key in gateway.portal("GET", "keys")["keys"])
        namespace = await console.world.journal.open()
        return cls(folder, closing, console, console, gateway, keyring, where, namespace, before)

    async def start_anew(self) -> None:
        """End the program and open another one on its data folder, which looks for the keyring first."""
        await self.closing.aclose()
        self.opened = await self.closing.enter_async_context(open_console(DataFolder(self.folder)))
        self.in_peace()
        await self.console.look_at_keystore()

    @property
    def rotations(self) -> Rotations:
        """The use cases, on the ports as they are now."""
        return Rotations(self.console)

    @property
    def active(self) -> set[str]:
        """The gateway's identifiers of the keys that were made for this one and not deleted."""
        return {key["id"] for key in self.gateway.portal("GET", "keys")["keys"]} - self.keys_before

    @property
    def values(self) -> set[str]:
        """The names of the keyring's items."""
        return self.keyring.services(self.namespace)

    def deletions(self, gateway_id: str) -> list[int]:
        """Return how the gateway answered each request to delete a key, the latest first."""
        entries = self.gateway.portal("GET", "log?limit=5000")["entries"]
        path = f"/portal/keys/{gateway_id}"
        return [one["status"] for one in entries if (one["method"], one["path"]) == ("DELETE", path)]

    def meanwhile(self, port: str, call: str, happens: Callable[[], object]) -> None:
        """Have something happen behind the back of every call of that name until `in_peace`."""
        world = self.console.world
        wrapped: Any = {port: Meanwhile(getattr(world, port), call, happens)}
        self.console = Console(replace(world, **wrapped))

    def in_peace(self) -> None:
        """Let nothing happen any more behind a call."""
        self.console = self.opened

    def befall(self, trouble: Trouble, facts: KeyFacts | None = None) -> None:
        """Let a trouble come over the keyring, or over one key's value there."""
        service = self.service(facts) if facts else ""
        if facts:
            self.given_up = facts, self.keyring.value(service)
        self.keyring.befall(trouble, service)

    async def mend(self) -> None:
        """Do what a person does about the trouble."""
        self.in_peace()
        was_silent = self.keyring.trouble is Trouble.SILENT
        self.keyring.mend()
        if was_silent:  # it isn't called again before somebody says that it answers
            await self.console.look_at_keystore()
        if self.given_up:
            facts, value = self.given_up
            await self.give_value(facts, value)

    async def give_value(self, facts: KeyFacts, value: Secret) -> None:
        """Give one of the keys its value anew."""
        key = await self.console.calling.key(self.environment.id, facts.key_id)
        await Administration(self.console).inventory.give_value(self.environment, key, value.reveal())

    def tidy_up(self) -> None:
        """Leave nothing in the keyring, which gets slower with every item."""
        for service in self.values:
            self.keyring.clear(service)

    def service(self, facts: KeyFacts) -> str:
        """Return the name of a key's item."""
        return service_name(self.namespace, f"{self.environment.id}/{facts.key_id}")

    async def begun(self, name: str = "till") -> Rotation:
        """Have the gateway make a key that an application uses, and begin to rotate it."""
        draft = KeyDraft(name, "counter1", "API", KeyKind.PRIVATE)
        key = (await self.console.add_key.create(self.environment, draft)).key
        await self.console.world.journal.add_application(
            Application(f"A-{key.id}", self.environment.id, key.id, f"shop of {name}")
        )
        end = self.console.clock.now() + timedelta(days=1)
        plan = self.rotations.proposed(key)
        return await self.rotations.start(
            self.environment, key, plan, reason="it is time", by=ANN, overlap_ends_at=end
        )

    async def tested(self, name: str = "till") -> Rotation:
        """Return a new rotation whose old key may go."""
        rotation = await self.rotations.create((await self.begun(name)).id)
        changed = self.rotations.application_changed
        return await make_ready(self.rotations, await changed(rotation.id, application_of(rotation), ANN))

    async def deleted(self, name: str = "till") -> Rotation:
        """Return a new rotation whose old key is deleted and not yet seen to be refused."""
        return await self.rotations.delete((await self.tested(name)).id, ANN)

    async def bring_to_its_end(self, rotation_id: str) -> Rotation:
        """Do whatever is left of a rotation, and hold what it says against keyring and gateway."""
        taken_up = await self.rotations.resume(rotation_id)
        done = await carry_through(self.rotations, taken_up)
        new = new_of(done)
        assert not done.is_open
        assert done.leftovers == ()
        assert self.service(new) in self.values, "the new value is there"
        assert self.service(done.old) not in self.values, "the old one isn't"
        assert new.gateway_id in self.active
        assert done.old.gateway_id not in self.active
        assert self.deletions(done.old.gateway_id).count(204) == 1, "deleted once"
        steps = [one.what for one in done.evidence]
        assert steps.count("old value erased") == 1
        return done


def die() -> None:
    """Stand for a program that is killed."""
    raise Died


def new_of(rotation: Rotation) -> KeyFacts:
    """Return the key that comes."""
    assert rotation.replacement
    return rotation.replacement


def application_of(rotation: Rotation) -> str:
    """Return the one application that uses the old key."""
    (step,) = rotation.applications
    return step.application_id


def old_of(rotation: Rotation) -> KeyFacts:
    """Return the key that goes."""
    return rotation.old


async def _stay(hand: Hand, rotation: Rotation) -> Rotation:
    return rotation


async def _change_application(hand: Hand, rotation: Rotation) -> Rotation:
    return await hand.rotations.application_changed(rotation.id, application_of(rotation), ANN)


async def _test_application(hand: Hand, rotation: Rotation) -> Rotation:
    return await hand.rotations.test_application(rotation.id, application_of(rotation))


async def _see_working_and_delete(hand: Hand, rotation: Rotation) -> Rotation:
    await hand.rotations.application_seen(rotation.id, application_of(rotation), ANN, "an order")
    return await hand.rotations.delete(rotation.id, ANN)


@dataclass(frozen=True)
class Step:
    """One step that needs the keyring.

    Attributes:
        name: What it is called when it fails.
        take: Makes it.
        whose: Whose value it can't do without.
        lead: Does what comes before it and needs no value.
    """

    name: str
    take: Callable[[Hand, Rotation], Awaitable[Rotation]]
    whose: tuple[Callable[[Rotation], KeyFacts], ...] = ()
    lead: Callable[[Hand, Rotation], Awaitable[Rotation]] = _stay


#: The way of a rotation; each leads on from the one before.
STEPS: Final = (
    Step("create", lambda hand, one: hand.rotations.create(one.id)),
    Step("prove", lambda hand, one: hand.rotations.prove(one.id), (old_of, new_of)),
    Step("test key", lambda hand, one: hand.rotations.test_key(one.id), (new_of,)),
    Step("test application", _test_application, (new_of,), _change_application),
    Step(
        "see refused",
        lambda hand, one: hand.rotations.see_refused(one.id),
        (old_of,),
        _see_working_and_delete,
    ),
)


async def led_to(hand: Hand, wanted: Step) -> Rotation:
    """Return a new rotation that stands before a step."""
    rotation = await hand.begun(wanted.name)
    for step in STEPS:
        rotation = await step.lead(hand, rotation)
        if step is wanted:
            break
        rotation = await step.take(hand, rotation)
    return rotation
