"""What stands where the keys will be as long as an environment has none: what comes first, in three steps."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from keybench.ui.widgets.labels import label, prose
from keybench.ui.widgets.pill import Pill
from keybench.words.language import _

_CREATE: Final = (
    _("Add a New Key"),
    _("Name it and choose its user. The gateway makes the key, and its value goes into your keystore."),
)
_BRING: Final = (
    _("Add a New Key"),
    _("Make the key in the portal, and paste its value here. It goes into your keystore and nowhere else."),
)
_NEXT: Final = (
    (_("Test it"), _("Test key makes one harmless call and shows whether the gateway accepts it.")),
    (
        _("Send a sale"),
        _("Choose a device and an amount under Sale test, and watch the sale until it is over."),
    ),
)


class NoKeys(QWidget):
    """The steps; what else helps a beginner can be put below them, see `add_below`."""

    def __init__(self) -> None:
        super().__init__()
        self._steps: list[str] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 8, 0, 0)
        self._layout.setSpacing(16)
        self._layout.addWidget(label(_("No keys yet"), "strong"))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)
        self._first = prose("", "dim")
        for number, (title, text) in enumerate((_CREATE, *_NEXT)):
            told = prose(text, "dim") if number else self._first
            self._grid.addWidget(Pill(str(number + 1), "accent"), 3 * number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(label(title, "strong"), 3 * number, 1)
            self._grid.addWidget(told, 3 * number + 1, 1)
            self._grid.setRowMinimumHeight(3 * number + 2, 12)
        self._layout.addLayout(self._grid)
        self._layout.addStretch(1)
        self.show_gateway(can_create=True)

    @property
    def words(self) -> str:
        """The first step and what it says."""
        return f"{_CREATE[0]}: {self._first.text()}"

    def show_gateway(self, *, can_create: bool) -> None:
        """Say how a key is made where the gateway can create keys, or can't."""
        self._first.setText((_CREATE if can_create else _BRING)[1])

    def add_below(self, widget: QWidget) -> None:
        """Put something below the steps, such as a way to be shown around."""
        self._layout.insertWidget(self._layout.count() - 1, widget, 0, Qt.AlignmentFlag.AlignLeft)
