"""What stands where the keys will be as long as an environment has none: how to get one, and what it takes."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import button, label, prose
from keybench.ui.shared.requests import ShowKeys
from keybench.ui.shared.sales.first_steps import TITLE, FirstSteps
from keybench.ui.shared.session import Session
from keybench.words.language import _

_ASKED: Final = (
    (_("Key Name"), _("Such as the till or the program that uses it; one key for each.")),
    (_("Username"), _("The key gets every permission of this user.")),
    (_("Kind"), _("Private for servers and tills, which sell. Public for web pages and apps, which can't.")),
)


class NoKeys(QWidget):
    """Says how a key is made here, what one is asked for, and where a list of keys is imported."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._lead = prose("")
        self.steps = FirstSteps(session)
        self._first, self._usual = QWidget(), QWidget()
        in_column(label(TITLE, "strong"), self.steps, within=self._first, spacing=0)
        asked = QGridLayout()
        asked.setHorizontalSpacing(16)
        asked.setColumnStretch(1, 1)
        for row, (title, text) in enumerate(_ASKED):
            asked.addWidget(label(title, "strong"), row, 0, Qt.AlignmentFlag.AlignTop)
            asked.addWidget(prose(text, "dim"), row, 1)
        to_import = prose(
            _("Is there a list of your keys already? Import it, and give them their values."), "dim"
        )
        go = button(_("Go to Import"), lambda: session.ask(ShowKeys("inventory")))
        in_column(
            label(_("No keys yet"), "strong"),
            self._lead,
            prose(_("You are asked for:"), "dim"),
            asked,
            to_import,
            in_row(go, None),
            within=self._usual,
            spacing=12,
        )
        in_column(self._first, self._usual, None, within=self, margins=(0, 8, 0, 0), spacing=0)
        self._first.hide()

    def show_gateway(self, *, can_create: bool) -> None:
        self._lead.setText(
            _("Add a New Key has this gateway create one.")
            if can_create
            else _(
                "Create one in the portal, then bring its value here with Add a New Key. It is kept in your "
                "keystore and nowhere else."
            )
        )

    def show_first(self, *, first: bool) -> None:
        """Show the steps to a first sale instead, or what is usual again."""
        if first:
            self.steps.show_progress(self._session.environment, has_key=False, device="")
        self._first.setVisible(first)
        self._usual.setVisible(not first)
