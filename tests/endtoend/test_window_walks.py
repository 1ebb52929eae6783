"""Three people walk through their day at the keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from endtoend.conftest import Keybench, OtherGateway
from endtoend.rotation_hand import ANN, APPLICATIONS, BUTTON, TEXT, Administrator
from endtoend.window_fixtures import Window, open_window

TABLE, TOGGLE = "table", "radio button"
FINDINGS = "Findings of the review"
KEYS = 30


def step(number: int, state: str, title: str) -> str:
    """Return how a step of an empty Bench is told."""
    return f"Step {number} of 3, {state}: {title}"


@pytest.mark.sweep
def test_a_trainer_shows_a_first_sale(tmp_path: Path) -> None:
    with open_window(tmp_path / "data") as window:
        window.wait_until_ready()
        window.wait_for(step(1, "next", "Add a New Key"), BUTTON)

        window.press("ctrl+n")
        window.wait_for_focus(TEXT, "Key Name")
        window.type("front desk")
        window.press("Escape")
        window.wait_for_focus(BUTTON, "Add a New Key")
        window.press("Return")
        window.wait_for_focus(TEXT, "Key Name")
        assert window.text_of("Key Name") == "front desk"
        window.choose("Username", "counter1")
        window.press_button("Create")
        window.wait_for(step(1, "done", "Add a New Key"), BUTTON)
        window.wait_for(step(2, "done", "Choose a device"), BUTTON)
        window.wait_for(step(3, "next", "Send sale"), BUTTON)

        window.send("10.00")
        window.wait_for_outcome("Approved")
        window.wait_for_words("Your first approved sale.")

        window.press_button("Amounts to try")
        window.choose_in_menu("20.00  ")
        window.wait_for_focus(TEXT, "Amount")
        assert window.text_of("Amount") == "20.00"
        window.press("ctrl+Return")
        window.wait_for_outcome("Declined")
        assert len(window.rows("Recent sales")) == 2

        usual = window.height_of("Send sale", BUTTON)
        window.press("ctrl+shift+p")
        window.until(lambda: window.height_of("Send sale", BUTTON) > usual, "larger text")
        window.press("ctrl+shift+p")
        window.until(lambda: window.height_of("Send sale", BUTTON) == usual, "text as it was")
        assert window.quit() == 0


@pytest.mark.sweep
def test_an_administrator_looks_after_thirty_keys(keybench: Keybench, tmp_path: Path) -> None:
    listed = tmp_path / "keys.csv"
    rows = [f"shop {number:02} till,reports,API,private" for number in range(KEYS)]
    listed.write_text("\n".join(["name,username,permission,kind", *rows]))
    keybench.add_key("counter till")
    assert keybench.run("key", "import", str(listed), "--environment", "practice").status == 0
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        ann = Administrator(window)
        renamed = rename_the_second_key(window)
        look_in_the_inventory(window, renamed)
        dismiss_a_group(ann)
        rotate_as_far_as_the_test(ann)
        ann.look_at("Activity")
        done = {(row[1], row[2]) for row in ann.wait_for_rows("Activity")}
        assert {("Rotation started", ANN), ("New key tested", ANN)} <= done
        assert window.quit() == 0


def rename_the_second_key(window: Window) -> str:
    """Find some keys on the Bench, go down to the second one and rename it; return its new name."""
    window.tab_to("Security keys")
    window.press("ctrl+f")
    window.wait_for_focus(TEXT, "Filter keys")
    window.type("shop")
    found = window.until(lambda: names(window, "Security keys", "shop"), "the keys that were meant")
    assert len(found) == KEYS
    window.tab_to("Security keys")
    window.press("Home", "Down", "F2")
    window.wait_for_dialog(f"Rename “{found[1]}”")
    window.press("ctrl+a")
    window.type("shop kiosk")
    window.press("Return")
    window.wait_for_words(f"“{found[1]}” is now called “shop kiosk”.")
    window.until(lambda: "shop kiosk" in names(window, "Security keys", "shop"), "the new name")
    return "shop kiosk"


def names(window: Window, table: str, start: str) -> list[str]:
    """Return the names in a table's first column, once all of them begin so."""
    found = [row[0] for row in window.rows(table)]
    return found if all(name.startswith(start) for name in found) else []


def look_in_the_inventory(window: Window, name: str) -> None:
    """Find a key on the Keys page, open it with Enter, and say who owns it."""
    window.go_to("Keys")
    window.wait_for("Find keys", TEXT)
    window.press("ctrl+f")
    window.wait_for_focus(TEXT, "Find keys")
    window.type("kiosk")
    window.until(lambda: names(window, "Key inventory", name) == [name], "the one key")
    window.press("Return")
    window.wait_for_focus(TABLE, "Key inventory")
    window.press("Return")
    window.wait_for_dialog(f"Owner and purpose of “{name}”")
    window.write("Owner", "Shop floor")
    window.press("Return")
    window.until(
        lambda: any("Shop floor" in row for row in window.rows("Key inventory")), "the owner in the key's row"
    )


def dismiss_a_group(ann: Administrator) -> None:
    """Look at the keys without a value one by one, dismiss all of them for one reason, and take it back."""
    window = ann.window
    ann.look_at("Review")
    folded = ann.wait_for_rows(FINDINGS)
    at = next(
        (number for number, row in enumerate(folded) if row[1].startswith(f"No value here: {KEYS}")), -1
    )
    assert at >= 0, folded
    window.tab_to("One by one")
    window.press("space")
    window.until(lambda: len(window.rows(FINDINGS)) >= KEYS, "the findings one by one")
    window.press("space")
    window.until(lambda: len(window.rows(FINDINGS)) == len(folded), "one row for them")
    window.tab_to(FINDINGS)
    window.press("Home", *["Down"] * at)
    window.press_button("Dismiss all…")
    window.wait_for_dialog(f"Dismiss “No value here: {KEYS}”")
    window.write("Reason", "their values come on Monday")
    window.write("Your name (shown in the record)", ANN)
    window.press_button(f"Dismiss all {KEYS}")
    window.wait_for_words(f"Dismissed {KEYS} findings.")
    window.until(lambda: len(window.rows(FINDINGS)) == len(folded) - 1, "none of them in the list")
    window.press_button("Undo")
    window.until(lambda: len(window.rows(FINDINGS)) == len(folded), "the group again")


