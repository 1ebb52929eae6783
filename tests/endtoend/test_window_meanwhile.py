"""What is typed in the window stays while something is under way."""

from __future__ import annotations

from endtoend.conftest import Keybench, OtherGateway
from endtoend.rotation_hand import TEXT, Administrator
from endtoend.slow_gateway import slow_gateway
from endtoend.window_fixtures import Window, open_window

LIMIT = "Maximum amount per sale"


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
