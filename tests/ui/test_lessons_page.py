"""The Lessons page and the menu Practice: what is listed with how far it is, played, added, and printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from fakes.lessons import LESSON, EventRoom
from fakes.records import FINISHED
from fakes.waiting import Until
from keybench.core.environments.environment import Environment
from keybench.core.ports import JournalPlace
from keybench.runtime.data_folder import DataFolder
from keybench.ui.kit.actions import Action, Menu, MenuBar
from keybench.ui.kit.choosers import Segments
from keybench.ui.lessons.listing import LessonsView
from keybench.ui.lessons.page import LessonsPage
from keybench.ui.lessons.practice import handout, move_time, open_desk, rehearse, save_handout
from keybench.ui.shared.session import Notice, PlayLesson, Session
from keybench.ui.shell.window import MainWindow
from keybench.workflows.lessons.files import read_lesson
from keybench.workflows.lessons.room import Room
from keybench.workflows.world import World

from .frame import SMALL_PAGES
from .pdf_text import pages_of
from .questions import asked, press
from .saving import save_as


@pytest.fixture
def folder(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    """A person's data folder, with a lesson of their own in it."""
    monkeypatch.setattr(world.journal, "place", JournalPlace(folder=str(tmp_path)))
    own = tmp_path / "lessons" / "own"
    own.mkdir(parents=True)
    (own / "07-rotate.toml").write_text(LESSON, "utf-8")
    return DataFolder(tmp_path)


async def mine(qtbot: QtBot, session: Session, until: Until) -> LessonsView:
    page = LessonsPage(session)
    qtbot.addWidget(page)
    page.resize(1024, 700)
    page.show()
    page.activateWindow()
    await until(page.isActiveWindow)
    view = page.show_view("mine")
    assert isinstance(view, LessonsView)
    await until(lambda: view.table.selected)
    return view


def cells(view: LessonsView) -> list[str]:
    return [column.text(view.model.rows[0]) for column in view.model.columns]


async def test_a_lesson_is_listed_with_how_far_it_is_and_started_resumed_or_started_again(
    qtbot: QtBot, session: Session, folder: DataFolder, until: Until
) -> None:
    asked_for: list[object] = []
    session.requested.connect(asked_for.append)
    view = await mine(qtbot, session, until)
    assert cells(view) == ["1", "Rotate without an outage", "10", "not begun", "", ""]
    assert (view.start.text(), view.again.isVisible()) == ("Start", False)
    view.start.trigger()
    played = DataFolder(folder.lessons / "rotate")
    played.root.mkdir()
    standing = {"lesson": "rotate", "done": 1, "steps": 2, "hints": {"1": 2}, "misses": 1}
    played.lesson_progress.write_text(json.dumps(standing), "utf-8")
    other = LessonsPage(session)  # the lesson's window was in front, and this one is again
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    await until(other.isActiveWindow)
    view.window().activateWindow()
    await until(lambda: cells(view)[3:] == ["step 2 of 2", "2", "1"])
    assert view.start.text() == "Resume"
    view.again.trigger()
    path = str(folder.lessons / "own" / "07-rotate.toml")
    assert asked_for == [PlayLesson(path), PlayLesson(path, again=True)]


async def test_a_file_is_taken_in_once_it_can_be_read_and_a_mistake_is_told_with_its_place(
    qtbot: QtBot, session: Session, folder: DataFolder, tmp_path: Path, until: Until
) -> None:
    failures: list[BaseException] = []
    session.failed.connect(failures.append)
    view = await mine(qtbot, session, until)
    good, bad = tmp_path / "mine.toml", tmp_path / "broken.toml"
    good.write_text(LESSON.replace("without an outage", "at night"), "utf-8")
    bad.write_text(LESSON.replace("minutes", "hours"), "utf-8")
    view.add(str(bad))
    await until(lambda: failures)
    assert [str(getattr(failures[0], name)) for name in ("file", "where")] == ["broken.toml", "hours"]
    await until(lambda: not session.supervisor.is_running("add a lesson"))
    view.add(str(good))
    await until(lambda: view.table.selected and view.table.selected.title == "Rotate at night")
    assert (folder.lessons / "own" / "mine.toml").read_bytes() == good.read_bytes()


