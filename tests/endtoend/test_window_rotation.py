"""Keys looked after in the real window by keyboard alone: rotated, listed, locked away."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest

from endtoend.conftest import Keybench, OtherGateway, spellings
from endtoend.rotation_hand import (
    ANN,
    APPLICATIONS,
    BUTTON,
    CREATE,
    Administrator,
    Kept,
    changes,
    open_for_ann,
    portal,
)
from endtoend.slow_gateway import slow_gateway
from keybench.words.activity import ACTION_WORDS
from ui.pdf_text import pages_of

#: What is proposed for the new key has the year in it.
NEW = f"till {datetime.now(UTC).year}"
REASON = "older than a year"
STEPS = [
    "rotation started",
    "replacement created",
    "permissions compared",
    "application changed",
    "new key tested",
    "application seen working",
    "deletion asked for",
    "old key deleted",
    "old key refused",
    "old value erased",
    "documentation updated",
]
# The window starts, and is killed and starts again, on machines that are busy with other tests.
pytestmark = pytest.mark.timeout(400)


def test_a_key_is_rotated_from_beginning_to_end(keybench: Keybench, tmp_path: Path) -> None:
    kept = Kept()
    with open_for_ann(keybench.folder) as ann:
        window = ann.window
        window.go_to("Bench")
        window.add_key("till")
        ann.look_at("Applications")
        ann.add_application("web shop", "Applications")
        ann.rotate(REASON)
        old = kept.values()
        ann.create()
        assert ann.compare() == [["200", "200"], ["403", "403"]]
        ann.change_application()
        ann.see_all_working()
        both = kept.values()
        ann.delete("till")
        ann.wait_until_gone()
        ann.save_as("Save the record", tmp_path / "before.md")
        ann.wait_for_words("Saved before.md")
        ann.finish()
        ann.save_as("Save the record", tmp_path / "record.md")
        ann.wait_for_words("Saved record.md")
        ann.save_as("Save the record", tmp_path / "record.pdf")
        ann.wait_for_words("Saved record.pdf")
        left = kept.values()
        gateway = ann.gateway_url()
        assert [key["name"] for key in portal(gateway, "keys")["keys"]] == [NEW]
        assert changes(gateway) == [("POST", 201), ("POST", 201), ("DELETE", 204)]
        look_back(ann, tmp_path)
        assert window.quit() == 0

    judge_values(old, both, left)
    judge_files(tmp_path, [*both.values()])
    (key,) = keybench.run("key", "list", "--environment", "practice").lines
    assert (key["name"], key["state"]) == (NEW, "working")
    assert journal(keybench) == ["key added", "application added", *STEPS]


def look_back(ann: Administrator, folder: Path) -> None:
    """See on the Keys page what there is, what is to be fixed, and what was done."""
    window = ann.window
    ann.look_at("Inventory")
    ann.wait_for_rows("Key inventory")
    window.write("Find keys", "nothing like it")
    window.until(lambda: not window.rows("Key inventory"), "no key that matches")
    window.write("Find keys", "till")
    assert ann.wait_for_rows("Key inventory")[0][0] == NEW
    ann.save_as("Export CSV", folder / "keys.csv")
    ann.wait_for_words("Exported 1 key")
    ann.look_at("Review")
    (found,) = ann.wait_for_rows("Findings of the review")
    assert found[1:3] == ["Application without owner", NEW]
    ann.look_at("Activity")
    done = [row[1] for row in ann.wait_for_rows("Activity")]
    assert done[: len(STEPS)] == [ACTION_WORDS[step] for step in STEPS[::-1]]


def judge_values(old: dict[str, str], both: dict[str, str], left: dict[str, str]) -> None:
    """Hold the keyring against what was to become of it, without a value in any assertion's text."""
    counts = [len(old), len(both), len(left)]
    is_new = not set(old.values()) & set(left.values()) and set(left.items()) <= set(both.items())
    assert counts == [1, 2, 1]
    assert is_new, "the old value is gone, and the new one is there"


