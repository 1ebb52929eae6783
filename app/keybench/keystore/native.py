"""What the keystore's room asks of one native keystore; its calls block and raise whatever they like."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from keybench.core.errors import KeystoreDenied, KeystoreError
from keybench.core.secret import Secret
from keybench.keystore.traits import Traits

#: The account under which every value is filed; the service name alone tells values apart.
ACCOUNT: Final = "api key"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a look at a native keystore showed.

    Attributes:
        name: What people call it.
        trouble: Why its values can't be reached at the moment, or None.
    """

    name: str
    trouble: KeystoreError | None = None


def _tell_nobody(_asking: bool) -> None:  # noqa: FBT001 - the callback's shape
    """Tell nobody that a person is asked."""


class Attempt:
    """One call on the keystore's thread: what its caller and the thread have to know of one another.

    Args:
        limit_s: How long the keystore may be silent, in seconds. A question to a person is no silence.
        on_asking: Called on the thread when a person is asked (True) and when that is over (False).
    """

    def __init__(self, limit_s: float, on_asking: Callable[[bool], None] = _tell_nobody) -> None:
        self.limit_s = limit_s
        self._on_asking = on_asking
        self._given_up = threading.Event()
        self._withdrawn = threading.Event()
        self._asking = False
        self._heard = time.monotonic()

    @property
    def asking(self) -> bool:
        """Whether a person is being asked."""
        return self._asking

    @property
    def patience_s(self) -> float:
        """For how many seconds it may yet be silent."""
        return self.limit_s if self._asking else self._heard + self.limit_s - time.monotonic()

    def given_up(self) -> bool:
        """Tell whether nobody waits for the call any more; one that hung must not take effect later."""
        return self._given_up.is_set()

    def give_up(self) -> None:
        """Say that nobody waits any more; harmless once the call is over."""
        self._given_up.set()
        self._withdrawn.set()

    def withdraw(self) -> None:
        """Take back the question to the person, and ask no other."""
        self._withdrawn.set()

    def withdrawn(self) -> bool:
        """Tell whether the person is to be asked no longer."""
        return self._withdrawn.is_set()

    def heard(self) -> None:
        """Note that the keystore has just answered."""
        self._heard = time.monotonic()

    @contextmanager
    def question(self) -> Iterator[None]:
        """Let everybody know that a person is being asked for as long as the block lasts.

        Raises:
            KeystoreDenied: Nobody is to be asked any more.
        """
        if self.withdrawn():
            raise KeystoreDenied("nobody is to be asked")
        self._asking = True
        self._on_asking(True)
        try:
            yield
        finally:
            self.heard()
            self._asking = False
            self._on_asking(False)


class NativeStore(Protocol):
    """One of the system's keystores, used from one thread."""

    @property
    def traits(self) -> Traits:
        """Return its recorded limits and habits."""
        ...

    def look(self, attempt: Attempt, *, wake: bool) -> Sighting:
        """Find out whether it is there and open, without any prompt.

        Args:
            attempt: The call this belongs to.
            wake: Whether a program that the system starts on demand may be started for it.

        Raises:
            KeystoreMissing: It isn't there.
        """
        ...

    def has(self, entry: str, attempt: Attempt) -> bool:
        """Tell whether there is a value under `entry`; may prompt."""
        ...

    def get(self, entry: str, attempt: Attempt) -> Secret | None:
        """Return the value under `entry`, or None; may prompt."""
        ...

    def put(self, entry: str, value: Secret, attempt: Attempt) -> None:
        """Write `value` under `entry`, over what is there; may prompt."""
        ...

    def erase(self, entry: str, attempt: Attempt) -> None:
        """Remove what is under `entry`; no error if nothing is; may prompt."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A native keystore that may be on this system.

    Attributes:
        traits: Its recorded facts; the name stands in until it has been opened.
        build: Makes it for a namespace, without touching it. Imports its library only here.

    """

    traits: Traits
    build: Callable[[str], NativeStore]


def service_name(namespace: str, entry: str) -> str:
    """Return the name a value is filed under: one for each, because Windows keeps one value a name."""
    return f"Keybench/{namespace}/{entry}"
