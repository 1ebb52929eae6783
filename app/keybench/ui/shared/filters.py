"""What to search for: text, environment, outcome and days, in one row that answers as it is typed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from typing import Final

from PySide6.QtCore import QDate, QLocale, Qt, QTimer, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QDateEdit, QLineEdit, QWidget

from keybench.core.card_data import refuse_card_data
from keybench.core.environments.environment import Environment
from keybench.core.input_errors import CardDataRefused
from keybench.core.sales.history import UNDER_WAY, SaleState, end_of, start_of
from keybench.core.sales.sale import Outcome
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.boxes import in_row, in_row_or_column
from keybench.ui.kit.choosers import ComboBox, Segments
from keybench.ui.kit.theme import scaled, set_role
from keybench.ui.shared.environment_cells import mark_of_kind
from keybench.words.fields import field_sentence
from keybench.words.language import SOURCE, _, language
from keybench.words.sales.outcomes import UNDER_WAY as UNDER_WAY_WORD
from keybench.words.sales.outcomes import outcome_word

#: Long enough that a word typed quickly is looked for once, short enough to feel immediate.
PAUSE_MS: Final = 120
HERE: Final = "here"
EVERYWHERE: Final = "everywhere"
_LEAST_TEXT_PX: Final = 200
#: So many days back *From … to …* begins, until somebody says from when on.
_USUAL_DAYS: Final = 30
ALL_ENVIRONMENTS: Final = _("All environments")
ANY_TIME, OTHER_DAYS = "any", "other"


class DayEdit(QDateEdit):
    """A day, written as the locale does, but with the whole year."""

    def __init__(self, name: str, day: date) -> None:
        super().__init__()
        shape = QLocale().dateFormat(QLocale.FormatType.ShortFormat)
        if language() == SOURCE:  # which stands for no country
            shape = "yyyy-MM-dd"
        self.setDisplayFormat(shape if "yyyy" in shape else shape.replace("yy", "yyyy"))
        self.setCalendarPopup(True)
        self.setAccessibleName(name)
        self.show_day(day)

    def day(self) -> date:
        found = self.date()
        return date(found.year(), found.month(), found.day())

    def show_day(self, day: date) -> None:
        self.setDate(QDate(day.year, day.month, day.day))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # it is the page's


class EnvironmentBox(ComboBox):
    """Chooses all environments or one of them.

    Signals:
        changed: Another one was chosen (its identifier, empty for all).
    """

    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("Environment filter"))
        self.addItem(ALL_ENVIRONMENTS, "")
        self._shown: list[Environment] = []
        self.currentIndexChanged.connect(lambda: self.changed.emit(self.value))

    @property
    def value(self) -> str:
        """The chosen environment's identifier; empty for all."""
        return str(self.currentData() or "")

    def choose(self, environment_id: str) -> None:
        self.setCurrentIndex(self.findData(environment_id))

    def show_environments(self, environments: Iterable[Environment]) -> None:
        """Offer these; where the chosen one is no longer among them, all are searched again."""
        offered = list(environments)
        if offered == self._shown:
            return
        self._shown, chosen = offered, self.value
        self.blockSignals(True)
        self.clear()
        self.addItem(ALL_ENVIRONMENTS, "")
        for one in offered:
            self.addItem(mark_of_kind(one.kind), one.name, one.id)
        self.setCurrentIndex(max(self.findData(chosen), 0))
        self.blockSignals(False)
        if self.value != chosen:
            self.changed.emit(self.value)


