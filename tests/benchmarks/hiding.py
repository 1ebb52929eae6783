"""How long a value is shown that was revealed in the real window."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.figures import Figure
from endtoend.test_window_reveal import HIDDEN, revealed
from endtoend.window_fixtures import open_window


def measure(folder: Path) -> list[Figure]:
    """Reveal a value, and wait until it is hidden."""
    with open_window(folder / "data") as window:
        window.wait_until_ready()
        window.add_key("till")
        window.tab_to("Reveal")
        window.until(lambda: window.ask("keep", mark="value", name=HIDDEN, role="label"), "the hidden value")
        window.press("space")
        window.until(lambda: revealed(window.ask("kept", mark="value")["name"]), "the value")
        began = time.monotonic()
        window.until(lambda: window.ask("kept", mark="value")["name"] == HIDDEN, "the value to be hidden")
        return [Figure("a value that was revealed is shown for", time.monotonic() - began, "s", 11)]
