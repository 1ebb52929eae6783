"""Private session buses with real keyring daemons on them, out of reach of the person's own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import secretstorage
from jeepney import MatchRule, message_bus
from jeepney.io.blocking import DBusConnection, Proxy, open_dbus_connection
from secretstorage.util import DBusAddressWrapper, format_secret, open_session

_PATIENCE_S = 60.0
# No service directories: the bus starts nothing by itself, neither a keyring nor a prompter.
_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir={folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
  </policy>
</busconfig>
"""
PASSWORD = b"practice"
SECRETS = "org.freedesktop.secrets"
PROMPTER = "org.gnome.keyring.SystemPrompter"


@dataclass
class Bus:
    """A session bus and the folders of whoever is on it."""

    folder: Path
    address: str
    screen: str = ""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the variables of a desktop on this bus."""
        home, runtime = self.folder / "home", self.folder / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        home.mkdir(exist_ok=True)
        screen = {"DISPLAY": self.screen} if self.screen else {}
        return screen | {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "HOME": os.fspath(home),
            "XDG_DATA_HOME": os.fspath(home / "data"),
            "XDG_CONFIG_HOME": os.fspath(home / "config"),
            "XDG_CACHE_HOME": os.fspath(home / "cache"),
            "XDG_RUNTIME_DIR": os.fspath(runtime),
            "TMPDIR": os.fspath(runtime),  # where KeePassXC looks whether it runs already
            "DBUS_SESSION_BUS_ADDRESS": self.address,
        }

    def start_keyring(self, *, unlocked: bool) -> subprocess.Popen[bytes]:
        """Start gnome-keyring and wait until it serves: with an open login keyring, or with none at all."""
        program = runnable("gnome-keyring-daemon", self.folder)
        mode = ["--unlock"] if unlocked else []
        return self.start([program, "--foreground", "--components=secrets", *mode], PASSWORD, SECRETS)

    def start(self, command: list[str], told: bytes, name: str) -> subprocess.Popen[bytes]:
        """Start a program, tell it a password, and wait until it owns `name`."""
        program = self._start(command)
        assert program.stdin is not None
        program.stdin.write(told)
        program.stdin.close()
        self.wait_for(name)
        return program

    def unlock(self) -> None:
        """Unlock the default collection as gnome-keyring's own tools do, with the password and no prompt."""
        interface = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
        with closing(self.connect()) as connection:
            collection = secretstorage.get_default_collection(connection)
            session = open_session(connection)
            password = format_secret(session, PASSWORD, "text/plain")
            service = DBusAddressWrapper("/org/freedesktop/secrets", interface, connection)
            service.call("UnlockWithMasterPassword", "o(oayays)", collection.collection_path, password)

    def lock(self) -> None:
        """Lock the default collection."""
        with closing(self.connect()) as connection:
            secretstorage.get_default_collection(connection).lock()

    @contextmanager
    def unanswered(self) -> Iterator[None]:
        """Have nobody answer prompts, nor show them: gnome-keyring's stay on screen and hold the keyboard."""
        with closing(self.connect()) as prompter:
            Proxy(message_bus, prompter).RequestName(PROMPTER)
            yield

    def connect(self) -> DBusConnection:
        """Return a connection to this bus; the test's own environment already names it."""
        return open_dbus_connection(self.address)

    def wait_for(self, name: str) -> None:
        """Wait until somebody owns `name`."""
        rule = MatchRule(type="signal", interface="org.freedesktop.DBus", member="NameOwnerChanged")
        rule.add_arg_condition(0, name)
        with closing(self.connect()) as connection, connection.filter(rule) as changes:
            bus = Proxy(message_bus, connection)
            bus.AddMatch(rule)
            if not bus.NameHasOwner(name)[0]:
                connection.recv_until_filtered(changes, timeout=_PATIENCE_S)

    def has(self, name: str) -> bool:
        """Tell whether somebody owns `name`."""
        with closing(self.connect()) as connection:
            return bool(Proxy(message_bus, connection).NameHasOwner(name)[0])

    def stop(self) -> None:
        """End what was started, the newest first."""
        for process in reversed(self.processes):
            stop(process)

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and wait until it has gone."""
    process.kill()
    process.wait(_PATIENCE_S)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


@contextmanager
def private_bus(folder: Path, screen: str = "") -> Iterator[Bus]:
    """Start a bus with nobody on it; the folder's path has to be short."""
    configuration = folder / "bus.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder), encoding="utf-8")
    daemon = subprocess.Popen(
        [runnable("dbus-daemon", folder), f"--config-file={configuration}", "--nofork", "--print-address"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert daemon.stdout is not None
    bus = Bus(folder, daemon.stdout.readline().decode().strip(), screen, [daemon])
    try:
        yield bus
    finally:
        bus.stop()


def runnable(name: str, folder: Path) -> str:
    """Return a program's path; a copy where a container refuses the original's file capabilities."""
    program = shutil.which(name)
    if program is None:
        pytest.fail(f"{name} isn't installed, and without it no real keystore can be tried")
    try:
        subprocess.run([program, "--version"], capture_output=True, check=False)
    except PermissionError:
        copy = folder / name
        if not copy.exists():
            shutil.copyfile(program, copy)
            copy.chmod(0o700)
        return os.fspath(copy)
    return program
