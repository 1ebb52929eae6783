"""A class, before one is served: to join one, or to hold one; then its board."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QStackedWidget, QWidget

from keybench.runtime.worker import run_in_thread
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import Part, in_column, in_row, in_row_or_column
from keybench.ui.kit.combo import quiet_combo
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form, Hint
from keybench.ui.kit.labels import MessageLabel, button, label, prose
from keybench.ui.kit.page_frame import PageFrame
from keybench.ui.kit.theme import scaled
from keybench.ui.lessons.class_board import ClassBoard
from keybench.ui.lessons.practice import lessons_folder
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.requests import PlayLesson
from keybench.ui.shared.session import Session
from keybench.words.language import _
from keybench.words.lessons.classes import earlier_words
from keybench.workflows.lessons.hosting import EarlierClass, Hosting, addresses
from keybench.workflows.lessons.joining import take_seat

_BESIDE_PX: Final = 760
_NEEDED: Final = _(
    "Each learner gets an account of their own on a gateway that this computer serves. Learners need Keybench, "
    "and one network with this computer. Without a network they take turns here. Nobody is asked for a name."
)
_WORDS: Final = _(
    "Only the class's own gateway has these words. If the board shows others, somebody else answers: don't join."
)
_BOARD: Final = _("Then the board shows what they join with, and how far each is.")
_GONE: Final = _("What is there of {earlier} is removed. Its results are gone unless you exported them.")


class ClassView(QFrame):
    """To join or to hold a class; while one is served, its board stands in their place.

    Attributes:
        head: What stands beside the page's title while this is in sight.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._session = session
        self.hosting = Hosting(session.console.world)
        self.board: ClassBoard | None = None
        self.join_text, self.word = QLineEdit(), QLineEdit()
        self.join_text.setPlaceholderText("otter-maple-42@192.0.2.10:8443")
        needed = _("Enter what the board shows.")
        self.form = Form(
            Field(_("Join with"), self.join_text, required=needed),
            Field(_("Your word"), self.word, _("If you were in this class before.")),
        )
        self.join = button(_("Join"), self._on_join, tone="primary")
        self.join_text.returnPressed.connect(self.join.click)
        self.serve = Action(self, "class.serve", lambda: session.run("serve a class", self._serve()))
        self.said, self.earlier = MessageLabel(), prose("", "strong")
        self._reading = Reading(session, "earlier class", self.hosting.look, self._show_earlier)
        self.head = QWidget()
        self._head = in_row(within=self.head)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._made_cards())
        in_column(self._stack, within=self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.head.setVisible(self.board is not None)
        if self.board is None:
            self._reading.request()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.head.hide()

    # --- joining -----------------------------------------------------------------------------------------

    def _on_join(self) -> None:
        for field in self.form.fields:
            field.clear_message()  # what was said of the last try
        if self.form.first_fault() is None:
            self._session.run("join a class", self._join(), on_error=self.form.show_error)

    async def _join(self) -> None:
        classes, [field, _word] = self._session.console.world.classes, self.form.fields
        field.show_message(_("Asking the class's gateway…"), "dim")
        met = await classes.meet(self.join_text.text().strip())
        field.clear_message()
        words = prose(met.words, "mono")
        words.setProperty("large", "true")
        dialog = Dialog(
            self,
            title=_("Are these the words on the board?"),
            text=_WORDS,
            confirm=_("Yes, join"),
            cancel=_("No"),
            content=words,
        )
        if await dialog.answer():
            await take_seat(classes, met, self.word.text().strip(), lessons_folder(self._session))
            self._session.ask(PlayLesson(""))

    # --- holding one -------------------------------------------------------------------------------------

    def _show_earlier(self, earlier: EarlierClass | None) -> None:
        words = _("You can go on with {earlier}.")
        self.earlier.setText(words.format(earlier=earlier_words(earlier)) if earlier else "")
        self.earlier.setVisible(earlier is not None)

    async def _serve(self) -> None:
        earlier = await self.hosting.look()
        which, lesson, where = (quiet_combo(editable=False) for _each in range(3))
        for one, (_path, known) in self.hosting.lessons.items():
            lesson.addItem(known.title, one)
        for host in await run_in_thread("class", addresses):
            where.addItem(host, host)
        where.addItem(_("This computer only, one learner after the other"), "")
        fields = [
            Field(_("Lesson"), lesson, lines=0),
            Field(_("Where learners join"), where, _("An address that their computers reach."), lines=1),
        ]
        if earlier:
            words = earlier_words(earlier)
            which.addItem(_("Go on with {earlier}").format(earlier=words), "on")
            which.addItem(_("Begin another class"), "new")
            hint = Hint(_GONE.format(earlier=words), "warning")
            fields.insert(
                0, Field(_("Class"), which, check=lambda on: hint if on == "new" else None, lines=2)
            )
            which.currentIndexChanged.connect(lambda: fields[1].setEnabled(which.currentData() == "new"))
            fields[1].setEnabled(False)
        dialog = Dialog(
            self, title=_("Serve a class"), text=_BOARD, confirm=_("Serve the class"), content=Form(*fields)
        )
        if not await dialog.answer():
            return
        goes_on = earlier is not None and which.currentData() == "on"
        self.said.say(_("Starting the class's gateway…"))
        try:
            await self.hosting.begin(where.currentData(), "" if goes_on else lesson.currentData())
        finally:
            self.said.clear()
        self.show_board()

    def show_board(self) -> None:
        """Show the board of the class that is served now."""
        self.board = ClassBoard(self._session, self.hosting)
        self.board.ended.connect(self._on_ended)
        self._stack.addWidget(self.board)
        self._stack.setCurrentWidget(self.board)
        self._head.addWidget(self.board.head)
        self.head.setVisible(self.isVisible())

    def _on_ended(self) -> None:
        board, self.board = self.board, None
        if board:
            board.head.deleteLater()
            board.deleteLater()
        self.head.hide()
        self._reading.request()

    # --- put together ------------------------------------------------------------------------------------

    def _made_cards(self) -> QWidget:
        cards, frame = QWidget(), PageFrame()
        joining = (label(_("Join a class"), "title"), self.form, in_row(None, self.join))
        holding = (label(_("Hold a class"), "title"), prose(_NEEDED), self.earlier, self.said)
        serve = in_row(None, ActionButton(self.serve))
        in_row_or_column(
            (_card(*joining, None), 1),
            (_card(*holding, None, serve), 1),
            from_px=partial(scaled, _BESIDE_PX),
            within=cards,
            spacing=16,
        )
        inside = QWidget()
        in_column(cards, None, within=inside, margins=(16, 16, 16, 16))
        frame.hold(inside)
        return frame


def _card(*parts: Part) -> QFrame:
    card = QFrame()
    card.setProperty("role", "card")
    in_column(*parts, within=card, margins=(16, 10, 16, 14), spacing=10)
    return card
