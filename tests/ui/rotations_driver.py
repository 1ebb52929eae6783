"""The Rotations page in a window on fakes, driven as a person would: by pointer and by keyboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.person import ANN
from fakes.rotating import Rotating
from fakes.waiting import until
from keybench.core.rotations.rotation import Rotation
from keybench.runtime.supervisor import Supervisor
from keybench.ui.rotations.page import RotationsPage
from keybench.ui.rotations.planning import RotationForm
from keybench.ui.rotations.stage_view import StageView
from keybench.ui.shared.session import Notice, Session

_STOPS = 120
#: Opens the page on a program, or on a new one.
Opener = Callable[..., Awaitable["RotationsWindow"]]
_Body = TypeVar("_Body", bound=StageView)


class RotationsWindow:
    """A window with nothing but the page, and the fakes behind it.

    Attributes:
        rotating: The program's use cases and places.
        notices: What the session was told.
    """

    def __init__(self, rotating: Rotating, supervisor: Supervisor) -> None:
        self.rotating = rotating
        self.session = Session(rotating.console, supervisor, rotating.environment)
        self.notices: list[Notice] = []
        self.session.notified.connect(self.notices.append)

    async def open(self, qtbot: QtBot) -> None:
        """Show the window and wait until it has the keyboard and the rotations are listed."""
        self.window = QWidget()
        qtbot.addWidget(self.window, before_close_func=self._close)
        self.page = RotationsPage(self.session)
        QVBoxLayout(self.window).addWidget(self.page)
        self.window.resize(1280, 800)
        self.window.show()
        self.window.activateWindow()
        await until(self.window.isActiveWindow)
        self.page.name_edit.setText(ANN)
        self.page.name_edit.editingFinished.emit()
        await self.idle()

    def _close(self, _window: QWidget) -> None:
        self.session.end()

    # --- what is there -------------------------------------------------------------------------------

    @property
    def shown(self) -> Rotation:
        return self.page.controller.rotation

    @property
    def form(self) -> RotationForm | None:
        """Return the form of a new rotation, while it is open."""
        question = self.question()
        return question.findChild(RotationForm) if question else None

    @property
    def start(self) -> RotationForm:
        assert self.form is not None, "no new rotation is being begun"
        return self.form

    @property
    def listed(self) -> list[str]:
        """The ids of the rotations at the left, from the top."""
        return [one.id for one in self.page.model.rows]

    @property
    def message(self) -> str:
        return self.page.view.footer.message.text()

    def body(self, kind: type[_Body]) -> _Body:
        """Return the view of the stage that is looked at."""
        found = self.page.view.body
        assert isinstance(found, kind), type(found)
        return found

    def words(self) -> str:
        """Return all that is to be read on screen."""
        model = self.page.model
        listed = [column.text(row) for row in model.rows for column in model.columns]
        shown = [each.text() for each in self.window.findChildren(QLabel) if each.isVisible()]
        return "\n".join([*listed, *shown])

    def question(self) -> QDialog | None:
        return next((each for each in self.window.findChildren(QDialog) if each.isVisible()), None)

    def buttons(self, name: str) -> list[QPushButton]:
        where = self.question() or self.window
        found = where.findChildren(QPushButton)
        return [each for each in found if each.isVisible() and name in {each.accessibleName(), each.text()}]

    def button(self, name: str) -> QPushButton:
        """Return the one button on screen of that name."""
        found = self.buttons(name)
        assert len(found) == 1, f"{len(found)} buttons named {name}"
        return found[0]

    async def idle(self) -> None:
        """Wait until no task is under way."""
        await until(lambda: not self.session.supervisor.running)

    # --- what a person does --------------------------------------------------------------------------

    def choose(self, rotation_id: str) -> None:
        """Click on a rotation at the left."""
        table = self.page.table
        index = self.page.model.index(self.page.model.number(rotation_id), 0)
        table.scrollTo(index)
        where = table.visualRect(index).center()
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)

    async def press(self, name: str) -> None:
        """Press a button as soon as it can be pressed."""
        await until(lambda: any(each.isEnabled() for each in self.buttons(name)))
        QTest.mouseClick(self.button(name), Qt.MouseButton.LeftButton)

    async def leave(self) -> None:
        """Leave the question that is asked."""
        await self.press("Cancel")
        await self.idle()

    async def answer(self, confirm: str, words: str = "") -> None:
        """Answer the question that is asked: with words where it has a field for them."""
        await until(self.question)
        if words:
            await until(self._question_has_keyboard)
            type_into_focus(words)
        await self.press(confirm)
        await until(lambda: not self.question())

    async def tab_to(self, name: str) -> None:
        """Go by Tab to the control of that name, and fail if there is no way to it."""
        await until(lambda: any(each.isEnabled() for each in self._named(name)))
        if not self.question():
            self.window.activateWindow()  # what a window manager does when a question has gone
            await until(self.window.isActiveWindow)
        await until(QApplication.focusWidget)
        passed = []
        for _stop in range(_STOPS):
            at = QApplication.focusWidget()
            assert at is not None, "nothing has the keyboard"
            if name in _names(at):
                return
            passed.append(at.accessibleName() or type(at).__name__)
            QTest.keyClick(at, Qt.Key.Key_Tab)
        raise AssertionError(f"Tab doesn't lead to {name}; it passes {passed}")

    async def key_press(self, name: str, key: Qt.Key = Qt.Key.Key_Space) -> None:
        """Go to a control by Tab and press a key there."""
        await self.tab_to(name)
        at = QApplication.focusWidget()
        assert at is not None
        QTest.keyClick(at, key)

    def _question_has_keyboard(self) -> bool:
        question, at = self.question(), QApplication.focusWidget()
        return question is not None and at is not None and question.isAncestorOf(at)

    def _named(self, name: str) -> list[QWidget]:
        where = self.question() or self.window
        return [each for each in where.findChildren(QWidget) if each.isVisible() and name in _names(each)]


def _names(widget: QWidget) -> set[str]:
    return {widget.accessibleName(), widget.text() if isinstance(widget, QPushButton) else ""} - {""}


def type_into_focus(text: str) -> None:
    """Type a text into whatever has the keyboard."""
    at = QApplication.focusWidget()
    assert at is not None, "nothing has the keyboard"
    QTest.keyClicks(at, text)
