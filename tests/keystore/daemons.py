"""The keystores of Linux desktops as a person has them: started, locked, killed, frozen, and asking."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

from jeepney import DBusAddress, new_method_call
from secretstorage.defines import SS_PATH
from secretstorage.util import SERVICE_IFACE, DBusAddressWrapper, add_match_rules, exec_prompt

from keystore.buses import PASSWORD, PROMPTER, SECRETS, Bus, private_bus, runnable, stop

sys.path.append(os.fspath(Path(__file__).resolve().parents[2] / "packaging"))

from display import virtual_screen, window_manager

_PATIENCE_S: Final = 30.0
_PROMPTER: Final = "/usr/libexec/gcr-prompter"
# KeePassXC takes a database's exposed group from here; the group's identifier is the same in both places.
_DATABASE: Final = """<?xml version="1.0" encoding="UTF-8"?>
<KeePassFile><Meta><DatabaseName>practice</DatabaseName><RecycleBinEnabled>False</RecycleBinEnabled>
<CustomData><Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{00112233-4455-6677-8899-aabbccddeeff}</Value>
</Item></CustomData></Meta>
<Root><Group><UUID>ABEiM0RVZneImaq7zN3u/w==</UUID><Name>Root</Name></Group></Root></KeePassFile>
"""
# It saves when it is locked, and not after every change: version 2.7.4 then writes the file on one thread
# while it changes entries on another, and died of that in a few runs of these tests.
_KEEPASSXC: Final = """[General]
ConfigVersion=2
UpdateCheckMessageShown=true
AutoSaveAfterEveryChange=false
AutoSaveOnExit=true
[GUI]
CheckForUpdates=false
[FdoSecrets]
Enabled=true
ConfirmDeleteItem=false
"""
_KWALLETRC: Final = """[Wallet]
Default Wallet=kdewallet
First Use=false
Launch Manager=false
Prompt on Open=false
[org.freedesktop.secrets]
apiEnabled=true
"""
_WALLET: Final = "kdewallet"
_SALT_BYTES: Final = 56
_ROUNDS: Final = 50_000
#: How often a window is looked for before it is given the keys again.
_LOOKS: Final = 100


class Daemon(Protocol):
    """A keystore's program on a bus of its own."""

    name: str
    bus: Bus

    def __init__(self, bus: Bus) -> None: ...

    def start(self) -> None:
        """Start it with its values open."""

    def lock(self) -> None:
        """Lock its values behind everybody's back."""

    def unlock(self) -> None:
        """Unlock them as another program does, without a question."""

    def kill(self) -> None:
        """End it at once."""

    def freeze(self) -> None:
        """Have it answer nothing."""

    def thaw(self) -> None:
        """Let it go on."""

    def allow(self) -> None:
        """Answer its question with the password."""

    def dismiss(self) -> None:
        """Close its question without an answer."""


class _Running:
    """What is the same for all: a process on a bus."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.process: subprocess.Popen[bytes] | None = None

    def kill(self) -> None:
        assert self.process
        stop(self.process)

    def freeze(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGCONT)

    def wait_for_window(self, title: str) -> None:
        """Wait for a window whose title matches."""
        self._xdotool("search", "--sync", "--onlyvisible", "--name", title)

    def answer(self, title: str, text: str, keys: str) -> None:
        """Wait for a window whose title matches; type and press keys there until it has gone or changed."""
        self.wait_for_window(title)
        end = time.monotonic() + _PATIENCE_S
        while seen := self._windows(title):
            assert time.monotonic() < end, f"{title} doesn't take {keys}"
            self._xdotool("windowactivate", seen[-1], may_fail=True)
            if text:
                self._xdotool("key", "ctrl+a", "type", text)
            self._xdotool("key", keys)
            for _ in range(_LOOKS):
                if self._windows(title) != seen:
                    break

    def _windows(self, title: str) -> list[str]:
        told = self._xdotool("search", "--onlyvisible", "--name", title, may_fail=True)
        return told.split()

    def _xdotool(self, *command: str, may_fail: bool = False) -> str:
        return subprocess.run(
            ["xdotool", *command],
            env=self.bus.environment,
            capture_output=True,
            text=True,
            check=not may_fail,
            timeout=_PATIENCE_S,
        ).stdout

    def call(self, address: DBusAddress, method: str, signature: str = "", *body: Any) -> Any:
        """Call a method of the program's."""
        with closing(self.bus.connect()) as connection:
            return connection.send_and_get_reply(new_method_call(address, method, signature, body)).body


class GnomeKeyring(_Running):
    """GNOME Keyring, with the program that asks for it."""

    name = "GNOME Keyring"
    _prompter: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = self.bus.start_keyring(unlocked=True)

    def lock(self) -> None:
        if self._prompter:  # it ends by itself after a while without work
            stop(self._prompter)
        self._prompter = self.bus.start([runnable_at(_PROMPTER)], b"", PROMPTER)
        self.bus.lock()

    def unlock(self) -> None:
        self.bus.unlock()

    def allow(self) -> None:
        self.answer("nlock", PASSWORD.decode(), "Return")

    def dismiss(self) -> None:
        self.answer("nlock", "", "Escape")


