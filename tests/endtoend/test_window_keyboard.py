"""The window driven by keyboard alone, from an empty folder to a sale, and told to whoever can't see it."""

from __future__ import annotations

from pathlib import Path

import pytest

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


@pytest.mark.sweep
def test_an_environment_is_added_and_shown_by_keyboard_alone(tmp_path: Path) -> None:
    with open_window(tmp_path / "data") as window:
        window.wait_until_ready()
        window.go_to("Settings")
        window.press_button("Add environment")
        window.until(lambda: window.focus == ("text", "Environment name"), "the keyboard at the name")
        window.type("shop")
        window.choose("Environment kind", "Live")
        window.write("Base URL", "sandbox.example")
        window.press_button("Add environment")
        window.until(lambda: window.focus == ("text", "Base URL"), "the keyboard at what has to be mended")
        window.write("Base URL", "https://gateway.example")
        window.press("Return")
        row = window.until(
            lambda: [row for row in window.rows("Environments") if row[0].casefold() == "shop"],
            "the environment's row",
        )[0]
        assert {"LIVE", "https://gateway.example"} <= set(row)
        window.until(
            lambda: window.focus == ("push button", "Add environment"), "a button that leads nowhere"
        )

        window.press_button("Switch to it")
        window.wait_for("Keybench – LIVE · SHOP", "frame")  # noqa: RUF001 - the promised dash
        assert window.quit() == 0
