"""Cards to choose one of: a push button with several lines in it, a radio button to screen readers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from keybench.ui.theme import set_role
from keybench.ui.widgets.labels import label
from keybench.ui.widgets.pill import Pill

Key = TypeVar("Key", bound=Hashable)


class CardButton(QPushButton):
    """A card with a strong line, a pill and a dim line; one of its kind is chosen at a time.

    Args:
        pill_first: Whether the pill stands before the strong line, as a stage's number does, else below it.
    """

    def __init__(self, *, pill_first: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", "true")
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setAutoDefault(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._is_wordy = True
        self.pill = Pill()
        self.title: QLabel = label("", "strong")
        self.line: QLabel = label("", "dim")
        for each in (self.title, self.line):
            each.setWordWrap(True)
            each.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._lay_out(pill_first=pill_first)
        for each in (self.pill, self.title, self.line):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_card(self, title: str, line: str, *, pill: str = "", tone: str = "dim") -> None:
        """Show other words.

        Args:
            title: The strong line.
            line: The dim line.
            pill: The pill's words; empty for none.
            tone: The pill's tone.
        """
        self.title.setText(title)
        self.line.setText(line)
        self.pill.show_state(pill, tone)
        self.pill.setVisible(bool(pill))
        self.setAccessibleName(title)
        self.setAccessibleDescription(", ".join(part for part in (pill, line) if part))
        self.updateGeometry()

    def show_words(self, *, shown: bool) -> None:
        """Show the card's words, or its pill alone where there is little room; readers are told anyway."""
        self._is_wordy = shown
        self.title.setVisible(shown)
        self.line.setVisible(shown)
        self.updateGeometry()

    def show_done(self, *, done: bool) -> None:
        """Show on the card's edge whether what it stands for is done; its words say so, too."""
        set_role(self, "done", "true" if done else "false")

    def sizeHint(self) -> QSize:
        """Return the size of what is in it, at its present width."""
        hint = self._layout.sizeHint()
        width = self.width() if self.isVisible() else hint.width()
        return QSize(hint.width(), self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return little width, and the height that the present width makes."""
        return QSize(self._layout.minimumSize().width(), self.heightForWidth(self.width()))

    def hasHeightForWidth(self) -> bool:
        """Return that its lines wrap, while any are shown."""
        return self._is_wordy

    def heightForWidth(self, width: int) -> int:
        """Return the height its lines need in a width."""
        if self._is_wordy:
            return self._layout.totalHeightForWidth(width)
        margins = self._layout.contentsMargins()
        return self.pill.sizeHint().height() + margins.top() + margins.bottom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height where the lines wrap otherwise now."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def _lay_out(self, *, pill_first: bool) -> None:
        top = Qt.AlignmentFlag.AlignTop
        head = QHBoxLayout()
        head.setSpacing(6)
        if pill_first:
            head.addWidget(self.pill, 0, top)
        head.addWidget(self.title, 1, top)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 10, 12, 10)
        self._layout.setSpacing(4)
        self._layout.addLayout(head)
        if not pill_first:
            self._layout.addWidget(self.pill)
        self._layout.addWidget(self.line)
        self._layout.addStretch(1)


def mark_one(cards: Mapping[Key, CardButton], chosen: Key | None) -> None:
    """Mark the chosen card, or none; Tab comes to the marked one, and the arrow keys go on from there."""
    reached = chosen if chosen in cards else next(iter(cards), None)
    for key, card in cards.items():
        card.setAutoExclusive(False)  # or Qt wouldn't let go of the only marked one
        card.setChecked(key == chosen)
        card.setFocusPolicy(Qt.FocusPolicy.StrongFocus if key == reached else Qt.FocusPolicy.ClickFocus)
    for card in cards.values():
        card.setAutoExclusive(True)
