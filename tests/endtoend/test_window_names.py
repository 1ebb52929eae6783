"""The window by keyboard alone: each control has its promised name and role, and what happens is heard."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from endtoend.conftest import Keybench, OtherGateway
from endtoend.window_fixtures import RAIL, Window, open_window, wait_until_gone

BUTTON, TEXT, COMBO, TOGGLE, TABLE = "push button", "text", "combo box", "radio button", "table"
# A field whose letters are dots: what was pasted can't be read over a shoulder, nor by another program.
HIDDEN_TEXT = "password text"

FRAME = (("Environment", COMBO), *((page, TOGGLE) for page in RAIL))
LIST = (("Add a New Key", BUTTON),)
TABLES = (("Security keys", TABLE),)
KEY = tuple(
    (name, BUTTON) for name in ("Test key", "Reveal", "Copy", "Rotate", "Compromised", "Forget", "More")
)
ADDING = (
    *(("Key Name", TEXT), ("Username", COMBO), ("Key Permission", COMBO), ("Purpose", TEXT)),
    *(("Private", TOGGLE), ("Public", TOGGLE), ("Cancel", BUTTON)),
)
SALE = (
    *(("Device", COMBO), ("Key", COMBO), ("Currency", COMBO), ("Amount", TEXT)),
    *(("Asynchronous", TOGGLE), ("Synchronous", TOGGLE), ("Classic", TOGGLE)),
)
ENVIRONMENTS = (
    *(("Environment name", TEXT), ("Base URL", TEXT), ("Environment kind", COMBO)),
    *(("Proxy", COMBO), ("Add environment", BUTTON)),
)
PROXY = (("Proxy address", TEXT), ("Proxy user", TEXT), ("Proxy password", HIDDEN_TEXT))


def missing(window: Window, promised: Iterable[tuple[str, str]]) -> list[str]:
    """Return which of the promised names and roles aren't on screen, with the roles that are."""
    there = [tuple(one) for one in window.ask("names")]
    absent = []
    for name, role in promised:
        if (name, role) not in there:
            roles = [other for known, other in there if known == name]
            absent.append(f"{name} as {role} (there is: {', '.join(roles) or 'nothing'})")
    return absent


def test_a_key_is_added_tested_and_sells_by_keyboard_alone(tmp_path: Path) -> None:
    with open_window(tmp_path / "data") as window:
        window.wait_until_ready()
        assert window.find("Keybench", "application")
        assert window.find("Keybench – PRACTICE", "frame")  # noqa: RUF001 - the promised dash
        assert window.value_of("Environment") == "practice"
        assert not missing(window, (*FRAME, *LIST, *SALE, ("Send sale", BUTTON)))

        window.press("ctrl+n")
        window.wait_for("Key Name", TEXT)
        assert not missing(window, (*ADDING, ("Create", BUTTON)))
        window.press_button("Cancel")
        window.wait_until_ready()

        window.add_key("till")
        assert not missing(window, (*TABLES, *KEY))
        window.press_button("Test key")
        window.wait_for_words("accepted (200)")

        window.ask("events")
        window.send("10.00")
        told = window.wait_for_outcome("Approved")
        assert told.name == "Outcome"
        heard = window.wait_to_hear("Approved")
        described = [one for one in heard if one["type"].endswith("accessible-description")]
        assert any(one["name"] == "Outcome" for one in described)

        window.press_button("Rotate")
        window.until(lambda: window.focus == (TEXT, "Reason"), "the keyboard at the reason")
        window.press_button("Start rotation")
        window.wait_for("Delete the old key", BUTTON, enabled=False)
        window.tab_to("Stage 1: Create the replacement")
        window.press(*["Right"] * 4)
        window.wait_for("Save the record", BUTTON)

        gateway = window.gateway()
        assert window.quit() == 0
        wait_until_gone(gateway)


@pytest.mark.sweep
def test_a_pasted_key_live_and_the_settings(tmp_path: Path, other_gateway: OtherGateway) -> None:
    keybench = Keybench(tmp_path / "data")
    add = ("environment", "add", "--base-url", other_gateway.base_url, "--kind")
    assert keybench.run(*add, "live", "shop").status == 0
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.choose_environment("shop")
        window.wait_for("Keybench – LIVE · SHOP", "frame")  # noqa: RUF001 - the promised dash
        assert not missing(window, (*FRAME, *LIST, *SALE))
        assert window.find("Send LIVE sale", BUTTON)

        window.press("ctrl+n")
        window.wait_for("Key Name", TEXT)
        assert not missing(window, (*ADDING, ("Key value", HIDDEN_TEXT), ("Save key", BUTTON)))
        window.press("Escape")
        window.wait_until_ready()

        window.go_to("Settings")
        window.press_button("Add environment")
        window.wait_for("Environment name", TEXT)
        assert not missing(window, ENVIRONMENTS)
        window.tab_to("Proxy")
        window.type("Addr")
        window.wait_for("Proxy address", TEXT)
        assert not missing(window, PROXY)