class Filters(QWidget):
    """The row of controls.

    Signals:
        changed: Something else is searched for; typing counts once it pauses.
    """

    changed = Signal()

    def __init__(
        self,
        text: QLineEdit,
        where: Segments | EnvironmentBox,
        *,
        outcomes: bool = False,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__()
        self._today = today
        self.trouble = ""
        self.text = text
        self.where = where
        self.outcome = ComboBox()
        self.outcome.setAccessibleName(_("Outcome filter"))
        self.outcome.addItem(_("Any outcome"), None)
        for one in Outcome:
            self.outcome.addItem(outcome_word(one), one.value)
        self.outcome.addItem(UNDER_WAY_WORD, UNDER_WAY)
        self.dates = ComboBox()
        self.dates.setAccessibleName(_("Dates"))
        for value, name in (
            (ANY_TIME, _("Any time")),
            ("today", _("Today")),
            ("yesterday", _("Yesterday")),
            ("week", _("Last 7 days")),
            ("month", _("This month")),
            (OTHER_DAYS, _("From … to …")),
        ):
            self.dates.addItem(name, value)
        self.since = DayEdit(_("From"), today() - timedelta(days=_USUAL_DAYS))
        self.until = DayEdit(_("To"), today())
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.changed)
        self.text.textChanged.connect(self._on_text)
        self.text.textChanged.connect(self._pause.start)
        self.text.returnPressed.connect(self.apply)
        for edit in (self.since, self.until):
            edit.dateChanged.connect(self._pause.start)
        self.dates.currentIndexChanged.connect(self._on_dates)
        self.outcome.currentIndexChanged.connect(self.apply)
        self.where.changed.connect(self.apply)
        self._lay_out()
        self.outcome.setVisible(outcomes)

    @property
    def days(self) -> tuple[date, date] | None:
        """The first and the last day; what is chosen by a name, such as today, is so at any time."""
        if self.dates.currentData() == OTHER_DAYS:
            return self.since.day(), self.until.day()
        return self._preset()

    @property
    def begin(self) -> datetime | None:
        """When the first day begins, UTC."""
        return start_of(self.days[0]) if self.days else None

    @property
    def end(self) -> datetime | None:
        """When the last day has ended, UTC."""
        return end_of(self.days[1]) if self.days else None

    @property
    def state(self) -> SaleState | None:
        chosen = self.outcome.currentData()
        return chosen if chosen in {None, UNDER_WAY} else Outcome(chosen)

    def environment_id(self, shown: Environment) -> str | None:
        """Return the environment that is searched while `shown` is chosen; None for all."""
        if isinstance(self.where, EnvironmentBox):
            return self.where.value or None
        return shown.id if self.where.value == HERE else None

    def apply(self) -> None:
        self._pause.stop()
        self.changed.emit()

    def clear(self) -> None:
        """Search for everything again; where stays as chosen."""
        self.text.clear()
        self.dates.setCurrentIndex(0)
        self.outcome.setCurrentIndex(0)
        self.apply()

    def _on_text(self, text: str) -> None:
        """Take card data out at once, so that it is neither searched for nor kept."""
        try:
            refuse_card_data("search", text)
        except CardDataRefused as error:
            self.text.setText("")  # which nobody can undo
            self.trouble = field_sentence(error)
            announce(self.text, self.trouble)
        else:
            self.trouble = self.trouble if not text else ""
        self.text.setAccessibleDescription(self.trouble)
        set_role(self.text, "invalid", "true" if self.trouble else "false")

    def _on_dates(self) -> None:
        if days := self._preset():  # from where somebody may go on
            for edit, one in zip((self.since, self.until), days, strict=True):
                edit.show_day(one)
        self._show_days()
        self.apply()

    def _preset(self) -> tuple[date, date] | None:
        """Return the first and the last of the days that are chosen by a name."""
        today = self._today()
        days: dict[str, tuple[date, date]] = {
            "today": (today, today),
            "yesterday": (today - timedelta(days=1), today - timedelta(days=1)),
            "week": (today - timedelta(days=6), today),
            "month": (today.replace(day=1), today),
        }
        return days.get(str(self.dates.currentData()))

    def _show_days(self) -> None:
        is_other = self.dates.currentData() == OTHER_DAYS
        for edit in (self.since, self.until):
            edit.setVisible(is_other)

    def _lay_out(self) -> None:
        fields = in_row(self.where, self.outcome, self.dates, self.since, self.until)
        rows = in_row_or_column(
            (self.text, 1),
            fields,
            from_px=lambda: fields.sizeHint().width() + scaled(_LEAST_TEXT_PX),
            within=self,
        )
        rows.setAlignment(fields, Qt.AlignmentFlag.AlignLeft)
        self._show_days()
