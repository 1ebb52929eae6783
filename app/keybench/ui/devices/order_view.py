"""What to sell on many devices: amount, currency, key, how many at once, and which rows can't be sold."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from keybench.core.csv_lists import DeviceList, WrongRow, totals
from keybench.core.environment import Environment
from keybench.core.money import COMMON_CURRENCIES
from keybench.ui.sale.fields import KeyBox, amount_field, currency_field
from keybench.ui.theme import scaled, set_role
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.form import Field
from keybench.ui.widgets.labels import button, label, prose, set_tip
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.fields import field_sentence
from keybench.workflows.many import AT_ONCE

START: Final = "Start the sales"
START_LIVE: Final = "Start the LIVE sales"
NO_KEY: Final = "Add a New Key on the Bench first: a sale needs a private key."
_FOR_A_FILE: Final = "Rows that have an amount and a currency keep theirs; these are for rows without."
_FOR_DEVICES: Final = "The same amount is sold on each of the devices."
#: A service has a rate limit; more at once than these need the command.
_AT_ONCE_CHOICES: Final = (1, 2, AT_ONCE, 10, 20, 50, 100)


_WRONG: Final[tuple[Column[WrongRow], ...]] = (
    Column("line", "Line", lambda wrong: str(wrong.line), sort=lambda wrong: wrong.line),
    Column("error", "What is wrong", lambda wrong: field_sentence(wrong.error), stretch=True),
)


class OrderView(QFrame):
    """The page's second view.

    Signals:
        entered: Amount or currency are others, so the rows have to be made anew.
        start_asked: Begin.
        left: Back to the devices, nothing is sold.
    """

    entered = Signal()
    start_asked = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.title = label("title")
        self.hint = prose("", "dim", selectable=True)
        self.amount = QLineEdit()
        self.amount.setPlaceholderText("0.00")
        self.currency: QComboBox = ComboBox()
        self.currency.setEditable(True)
        self.currency.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.currency.addItems(list(COMMON_CURRENCIES))
        self.key = KeyBox()
        self.at_once: QComboBox = ComboBox()
        for lanes in _AT_ONCE_CHOICES:
            self.at_once.addItem(str(lanes), lanes)
        self.at_once.setCurrentIndex(self.at_once.findData(AT_ONCE))
        set_tip(self.at_once, "How many sales may be under way at a time, one at most on each device")
        self._currency = currency_field(self.currency, lines=2)
        self._amount = amount_field(self.amount, self._currency, lines=2)
        self.summary = prose("", "strong", selectable=True)
        self.message = prose("", "field", selectable=True)
        self.wrong_table = Table("Rows that can't be sold", TableModel(_WRONG, parent=self))
        self.skip = QCheckBox("Leave these rows out")
        self.start: QPushButton = button(START, self.start_asked, tone="primary")
        self.back: QPushButton = button("Cancel", self.left)
        self.rows: DeviceList | None = None
        self._bar = ""
        self._lay_out()
        editor = self.currency.lineEdit()
        if editor:
            editor.setAccessibleName("Currency")
        self._amount.edited.connect(self.entered)
        self._currency.edited.connect(self.entered)
        self.skip.toggled.connect(self._tell)
        self.key.currentIndexChanged.connect(self._tell)

    def begin(self, title: str, environment: Environment, *, from_file: bool) -> None:
        """Ask anew, for rows of a file or for chosen devices."""
        self.title.setText(title)
        self.hint.setText(_FOR_A_FILE if from_file else _FOR_DEVICES)
        self.amount.setText("")
        self.skip.setChecked(False)
        self.start.setText(START_LIVE if environment.is_live else START)
        self.start.setAccessibleName(self.start.text())
        set_role(self.start, "tone", "danger" if environment.is_live else "primary")
        self.show_rows(None)
        self.amount.setFocus()

    @property
    def entered_amount(self) -> str:
        """The amount for rows without one, as entered."""
        return self.amount.text().strip()

    @property
    def entered_currency(self) -> str:
        """The currency for rows without one, as entered."""
        return self.currency.currentText().strip()

    @property
    def lanes(self) -> int:
        """How many sales may be under way at a time."""
        return int(self.at_once.currentData())

    def show_rows(self, rows: DeviceList | None) -> None:
        """Show what would be sold, and what can't be; None while that is being found out."""
        self.rows = rows
        self.wrong_table.model().show(rows.wrong if rows else ())
        self._tell()

    def bar(self, reason: str) -> None:
        """Bar the start for a reason, or allow it with an empty one."""
        self._bar = reason
        self._tell()

    def _tell(self) -> None:
        rows = self.rows
        has_wrong = bool(rows and rows.wrong)
        self.wrong_table.setVisible(has_wrong)
        self.skip.setVisible(has_wrong)
        self.summary.setText(summary_of(rows) if rows else "Reading the list…")
        ready = bool(rows and rows.rows and (not has_wrong or self.skip.isChecked()))
        bar = self._bar or ("" if self.key.key else NO_KEY)
        self.message.setText(bar)
        set_role(self.message, "tone", "warning" if bar else "")
        self.start.setEnabled(ready and not bar)
        self.start.setAccessibleDescription(bar)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.setSpacing(12)
        layout.addWidget(self.title)
        layout.addWidget(self.hint)
        row = QHBoxLayout()
        row.setSpacing(12)
        fields = (
            (self._amount, 2),
            (self._currency, 1),
            (Field("Key", self.key, lines=2), 2),
            (Field("At once", self.at_once, lines=2), 1),
        )
        for field, share in fields:
            row.addWidget(field, share, Qt.AlignmentFlag.AlignTop)
        form = QWidget()
        form.setLayout(row)
        form.setMaximumWidth(scaled(820))
        row.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(form)
        layout.addWidget(self.summary)
        layout.addWidget(self.wrong_table, 1)
        layout.addWidget(self.skip)
        layout.addWidget(self.message)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(self.back)
        foot.addWidget(self.start)
        layout.addStretch(0)
        layout.addLayout(foot)


def summary_of(rows: DeviceList) -> str:
    """Return how many sales on how many devices a list makes, and what they come to."""
    count, devices = len(rows.rows), len({row.device for row in rows.rows})
    sales = "One sale" if count == 1 else f"{count:,} sales"
    places = "one device" if devices == 1 else f"{devices:,} devices"
    money = " and ".join(str(money) for money in totals(rows.rows))
    told = f"{sales} on {places}: {money} in all." if count else "No row can be sold yet."
    if rows.wrong:
        wrong = len(rows.wrong)
        told += " One row can't be sold." if wrong == 1 else f" {wrong:,} rows can't be sold."
    return told
