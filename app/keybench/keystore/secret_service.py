"""Values in the Secret Service of a Linux desktop: GNOME Keyring, KeePassXC, KDE Wallet.

The library behind keyring's own backend is used directly: that backend folds 'not there', 'locked' and
'dismissed' into few errors, and unlocks or creates a keyring even where one only wants to look.
Values carry keyring's attributes, so that its tools find them.
"""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final

from keybench.core.errors import KeystoreDenied, KeystoreError, KeystoreLocked, KeystoreMissing
from keybench.core.secret import Secret
from keybench.keystore.native import ACCOUNT, Sighting, service_name
from keybench.keystore.traits import SECRET_SERVICE, Traits

if TYPE_CHECKING:
    from jeepney.io.blocking import DBusConnection  # type: ignore[import-untyped]  # it ships no types
    from secretstorage import Collection, Item
    from secretstorage.util import DBusAddressWrapper

_SERVICE: Final = "org.freedesktop.secrets"
# Each program also owns a name of its own on the bus, from the same connection.
_PROGRAMS: Final = (
    ("org.gnome.keyring", "GNOME Keyring"),
    ("org.keepassxc.KeePassXC.MainWindow", "KeePassXC"),
    ("org.kde.secretservicecompat", "KDE Wallet"),
    ("org.kde.kwalletd6", "KDE Wallet"),
    ("org.kde.kwalletd5", "KDE Wallet"),
)


class SecretServiceStore:
    """Values in the default collection; a connection to the session bus for each call.

    Args:
        namespace: The installation that values belong to.
        prompts_visible: Whether there is a screen on which a person would see a prompt. Without one
            gnome-keyring dismisses its own prompts at once, and that is nobody's refusal.
    """

    def __init__(self, namespace: str, *, prompts_visible: bool) -> None:
        self._namespace = namespace
        self._prompts_visible = prompts_visible

    @property
    def traits(self) -> Traits:
        """Return the Secret Service's recorded facts."""
        return SECRET_SERVICE

    def look(self) -> Sighting:
        """Find out whether the service is there and its default collection is open, without a prompt.

        Raises:
            KeystoreMissing: There is no bus or no service, or no collection and no way to make one.
        """
        import secretstorage  # noqa: PLC0415 - slow: the window comes first

        with closing(_connect()) as connection:
            if not secretstorage.check_service_availability(connection):
                raise KeystoreMissing("no Secret Service on the bus")
            trouble = self._trouble(connection)
            return Sighting(_program(connection), trouble)

    def get(self, entry: str) -> Secret | None:
        """Return the value under `entry`, or None."""
        with closing(_connect()) as connection:
            collection = self._open(connection)
            for item in () if collection is None else collection.search_items(self._attributes(entry)):
                self._unlock(item)
                return Secret(item.get_secret().decode())
            return None

    def put(self, entry: str, value: Secret) -> None:
        """Write `value` under `entry` in one step; have a collection made if there is none."""
        import secretstorage  # noqa: PLC0415 - slow: the window comes first

        with closing(_connect()) as connection:
            collection = self._open(connection)
            try:
                if collection is None:
                    collection = secretstorage.create_collection(connection, "Default", "default")
                collection.create_item(
                    f"Keybench: {entry}", self._attributes(entry), value.reveal().encode(), replace=True
                )
            except secretstorage.PromptDismissedException:
                refusal = self._refusal()
            else:
                return
            raise refusal

    def erase(self, entry: str) -> None:
        """Remove every item of `entry`."""
        with closing(_connect()) as connection:
            collection = self._open(connection)
            items = () if collection is None else collection.search_items(self._attributes(entry))
            for item in list(items):
                self._unlock(item)
                item.delete()

    def _attributes(self, entry: str) -> dict[str, str]:
        return {"service": service_name(self._namespace, entry), "username": ACCOUNT}

    def _trouble(self, connection: DBusConnection) -> KeystoreError | None:
        collection = _default_collection(connection)
        if collection is not None:
            return KeystoreLocked("the default collection is locked") if collection.is_locked() else None
        if self._prompts_visible:
            return KeystoreLocked("there is no collection yet; the first write asks for its password")
        raise KeystoreMissing("no collection, and no screen for the prompt that would make one")

    def _open(self, connection: DBusConnection) -> Collection | None:
        """Return the default collection, unlocked, or None if there is none."""
        collection = _default_collection(connection)
        if collection is not None:
            self._unlock(collection)
        return collection

    def _unlock(self, thing: Collection | Item) -> None:
        """Unlock a collection or an item; waits for the person if that takes a prompt."""
        if thing.is_locked() and (thing.unlock() or thing.is_locked()):
            raise self._refusal()

    def _refusal(self) -> KeystoreError:
        if self._prompts_visible:
            return KeystoreDenied("the prompt was dismissed")
        return KeystoreLocked("there is no screen for a prompt")


def _connect() -> DBusConnection:
    """Return a new connection to the session bus.

    Raises:
        KeystoreMissing: The address names none, or a socket that isn't there.
    """
    import secretstorage  # noqa: PLC0415 - slow: the window comes first

    try:
        return secretstorage.dbus_init()
    except (FileNotFoundError, RuntimeError):
        raise KeystoreMissing("no session bus") from None


def _default_collection(connection: DBusConnection) -> Collection | None:
    import secretstorage  # noqa: PLC0415 - slow: the window comes first

    with suppress(secretstorage.ItemNotFoundException):
        return secretstorage.get_collection_by_alias(connection, "default")
    return None


def _program(connection: DBusConnection) -> str:
    """Return what people call the program that serves secrets on this bus."""
    from secretstorage.util import DBusAddressWrapper  # noqa: PLC0415 - slow: the window comes first

    bus = DBusAddressWrapper("/org/freedesktop/DBus", "org.freedesktop.DBus", connection)
    bus.bus_name = "org.freedesktop.DBus"
    server = _owner(bus, _SERVICE)
    for name, program in _PROGRAMS:
        if server and _owner(bus, name) == server:
            return program
    return SECRET_SERVICE.name


def _owner(bus: DBusAddressWrapper, name: str) -> str:
    if not bus.call("NameHasOwner", "s", name)[0]:
        return ""
    return str(bus.call("GetNameOwner", "s", name)[0])
