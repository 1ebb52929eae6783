"""A key's value that was revealed goes by itself, for the eye and for every other program."""

from __future__ import annotations

import pytest

from endtoend.conftest import Keybench
from endtoend.window_fixtures import open_window

HIDDEN = "Value, hidden"


@pytest.mark.sweep
def test_a_value_is_shown_for_a_while_and_then_nowhere(keybench: Keybench) -> None:
    keybench.add_key()
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.tab_to("Reveal")
        window.until(lambda: window.ask("keep", mark="value", name=HIDDEN, role="label"), "the hidden value")
        before = window.ask("look", mark="value")

        window.press("space")
        value = window.until(lambda: revealed(window.ask("kept", mark="value")["name"]), "the value")
        shown = window.ask("look", mark="value")
        window.until(lambda: window.ask("kept", mark="value")["name"] == HIDDEN, "the value to be hidden")

        # Compared outside the assertions: their texts must never hold the value.
        stays = [len(words) for words in window.words(hidden=True) if value in words]
        was_seen, is_as_before = shown != before, window.ask("look", mark="value") == before
        assert not stays, "the value is still told to other programs"
        assert was_seen, "the value was never to be seen"
        assert is_as_before, "the value is still to be seen"


def revealed(name: str) -> str:
    """Return the label's words if they are a value, else nothing."""
    return "" if name == HIDDEN else name
