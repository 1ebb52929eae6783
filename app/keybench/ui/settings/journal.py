"""Settings, Journal: on this computer or in a team's database; tried, moved, joined, and moved back."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QProgressBar

from keybench.core.team.joining import team_address
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
    KEPT,
    MOVES,
    REOPEN,
    look_sentence,
    place_sentence,
)
from keybench.workflows.team.moving import JournalMoving

#: For how long the team code is shown, in seconds: it is read out, or written down.
_CODE_S: Final = 60.0
_HERE, _TEAM = "here", "team"
_PLACES: Final = {_HERE: _("This computer"), _TEAM: _("A team's database")}
_SHARED: Final = _(
    "Desks that share a journal see the same keys, sales and rotations. Values stay at each desk."
)


class JournalSection(Section):
    """Where the journal is, and what moves it; the program then starts anew."""

    #: How many rows are copied, of how many; it comes from the journal's thread.
    _copied = Signal(int, int)

    def __init__(self, session: Session) -> None:
        super().__init__(_("Journal"))
        world = session.console.world
        self._session, self._moving = session, JournalMoving(world)
        self._file = str(DataFolder(Path(world.journal.place.folder)).journal)
        desk = self._moving.moves.desk
        self.place = prose(place_sentence(desk, self._file))
        self.body.addWidget(self.place)
        place, choice = _TEAM if desk.journal else _HERE, Choice("", _("Where it is"), _PLACES, _HERE)
        self.where = self.add_choice(choice, place, lambda _value: self._show(), _SHARED)
        example = _("Such as {example}.").format(example=TEAM_EXAMPLE)
        of_team = _("Of a team that is there; its desks show it here.")
        lines = {  # by what `move` calls them
            "address": (_("Address of the database"), example, QLineEdit(desk.journal)),
            "password": (_("Password of the database"), _("Kept in the keystore only."), password_line()),
            "name": (_("Name of this desk"), _("What the team calls it."), QLineEdit(desk.name)),
            "code": (_("Team code"), of_team, QLineEdit()),
        }
        self.form = Form(
            *(Field(title, line, hint, id=each, lines=0) for each, (title, hint, line) in lines.items())
        )
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
        self._copied.connect(lambda _done, of: self.progress.setMaximum(max(of, 1)))
        self._copied.connect(self.progress.setValue)
        self._show()

    def _show(self) -> None:
        joined, to_team = bool(self._moving.moves.desk.journal), self.where.value == _TEAM
        self.form.setVisible(to_team)
        for each in ("name", "code"):
            self.form.field(each).setVisible(not joined)
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

    @property
    def _entered(self) -> dict[str, str]:
        return {field.id: field.text for field in self.form.fields}

    async def _try(self) -> None:
        address, password = self._entered["address"], self._entered["password"]
        words = look_sentence(await self._moving.look(address, password))
        used = self._moving.moves.desk.journal
        if used and (password or team_address(address)[0] != used):
            await self._moving.move(address, password)
            words = f"{words} {KEPT}"
            self.again_button.show()
        self.message.say(words, "good")

    async def _move(self) -> None:
        entered, text = self._entered, BACK
        if not self._moving.moves.desk.journal:
            found = await self._moving.look(entered["address"], entered["password"])
            self.message.say(look_sentence(found))
            text = JOINS if found.has_team else MOVES
            if trouble := (await self._session.console.look_at_keystore()).trouble:
                raise trouble  # what the keystore is to have must outlive the program
        title, yes = (_("Move the journal?"), _("Move"))
        if text is JOINS:
            title, yes = (_("Join the team?"), _("Join"))
        if not await confirm(self, title=title, text=text, confirm=yes):
            return
        self.progress.show()
        tell = self._copied.emit
        await (self._moving.back(tell) if text is BACK else self._moving.move(**entered, told=tell))
        for field in self.form.fields:
            field.reset()
        for one in (self.form, self.where, self.try_button, self.move_button, self.code_button):
            one.hide()
        self.message.clear()
        self.place.setText(f"{place_sentence(self._moving.moves.desk, self._file)} {REOPEN}")
        self.again_button.show()

    async def _show_code(self) -> None:
        self.code_line.reveal(await self._moving.code(), _CODE_S)
        self.code_line.show()
        self.message.clear()
