"""What stands where the keys will be as long as an environment has none: how to get one, and what it takes."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from keybench.ui.session import Session
from keybench.ui.widgets.labels import Label, button, label, prose
from keybench.words.language import _

_ROWS: Final = ("name", "username", "kind", "value")


class NoKeys(QWidget):
    """Says how a key is made here, what one is asked for, and where a list of keys is imported.

    Args:
        session: Leads to the Keys page.
    """

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
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(label(_("No keys yet"), "strong"))
        layout.addWidget(self._lead)
        layout.addWidget(prose(_("You are asked for:"), "dim"))
        layout.addLayout(self._grid)
        layout.addSpacing(4)
        layout.addWidget(
            prose(_("Is there a list of your keys already? Import it, and give them their values."), "dim")
        )
        layout.addWidget(button(_("Go to Import"), self._on_import), 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)

    @property
    def words(self) -> str:
        """How a key is made here."""
        return self._lead.text()

    def show_gateway(self, *, can_create: bool) -> None:
        """Say how a key is made where the gateway can create keys, or can't."""
        self._lead.setText(
            _("Add a New Key has this gateway create one. Its value goes to your keystore.")
            if can_create
            else _("Create one in the portal, then bring its value here with Add a New Key.")
        )
        for one in self._lines["value"]:
            one.setVisible(not can_create)

    def _on_import(self) -> None:
        self._session.keys_view_wanted.emit("inventory", None)
