"""Lessons as files: read strictly, told with file, field and reason, and written as they were read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import keybench
from keybench.core.errors import LessonInvalid
from keybench.ui.shell.window import PAGES
from keybench.workflows.lessons.files import as_toml, desk_files, found, lesson_files, read_lesson

APP = Path(keybench.__file__).parent
GOOD = """
title = "One"
minutes = 5
story = "A story."
learnt = "Something."
[[steps]]
title = "Do"
text = "Do it."
about = "Done."
hints = ["Press it."]
must = [{ event = "sale", outcome = "approved" }]
solution = [{ do = "sell", key = "Till" }]
"""


def read(tmp_path: Path, text: str) -> LessonInvalid:
    path = tmp_path / "one.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LessonInvalid) as caught:
        read_lesson(path)
    return caught.value


@pytest.mark.parametrize(
    ("instead", "by", "where", "reason"),
    [
        ('title = "One"\n', "", "title", "is missing"),
        ("minutes = 5", 'minutes = "5"', "minutes", "must be a number"),
        ("minutes = 5", "minuets = 5", "minuets", "isn't a field"),
        ('hints = ["Press it."]', "hints = []", "steps[0].hints", "is missing"),
        ('event = "sale", ', "", "steps[0].must[0].event", "is missing"),
        ('outcome = "approved"', "outcome = 5", "steps[0].must[0].outcome", "must be a text"),
        ('do = "sell"', 'do = "steal"', "steps[0].solution[0].do", "must be one of"),
        ('key = "Till"', 'kee = "Till"', "steps[0].solution[0]", "not kee"),
        ('key = "Till"', "key = 7", "steps[0].solution[0]", "of the kind str"),
        (', key = "Till"', "", "steps[0].solution[0]", "needs key"),
        ("[[steps]]", "[steps]", "steps", "must be a list"),
        ("[[steps]]", '[[steps]]\nstage = "pay"', "steps[0].stage", "must be one of create"),
    ],
)
def test_a_mistake_is_told_with_file_field_and_reason(
    tmp_path: Path, instead: str, by: str, where: str, reason: str
) -> None:
    assert instead in GOOD
    error = read(tmp_path, GOOD.replace(instead, by, 1))
    assert (error.file, error.where) == ("one.toml", where)
    assert reason in error.reason


@pytest.mark.parametrize("text", ["title = ", "\x00", "é".encode("latin-1").decode("latin-1") * 300_000])
def test_what_is_no_lesson_at_all_is_told_too(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).where == ""


def test_every_lesson_and_desk_of_the_program_reads_and_is_found_by_its_id() -> None:
    lessons = [read_lesson(path) for path in lesson_files()]
    assert len(lessons) == 12
    assert all(5 <= one.minutes <= 10 and one.learnt.strip() and one.steps for one in lessons)
    assert all(any(step.wrong for step in one.steps) or one.id == "how-a-sale-can-end" for one in lessons)
    assert [read_lesson(path).id for path in desk_files()] == ["small-shop", "chain", "bad-monday"]
    assert all(found(one.id).is_file() for one in lessons)


def test_every_control_that_is_shown_and_every_page_is_the_windows() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (APP / "ui").rglob("*.py"))
    steps = [step for path in lesson_files() for step in read_lesson(path).steps]
    assert [name for step in steps for name in step.show.split(" > ") if f'"{name}"' not in source] == []
    assert {step.page for step in steps} <= {page.id for page in PAGES}


def test_a_lesson_that_is_written_reads_as_it_was(tmp_path: Path) -> None:
    content = tomllib.loads(lesson_files()[8].read_text(encoding="utf-8"))
    content["title"] = 'Quote " \\ and\ttab, é and \x7f'
    assert tomllib.loads(as_toml(content)) == content
