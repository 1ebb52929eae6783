"""The view Class: a class is joined by its words, held, watched, and its results kept."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from fakes.classes import FakeClasses
from fakes.waiting import Until
from keybench.core.errors import AnswerLost
from keybench.core.ports import JournalPlace
from keybench.runtime.data_folder import DataFolder
from keybench.ui.lessons.class_board import ClassBoard
from keybench.ui.lessons.class_view import ClassView
from keybench.ui.lessons.page import LessonsPage
from keybench.ui.shared.session import Notice, PlayLesson, Session
from keybench.words.lessons.classes import now_words
from keybench.workflows.console import Console
from keybench.workflows.lessons.hosting import begin, lessons_in
from keybench.workflows.lessons.joining import read_seat
from keybench.workflows.world import World

from .class_support import IDS, FakeClassGateway
from .practice_support import cells
from .questions import asked, press

TEXT = "otter-maple-42@192.0.2.10:8443"


class Trainer:
    """The view Class in its page, with the gateways it began and what it asked and told."""

    def __init__(self, session: Session, folder: DataFolder, made: list[FakeClassGateway]) -> None:
        self.session, self.folder, self.made = session, folder, made
        self.asked: list[object] = []
        self.told: list[Notice] = []
        session.requested.connect(self.asked.append)
        session.notified.connect(self.told.append)
        self.page = LessonsPage(session)
        self.view = cast("ClassView", self.page.show_view("class"))

    @property
    def gateway(self) -> FakeClassGateway:
        return self.made[-1]

    async def board(self, until: Until, host: str = "192.0.2.10") -> ClassBoard:
        """Serve a class and return its board, once it shows something."""
        world = self.session.console.world
        self.view.show_board(await begin(world, self.folder, lessons_in(self.folder), host, IDS[0]))
        board = cast("ClassBoard", self.view.board)
        await until(board.status.text)
        return board


@pytest.fixture
def trainer(
    qtbot: QtBot, session: Session, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Trainer:
    monkeypatch.setattr(world.journal, "place", JournalPlace(folder=str(tmp_path)))
    made: list[FakeClassGateway] = []

    def gateway(host: str) -> FakeClassGateway:
        made.append(FakeClassGateway(host))
        return made[-1]

    session.console = Console(replace(world, class_gateway=gateway))
    trainer = Trainer(session, DataFolder(tmp_path), made)
    qtbot.addWidget(trainer.page, before_close_func=lambda _page: session.end())
    trainer.page.resize(1300, 800)
    trainer.page.show()
    return trainer


async def test_a_class_is_joined_only_after_its_words_were_compared(trainer: Trainer, until: Until) -> None:
    view, classes = trainer.view, cast("FakeClasses", trainer.session.console.world.classes)
    view.join.click()
    assert view.form.fields[0].message.text() == "Enter what the board shows."
    classes.failure = AnswerLost("closed")
    view.join_text.setText(TEXT)
    view.join.click()
    await until(lambda: view.form.fields[0].shown.tone == "bad")
    await until(lambda: not trainer.session.supervisor.is_running("join a class"))
    view.word.setText(" amber-heron-58 ")
    view.join.click()
    dialog = await asked()
    assert "lantern-plum-quartz-fox" in [one.text() for one in dialog.findChildren(QLabel)]
    await press("No")
    await until(lambda: not trainer.session.supervisor.is_running("join a class"))
    assert (classes.joined, trainer.asked) == ([], [])
    view.join.click()
    await press("Yes, join")
    await until(lambda: trainer.asked == [PlayLesson("")])
    assert classes.joined == [("otter-maple-42", "amber-heron-58")]
    assert read_seat(DataFolder(trainer.folder.lessons / "class")).learner == "07"


async def test_a_class_is_begun_gone_on_with_or_begun_anew_by_a_choice(
    trainer: Trainer, until: Until
) -> None:
    view = trainer.view
    held = trainer.folder.classroom / "practice"
    held.mkdir(parents=True)

    async def serve(which: str) -> ClassBoard:
        view.serve.trigger()
        dialog = await asked()
        [what, lesson, where] = [field.editor for field in dialog.form.fields]
        assert what.currentText().startswith("Go on with the class of ")
        assert where.itemData(where.count() - 1) == "", "this computer alone comes last"
        what.setCurrentIndex(what.findData(which))
        assert lesson.isEnabled() is (which == "new")
        lesson.setCurrentIndex(lesson.findData(IDS[3]))
        where.setCurrentIndex(where.count() - 1)
        await press("Serve the class")
        await until(lambda: view.board)
        return cast("ClassBoard", view.board)

    board = await serve("on")
    assert (held.exists(), trainer.gateway.lesson) == (True, None)
    await until(board.status.text)
    board.end.trigger()
    await press("End the class")
    await until(lambda: view.board is None)
    await until(lambda: not trainer.session.supervisor.running)
    assert trainer.gateway.base_url == "", "nobody serves it any more, nor starts it again"
    await serve("new")
    assert not held.exists()
    assert (trainer.gateway.lesson or {})["id"] == IDS[3]


async def test_the_board_shows_who_is_stuck_first_and_helps_the_one_who_is_chosen(
    trainer: Trainer, until: Until
) -> None:
    board = await trainer.board(until)
    put = trainer.gateway.put
    assert (board.join.text(), board.certificate.text()) == (TEXT, "lantern-plum-quartz-fox")
    put("01", on_step_s=130.0, missed={"2": 1}, event="call", fields={"status": "403", "why": "key_deleted"})
    put("02", done=5, seconds=380.0)
    put("03", on_step_s=20.0, broken="Sold with a key that is gone", missed={"2": 3, "x": 9})
    put("04", on_step_s=310.0, heard_s=190.0)
    put("05", on_step_s=500.0, event="key added", fields={"subject": "Till"})
    await until(lambda: len(board.table.model().rows) == 5)
    assert [one.learner for one in board.table.model().rows] == ["05", "03", "04", "01", "02"]
    assert cells(board.table, "time") == ["▲ 8 min", "▲ 0 min", "5 min", "2 min", "✓ 6 min"]
    assert cells(board.table, "now") == [
        "Key added: Till",
        "Sold with a key that is gone",
        "not heard for 4 min",
        "Call refused: This key was deleted",
        "between lessons",
    ]
    model = board.table.model()
    spoken = model.index(0, model.column("time")).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "stuck, 8 min on this step"
    assert board.missed_by.text() == "2 of 5"
    assert board.status.text().startswith("5 of 30 joined · 99 % of answers in 21 ms")

    assert not board.reset_step.isEnabled()
    board.table.select("04")
    put("04", done=1)
    await until(lambda: [one.learner for one in model.rows].index("04") == 3)
    assert [one.learner for one in board.table.selection] == ["04"], "it moved, and stays chosen"
    board.reset_step.trigger()
    await until(lambda: "POST /class/learners/04/reset" in trainer.gateway.calls)
    board.reset_all.trigger()
    await press("Reset all")
    await until(lambda: "POST /class/reset" in trainer.gateway.calls)
    board.network.setCurrentIndex(board.network.findData("outage"))
    board.network.activated.emit(board.network.currentIndex())
    await until(lambda: trainer.gateway.weather["preset"] == "outage")

    await board.hosting.go_on(IDS[-2])
    await until(lambda: board.next_title.text() == "Next: A key for each purpose")
    board.next_lesson.trigger()
    await until(lambda: not board.next_lesson.isEnabled())
    assert (trainer.gateway.lesson or {})["id"] == IDS[-1]


async def test_results_are_exported_without_formulas_and_those_that_were_changed_are_not_merged(
    trainer: Trainer, until: Until, tmp_path: Path
) -> None:
    board = await trainer.board(until)
    trainer.gateway.put("01", done=5, missed={"2": 1}, misses=1, seconds=90.0)
    good, bad, none = tmp_path / "learner-01.json", tmp_path / "altered.json", tmp_path / "none.json"
    told = {"learner": "=09", "lesson": "own", "done": 1, "steps": 2, "hints": 0, "misses": 0}
    good.write_text(json.dumps({**told, "missed": {}, "seconds": 3.0, "signature": "s"}), "utf-8")
    bad.write_text(json.dumps({**told, "signature": "other"}), "utf-8")
    none.write_text("[", "utf-8")

    async def choose(*names: str) -> None:
        dialog = await asked()
        assert isinstance(dialog, QFileDialog)
        dialog.setDirectory(str(tmp_path))
        line = dialog.findChild(type(trainer.view.word), "fileNameEdit")
        assert line is not None
        line.setText(" ".join(f'"{name}"' for name in names) if len(names) > 1 else names[0])
        dialog.accept()

    board.merge.trigger()
    await choose(good.name, bad.name, none.name)
    await until(lambda: trainer.told)
    assert (trainer.told[0].title, trainer.told[0].text.partition(": ")[2]) == (
        "Merged 1 result",
        "altered.json, none.json",
    )
    out = tmp_path / "out"
    out.mkdir()
    board.export.trigger()
    await choose(str(out))
    await until(lambda: len(trainer.told) == 2)
    with (out / "results.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["title"], first["minutes"], first["signed_by"]) == ("First key, first sale", "1.5", "")
    assert first["most_missed_step"]
    assert (second["learner"], second["signed_by"]) == ("'=09", "lantern-plum-quartz-fox")
    assert [path.name for path in sorted(out.iterdir())] == ["learner-01.json", "results.csv"]


async def test_on_one_computer_learners_take_turns_and_each_is_counted_by_the_lessons_own_window(
    trainer: Trainer, until: Until
) -> None:
    board = await trainer.board(until, host="")
    await until(board.next_learner.isVisible)
    assert not board.join.isVisible()
    assert not board.reset_step.isVisible()
    played = DataFolder(trainer.folder.lessons / IDS[0])
    played.root.mkdir(parents=True)
    before = {"lesson": IDS[0], "done": 2, "steps": 3}
    played.lesson_progress.write_text(json.dumps(before), "utf-8")
    board.next_learner.trigger()
    await until(lambda: trainer.asked)
    [wanted] = trainer.asked
    assert isinstance(wanted, PlayLesson)
    assert (Path(wanted.name).stem.endswith(IDS[0]), wanted.again) == (True, True)
    await until(lambda: "learner 01 is at this computer" in board.status.text())
    assert trainer.gateway.learners["01"]["standing"] is None, "what somebody did before is nobody's"
    now = {**before, "done": 1, "hints": {"1": 2}, "misses": 1, "missed": {"1": 1}}
    played.lesson_progress.write_text(json.dumps(now), "utf-8")
    await until(lambda: cells(board.table, "step") == ["2 of 3"])
    played.lesson_progress.write_text(json.dumps({**now, "done": 3}), "utf-8")
    board.next_learner.trigger()
    await until(lambda: "learner 02 is" in board.status.text())
    last = trainer.gateway.learners["01"]["standing"]
    assert (last["done"], last["hints"], last["missed"]) == (3, 2, {"1": 1})


def test_what_a_learner_did_last_is_told_as_elsewhere() -> None:
    sold = {"outcome": "approved", "amount": "10.00", "device": "till-1"}
    assert now_words("sale", sold) == "Sale: Approved, 10.00 on till-1"
    assert now_words("sale sent", {**sold, "outcome": ""}) == "Sale sent: 10.00 on till-1"
    assert now_words("call", {"status": "202", "why": "accepted"}) == "Call: Taken by the device"
    assert now_words("stage done", {"stage": "create"}) == "Stage done: Create the replacement"
    assert now_words("", {}) == ""
