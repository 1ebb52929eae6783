"""Cards to choose one of, and those of the five stages: push buttons with several lines in them.

To screen readers they are radio buttons.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import Final, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from keybench.core import rotation_stages as stages
from keybench.core.rotation import STAGES, Rotation, Stage
from keybench.ui.rotations.stage_view import column
from keybench.ui.theme import scaled, set_role
from keybench.ui.widgets.labels import label, prose
from keybench.ui.widgets.pill import Pill
from keybench.words.rotations import STAGE_TITLES, stage_line, stage_number

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


#: From this width on, at 13 px text, a card has room for its words.
_WORDS_PX: Final = 148


class StageCards(QWidget):
    """Cards 1 to 5; the arrow keys go along them.

    Signals:
        chosen: A person wants to look at a stage (a `Stage`).
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Stages")
        self._cards: dict[Stage, CardButton] = {}
        self._chosen: Stage | None = None
        self._words = prose(role="strong")
        row = QHBoxLayout()
        row.setSpacing(8)
        for stage in STAGES:
            card = CardButton(pill_first=True)
            card.clicked.connect(partial(self.chosen.emit, stage))
            self._cards[stage] = card
            row.addWidget(card, 1)
        layout = column(self)
        layout.addLayout(row)
        layout.addWidget(self._words)
        self._words.hide()

    def card(self, stage: Stage) -> CardButton:
        """Return a stage's card."""
        return self._cards[stage]

    def show_rotation(self, rotation: Rotation) -> None:
        """Show how far each stage is."""
        due = stages.stage_of(rotation)
        for stage, card in self._cards.items():
            number = stage_number(stage)
            # A list with nothing in it is complete, but nothing to be at ease about.
            done = stages.is_done(rotation, stage) and (
                stage is not Stage.REPLACE or bool(rotation.applications)
            )
            tone = "good" if done else "accent" if stage is due and rotation.is_open else "dim"
            pill = f"✓ {number}" if done else str(number)
            card.show_card(STAGE_TITLES[stage], stage_line(rotation, stage), pill=pill, tone=tone)
            card.show_done(done=done)
            words = "done" if done else "due now" if stage is due and rotation.is_open else "not done"
            card.setAccessibleName(f"Stage {number}: {STAGE_TITLES[stage]}")  # its button has the bare words
            card.setAccessibleDescription(f"Stage {number} of {len(STAGES)}, {words}: {card.line.text()}")
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Return little width: in a narrow page the cards lose their words."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the cards' words out or bring them back; those of the chosen one stand below then."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        wide = self.width() >= scaled(_WORDS_PX) * len(STAGES)
        for card in self._cards.values():
            card.show_words(shown=wide)
        self._words.setVisible(not wide and self._chosen is not None)
        if self._chosen:
            card = self._cards[self._chosen]
            self._words.setText(f"{stage_number(self._chosen)} {card.title.text()}: {card.line.text()}")

    def choose(self, stage: Stage | None) -> None:
        """Mark the stage that is looked at; none while something else is."""
        self._chosen = stage
        self._fit()
        mark_one(self._cards, stage)
