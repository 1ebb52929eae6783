"""A real keyring, and the troubles that come over one behind a program's back."""

from __future__ import annotations

import enum
import signal
import subprocess
from collections.abc import Callable
from contextlib import closing
from typing import Final

import secretstorage

from keybench.keystore.native import ACCOUNT, service_name
from keystore.buses import Bus, stop

ANOTHER: Final = b"MadeUpByAnotherProgram0123456789"


class Trouble(enum.StrEnum):
    """What can be wrong with a keyring."""

    LOCKED = "locked"
    MISSING = "gone"
    SILENT = "silent"
    LOST = "entry lost"
    OTHER = "entry changed"


class Keyring:
    """A GNOME Keyring on a bus of its own; each trouble is made as it comes about, and mended so."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._daemon: subprocess.Popen[bytes] = bus.start_keyring(unlocked=True)
        self.trouble: Trouble | None = None

    def befall(self, trouble: Trouble, service: str = "") -> None:
        """Let a trouble come; `service` is the item that is lost or changed."""
        self.trouble = trouble
        match trouble:
            case Trouble.LOCKED:
                self._bus.lock()
            case Trouble.MISSING:
                stop(self._daemon)
            case Trouble.SILENT:
                self._daemon.send_signal(signal.SIGSTOP)
            case Trouble.LOST:
                self.clear(service)
            case Trouble.OTHER:
                self._change(service, lambda item: item.set_secret(ANOTHER))

    def mend(self) -> None:
        """Bring the keyring back; a value has to be given anew by whoever has it."""
        trouble, self.trouble = self.trouble, None
        match trouble:
            case Trouble.LOCKED:
                self._bus.unlock()
            case Trouble.MISSING:
                self._daemon = self._bus.start_keyring(unlocked=True)
            case Trouble.SILENT:
                self._daemon.send_signal(signal.SIGCONT)

    def services(self, namespace: str) -> set[str]:
        """Return the names of an installation's items."""
        prefix = service_name(namespace, "")
        with closing(self._bus.connect()) as connection:
            items = secretstorage.get_default_collection(connection).get_all_items()
            names = {item.get_attributes().get("service", "") for item in items}
        return {name for name in names if name.startswith(prefix)}

    def clear(self, service: str) -> None:
        """Delete an item."""
        self._change(service, lambda item: item.delete())

    def _change(self, service: str, change: Callable[[secretstorage.Item], object]) -> None:
        with closing(self._bus.connect()) as connection:
            collection = secretstorage.get_default_collection(connection)
            (item,) = collection.search_items({"service": service, "username": ACCOUNT})
            change(item)