def rotate_as_far_as_the_test(ann: Administrator) -> None:
    """Rotate the key that works, up to the new one's test, with its value copied for an application."""
    window = ann.window
    window.go_to("Bench")
    window.write("Filter keys", "counter till")
    window.until(lambda: names(window, "Security keys", "counter till"), "the key to rotate")
    window.press("Down")
    window.wait_for_focus(TABLE, "Security keys")
    ann.rotate("older than a year")
    ann.create()
    ann.compare()
    ann.look_at_stage(1)
    ann.add_application("web shop", APPLICATIONS)
    window.press_button("Copy the new key")
    ann.wait_for_words("The new key is copied for “web shop”.")
    ann.change_application()
    ann.test_key()


@pytest.mark.sweep
def test_a_support_agent_answers_a_call(keybench: Keybench, other_gateway: OtherGateway) -> None:
    keybench.add_key()
    sold = keybench.sell("12.34").last
    keybench.sell("10.00")
    assert keybench.sell("70.00").last["state"] == "unknown"
    elsewhere = ("--base-url", other_gateway.base_url, "--contract", "practice")
    assert keybench.run("environment", "add", "sandbox", "--kind", "test", *elsewhere).status == 0
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        find_a_sale(window, sold["transaction"])
        read_its_exchanges(window)
        show_it(window, sold["reference"])
        settle_the_unknown_one(window)
        correct_an_address(window, other_gateway.base_url)
        assert window.quit() == 0


def find_a_sale(window: Window, transaction: str) -> None:
    """Find a sale by its amount, and by its transaction."""
    window.go_to("History")
    window.until(
        lambda: [row[2] for row in window.rows("Sales")] == ["Till 1"] * 3, "all sales by their device's name"
    )
    window.press("ctrl+f")
    window.wait_for_focus(TEXT, "Find")
    window.type("12.34")
    window.until(lambda: len(window.rows("Sales")) == 1, "the sale of that amount")
    (by_amount,) = window.rows("Sales")
    window.write("Find", "none like it")
    window.until(lambda: not window.rows("Sales"), "no sale")
    window.write("Find", transaction)
    window.until(lambda: window.rows("Sales") == [by_amount], "the same sale by its transaction")


def read_its_exchanges(window: Window) -> None:
    """Go from the sale to its exchanges, to the headers, and to a word in the answer."""
    window.tab_to("Sales")
    window.press("Return")
    window.wait_for_focus(TEXT, "Exchanges")
    assert "content-type" not in window.text_of("Exchanges").casefold()
    window.tab_to("Headers")
    window.press("space")
    window.until(lambda: "content-type" in window.text_of("Exchanges").casefold(), "the headers")
    window.press("ctrl+f")
    window.wait_for_focus(TEXT, "Search exchanges")
    window.type("Status")
    window.until(
        lambda: (found := window.find("Matches")) and found.description.startswith("1 of "), "the first match"
    )
    window.press("Return")
    window.until(
        lambda: (found := window.find("Matches")) and found.description.startswith("2 of "), "the next match"
    )


def show_it(window: Window, reference: str) -> None:
    """Copy the sale for a ticket, and show it on the Bench."""
    window.press_button("Copy for the ticket")
    window.wait_for_words("Copied for the ticket")
    window.press_button("Show on the Bench")
    window.until(lambda: (seen := window.find("Bench", TOGGLE)) and seen.is_checked, "the Bench")
    window.wait_for_outcome("Approved")
    window.wait_for_words(reference)


def settle_the_unknown_one(window: Window) -> None:
    """Find the sale whose answer was lost, and look it up."""
    window.go_to("History")
    window.write("Find", "70.00")
    window.until(lambda: is_listed(window, "Unknown"), "the unknown sale alone")
    window.press_button("Look it up")
    window.until(lambda: is_listed(window, "Approved"), "what became of it")


def is_listed(window: Window, outcome: str) -> bool:
    """Tell whether one sale alone is listed, with this outcome."""
    rows = window.rows("Sales")
    return len(rows) == 1 and any(outcome in cell for cell in rows[0])


def correct_an_address(window: Window, base_url: str) -> None:
    """Enter an address with the API's path, take the one that is offered, and try it."""
    window.go_to("Settings")
    rows = window.until(lambda: window.rows("Environments"), "the environments")
    window.tab_to("Environments")
    at = next(number for number, row in enumerate(rows) if "sandbox" in row[0].casefold())
    window.press("Home", *["Down"] * at)
    window.press_button("Edit environment…")
    window.wait_for_focus(TEXT, "Environment name")
    window.write("Base URL", f"{base_url}/api/v5")
    window.wait_for_words("so the address would have it twice")
    window.press_button(f"Use {base_url}")
    window.wait_for_focus(TEXT, "Base URL")
    assert window.text_of("Base URL") == base_url
    window.press_button("Try the connection")
    window.wait_for_words("A gateway answered in ")
    window.press_button("Save")
    window.wait_for_focus(TABLE, "Environments")
    assert base_url in next(row for row in window.rows("Environments") if "sandbox" in row[0].casefold())
