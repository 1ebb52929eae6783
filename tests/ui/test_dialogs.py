"""Questions: answered by button or Esc, gone with the task that asked."""

import asyncio
from typing import Literal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench.runtime.supervisor import Supervisor
from keybench.ui.dialogs import Question, ask, tell
from keybench.ui.rotations.asking import FormQuestion, answered


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


class Asking:
    """Asks in a task and keeps the answer."""

    def __init__(
        self, window: QWidget, supervisor: Supervisor, tone: Literal["primary", "danger"] = "primary"
    ) -> None:
        self.answer: bool | None = None
        self._window, self._tone = window, tone
        supervisor.start("ask", self._ask())

    async def _ask(self) -> None:
        self.answer = await ask(
            self._window, title="Forget the key?", text="It stays valid.", confirm="Forget", tone=self._tone
        )


def _asked(window: QWidget) -> bool:
    return any(question.isVisible() for question in window.findChildren(Question))


def _question(window: QWidget) -> Question:
    return next(question for question in window.findChildren(Question) if question.isVisible())


async def test_the_confirming_button_answers_yes(
    qtbot: QtBot, window: QWidget, supervisor: Supervisor, until: Until
) -> None:
    asking = Asking(window, supervisor)
    await until(lambda: _asked(window))
    qtbot.mouseClick(_question(window).confirm_button, Qt.MouseButton.LeftButton)
    await until(lambda: asking.answer is not None)
    assert asking.answer is True
    assert not _asked(window)


async def test_escape_answers_no(qtbot: QtBot, window: QWidget, supervisor: Supervisor, until: Until) -> None:
    asking = Asking(window, supervisor)
    await until(lambda: _asked(window))
    qtbot.keyClick(_question(window), Qt.Key.Key_Escape)
    await until(lambda: asking.answer is not None)
    assert asking.answer is False


async def test_enter_leaves_a_dangerous_question(
    qtbot: QtBot, window: QWidget, supervisor: Supervisor, until: Until
) -> None:
    asking = Asking(window, supervisor, "danger")
    await until(lambda: _asked(window))
    assert _question(window).cancel_button.isDefault()
    qtbot.keyClick(_question(window), Qt.Key.Key_Return)
    await until(lambda: asking.answer is not None)
    assert asking.answer is False


@pytest.mark.parametrize("by_enter", [True, False])
async def test_enter_in_a_questions_field_goes_on_only_where_no_money_moves(
    qtbot: QtBot, window: QWidget, supervisor: Supervisor, until: Until, *, by_enter: bool
) -> None:
    answers: list[bool] = []
    question = FormQuestion(window, title="Test sale", text="", confirm="Send sale", by_enter=by_enter)
    field = QLineEdit("1.00")
    question.add(field)

    async def asking() -> None:
        answers.append(await answered(question))

    supervisor.start("ask", asking())
    await until(question.isVisible)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: bool(answers))
    assert answers == [by_enter]


async def test_the_question_goes_with_the_task_that_asked(
    window: QWidget, supervisor: Supervisor, until: Until
) -> None:
    Asking(window, supervisor)
    await until(lambda: _asked(window))
    supervisor.cancel("ask")
    await until(lambda: not window.findChildren(Question))


async def test_the_loop_goes_on_while_a_question_is_open(
    window: QWidget, supervisor: Supervisor, until: Until
) -> None:
    asking = Asking(window, supervisor)
    await until(lambda: _asked(window))
    await asyncio.sleep(0)
    assert asking.answer is None
    _question(window).reject()
    await until(lambda: asking.answer is False)


async def test_a_message_has_one_button(
    qtbot: QtBot, window: QWidget, supervisor: Supervisor, until: Until
) -> None:
    supervisor.start("tell", tell(window, title="Shortcuts", text="F5"))
    await until(lambda: _asked(window))
    assert _question(window).confirm_button.text() == "Close"
    _question(window).confirm_button.click()
    await until(lambda: not supervisor.is_running("tell"))
