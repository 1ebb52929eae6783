"""Cards to choose one of: the rotations at the left, and the five stages of the one that is shown.

A card is a push button with several lines in it, and a radio button to screen readers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QPushButton, QSizePolicy, QWidget

from keybench.core import rotation_stages as stages
from keybench.core.rotation import STAGES, Rotation, Stage
from keybench.ui.attention import ROTATIONS, AttentionButton
from keybench.ui.page_frame import PageFrame
from keybench.ui.rotations.controller import RotationController
from keybench.ui.theme import scaled, set_role
from keybench.ui.widgets.boxes import in_column, in_row
from keybench.ui.widgets.form import Field
from keybench.ui.widgets.labels import button, label, prose
from keybench.ui.widgets.pill import Pill
from keybench.ui.widgets.signature import YOUR_NAME
from keybench.words.language import _
from keybench.words.rotations import STAGE_TITLES, open_line, over_line, stage_line, stage_number

Key = TypeVar("Key", bound=Hashable)


class CardButton(QPushButton):
    """A card with a strong line, a pill and a dim line; one of its kind is chosen at a time.

    Args:
        pill_first: Whether the pill stands before the strong line, as a stage's number does, else below it.
    """

    def __init__(self, *, pill_first: bool = False) -> None:
        super().__init__()
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
        """Show a strong line, a dim line, and a pill unless its text is empty."""
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

    def sizeHint(self) -> QSize:
        hint = self._layout.sizeHint()
        width = self.width() if self.isVisible() else hint.width()
        return QSize(hint.width(), self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._layout.minimumSize().width(), self.heightForWidth(self.width()))

    def hasHeightForWidth(self) -> bool:
        return self._is_wordy

    def heightForWidth(self, width: int) -> int:
        if self._is_wordy:
            return self._layout.totalHeightForWidth(width)
        margins = self._layout.contentsMargins()
        return self.pill.sizeHint().height() + margins.top() + margins.bottom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def _lay_out(self, *, pill_first: bool) -> None:
        top = Qt.AlignmentFlag.AlignTop
        head = in_row(spacing=6)
        if pill_first:
            head.addWidget(self.pill, 0, top)
        head.addWidget(self.title, 1, top)
        self._layout = in_column(head, within=self, margins=(12, 10, 12, 10), spacing=4)
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

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("Stages"))
        self._cards: dict[Stage, CardButton] = {}
        self._chosen: Stage | None = None
        self._words = prose(role="strong")
        for stage in STAGES:
            card = self._cards[stage] = CardButton(pill_first=True)
            card.clicked.connect(partial(self.chosen.emit, stage))
        in_column(in_row(*((card, 1) for card in self._cards.values())), self._words, within=self)
        self._words.hide()

    def card(self, stage: Stage) -> CardButton:
        return self._cards[stage]

    def show_rotation(self, rotation: Rotation) -> None:
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
            set_role(card, "done", "true" if done else "false")  # on its edge; its words say so, too
            words = (
                _("done") if done else _("due now") if stage is due and rotation.is_open else _("not done")
            )
            card.setAccessibleName(
                _("Stage {number}: {title}").format(number=number, title=STAGE_TITLES[stage])
            )  # its button has the bare words
            card.setAccessibleDescription(
                _("Stage {number} of {count}, {words}: {text}").format(
                    number=number, count=len(STAGES), words=words, text=card.line.text()
                )
            )
        self._fit()

    def minimumSizeHint(self) -> QSize:
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


NONE_YET = _("No rotation is under way here. Start one when a key is too old.")
LOADING = _("Reading the journal…")
#: So many that are over are listed at first; cards take time to make.
_MOST_OVER = 25


class RotationList(QFrame):
    """The list, the button for a new one, and who works here.

    Signals:
        chosen: A person chose a rotation (its id).
        overdue_asked: The next overdue rotation is wanted, of whichever environment.
        named: Another name was entered for who works here.
    """

    chosen = Signal(str)
    new_asked = Signal()
    overdue_asked = Signal()
    named = Signal(str)

    def __init__(self, controller: RotationController, person: str) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.new_button = button(
            _("New…"), self.new_asked.emit, hint=_("Begin to replace a key by a new one")
        )
        self._controller = controller
        self.name_edit = QLineEdit()
        self.name_edit.setAccessibleName(_("Your name"))
        self.name_edit.textChanged.connect(self._on_name)
        self.name_edit.setText(person)
        self.name_edit.editingFinished.connect(self._on_named)
        self._cards: dict[str, CardButton] = {}
        self._listed: Sequence[Rotation] = ()
        self._shows_all = False
        self._more = button("", self._show_all, tone="quiet")
        self._empty = prose(LOADING, "dim")
        self._over = label(_("Finished"), "heading")
        self._rows, self._over_rows = in_column(), in_column()
        self._lay_out()

    @property
    def cards(self) -> dict[str, CardButton]:
        return dict(self._cards)

    def show_loading(self) -> None:
        """Say that they are being read; what was listed belongs to another environment."""
        self._show(())
        self._empty.setText(LOADING)

    def show_trouble(self, text: str) -> None:
        self._empty.setText(text)
        self._empty.show()

    def show_rotations(self, rotations: Sequence[Rotation]) -> None:
        self._listed = rotations
        # The open ones come first, and of those the compromised ones.
        shown = sorted(rotations, key=lambda one: (not one.is_open, not one.compromised))
        most = len(shown) if self._shows_all else sum(one.is_open for one in shown) + _MOST_OVER
        left, shown = len(shown[most:]), shown[:most]
        self._more.setText(_("Show {left:,} older").format(left=left))
        self._more.setAccessibleName(self._more.text())
        self._more.setVisible(left > 0)
        ids = [rotation.id for rotation in shown]
        if ids and ids == list(self._cards):  # the same ones: the keyboard stays where it is
            for rotation in shown:
                self._fill(self._cards[rotation.id], rotation)
        else:
            self._show(shown)
        self.mark(self._controller.id)

    def mark(self, chosen: str) -> None:
        """Mark the shown one by id; none if it is empty."""
        mark_one(self._cards, chosen)

    def _show(self, rotations: Sequence[Rotation]) -> None:
        at = next((key for key, card in self._cards.items() if card.hasFocus()), "")
        for card in self._cards.values():
            card.hide()
            card.deleteLater()
        self._cards.clear()
        before: QWidget = self.new_button
        for rotation in rotations:
            card = CardButton()
            self._fill(card, rotation)
            card.clicked.connect(partial(self.chosen.emit, rotation.id))
            self._cards[rotation.id] = card
            (self._rows if rotation.is_open else self._over_rows).addWidget(card)
            QWidget.setTabOrder(before, card)
            before = card
        self._empty.setText(NONE_YET)
        self._empty.setVisible(not any(rotation.is_open for rotation in rotations))
        self._over.setVisible(any(not rotation.is_open for rotation in rotations))
        abandoned = any(rotation.abandoned_at for rotation in rotations)
        self._over.setText(_("Finished and abandoned") if abandoned else _("Finished"))
        if at in self._cards:
            self._cards[at].setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill(self, card: CardButton, rotation: Rotation) -> None:
        now = self._controller.session.console.clock.now()
        line = open_line(rotation, now) if rotation.is_open else over_line(rotation)
        pill = _("Compromised") if self._controller.is_leaked(rotation) else ""
        card.show_card(rotation.old.name, line, pill=pill, tone="bad")

    def _show_all(self) -> None:
        self._shows_all = True
        self.show_rotations(self._listed)

    def _on_name(self, name: str) -> None:
        self._controller.person = name.strip()

    def _on_named(self) -> None:
        self.named.emit(self._controller.person)

    def _lay_out(self) -> None:
        inside = QWidget()
        over = self._over, self._over_rows, self._more
        in_column(self._rows, self._empty, 4, *over, None, within=inside)
        scroll = PageFrame()
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.hold(inside)
        name = Field(YOUR_NAME, self.name_edit, lines=0)
        name.label.setWordWrap(True)
        head = in_row(label(_("Rotations"), "title"), None, self.new_button)
        overdue = AttentionButton(self._controller.session, ROTATIONS, self.overdue_asked.emit)
        in_column(head, overdue, (scroll, 1), name, within=self, margins=(16, 14, 16, 12))
        self._over.hide()
        self._more.hide()
