"""The Keys page driven by keyboard alone: a key is found and tested, and an application noted for it."""

from __future__ import annotations

from pathlib import Path

from endtoend.window_fixtures import open_window

BUTTON, TEXT, TABLE, TOGGLE = "push button", "text", "table", "radio button"
#: What screen readers and scripts find on the page's first two views, by role and name.
INVENTORY = (
    *(("Find keys", TEXT), ("Key inventory", TABLE), ("Columns", BUTTON), ("Import…", BUTTON)),
    *(("Export CSV", BUTTON), ("Export JSON", BUTTON), ("Test the selected keys", BUTTON)),
    *(("Owner and purpose…", BUTTON), ("Give it a value…", BUTTON), ("Its applications", BUTTON)),
    *((view, TOGGLE) for view in ("Inventory", "Applications", "Review", "Activity")),
)


def test_a_key_is_found_tested_and_its_application_noted(tmp_path: Path) -> None:
    with open_window(tmp_path / "data") as window:
        window.wait_until_ready()
        window.add_key("counter till")
        window.add_key("web shop")
        window.go_to("Keys")
        window.wait_for("Find keys", TEXT)
        there = {tuple(one) for one in window.ask("names")}
        assert not [one for one in INVENTORY if one not in there]

        window.write("Find keys", "web")
        window.until(
            lambda: [row[0] for row in window.rows("Key inventory")] == ["web shop"], "the key that is found"
        )
        window.tab_to("Key inventory")
        window.press("ctrl+a")
        window.press_button("Test the selected keys")
        window.until(lambda: "Working" in window.rows("Key inventory")[0], "the key's new state")

        window.press_button("Its applications")
        window.press_button("Add an application…")
        window.until(lambda: window.focus == (TEXT, "Application"), "the keyboard at the name")
        window.type("Night report")
        window.press_button("Add it")
        window.until(lambda: [row[:2] for row in window.rows("Applications")], "the application's row")
        assert [row[:2] for row in window.rows("Applications")] == [["Night report", "web shop"]]
        window.press_button("Remove")
        window.press_button("Undo")
        window.until(lambda: window.rows("Applications"), "the application's row again")
        assert window.quit() == 0
