"""What to do on this computer where its keystore is missing: what to install, to start or to allow."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from keybench.core.errors import KeystoreGone, KeystoreMissing, Lack
from keybench.runtime.data_folder import own_command
from keybench.runtime.system import System, this_system
from keybench.words.language import _


@dataclass(frozen=True, slots=True)
class KeystoreHelp:
    """What is missing and what to do about it; a command stands in the step, and alone to be copied."""

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
        return KeystoreHelp(
            _("{name} isn't there, and this installation keeps its keys in it.").format(name=error.name),
            _("Start {name} and unlock it, then try again.").format(name=error.name),
        )
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
    return _none_running(system)


def _no_bus(system: System) -> KeystoreHelp:
    title = _("The keystore is reached over the session bus (D-Bus), and there is none.")
    if system.has_bus_runner and not system.in_flatpak:
        command = shlex.join(["dbus-run-session", "--", *own_command()])
        step = _("Start Keybench from the desktop, or with “{command}”.").format(command=command)
        return KeystoreHelp(title, step, command)
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


def _none_running(system: System) -> KeystoreHelp:
    title = _("No keystore is running here (Secret Service).")
    if "kde" in system.desktops:
        step = _(
            "Turn KDE Wallet on in the System Settings; the package kwalletmanager has it. Then try again."
        )
    else:
        step = _("Install GNOME Keyring, the package gnome-keyring, or KeePassXC. Then try again.")
    if system.in_flatpak:
        outside = _("It has to be on the computer itself, outside the Flatpak.")
        step = f"{outside} {step}"
    return KeystoreHelp(title, step)