class KeePassXC(_Running):
    """KeePassXC, which asks about each entry that another connection made."""

    name = "KeePassXC"

    def start(self) -> None:
        home = Path(self.bus.environment["HOME"])
        database = home / "practice.kdbx"
        if not database.exists():
            settings = home / "config" / "keepassxc" / "keepassxc.ini"
            settings.parent.mkdir(parents=True)
            settings.write_text(_KEEPASSXC, encoding="utf-8")
            plain = home / "practice.xml"
            plain.write_text(_DATABASE, encoding="utf-8")
            subprocess.run(
                [runnable("keepassxc-cli", home), "import", "-p", plain, database],
                input=b"\n".join([PASSWORD, PASSWORD, b""]),
                env=self.bus.environment,
                capture_output=True,
                check=True,
            )
        command = [runnable("keepassxc", home), "--pw-stdin", os.fspath(database)]
        self.process = self.bus.start(command, PASSWORD + b"\n", SECRETS)
        self.wait_for_window("practice - KeePassXC")

    def lock(self) -> None:
        with closing(self.bus.connect()) as connection:
            add_match_rules(connection)
            service = DBusAddressWrapper(SS_PATH, SERVICE_IFACE, connection)
            _locked, prompt = service.call("Lock", "ao", service.get_property("Collections"))
            exec_prompt(connection, prompt, timeout=_PATIENCE_S)
        self.wait_for_window("Locked.* - KeePassXC")

    def unlock(self) -> None:
        self.answer("Locked.* - KeePassXC", PASSWORD.decode(), "Return")
        self.wait_for_window("^practice - KeePassXC")

    def allow(self) -> None:
        self.answer("Unlock Database", PASSWORD.decode(), "Return")

    def dismiss(self) -> None:
        self.answer("Unlock Database", "", "Escape")

    def allow_entry(self) -> None:
        """Answer that an entry may be used, and remember that."""
        self.answer("Access Request", "", "Return")

    def refuse_entry(self) -> None:
        """Close the question about an entry."""
        self.answer("Access Request", "", "Escape")


class KdeWallet(_Running):
    """KDE's wallet by the Secret Service it offers; opened as the log-in does it, by a hash."""

    name = "KDE Wallet"
    _service = DBusAddress("/modules/kwalletd5", "org.kde.kwalletd5", "org.kde.KWallet")

    def start(self) -> None:
        settings = Path(self.bus.environment["XDG_CONFIG_HOME"]) / "kwalletrc"
        if not settings.exists():
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(_KWALLETRC, encoding="utf-8")
            self._salt.parent.mkdir(parents=True)
            self._salt.write_bytes(os.urandom(_SALT_BYTES))
            self._begin()
            self.unlock()  # which makes the wallet; the next start serves it
            self.kill()
        self._begin()
        self.unlock()

    def lock(self) -> None:
        self.call(self._service, "close", "sb", _WALLET, True)

    def unlock(self) -> None:
        hashed = hashlib.pbkdf2_hmac("sha512", PASSWORD, self._salt.read_bytes(), _ROUNDS, _SALT_BYTES)
        with closing(self.bus.connect()) as connection:  # it answers nothing
            connection.send(new_method_call(self._service, "pamOpen", "sayi", (_WALLET, hashed, 0)))
        end = time.monotonic() + _PATIENCE_S
        while not self.call(self._service, "isOpen", "s", _WALLET)[0]:
            assert time.monotonic() < end, "the wallet doesn't open"

    def allow(self) -> None:
        self.answer("KDE Wallet Service", PASSWORD.decode(), "Return")

    def dismiss(self) -> None:
        self.answer("KDE Wallet Service", "", "Escape")

    @property
    def _salt(self) -> Path:
        return Path(self.bus.environment["XDG_DATA_HOME"]) / "kwalletd" / "kdewallet.salt"

    def _begin(self) -> None:
        self.process = self.bus.start([runnable("kwalletd5", self.bus.folder)], b"", SECRETS)


def runnable_at(path: str) -> str:
    """Return a path at which there is a program."""
    assert os.access(path, os.X_OK), f"{path} isn't here, and without it no prompt can be tried"
    return path


Start = Callable[[type[Daemon]], Daemon]


@contextmanager
def private_desk() -> Iterator[Start]:
    """Make a screen with a window manager, and start keystores there, each once and on a bus of its own."""
    started: dict[type[Daemon], Daemon] = {}
    with virtual_screen() as screen, window_manager(screen), ExitStack() as held:

        def start(kind: type[Daemon]) -> Daemon:
            if kind not in started:
                folder = held.enter_context(
                    tempfile.TemporaryDirectory(prefix="kb-", ignore_cleanup_errors=True)
                )
                started[kind] = kind(held.enter_context(private_bus(Path(folder), screen)))
                started[kind].start()
            return started[kind]

        yield start
