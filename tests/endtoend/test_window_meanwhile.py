"""The window while something is under way: what is typed stays, what is left is told, closing asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from endtoend.conftest import Keybench, OtherGateway
from endtoend.rotation_hand import BUTTON, TEXT, Administrator, open_for_ann
from endtoend.slow_gateway import slow_gateway
from endtoend.window_fixtures import Window, open_window

LIMIT = "Maximum amount per sale"
QUESTION = "Close while a sale is under way?"
WRONG = "Something went wrong"


@contextmanager
def written_to_by_another(folder: Path) -> Iterator[None]:
    """Hold the journal as a program does that writes to it; who else writes waits."""
    with closing(sqlite3.connect(folder / "journal.sqlite3", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def keys_of(window: Window) -> list[str]:
    """Return how many keys each environment has, as Settings lists them."""
    return [row[-1] for row in window.rows("Environments")]


def test_a_limit_that_is_being_typed_stays_when_a_key_changes(
    keybench: Keybench, other_gateway: OtherGateway
) -> None:
    with slow_gateway(other_gateway.base_url) as slow:
        keybench.add_environment(slow.base_url, contract="practice")
        with open_window(keybench.folder) as window:
            window.wait_until_ready()
            Administrator(window).choose_environment("SANDBOX")
            window.until(lambda: window.rows("Security keys"), "the key")
            window.press("ctrl+n")
            window.until(lambda: window.focus == (TEXT, "Key Name"), "the keyboard at Key Name")
            window.type("counter")
            window.choose("Username", "counter1")
            slow.hold("POST", "/portal/keys")
            window.press_button("Create")
            window.until(slow.held.is_set, "the key to be made")
            window.go_to("Settings")
            window.until(lambda: keys_of(window) == ["0", "1"], "both environments")
            window.tab_to("Environments")
            window.press("Home", "Down")
            window.press_button("Edit environment…")
            window.write(LIMIT, "25")

            slow.let_go()
            window.until(lambda: "counter" in keybench.run("key", "list").out, "the new key")
            assert window.focus == (TEXT, LIMIT)
            window.type(".50")
            window.until(lambda: (field := window.find(LIMIT, TEXT)) and field.text == "25.50", "the limit")
            window.press("Return")
            window.wait_for_words("“SANDBOX” was changed.")
            window.until(lambda: keys_of(window) == ["0", "2"], "the new key to be counted")
            assert window.quit() == 0


@pytest.mark.sweep
def test_leaving_a_new_rotation_while_it_starts_tells_that_it_began(keybench: Keybench) -> None:
    keybench.add_key()
    other = ("environment", "add", "SANDBOX", "--kind", "test", "--base-url", "https://gateway.example")
    assert keybench.run(*other).status == 0
    with open_for_ann(keybench.folder) as ann:
        window = ann.window
        window.press_button("New…")
        ann.wait_for_focus("combo box", "Key")
        window.wait_for("Start rotation", BUTTON)
        with written_to_by_another(keybench.folder):
            window.press_button("Start rotation")
            window.until(lambda: not window.find("Start rotation", BUTTON), "the form to close")
            ann.choose_environment("SANDBOX")
        ann.wait_for_words("The rotation of “till” has begun.")
        assert not [words for words in window.words() if WRONG in words]
        assert window.quit() == 0


@pytest.mark.sweep
def test_closing_over_a_sale_asks(keybench: Keybench) -> None:
    keybench.add_key()
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.go_to("Bench")
        window.send("90.00")
        window.wait_for("Cancel on device", BUTTON)

        window.press("ctrl+q")
        window.wait_for_dialog(QUESTION)
        window.press("Escape")
        window.until(lambda: not window.has_dialog(QUESTION), "the question to go")
        window.press("ctrl+q")
        window.wait_for_dialog(QUESTION)
        window.press_button("Close")
        assert window.process.wait(15) == 0
    (sale,) = keybench.run("history").lines
    assert sale["state"] not in {"declined", "not_sent"}
