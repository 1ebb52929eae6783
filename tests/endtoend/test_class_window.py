"""A class in a learner's real window: led by the trainer, off the network, left and opened again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from endtoend.rotation_hand import BUTTON
from endtoend.test_lessons import Learner
from endtoend.window_fixtures import open_window
from keybench.gateway.classes import HttpClasses
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.lessons.files import found
from keybench.workflows.lessons.joining import read_seat, take_seat
from practice.class_bench import ServedClass

pytestmark = pytest.mark.timeout(400)
TAKEN = "This seat is used on another computer now."


@contextmanager
def join(root: Path, *given: str) -> Iterator[Learner]:
    """Open the window of the class that is given, or of the one that was joined last."""
    with open_window(root, command=("--data-dir", str(root), "lesson", "join", *given)) as window:
        window.wait_for("Hint", BUTTON)
        yield Learner(window)


async def sit_down(served: ServedClass, word: str, lessons: Path) -> None:
    """Take a learner's seat on another computer."""
    await take_seat(HttpClasses(), await HttpClasses().meet(served.told["join"]), word, lessons)


@pytest.mark.sweep
def test_a_learners_window_follows_the_trainer_and_comes_back_to_its_step(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "learner" / "lessons" / "class")
    with ServedClass(tmp_path / "class", "--lesson", str(found("a-missing-permission"))) as served:

        def standing() -> dict[str, Any]:
            return served.seen()["learners"][0]["standing"] or {}

        def is_heard() -> bool:
            return (served.seen()["learners"][0]["heard_s"] or 60.0) < 3.0

        text = (served.told["join"], "--words", served.told["words"])
        with join(tmp_path / "learner", *text) as learner:
            window = learner.window
            learner.wait_for_step(1)
            word = read_seat(folder).word
            learner.wait_for_words(f"Class: learner 01. Your word, to come back on any computer: {word}.")
            toml = found("the-rate-limit").read_text("utf-8")
            served.board.put("/class", json={"lesson": {"id": "the-rate-limit", "title": "x", "toml": toml}})
            learner.wait_for_words("Step 1, now: Meet it")
            window.wait_for("Hint", BUTTON)
            window.activate("Hint")
            window.until(lambda: standing().get("hints") == 1, "the hint on the board")
            window.write("Amount", "80.00")
            window.activate("Send sale")
            learner.wait_for_step(2)
            window.until(lambda: standing().get("done") == 1, "the step on the board")
            assert standing()["event"] == "sale"
            (folder.root / "old").touch()  # what is in the folder goes with the old stage
            served.board.post("/class/learners/01/reset")
            window.until(lambda: not (folder.root / "old").exists(), "a stage that is begun anew")
            learner.wait_for_step(2)
            served.process.kill()
            learner.wait_for_words("Nothing is listening at the gateway's address.")
            served.kill()
            window.until(is_heard, "the learner on the board")
            window.process.kill()
        with join(tmp_path / "learner") as learner:
            learner.wait_for_step(2)
            asyncio.run(sit_down(served, word, tmp_path / "there"))
            learner.wait_for_words(TAKEN)
            learner.window.activate("Retry")
            learner.window.until(lambda: not learner.window.ask("saying", part=TAKEN), "the seat")
            learner.wait_for_step(2)
            learner.window.until(is_heard, "the learner on the board")
            assert learner.window.quit() == 0
