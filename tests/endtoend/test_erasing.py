"""A text that was kept is erased by the command line and in the window, and is in no file afterwards."""

from __future__ import annotations

from pathlib import Path

from endtoend.conftest import Keybench, OtherGateway, places_with
from endtoend.window_fixtures import open_window

TEXT = "typed-into-the-wrong-field/8+"
BUTTON, HIDDEN_TEXT = "push button", "password text"


def add_named(keybench: Keybench, other_gateway: OtherGateway) -> None:
    """Leave a key that is named by the text, and a sale with it."""
    added = keybench.run(
        *("environment", "add", "SANDBOX", "--kind", "test", "--base-url", other_gateway.base_url),
        *("--contract", "v5"),
    )
    assert added.status == 0, added.err
    kept = keybench.run(
        *("key", "add", "--environment", "SANDBOX", "--name", TEXT, "--username", "counter1"),
        *("--permission", "API", "--kind", "private", "--purpose", f"is {TEXT.upper()}"),
        stdin=other_gateway.make_key(),
    )
    assert kept.status == 0, kept.err
    sold = keybench.run(
        *("sale", "--environment", "SANDBOX", "--key", TEXT, "--device", "till-2", "--amount", "10.00")
    )
    assert (sold.status, sold.last["state"]) == (0, "approved"), sold.err
    assert places_with(TEXT, keybench.folder)


def test_by_command(keybench: Keybench, other_gateway: OtherGateway) -> None:
    add_named(keybench, other_gateway)

    erased = keybench.run("activity", "--erase", "--yes", stdin=f"{TEXT}\n")

    assert (erased.status, erased.last["swept"]) == (0, True), erased.err
    assert erased.last["places"] >= 4
    assert places_with(TEXT, keybench.folder) == []
    assert places_with(TEXT.upper(), keybench.folder) == []
    mark = f"[erased #{erased.last['number']}]"
    assert keybench.run("history").last["key"] == mark
    assert keybench.run("key", "test", "--environment", "SANDBOX", "--name", mark).status == 0


def test_in_the_window(tmp_path: Path, other_gateway: OtherGateway) -> None:
    keybench = Keybench(tmp_path / "data")
    add_named(keybench, other_gateway)
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.go_to("Keys")
        window.activate("Activity", "radio button")
        window.press_button("Erase a text…")
        window.wait_for_dialog("Erase a text")
        window.wait_for("Text to erase", HIDDEN_TEXT)
        assert not window.wait_for("Erase", BUTTON, enabled=False).is_enabled
        window.write("Text to erase", TEXT)
        window.press("Return")
        window.wait_for_words("It is in ")
        window.press_button("Erase")
        window.wait_for_words("Erased in ")
        window.wait_for_words("Text erased")
        window.until(lambda: not any(TEXT in words for words in window.words()), "the text to be gone")
    assert places_with(TEXT, keybench.folder) == []
