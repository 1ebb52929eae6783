"""The keystore: the operating system's, or this session's memory where there is none or a person chose it.

All native calls are made on one daemon thread, in order, each with a limit. A call that hangs is left to
itself with its thread: it can't be stopped, but what it would do later is undone or not begun.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from keybench.core.errors import (
    KeystoreError,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    ValueLost,
)
from keybench.core.ports import KeystoreStatus
from keybench.core.secret import Secret
from keybench.core.security_key import VALUE_LIMIT
from keybench.keystore import safe_write
from keybench.keystore.candidates import candidates_for
from keybench.keystore.memory import MEMORY, MemoryKeystore
from keybench.keystore.native import Candidate, NativeStore, Sighting
from keybench.keystore.safe_write import Attempt
from keybench.keystore.translation import anew, guarded
from keybench.runtime.worker import DaemonWorker

T = TypeVar("T")

#: How long a native call may take, in seconds; a keyring that waits for an unseen prompt never answers.
LIMIT_S: Final = 3.0

# The troubles that concern the whole keystore and not the one value that was asked for.
_OF_THE_STORE: Final = (KeystoreMissing, KeystoreLocked, KeystoreSilent)


@dataclass(frozen=True, slots=True)
class _Found:
    store: NativeStore
    sighting: Sighting


class OsKeystore:
    """Implements `keybench.core.ports.Keystore` on the system's keystores.

    Where no keystore is there, values are kept in memory. One that is there and can't be reached (locked,
    denied, silent) is waited for: calls raise the reason until it is open and `probe` has seen that, or
    until the person chooses memory.

    Args:
        namespace: The installation's identifier; values of different ones are apart.
        candidates: Which native keystores to look for, best first; the platform's own short list if None.
        limit_s: How long a native call may take, in seconds.
    """

    def __init__(
        self, namespace: str, candidates: Sequence[Candidate] | None = None, *, limit_s: float = LIMIT_S
    ) -> None:
        if not namespace.strip():
            raise ValueError("Windows takes no blank names, so a namespace can't be blank")
        self._namespace = namespace
        self._candidates = candidates_for(sys.platform) if candidates is None else candidates
        self._limit_s = limit_s
        self._worker = DaemonWorker("keybench keystore")
        self._one_at_a_time = asyncio.Lock()
        self._memory = MemoryKeystore()
        self._store: NativeStore | None = None
        self._in_memory = True
        self._probed = False
        self._was_there = False
        self._status = _kept_in_memory(KeystoreSilent("not asked yet"))

    @property
    def status(self) -> KeystoreStatus:
        """The last known status; in memory before the first look."""
        return self._status

    async def probe(self) -> KeystoreStatus:
        """Look for the system's keystore, without a prompt, and move values from memory into it."""
        async with self._one_at_a_time:
            return await self._probe()

    def use_memory(self) -> KeystoreStatus:
        """Keep values in memory until the next `probe`, because the person would rather not wait.

        A keystore that is open stays in use: there is nothing to wait for.
        """
        if self._status.trouble is not None:
            self._probed = self._in_memory = True
            self._status = _kept_in_memory(self._status.trouble)
        return self._status

    async def write(self, entry: str, value: Secret) -> None:
        """Keep `value` under `entry`, read it back and compare; on failure the entry is as it was.

        Raises:
            ValueTooLong: It is longer than every system can keep; nothing was touched.
            KeystoreError: Why it isn't kept.
        """
        safe_write.check_fits(value, VALUE_LIMIT)
        async with self._one_at_a_time:
            await self._ensure_probed()
            if self._in_memory:
                await self._memory.write(entry, value)
                return
            await self._on_store(partial(_write, entry, value))
            await self._memory.erase(entry)

    async def read(self, entry: str) -> Secret:
        """Return the value under `entry`.

        Raises:
            ValueLost: There is none.
            KeystoreError: Why it can't be told.
        """
        async with self._one_at_a_time:
            await self._ensure_probed()
            if entry in self._memory.entries:
                return await self._memory.read(entry)
            if self._in_memory:
                self._raise_if_out_of_reach()
                raise ValueLost("not in memory")
            value = await self._on_store(partial(_read, entry))
            if value is None:
                raise ValueLost("not in the keystore")
            return value

    async def erase(self, entry: str) -> None:
        """Make sure nothing is under `entry`; no error if nothing was.

        Raises:
            KeystoreError: Why it can't be made sure of.
        """
        async with self._one_at_a_time:
            await self._ensure_probed()
            if not self._in_memory:
                await self._on_store(partial(_erase, entry))
            elif entry not in self._memory.entries:
                self._raise_if_out_of_reach()
            await self._memory.erase(entry)

    def close(self) -> None:
        """Let the thread end; safe to call twice. A call that hangs ends with the program."""
        self._worker.stop()

    async def _ensure_probed(self) -> None:
        if not self._probed:
            await self._probe()

    async def _probe(self) -> KeystoreStatus:
        for candidate in self._candidates:
            try:
                found = await self._run(partial(_look, candidate, self._namespace))
            except KeystoreMissing:
                continue
            except KeystoreError as error:
                return self._use(None, Sighting(candidate.traits.name, anew(error)))
            self._use(found.store, found.sighting)
            await self._empty_memory()
            return self._status
        self._status = _kept_in_memory(KeystoreMissing("no keystore that Keybench knows"))
        self._store, self._in_memory, self._probed = None, True, True
        return self._status

    def _use(self, store: NativeStore | None, sighting: Sighting) -> KeystoreStatus:
        """Keep values in the system's keystore from now on; None if it can't even be opened."""
        self._status = KeystoreStatus(sighting.name, durable=True, trouble=sighting.trouble)
        self._store, self._in_memory, self._probed = store, False, True
        self._was_there = True
        return self._status

    async def _empty_memory(self) -> None:
        """Move values into an open store; one that it doesn't take stays in memory and readable."""
        for entry in self._memory.entries:
            if self._status.trouble is not None:
                return
            value = await self._memory.read(entry)
            try:
                await self._on_store(partial(_write, entry, value))
            except KeystoreError:
                continue
            await self._memory.erase(entry)

    async def _on_store(self, call: Callable[[NativeStore, Attempt], T]) -> T:
        """Make one call on the store and let the status tell what it showed of the store as a whole."""
        trouble = self._status.trouble
        if self._store is None or isinstance(trouble, KeystoreSilent):
            raise anew(trouble or KeystoreSilent("not answered"))
        try:
            result = await self._run(partial(call, self._store))
        except _OF_THE_STORE as error:
            self._note(anew(error))
            raise
        self._note(None)
        return result

    def _note(self, trouble: KeystoreError | None) -> None:
        if not self._in_memory:  # the person may have chosen memory meanwhile
            self._status = replace(self._status, trouble=trouble)

    async def _run(self, call: Callable[[Attempt], T]) -> T:
        """Make a blocking call on the thread.

        Raises:
            KeystoreError: The call's, or `KeystoreSilent` after the limit.
        """
        attempt = Attempt()
        try:
            return await self._worker.run(partial(call, attempt), limit_s=self._limit_s)
        except TimeoutError:  # the call's own never get here: they are translated on the thread
            self._worker.replace()
        finally:
            attempt.give_up()
        raise KeystoreSilent(f"no answer within {self._limit_s:g} s")

    def _raise_if_out_of_reach(self) -> None:
        """Raise the trouble of a store that may have the value but isn't in use.

        One that has gone since this program found it may have it, too.
        """
        trouble = self._status.trouble
        if trouble is not None and (self._was_there or not isinstance(trouble, KeystoreMissing)):
            raise anew(trouble)


def _kept_in_memory(trouble: KeystoreError | None) -> KeystoreStatus:
    return KeystoreStatus(MEMORY, durable=False, trouble=trouble)


def _look(candidate: Candidate, namespace: str, _attempt: Attempt) -> _Found:
    store = guarded(partial(candidate.build, namespace))
    return _Found(store, guarded(store.look))


def _write(entry: str, value: Secret, store: NativeStore, attempt: Attempt) -> None:
    safe_write.write(store, entry, value, attempt)


def _read(entry: str, store: NativeStore, _attempt: Attempt) -> Secret | None:
    return guarded(partial(store.get, entry))


def _erase(entry: str, store: NativeStore, attempt: Attempt) -> None:
    safe_write.erase(store, entry, attempt)
