"""What the window says where its keystore is missing or asks the person."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.window_fixtures import open_window
from keystore.buses import Bus, private_bus
from keystore.daemons import KeePassXC, private_desk


@pytest.fixture
def bare_bus() -> Iterator[Bus]:
    """A session bus without a keystore; its path has to be short."""
    with tempfile.TemporaryDirectory(prefix="kb-") as folder, private_bus(Path(folder)) as bus:
        yield bus


@pytest.mark.sweep
def test_without_a_keystore_it_says_so_and_sells_in_practice_but_not_live(
    tmp_path: Path, bare_bus: Bus
) -> None:
    folder = tmp_path / "data"
    live = ("environment", "add", "shop", "--kind", "live", "--base-url", "https://gateway.example")
    assert Keybench(folder).run(*live).status == 0
    with open_window(folder, DBUS_SESSION_BUS_ADDRESS=bare_bus.address) as window:
        window.wait_until_ready()
        window.wait_for_words("Keys are kept in this session's memory only")
        window.add_key("till")
        window.send("10.00")
        window.wait_for_outcome("Approved")
        assert window.wait_for_words("Keys are kept in this session's memory only")

        window.choose_environment("shop")
        barred = window.wait_for("Send LIVE sale", "push button", enabled=False)
        assert not barred.is_enabled
        assert "Live sales need a keystore" in barred.description
        assert window.wait_for_words("Keys are kept in this session's memory only")
        window.press("ctrl+q")
        window.wait_for_words("1 key is kept in this session's memory only")
        window.press_button("Close")
        assert window.ended() == 0


@pytest.mark.sweep
def test_keepassxc_is_waited_for_and_can_be_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with private_desk() as start:
        keepassxc = start(KeePassXC)
        assert isinstance(keepassxc, KeePassXC)
        bus = {"DBUS_SESSION_BUS_ADDRESS": keepassxc.bus.address}
        with open_window(folder, **bus) as window:
            window.wait_until_ready()
            window.add_key("till")
            assert window.quit() == 0
        with open_window(folder, **bus) as window:
            # The device list is renewed with the key when the window opens.
            window.wait_for_words("KeePassXC asks for your permission")
            window.press_button("Stop waiting")
            window.wait_for_words("The device list couldn't be renewed. Access to the keystore was refused.")
            keepassxc.refuse_entry()  # it leaves its dialogs there
            window.wait_until_ready()
            window.send("10.00")
            window.wait_for_words("KeePassXC asks for your permission")
            window.press_button("Stop waiting")
            window.wait_for_outcome("Not sent")
            keepassxc.refuse_entry()
            window.send("10.00")
            window.wait_for_words("KeePassXC asks for your permission")
            keepassxc.allow_entry()
            window.wait_for_outcome("Approved")
            assert window.quit() == 0


@pytest.mark.sweep
def test_a_command_waits_for_keepassxc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with private_desk() as start:
        keepassxc = start(KeePassXC)
        assert isinstance(keepassxc, KeePassXC)
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", keepassxc.bus.address)
        keybench = Keybench(tmp_path / "data")
        keybench.add_key()
        tested = keybench.arguments("key", "test", "--environment", "practice", "--name", "till")
        for answer, status in ((keepassxc.refuse_entry, 40), (keepassxc.allow_entry, 0)):
            with subprocess.Popen(
                tested, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            ) as testing:
                assert testing.stderr
                assert "KeePassXC asks for your permission" in testing.stderr.readline()
                answer()
                testing.communicate()
            assert testing.returncode == status
        with subprocess.Popen(
            tested, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as testing:
            assert testing.stderr
            testing.stderr.readline()
            testing.send_signal(signal.SIGINT)
            assert "Stopped" in testing.communicate()[1]
        assert testing.returncode == 130
