"""Settings, Journal: on this computer or in a team's database; tried, moved, joined, and moved back."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QProgressBar

from keybench.core.team.joining import SECRET_ENTRY, team_address
from keybench.runtime.data_folder import DataFolder
from keybench.ui.kit.boxes import WrappingRow
from keybench.ui.kit.dialog import confirm
from keybench.ui.kit.form import Field, Form, error_text, password_line
from keybench.ui.kit.labels import MessageLabel, button, prose
from keybench.ui.kit.preferences import Choice
from keybench.ui.settings.sections import Section
from keybench.ui.shared.keys.value_line import ValueLine
from keybench.ui.shared.session import OpenAgain, Session
from keybench.words.fields import TEAM_EXAMPLE
from keybench.words.language import _
from keybench.words.team.moving import (
    BACK,
    JOINS,
    KEPT_PASSWORD,
    MOVES,
    REOPEN,
    look_sentence,
    place_sentence,
)
from keybench.workflows.team.moving import JournalMoving

#: For how long the team code is shown, in seconds: it is read out, or written down.
_CODE_S: Final = 60.0
_HERE, _TEAM = "here", "team"
_WHERE: Final = Choice(
    "", _("Where it is"), {_HERE: _("This computer"), _TEAM: _("A team's database")}, _HERE
)


class JournalSection(Section):
    """Where the journal is, and what moves it; the program then starts anew."""

    #: How many rows are copied, of how many; it comes from the journal's thread.
    _copied = Signal(int, int)

    def __init__(self, session: Session) -> None:
        super().__init__(_("Journal"))
        self._session = session
        self._moving = JournalMoving(session.console.world)
        self._file = str(DataFolder(Path(session.console.world.journal.place.folder)).journal)
        desk = self._moving.moves.desk
        self.place = prose(place_sentence(desk, self._file))
        self.body.addWidget(self.place)
        self.where = self.add_choice(
            _WHERE,
            _TEAM if desk.journal else _HERE,
            lambda _value: self._show(),
            _("Desks that share a journal see the same keys, sales and rotations. Values stay at each desk."),
        )
        address, name = QLineEdit(desk.journal), QLineEdit(desk.name)
        example = _("Such as {example}.").format(example=TEAM_EXAMPLE)
        self.address = Field(_("Address of the database"), address, example, check=team_address, lines=0)
        self.password = Field(
            _("Password of the database"), password_line(), _("Kept in the keystore only."), lines=0
        )
        self.desk_name = Field(_("Name of this desk"), name, _("What the team calls it."), lines=0)
        of_team = _("Of a team that is there; its desks show it here.")
        self.code = Field(_("Team code"), QLineEdit(), of_team, lines=0)
        self.form = Form(self.address, self.password, (self.desk_name, self.code))
        self.try_button = button(_("Try the connection"), lambda: self._run(self._try()))
        self.move_button = button(_("Move the journal…"), lambda: self._run(self._move()))
        self.code_button = button(_("Show the team code"), lambda: self._run(self._show_code()))
        self.again_button = button(_("Open Keybench again"), lambda: session.ask(OpenAgain()), tone="primary")
        self.message, self.progress = MessageLabel(), QProgressBar(textVisible=False)
        self.code_line = ValueLine(session.console.clock)
        self.code_line.hidden.connect(self.code_line.hide)
        self._buttons = WrappingRow([self.try_button, self.move_button, self.code_button, self.again_button])
        for part in (self.form, self._buttons, self.code_line, self.progress, self.message):
            self.body.addWidget(part)
        for hidden in (self.again_button, self.progress, self.code_line):
            hidden.hide()
        self._copied.connect(lambda _done, of: self.progress.setMaximum(of))
        self._copied.connect(self.progress.setValue)
        self._show()

    def _show(self) -> None:
        joined, to_team = bool(self._moving.moves.desk.journal), self.where.value == _TEAM
        self.form.setVisible(to_team)
        self.address.editor.setEnabled(not joined)
        self.desk_name.setVisible(not joined)
        self.code.setVisible(not joined)
        self.try_button.setVisible(to_team)
        self.move_button.setVisible(joined != to_team)
        self.code_button.setVisible(joined and to_team)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self._buttons.setEnabled(False)
        self.message.say(_("Working…"))
        self._session.run(
            "move the journal", self._done(work), lambda error: self.message.say(error_text(error), "bad")
        )

    async def _done(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        finally:
            self.progress.hide()
            self._buttons.setEnabled(True)

    async def _try(self) -> None:
        address, password = self.address.text, self.password.text
        words = look_sentence(await self._moving.look(address, password))
        if self._moving.moves.desk.journal and password:
            await self._moving.move(address, password)
            words = f"{words} {KEPT_PASSWORD}"
            self.again_button.show()
        self.message.say(words, "good")

    async def _move(self) -> None:
        address, password, text = self.address.text, self.password.text, BACK
        if not self._moving.moves.desk.journal:
            found = await self._moving.look(address, password)
            self.message.say(look_sentence(found))
            text = JOINS if found.has_team else MOVES
            if trouble := (await self._session.console.look_at_keystore()).trouble:
                raise trouble  # what the keystore is to have must outlive the program
        title, yes = (
            (_("Join the team?"), _("Join")) if text is JOINS else (_("Move the journal?"), _("Move"))
        )
        if not await confirm(self, title=title, text=text, confirm=yes):
            return
        self.progress.show()
        if text is BACK:
            await self._moving.back(self._copied.emit)
        else:
            name, code = self.desk_name.text, self.code.text
            await self._moving.move(address, password, code=code, name=name, told=self._copied.emit)
        for edit in self.form.findChildren(QLineEdit):
            edit.clear()
        for one in (self.form, self.where, self.try_button, self.move_button, self.code_button):
            one.hide()
        self.message.clear()
        self.place.setText(f"{place_sentence(self._moving.moves.desk, self._file)} {REOPEN}")
        self.again_button.show()

    async def _show_code(self) -> None:
        self.code_line.reveal(await self._session.console.world.keystore.read(SECRET_ENTRY), _CODE_S)
        self.code_line.show()
        self.message.clear()
