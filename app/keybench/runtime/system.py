"""What this computer runs, as far as that decides where keys can be kept: system, desktop, session bus."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_ROOT: Final = Path("/")
#: There is one in a Flatpak.
_FLATPAK: Final = ".flatpak-info"
#: Where they say whom the Flatpak may talk to, and the names there that include the Secret Service.
_POLICY: Final = "Session Bus Policy"
_SECRET_SERVICE: Final = ("org.freedesktop.secrets", "org.freedesktop.*", "org.*")


@dataclass(frozen=True, slots=True)
class System:
    """What this computer runs.

    Attributes:
        desktops: What the desktop calls itself, in small letters: ``kde``; ``ubuntu`` and ``gnome``.
        in_flatpak: Whether the program runs in a Flatpak.
        flatpak_without_keystore: The Flatpak's id, where it may not talk to the Secret Service; else empty.
        has_bus_runner: Whether ``dbus-run-session`` is there, which starts a session bus for a program.
    """

    platform: str
    desktops: Sequence[str] = ()
    in_flatpak: bool = False
    flatpak_without_keystore: str = ""
    has_bus_runner: bool = False


@cache
def this_system() -> System:
    """Return what this computer runs; it is looked up once."""
    return system_at(_ROOT, sys.platform, os.environ)


def system_at(root: Path, platform: str, environment: Mapping[str, str]) -> System:
    """Return what a computer runs."""
    if not platform.startswith("linux"):
        return System(platform)
    in_flatpak = (root / _FLATPAK).exists()
    desktops = environment.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
    return System(
        platform,
        desktops=[one for one in desktops if one],
        in_flatpak=in_flatpak,
        flatpak_without_keystore=_without_keystore(root / _FLATPAK) if in_flatpak else "",
        has_bus_runner=shutil.which("dbus-run-session", path=environment.get("PATH")) is not None,
    )


def _without_keystore(info: Path) -> str:
    """Return the id of a Flatpak that may not talk to the Secret Service: flatpak-metadata(5)."""
    from configparser import ConfigParser, Error  # noqa: PLC0415 - needed in a Flatpak alone

    told = ConfigParser(interpolation=None, strict=False)
    try:
        told.read_string(info.read_text("utf-8"))
    except (OSError, ValueError, Error):
        return ""
    policy = told[_POLICY] if told.has_section(_POLICY) else {}
    sockets = told.get("Context", "sockets", fallback="").split(";")
    if "session-bus" in sockets or any(policy.get(name) in {"talk", "own"} for name in _SECRET_SERVICE):
        return ""
    return told.get("Application", "name", fallback="")


def session_bus_address() -> str:
    """Return the address of the session bus (D-Bus); empty where there is none."""
    if address := os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    socket = Path(os.environ.get("XDG_RUNTIME_DIR", ""), "bus")
    return f"unix:path={socket}" if socket.is_absolute() and socket.exists() else ""
