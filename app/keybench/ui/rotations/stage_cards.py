"""The five stages as cards in a row: which are done, which is due, and which one is looked at."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from keybench.core import rotation_stages as stages
from keybench.core.rotation import STAGES, Rotation, Stage
from keybench.ui.rotations.cards import CardButton, mark_one
from keybench.ui.rotations.parts import column
from keybench.ui.theme import scaled
from keybench.ui.widgets.labels import prose
from keybench.words.rotations import STAGE_TITLES, stage_line, stage_number

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
