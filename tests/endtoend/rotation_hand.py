"""Somebody who looks after keys, at the window's keyboard alone; and what the world outside knows of it."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import secretstorage

from endtoend.window_fixtures import Window, open_window

BUTTON, TEXT, TOGGLE, TABLE = "push button", "text", "radio button", "table"
ANN = "Ann Example"
STAGES = (
    *("Stage 1: Create the replacement", "Stage 2: Replace it in apps", "Stage 3: Test"),
    *("Stage 4: Delete the old key", "Stage 5: Update the documents"),
)
CREATE, COMPARE, DELETE = "Create the replacement", "Compare permissions", "Delete the old key"
APPLICATIONS = "Applications that use this key"
#: A rotation's steps wait for machines that are busy with other tests.
LONG_S = 60.0
_SERVICE = "Keybench/"


class Administrator:
    """What is done with keys and their rotations."""

    def __init__(self, window: Window) -> None:
        self.window = window

    # --- waiting ----------------------------------------------------------------------------------

    def wait_for_focus(self, role: str, name: str) -> None:
        """Wait until the keyboard is where the window brings it."""
        self.window.until(
            lambda: self.window.focus == (role, name), f"the keyboard at {name!r}", limit_s=LONG_S
        )

    def wait_for_words(self, part: str) -> str:
        """Wait until something on screen says `part` and return all of it."""
        return self.window.until(
            lambda: next((words for words in self.window.words() if part in words), ""),
            f"the words {part!r}",
            limit_s=LONG_S,
        )

    def wait_for_rows(self, table: str) -> list[list[str]]:
        """Wait until a table has rows and return their texts."""
        return self.window.until(lambda: self.window.rows(table), f"rows of {table!r}", limit_s=LONG_S)

    # --- small ways -------------------------------------------------------------------------------

    def write(self, field: str, text: str) -> None:
        """Replace what a field holds, and wait until it is there: shortcuts overtake letters in Qt."""
        self.window.write(field, text)

        def holds() -> bool:
            seen = self.window.find(field, TEXT)
            return seen is not None and seen.text == text

        self.window.until(holds, f"{text!r} in {field!r}", limit_s=LONG_S)

    def agree(self, title: str, button: str) -> None:
        """Press the button that goes on with a dangerous question; Cancel has the keyboard first."""
        self.wait_for_words(title)
        self.wait_for_focus(BUTTON, "Cancel")
        self.window.tab_to(button)
        self.window.press("space")

    def save_as(self, button: str, path: Path) -> None:
        """Press a button that saves something, and say where to."""
        self.window.press_button(button)
        self.wait_for_focus(TEXT, "File name:")
        self.write("File name:", str(path))
        self.window.press_button("Save")  # Enter only closes the list of names that match, while there is one
        self.window.until(path.exists, f"the file {path.name}", limit_s=LONG_S)

    def choose_environment(self, name: str) -> None:
        """Go to another environment, unless it is the one shown."""
        if self.window.value_of("Environment") != name:
            self.window.choose_environment(name)

    def sign(self) -> None:
        """Enter who works here."""
        self.window.go_to("Rotations")
        self.write("Your name", ANN)

    def look_at(self, view: str) -> None:
        """Go to a view of the Keys page, along its segments."""
        self.window.go_to("Keys")
        views = ("Inventory", "Applications", "Review", "Activity")
        chosen = self.window.until(
            lambda: next((one for one in views if self._is_chosen(one)), ""), "a view of the keys"
        )
        self._tab_to_toggle(chosen)
        self._go_along(views, chosen, view)

    def _go_along(self, toggles: Sequence[str], chosen: str, wanted: str) -> None:
        steps = toggles.index(wanted) - toggles.index(chosen)
        self.window.press(*["Right" if steps > 0 else "Left"] * abs(steps))
        self.window.until(lambda: self._is_chosen(wanted), f"the choice of {wanted}", limit_s=LONG_S)

    def _tab_to_toggle(self, name: str) -> None:
        """Go to a toggle, past tables and buttons of the same name."""
        self.window.tab_to(name)
        while self.window.focus != (TOGGLE, name):
            self.window.press("Tab")
            self.window.until(lambda: self.window.focus[1] != name, "the keyboard to move on")
            self.window.tab_to(name)

    def _is_chosen(self, view: str) -> bool:
        seen = self.window.find(view, TOGGLE)
        return seen is not None and seen.is_checked

    # --- a rotation's steps -----------------------------------------------------------------------

    def add_application(self, name: str, table: str) -> None:
        """Add an application whose owner nobody knows, and wait until a table lists it."""
        self.window.press_button("Add an application…")
        self.wait_for_focus(TEXT, "Application")
        self.window.type(name)
        self.window.write("Where the key is set", "PAYMENT_KEY on web-1")
        self.window.press_button("Add it")
        self.window.until(
            lambda: [row for row in self.window.rows(table) if row[0] == name], f"the application {name}"
        )

    def rotate(self, reason: str) -> None:
        """Begin a rotation of the key that is chosen on the Bench."""
        self.window.go_to("Bench")
        self.window.press_button("Rotate")
        self.wait_for_focus(TEXT, "Reason")
        self.window.press("ctrl+a")
        self.window.type(reason)
        self.window.press_button("Start rotation")
        self.wait_for_focus(BUTTON, CREATE)

    def create(self) -> None:
        """Have the gateway make the replacement."""
        self.window.press_button(CREATE)
        self.wait_for_focus(BUTTON, COMPARE)

    def compare(self) -> list[list[str]]:
        """Compare what both keys may do; return what the old and the new key met, call by call."""
        self.window.press_button(COMPARE)
        self.wait_for_words("✓ 1")
        self.look_at_stage(0)
        return [row[1:3] for row in self.wait_for_rows("Same permission")]

    def look_at_stage(self, number: int) -> None:
        """Go along the cards to a stage's, counted from 0."""
        chosen = self.window.until(lambda: next(filter(self._is_chosen, STAGES), ""), "a stage's card")
        self._tab_to_toggle(chosen)
        self._go_along(STAGES, chosen, STAGES[number])

    def change_application(self) -> None:
        """Note that the only application has the new key."""
        self.look_at_stage(1)
        self.window.press_button("New key is set there")
        self.wait_for_focus(BUTTON, "Test the new key")

    def see_all_working(self) -> None:
        """Test the new key, and see the application work with it."""
        self.test_key()
        self.see_working("an order in its list")
        self.wait_for_focus(TOGGLE, STAGES[3])

    def see_working(self, what: str) -> None:
        """Record that the chosen application was seen working."""
        self.window.press_button("Confirm it works…")
        self.wait_for_focus(TEXT, "What was seen")
        self.window.type(what)
        self.window.press_button("Confirm")

    def test_key(self) -> None:
        """Test the new key itself."""
        self.window.press_button("Test the new key")
        self.wait_for_words("Accepted by the gateway (200)")

    def delete(self, name: str) -> None:
        """Delete the old key, and agree once more."""
        self.window.wait_for(DELETE, BUTTON)
        self.window.press_button(DELETE)
        self.agree(f"Delete “{name}”?", DELETE)

    def wait_until_gone(self) -> None:
        """Wait until the old key was seen to be refused and its value is erased."""
        self.wait_for_words("gone and refused")
        self.window.wait_for("Save the record", BUTTON)

    def finish(self) -> None:
        """End the rotation."""
        self.window.press_button("Finish")
        self.wait_for_words("Finished. Save the record now; it stays readable here.")

    def gateway_url(self) -> str:
        """Return where the window's practice gateway is."""
        return "http://" + self.wait_for_words("Gateway up").rsplit(" ", 1)[-1]


