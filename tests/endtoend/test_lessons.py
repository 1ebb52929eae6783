"""Lessons in the real window, and their commands: walked through, left, broken, begun anew, and served."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from endtoend.conftest import Here, Keybench
from endtoend.rotation_hand import APPLICATIONS, BUTTON, CREATE, DELETE, TEXT, Administrator, portal
from endtoend.window_fixtures import open_window, wait_until_gone
from fakes.waiting import until
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.lessons.files import found, lesson_files, lesson_id, place, read_lesson
from keybench.workflows.lessons.room import Room
from keybench.workflows.lessons.standing import read_standing

OLD, NEW = "Front desk", f"Front desk {datetime.now(UTC).year}"
SIMULATED = "Simulated applications"
LESSON = "rotation-without-an-outage"
#: Its solution adds a key, which its step doesn't ask for.
LESSON_OF_NOTHING = """
title = "Nothing"
story = "x"
[[steps]]
title = "a"
text = "b"
about = "c"
hints = ["d"]
must = [{ event = "sale" }]
solution = [{ do = "add key", name = "Till" }]
"""
# The window starts, and is killed and starts again, on machines that are busy with other tests.
pytestmark = pytest.mark.timeout(400)


class Learner(Administrator):
    """Somebody at a lesson's window."""

    def wait_for_step(self, number: int) -> None:
        """Wait until a step is the present one."""
        self.wait_for_words(f"Step {number}, now: ")

    def steps_done(self) -> int:
        """Return how many steps the panel shows as done."""
        return sum(bool(re.match(r"Step \d, done: ", words)) for words in self.window.words())

    def choose(self, name: str, table: str) -> None:
        """Choose a table's row, by keyboard: the row may have to be scrolled to."""
        self.window.until(lambda: self.told_of(name, table, 0), f"{name} in {table!r}")
        self.window.tab_to(table)
        rows = [row[0] for row in self.window.rows(table)]
        self.window.press("ctrl+Home", *["Down"] * rows.index(name))

    def set_new_key(self, application: str) -> None:
        """Note that the new key is set in an application."""
        self.choose(application, APPLICATIONS)
        self.window.activate("New key is set there")

    def confirm(self, application: str) -> None:
        """Note that an application was seen working."""
        self.choose(application, APPLICATIONS)
        self.see_working("a sale in the gateway's log")
        self.window.until(lambda: self.told_of(application, APPLICATIONS, 4) != "not yet", application)

    def wait_until_told(self, application: str, table: str, column: int, wanted: str) -> None:
        """Wait until a table tells something of an application."""
        self.window.until(lambda: self.told_of(application, table, column) == wanted, f"{wanted!r}")

    def told_of(self, application: str, table: str, column: int) -> str:
        """Return what a table tells of an application."""
        rows = [row for row in self.window.rows(table) if row[0] == application]
        return rows[0][column] if rows else ""


@contextmanager
def play(root: Path, lesson: str = LESSON) -> Iterator[Learner]:
    """Open a lesson's window, as the Lessons page and the command do."""
    with open_window(root, command=("--data-dir", str(root), "lesson", "play", lesson)) as window:
        window.wait_for("Hint", BUTTON)
        yield Learner(window)


@pytest.mark.sweep
def test_a_lesson_is_walked_to_its_end_through_a_killed_window_and_a_killed_gateway(tmp_path: Path) -> None:
    with play(tmp_path) as learner:
        window = learner.window
        learner.wait_for_step(1)
        window.activate("Show me where")
        learner.wait_for_focus(BUTTON, "Rotate")
        window.press("space")
        learner.wait_for_focus(TEXT, "Reason")
        window.press_button("Start rotation")
        learner.wait_for_focus(BUTTON, CREATE)
        learner.create()
        learner.compare()
        learner.wait_for_step(2)
        window.activate("Hint")
        learner.wait_for_words("1 of 2")
        learner.look_at_stage(1)
        learner.set_new_key("web shop")
        window.wait_for("Not changed after all", BUTTON)
        window.process.kill()

    with play(tmp_path) as learner:
        window = learner.window
        learner.wait_for_step(2)
        learner.wait_for_words("1 of 2")  # the hint that was taken
        window.go_to("Rotations")
        learner.set_new_key("parking meters")
        learner.wait_for_focus(BUTTON, "Test the new key")
        learner.wait_for_step(3)
        killed = window.gateway()
        killed.kill()
        wait_until_gone(killed)
        for name, key in (("web shop", NEW), ("parking meters", f"{OLD} until it is restarted")):
            learner.wait_until_told(name, SIMULATED, 3, key)
        learner.choose("parking meters", SIMULATED)
        window.activate("Restart")
        learner.wait_for_words("Sold with the new key: 2 of 2")
        learner.test_key()
        learner.confirm("parking meters")
        learner.confirm("web shop")
        learner.wait_for_step(4)
        learner.look_at_stage(3)
        learner.delete(OLD)
        learner.wait_until_gone()
        learner.wait_for_step(5)
        learner.finish()
        learner.wait_for_words("What you can tell a colleague")
        learner.wait_for_words("0 so far")
        assert learner.steps_done() == 5
        assert window.quit() == 0
    standing = read_standing(folder_of(tmp_path).lesson_progress, LESSON)
    assert (standing.done, standing.steps, standing.misses) == (5, 5, 0)


def folder_of(root: Path, lesson: str = LESSON) -> DataFolder:
    """Return the data folder in which a lesson is played, with its file in it."""
    return place(found(lesson), DataFolder(root).lessons)


