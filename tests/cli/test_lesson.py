"""`keybench lesson`: listed, checked to the wrong field, played in a folder of its own, made of a case."""

from __future__ import annotations

import json
import stat
import sys
import zipfile
from pathlib import Path

from cli.conftest import CommandLine
from fakes.classes import FakeClasses
from keybench.core.lessons.lesson import Deed
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.lessons.files import found, lesson_files, read_lesson
from keybench.workflows.lessons.standing import LessonStanding, read_standing


def folder_of(keybench: CommandLine, root: Path, lesson: str) -> DataFolder:
    keybench.patched.setenv("KEYBENCH_DATA_DIR", str(root))
    return DataFolder(root / "lessons" / lesson)


def test_lessons_and_desks_are_listed_with_how_far_one_is(keybench: CommandLine, tmp_path: Path) -> None:
    folder = folder_of(keybench, tmp_path, "the-rate-limit")
    folder.root.mkdir(parents=True)
    told = {
        "lesson": "the-rate-limit",
        "done": 2,
        "steps": 3,
        "hints": {"1": 2},
        "misses": 1,
        "seconds": 61.5,
    }
    folder.lesson_progress.write_text(json.dumps(told), encoding="utf-8")
    listed = {one["lesson"]: one for one in keybench("lesson", "list", "--json").records}
    assert len(listed) == 15
    assert (listed["the-rate-limit"]["done"], listed["the-rate-limit"]["steps"]) == (2, 3)
    assert "The rate limit  3 steps  2 done" in keybench("lesson", "list").out
    assert "A bad Monday  a prepared desk" in keybench("lesson", "list").out
    standing = read_standing(folder.lesson_progress, "the-rate-limit")
    assert standing == LessonStanding("the-rate-limit", 2, 3, {"1": 2}, 1, 61.5)
    assert (standing.hints_at(1), standing.with_hint(1).hints_at(1), standing.hints_at(0)) == (2, 3, 0)


def test_another_lessons_progress_or_a_broken_file_is_none(keybench: CommandLine, tmp_path: Path) -> None:
    for text in ('{"lesson": "one", "done": 1}', '{"lesson": "two", "done": "x"}', "not JSON", "[]"):
        (tmp_path / "progress.json").write_text(text, encoding="utf-8")
        assert read_standing(tmp_path / "progress.json", "two") == LessonStanding("two")


