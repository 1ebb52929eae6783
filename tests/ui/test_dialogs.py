"""Questions: answered by button or Esc, gone with the task that asked."""

from typing import Literal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench.core.input_errors import NameTaken
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.boxes import PageFrame
from keybench.ui.kit.dialog import Dialog, confirm
from keybench.ui.kit.form import Field, Form
from keybench.ui.kit.theme import theme


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
        self.answer = await confirm(
            self._window, title="Forget the key?", text="It stays valid.", confirm="Forget", tone=self._tone
        )


def _asked(window: QWidget) -> bool:
    return any(question.isVisible() for question in window.findChildren(Dialog))


def _question(window: QWidget) -> Dialog:
    return next(question for question in window.findChildren(Dialog) if question.isVisible())


@pytest.mark.parametrize(
    ("key", "tone", "answer"),
    [(None, "primary", True), (Qt.Key.Key_Escape, "primary", False), (Qt.Key.Key_Return, "danger", False)],
)
async def test_a_question_is_answered_by_its_button_or_a_key_and_enter_does_nothing_dangerous(
    qtbot: QtBot,
    window: QWidget,
    supervisor: Supervisor,
    until: Until,
    key: Qt.Key | None,
    tone: Literal["primary", "danger"],
    answer: bool,  # noqa: FBT001 - a case
) -> None:
    asking = Asking(window, supervisor, tone)
    await until(lambda: _asked(window))
    if key:
        qtbot.keyClick(_question(window), key)
    else:
        qtbot.mouseClick(_question(window).confirm_button, Qt.MouseButton.LeftButton)
    await until(lambda: asking.answer is not None)
    assert asking.answer is answer
    assert not _asked(window)


@pytest.mark.parametrize("by_enter", [True, False])
async def test_enter_in_a_questions_field_goes_on_only_where_no_money_moves(
    qtbot: QtBot, window: QWidget, supervisor: Supervisor, until: Until, *, by_enter: bool
) -> None:
    answers: list[bool] = []
    field = QLineEdit("1.00")
    form = Form(Field("Amount", field))
    question = Dialog(window, title="Test sale", confirm="Send sale", content=form, by_enter=by_enter)

    async def asking() -> None:
        answers.append(await question.answer())

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
    await until(lambda: not window.findChildren(Dialog))


async def test_a_message_has_one_button(
    qtbot: QtBot, window: QWidget, supervisor: Supervisor, until: Until
) -> None:
    supervisor.start(
        "tell", Dialog(window, title="Shortcuts", text="F5", confirm="Close", cancel="").answer()
    )
    await until(lambda: _asked(window))
    assert _question(window).confirm_button.text() == "Close"
    _question(window).confirm_button.click()
    await until(lambda: not supervisor.is_running("tell"))


async def test_what_cant_be_kept_opens_the_dialog_again_with_the_reason_at_its_field(
    window: QWidget, supervisor: Supervisor, until: Until
) -> None:
    field = Field("Name", QLineEdit("till"), id="name")
    dialog = Dialog(window, title="Add a key", confirm="Add it", content=Form(field))
    kept: list[str | None] = []

    async def add() -> str:
        if field.text == "till":
            raise NameTaken("key", field.text)
        return field.text

    async def asking() -> None:
        kept.append(await dialog.keep(add))

    supervisor.start("ask", asking())
    await until(dialog.isVisible)
    dialog.confirm_button.click()
    await until(lambda: field.has_message and dialog.isVisible())
    assert "already a key named" in field.message.text()
    field.reset("till 2")
    dialog.confirm_button.click()
    await until(lambda: kept)
    assert kept == ["till 2"]
    await until(lambda: not window.findChildren(Dialog))


async def test_an_open_dialog_follows_the_text_size(
    window: QWidget, supervisor: Supervisor, until: Until
) -> None:
    Asking(window, supervisor)
    await until(lambda: _asked(window))
    width = _question(window).width()
    theme().set_scale(2.0)
    await until(lambda: _question(window).width() > width * 1.5)


async def test_a_dialog_that_is_too_high_for_the_screen_scrolls(qtbot: QtBot, window: QWidget) -> None:
    fields = [Field(f"Field {number}", QLineEdit()) for number in range(40)]
    form = Form(*fields)
    dialog = Dialog(window, title="Many", confirm="Go on", content=form)
    qtbot.addWidget(dialog)
    dialog.show()
    room = dialog.screen().availableGeometry().size()
    assert dialog.height() <= room.height()
    bottom = dialog.confirm_button.mapTo(dialog, dialog.confirm_button.rect().bottomLeft()).y()
    assert bottom < dialog.height()
    frame = dialog.findChild(PageFrame)
    assert frame is not None
    assert frame.verticalScrollBar().maximum() > 0
    assert frame.horizontalScrollBar().maximum() == 0
    assert dialog.form is form
