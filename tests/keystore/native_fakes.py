"""Native keystores by hand: two backends with the habits of Windows and macOS, and one that misbehaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import ClassVar, Final

import pytest
from keyring.backend import KeyringBackend
from keyring.backends import Windows, macOS
from keyring.errors import PasswordDeleteError, PasswordSetError

from keybench.core.errors import KeystoreMissing
from keybench.core.secret import Secret
from keybench.keystore.calls import Attempt
from keybench.keystore.native import SECRET_SERVICE, NativeStore, Sighting, SystemStore, system_store
from keybench.keystore.os_keystore import OsKeystore


def through_macos(backend: type[KeyringBackend]) -> SystemStore:
    """Return what Keybench uses on macOS, with this backend's class in place of the Keychain's."""
    return _through("darwin", macOS, "Keyring", backend)


def through_windows(backend: type[KeyringBackend]) -> SystemStore:
    """Return what Keybench uses on Windows, with this backend's class in place of the Locker's."""
    return _through("win32", Windows, "WinVaultKeyring", backend)


def _through(platform: str, module: ModuleType, name: str, backend: type[KeyringBackend]) -> SystemStore:
    system = system_store(platform)

    def build(namespace: str) -> NativeStore:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, name, backend)
            return system.build(namespace)

    return SystemStore(system.name, build)


def _nothing_there(_namespace: str) -> NativeStore:
    raise KeystoreMissing("nothing is there")


NOTHING: Final = SystemStore("nothing", _nothing_there)


class Win32Error(Exception):
    """Looks like pywintypes.error, which carries a code and the name of the call."""

    def __init__(self, winerror: int, funcname: str, strerror: str) -> None:
        super().__init__(winerror, funcname, strerror)
        self.winerror = winerror


class WindowsLike(KeyringBackend):
    """One value a target name, 2,560 bytes each; an overwritten one is saved under a second name."""

    priority = 5
    targets: ClassVar[dict[str, tuple[str, bytes]]]

    def get_password(self, service: str, username: str) -> str | None:
        found = self.targets.get(service)
        if found is None or found[0] != username:
            found = self.targets.get(f"{username}@{service}")
        return None if found is None else found[1].decode("utf-16-le")

    def set_password(self, service: str, username: str, password: str) -> None:
        blob = password.encode("utf-16-le")
        if len(blob) > 2_560:
            raise Win32Error(1783, "CredWrite", f"The stub received bad data: {password}")
        if service in self.targets:
            before = self.targets[service]
            self.targets[f"{before[0]}@{service}"] = before
        self.targets[service] = (username, blob)

    def delete_password(self, service: str, username: str) -> None:
        names = [name for name in (service, f"{username}@{service}") if name in self.targets]
        for name in names:
            del self.targets[name]
        if not names:
            raise PasswordDeleteError(service)


class MacError(Exception):
    """Looks like the base of the errors in keyring's macOS module."""


MacError.__module__ = "keyring.backends.macOS.api"


class MacOsLike(KeyringBackend):
    """A set is a delete and an add, and the add can fail when the delete is done."""

    priority = 5
    items: ClassVar[dict[tuple[str, str], str]]
    failing_adds: ClassVar[list[int]]

    def get_password(self, service: str, username: str) -> str | None:
        return self.items.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.items.pop((service, username), None)
        if self.failing_adds:
            raise PasswordSetError(f"Can't store {password}") from MacError(self.failing_adds.pop(), password)
        self.items[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.items.pop((service, username), None) is None:
            raise PasswordDeleteError("Item not found")


def windows_like() -> type[WindowsLike]:
    """Return a backend's class with an empty locker of its own."""

    class Fresh(WindowsLike):
        targets: ClassVar[dict[str, tuple[str, bytes]]] = {}

    return Fresh


def macos_like() -> type[MacOsLike]:
    """Return a backend's class with an empty keychain of its own."""

    class Fresh(MacOsLike):
        items: ClassVar[dict[tuple[str, str], str]] = {}
        failing_adds: ClassVar[list[int]] = []

    return Fresh


def nothing() -> None:
    """Do nothing before a call."""


class ScriptedStore:
    """A native keystore that keeps values and can be told to misbehave.

    Attributes:
        values: What it has, by namespace and entry.
        sighting: What a look shows.
        before: Called at the start of each call by its name (``look``, ``has``, ``get``, ``put``, ``erase``).
        after_put: Called when a value has been kept.
        tamper: Applied to every text on its way in; returning None drops it.
        asked: The calls in order.
        attempt: The latest call's.
    """

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.sighting = Sighting("Scripted Keyring")
        self.before: dict[str, Callable[[], None]] = {}
        self.after_put: Callable[[], None] = nothing
        self.tamper: Callable[[str], str | None] = str
        self.asked: list[str] = []
        self.attempt = Attempt(3.0)

    @property
    def system_store(self) -> SystemStore:
        """Make it the system's, for one namespace."""
        return SystemStore(SECRET_SERVICE, lambda _namespace: self)

    def misbehave(self, action: Callable[[], None], *calls: str) -> None:
        """Do `action` at the start of the named calls, or of all but the look."""
        for call in calls or ("has", "get", "put", "erase"):
            self.before[call] = action

    def behave(self) -> None:
        """Misbehave no more."""
        self.before.clear()

    def look(self, attempt: Attempt, *, wake: bool) -> Sighting:
        self.attempt = attempt
        self._begin("look")
        return self.sighting

    def has(self, entry: str, attempt: Attempt) -> bool:
        self.attempt = attempt
        self._begin("has")
        return entry in self.values

    def get(self, entry: str, attempt: Attempt) -> Secret | None:
        self.attempt = attempt
        self._begin("get")
        text = self.values.get(entry)
        return None if text is None else Secret(text)

    def put(self, entry: str, value: Secret, attempt: Attempt) -> None:
        self.attempt = attempt
        password = value.reveal()  # a local that a careless traceback would show
        self._begin("put")
        text = self.tamper(password)
        if text is not None:
            self.values[entry] = text
        self.after_put()

    def erase(self, entry: str, attempt: Attempt) -> None:
        self.attempt = attempt
        self._begin("erase")
        self.values.pop(entry, None)

    def _begin(self, call: str) -> None:
        self.asked.append(call)
        self.before.get(call, nothing)()


def raising(error: BaseException) -> Callable[[], None]:
    """Return an action that raises `error`."""

    def fail() -> None:
        raise error

    return fail


@contextmanager
def impatient(keystore: OsKeystore, limit_s: float = 0.1) -> Iterator[None]:
    """Let a keystore wait for a short while only, where a call hangs; others may take longer."""
    usual, keystore._calls.limit_s = keystore._calls.limit_s, limit_s
    yield
    keystore._calls.limit_s = usual


def hanging(until: threading.Event, began: threading.Event | None = None) -> Callable[[], None]:
    """Return an action that doesn't come back before the event; `began` is set when it starts."""

    def hang() -> None:
        if began is not None:
            began.set()
        until.wait()

    return hang
