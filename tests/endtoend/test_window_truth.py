"""Nothing false is said: of a compromised key, the clipboard, a key without a value, an application."""

from __future__ import annotations

from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.rotation_hand import APPLICATIONS, BUTTON, DELETE, open_for_ann
from endtoend.window_fixtures import Window, open_window

COMPROMISED = "Compromised"
#: A value stays on the clipboard for ten seconds.
CLEARED_S = 20.0
pytestmark = pytest.mark.timeout(180)


def stands(window: Window, table: str) -> str:
    """Return all that a table says of its first row; empty while there is none."""
    rows = window.rows(table)
    return " · ".join(rows[0]) if rows else ""


@pytest.mark.sweep
def test_a_compromised_key_is_that_everywhere_until_it_is_dealt_with(keybench: Keybench) -> None:
    keybench.add_key()
    with open_for_ann(keybench.folder) as ann:
        window = ann.window
        window.go_to("Bench")
        window.press_button(COMPROMISED)
        ann.agree("Is “till” compromised?", "It is compromised")
        ann.wait_for_words("Rotate at once, review the access logs, contact support")
        window.go_to("Bench")
        window.press_button("Test key")
        ann.wait_for_words("✓ accepted (200)")
        ann.wait_for_words("being rotated")
        assert COMPROMISED in stands(window, "Security keys")
        window.until(
            lambda: "till · compromised" in window.value_of("Key"), "the key's mark in the sale test"
        )
        assert window.quit() == 0

    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.until(lambda: window.rows("Security keys"), "the keys")
        assert COMPROMISED in stands(window, "Security keys")
        assert "Working" not in stands(window, "Security keys")
        window.go_to("Keys")
        window.until(lambda: COMPROMISED in stands(window, "Key inventory"), "its standing in the inventory")
        assert window.quit() == 0
    (key,) = keybench.run("key", "list", "--environment", "practice").lines
    assert (key["state"], key["status"], key["compromised"]) == ("compromised", 200, True)
    findings = keybench.run("review", "--environment", "practice").lines
    assert [one["severity"] for one in findings if COMPROMISED in one.get("title", "")] == ["bad"]


@pytest.mark.sweep
def test_what_is_said_of_the_clipboard_goes_with_its_key(tmp_path: Path) -> None:
    with open_window(tmp_path / "data") as window:
        window.wait_until_ready()
        window.add_key("a till")
        window.add_key("b till")
        window.press_button("Copy")
        window.wait_for_words("The clipboard is cleared in")
        window.tab_to("Security keys")
        window.press("Up")
        window.until(lambda: not of_clipboard(window), "nothing said of another key's value")
        window.press("Down")
        window.wait_for_words("The clipboard is cleared in")
        window.until(lambda: "The clipboard was cleared." in window.words(), "the end", limit_s=CLEARED_S)
        window.press("Up")
        window.until(lambda: not of_clipboard(window), "nothing said of another key's value")
        assert window.quit() == 0


def of_clipboard(window: Window) -> list[str]:
    """Return what is said on screen of the clipboard."""
    return [words for words in window.words() if "clipboard" in words]


def test_a_key_without_a_value_has_nothing_to_show_or_to_sell_with(
    keybench: Keybench, tmp_path: Path
) -> None:
    listed = tmp_path / "keys.csv"
    listed.write_text("name,username,permission,kind\nimported till,counter1,API,private\n")
    taken = keybench.run("key", "import", str(listed), "--environment", "practice")
    assert taken.status == 0, taken.err
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.wait_for("Give it a value…", BUTTON)
        said = window.words()
        assert "Value: No value here" in said
        assert not [words for words in said if "•" in words or words.startswith("in ")]
        assert "Only its description was imported" in window.wait_for("Give it a value…", BUTTON).description
        assert not [name for name in ("Test key", "Reveal", "Copy") if window.find(name, BUTTON)]
        window.until(lambda: "imported till · no value here" in window.value_of("Key"), "the key's mark")

        window.write("Device", "till-1")
        window.write("Amount", "10.00")
        window.press_button("Send sale")
        window.wait_for_words("“imported till” has no value here, so nothing can be sent with it.")
        assert window.quit() == 0
    assert keybench.run("history", "--limit", "5").lines == []


@pytest.mark.sweep
def test_this_console_s_call_does_not_pass_for_an_application(keybench: Keybench) -> None:
    keybench.add_key()
    with open_for_ann(keybench.folder) as ann:
        window = ann.window
        window.go_to("Bench")
        ann.rotate("older than a year")
        ann.create()
        ann.compare()
        ann.look_at_stage(1)
        ann.add_application("web shop", APPLICATIONS)
        ann.change_application()
        window.press_button("Test now")
        ann.wait_for_words("That doesn't show that web shop works with it")
        assert "key accepted, not seen" in stands(window, APPLICATIONS)
        assert not window.wait_for(DELETE, BUTTON, enabled=False).is_enabled
        ann.wait_for_words("web shop has not had a success on the new key since the change")

        ann.see_working("an order in its list")
        window.wait_for(DELETE, BUTTON)
        assert window.quit() == 0
    done = [line["action"] for line in keybench.run("activity", "--limit", "100").lines]
    assert done.index("application seen working") < done.index("new key accepted from here")
