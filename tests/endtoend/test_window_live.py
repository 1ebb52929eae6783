"""A live environment at the keyboard: a key brought from the portal, and a question before money moves."""

from __future__ import annotations

from pathlib import Path

from endtoend.conftest import Keybench, OtherGateway
from endtoend.window_fixtures import Window, open_window

SEND = "Send LIVE sale"
QUESTION = "Take 10.00 USD for real?"


def sales_at(gateway: OtherGateway) -> int:
    """Return how many sales were posted to a gateway."""
    entries = gateway.portal("GET", "log?limit=9999")["entries"]
    return sum(entry["method"] == "POST" and entry["path"].endswith("/sale") for entry in entries)


def ask_to_send(window: Window) -> None:
    """Press Send and wait for the question."""
    window.tab_to(SEND)
    window.press("space")
    window.wait_for(QUESTION, "dialog")
    window.until(lambda: window.focus == ("push button", "Cancel"), "the keyboard at Cancel")


def test_a_pasted_key_sells_live_only_after_the_question(tmp_path: Path, other_gateway: OtherGateway) -> None:
    keybench = Keybench(tmp_path / "data")
    add = ("environment", "add", "shop", "--kind", "live", "--base-url", other_gateway.base_url)
    assert keybench.run(*add).status == 0
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.choose_environment("shop")
        window.wait_for("Keybench – LIVE · SHOP", "frame")  # noqa: RUF001 - the promised dash
        window.press("ctrl+n")
        window.until(lambda: window.focus == ("text", "Key Name"), "the keyboard at Key Name")
        window.type("till")
        window.write("Username", "counter1")
        window.write("Key value", other_gateway.make_key())
        window.press_button("Save key")
        window.wait_for("Test key", "push button")

        window.write("Device", "till-1")
        window.write("Amount", "10.00")
        ask_to_send(window)
        window.press("Return")
        window.until(lambda: window.find(QUESTION, "dialog") is None, "the question to go")
        assert sales_at(other_gateway) == 0

        ask_to_send(window)
        window.tab_to(SEND)
        window.press("space")
        window.wait_for_outcome("Approved")
        assert sales_at(other_gateway) == 1
        assert window.quit() == 0
