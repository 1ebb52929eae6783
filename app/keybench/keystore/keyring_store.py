"""Values in a native keystore that is reached through one of keyring's backends."""

from __future__ import annotations

import types
from contextlib import suppress
from typing import Any

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from keybench.core.errors import KeystoreMissing
from keybench.core.secret import Secret
from keybench.keystore.calls import Attempt
from keybench.keystore.native import ACCOUNT, Sighting, service_name


class KeyringStore:
    """Values in one keyring backend, chosen by us.

    Args:
        namespace: The installation that values belong to.
        backend: The backend's class; made when first needed, without the properties that keyring would
            take from the environment.
        name: What the keystore behind it is called.
        erase_before_write: A write over an existing value would leave a copy of the old one behind.
    """

    def __init__(
        self, namespace: str, backend: type[KeyringBackend], name: str, *, erase_before_write: bool = False
    ) -> None:
        self._namespace = namespace
        self._name = name
        self._erase_before_write = erase_before_write
        self._class = backend
        self._made: KeyringBackend | None = None

    def look(self, attempt: Attempt, *, wake: bool) -> Sighting:  # noqa: ARG002 - it asks its own class only
        """Find out whether the backend can work here.

        Whether it is locked shows only when a value is asked for.
        """
        with suppress(RuntimeError):  # keyring's protocol: `priority` raises it where a backend can't work
            if self._class.priority > 0:
                return Sighting(self._name)
        raise KeystoreMissing(f"{self._class.__name__} can't work here")

    def has(self, entry: str, attempt: Attempt) -> bool:
        """Return whether there is a value under `entry`."""
        return self.get(entry, attempt) is not None

    def get(self, entry: str, attempt: Attempt) -> Secret | None:  # noqa: ARG002 - a backend can't be stopped
        """Return the value under `entry`, or None."""
        text = self._backend().get_password(service_name(self._namespace, entry), ACCOUNT)
        return None if text is None else Secret(text)

    def put(self, entry: str, value: Secret, attempt: Attempt) -> None:
        """Write `value` under `entry`."""
        service = service_name(self._namespace, entry)
        if self._erase_before_write:
            self.erase(entry, attempt)
        self._backend().set_password(service, ACCOUNT, value.reveal())

    def erase(self, entry: str, attempt: Attempt) -> None:
        """Remove what is under `entry`; a backend's complaint that nothing was there is no error."""
        try:
            self._backend().delete_password(service_name(self._namespace, entry), ACCOUNT)
        except PasswordDeleteError:
            if self.get(entry, attempt) is not None:
                raise

    def _backend(self) -> KeyringBackend:
        if self._made is None:
            self._made = _without_environment(self._class)
        return self._made


def _without_environment(backend: type[KeyringBackend]) -> KeyringBackend:
    """Make a backend that doesn't take properties from variables named KEYRING_PROPERTY_…."""

    def leave_environment(_self: KeyringBackend) -> None:
        """Take nothing."""

    members: dict[str, Any] = {
        "set_properties_from_env": leave_environment,
        "__module__": backend.__module__,
    }
    plain: type[KeyringBackend] = types.new_class(
        backend.__name__, (backend,), exec_body=lambda space: space.update(members)
    )
    return plain()