async def test_the_menu_moves_time_in_a_lessons_window_alone_and_not_while_a_sale_is_under_way(
    qtbot: QtBot, session: Session, tmp_path: Path
) -> None:
    window = MainWindow(pages=SMALL_PAGES)
    qtbot.addWidget(window)
    window.show()
    window.attach(session)
    bar = window.menuBar()
    assert isinstance(bar, MenuBar)

    def listed() -> dict[str, bool]:
        bar.fill()
        return {one.text(): one.isEnabled() for one in bar.menu(Menu.PRACTICE).actions() if one.text()}

    assert listed() == {
        "Make ready…": True,
        "Move time on by a day": False,
        "Move time on by a week": False,
        "Handout of the amounts…": True,
    }
    room = EventRoom(session.console, tmp_path)
    session.room = cast("Room", room)
    assert listed()["Move time on by a day"]
    told: list[Notice] = []
    session.notified.connect(told.append)
    room.unfinished = 1
    await move_time(window, session, 7)
    assert (room.console.clock.moved_s, told[0].title) == (
        0,
        "Time can't be moved on while a sale is under way.",
    )
    room.unfinished = 0
    await move_time(window, session, 7)
    assert room.console.clock.moved_s == 7 * 86_400
    assert all(isinstance(one, Action) for one in bar.menu(Menu.PRACTICE).actions() if not one.isSeparator())
    window.finish_close()


async def test_a_desk_is_chosen_by_its_title_and_its_story_is_read_before(
    qtbot: QtBot, session: Session, until: Until
) -> None:
    asked_for: list[object] = []
    session.requested.connect(asked_for.append)
    page = LessonsPage(session)
    qtbot.addWidget(page)
    session.run("desk", open_desk(page, session))
    dialog = await asked()
    [choice] = dialog.findChildren(Segments)

    def story() -> str:
        return choice.accessibleDescription()

    assert "each with a key of its own" in story()
    choice.button("chain").click()
    assert "Sixty keys" in story()
    await press("Open the desk")
    await until(lambda: asked_for == [PlayLesson("chain")])


async def test_a_rotation_is_rehearsed_as_a_lesson_of_ones_own_with_its_applications(
    qtbot: QtBot, session: Session, folder: DataFolder
) -> None:
    asked_for: list[object] = []
    session.requested.connect(asked_for.append)
    page = LessonsPage(session)
    qtbot.addWidget(page)
    await rehearse(page, session, FINISHED)
    [played] = asked_for
    assert isinstance(played, PlayLesson)
    lesson = read_lesson(Path(played.name))
    assert Path(played.name).parent == folder.lessons / "own"
    names = [deed.given["name"] for deed in lesson.stage if deed.do == "set application"]
    assert names == [one.name for one in FINISHED.applications]


async def test_the_handout_is_a_page_with_every_amount_and_device(
    qtbot: QtBot, session: Session, environment: Environment, tmp_path: Path, until: Until
) -> None:
    page = LessonsPage(session)
    qtbot.addWidget(page)
    session.run("handout", save_handout(page, session))
    dialog = await asked()
    assert isinstance(dialog, QFileDialog)
    save_as(dialog, tmp_path / "amounts.pdf")
    saved = tmp_path / "amounts.pdf"
    await until(saved.exists)
    assert "Anyotheramountisapproved" in "".join(pages_of(saved.read_bytes()))
    paper = handout(environment, {"20.00": "declined"}, {"till-1": "Front desk"}, session.console.clock.now())
    rows = [section.rows for section in paper.sections]
    assert rows == [(("20.00", "declined"),), (("till-1", "Front desk"),)]
