"""The notice of a new version, once after an upgrade; what changed is a page of the manual."""

from __future__ import annotations

from typing import Final

from keybench import __version__
from keybench.ui.preferences import Preferences
from keybench.ui.session import Notice, Session
from keybench.words.language import _

_VERSION: Final = "window/version"


def tell_of_upgrade(session: Session) -> None:
    """Say once, after an upgrade, that something is new; at the first start ever say nothing."""
    if was_upgraded(session.preferences):
        title = _("Keybench is now version {version}.").format(version=__version__)
        session.notify(Notice("info", title, _("What's new, in the Help menu, tells what changed.")))


def was_upgraded(preferences: Preferences) -> bool:
    """Return whether an older version was the last that ran, and remember that this one has."""
    last = preferences.text(_VERSION)
    preferences.set_text(_VERSION, __version__)
    # Version 0.1.0 left none.
    return _number(last) < _number(__version__) if last else preferences.was_there


def _number(version: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, version.split(".")))
    except ValueError:
        return (10**9,)
