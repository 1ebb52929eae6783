"""What to do on this computer where its keystore is missing: what to install or to start, with the command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from keybench.core.errors import KeystoreGone, KeystoreMissing, Lack
from keybench.runtime.data_folder import own_command
from keybench.runtime.system import System, this_system
from keybench.words.language import _

#: How a family of distributions installs packages, by os-release's id.
_INSTALL: Final[Mapping[str, str]] = {
    "debian": "sudo apt install",
    "ubuntu": "sudo apt install",
    "fedora": "sudo dnf install",
    "rhel": "sudo dnf install",
    "opensuse": "sudo zypper install",
    "suse": "sudo zypper install",
    "arch": "sudo pacman -S",
}
_GNOME, _KDE, _KEEPASSXC = "GNOME Keyring", "KDE Wallet", "KeePassXC"
#: The packages of each program; where they have other names, by the command that installs them.
_PACKAGES: Final[Mapping[str, Mapping[str, str]]] = {
    _GNOME: {"": "gnome-keyring"},
    _KEEPASSXC: {"": "keepassxc"},
    _KDE: {
        "": "kwalletmanager",
        "sudo dnf install": "kwalletmanager kf6-kwallet",
        "sudo pacman -S": "kwallet kwalletmanager",
    },
}
#: The package that starts a session bus for a program.
_BUS_PACKAGES: Final[Mapping[str, str]] = {
    "sudo apt install": "dbus-user-session",
    "sudo dnf install": "dbus-daemon",
    "sudo pacman -S": "dbus",
}


@dataclass(frozen=True, slots=True)
class KeystoreHelp:
    """What is missing and what to do about it; the command stands in the step, and alone to be copied."""

    title: str
    step: str
    command: str = ""


def keystore_help(error: KeystoreMissing, system: System | None = None) -> KeystoreHelp:
    system = system or this_system()
    if error.lack == Lack.BUS:
        return _no_bus(system)
    if system.flatpak_without_keystore:
        return _barred(system)
    if isinstance(error, KeystoreGone):
        return _gone(error, system)
    title = _("This computer has no keystore that Keybench knows.")
    if error.lack == Lack.SCREEN:
        return KeystoreHelp(
            _("The keystore isn't set up yet, and there is no screen on which it could ask for a password."),
            _("Open Keybench once on this computer's desktop, and add a key there."),
        )
    if system.platform == "win32":
        step = _(
            "Services and connections by SSH have no Windows Credential Locker. Sign in at the desktop or by "
            "Remote Desktop, and start Keybench there."
        )
        return KeystoreHelp(title, step)
    if system.platform == "darwin":
        command = "security default-keychain -s login.keychain-db"
        step = _(
            "Connections by SSH may have no keychain: start Keybench at the Mac's own desktop. If that has none "
            "either, “{command}” makes the login keychain the default again."
        ).format(command=command)
        return KeystoreHelp(title, step, command)
    if error.lack != Lack.PROGRAM:
        step = _("Install or start GNOME Keyring, KDE Wallet or KeePassXC's Secret Service, then try again.")
        return KeystoreHelp(title, step)
    return _nothing_installed(system)


def _no_bus(system: System) -> KeystoreHelp:
    title = _("The keystore is reached over the session bus (D-Bus), and there is none.")
    installer = _installer(system)
    if system.has_bus_runner and not system.in_flatpak:
        command = shlex.join(["dbus-run-session", "--", *own_command()])
        step = _("Start Keybench from the desktop, or with “{command}”.").format(command=command)
        return KeystoreHelp(title, step, command)
    if (package := _BUS_PACKAGES.get(installer)) and not system.in_flatpak:
        command = f"{installer} {package}"
        step = _("Start Keybench from the desktop. “{command}” installs what a session bus needs.")
        return KeystoreHelp(title, step.format(command=command), command)
    return KeystoreHelp(title, _("Start Keybench from the desktop."))


def _barred(system: System) -> KeystoreHelp:
    command = shlex.join(
        [
            *("flatpak", "override", "--user", "--talk-name=org.freedesktop.secrets"),
            system.flatpak_without_keystore,
        ]
    )
    return KeystoreHelp(
        _("This Flatpak may not talk to the keystore (Secret Service)."),
        _("Allow it with “{command}”, then start Keybench again.").format(command=command),
        command,
    )


def _gone(error: KeystoreGone, system: System) -> KeystoreHelp:
    title = _("{name} isn't there, and this installation keeps keys in it.").format(name=error.name)
    command = _command(error.name, system) if error.lack == Lack.PROGRAM else ""
    if command:
        step = _("Start {name} and unlock it, then try again. If it isn't installed: “{command}”.")
        return KeystoreHelp(title, step.format(name=error.name, command=command), command)
    return KeystoreHelp(title, _("Start {name} and unlock it, then try again.").format(name=error.name))


def _nothing_installed(system: System) -> KeystoreHelp:
    title = _("No keystore is running here (Secret Service).")
    program = _KDE if "kde" in system.desktops else _GNOME
    command = _command(program, system)
    if not command:
        step = _("Install GNOME Keyring, KDE Wallet or KeePassXC, then try again.")
    elif program == _KDE:
        step = _("Turn KDE Wallet on in the System Settings; “{command}” installs it. Then try again.")
    else:
        step = _("Install GNOME Keyring with “{command}”, then try again.")
    step = step.format(command=command)
    if system.in_flatpak:
        outside = _("It has to be on the computer itself, outside the Flatpak.")
        step = f"{outside} {step}"
    return KeystoreHelp(title, step, command)


def _command(program: str, system: System) -> str:
    """Return the command that installs a program here; empty where it isn't known."""
    installer, packages = _installer(system), _PACKAGES.get(program)
    return f"{installer} {packages.get(installer, packages[''])}" if installer and packages else ""


def _installer(system: System) -> str:
    """Return how packages are installed here; empty where it isn't known."""
    return next((_INSTALL[one] for one in system.distributions if one in _INSTALL), "")
