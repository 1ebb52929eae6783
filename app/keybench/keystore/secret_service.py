"""Values in the Secret Service of a Linux desktop: GNOME Keyring, KeePassXC, KDE Wallet.

The library behind keyring's own backend is used directly: that backend folds 'not there', 'locked' and
'dismissed' into few errors, and unlocks or creates a keyring even where one only wants to look.
Values carry keyring's attributes, so that its tools find them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from secretstorage import Collection, Item
from secretstorage.collection import COLLECTION_IFACE
from secretstorage.item import ITEM_IFACE
from secretstorage.util import format_secret

from keybench.core.errors import KeystoreDenied, KeystoreError, KeystoreLocked, KeystoreMissing, Lack
from keybench.core.secret import Secret
from keybench.keystore.calls import Attempt
from keybench.keystore.native import ACCOUNT, SECRET_SERVICE, Sighting, service_name
from keybench.keystore.secret_connection import SecretServiceConnection, is_nothing

_KDE: Final = "KDE Wallet"
# Each program also owns a name of its own on the bus, from the same connection.
_PROGRAMS: Final = (
    ("org.gnome.keyring", "GNOME Keyring"),
    ("org.keepassxc.KeePassXC.MainWindow", "KeePassXC"),
    ("org.kde.secretservicecompat", _KDE),
    ("org.kde.kwalletd6", _KDE),
    ("org.kde.kwalletd5", _KDE),
)
_WALLETS: Final = (
    ("org.kde.kwalletd6", "/modules/kwalletd6"),
    ("org.kde.kwalletd5", "/modules/kwalletd5"),
)


class SecretServiceStore:
    """Values in the default collection, over one connection for as long as the same program serves it.

    Args:
        namespace: The installation that values belong to.
        prompts_visible: Whether there is a screen on which a person would see a prompt. Without one
            gnome-keyring dismisses its own prompts at once, and that is nobody's refusal.
    """

    def __init__(self, namespace: str, *, prompts_visible: bool) -> None:
        self._namespace = namespace
        self._prompts_visible = prompts_visible
        self._connection: SecretServiceConnection | None = None

    def look(self, attempt: Attempt, *, wake: bool) -> Sighting:
        """Find out whether the service is there and its default collection is open, without a prompt."""
        with self._connected(attempt, wake=wake) as connection:
            name = _program(connection)
            return Sighting(name, self._trouble(connection, name))

    def has(self, entry: str, attempt: Attempt) -> bool:
        """Return whether there is an item of `entry`; it is found by its attributes, which ask nobody."""
        with self._connected(attempt) as connection:
            return bool(self._items(connection, entry, attempt))

    def get(self, entry: str, attempt: Attempt) -> Secret | None:
        """Return the value under `entry`, or None."""
        with self._connected(attempt) as connection:
            for item in self._items(connection, entry, attempt):
                self._unlock(connection, item, item.item_path, attempt)
                return Secret(item.get_secret().decode())
            return None

    def put(self, entry: str, value: Secret, attempt: Attempt) -> None:
        """Write `value` under `entry` in one step; have a collection made if there is none."""
        with self._connected(attempt) as connection:
            path = self._open(connection, attempt) or self._make_collection(connection, attempt)
            properties = {
                "org.freedesktop.Secret.Item.Label": ("s", f"Keybench: {entry}"),
                "org.freedesktop.Secret.Item.Attributes": ("a{ss}", self._attributes(entry)),
            }
            secret = format_secret(connection.session, value.reveal().encode(), "text/plain")
            _item, prompt = connection.at(path, COLLECTION_IFACE).call(
                "CreateItem", "a{sv}(oayays)b", properties, secret, True
            )
            self._finish(connection, prompt, attempt)

    def erase(self, entry: str, attempt: Attempt) -> None:
        """Remove every item of `entry`."""
        with self._connected(attempt) as connection:
            for item in self._items(connection, entry, attempt):
                (prompt,) = connection.at(item.item_path, ITEM_IFACE).call("Delete", "")
                self._finish(connection, prompt, attempt)

    @contextmanager
    def _connected(self, attempt: Attempt, *, wake: bool = True) -> Iterator[SecretServiceConnection]:
        """Yield the connection to the program that serves secrets now; find it where that has changed."""
        connection = self._connection
        if connection is None or not connection.serve(attempt):
            if connection is not None:
                connection.close()
            self._connection = None
            connection = SecretServiceConnection(attempt)
            try:
                connection.find(wake=wake)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        try:
            yield connection
        except BaseException:
            connection.hang_up_session()
            raise

    def _attributes(self, entry: str) -> dict[str, str]:
        return {"service": service_name(self._namespace, entry), "username": ACCOUNT}

    def _trouble(self, connection: SecretServiceConnection, name: str) -> KeystoreError | None:
        collection = _default_collection(connection)
        if collection is not None:
            locked = collection.is_locked() and not (name == _KDE and _wallet_is_open(connection))
            return KeystoreLocked("the default collection is locked") if locked else None
        if self._prompts_visible:
            return KeystoreLocked("there is no collection yet; the first write asks for its password")
        raise KeystoreMissing(Lack.SCREEN)

    def _items(self, connection: SecretServiceConnection, entry: str, attempt: Attempt) -> list[Item]:
        # KeePassXC finds nothing in a locked database, so it is opened first.
        self._open(connection, attempt)
        collection = _default_collection(connection)
        if collection is None:
            return []
        collection.session = connection.session
        return list(collection.search_items(self._attributes(entry)))

    def _open(self, connection: SecretServiceConnection, attempt: Attempt) -> str:
        """Return the path of the default collection, unlocked, or nothing if there is none."""
        collection = _default_collection(connection)
        if collection is None:
            return ""
        self._unlock(connection, collection, collection.collection_path, attempt)
        return collection.collection_path

    def _make_collection(self, connection: SecretServiceConnection, attempt: Attempt) -> str:
        label = {"org.freedesktop.Secret.Collection.Label": ("s", "Default")}
        path, prompt = connection.service.call("CreateCollection", "a{sv}s", label, "default")
        return str(self._finish(connection, prompt, attempt) or path)

    def _unlock(
        self, connection: SecretServiceConnection, thing: Collection | Item, path: str, attempt: Attempt
    ) -> None:
        """Unlock a collection or an item; waits for the person if that takes a prompt.

        An open KDE wallet is unlocked, too, by a prompt that asks nobody.
        """
        if not thing.is_locked():
            return
        _unlocked, prompt = connection.service.call("Unlock", "ao", [path])
        self._finish(connection, prompt, attempt)
        if thing.is_locked():
            raise self._refusal()

    def _finish(self, connection: SecretServiceConnection, prompt: str, attempt: Attempt) -> object:
        """Run the prompt that a call answered with, if it did, and return what that gave."""
        if is_nothing(prompt):
            return None
        dismissed, result = connection.ask(prompt, attempt)
        if dismissed:
            raise self._refusal()
        return result

    def _refusal(self) -> KeystoreError:
        if self._prompts_visible:
            return KeystoreDenied("the prompt was dismissed")
        return KeystoreLocked("there is no screen for a prompt")


def _default_collection(connection: SecretServiceConnection) -> Collection | None:
    (path,) = connection.service.call("ReadAlias", "s", "default")
    return None if is_nothing(path) else Collection(connection.connection, path)


def _program(connection: SecretServiceConnection) -> str:
    """Return what people call the program that serves secrets on this bus."""
    return next((program for name, program in _PROGRAMS if connection.owns(name)), SECRET_SERVICE)


def _wallet_is_open(connection: SecretServiceConnection) -> bool:
    """Return whether KDE's wallet is open: its collection reads as locked until somebody unlocks that.

    kwalletd learns of an open wallet for its collection only by a prompt of its own, which then asks nobody
    (kwalletfreedesktopprompt.cpp and kwalletfreedesktopcollection.cpp of KDE's kwallet).
    """
    for name, path in _WALLETS:
        if connection.has(name):
            wallets = connection.at(path, "org.kde.KWallet", name)
            (wallet,) = wallets.call("networkWallet", "")
            return bool(wallets.call("isOpen", "s", wallet)[0])
    return False
