"""What to search for: text, outcome, days and environment, in one row that answers as it is typed in."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLineEdit, QWidget

from keybench.core.environment import Environment
from keybench.core.history import UNDER_WAY, SaleState, end_of, start_of
from keybench.core.sale import Outcome
from keybench.ui.theme import scaled, set_role, theme
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.labels import set_tip
from keybench.ui.widgets.segments import Segments
from keybench.words.language import _
from keybench.words.outcomes import UNDER_WAY as UNDER_WAY_WORD
from keybench.words.outcomes import outcome_word

#: Long enough that a word typed quickly is looked for once, short enough to feel immediate.
PAUSE_MS: Final = 120
HERE: Final = "here"
EVERYWHERE: Final = "everywhere"
_LEAST_TEXT_PX: Final = 200
_DAY_PX: Final = 146
_WRONG_DAY: Final = _("A day looks like 2026-03-31.")


class DayEdit(QLineEdit):
    """A day as year, month and day; empty for none."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(f"{name} 2026-03-31")
        self.setClearButtonEnabled(True)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    def day(self) -> date | None:
        """Return the day, or None for none; what is no day is marked, with words, and counts as none."""
        text = self.text().strip()
        try:
            found = date.fromisoformat(text) if text else None
        except ValueError:
            self._mark(_WRONG_DAY)
            return None
        self._mark("")
        return found

    def _on_theme(self) -> None:
        self.setFixedWidth(scaled(_DAY_PX))

    def _mark(self, trouble: str) -> None:
        set_tip(self, trouble)
        self.setAccessibleDescription(trouble)
        set_role(self, "invalid", "true" if trouble else "false")


class Filters(QWidget):
    """The row of controls.

    Args:
        text: The field for words.
        where: This environment or all of them, `HERE` or `EVERYWHERE`.
        outcomes: Whether outcomes are offered.

    Signals:
        changed: Something else is searched for; typing counts once it pauses.
    """

    changed = Signal()

    def __init__(self, text: QLineEdit, where: Segments, *, outcomes: bool = False) -> None:
        super().__init__()
        self.text = text
        self.where = where
        self.outcome = ComboBox()
        self.outcome.setAccessibleName(_("Outcome filter"))
        self.outcome.addItem(_("Any outcome"), None)
        for one in Outcome:
            self.outcome.addItem(outcome_word(one), one.value)
        self.outcome.addItem(UNDER_WAY_WORD, UNDER_WAY)
        self.since = DayEdit(_("From"))
        self.until = DayEdit(_("To"))
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.changed)
        for edit in (self.text, self.since, self.until):
            edit.textChanged.connect(self._pause.start)
            edit.returnPressed.connect(self.apply)
        self.outcome.currentIndexChanged.connect(self.apply)
        self.where.changed.connect(self.apply)
        self._lay_out()
        self.outcome.setVisible(outcomes)

    @property
    def begin(self) -> datetime | None:
        """When the first day begins, UTC; None for no first day."""
        day = self.since.day()
        return start_of(day) if day else None

    @property
    def end(self) -> datetime | None:
        """When the last day has ended, UTC; None for no last day."""
        day = self.until.day()
        return end_of(day) if day else None

    @property
    def state(self) -> SaleState | None:
        """The outcome that is searched for, or that there is none yet; None for any."""
        chosen = self.outcome.currentData()
        return chosen if chosen in {None, UNDER_WAY} else Outcome(chosen)

    def environment_id(self, shown: Environment) -> str | None:
        """Return the environment that is searched while `shown` is chosen; None for all."""
        return shown.id if self.where.value == HERE else None

    @property
    def trouble(self) -> str:
        """What is wrong with a day that was entered; empty if nothing is."""
        return self.since.toolTip() or self.until.toolTip()

    def apply(self) -> None:
        """Search at once."""
        self._pause.stop()
        self.changed.emit()

    def clear(self) -> None:
        """Search for everything again; where stays as chosen."""
        for edit in (self.text, self.since, self.until):
            edit.clear()
        self.outcome.setCurrentIndex(0)
        self.apply()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take a second row where one is too narrow."""
        super().resizeEvent(event)
        room = self._second.sizeHint().width() + self.where.sizeHint().width() + scaled(_LEAST_TEXT_PX)
        ways = QBoxLayout.Direction
        self._rows.setDirection(ways.LeftToRight if self.width() >= room else ways.TopToBottom)

    def _lay_out(self) -> None:
        self._second = QWidget()
        first, second = QHBoxLayout(), QHBoxLayout(self._second)
        second.setContentsMargins(0, 0, 0, 0)
        rows: tuple[tuple[QHBoxLayout, tuple[QWidget, ...]], ...] = (
            (first, (self.text, self.where)),
            (second, (self.outcome, self.since, self.until)),
        )
        for row, widgets in rows:
            for widget in widgets:
                row.addWidget(widget)
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        for one in (first, second, self._rows):
            one.setSpacing(8)
        self._rows.addLayout(first, 1)
        self._rows.addWidget(self._second, 0, Qt.AlignmentFlag.AlignLeft)