def judge_files(folder: Path, values: list[str]) -> None:
    """Hold the saved files against what was done: all is told, and no value."""
    text = (folder / "record.md").read_text(encoding="utf-8")
    pdf = "".join(pages_of((folder / "record.pdf").read_bytes()))
    for told in (NEW, "web shop", ANN, REASON, "counter1", "401"):
        assert told in text
        assert told.replace(" ", "") in pdf
    before = (folder / "before.md").read_text(encoding="utf-8")
    assert "Not finished when this was written: the old key is gone" in before
    assert "Not finished" not in text
    assert "Finished 20" in text
    (row,) = csv.DictReader((folder / "keys.csv").read_text(encoding="utf-8").splitlines())
    assert (row["name"], row["username"], row["applications"]) == (NEW, "counter1", "1")
    files = [pdf.encode(), *(path.read_bytes() for path in folder.iterdir() if path.is_file())]
    shown = [spelling for value in values for spelling in spellings(value)]
    has_value = any(spelling in file for spelling in shown for file in files)
    assert not has_value, "a saved file holds a value"


def journal(keybench: Keybench) -> list[str]:
    """Return what was done, by the command, the oldest first."""
    return [line["action"] for line in reversed(keybench.run("activity", "--limit", "100").lines)]


@pytest.mark.sweep
def test_what_is_locked_away_can_be_read_by_nobody(tmp_path: Path) -> None:
    kept = Kept()
    with open_for_ann(tmp_path / "data") as ann:
        window = ann.window
        window.go_to("Bench")
        window.add_key("counter till")
        (value,) = kept.values().values()
        window.press_button("Reveal")
        window.until(lambda: value in window.words(), "the value")

        window.press("ctrl+l")
        ann.wait_for_focus(BUTTON, "Unlock")
        said = window.words()
        is_anywhere = any(value in words for words in window.words(hidden=True))
        assert not is_anywhere, "the value is still told to other programs"
        assert not [words for words in said if "counter till" in words or "counter1" in words]

        window.press("space")
        ann.wait_for_words("counter till")
        is_anywhere = any(value in words for words in window.words(hidden=True))
        assert not is_anywhere, "the value came back"
        assert window.quit() == 0


@pytest.mark.sweep
def test_a_rotation_goes_on_after_the_window_was_killed_in_it(
    keybench: Keybench, other_gateway: OtherGateway
) -> None:
    kept = Kept()
    with slow_gateway(other_gateway.base_url) as slow:
        old_id = make_ready(keybench, slow.base_url)
        old = kept.values()
        with open_for_ann(keybench.folder) as ann:
            ann.choose_environment("SANDBOX")
            slow.hold("GET", "/portal/users")  # the old key's user is known without
            ann.rotate(REASON)
            slow.hold("POST", "/portal/keys")
            ann.window.press_button(CREATE)
            ann.window.until(slow.held.is_set, "the replacement to be made")
            kill(ann)
        slow.let_go()

        with open_for_ann(keybench.folder) as ann:
            ann.choose_environment("SANDBOX")
            ann.wait_for_words("The rotation of “till” had stopped within a step.")
            ann.compare()
            ann.look_at_stage(1)
            ann.add_application("web shop", APPLICATIONS)
            ann.change_application()
            ann.see_all_working()
            slow.is_behind = True
            ann.delete("till")
            ann.wait_for_words("still accepted (200)")
            kill(ann)
        both = kept.values()

        with open_for_ann(keybench.folder) as ann:
            ann.choose_environment("SANDBOX")
            ann.wait_for_words("“till” is said to be deleted, and was not seen to be refused.")
            ann.window.press_button("Check until it is refused")
            ann.wait_for_words("still accepted (200)")
            slow.is_behind = False
            ann.wait_until_gone()
            ann.finish()

    judge_values(old, both, kept.values())
    assert [key["name"] for key in portal(other_gateway.base_url, "keys")["keys"]] == [NEW]
    assert changes(other_gateway.base_url, old_id) == [("DELETE", 204)]
    done = journal(keybench)
    assert [step for step in STEPS if done.count(step) != 1] == []


def make_ready(keybench: Keybench, base_url: str) -> str:
    """Add an environment with a key, by command; return the gateway's name for the key."""
    kind = ("--kind", "test", "--base-url", base_url, "--contract", "practice")
    of_whom = ("--username", "counter1", "--permission", "API", "--kind", "private")
    for words in (
        ("environment", "add", "SANDBOX", *kind),
        ("key", "add", "--environment", "SANDBOX", "--name", "till", *of_whom),
    ):
        ran = keybench.run(*words)
        assert ran.status == 0, ran.err
    (key,) = portal(base_url, "keys")["keys"]
    return str(key["id"])


def kill(ann: Administrator) -> None:
    """End the window as a power cut does."""
    ann.window.process.kill()
    ann.window.process.wait()