@asynccontextmanager
async def room_in(folder: DataFolder, lesson: str = LESSON) -> AsyncIterator[Room]:
    """Open a lesson's room without a window, with devices that hurry."""
    async with Here.open_console(folder) as console:
        await console.look_at_keystore()
        room = Room(console, read_lesson(found(lesson)))
        await room.hurry()
        yield room
        await room.close()


@pytest.mark.sweep
async def test_a_step_that_was_broken_is_begun_anew_with_what_was_before_it_done(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    async with room_in(folder) as room:
        await room.set_up(2)
    with play(tmp_path) as learner:
        window = learner.window
        learner.wait_for_step(3)
        learner.wait_for_words("0 so far")
        assert not window.ask("saying", part="A first sale in three steps"), "the lesson has steps of its own"
        window.go_to("Rotations")
        window.activate("Delete it anyway…")
        learner.wait_for_focus(TEXT, "Reason")
        window.type("it will be fine")
        window.press_button("Go on")
        learner.agree(f"Delete “{OLD}”?", DELETE)
        learner.wait_for_words("Once so far")
        assert learner.steps_done() == 2
        window.activate("Reset step")
        window.wait_for_dialog("Reset step?")
        window.press_button("Reset step")
        learner.wait_for_words("0 so far")
        learner.wait_for_step(3)
        assert learner.steps_done() == 2
        gateway = learner.gateway_url()
        sold = portal(gateway, "applications")["applications"]
        assert [one["key_name"] for one in sold] == [NEW, NEW]
        assert [key["name"] for key in portal(gateway, "keys")["keys"]] == [OLD, NEW]
        assert window.quit() == 0
    assert read_standing(folder.lesson_progress, LESSON).misses == 1


@pytest.mark.sweep
@pytest.mark.parametrize("lesson", [lesson_id(path) for path in lesson_files()])
async def test_what_the_window_does_by_itself_is_no_step_of_a_lesson(tmp_path: Path, lesson: str) -> None:
    async with room_in(folder_of(tmp_path, lesson), lesson) as room:
        await room.set_up()
    with play(tmp_path, lesson) as learner:
        window = learner.window
        for page, table in (("Keys", "Key inventory"), ("Devices", "Devices"), ("Bench", "Recent sales")):
            window.go_to(page)
            window.until(lambda name=table: window.find(name, "table"), f"the table {table!r}")
        assert window.quit() == 0
    async with room_in(folder_of(tmp_path, lesson), lesson) as room:
        assert await room.resume()
        progress = await room.progress()
    assert (progress.done, progress.broken) == (0, ())


def test_a_desk_is_opened_in_a_program_of_its_own_and_changes_nothing_here(tmp_path: Path) -> None:
    with open_window(tmp_path) as window:
        window.wait_until_ready()
        window.click("Practice", "menu item")
        window.click("Make ready…", "menu item")
        window.wait_for_dialog("Make ready")
        window.press_button("Open the desk")
        desk = window.until(lambda: playing(tmp_path), "the desk's own program")[0]
        window.wait_for_words("The lesson opens in a window of its own.")
        desk.terminate()
        wait_until_gone(desk)
        assert window.rows("Security keys") == []
        assert window.quit() == 0


def playing(root: Path) -> list[psutil.Process]:
    """Return the programs that play the small shop for a data folder."""
    words = ["--data-dir", str(root), "lesson", "play", "small-shop"]
    return [one for one in psutil.process_iter(["cmdline"]) if (one.info["cmdline"] or [])[-5:] == words]


@contextmanager
def serve(root: Path) -> Iterator[str]:
    """Serve the small shop, and yield the first thing that is printed."""
    command = (sys.executable, "-m", "keybench", "practice", "--stage", "small-shop", "--speed", "20")
    with subprocess.Popen(
        [*command, "--data-dir", str(root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        assert served.stdout
        try:
            yield served.stdout.readline().strip()
        finally:
            served.terminate()


def test_a_desk_is_served_is_set_up_once_and_leaves_a_folders_own_keys_alone(
    keybench: Keybench,
) -> None:
    keybench.add_key()
    before = keybench.run("key", "list").out
    with serve(keybench.folder) as base_url:
        keys = portal(base_url, "keys")["keys"]
        assert sorted(key["name"] for key in keys) == ["Till 1", "Till 2", "Web shop"]
        asyncio.run(until(lambda: selling(base_url) == {"counter till", "web shop"}))
    with serve(keybench.folder) as again:
        assert [portal(again, "keys")["keys"], again] == [keys, base_url]
    assert keybench.run("key", "list").out == before
    assert keybench.run("key", "test", "--all").status == 0


def selling(base_url: str) -> set[str]:
    """Return the applications that have sold."""
    return {one["name"] for one in portal(base_url, "applications")["applications"] if one["sold"]}


def test_the_check_of_a_lesson_ends_with_0_and_of_one_that_cannot_be_learnt_with_1(
    keybench: Keybench, tmp_path: Path
) -> None:
    checked = keybench.run("lesson", "check", "the-rate-limit")
    assert (checked.status, checked.err) == (0, "")
    assert [line["holds"] for line in checked.lines] == [True] * 8
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(LESSON_OF_NOTHING, "utf-8")
    failed = keybench.run("lesson", "check", str(wrong))
    told = failed.last
    assert (failed.status, told["file"], told["field"]) == (1, "wrong.toml", "steps[0].solution")
    assert told["reason"].startswith("0 steps are done instead of 1")
    assert "wrong.toml" in failed.err
