"""The cards of a rotation's stages: how far each is, and which is looked at."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QPushButton,
    QSizePolicy,
    QWidget,
)

from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import STAGES, Stage
from keybench.ui.kit.boxes import framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.labels import label, prose
from keybench.ui.kit.pill import Pill
from keybench.ui.kit.theme import scaled, set_role
from keybench.words.language import _
from keybench.words.rotations.stages import STAGE_TITLES, stage_line, stage_number

#: From this width on, at 13 px text, a stage's card has room for its words.
_WORDS_PX: Final = 148


class StageCard(QPushButton):
    """A push button with several lines in it, and a radio button to screen readers."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setAutoDefault(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.pill, self.title, self.line = Pill(), label("", "strong"), label("", "dim")
        for each in (self.title, self.line):
            each.setWordWrap(True)
            each.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        for each in (self.pill, self.title, self.line):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        head = in_row((self.pill, 0), (self.title, 1), spacing=6)
        head.setAlignment(self.pill, Qt.AlignmentFlag.AlignTop)
        self._layout = in_column(head, self.line, None, within=self, margins=(12, 10, 12, 10), spacing=4)

    def show_words(self, *, shown: bool) -> None:
        """Show the card's words, or its pill alone where there is little room; readers are told anyway."""
        self.title.setVisible(shown)
        self.line.setVisible(shown)

    # A push button measures its own text alone.
    def sizeHint(self) -> QSize:
        return self._layout.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._layout.minimumSize()


class StageCards(QWidget):
    """Cards 1 to 5; the arrow keys go along them.

    Signals:
        chosen: A person wants to look at a stage (a `Stage`).
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("Stages"))
        self._cards = {stage: StageCard() for stage in STAGES}
        self._chosen: Stage | None = None
        self._words = prose(role="strong")
        for stage, card in self._cards.items():
            card.clicked.connect(partial(self.chosen.emit, stage))
        cards = framed(in_row(*((card, 1) for card in self._cards.values())))
        layout = in_row_or_column(
            (cards, 1), self._words, from_px=lambda: scaled(_WORDS_PX) * len(STAGES), within=self
        )
        layout.turned.connect(self._on_turned)

    def card(self, stage: Stage) -> StageCard:
        return self._cards[stage]

    def show_rotation(self, rotation: Rotation) -> None:
        due = stages.stage_of(rotation) if rotation.is_open else None
        for stage, card in self._cards.items():
            number, title, line = stage_number(stage), STAGE_TITLES[stage], stage_line(rotation, stage)
            # A list with nothing in it is complete, but nothing to be at ease about.
            is_listed = stage is not Stage.REPLACE or bool(rotation.applications)
            done = is_listed and stages.is_done(rotation, stage)
            tone = "good" if done else "accent" if stage is due else "dim"
            card.pill.show_state(f"✓ {number}" if done else str(number), tone)
            card.title.setText(title)
            card.line.setText(line)
            set_role(card, "done", "true" if done else "false")  # on its edge; its words say so, too
            words = _("done") if done else _("due now") if stage is due else _("not done")
            name = _("Stage {number}: {title}").format(number=number, title=title)
            card.setAccessibleName(name)  # its button has the bare words
            said = _("Stage {number} of {count}, {words}: {text}")
            card.setAccessibleDescription(
                said.format(number=number, count=len(STAGES), words=words, text=line)
            )
        self._show_chosen()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _on_turned(self, is_row: bool) -> None:  # noqa: FBT001 - the signal's own shape
        """Leave the cards' words out or bring them back; those of the chosen one stand below then."""
        for card in self._cards.values():
            card.show_words(shown=is_row)
        self._words.setVisible(not is_row)

    def _show_chosen(self) -> None:
        if self._chosen:
            card = self._cards[self._chosen]
            self._words.setText(f"{stage_number(self._chosen)} {card.title.text()}: {card.line.text()}")
        else:
            self._words.clear()

    def choose(self, chosen: Stage | None) -> None:
        """Mark the stage that is looked at, or none; Tab comes to it, and the arrow keys go on from there."""
        self._chosen = chosen
        self._show_chosen()
        for stage, card in self._cards.items():
            card.setAutoExclusive(False)  # or Qt wouldn't let go of the only marked one
            card.setChecked(stage is chosen)
            is_reached = stage is (chosen or STAGES[0])
            card.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_reached else Qt.FocusPolicy.ClickFocus)
        for card in self._cards.values():
            card.setAutoExclusive(True)
