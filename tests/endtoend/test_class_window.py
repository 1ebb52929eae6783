"""A class in a learner's real window: led by the trainer, off the network, left and opened again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from endtoend.rotation_hand import BUTTON
from endtoend.test_lessons import Learner
from endtoend.window_fixtures import open_window
from keybench.class_identity import new_identity
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.lessons.files import found
from keybench.workflows.lessons.joining import read_seat
from lessons.classroom import HOST, ServedClass

pytestmark = pytest.mark.timeout(400)


@contextmanager
def join(root: Path, *given: str) -> Iterator[Learner]:
    """Open the window of the class that is given, or of the one that was joined last."""
    with open_window(root, command=("--data-dir", str(root), "lesson", "join", *given)) as window:
        window.wait_for("Hint", BUTTON)
        yield Learner(window)


def test_a_learners_window_follows_the_trainer_and_comes_back_to_its_step(tmp_path: Path) -> None:
    identity, first, second = new_identity(HOST), found("a-missing-permission"), found("the-rate-limit")
    served = ServedClass(tmp_path / "class", first, identity=identity)
    root = tmp_path / "learner"
    folder = DataFolder(root / "lessons" / "class")
    with join(root, served.join, "--words", served.words) as learner:
        window = learner.window
        learner.wait_for_step(1)
        seat = read_seat(folder)
        learner.wait_for_words(f"Class: learner 01. Your word, to come back on any computer: {seat.word}.")
        lesson = {"id": "the-rate-limit", "title": "x", "toml": second.read_text("utf-8")}
        served.ask("PUT", "/class", {"lesson": lesson})
        learner.wait_for_words("Step 1, now: Meet it")
        window.wait_for("Hint", BUTTON)
        window.activate("Hint")
        learner.wait_for_words("1 of 2")
        window.until(lambda: served.standing("01").get("hints") == 1, "the hint on the board")
        window.write("Amount", "80.00")
        window.activate("Send sale")
        learner.wait_for_step(2)
        window.until(lambda: served.standing("01").get("done") == 1, "the step on the board")
        assert served.standing("01")["event"] == "sale"
        (folder.root / "old").touch()  # what is in the folder goes with the old stage
        served.ask("POST", "/class/learners/01/reset")
        window.until(lambda: not (folder.root / "old").exists(), "a stage that is begun anew")
        learner.wait_for_step(2)
        served.end()
        learner.wait_for_words("Nothing is listening at the gateway's address.")
        served = ServedClass(tmp_path / "class", port=served.port, identity=identity)
        window.until(lambda: served.ask("GET", "/class")["learners"][0]["heard_s"] is not None, "it is heard")
        learner.wait_for_step(2)
        window.process.kill()
    with join(root) as learner:
        learner.wait_for_step(2)
        with join(tmp_path / "there", served.join, "--words", served.words, "--word", seat.word) as other:
            other.wait_for_step(2)
            learner.wait_for_words("This seat is used on another computer now.")
            learner.window.activate("Retry")
            other.wait_for_words("This seat is used on another computer now.")
            learner.wait_for_step(2)
            window = learner.window
            window.until(lambda: served.ask("GET", "/class")["learners"][0]["heard_s"] < 2.0, "it is heard")
            other.window.process.kill()
        assert learner.window.quit() == 0
    served.end()
