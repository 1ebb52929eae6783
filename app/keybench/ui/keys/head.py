"""Whose details are shown: the key's name, what kind it is, and its fingerprint, which is never cut."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from keybench.core.secret import WORDS
from keybench.core.security_key import SecurityKey
from keybench.ui.theme import scaled
from keybench.ui.widgets.labels import ElidedLabel, label, set_tip
from keybench.words.keys import key_state
from keybench.words.language import _

_TIP: Final = _(
    "The key's fingerprint: four words worked out from its value. Read them out to compare keys by telephone "
    "without ever saying the value."
)
_LONGEST: Final = "-".join([max(WORDS, key=len)] * 4)
#: The fingerprint has a line of its own in less than this, in pixels at 13 px text.
_ONE_LINE: Final = 440


class KeyHead(QWidget):
    """One line, or two or three where there is little room.

    How many depends on the width and never on the key, so that nothing moves when another key is chosen.
    """

    def __init__(self) -> None:
        super().__init__()
        self.name = ElidedLabel("", "strong", least=8)
        self.standing = label("", "strong", tone="bad")
        self.summary = ElidedLabel("", "dim", least=1)
        self.fingerprint = label("", "mono")
        set_tip(self.fingerprint, _TIP)
        self.fingerprint.setWordWrap(True)
        self.fingerprint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.addWidget(self.name, 0, 0)
        self._grid.addWidget(self.standing, 0, 1)
        self._grid.addWidget(self.summary, 0, 2)
        self._grid.setColumnStretch(2, 1)
        self._is_wide: bool | None = None
        self._about = ""
        self._listed = True

    def show_key(self, key: SecurityKey, *, rotating: bool) -> None:
        self.name.setText(key.name)
        self.standing.setText(key_state(key).text if key.compromised else "")
        self.standing.setVisible(key.compromised)
        kind = f"{key.kind} · {key.permission} · {key.username}"
        self._about = _("being rotated · {kind}").format(kind=kind) if rotating else kind
        self._show_summary()
        self.fingerprint.setText(key.fingerprint)
        self.fingerprint.setAccessibleName(
            _("Fingerprint: {value}").format(value=key.fingerprint or _("none"))
        )

    def show_listed(self, *, listed: bool) -> None:
        """Say where the key isn't in the list, because it is filtered away; it can be acted on all the same."""
        self._listed = listed
        self._show_summary()

    def _show_summary(self) -> None:
        filtered = _("not in the list · {about}")
        self.summary.setText(self._about if self._listed else filtered.format(about=self._about))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(event.size())

    def _arrange(self, size: QSize) -> None:
        is_wide = size.width() >= scaled(_ONE_LINE)
        if is_wide != self._is_wide:
            self._is_wide = is_wide
            self._grid.removeWidget(self.fingerprint)
            cell = (0, 3, 1, 1) if is_wide else (1, 0, 1, 4)
            self._grid.addWidget(self.fingerprint, *cell)
            self.fingerprint.setWordWrap(not is_wide)
            upright = Qt.AlignmentFlag.AlignVCenter if is_wide else Qt.AlignmentFlag.AlignTop
            self.fingerprint.setAlignment(Qt.AlignmentFlag.AlignLeft | upright)
        metrics = QFontMetrics(self.fingerprint.font())
        lines = 1 if is_wide or metrics.horizontalAdvance(_LONGEST) <= size.width() else 2
        self.fingerprint.setFixedHeight(metrics.lineSpacing() * lines + 2)
