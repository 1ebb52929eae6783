"""A class, before one is served: to join one, or to hold one; then its board."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QStackedWidget

from keybench.runtime.data_folder import DataFolder
from keybench.runtime.worker import run_in_thread
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import PageFrame, framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.choosers import quiet_combo
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form, Hint
from keybench.ui.kit.labels import MessageLabel, button, label, prose
from keybench.ui.kit.theme import scaled
from keybench.ui.lessons.class_board import ClassBoard, card
from keybench.ui.shared.session import PlayLesson, Session
from keybench.words.language import _
from keybench.words.lessons.classes import earlier_words
from keybench.workflows.lessons.hosting import Hosting, addresses, begin, earlier_class, lessons_in
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
    """To join or to hold a class; while one is served, its board stands in their place."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._session = session
        self._data = DataFolder(Path(session.console.world.journal.place.folder))
        self.board: ClassBoard | None = None
        self.join_text, self.word = QLineEdit(), QLineEdit()
        self.join_text.setPlaceholderText("otter-maple-42@192.0.2.10:8443")
        self.form = Form(
            Field(_("Join with"), self.join_text, required=_("Enter what the board shows.")),
            Field(_("Your word"), self.word, _("If you were in this class before.")),
        )
        self.join = button(_("Join"), self._on_join, tone="primary")
        self.join_text.returnPressed.connect(self.join.click)
        self.serve = Action(self, "class.serve", lambda: session.run("serve a class", self._serve()))
        self.said, self.earlier = MessageLabel(), prose("", "strong")
        self._lay_out()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_earlier()

    def _show_earlier(self) -> None:
        earlier = earlier_class(self._data)
        words = _("You can go on with {earlier}.")
        self.earlier.show_text(words.format(earlier=earlier_words(earlier)) if earlier else "")

    # --- joining -----------------------------------------------------------------------------------------

    def _on_join(self) -> None:
        for field in self.form.fields:
            field.clear_message()  # what was said of the last try
        if self.form.first_fault() is None:
            self._session.run("join a class", self._join(), on_error=self.form.show_error)

    async def _join(self) -> None:
        classes, field = self._session.console.world.classes, self.form.fields[0]
        field.show_message(_("Asking the class's gateway…"), "dim")
        met = await classes.meet(self.join_text.text())
        field.clear_message()
        words, title = prose(met.words, "mono"), _("Are these the words on the board?")
        words.setProperty("large", "true")
        yes, no = _("Yes, join"), _("No")
        dialog = Dialog(self, title=title, text=_WORDS, confirm=yes, cancel=no, content=words)
        if await dialog.answer():
            await take_seat(classes, met, self.word.text().strip(), self._data.lessons)
            self._session.ask(PlayLesson(""))

    # --- holding one -------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        lessons = await run_in_thread("class", partial(lessons_in, self._data))
        earlier = earlier_class(self._data)
        which, lesson, where = (quiet_combo(editable=False) for _each in range(3))
        for one, (_path, known) in lessons.items():
            lesson.addItem(known.title, one)
        for host in await run_in_thread("class", addresses):
            where.addItem(host, host)
        where.addItem(_("This computer only, one learner after the other"), "")
        of = Field(_("Lesson"), lesson, lines=0)
        fields = [of, Field(_("Where learners join"), where, _("An address that their computers reach."))]
        if earlier:
            words = earlier_words(earlier)
            which.addItem(_("Go on with {earlier}").format(earlier=words), "on")
            which.addItem(_("Begin another class"), "new")
            gone = Hint(_GONE.format(earlier=words), "warning")
            what = Field(_("Class"), which, check=lambda on: gone if on == "new" else None, lines=2)
            what.edited.connect(lambda: of.setEnabled(what.text == "new"))
            of.setEnabled(False)
            fields.insert(0, what)
        does, form = _("Serve the class"), Form(*fields)
        if await Dialog(self, title=_("Serve a class"), text=_BOARD, confirm=does, content=form).answer():
            self.said.say(_("Starting the class's gateway…"))
            chosen = lesson.currentData() if of.isEnabled() else ""
            host, world = where.currentData(), self._session.console.world
            try:
                self.show_board(await begin(world, self._data, lessons, host, chosen))
            finally:
                self.said.clear()

    def show_board(self, hosting: Hosting) -> None:
        """Show the board of a class that is served."""
        self.board = ClassBoard(self._session, hosting)
        self.board.ended.connect(self._on_ended)
        self._stack.addWidget(self.board)
        self._stack.setCurrentWidget(self.board)

    def _on_ended(self) -> None:
        if self.board:
            self.board.deleteLater()
        self.board = None
        self._show_earlier()

    # --- put together ------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        joining = (label(_("Join a class"), "title"), self.form, in_row(None, self.join))
        serve = in_row(None, ActionButton(self.serve))
        holding = (label(_("Hold a class"), "title"), prose(_NEEDED), self.earlier, self.said, None, serve)
        beside = partial(scaled, _BESIDE_PX)
        both = (card(*joining, None), 1), (card(*holding), 1)
        cards = framed(in_row_or_column(*both, from_px=beside, spacing=16))
        inside = framed(in_column(cards, None, margins=(16, 16, 16, 16)))
        self._stack = QStackedWidget()
        self._stack.addWidget(PageFrame(content=inside))
        in_column(self._stack, within=self)
