"""Lessons that are made: a rotation's rehearsal, and a case from a support bundle; both can be learnt."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from keybench.core.keys.key import KeyKind
from keybench.core.rotations.rotation import ApplicationStep, KeyFacts, Rotation
from keybench.workflows.lessons.files import read_lesson
from keybench.workflows.lessons.from_bundle import lesson_from, rehearsal
from lessons.test_checked import checked

AT = datetime(2026, 3, 3, tzinfo=UTC)
OLD = KeyFacts(
    "k1", 'till "main"', "ana", "API", KeyKind.PRIVATE, "the counter", "four-plain-words-here", "g1", AT
)
STEPS = tuple(
    ApplicationStep(f"a{number}", name, "Shop", place="PAY_KEY")
    for number, name in enumerate(("till menu", "web shop", "kiosk"))
)


async def test_a_rehearsal_has_the_rotations_shape_and_its_steps_can_be_done(tmp_path: Path) -> None:
    rotation = Rotation("r1", "e1", OLD, "old", AT, "Ana", AT, applications=STEPS)
    text = rehearsal(rotation)
    assert OLD.fingerprint not in text
    path = tmp_path / "rehearsal.toml"
    path.write_text(text, encoding="utf-8")
    lesson = read_lesson(path)
    assert [deed.given["name"] for deed in lesson.stage if deed.do == "set application"] == [
        one.name for one in STEPS
    ]
    assert [step.stage for step in lesson.steps] == ["create", "replace", "test", "delete", "document"]
    assert [one for one in await checked(tmp_path, lesson) if one.reason] == []
    path.write_text(rehearsal(replace(rotation, applications=())), encoding="utf-8")
    assert read_lesson(path).stage[-1].given["name"] == "an application of your own"


async def test_a_case_can_be_met_again(tmp_path: Path) -> None:
    for outcome, status in (
        ("declined", 0),
        ("expired", 0),
        ("unknown", 0),
        ("refused", 401),
        ("refused", 403),
    ):
        sale = {
            "outcome": outcome,
            "status": status,
            "device": "P400-7",
            "noted_at": AT.isoformat(),
            "lasted_s": 9.0,
        }
        with zipfile.ZipFile(tmp_path / "case.zip", "w") as archive:
            archive.writestr("timeline.json", json.dumps({"sales": [sale]}))
        path = tmp_path / f"{outcome}{status}.toml"
        path.write_text(lesson_from(tmp_path / "case.zip"), encoding="utf-8")
        assert [one for one in await checked(tmp_path / path.stem, read_lesson(path)) if one.reason] == []
