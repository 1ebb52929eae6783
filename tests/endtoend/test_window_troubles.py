"""The window and a command while KeePassXC asks the person."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.window_fixtures import open_window
from keystore.daemons import KeePassXC, private_desk


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
