"""Many keys on the Bench by keyboard: found, renamed, and chosen for a sale by a part of the name."""

from __future__ import annotations

from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.window_fixtures import Window, open_window


def names(window: Window) -> list[str]:
    return [row[0] for row in window.rows("Security keys")]


@pytest.mark.sweep
def test_one_of_many_keys_is_found_renamed_and_sold_with(tmp_path: Path) -> None:
    keybench = Keybench(tmp_path / "data")
    listed = tmp_path / "keys.csv"
    rows = [f"branch {number:03} till,reports,API,private" for number in range(60)]
    listed.write_text("\n".join(["name,username,permission,kind", *rows]))
    taken = keybench.run("key", "import", str(listed), "--environment", "practice")
    assert taken.status == 0, taken.err
    keybench.add_key("front-desk till")
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.write("Filter keys", "front desk")
        window.until(lambda: names(window) == ["front-desk till"], "the one key that is meant")

        window.tab_to("Security keys")
        window.press("Home", "F2")
        window.wait_for_dialog("Rename “front-desk till”")
        window.press("ctrl+a")
        window.type("counter till")
        window.press("Return")
        window.until(lambda: not window.has_dialog("Rename “front-desk till”"), "the dialog's end")
        window.wait_for_words("“front-desk till” is now called “counter till”.")

        window.press_button("More")
        window.press("Down", "Down", "Return")
        window.wait_for_dialog("Owner and purpose of “counter till”")
        window.press("Escape")
        window.write("Filter keys", "counter t")
        window.until(lambda: names(window) == ["counter till"], "the key by its new name")

        window.write("Key", "unter T")
        window.press("Down", "Return")
        window.until(lambda: window.value_of("Key") == "counter till", "the key found by part of its name")
        window.send("10.00")
        window.wait_for_outcome("Approved")
        window.quit()
    tested = keybench.run("key", "test", "--environment", "practice", "--name", "counter till")
    assert tested.status == 0, tested.err
