"""Every page by what a screen reader is told of it, in English and in German."""

from __future__ import annotations

import gettext
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.rotation_hand import BUTTON, TEXT, Kept
from endtoend.window_fixtures import RAIL, Window, open_window
from keybench.words.language import DOMAIN, folder

COMBO, TABLE, TOGGLE = "combo box", "table", "radio button"
FINDINGS = "Findings of the review"


@dataclass(frozen=True)
class Stop:
    """A page, or a view of one, with what is promised to be there by role and name."""

    page: str
    view: str = ""
    buttons: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    boxes: tuple[str, ...] = ()
    toggles: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()

    @property
    def promised(self) -> set[tuple[str, str]]:
        named = {BUTTON: self.buttons, TEXT: self.texts, COMBO: self.boxes, TOGGLE: self.toggles}
        named[TABLE] = self.tables
        everywhere = {("Environment", COMBO), ("Notices", BUTTON), *((page, TOGGLE) for page in RAIL)}
        return everywhere | {(name, role) for role, those in named.items() for name in those}


VIEWS = ("Inventory", "Applications", "Review", "Activity")
STOPS = (
    Stop(
        "Bench",
        buttons=(
            *("Add a New Key", "Test key", "Reveal", "Copy", "Rotate", "Compromised", "More"),
            *("Amounts to try", "Send sale"),
        ),
        texts=("Filter keys", "Amount"),
        boxes=("Device", "Key", "Currency"),
        toggles=("All", "Private", "Public", "Asynchronous", "Synchronous", "Classic"),
        tables=("Security keys", "Recent sales"),
        forms=(("Add a New Key", "Key Name"),),
    ),
    Stop(
        "Keys",
        "Inventory",
        buttons=(
            *("Columns", "Import…", "Export CSV", "Test the selected keys", "Owner and purpose…"),
            *("Give it a value…", "Its applications"),
        ),
        texts=("Find keys",),
        toggles=VIEWS,
        tables=("Key inventory",),
    ),
    Stop(
        "Keys",
        "Applications",
        buttons=("Add an application…",),
        toggles=VIEWS,
        tables=("Applications",),
        forms=(("Add an application…", "Application"),),
    ),
    Stop("Keys", "Review", toggles=("Findings", "Reminders", "Leaver check"), tables=(FINDINGS,)),
    Stop("Keys", "Activity", texts=("Search activity",), toggles=VIEWS, tables=("Activity",)),
    Stop("Rotations", buttons=("New…",), forms=(("New…", "Reason"),)),
    Stop("Devices", buttons=("Refresh",), texts=("Search devices",), tables=("Devices",)),
    Stop(
        "History",
        buttons=(
            *("Export CSV", "Show on the Bench", "Copy for the ticket", "Save as HAR…"),
            "Show 1 unknown sale",
        ),
        texts=("Find", "Search exchanges", "Exchanges"),
        boxes=("Environment filter", "Outcome filter", "Dates"),
        toggles=("Exchanges", "Outcome"),
        tables=("Sales",),
    ),
    Stop("Diagnose", buttons=("Run diagnosis",), boxes=("Key", "Device"), tables=("Findings",)),
    Stop(
        "Settings",
        buttons=("Add environment",),
        texts=("Find a setting",),
        tables=("Environments",),
        forms=(("Add environment", "Base URL"),),
    ),
)
#: What somebody can do something with, and so has to be told by a name.
CONTROLS = {
    *(BUTTON, TEXT, COMBO, TOGGLE, TABLE, "password text", "toggle button", "check box", "radio button"),
    *(
        "spin button",
        "slider",
        "list",
        "page tab",
        "menu item",
        "table column header",
        "dialog",
        "progress bar",
    ),
}

#: More controls than any page has.
_MOST_STOPS = 60


@pytest.mark.sweep
def test_a_screen_reader_finds_every_page_by_its_names(keybench: Keybench) -> None:
    kept = Kept()
    keybench.add_key()
    of_what = ("--environment", "practice", "--key", "till", "--name", "web shop")
    assert keybench.run("application", "add", *of_what).status == 0
    assert keybench.sell("70.00").last["state"] == "unknown"
    (value,) = kept.values().values()
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.until(lambda: window.rows("Security keys"), "the key")
        window.ask("events")
        window.until(lambda: window.value_of("Device"), "a device")
        window.activate("Send sale")
        window.wait_for_outcome("Approved")
        window.wait_to_hear("Approved")
        for stop in STOPS:
            hear(window, stop, value)
        is_told = any(value in words for words in window.words(hidden=True))
        assert not is_told, "what is out of sight tells the value of a key"
        assert window.quit() == 0


