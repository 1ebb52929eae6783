"""A connection to the program that serves secrets: every answer has a limit, a person's answer has none.

Seen with D-Bus monitors (KeePassXC 2.7.4, kwalletd 5.103, gnome-keyring 42.1): each of them asks a person by
a Prompt object of the Secret Service API (0.2). Its method Prompt answers at once, and the signal Completed
comes when the person has answered. So a call that isn't answered is silence, and a prompt that hasn't
completed waits for a person.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from contextlib import suppress
from socket import socket as Socket  # noqa: N812 - a class, whatever its name
from typing import Any, Final

from jeepney import (
    DBusErrorResponse,
    MatchRule,
    Message,
    message_bus,
)
from jeepney.bus import get_bus
from jeepney.io.blocking import (
    DBusConnection,
    Proxy,
    prep_socket,
)
from secretstorage.defines import ALGORITHM_PLAIN, SS_PATH
from secretstorage.dhcrypto import Session
from secretstorage.exceptions import SecretStorageException
from secretstorage.util import (
    BUS_NAME,
    PROMPT_IFACE,
    SERVICE_IFACE,
    DBusAddressWrapper,
    add_match_rules,
    open_session,
)

from keybench.core.errors import KeystoreDenied, KeystoreMissing, Lack
from keybench.keystore.calls import Attempt
from keybench.runtime.system import session_bus_address

#: How long a prompt has to complete before it counts as one for a person, in seconds: KeePassXC makes a new
#: entry, and KDE Wallet opens a wallet that is open, by prompts that complete within milliseconds and ask
#: nobody.
_UNASKED_S: Final = 0.3
#: How often a waiting call looks whether it is still to wait, in seconds.
_TURN_S: Final = 0.2
_NOTHING: Final = "/"
_GNOME_KEYRING: Final = "org.gnome.keyring"
_KDE_WALLETS: Final = ("org.kde.secretservicecompat", "org.kde.kwalletd6", "org.kde.kwalletd5")
_OWNER_CHANGED: Final = MatchRule(
    type="signal", sender="org.freedesktop.DBus", interface="org.freedesktop.DBus", member="NameOwnerChanged"
)
_OWNER_CHANGED.add_arg_condition(0, BUS_NAME)


class _Connection(DBusConnection):  # type: ignore[misc]  # see above
    """A connection on which no answer is waited for longer than the limit."""

    def __init__(self, socket: Socket, attempt: Attempt) -> None:
        self.attempt = attempt
        super().__init__(socket)  # it says Hello

    def send_and_get_reply(self, message: Message, *, timeout: float | None = None) -> Message:
        limit_s = self.attempt.limit_s if timeout is None else timeout
        answer = super().send_and_get_reply(message, timeout=limit_s)
        self.attempt.answered()
        return answer


class SecretServiceConnection:
    """A connection to the program that owns the Secret Service's name, and a session with it.

    It is kept for as long as the program is the same: KeePassXC knows a client by its connection. It asks
    about an entry once for each, and never about one that was made on it.

    Raises:
        KeystoreMissing: There is no session bus.
        TimeoutError: The bus gives no answer.
    """

    def __init__(self, attempt: Attempt) -> None:
        self.connection = _connected(attempt)
        self._hang_up = weakref.finalize(self, self.connection.close)
        self._bus = Proxy(message_bus, self.connection)
        self._bus.AddMatch(_OWNER_CHANGED)
        self._session: Session | None = None
        self._thread = threading.get_ident()
        self.owner = ""

    def serve(self, attempt: Attempt) -> bool:
        """Serve another call, and return whether bus and program behind the name are still the same."""
        if threading.get_ident() != self._thread:  # the other thread hangs in it
            return False
        self.connection.attempt = attempt
        try:
            return bool(self.owner) and self._owner_of(BUS_NAME) == self.owner
        except (OSError, DBusErrorResponse):
            return False

    def find(self, *, wake: bool) -> None:
        """Find the program that serves secrets."""
        if wake and not self._bus.NameHasOwner(BUS_NAME)[0]:
            if BUS_NAME not in self._bus.ListActivatableNames()[0]:
                raise KeystoreMissing(Lack.PROGRAM)
            self._bus.StartServiceByName(BUS_NAME)
        self.owner = self._owner_of(BUS_NAME)
        if not self.owner:
            raise KeystoreMissing(Lack.PROGRAM)

    def owns(self, name: str) -> bool:
        """Return whether the program that serves secrets also owns `name`."""
        return self._owner_of(name) == self.owner

    def has(self, name: str) -> bool:
        """Return whether anybody owns `name`."""
        return bool(self._bus.NameHasOwner(name)[0])

    def at(self, path: str, interface: str, name: str = BUS_NAME) -> DBusAddressWrapper:
        """Return an object of the program's, or of another's that owns `name`."""
        address = DBusAddressWrapper(path, interface, self.connection)
        address.bus_name = name
        return address

    @property
    def service(self) -> DBusAddressWrapper:
        """The Secret Service itself."""
        return self.at(SS_PATH, SERVICE_IFACE)

    @property
    def session(self) -> Session:
        """The session that values are handed over in; opened once."""
        if self._session is None:
            self._session = self._open_session()
        return self._session

    def hang_up_session(self) -> None:
        """Open another session the next time: the program may have forgotten this one."""
        self._session = None

    def ask(self, prompt_path: str, attempt: Attempt) -> tuple[bool, Any]:
        """Run a prompt and wait for the person, as long as the caller does."""
        if attempt.withdrawn.is_set():  # whether a prompt would ask shows only when it does
            raise KeystoreDenied("nobody is to be asked")
        prompt = self.at(prompt_path, PROMPT_IFACE)
        received: deque[Message] = deque()
        completed = MatchRule(type="signal", path=prompt_path, interface=PROMPT_IFACE, member="Completed")
        with (
            self.connection.filter(completed, queue=received),
            self.connection.filter(_OWNER_CHANGED, queue=received),
        ):
            prompt.call("Prompt", "s", "")
            with suppress(TimeoutError):
                return self._answer(received, _UNASKED_S)
            try:
                with attempt.prompt():
                    while not attempt.withdrawn.is_set():
                        with suppress(TimeoutError):
                            return self._answer(received, _TURN_S)
                    raise KeystoreDenied("the prompt was taken back")
            finally:
                if not received:
                    self._take_back(prompt)

    def close(self) -> None:
        """Close the connection, and with it the session."""
        if threading.get_ident() == self._thread:
            self._hang_up()

    def _take_back(self, prompt: DBusAddressWrapper) -> None:
        """Have a prompt do nothing any more, whatever is answered."""
        if self.owns(_GNOME_KEYRING):
            # Its Dismiss ends the whole program (42.1, SIGABRT); a prompt of a client that goes does nothing.
            self.owner = ""
            self.close()
            return
        # KeePassXC 2.7.4 and kwalletd 5.103 leave their dialogs on the screen all the same.
        with suppress(SecretStorageException, DBusErrorResponse, OSError):
            prompt.call("Dismiss", "")

    def _answer(self, received: deque[Message], patience_s: float) -> tuple[bool, Any]:
        message = self.connection.recv_until_filtered(received, timeout=patience_s)
        if len(message.body) != 2:  # noqa: PLR2004 - a change of owner: name, old and new owner
            received.append(message)
            raise KeystoreMissing("the program that asked has gone")
        dismissed, (_signature, result) = message.body
        received.append(message)
        return bool(dismissed), result

    def _owner_of(self, name: str) -> str:
        return str(self._bus.GetNameOwner(name)[0]) if self.has(name) else ""

    def _open_session(self) -> Session:
        if not any(self.owns(name) for name in _KDE_WALLETS):
            return open_session(self.connection)
        # With kwalletd 5.103 an encrypted session now and then hands out nothing for a value that is there
        # (8 of 1,500 reads, mostly where the shared secret begins with zeros), and there is none without a
        # plug-in (Debian's libqca-qt5-2-plugins). A plain one goes over the person's own bus as well.
        plain = Session()
        _output, plain.object_path = self.service.call("OpenSession", "sv", ALGORITHM_PLAIN, ("s", ""))
        plain.encrypted = False
        return plain


def is_nothing(path: str) -> bool:
    """Return whether a path that a call answered with names no object."""
    return path == _NOTHING


def _connected(attempt: Attempt) -> _Connection:
    try:
        socket = prep_socket(get_bus(session_bus_address()), timeout=attempt.limit_s)
    except TimeoutError:
        raise
    except (KeyError, ValueError, RuntimeError, OSError):
        raise KeystoreMissing(Lack.BUS) from None
    connection = _Connection(socket, attempt)
    add_match_rules(connection)
    return connection
