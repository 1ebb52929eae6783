"""What the keystore's tests share: private buses, keyrings, and an end for calls that hang."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from keystore.buses import Bus, private_bus
from keystore.native_fakes import ScriptedStore


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for a socket's name."""
    with tempfile.TemporaryDirectory(prefix="kb-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def bus(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bus]:
    """A session bus with nobody on it, the test's own, on a desktop without a screen."""
    with private_bus(short_folder) as found:
        _move_to(found, monkeypatch)
        yield found


@pytest.fixture(scope="session")
def open_keyring() -> Iterator[Bus]:
    """A bus with an unlocked GNOME Keyring, one for the whole run."""
    with (
        tempfile.TemporaryDirectory(prefix="kb-", ignore_cleanup_errors=True) as folder,
        private_bus(Path(folder)) as found,
    ):
        found.start_keyring(unlocked=True)
        yield found


@pytest.fixture
def on_open_keyring(open_keyring: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Move the test to the bus with the unlocked keyring."""
    _move_to(open_keyring, monkeypatch)


@pytest.fixture
def scripted() -> ScriptedStore:
    """A native keystore that does as it is told."""
    return ScriptedStore()


@pytest.fixture
def end_of_test() -> Iterator[threading.Event]:
    """Set when the test is over, so that no call hangs beyond it."""
    event = threading.Event()
    yield event
    event.set()


def _move_to(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
