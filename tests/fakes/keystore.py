"""A keystore for tests of what uses one: keeps values in memory and fails on request."""

from __future__ import annotations

from collections.abc import Sequence

from keybench.core.errors import KeystoreError, KeystoreMissing, ValueLost
from keybench.core.ports import KeystoreStatus
from keybench.core.secret import Secret
from keybench.keystore.os_keystore import MEMORY
from keybench.keystore.safe_write import check_fits


class FakeKeystore:
    """Implements `core.ports.Keystore` in memory, and fails as told.

    Attributes:
        name: What its status calls it.
        durable: Whether its status says that values outlive the run.
        failure: Raised by every read, write and erase while it is set; the status has it as its trouble.
        failures: The same for single entries, such as one that is locked, denied or never answered.
        in_memory: Whether memory was chosen over a failing keystore, so that nothing is raised.
        asking: Whether its status says that it asks a person.
        stopped: How often that was taken back.
        calls: What was asked for, in order: (``write``, entry) and so on; never a value.
    """

    def __init__(self, name: str = "Fake Keyring", *, durable: bool = True) -> None:
        self._values: dict[str, Secret] = {}
        self.name = name
        self.durable = durable
        self.failure: KeystoreError | None = None
        self.failures: dict[str, KeystoreError] = {}
        self.in_memory = False
        self.asking = False
        self.stopped = 0
        self.calls: list[tuple[str, str]] = []

    @property
    def status(self) -> KeystoreStatus:
        if self.in_memory:
            return KeystoreStatus(MEMORY, durable=False, trouble=self.failure)
        return KeystoreStatus(self.name, self.durable, self.failure, self.asking)

    @property
    def entries(self) -> Sequence[str]:
        """The names under which it has values."""
        return tuple(self._values)

    @property
    def memory_only(self) -> Sequence[str]:
        """Those that end with the run."""
        return () if self.status.durable else self.entries

    async def probe(self) -> KeystoreStatus:
        self.in_memory = False
        return self.status

    async def refresh(self) -> KeystoreStatus:
        return self.status

    def stop_asking(self) -> None:
        self.stopped += 1
        self.asking = False

    def use_memory(self) -> KeystoreStatus:
        self.in_memory = self.failure is not None
        return self.status

    async def write(self, entry: str, value: Secret) -> None:
        self._note("write", entry)
        check_fits(value)
        self._values[entry] = value

    async def read(self, entry: str) -> Secret:
        self._note("read", entry)
        if entry not in self._values:
            self._raise_if_out_of_reach()
            raise ValueLost("not in memory")
        return self._values[entry]

    async def erase(self, entry: str) -> None:
        self._note("erase", entry)
        if entry not in self._values:
            self._raise_if_out_of_reach()
        self._values.pop(entry, None)

    async def put_back(self, entry: str, value: Secret | None) -> None:
        self.calls.append(("put back", entry))
        if value is None:
            self._values.pop(entry, None)
        else:
            self._values[entry] = value

    def lose(self, entry: str) -> None:
        """Take an entry away, as another program may."""
        del self._values[entry]

    def change(self, entry: str, value: Secret) -> None:
        """Put another value under an entry, as another program may."""
        self._values[entry] = value

    def _raise_if_out_of_reach(self) -> None:
        """Where memory was chosen, raise why nobody can tell whether the keystore has the value."""
        if self.in_memory and self.failure and not isinstance(self.failure, KeystoreMissing):
            raise self.failure

    def _note(self, call: str, entry: str) -> None:
        self.calls.append((call, entry))
        failure = self.failure or self.failures.get(entry)
        if failure is not None and not self.in_memory:
            raise failure
