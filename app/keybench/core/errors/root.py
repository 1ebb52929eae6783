"""The root of all errors a person can meet."""

from __future__ import annotations


class KeybenchError(Exception):
    """The root: anything Keybench itself can explain."""