@contextmanager
def open_for_ann(folder: Path) -> Iterator[Administrator]:
    """Open the window on a data folder, and have Ann say who she is."""
    with open_window(folder) as window:
        window.wait_until_ready()
        administrator = Administrator(window)
        administrator.sign()
        yield administrator


def portal(base_url: str, path: str) -> Any:
    """Ask a practice gateway's portal as somebody outside does."""
    request = urllib.request.Request(f"{base_url}/portal/{path}", headers={"X-Practice-Portal": "1"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def changes(base_url: str, key_id: str = "") -> list[tuple[str, int]]:
    """Return the calls by which keys were made and deleted, or one was, each with its status, in order."""
    entries = sorted(portal(base_url, "log?limit=5000")["entries"], key=lambda entry: entry["sequence"])
    return [
        (entry["method"], entry["status"])
        for entry in entries
        if entry["path"].startswith(f"/portal/keys/{key_id}" if key_id else "/portal/keys")
        and entry["method"] in {"POST", "DELETE"}
    ]


class Kept:
    """What is in the session's keyring since it was made: the values of one test."""

    def __init__(self) -> None:
        self._before: dict[str, str] = {}
        self._before = self.values()

    def values(self) -> dict[str, str]:
        """Return the values by their items' names."""
        with closing(secretstorage.dbus_init()) as connection:
            items = list(secretstorage.get_default_collection(connection).get_all_items())
            found = {item.get_attributes().get("service", ""): item for item in items}
            return {
                name: item.get_secret().decode()
                for name, item in found.items()
                if name.startswith(_SERVICE) and name not in self._before
            }
