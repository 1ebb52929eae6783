"""What is told of the program itself: its version, what it runs on, and where its data is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.ports import KeystoreStatus
from keybench.runtime.build import Build
from keybench.words.language import _
from keybench.words.system import keystore_status

TAGLINE: Final = _("A desktop console for payment API keys and cloud-device sale tests.")
UNKNOWN: Final = _("not known")
_PACKAGES: Final[Mapping[str, str]] = {
    "deb": _("Debian package"),
    "flatpak": _("Flatpak"),
    "folder": _("unpacked folder"),
    "macos": _("app for macOS"),
    "windows": _("program for Windows"),
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the program runs on: versions, Qt's platform plugin such as ``xcb``, scales, and places."""

    python: str
    qt: str
    pyside: str
    openssl: str
    sqlite: str
    platform: str
    screen_scale: float
    text_scale: float
    system: str
    data_folder: str
    keystore: KeystoreStatus


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of what is told."""

    name: str
    text: str


def about_facts(build: Build | None, around: Surroundings) -> Sequence[Fact]:
    nothing = _("Nothing is written in this run.")
    commit = _("Looking…") if build is None else build.commit or UNKNOWN
    display = _("{plugin}, screen at {screen} %, text at {text} %").format(
        plugin=around.platform, screen=round(around.screen_scale * 100), text=round(around.text_scale * 100)
    )
    return (
        Fact(_("Commit"), commit),
        Fact(_("Installed as"), _("Looking…") if build is None else package_words(build)),
        Fact(_("System"), around.system),
        Fact(_("Display"), display),
        Fact("Python", around.python),
        Fact("Qt", _("{qt}, PySide6 {pyside}").format(qt=around.qt, pyside=around.pyside)),
        Fact("OpenSSL", around.openssl),
        Fact("SQLite", around.sqlite),
        Fact(_("Keystore"), keystore_status(around.keystore)),
        Fact(_("Data folder"), around.data_folder or nothing),
    )


def about_text(version: str, facts: Sequence[Fact]) -> str:
    title = _("Keybench {version}").format(version=version)
    return "\n".join([title, *(f"{fact.name}: {fact.text}" for fact in facts), ""])


def package_words(build: Build) -> str:
    if not build.package:
        return _("checkout of the source") if build.commit else UNKNOWN
    return _PACKAGES.get(build.package, build.package)
