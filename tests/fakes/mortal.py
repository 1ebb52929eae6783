"""A program that dies at a chosen moment: before or after any call that changes something outside it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

from fakes.gateway import FakeAccount, FakePortal
from fakes.keystore import FakeKeystore
from keybench.core.environments.environment import Environment
from keybench.core.errors import (
    AnswerLost,
    JournalBusy,
    KeyMadeBefore,
    KeystoreError,
    KeystoreLocked,
    KeystoreSilent,
    NotSent,
)
from keybench.core.keys.key import KeyDraft
from keybench.core.ports import CreatedKey
from keybench.core.rotations.rotation import Rotation
from keybench.workflows.world import World

#: What leaves a trace outside the program.
CHANGING = frozenset(
    {
        "start_rotation",
        "advance_rotation",
        "add_key_plan",
        "update_key_plan",
        "end_key_plan",
        "write",
        "erase",
        "create_key",
        "delete_key",
    }
)


#: How each call fails: before it does anything, or after it did what it should.
_FAILURES = {
    "before start_rotation": JournalBusy(),
    "after start_rotation": JournalBusy(),
    "before advance_rotation": JournalBusy(),
    "after advance_rotation": JournalBusy(),
    "before add_key_plan": JournalBusy(),
    "after add_key_plan": JournalBusy(),
    "before update_key_plan": JournalBusy(),
    "after update_key_plan": JournalBusy(),
    "before end_key_plan": JournalBusy(),
    "after end_key_plan": JournalBusy(),
    "before write": KeystoreLocked(),
    "after write": KeystoreSilent(),
    "before erase": KeystoreLocked(),
    "after erase": KeystoreSilent(),
    "before create_key": NotSent("connection refused"),
    "after create_key": AnswerLost("timeout"),
    "before delete_key": NotSent("connection refused"),
    "after delete_key": AnswerLost("timeout"),
}


class Died(BaseException):
    """The program was killed; nothing it does after this has any effect."""


@dataclass
class Fate:
    """When a program dies.

    Attributes:
        at: At which moment, from 1; each changing call has two, before and after. 0 for never.
        only_fails: Whether the call fails then, as its port fails, and the program lives on.
        moments: What the program went through: the call, and which side of it.
        dead: Whether it is.
    """

    at: int = 0
    only_fails: bool = False
    moments: list[str] = field(default_factory=list)
    dead: bool = False

    def moment(self, name: str) -> None:
        self.moments.append(name)
        if self.dead or len(self.moments) == self.at:
            if self.only_fails:
                raise _FAILURES[name]
            self.dead = True
            raise Died(name)


class Mortal:
    """A port of a mortal program."""

    def __init__(self, port: object, fate: Fate) -> None:
        self._port = port
        self._fate = fate

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._port, name)
        return self._mortal(name, real) if name in CHANGING else real

    def _mortal(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            self._fate.moment(f"before {name}")
            done = await real(*args, **kwargs)
            self._fate.moment(f"after {name}")
            return done

        return call


def mortal(world: World, fate: Fate) -> World:
    """Return a program's ports that die with it."""
    return replace(
        world,
        journal=cast("Any", Mortal(world.journal, fate)),
        keystore=cast("Any", Mortal(world.keystore, fate)),
        portal=cast("Any", Mortal(world.portal, fate)),
    )


class Interruption:
    """Cancels a task at a chosen moment: before or after any call of a port, changing or not.

    Attributes:
        at: At which moment, from 1; 0 for never.
        task: What is cancelled.
        moments: What it went through.
    """

    def __init__(self, at: int = 0) -> None:
        self.at = at
        self.task: asyncio.Task[Any] | None = None
        self.moments: list[str] = []

    @property
    def had_an_answer(self) -> bool:
        """Whether the gateway had answered that it made a key before the task was cancelled."""
        return "after create_key" in self.moments[: self.at]

    async def moment(self, name: str) -> None:
        self.moments.append(name)
        if self.task and len(self.moments) == self.at:
            self.task.cancel()
        await asyncio.sleep(0)  # what real ports need, too: a turn of the loop


class Slow:
    """A port each call of which takes turns of the loop, and may be where a task is cancelled."""

    def __init__(self, port: object, interruption: Interruption) -> None:
        self._port = port
        self._interruption = interruption

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._port, name)
        return self._slow(name, real) if inspect.iscoroutinefunction(real) else real

    def _slow(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            await self._interruption.moment(f"before {name}")
            done = await real(*args, **kwargs)
            await self._interruption.moment(f"after {name}")
            return done

        return call


def interrupted(world: World, interruption: Interruption) -> World:
    """Return ports at whose calls a task may be cancelled."""
    ports = {
        name: cast("Any", Slow(getattr(world, name), interruption))
        for name in ("journal", "keystore", "gateway", "portal", "practice", "owners")
    }
    return replace(world, **ports)


class WatchedPortal(FakePortal):
    """A portal that remembers what was deleted, and what was asked to be deleted that wasn't there.

    Attributes:
        always_made_before: Set, and every key that is asked for is said to have been made before.
        hold: Set to hold the answers to keys that are made until `let_go`.
    """

    def __init__(self, account: FakeAccount) -> None:
        super().__init__(account)
        self.always_made_before = False
        self.hold = False
        self._may_answer = asyncio.Event()
        self.deleted: list[str] = []
        self.missed: list[str] = []

    def let_go(self) -> None:
        """Let the answers that are held go."""
        self.hold = False
        self._may_answer.set()

    async def create_key(
        self, environment: Environment, base_url: str, draft: KeyDraft, request_id: str
    ) -> CreatedKey:
        if self.always_made_before:
            raise KeyMadeBefore("key-901")
        created = await super().create_key(environment, base_url, draft, request_id)
        if self.hold:
            await self._may_answer.wait()
        return created

    async def delete_key(self, environment: Environment, base_url: str, gateway_id: str) -> None:
        was_there = gateway_id in self.account.keys
        try:
            await super().delete_key(environment, base_url, gateway_id)
        finally:
            if not was_there:
                self.missed.append(gateway_id)
            elif gateway_id not in self.account.keys:
                self.deleted.append(gateway_id)


class WatchedKeystore(FakeKeystore):
    """A keystore that remembers the order in which entries were read and erased.

    Attributes:
        write_failures: What writing an entry fails with while reading and erasing work.
        done: What succeeded: (``write``, entry) and so on.
    """

    def __init__(self) -> None:
        super().__init__()
        self.write_failures: dict[str, KeystoreError] = {}
        self.done: list[tuple[str, str]] = []

    def _note(self, call: str, entry: str) -> None:
        super()._note(call, entry)
        if call == "write" and entry in self.write_failures:
            raise self.write_failures[entry]
        self.done.append((call, entry))


def in_order(rotation: Rotation, *phrases: str) -> bool:
    """Tell whether the evidence has these phrases in this order, each once."""
    found = [one.what for one in rotation.evidence if one.what in phrases]
    return found == list(phrases)
