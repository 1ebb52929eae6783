"""The window driven by keyboard alone, from an empty folder to a sale, and told to whoever can't see it."""

from __future__ import annotations

from pathlib import Path

from endtoend.window_fixtures import open_window, wait_until_gone


def test_a_key_is_added_tested_and_sells_by_keyboard_alone(tmp_path: Path) -> None:
    with open_window(tmp_path / "data") as window:
        window.wait_until_ready()
        window.add_key("counter till")
        window.press_button("Test key")
        window.wait_for_words("accepted (200)")

        window.ask("events")
        window.send("10.00")
        told = window.wait_for_outcome("Approved")
        assert told.name == "Outcome"
        heard = window.wait_to_hear("Approved")
        described = [one for one in heard if one["type"].endswith("accessible-description")]
        assert any(one["name"] == "Outcome" for one in described)

        gateway = window.gateway()
        assert window.quit() == 0
        wait_until_gone(gateway)