def hear(window: Window, stop: Stop, value: str) -> None:
    """Go to a page and hear all of it: what is promised is there, all has names, no value is told."""
    for toggle in filter(None, (stop.page, stop.view)):
        window.activate(toggle, TOGGLE)
    where = f"{stop.page} {stop.view}"

    def missing() -> list[str]:
        there = {(name, role) for name, role in window.ask("names")}
        return [f"{name} as {role}" for name, role in stop.promised - there]

    window.until(lambda: not missing(), f"all that is promised on {where}")
    for table in stop.tables:
        rows = window.until(lambda table=table: window.rows(table), f"rows of {table}")
        assert all(any(cell for cell in row) for row in rows), (where, table)
    for opener, first in stop.forms:
        window.activate(opener)
        window.wait_for(first, TEXT)
        judge_names(window, f"{where}, {opener}", value)
        window.activate("Cancel")
        window.wait_for(opener)
    for search in stop.texts[:1]:  # what is in a field has a button beside it that takes it away
        window.fill(search, "t")
        window.wait_for("Clear", BUTTON)
    judge_names(window, where, value)


def judge_names(window: Window, where: str, value: str) -> None:
    """Fail on a control without a name, and on a word that tells a key's value."""
    there = window.ask("names")
    nameless = [
        (role, [name for name, _role in there[max(at - 3, 0) : at]])
        for at, (name, role) in enumerate(there)
        if role in CONTROLS and not name
    ]
    assert not nameless, (where, nameless)
    is_told = any(value in words for words in window.words())
    assert not is_told, f"{where} tells the value of a key"


class German:
    """The catalogue: each sentence in German, and whether what is heard is one of them."""

    def __init__(self) -> None:
        self.say = gettext.translation(DOMAIN, folder(), ["de"]).gettext
        catalogue = gettext.translation(DOMAIN, folder(), ["de"])._catalog  # type: ignore[attr-defined]  # its sentences
        self._english = {one for one, german in catalogue.items() if isinstance(one, str) and one != german}
        self._patterns = [
            re.compile(re.sub(r"\\{\w+\\}", ".+", re.escape(german.replace("&", ""))), re.DOTALL)
            for german in catalogue.values()
            if re.search(r"\w{2}", re.sub(r"\{\w+\}", "", german))
        ]

    def is_sentence(self, heard: str) -> bool:
        """Tell whether it is in the catalogue, and isn't English."""
        return heard not in self._english and any(one.fullmatch(heard) for one in self._patterns)


@pytest.mark.sweep
def test_a_screen_reader_is_told_everything_in_german(tmp_path: Path) -> None:
    german = German()
    _ = german.say
    with open_window(tmp_path / "data", LANGUAGE="de") as window:
        window.wait_for(_("Add a New Key"), BUTTON)
        window.press("ctrl+n")
        window.wait_for_focus(TEXT, _("Key Name"))
        window.type("till")
        window.choose(_("Username"), "counter1")
        window.press_button(_("Create"))
        window.wait_for(_("Test key"), BUTTON)
        window.until(lambda: window.value_of(_("Device")), "a device")
        window.write(_("Amount"), "10.00")
        window.ask("events")
        window.press_button(_("Send sale"))
        window.wait_to_hear(_("Approved"))
        outcome = window.find(_("Outcome"), "label")
        assert outcome is not None
        assert outcome.description.startswith(_("Approved"))
        strange: dict[str, list[str]] = {}
        for number, page in enumerate(RAIL, start=1):
            window.press(f"ctrl+{number}")
            window.until(lambda page=page: window.find(_(page), TOGGLE).is_checked, page)
            stops = tab_around(window)
            if others := [stop for stop in stops if not german.is_sentence(stop)]:
                strange[page] = others
        assert not strange, strange
        assert window.quit() == 0


def tab_around(window: Window) -> list[str]:
    """Press Tab until the keyboard has been everywhere, and return the names of where it was."""
    stops: list[tuple[str, str]] = []
    while len(stops) < _MOST_STOPS and len(stops) == len(set(stops)):
        moves = window.ask("focus")["moves"]
        window.press("Tab")
        window.until(lambda before=moves: window.ask("focus")["moves"] != before, "the keyboard to move on")
        stops.append(window.focus)
    return [name for role, name in stops if role != "table cell"]  # which says what people call things
