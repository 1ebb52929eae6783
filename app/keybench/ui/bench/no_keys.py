"""What stands where the keys will be as long as an environment has none: how to get one, and what it takes."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.labels import Label, button, label, prose
from keybench.ui.shared.requests import ShowKeys
from keybench.ui.shared.sales.first_steps import TITLE, FirstSteps
from keybench.ui.shared.session import Session
from keybench.words.language import _

_ROWS: Final = ("name", "username", "kind", "value")


class NoKeys(QWidget):
    """Says how a key is made here, what one is asked for, and where a list of keys is imported."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._lead = prose("")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(1, 1)
        self._lines: dict[str, tuple[Label, Label]] = {}
        texts = (
            (_("Key Name"), _("Such as the till or the program that uses it; one key for each.")),
            (_("Username"), _("The key gets every permission of this user.")),
            (
                _("Kind"),
                _("Private for servers and tills, which sell. Public for web pages and apps, which can't."),
            ),
            (_("Key value"), _("Copied from the portal. It is kept in your keystore and nowhere else.")),
        )
        for row, (name, (title, text)) in enumerate(zip(_ROWS, texts, strict=True)):
            self._lines[name] = label(title, "strong"), prose(text, "dim")
            for column, one in enumerate(self._lines[name]):
                self._grid.addWidget(one, row, column, Qt.AlignmentFlag.AlignTop)
        self.steps = FirstSteps(session)
        self._first = QWidget()
        in_column(label(TITLE, "strong"), self.steps, within=self._first, spacing=0)
        self._usual = QWidget()
        usual = in_column(
            label(_("No keys yet"), "strong"),
            self._lead,
            prose(_("You are asked for:"), "dim"),
            self._grid,
            4,
            prose(_("Is there a list of your keys already? Import it, and give them their values."), "dim"),
            within=self._usual,
            spacing=12,
        )
        usual.addWidget(button(_("Go to Import"), self._on_import), 0, Qt.AlignmentFlag.AlignLeft)
        in_column(self._first, self._usual, None, within=self, margins=(0, 8, 0, 0), spacing=0)
        self._first.hide()

    @property
    def words(self) -> str:
        return self._lead.text()

    def show_gateway(self, *, can_create: bool) -> None:
        self._lead.setText(
            _("Add a New Key has this gateway create one.")
            if can_create
            else _("Create one in the portal, then bring its value here with Add a New Key.")
        )
        for one in self._lines["value"]:
            one.setVisible(not can_create)

    def show_first(self, *, first: bool) -> None:
        """Show the steps to a first sale instead, or what is usual again."""
        if first:
            self.steps.show_progress(self._session.environment, has_key=False, device="")
        self._first.setVisible(first)
        self._usual.setVisible(not first)

    def _on_import(self) -> None:
        self._session.ask(ShowKeys("inventory"))
