"""A key without a value: nothing false is said of it, and nothing is sold with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.rotation_hand import BUTTON
from endtoend.window_fixtures import open_window

pytestmark = pytest.mark.timeout(180)


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
