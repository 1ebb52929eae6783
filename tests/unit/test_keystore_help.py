"""What is said where a keystore is missing: for each family of systems what to install, with the command."""

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

#: Lines of the distributions' own files.
RELEASES = {
    "debian": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n',
    "ubuntu": "ID=ubuntu\nID_LIKE=debian\n",
    "mint": "ID=linuxmint\nID_LIKE='ubuntu debian'\n",
    "fedora": 'ID=fedora\nVARIANT_ID=workstation\n# a comment="\n',
    "rocky": 'ID="rocky"\nID_LIKE="rhel centos fedora"\n',
    "tumbleweed": 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n',
    "arch": "ID=arch\n",
    "manjaro": "ID=manjaro\nID_LIKE=arch\n",
    "nixos": "ID=nixos\n",
}
GNOME = {
    "debian": "sudo apt install gnome-keyring",
    "ubuntu": "sudo apt install gnome-keyring",
    "mint": "sudo apt install gnome-keyring",
    "fedora": "sudo dnf install gnome-keyring",
    "rocky": "sudo dnf install gnome-keyring",
    "tumbleweed": "sudo zypper install gnome-keyring",
    "arch": "sudo pacman -S gnome-keyring",
    "manjaro": "sudo pacman -S gnome-keyring",
    "nixos": "",
}


def flatpak_info(policy: str, sockets: str = "x11;wayland;") -> str:
    """Return what Flatpak tells a program of its permissions."""
    return (
        "[Application]\nname=io.keybench.Keybench\n\n"
        f"[Context]\nshared=network;ipc;\nsockets={sockets}\n\n"
        f"[Session Bus Policy]\norg.gnome.keyring=see\n{policy}\n"
    )


def computer(root: Path, name: str = "", *, desktop: str = "", flatpak: bool = False) -> System:
    """Return a Linux computer of a distribution; without a name its file isn't there."""
    if flatpak:
        (root / ".flatpak-info").write_text(flatpak_info("org.freedesktop.secrets=talk"))
        (root / "etc").mkdir(parents=True)
        (root / "etc" / "os-release").write_text("ID=org.freedesktop.platform\n")
    place = root / ("run/host/os-release" if flatpak else "usr/lib/os-release")
    if name:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(RELEASES[name])
    return system_at(root, "linux", {"XDG_CURRENT_DESKTOP": desktop, "PATH": ""})


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("desktop", ["", "ubuntu:GNOME", "XFCE", "sway"])
def test_without_a_secret_service_the_distributions_own_command_installs_one(
    tmp_path: Path, name: str, desktop: str
) -> None:
    told = keystore_help(KeystoreMissing(Lack.PROGRAM), computer(tmp_path, name, desktop=desktop))
    assert told.command == GNOME[name]
    assert told.command in told.step
    assert "GNOME Keyring" in told.step
    assert ("“" in told.step) == bool(told.command)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("ubuntu", "sudo apt install kwalletmanager"),
        ("fedora", "sudo dnf install kwalletmanager kf6-kwallet"),
        ("tumbleweed", "sudo zypper install kwalletmanager"),
        ("arch", "sudo pacman -S kwallet kwalletmanager"),
        ("nixos", ""),
    ],
)
def test_on_kde_it_is_the_wallet(tmp_path: Path, name: str, command: str) -> None:
    told = keystore_help(KeystoreMissing(Lack.PROGRAM), computer(tmp_path, name, desktop="KDE"))
    assert told.command == command
    assert "KDE Wallet" in told.step


