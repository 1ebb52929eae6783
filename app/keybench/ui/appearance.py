"""The colours a person chose, as the window remembers them."""

from __future__ import annotations

from typing import Final

from keybench.ui.preferences import Preferences
from keybench.ui.theme import Scheme

#: The preference that holds the chosen colours.
SCHEME: Final = "appearance/scheme"


def remembered_scheme(preferences: Preferences) -> Scheme:
    """Return the colours a person chose before, or the system's."""
    text = preferences.text(SCHEME, Scheme.SYSTEM)
    return Scheme(text) if text in set(Scheme) else Scheme.SYSTEM
