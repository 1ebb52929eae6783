"""Values in this session's memory: where there is no keystore, and wherever one is stood in for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from keybench.core.errors import KeystoreError, ValueLost
from keybench.core.ports import KeystoreStatus
from keybench.core.secret import Secret
from keybench.core.security_key import VALUE_LIMIT
from keybench.keystore.safe_write import check_fits

MEMORY: Final = "this session's memory"


class MemoryKeystore:
    """A keystore whose values end with the program; never a file."""

    def __init__(self) -> None:
        self._values: dict[str, Secret] = {}

    def __repr__(self) -> str:
        return f"<MemoryKeystore with {len(self._values)} values>"

    @property
    def status(self) -> KeystoreStatus:
        """Return what it always is: not durable, and without trouble of its own."""
        return kept_in_memory()

    @property
    def entries(self) -> Sequence[str]:
        """Return the names under which it has values."""
        return tuple(self._values)

    async def probe(self) -> KeystoreStatus:
        """Return the status; there is nothing to look at."""
        return self.status

    async def refresh(self) -> KeystoreStatus:
        """Return the status; nothing changes."""
        return self.status

    def stop_asking(self) -> None:
        """Do nothing: nobody is asked."""

    def use_memory(self) -> KeystoreStatus:
        """Return the status; there is nowhere else to keep values."""
        return self.status

    async def write(self, entry: str, value: Secret) -> None:
        """Keep `value` under `entry`.

        Raises:
            ValueTooLong: The system's keystores couldn't keep it.
        """
        check_fits(value, VALUE_LIMIT)
        self._values[entry] = value

    async def read(self, entry: str) -> Secret:
        """Return the value under `entry`.

        Raises:
            ValueLost: There is none.
        """
        value = self._values.get(entry)
        if value is None:
            raise ValueLost("not in memory")
        return value

    async def erase(self, entry: str) -> None:
        """Forget what is under `entry`; no error if nothing is."""
        self._values.pop(entry, None)

    async def put_back(self, entry: str, value: Secret | None) -> None:
        """Keep what was under `entry` before, or nothing."""
        if value is None:
            self._values.pop(entry, None)
        else:
            self._values[entry] = value


def kept_in_memory(trouble: KeystoreError | None = None) -> KeystoreStatus:
    """Return the status of values in memory, with why they aren't in the system's keystore."""
    return KeystoreStatus(MEMORY, durable=False, trouble=trouble)
