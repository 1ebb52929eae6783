"""The line above the keys by which some of them are found: a filter, and the kind."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from keybench.core.security_key import KeyKind
from keybench.ui.theme import scaled
from keybench.ui.widgets.list_page import search_field
from keybench.ui.widgets.segments import Segments
from keybench.words.language import _

_ALL: Final = "all"
#: What the filter needs beside the kinds, in pixels at 13 px text; with less, each has a line of its own.
_FILTER_PX: Final = 130


class KeyFinder(QWidget):
    """A field whose words are looked for as one types, and the kinds to choose from.

    Signals:
        kind_changed: Keys of another kind are wanted (a `KeyKind`), or all (None).
    """

    kind_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filter = search_field(_("Filter keys"), _("Filter by name, user, purpose, fingerprint…"))
        choices = (_ALL, _("All")), (KeyKind.PRIVATE.value, _("Private")), (KeyKind.PUBLIC.value, _("Public"))
        self.kinds = Segments(choices, _("Kind of the keys shown"))
        self.kinds.changed.connect(self._on_kind)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(0, 1)
        self._grid.addWidget(self.filter, 0, 0)
        self._grid.addWidget(self.kinds, 0, 1)
        self._is_one_line = True

    def clear(self) -> None:
        self.filter.clear()
        self.kinds.choose(_ALL)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_one_line = self.width() >= self.kinds.sizeHint().width() + 8 + scaled(_FILTER_PX)
        if is_one_line != self._is_one_line:
            self._is_one_line = is_one_line
            self._grid.addWidget(self.kinds, *((0, 1) if is_one_line else (1, 0)))

    def _on_kind(self, value: str) -> None:
        self.kind_changed.emit(None if value == _ALL else KeyKind(value))