def test_a_mistake_in_a_lesson_is_told_with_file_field_and_reason(
    keybench: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('title = "Mine"\nstory = "x"\nsteps = [{ title = "a" }]\n', encoding="utf-8")
    for action in ("check", "play"):
        ended = keybench("lesson", action, str(path), "--json")
        assert ended.status == 2
        assert "mine.toml, steps[0].must" in ended.err
    (record,) = keybench("lesson", "check", str(path), "--json").records
    assert (record["file"], record["field"]) == ("mine.toml", "steps[0].must")
    assert keybench("lesson", "play", "no-such").status == 2
    assert not keybench.composed.asked


def test_a_lesson_is_played_in_a_folder_of_its_own_with_its_file_in_it(
    keybench: CommandLine, tmp_path: Path
) -> None:
    folder = folder_of(keybench, tmp_path, "a-leaked-key")
    assert keybench("lesson", "play", "a-leaked-key").status == 0
    assert keybench.composed.asked == [("window", folder.root)]
    assert folder.lesson.read_bytes() == lesson_files()[9].read_bytes()
    assert not folder.lesson_again.exists()
    keybench("lesson", "play", str(lesson_files()[9]), "--again")
    assert folder.lesson_again.exists()
    assert folder.lessons == tmp_path / "lessons"


def test_a_case_becomes_a_lesson_with_its_outcome_and_its_timing(
    keybench: CommandLine, tmp_path: Path
) -> None:
    sale = {
        "outcome": "declined",
        "device": "P400-7",
        "noted_at": "2026-03-03T14:00:00+00:00",
        "lasted_s": 24.0,
    }
    other = {"outcome": "approved", "device": "P400-7", "noted_at": "2026-03-04T14:00:00+00:00"}
    refused = {"outcome": "refused", "status": 401, "noted_at": "2026-03-05T14:00:00+00:00"}
    bundle, made = tmp_path / "case.zip", tmp_path / "case.toml"
    for sales, deeds in (([sale, other], "set device"), ([sale, refused], "delete at the gateway")):
        with zipfile.ZipFile(bundle, "w") as archive:
            archive.writestr("timeline.json", json.dumps({"sales": sales}))
        assert keybench("lesson", "from", str(bundle), "--out", str(made)).status == 0
        lesson = read_lesson(made)
        assert deeds in [deed.do for deed in lesson.stage]
    with zipfile.ZipFile(bundle, "w") as archive:
        archive.writestr("timeline.json", json.dumps({"sales": [sale]}))
    made.write_text(keybench("lesson", "from", str(bundle)).out, encoding="utf-8")
    slowed = read_lesson(made).stage[-1]
    assert slowed == Deed("set device", {"id": "till-of-the-case", "slow": 8.0}, "stage[2]")
    bundle.write_bytes(b"no bundle")
    assert keybench("lesson", "from", str(bundle)).status == 2


def test_a_class_is_joined_only_by_words_that_were_compared_and_opened_again_without(
    keybench: CommandLine, tmp_path: Path
) -> None:
    folder, text = folder_of(keybench, tmp_path, "class"), "Otter-Maple-42@192.0.2.10"
    classes = keybench.bench.console.world.classes
    assert isinstance(classes, FakeClasses)
    classes.toml = found("the-rate-limit").read_text("utf-8")
    for given, words in (
        ((), "No class was joined here yet."),
        (("nonsense",), "Enter what the board shows"),
        ((text,), "The class shows these words: lantern-plum-quartz-fox"),
        ((text, "--words", "lantern-plum-quartz-owl"), "other words than the board. Nothing was sent"),
    ):
        ended = keybench("lesson", "join", *given)
        assert (ended.status, words in ended.err) == (2, True), ended.err
    assert (classes.joined, keybench.composed.asked) == ([], [])
    ended = keybench("lesson", "join", text, "--words", classes.words, "--word", "Amber-heron-58", "--json")
    assert ended.records == [{"learner": "07", "word": "amber-heron-58"}]
    assert classes.joined == [("otter-maple-42", "amber-heron-58")]
    assert keybench("lesson", "join").status == 0
    assert keybench.composed.asked == [("window", folder.root)] * 2
    assert stat.S_IMODE(folder.seat.stat().st_mode) & 0o077 == 0 or sys.platform == "win32"
    assert read_lesson(folder.lesson).title == "The rate limit"


def test_a_class_without_a_lesson_keeps_the_seat_and_another_learner_clears_the_folder(
    keybench: CommandLine, tmp_path: Path
) -> None:
    folder, classes = folder_of(keybench, tmp_path, "class"), keybench.bench.console.world.classes
    assert isinstance(classes, FakeClasses)
    join = ("lesson", "join", "otter-maple-42@192.0.2.10", "--words", classes.words)
    classes.lesson = ""
    ended = keybench(*join)
    assert (ended.status, "The class has no lesson yet." in ended.err) == (20, True)
    classes.lesson, classes.toml = "the-rate-limit", "title"
    folder.journal.touch()
    assert keybench(*join).status == 0
    assert classes.joined[1] == ("otter-maple-42", classes.word)  # the seat that was kept
    assert not folder.lesson_again.exists()
    classes.learner = "08"
    assert keybench(*join, "--word", "other-owl-12").status == 0
    assert folder.lesson_again.exists()


def test_a_class_is_served_without_a_window(keybench: CommandLine, tmp_path: Path) -> None:
    ended = keybench("--data-dir", str(tmp_path), "practice", "--class", "--lesson", "nowhere")
    assert (ended.status, "there is no such file" in ended.err) == (2, True)
    keybench("practice", "--class", "--host", "192.0.2.10", "--port", "8444", "--lesson", "the-rate-limit")
    keybench("--data-dir", str(tmp_path), "practice", "--class")
    (_kind, served), (_same, alone) = keybench.composed.asked
    assert served[served.index("--host") + 1] == "192.0.2.10"
    assert served[served.index("--port") + 1] == "8444"
    assert served[served.index("--lesson") + 1] == str(found("the-rate-limit"))
    assert DataFolder(Path(served[1])).root.name == "class"
    assert alone[:2] == ["--data-dir", str(tmp_path)]
    assert str(found("first-key-and-sale")) in alone
