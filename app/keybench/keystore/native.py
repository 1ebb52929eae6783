"""The system's keystore: which one is used where, and what Keybench needs of it.

Calls on one block and raise whatever they like. keyring's own choice is never asked: configuration files and
variables can point it at any class, also at one that drops what it is given or writes it to a plain file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from keybench.core.errors import KeystoreError
from keybench.core.secret import Secret
from keybench.keystore.calls import Attempt

#: The account under which every value is filed; the service name alone tells values apart.
ACCOUNT: Final = "api key"
#: What the keystores are called, as long as nothing more exact is found out.
SECRET_SERVICE: Final = "Secret Service"  # noqa: S105 - a name
MACOS: Final = "macOS Keychain"
WINDOWS: Final = "Windows Credential Locker"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a look at a native keystore showed."""

    name: str
    trouble: KeystoreError | None = None


class NativeStore(Protocol):
    """One of the system's keystores, used from one thread."""

    def look(self, attempt: Attempt, *, wake: bool) -> Sighting:
        """Find out whether it is there and open, without any prompt.

        Args:
            attempt: The call this belongs to.
            wake: Whether a program that the system starts on demand may be started for it.

        Raises:
            KeystoreMissing: It isn't there.
        """

    def has(self, entry: str, attempt: Attempt) -> bool:
        """Return whether there is a value under `entry`; may prompt."""

    def get(self, entry: str, attempt: Attempt) -> Secret | None:
        """Return the value under `entry`, or None; may prompt."""

    def put(self, entry: str, value: Secret, attempt: Attempt) -> None:
        """Write `value` under `entry`, over what is there; may prompt."""

    def erase(self, entry: str, attempt: Attempt) -> None:
        """Remove what is under `entry`; no error if nothing is; may prompt."""


@dataclass(frozen=True, slots=True)
class SystemStore:
    """The native keystore of a system, which needn't be there.

    Attributes:
        name: What it is called until it has been opened.
        build: Makes it for a namespace, without touching it. Imports its library only here.
    """

    name: str
    build: Callable[[str], NativeStore]


def service_name(namespace: str, entry: str) -> str:
    """Return the name a value is filed under: one for each, because Windows keeps one value a name."""
    return f"Keybench/{namespace}/{entry}"


def system_store(platform: str) -> SystemStore:
    """Return what to look for."""
    if platform == "darwin":
        return SystemStore(MACOS, _macos)
    if platform == "win32":
        return SystemStore(WINDOWS, _windows)
    # KDE Wallet serves secrets that way, too: kwalletd since 5.97, for which its own way isn't needed.
    return SystemStore(SECRET_SERVICE, _secret_service)


def _secret_service(namespace: str) -> NativeStore:
    from keybench.keystore.secret_service import SecretServiceStore  # noqa: PLC0415 - slow: on the thread

    screen = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return SecretServiceStore(namespace, prompts_visible=screen)


def _macos(namespace: str) -> NativeStore:
    from keyring.backends.macOS import Keyring  # noqa: PLC0415 - as above

    from keybench.keystore.keyring_store import KeyringStore  # noqa: PLC0415 - as above

    return KeyringStore(namespace, Keyring, MACOS)


def _windows(namespace: str) -> NativeStore:
    from keyring.backends.Windows import WinVaultKeyring  # noqa: PLC0415 - as above

    from keybench.keystore.keyring_store import KeyringStore  # noqa: PLC0415 - as above

    # Where a value exists, this backend saves it under a second name before it writes the new one.
    return KeyringStore(namespace, WinVaultKeyring, WINDOWS, erase_before_write=True)
