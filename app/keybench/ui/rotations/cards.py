"""What is chosen from on the page: the rotations at the left, and the five stages of the one that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import STAGES, Stage
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.form import Field
from keybench.ui.kit.labels import button, label, prose
from keybench.ui.kit.pill import Pill
from keybench.ui.kit.theme import scaled, set_role
from keybench.ui.rotations.controller import RotationController
from keybench.ui.shared.attention import ROTATIONS, AttentionButton
from keybench.ui.shared.signature import YOUR_NAME
from keybench.words.language import _
from keybench.words.rotations.progress import open_line, over_line
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
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self._layout.sizeHint().width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._layout.minimumSize().width(), self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        if not self.title.isHidden():
            return self._layout.totalHeightForWidth(width)
        return self._layout.totalSizeHint().height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()


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
        in_column(in_row(*((card, 1) for card in self._cards.values())), self._words, within=self)

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
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave the cards' words out or bring them back; those of the chosen one stand below then."""
        wide = self.width() >= scaled(_WORDS_PX) * len(STAGES)
        for card in self._cards.values():
            card.show_words(shown=wide)
        self._words.setVisible(not wide and self._chosen is not None)
        if self._chosen:
            card = self._cards[self._chosen]
            self._words.setText(f"{stage_number(self._chosen)} {card.title.text()}: {card.line.text()}")

    def choose(self, chosen: Stage | None) -> None:
        """Mark the stage that is looked at, or none; Tab comes to it, and the arrow keys go on from there."""
        self._chosen = chosen
        self._fit()
        for stage, card in self._cards.items():
            card.setAutoExclusive(False)  # or Qt wouldn't let go of the only marked one
            card.setChecked(stage is chosen)
            is_reached = stage is (chosen or STAGES[0])
            card.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_reached else Qt.FocusPolicy.ClickFocus)
        for card in self._cards.values():
            card.setAutoExclusive(True)


NONE_YET = _("No rotation is under way here. Start one when a key is too old.")
LOADING = _("Reading the journal…")
_ID: Final = Qt.ItemDataRole.UserRole


class RotationList(QFrame):
    """The list, the button for a new one, and who works here.

    Signals:
        chosen: A person chose a rotation (its id).
        overdue_asked: The next overdue rotation is wanted, of whichever environment.
    """

    chosen = Signal(str)
    new_asked = Signal()
    overdue_asked = Signal()

    def __init__(self, controller: RotationController, person: str) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._controller = controller
        hint = _("Begin to replace a key by a new one")
        self.new_button = button(_("New…"), self.new_asked.emit, hint=hint)
        self.name_edit = QLineEdit()
        self.name_edit.setAccessibleName(_("Your name"))
        self.name_edit.textChanged.connect(self._on_name)
        self.name_edit.setText(person)
        self.rows = QListWidget()
        self.rows.setAccessibleName(_("Rotations"))
        self.rows.setWordWrap(True)
        self.rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rows.currentItemChanged.connect(self._on_current)
        self._words = prose(LOADING, "dim")
        name = Field(YOUR_NAME, self.name_edit, lines=0)
        name.label.setWordWrap(True)
        head = in_row(label(_("Rotations"), "title"), None, self.new_button)
        overdue = AttentionButton(controller.session, ROTATIONS, self.overdue_asked.emit)
        parts = head, overdue, self._words, (self.rows, 1), name
        in_column(*parts, within=self, margins=(16, 14, 16, 12))

    def show_loading(self) -> None:
        self.show_rotations(())
        self.show_words(LOADING)

    def show_words(self, text: str) -> None:
        self._words.setText(text)
        self._words.setVisible(bool(text))

    def show_rotations(self, rotations: Sequence[Rotation]) -> None:
        now = self._controller.session.console.clock.now()
        is_open = True
        with QSignalBlocker(self.rows):
            self.rows.clear()
            for rotation in rotations:
                if is_open and not rotation.is_open:
                    is_open = False
                    heading = QListWidgetItem(_("Finished and abandoned"), self.rows)
                    heading.setFlags(Qt.ItemFlag.NoItemFlags)
                line = open_line(rotation, now) if rotation.is_open else over_line(rotation)
                if self._controller.is_leaked(rotation):
                    line = _("▲ Compromised · {line}").format(line=line)
                item = QListWidgetItem(f"{rotation.old.name}\n{line}", self.rows)
                item.setData(_ID, rotation.id)
        self.show_words("" if any(rotation.is_open for rotation in rotations) else NONE_YET)
        self.mark(self._controller.id)

    def mark(self, chosen: str) -> None:
        rows = range(self.rows.count())
        with QSignalBlocker(self.rows):
            found = (row for row in rows if chosen and self.rows.item(row).data(_ID) == chosen)
            self.rows.setCurrentRow(next(found, -1))

    def _on_current(self, item: QListWidgetItem | None) -> None:
        if item:
            self.chosen.emit(item.data(_ID))

    def _on_name(self, name: str) -> None:
        self._controller.person = name.strip()
