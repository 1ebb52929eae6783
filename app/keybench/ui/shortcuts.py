"""The keyboard's ways: what each shortcut does, in one table that the window obeys and shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A shortcut.

    Attributes:
        keys: Qt's portable texts for its keys; the first is shown.
        action: What it does, as a stable word.
        words: What it does, for people.
    """

    keys: tuple[str, ...]
    action: str
    words: str


SHORTCUTS: Final = (
    Shortcut(("Ctrl+N",), "add_new_key", "Add a New Key"),
    Shortcut(("Ctrl+Return", "Ctrl+Enter"), "send", "Send the sale, on the Bench"),
    Shortcut(("F5",), "refresh_devices", "Ask the gateway for its devices again"),
    Shortcut(("Ctrl+,",), "settings", "Settings"),
    Shortcut(("Ctrl+E",), "environment", "Go to the environment chooser"),
    Shortcut(("F1", "?"), "overview", "This overview"),
    Shortcut(("Ctrl+L",), "lock", "Lock Keybench"),
    Shortcut(("Ctrl+Q",), "close", "Close Keybench"),
)


def rows(pages: Sequence[str]) -> list[tuple[str, str]]:
    """Return every shortcut's keys and what they do, those of the pages last."""
    named = [(shortcut.keys[0].replace("Return", "Enter"), shortcut.words) for shortcut in SHORTCUTS]
    return named + [(f"Ctrl+{number}", name) for number, name in enumerate(pages, start=1)]
