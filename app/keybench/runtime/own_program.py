"""How this program is started again: from a checkout or an installation, or as a frozen bundle."""

from __future__ import annotations

import sys


def own_command(*words: str) -> list[str]:
    """Return the arguments that start this program with the words of a command."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "keybench"]
    return [*program, *words]
