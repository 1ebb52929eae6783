"""What the keystore's room asks of one native keystore; its calls block and raise whatever they like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from keybench.core.errors import KeystoreError
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


class NativeStore(Protocol):
    """One of the system's keystores, used from one thread."""

    @property
    def traits(self) -> Traits:
        """Return its recorded limits and habits."""
        ...

    def look(self) -> Sighting:
        """Find out whether it is there and open, without any prompt.

        Raises:
            KeystoreMissing: It isn't there.
        """
        ...

    def get(self, entry: str) -> Secret | None:
        """Return the value under `entry`, or None; may prompt."""
        ...

    def put(self, entry: str, value: Secret) -> None:
        """Write `value` under `entry`, over what is there; may prompt."""
        ...

    def erase(self, entry: str) -> None:
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
