"""What is said when the window can't be opened."""

from __future__ import annotations


def no_display(display: str, told: str) -> str:
    """Say that there is no screen to open a window on.

    Args:
        display: The display that was tried; empty where none is named.
        told: What Qt said about it, in its own words.
    """
    reason = f"the display {display} doesn't answer" if display else "there is no display here"
    return (
        f"Keybench can't open its window: {reason} ({told.strip().rstrip('.')}).\n"
        "Its commands work without one: keybench --help lists them."
    )


def open_and_silent(folder: str) -> str:
    """Say that a window is open on this data folder already, and can't be brought to the front."""
    return f"Keybench is open already on {folder}, but doesn't answer. Close that one first."