def test_in_a_flatpak_the_computer_outside_needs_it(tmp_path: Path) -> None:
    told = keystore_help(KeystoreMissing(Lack.PROGRAM), computer(tmp_path, "fedora", flatpak=True))
    assert told.command == "sudo dnf install gnome-keyring"
    assert "outside the Flatpak" in told.step


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
    computer(tmp_path, "fedora", flatpak=True)
    (tmp_path / ".flatpak-info").write_text(info)
    system = system_at(tmp_path, "linux", {})
    for place in ("keystore_help", "system"):
        monkeypatch.setattr(f"keybench.words.{place}.this_system", lambda: system)
    override = "flatpak override --user --talk-name=org.freedesktop.secrets io.keybench.Keybench"
    gone = KeystoreGone("GNOME Keyring", Lack.PROGRAM)
    for error in (KeystoreMissing(Lack.PROGRAM), gone):
        told = keystore_help(error, system)
        assert (told.command == override) == barred
        assert ("may not talk" in told.title) == barred
        assert (override in explain(error).text) == barred
    status = KeystoreStatus("GNOME Keyring", durable=True, trouble=gone)
    assert (override in keystore_sentence(status)) == barred


def test_a_release_that_cant_be_read_gets_no_command(tmp_path: Path) -> None:
    release = tmp_path / "etc" / "os-release"
    release.parent.mkdir()
    for told in (b"ID=debian\n\xff\xfe", b'ID="debian\n', b"", b"=\n=\n"):
        release.write_bytes(told)
        found = system_at(tmp_path, "linux", {})
        assert not keystore_help(KeystoreMissing(Lack.PROGRAM), found).command, told


def test_no_bus_is_told_from_no_keystore_and_from_a_locked_one(tmp_path: Path) -> None:
    missing = [
        keystore_help(KeystoreMissing(lack), computer(tmp_path, "debian")).title
        for lack in (Lack.BUS, Lack.PROGRAM, Lack.SCREEN, "DBusErrorResponse")
    ]
    assert len({*missing, explain(KeystoreLocked()).title}) == 5
    assert "D-Bus" in missing[0]
    assert "Secret Service" in missing[1]


def test_without_a_bus_a_command_starts_one_or_installs_what_does() -> None:
    bus = KeystoreMissing(Lack.BUS)
    told = keystore_help(bus, System("linux", ["debian"], has_bus_runner=True))
    assert told.command.startswith("dbus-run-session -- ")
    assert told.command.endswith("keybench")
    assert keystore_help(bus, System("linux", ["debian"])).command == "sudo apt install dbus-user-session"
    for lacking in (System("linux", ["nixos"]), System("linux", ["fedora"], in_flatpak=True)):
        assert not keystore_help(bus, lacking).command
        assert "from the desktop" in keystore_help(bus, lacking).step


def test_a_keystore_that_was_used_is_started_or_installed_again() -> None:
    debian = System("linux", ["debian"], ["kde"])
    told = keystore_help(KeystoreGone("KeePassXC", Lack.PROGRAM), debian)
    assert told.title.startswith("KeePassXC isn't there")
    assert told.command == "sudo apt install keepassxc"
    for gone in (KeystoreGone("KeePassXC", "OSError"), KeystoreGone("Secret Service", Lack.PROGRAM)):
        assert not keystore_help(gone, debian).command, "it isn't known what is missing"


@pytest.mark.parametrize(
    ("platform", "said"),
    [("win32", "Credential Locker"), ("darwin", "keychain"), ("linux", "KDE Wallet")],
)
def test_every_system_has_its_own_words(platform: str, said: str) -> None:
    assert said in keystore_help(KeystoreMissing("NoKeyringError"), System(platform)).step


def test_other_systems_have_no_distribution(tmp_path: Path) -> None:
    computer(tmp_path, "debian")
    assert system_at(tmp_path, "win32", {"XDG_CURRENT_DESKTOP": "KDE"}) == System("win32")


def test_this_computer_is_looked_up() -> None:
    assert systems.this_system().platform == sys.platform


def test_band_and_errors_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keybench.words.keystore_help.this_system", lambda: System("linux", ["arch"]))
    missing = KeystoreMissing(Lack.PROGRAM)
    status = KeystoreStatus("this session's memory", durable=False, trouble=missing)
    command = "sudo pacman -S gnome-keyring"
    assert command in keystore_sentence(status)
    assert command in explain(missing).text
    assert keystore_command(status) == command
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
