"""What is said where a keystore is missing: on each system what to install, to start or to allow."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from keybench.core.errors import KeystoreGone, KeystoreLocked, KeystoreMissing, Lack
from keybench.core.ports import KeystoreStatus
from keybench.runtime import system as systems
from keybench.runtime.system import System, session_bus_address, system_at
from keybench.words.explain import explain
from keybench.words.keystore_help import keystore_help
from keybench.words.system import keystore_command, keystore_sentence


def flatpak_info(policy: str, sockets: str = "x11;wayland;") -> str:
    """Return what Flatpak tells a program of its permissions."""
    return (
        "[Application]\nname=io.keybench.Keybench\n\n"
        f"[Context]\nshared=network;ipc;\nsockets={sockets}\n\n"
        f"[Session Bus Policy]\norg.gnome.keyring=see\n{policy}\n"
    )


@pytest.mark.parametrize(
    ("desktops", "said"),
    [([], "GNOME Keyring"), (["ubuntu", "gnome"], "GNOME Keyring"), (["kde"], "KDE Wallet")],
)
def test_without_a_secret_service_the_desktops_own_is_named(desktops: list[str], said: str) -> None:
    missing = KeystoreMissing(Lack.PROGRAM)
    assert said in keystore_help(missing, System("linux", desktops)).step
    outside = keystore_help(missing, System("linux", desktops, in_flatpak=True)).step
    assert said in outside
    assert "outside the Flatpak" in outside


@pytest.mark.parametrize(
    ("info", "barred"),
    [
        (flatpak_info(""), True),
        (flatpak_info("org.freedesktop.secrets=none"), True),
        (flatpak_info("org.freedesktop.secrets=see"), True),
        (flatpak_info("", "x11;session-bus;"), False),
        (flatpak_info("org.freedesktop.secrets=talk"), False),
        (flatpak_info("org.freedesktop.*=talk"), False),
        ("no flatpak's", False),
        ("[Application]\nname=io.keybench.Keybench\n", True),
    ],
)
def test_a_flatpak_that_may_not_talk_to_the_keystore_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, info: str, *, barred: bool
) -> None:
    (tmp_path / ".flatpak-info").write_text(info)
    system = system_at(tmp_path, "linux", {})
    assert system.in_flatpak
    monkeypatch.setattr("keybench.words.keystore_help.this_system", lambda: system)
    override = "flatpak override --user --talk-name=org.freedesktop.secrets io.keybench.Keybench"
    gone = KeystoreGone("GNOME Keyring", Lack.PROGRAM)
    for error in (KeystoreMissing(Lack.PROGRAM), gone):
        told = keystore_help(error, system)
        assert (told.command == override) == barred
        assert ("may not talk" in told.title) == barred
        assert (override in explain(error).text) == barred
    status = KeystoreStatus("GNOME Keyring", durable=True, trouble=gone)
    assert (override in keystore_sentence(status)) == barred


def test_no_bus_is_told_from_no_keystore_and_from_a_locked_one() -> None:
    missing = [
        keystore_help(KeystoreMissing(lack), System("linux")).title
        for lack in (Lack.BUS, Lack.PROGRAM, Lack.SCREEN, "DBusErrorResponse")
    ]
    assert len({*missing, explain(KeystoreLocked()).title}) == 5
    assert "D-Bus" in missing[0]
    assert "Secret Service" in missing[1]


def test_without_a_bus_a_command_starts_one() -> None:
    bus = KeystoreMissing(Lack.BUS)
    told = keystore_help(bus, System("linux", has_bus_runner=True))
    assert told.command.startswith("dbus-run-session -- ")
    assert told.command.endswith("keybench")
    for lacking in (System("linux"), System("linux", in_flatpak=True, has_bus_runner=True)):
        assert not keystore_help(bus, lacking).command
        assert "from the desktop" in keystore_help(bus, lacking).step


def test_a_keystore_that_was_used_is_started_again() -> None:
    told = keystore_help(KeystoreGone("KeePassXC", Lack.PROGRAM), System("linux"))
    assert told.title.startswith("KeePassXC isn't there")
    assert told.step.startswith("Start KeePassXC and unlock it")


@pytest.mark.parametrize(
    ("platform", "said"),
    [("win32", "Credential Locker"), ("darwin", "keychain"), ("linux", "KDE Wallet")],
)
def test_every_system_has_its_own_words(platform: str, said: str) -> None:
    assert said in keystore_help(KeystoreMissing("NoKeyringError"), System(platform)).step


def test_a_computer_is_looked_up(tmp_path: Path) -> None:
    assert systems.this_system().platform == sys.platform
    variables = {"XDG_CURRENT_DESKTOP": "ubuntu:GNOME", "PATH": ""}
    assert system_at(tmp_path, "linux", variables) == System("linux", ["ubuntu", "gnome"])
    assert system_at(tmp_path, "win32", variables) == System("win32")


def test_band_and_errors_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = System("linux", has_bus_runner=True)
    monkeypatch.setattr("keybench.words.keystore_help.this_system", lambda: found)
    missing = KeystoreMissing(Lack.BUS)
    status = KeystoreStatus("this session's memory", durable=False, trouble=missing)
    command = keystore_command(status)
    assert command.startswith("dbus-run-session")
    assert command in keystore_sentence(status)
    assert command in explain(missing).text
    assert not keystore_command(KeystoreStatus("GNOME Keyring", durable=True, trouble=KeystoreLocked()))


def test_before_anybody_looked_nothing_is_said_to_be_wrong() -> None:
    status = KeystoreStatus("this session's memory", durable=False)
    assert status.is_sound
    assert not status.is_known
    assert not keystore_sentence(status)


def test_the_session_bus_is_where_the_variables_or_the_runtime_folder_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert session_bus_address() == ""
    (tmp_path / "bus").touch()
    assert session_bus_address() == f"unix:path={tmp_path / 'bus'}"
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:abstract=here")
    assert session_bus_address() == "unix:abstract=here"
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "")
    assert session_bus_address() == ""
