"""The rotations at the left: the open ones as cards, below them those that are finished or abandoned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from keybench.core.rotation import Rotation
from keybench.ui.page_frame import PageFrame
from keybench.ui.rotations.cards import CardButton, mark_one
from keybench.ui.rotations.stage_view import column
from keybench.ui.widgets.form import Field
from keybench.ui.widgets.labels import button, label, prose
from keybench.words.rotations import open_line, over_line

NONE_YET = "No rotation under way here. New… begins one; a key older than it should be is a good reason."
LOADING = "Reading the journal…"
#: So many that are over are listed at first; cards take time to make.
_MOST_OVER = 25


class RotationList(QFrame):
    """The list, the button for a new one, and who works here.

    Signals:
        chosen: A person chose a rotation (its id).
        new_asked: A new rotation is wanted.
        named: Another name was entered for who works here.
    """

    chosen = Signal(str)
    new_asked = Signal()
    named = Signal(str)

    def __init__(self, person: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.new_button = button("New…", self.new_asked.emit, hint="Begin to replace a key by a new one")
        self.name_edit = QLineEdit(person)
        self.name_edit.setAccessibleName("Your name")
        self.name_edit.editingFinished.connect(self._on_named)
        self._cards: dict[str, CardButton] = {}
        self._leaked: Callable[[Rotation], bool] = _none
        self._listed: tuple[Sequence[Rotation], datetime, str] = ((), datetime.min, "")  # noqa: DTZ901 - none
        self._shows_all = False
        self._more = button("", self._show_all, tone="quiet")
        self._empty = prose(LOADING, "dim")
        self._over = label("Finished", "heading")
        self._rows = QVBoxLayout()
        self._over_rows = QVBoxLayout()
        self._lay_out()

    @property
    def person(self) -> str:
        """Who works here, as entered."""
        return self.name_edit.text().strip()

    @property
    def cards(self) -> dict[str, CardButton]:
        """The cards by their rotations' ids, in the order shown."""
        return dict(self._cards)

    def show_loading(self) -> None:
        """Say that they are being read; what was listed belongs to another environment."""
        self._show((), datetime.min)  # noqa: DTZ901 - no card shows it
        self._empty.setText(LOADING)

    def show_trouble(self, text: str) -> None:
        """Say why they can't be listed."""
        self._empty.setText(text)
        self._empty.show()

    def show_rotations(
        self, rotations: Sequence[Rotation], now: datetime, chosen: str, leaked: Callable[[Rotation], bool]
    ) -> None:
        """List them, with the one chosen by id marked.

        Args:
            rotations: The newest first.
            now: The present moment, UTC.
            chosen: The id of the shown one; empty for none.
            leaked: Tells whether the old key of one is compromised and still here.
        """
        self._listed, self._leaked = (rotations, now, chosen), leaked
        shown = _sorted(rotations)
        most = len(shown) if self._shows_all else sum(one.is_open for one in shown) + _MOST_OVER
        left, shown = len(shown[most:]), shown[:most]  # the open ones come first
        self._more.setText(f"Show {left:,} older")
        self._more.setAccessibleName(self._more.text())
        self._more.setVisible(left > 0)
        ids = [rotation.id for rotation in shown]
        if ids and ids == list(self._cards):  # the same ones: the keyboard stays where it is
            for rotation in shown:
                self._fill(self._cards[rotation.id], rotation, now)
        else:
            self._show(shown, now)
        self.mark(chosen)

    def mark(self, chosen: str) -> None:
        """Mark the shown one by id; none if it is empty."""
        mark_one(self._cards, chosen)

    def _show(self, rotations: Sequence[Rotation], now: datetime) -> None:
        at = next((key for key, card in self._cards.items() if card.hasFocus()), "")
        for card in self._cards.values():
            card.hide()
            card.deleteLater()
        self._cards.clear()
        before: QWidget = self.new_button
        for rotation in rotations:
            card = CardButton()
            self._fill(card, rotation, now)
            card.clicked.connect(partial(self.chosen.emit, rotation.id))
            self._cards[rotation.id] = card
            (self._rows if rotation.is_open else self._over_rows).addWidget(card)
            QWidget.setTabOrder(before, card)
            before = card
        self._empty.setText(NONE_YET)
        self._empty.setVisible(not any(rotation.is_open for rotation in rotations))
        self._over.setVisible(any(not rotation.is_open for rotation in rotations))
        abandoned = any(rotation.abandoned_at for rotation in rotations)
        self._over.setText("Finished and abandoned" if abandoned else "Finished")
        if at in self._cards:
            self._cards[at].setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill(self, card: CardButton, rotation: Rotation, now: datetime) -> None:
        line = open_line(rotation, now) if rotation.is_open else over_line(rotation)
        pill = "Compromised" if self._leaked(rotation) else ""
        card.show_card(rotation.old.name, line, pill=pill, tone="bad")

    def _show_all(self) -> None:
        self._shows_all = True
        self.show_rotations(*self._listed, self._leaked)

    def _on_named(self) -> None:
        self.named.emit(self.person)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(label("Rotations", "title"))
        head.addStretch(1)
        head.addWidget(self.new_button)
        for rows in (self._rows, self._over_rows):
            rows.setSpacing(8)
        inside = QWidget()
        rows = column(inside)
        rows.addLayout(self._rows)
        rows.addWidget(self._empty)
        rows.addSpacing(4)
        rows.addWidget(self._over)
        rows.addLayout(self._over_rows)
        rows.addWidget(self._more)
        rows.addStretch(1)
        scroll = PageFrame()
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.hold(inside)
        layout = column(self, margins=(16, 14, 16, 12))
        layout.addLayout(head)
        layout.addWidget(scroll, 1)
        name = Field("Your name · it stands in the record", self.name_edit, lines=0)
        name.label.setWordWrap(True)
        layout.addWidget(name)
        self._over.hide()
        self._more.hide()


def _sorted(rotations: Sequence[Rotation]) -> list[Rotation]:
    """Return the open ones first, compromised ones before the others; else the newest first."""
    return sorted(rotations, key=lambda rotation: (not rotation.is_open, not rotation.compromised))


def _none(_rotation: Rotation) -> bool:
    """Know of no compromised key."""
    return False
