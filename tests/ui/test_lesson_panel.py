"""A lesson's panel: steps by events, hints, what must not happen, where a control is, and ways back."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.lessons import EventRoom
from fakes.waiting import until
from keybench.core.errors import PracticeUnavailable
from keybench.core.events import TimeMoved
from keybench.runtime.data_folder import DataFolder
from keybench.ui.kit.boxes import in_row
from keybench.ui.lessons.panel import LessonPanel, Marking
from keybench.ui.shared.session import Place, Session
from keybench.ui.shell.band import Band
from keybench.workflows.lessons.room import Room
from keybench.workflows.lessons.standing import read_standing

from .questions import press

RULE = "A sale is refused because its key is gone."


@pytest.fixture
def room(session: Session, tmp_path: Path) -> EventRoom:
    made = EventRoom(session.console, tmp_path)
    session.room = cast("Room", made)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


async def shown(
    qtbot: QtBot, session: Session, folder: DataFolder, page: QWidget | None = None
) -> LessonPanel:
    assert session.room
    panel = LessonPanel(session, session.room, folder)
    window = QWidget()
    qtbot.addWidget(window)
    in_row((page or QWidget(), 1), panel, within=window)
    window.resize(1024, 700)
    window.show()
    window.activateWindow()
    await until(window.isActiveWindow)
    return panel


def texts(panel: QWidget) -> list[str]:
    return [one.text() for one in panel.findChildren(QLabel) if one.isVisible() and one.text()]


def control(panel: QWidget, name: str) -> QPushButton:
    return next(
        one for one in panel.findChildren(QPushButton) if one.accessibleName() == name and one.isVisible()
    )


async def test_events_alone_bring_a_lesson_on_and_its_end_says_what_to_tell_a_colleague(
    qtbot: QtBot, session: Session, room: EventRoom, folder: DataFolder, clock: MovedClock
) -> None:
    panel = await shown(qtbot, session, folder)
    panel.show_setting_up(3, 12)
    assert "Preparing: 3 of 12" in texts(panel)
    panel.begin()
    await until(lambda: panel.present is panel.rows[0])
    # A stage of a rotation has its words from the rotations.
    assert {"Create the replacement", "Stage 1 of the rotation: creating the replacement."} <= {*texts(panel)}
    control(panel, "Hint").setFocus()
    room.happen("stage done", stage="create")
    await clock.advance(1)
    await until(lambda: panel.present is panel.rows[1])
    assert panel.rows[1].hint.hasFocus()  # the keyboard goes on with the lesson
    assert {"✓", "What step 1 was about", "Applications seen working: 0 of 2"} <= {*texts(panel)}
    assert panel.accessibleDescription() == "Step 1 is done. Next: See both applications work with it"
    for _ in range(2):
        room.happen("application seen", subject="web shop")  # the same one twice is one
    await clock.advance(1)
    await until(lambda: "Applications seen working: 1 of 2" in texts(panel))
    room.happen("application seen", subject="parking meters")
    await clock.advance(1)
    await until(lambda: panel.present is None and panel.standing.done == 2)
    assert "An application keeps its key until it is restarted." in texts(panel)
    await until(lambda: read_standing(folder.lesson_progress, "rotate").is_over)


async def test_a_hint_and_what_must_not_happen_are_kept_when_the_window_is_left(
    qtbot: QtBot, session: Session, room: EventRoom, folder: DataFolder, clock: MovedClock
) -> None:
    panel = await shown(qtbot, session, folder)
    panel.show_setting_up(0, 1)
    panel.begin()
    await until(lambda: f"{RULE} 0 so far" in texts(panel))
    control(panel, "Hint").click()
    assert {"Look at the page Rotations.", "1 of 1"} <= {*texts(panel)}
    room.happen("call", why="key gone")
    await clock.advance(20)
    await until(
        lambda: (
            {f"{RULE} Once so far", "Reset step takes you back to where the step began."} <= {*texts(panel)}
        )
    )
    await clock.advance(20)

    def kept() -> tuple[int, int]:
        standing = read_standing(folder.lesson_progress, "rotate")
        return standing.hints_at(1), standing.misses

    await until(lambda: kept() == (1, 1))
    room.happen("stage done", stage="create")
    session.ending.emit()
    assert read_standing(folder.lesson_progress, "rotate").seconds >= 40
    panel.deleteLater()
    await until(lambda: not session.supervisor.is_running("lesson panel"))
    again = await shown(qtbot, session, folder)
    again.begin()
    await until(lambda: f"{RULE} Once so far" in texts(again))
    assert "Look at the page Rotations." in texts(again)
    assert (again.standing.misses, again.standing.done) == (
        1,
        0,
    )  # counted once, and nothing is done after it


async def test_a_step_is_reset_and_all_is_begun_anew_only_after_a_yes(
    qtbot: QtBot, session: Session, room: EventRoom, folder: DataFolder
) -> None:
    room.happen("stage done", stage="create")
    panel = await shown(qtbot, session, folder)
    asked: list[int] = []
    panel.again_wanted.connect(asked.append)
    panel.begin()
    await until(lambda: panel.present is panel.rows[1])
    control(panel, "Hint").click()
    control(panel, "Reset step").click()
    await press("Cancel")
    await until(lambda: not session.supervisor.is_running("lesson again"))
    control(panel, "Reset step").click()
    await press("Reset step")
    await until(lambda: asked == [1] and not session.supervisor.is_running("lesson again"))
    assert read_standing(folder.lesson_progress, "rotate").hints_at(2) == 1
    control(panel, "Start again").click()
    await press("Start again")
    await until(lambda: asked == [1, 0])
    assert read_standing(folder.lesson_progress, "rotate").hints is None


async def test_show_me_where_marks_the_control_of_that_name_or_says_that_it_isnt_here(
    qtbot: QtBot, session: Session, room: EventRoom, folder: DataFolder, clock: MovedClock
) -> None:
    room.happen("stage done", stage="create")
    page, places = QWidget(), list[object]()
    view = QPushButton("Part of it", page)
    session.requested.connect(places.append)
    panel = await shown(qtbot, session, folder, page)
    panel.begin()
    await until(lambda: panel.present is panel.rows[1])
    control(panel, "Show me where").click()
    await clock.advance(3)
    await until(lambda: "It isn't here yet: Confirm it works…" in texts(panel))
    wanted = QPushButton("Confirm it works…", page)
    wanted.hide()
    view.clicked.connect(wanted.show)  # it is in a view of the page
    control(panel, "Show me where").click()
    await until(lambda: panel.window().findChildren(Marking))
    assert wanted.hasFocus()
    assert places == [Place("rotations")] * 2
    assert "It isn't here yet: Confirm it works…" not in texts(panel)


async def test_what_keeps_it_from_looking_is_a_line_until_it_can_look_again(
    qtbot: QtBot, session: Session, room: EventRoom, folder: DataFolder, clock: MovedClock
) -> None:
    room.failure = PracticeUnavailable("it is being updated")
    panel = await shown(qtbot, session, folder)
    panel.begin()
    await until(
        lambda: any(one.text() == "Retry" and one.isVisible() for one in panel.findChildren(QPushButton))
    )
    room.failure = None
    control(panel, "Retry").click()
    await until(lambda: panel.present is panel.rows[0])
    assert not any(one.text() == "Retry" and one.isVisible() for one in panel.findChildren(QPushButton))


async def test_a_desk_has_its_story_and_a_way_back_and_folds_away(
    qtbot: QtBot, session: Session, tmp_path: Path, folder: DataFolder
) -> None:
    desk = 'title = "A small shop"\nstory = "Three keys."\n'
    session.room = cast("Room", EventRoom(session.console, tmp_path, desk))
    panel = await shown(qtbot, session, folder)
    panel.begin()
    assert panel.edge.isVisible(), "nobody needs it until the desk is to be reset"
    panel.edge.click()
    names = {one.accessibleName() for one in panel.findChildren(QPushButton) if one.isVisible()}
    assert texts(panel) == ["A small shop", "Three keys."]
    assert names == {"Close the panel", "Reset the desk"}
    wide = panel.width()
    panel.close_button.click()
    assert panel.edge.hasFocus()
    await until(lambda: panel.width() < wide / 3)
    panel.edge.click()
    assert panel.close_button.isVisible()


async def test_the_band_says_by_how_much_time_was_moved_on_in_a_lesson_alone(
    qtbot: QtBot, session: Session, room: EventRoom
) -> None:
    band = Band(session.environment)
    qtbot.addWidget(band)
    band.show()
    band.attach(session)
    for lesson, moved_s, words in (
        (None, 86_400, ""),
        (session.room, 86_400, "Time moved on 1 day"),
        (session.room, 2 * 86_400 + 7200, "Time moved on 2 days 2 h"),
        (session.room, 0, ""),
    ):
        session.room, session.console.clock.moved_s = lesson, moved_s
        session.console.events.publish(TimeMoved())
        assert (band.time_chip.words.text(), band.time_chip.isVisible()) == (words, bool(words))
