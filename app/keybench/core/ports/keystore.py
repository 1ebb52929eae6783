"""Where values are kept, as a protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from keybench.core.errors import KeystoreError
from keybench.core.secret import Secret
from keybench.core.security_key import SecurityKey


@dataclass(frozen=True, slots=True)
class KeystoreStatus:
    """Where values are kept at the moment.

    Attributes:
        name: What people call it (``GNOME Keyring``, ``this session's memory``, …).
        durable: Whether values outlive this run.
        trouble: Why the system's keystore isn't in use, or None.
        asking: Whether it waits for a person to answer a question of its own.
    """

    name: str
    durable: bool
    trouble: KeystoreError | None = None
    asking: bool = False


class Keystore(Protocol):
    """Values at rest. Every method may raise a KeystoreError and nothing else."""

    @property
    def status(self) -> KeystoreStatus:
        """The last known status; cheap, never touches the system."""
        ...

    async def probe(self) -> KeystoreStatus:
        """Look at the system's keystore (again) and choose where values are kept from now on."""
        ...

    async def refresh(self) -> KeystoreStatus:
        """Look whether something has changed, without starting a program or asking a person.

        A person who chose memory keeps it until the system's keystore can be used.
        """
        ...

    def stop_asking(self) -> None:
        """Wait no longer for the answer to the keystore's question: what asked for it fails as denied."""
        ...

    def use_memory(self) -> KeystoreStatus:
        """Keep values in memory until the keystore can be used, because the person would rather not wait.

        A keystore that is open stays in use: there is nothing to wait for.
        """
        ...

    async def write(self, entry: str, value: Secret) -> None:
        """Keep `value` under `entry`, read it back and compare; on failure the entry is as it was."""
        ...

    async def read(self, entry: str) -> Secret:
        """Return the value under `entry`.

        Raises:
            ValueLost: There is none.
        """
        ...

    async def erase(self, entry: str) -> None:
        """Make sure nothing is under `entry`; no error if nothing was."""
        ...

    async def put_back(self, entry: str, value: Secret | None) -> None:
        """Undo a write whose other half failed: now, or as soon as the keystore can be reached again.

        Raises nothing: the failure before it is what a person is told. What still is to be undone is known
        to this program only, so whoever wants it undone after a crash has planned the write in the journal.

        Args:
            entry: Which.
            value: What was there before the write, or None.
        """
        ...


def entry_of(key: SecurityKey) -> str:
    """Return the name of the keystore entry that holds the value of `key`."""
    return f"{key.environment_id}/{key.id}"
