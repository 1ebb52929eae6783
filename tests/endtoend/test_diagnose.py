"""``diagnose`` on real parts: the practice gateway over HTTP, and a real keystore."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from endtoend.conftest import Keybench, OtherGateway, Ran, spellings
from endtoend.troubled_keyring import Keyring, Trouble
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock
from keystore.buses import private_bus

#: A run that takes longer has lost its limits.
LIMIT_S = 20.0
VALUE = "MadeUpForTests0123456789abcdefgh"


def diagnose(keybench: Keybench, *more: str, environment: str = "SANDBOX") -> Ran:
    ended = keybench.run("diagnose", "--environment", environment, "--key", "till", *more)
    assert ended.last["took_s"] <= LIMIT_S
    return ended


def results(ended: Ran) -> dict[str, str]:
    return {line["check"]: line["result"] for line in ended.lines[:-1]}


def first_three(ended: Ran) -> list[str]:
    suspected = [one for one in ended.last["causes"] if one["standing"] != "ruled_out"]
    return [one["cause"] for one in suspected[:3]]


def ruled_out(ended: Ran) -> set[str]:
    return {one["cause"] for one in ended.last["causes"] if one["standing"] == "ruled_out"}


@pytest.mark.usefixtures("gateway_here")
def test_the_users_and_the_devices_trouble_is_found_in_practice(keybench: Keybench) -> None:
    keybench.add_key(username="reports")
    ended = diagnose(keybench, "--device", "offline-1", environment="practice")
    assert (ended.status, ended.last["verdict"]) == (1, "ours")  # the key is asked before the device
    assert first_three(ended)[:2] == ["permission_missing", "device_offline"]
    keybench.run("key", "forget", "--environment", "practice", "--name", "till")
    keybench.add_key()
    ended = diagnose(keybench, "--device", "offline-1", environment="practice")
    assert (ended.last["verdict"], first_three(ended)[0]) == ("device", "device_offline")
    ended = diagnose(keybench, "--device", "nobodys", environment="practice")
    assert first_three(ended)[0] == "device_unknown"


def test_a_key_that_was_deleted_is_told_with_proof_and_no_sale(
    keybench: Keybench, other_gateway: OtherGateway
) -> None:
    value = other_gateway.make_key()
    keybench.add_environment(other_gateway.base_url, value)
    assert keybench.run("key", "test", "--environment", "SANDBOX", "--name", "till").status == 0
    for key in other_gateway.kept_keys():
        other_gateway.portal("DELETE", f"keys/{key['id']}")
    ended = diagnose(keybench, "--device", "till-1")
    assert (ended.status, ended.last["verdict"]) == (1, "ours")
    assert first_three(ended)[0] == "key_expired_or_deleted"
    assert {"name_resolution", "tls_expired", "proxy", "keystore", "journal"} <= ruled_out(ended)
    assert results(ended)["device"] == "could_not_tell"
    calls = other_gateway.portal("GET", "log")["entries"]
    assert calls
    assert not [one for one in calls if one["method"] == "POST" and "sale" in one["path"]]
    printed = "".join(keybench.transcript).encode()
    assert not any(spelling in printed for spelling in spellings(value))


def unused_port() -> int:
    """Return a port that refuses connections."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def silent_server(port: int) -> Iterator[None]:
    """Serve an address that takes connections and answers nothing."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        taken: list[socket.socket] = []

        def take() -> None:
            while True:
                try:
                    taken.append(listening.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        yield
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
        for one in taken:
            one.close()


def test_ctrl_c_stops_at_once_with_what_is_known(keybench: Keybench) -> None:
    port = unused_port()
    keybench.add_environment(f"http://127.0.0.1:{port}", VALUE)
    words = keybench.arguments("diagnose", "--environment", "SANDBOX", "--key", "till")
    with silent_server(port), subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout
        first = command.stdout.readline()
        command.send_signal(signal.SIGINT)
        rest = command.stdout.read()  # communicate() would leave out what was read ahead with the first line
    *checks, last = [json.loads(line) for line in (first + rest).splitlines()]
    assert command.returncode == 1
    assert {"gateway", "call"} <= {one["check"] for one in checks}
    assert last["verdict"]
    assert last["took_s"] < LIMIT_S


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keyring]:
    """A keyring of its own on a session bus of its own, whose path has to be short."""
    with tempfile.TemporaryDirectory(prefix="kb-") as folder, private_bus(Path(folder)) as bus:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
        keyring = Keyring(bus)
        yield keyring
        if keyring.trouble:
            keyring.mend()


@pytest.mark.thin(3)
@pytest.mark.parametrize(
    ("trouble", "cause"),
    [(Trouble.SILENT, "keystore"), (Trouble.LOST, "keystore"), (Trouble.OTHER, "value_changed")],
)
def test_a_keyring_in_trouble_is_told_and_the_rest_goes_on(
    keybench: Keybench, keyring: Keyring, trouble: Trouble, cause: str
) -> None:
    keybench.add_environment(f"http://127.0.0.1:{unused_port()}", VALUE)
    (service,) = keyring.services(asyncio.run(_installation(keybench.folder)))
    keyring.befall(trouble, service)
    ended = diagnose(keybench)
    assert cause in first_three(ended)
    assert results(ended)["call"] == "could_not_tell"
    assert results(ended)["connect"] == "fault"
    assert ended.status == 1


async def _installation(folder: Path) -> str:
    journal = SqlJournal(folder / "journal.sqlite3", SystemClock())
    try:
        return await journal.open()
    finally:
        await journal.close()
