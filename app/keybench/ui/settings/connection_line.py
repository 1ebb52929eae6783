"""A line that says what answers at an address, with a button for the address that was probably meant."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from keybench.core.environments.connection import ConnectionResult
from keybench.core.errors import KeybenchError
from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.form import error_text
from keybench.ui.kit.labels import MessageLabel, button, set_tip
from keybench.ui.shared.session import Session
from keybench.words.environments.managing import (
    NOT_TRIED_SENTENCE,
    connection_sentence,
    connection_tone,
    use_words,
)
from keybench.words.language import _

#: A longer address is shortened on its button; the whole one is its name and its tip.
_MOST_SHOWN: Final = 48


class UseButton(QPushButton):
    """A button that takes another base URL; out of sight while there is none to take."""

    used = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._base_url = ""
        self.setProperty("tone", "plain")
        self.setAutoDefault(False)
        self.clicked.connect(lambda: self.used.emit(self._base_url))
        self.hide()

    def offer(self, base_url: str) -> None:
        self._base_url = base_url
        self.setVisible(bool(base_url))
        words = use_words(base_url)
        short = base_url if len(base_url) <= _MOST_SHOWN else f"{base_url[: _MOST_SHOWN - 1]}…"
        self.setText(use_words(short).replace("&", "&&"))
        self.setAccessibleName(words)
        set_tip(self, words if short != base_url else "")


class ConnectionLine(QWidget):
    """Tries one address at a time, and shows what was found until it is told something else."""

    #: A try has come to something.
    found = Signal()
    #: Another base URL that is to be used.
    corrected = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._turn = 0
        self._task = ""
        #: What was found of the address that is shown; None while nothing is.
        self.shown: ConnectionResult | None = None
        self.message = MessageLabel()
        self.use_button = UseButton()
        self.stop_button = button(_("Stop trying"), self.stop)
        self.stop_button.hide()
        row = in_row(within=self)
        row.addWidget(self.message, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.use_button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.stop_button, 0, Qt.AlignmentFlag.AlignTop)
        self.use_button.used.connect(self.corrected)
        self.hide()

    @property
    def is_trying(self) -> bool:
        return bool(self._task)

    def try_out(self, host: str, work: Coroutine[Any, Any, ConnectionResult]) -> None:
        """Show that `host` is tried until `work` has ended; one that is under way is given up."""
        self.clear()
        self._turn += 1
        self._task = f"environment.try {id(self)} #{self._turn}"
        self.show()
        self.message.say(_("Trying {host}…").format(host=host))
        self.stop_button.show()
        turn = self._turn
        self._session.run(self._task, self._try(turn, work), on_error=self._on_error, owner=self)

    def stop(self) -> None:
        self._session.supervisor.cancel(self._task)

    def clear(self) -> None:
        """Show nothing; a try that is under way is given up."""
        if self._task:
            self._turn += 1  # what it would say is about an address nobody asks for now
            self.stop()
        self._over()
        self.shown = None
        self.message.clear()
        self.use_button.offer("")
        self.hide()

    async def _try(self, turn: int, work: Coroutine[Any, Any, ConnectionResult]) -> None:
        try:
            tried = await work
        except asyncio.CancelledError:
            if turn == self._turn:
                self._over()
                self.message.say(_("Stopped. {sentence}").format(sentence=NOT_TRIED_SENTENCE))
            raise
        if turn == self._turn:
            self._over()
            self.shown = tried
            self.message.say(connection_sentence(tried), connection_tone(tried))
            self.use_button.offer(tried.correction.base_url if tried.correction else "")
            self.found.emit()

    def _on_error(self, error: KeybenchError) -> None:
        self._over()
        self.message.say(error_text(error), "bad")

    def _over(self) -> None:
        self._task = ""
        if self.stop_button.hasFocus():
            self.stop_button.clearFocus()
        self.stop_button.hide()
