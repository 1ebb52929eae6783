"""Copies the command that brings a missing keystore here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from keybench.ui.kit.labels import explain_button
from keybench.ui.shared.session import Notice, Session
from keybench.words.language import _

if TYPE_CHECKING:  # the first frame comes first
    from keybench.core.ports import KeystoreStatus

TRY_AGAIN = _("Try again")

COPY_COMMAND = _("Copy the command")


class CopyCommand(QPushButton):
    """Copies the command that brings or allows a missing keystore; without one it isn't there."""

    def __init__(self, tone: str = "quiet", parent: QWidget | None = None) -> None:
        super().__init__(COPY_COMMAND, parent)
        self._session: Session | None = None
        self._command = ""
        self.setProperty("tone", tone)
        self.setAutoDefault(False)
        self.clicked.connect(self._on_clicked)
        self.hide()

    def attach(self, session: Session) -> None:
        self._session = session

    def show_status(self, status: KeystoreStatus) -> None:
        from keybench.words.system import keystore_command  # noqa: PLC0415 - the first frame comes first

        self._command = keystore_command(status)
        explain_button(self, self._command)
        self.setVisible(bool(self._command))

    def _on_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._command)
        if self._session:
            copied = Notice("info", _("Copied the command"), self._command, topic="copied")
            self._session.notify(copied)
