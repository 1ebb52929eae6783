"""A session bus that takes connections and says nothing is hidden from Qt, and no other one is."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from keybench.ui.shell.silent_bus import is_silent, without_silent_bus

SHORT_S = 0.05


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="kb-") as folder:
        yield Path(folder)


@pytest.fixture
def silent(place: Path) -> Iterator[str]:
    """The address of a bus that takes connections and says nothing."""
    with socket.socket(socket.AF_UNIX) as bus:
        bus.bind(str(place / "bus"))
        bus.listen()
        yield f"unix:path={place}/bus,guid=0123"


def test_a_bus_that_says_nothing_is_hidden_for_as_long_as_qt_looks_for_it(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", silent)
    with without_silent_bus(SHORT_S):
        assert os.environ["DBUS_SESSION_BUS_ADDRESS"] == "disabled:"
    assert os.environ["DBUS_SESSION_BUS_ADDRESS"] == silent


def test_so_is_one_that_only_its_usual_place_tells(
    silent: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    with without_silent_bus(SHORT_S):
        assert os.environ["DBUS_SESSION_BUS_ADDRESS"] == "disabled:"
    assert "DBUS_SESSION_BUS_ADDRESS" not in os.environ


def test_a_living_bus_is_left_as_it_is() -> None:
    before = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
    with without_silent_bus():
        assert os.environ.get("DBUS_SESSION_BUS_ADDRESS") == before


@pytest.mark.parametrize(
    "address",
    [
        *("", "disabled:", "garbage", "tcp:host=127.0.0.1,port=1", "unix:", "unix:path", "unix:abstract="),
        *("unix:path=/nowhere/at/all", "unix:abstract=/nobody%20here", "autolaunch:", "unix:tmpdir=/tmp"),
        f"unix:path=/{'long' * 40}",
    ],
)
def test_one_that_is_not_there_fails_at_once(address: str) -> None:
    assert not is_silent({"DBUS_SESSION_BUS_ADDRESS": address}, SHORT_S)


def test_an_abstract_socket_is_asked_too() -> None:
    with socket.socket(socket.AF_UNIX) as bus:
        name = f"keybench test {os.getpid()}"
        bus.bind(f"\0{name}")
        bus.listen()
        address = f"unix:abstract={name.replace(' ', '%20')};unix:path=/x"
        assert is_silent({"DBUS_SESSION_BUS_ADDRESS": address}, SHORT_S)
