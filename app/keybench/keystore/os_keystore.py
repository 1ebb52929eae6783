"""The keystore: the operating system's, or this session's memory where there is none or a person chose it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from keybench.core.errors import (
    KeystoreError,
    KeystoreGone,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    ValueLost,
)
from keybench.core.ports import KeystoreStatus
from keybench.core.secret import Secret
from keybench.keystore import safe_write
from keybench.keystore.calls import Attempt, KeystoreCalls
from keybench.keystore.native import SECRET_SERVICE, NativeStore, Sighting, SystemStore, system_store
from keybench.keystore.safe_write import Undo, Undone
from keybench.keystore.translation import bare, guarded
from keybench.words.language import _

T = TypeVar("T")

#: What the status calls it where values end with the program.
MEMORY: Final = _("this session's memory")
#: How long a keystore may be silent, in seconds.
LIMIT_S: Final = 3.0


class OsKeystore:
    """Implements `keybench.core.ports.Keystore` on the system's keystore.

    Where there is no keystore, and none ever was, values are kept in memory. One that can't be reached or
    has gone is waited for: calls raise the reason until it is open, or until the person chooses memory.

    Args:
        namespace: The installation's identifier; values of different ones are apart.
        system: The native keystore to look for; the platform's own if None.
        limit_s: How long a keystore may be silent, in seconds.
        used: What this installation has kept values in, by name.
        on_change: Called with each new status.
        on_use: Called with the name of a keystore that a value was kept in or read from for the first time.
    """

    def __init__(
        self,
        namespace: str,
        system: SystemStore | None = None,
        *,
        limit_s: float = LIMIT_S,
        used: Sequence[str] = (),
        on_change: Callable[[KeystoreStatus], None] | None = None,
        on_use: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        if not namespace.strip():
            raise ValueError("Windows takes no blank names, so a namespace can't be blank")
        self._namespace = namespace
        self._system = system or system_store(sys.platform)
        self._used = set(used)
        self._missed = next(iter(used), "")
        self._on_change = on_change
        self._on_use = on_use
        self._calls = KeystoreCalls(limit_s, self._show_asking)
        self._one_at_a_time = asyncio.Lock()
        self._memory: dict[str, Secret] = {}
        self._built: NativeStore | None = None
        self._store: NativeStore | None = None
        self._undone: Undone = {}
        self._in_memory = True
        self._memory_chosen = False
        self._probed = False
        self._asked_at = 0.0
        self._silent_at: float | None = None
        self._status = KeystoreStatus(MEMORY, durable=False)

    @property
    def status(self) -> KeystoreStatus:
        """The last known status; in memory before the first look."""
        return self._status

    @property
    def memory_only(self) -> Collection[str]:
        """The entries whose values are in memory alone."""
        return tuple(self._memory)

    async def probe(self) -> KeystoreStatus:
        """Look for the system's keystore, without a prompt, and move values from memory into it."""
        async with self._one_at_a_time:
            self._memory_chosen = False
            return await self._probe(wake=True)

    async def refresh(self) -> KeystoreStatus:
        """Look whether something has changed, without starting a program or asking a person."""
        async with self._one_at_a_time:
            return await self._probe(wake=False)

    def use_memory(self) -> KeystoreStatus:
        """Keep values in memory until a keystore in trouble can be used."""
        if self._status.trouble is not None or not self._probed:
            self._probed = self._in_memory = self._memory_chosen = True
            self._set_status(_memory_status(self._status.trouble or KeystoreSilent("not asked")))
        return self._status

    def stop_asking(self) -> None:
        """Wait no longer for the answer to the keystore's prompt."""
        self._calls.stop_asking()

    async def write(self, entry: str, value: Secret) -> None:
        """Keep `value` under `entry`, read it back and compare; on failure the entry is as it was."""
        safe_write.check_fits(value)
        async with self._turn():
            if self._in_memory:
                self._memory[entry] = value
            else:
                await self._keep(entry, value)

    async def read(self, entry: str) -> Secret:
        """Return the value under `entry`.

        Raises:
            ValueLost: There is none.
            KeystoreGone: It may be in another keystore that this installation has used.
        """
        async with self._turn():
            if entry in self._memory:
                return self._memory[entry]
            if self._in_memory:
                self._raise_if_out_of_reach()
                raise ValueLost("not in memory")
            value = await self._on_store(lambda store, at: guarded(store.get, entry, at))
            if entry in self._undone:  # it still has what is to be undone
                value = self._undone[entry].previous
            if value is None:
                self._raise_if_elsewhere()
                raise ValueLost("not in the keystore")
            await self._note_use()
            return value

    async def erase(self, entry: str) -> None:
        """Make sure nothing is under `entry`; no error if nothing was."""
        async with self._turn():
            if not self._in_memory:
                if not await self._on_store(lambda store, at: safe_write.erase(store, at, entry)):
                    self._raise_if_elsewhere()
                self._undone.pop(entry, None)
            elif entry not in self._memory:
                self._raise_if_out_of_reach()
            self._memory.pop(entry, None)

    async def put_back(self, entry: str, value: Secret | None) -> None:
        """Undo a write or an erasing whose other half failed: now, or once the keystore can be reached."""
        self._undone[entry] = Undo(value)
        async with self._one_at_a_time:
            if entry in self._memory or (self._in_memory and value is not None):
                self._undone.pop(entry, None)
                if value is None:
                    del self._memory[entry]
                else:
                    self._memory[entry] = value
            elif self._status.trouble is None:
                await self._settle()

    async def finish(self) -> None:
        """Give what is just being undone a moment to end; a call that hangs ends with the program."""
        await self._calls.finish()

    def close(self) -> None:
        """Let the thread end; safe to call twice. A call that hangs ends with the program."""
        self._calls.close()

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait for one's turn, and have the keystore searched for if nobody has yet."""
        asked_at = asyncio.get_running_loop().time()
        async with self._one_at_a_time:
            self._asked_at = asked_at
            if not self._probed:
                await self._probe(wake=True)
            yield

    async def _probe(self, *, wake: bool) -> KeystoreStatus:
        try:
            sighting = await self._calls.make(partial(self._look, wake=wake))
        except KeystoreMissing as error:
            if self._missed:
                return self._use(None, Sighting(self._missed, KeystoreGone(self._missed, error.lack)))
            self._store, self._in_memory, self._probed = None, True, True
            self._set_status(_memory_status(KeystoreMissing(error.lack)))
            return self._status
        except KeystoreError as error:
            self._note_silence(error)
            return self._use(self._built, Sighting(self._missed or self._system.name, bare(error)))
        self._missed, self._silent_at = sighting.name, None
        self._use(self._built, sighting)
        await self._empty_memory()
        await self._settle()
        return self._status

    def _look(self, attempt: Attempt, *, wake: bool) -> Sighting:
        """Look at the system's keystore, on the thread; it is built once."""
        if self._built is None:
            self._built = guarded(self._system.build, self._namespace)
        return guarded(self._built.look, attempt, wake=wake)

    def _use(self, store: NativeStore | None, sighting: Sighting) -> KeystoreStatus:
        """Keep values in the system's keystore from now on, unless it is in trouble and memory was chosen."""
        self._store, self._probed = store, True
        self._missed = self._missed or sighting.name
        if self._memory_chosen and sighting.trouble is not None:
            self._set_status(_memory_status(sighting.trouble))
            return self._status
        self._in_memory = self._memory_chosen = False
        self._set_status(KeystoreStatus(sighting.name, durable=True, trouble=sighting.trouble))
        return self._status

    async def _empty_memory(self) -> None:
        """Move values into an open store; one that it doesn't take stays in memory and readable."""
        for entry, value in tuple(self._memory.items()):
            if self._status.trouble is not None:
                return
            with suppress(KeystoreError):
                await self._keep(entry, value)

    async def _keep(self, entry: str, value: Secret) -> None:
        await self._on_store(lambda store, at: safe_write.write(store, at, entry, value, self._undone))
        self._memory.pop(entry, None)
        await self._note_use()

    async def _settle(self) -> None:
        """Put right what couldn't be before, as well as an open store lets us."""
        store = self._store
        if self._undone and store is not None and self._status.trouble is None:
            with suppress(KeystoreError):
                await self._calls.make(lambda at: safe_write.settle_all(store, at, self._undone))

    async def _on_store(self, call: Callable[[NativeStore, Attempt], T]) -> T:
        """Make one call on the store and let the status show what it means of the store as a whole."""
        if self._store is None or not isinstance(self._status.trouble, KeystoreLocked | None):
            await self._look_again()
        await self._settle()
        assert self._store is not None  # noqa: S101 - `_look_again` raises otherwise
        try:
            result = await self._calls.make(partial(call, self._store))
        except (KeystoreMissing, KeystoreLocked, KeystoreSilent) as error:  # more than one value's trouble
            trouble = bare(error)
        else:
            self._note(None)
            return result
        if isinstance(trouble, KeystoreMissing):
            trouble = KeystoreGone(self._status.name, trouble.lack)
        self._note_silence(trouble)
        self._note(trouble)
        raise trouble

    async def _look_again(self) -> None:
        """Look whether a store that was silent or gone is back, and raise the trouble if it isn't."""
        # Calls that waited during the silence get the same answer.
        if self._silent_at is None or self._asked_at > self._silent_at:
            await self._probe(wake=True)
        trouble = self._status.trouble
        if self._store is None or not isinstance(trouble, KeystoreLocked | None):
            raise bare(trouble or KeystoreSilent("not answered"))

    def _note_silence(self, trouble: KeystoreError) -> None:
        self._silent_at = asyncio.get_running_loop().time() if isinstance(trouble, KeystoreSilent) else None

    def _note(self, trouble: KeystoreError | None) -> None:
        if not self._in_memory:  # the person may have chosen memory meanwhile
            self._set_status(replace(self._status, trouble=trouble))

    async def _note_use(self) -> None:
        if (name := self._status.name) not in self._used and self._on_use:
            await self._on_use(name)
        self._used.add(name)

    def _set_status(self, status: KeystoreStatus) -> None:
        before, self._status = self._status, status
        if self._on_change and repr(before) != repr(status):  # errors equal nothing but themselves
            self._on_change(status)

    def _show_asking(self, asking: bool) -> None:  # noqa: FBT001 - the callback's shape
        self._set_status(replace(self._status, asking=asking))

    def _raise_if_out_of_reach(self) -> None:
        """Raise the trouble of a store that may have the value but isn't in use."""
        trouble = self._status.trouble
        if isinstance(trouble, KeystoreGone) or not isinstance(trouble, KeystoreMissing | None):
            raise bare(trouble)

    def _raise_if_elsewhere(self) -> None:
        """Raise that a value which isn't here may be in another keystore that was used before."""
        others = self._used - {self._status.name}
        if others and SECRET_SERVICE not in {self._status.name, *others}:  # a name that stands for several
            raise KeystoreGone(min(others))


def _memory_status(trouble: KeystoreError) -> KeystoreStatus:
    """Return the status of values in memory, with why they aren't in the system's keystore."""
    return KeystoreStatus(MEMORY, durable=False, trouble=trouble)
