"""What to sell on many devices: amount, currency, key, how many at once, and which rows can't be sold."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPushButton, QWidget

from keybench.core.csv_lists import DeviceList, DeviceRow, WrongRow, totals
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.money import parse_money
from keybench.runtime.worker import run_in_thread
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.choosers import ComboBox
from keybench.ui.kit.form import Field, Form
from keybench.ui.kit.labels import button, label, prose, set_tip
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size, set_role
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.sales.fields import KeyBox, amount_field, currency_box, currency_field, key_field
from keybench.ui.shared.session import Notice, Session
from keybench.words.fields import field_sentence
from keybench.words.formats import listed, money
from keybench.words.language import _, ngettext
from keybench.workflows.sales.batch import AT_ONCE, read_device_file

START: Final = _("Start the sales")
START_LIVE: Final = _("Start the LIVE sales")
NO_KEY: Final = _("Add a New Key on the Bench first: a sale needs a private key.")
_FOR_A_FILE: Final = _("Rows that have an amount and a currency keep theirs; these are for rows without.")
_FOR_DEVICES: Final = _("The same amount is sold on each of the devices.")
#: A service has a rate limit; more at once than these need the command.
_AT_ONCE_CHOICES: Final = (1, 2, AT_ONCE, 10, 20, 50, 100)
_TYPING_MS: Final = 250
_TOPIC: Final = "device list"

_WRONG: Final[tuple[Column[WrongRow], ...]] = (
    Column("line", _("Line"), lambda wrong: str(wrong.line), sort=lambda wrong: wrong.line),
    Column("error", _("What is wrong"), lambda wrong: field_sentence(wrong.error), stretch=True),
)


class OrderView(QWidget):
    """What stands in place of the list.

    Attributes:
        rows: What would be sold, and what can't be; None while that is being found out.

    Signals:
        start_asked: Begin.
        left: Back to the devices, nothing is sold.
    """

    start_asked = Signal()
    left = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._source: Path | tuple[str, ...] = ()
        self._reading = Reading(
            session,
            "rows of many sales",
            self._read_rows,
            self._show_read,
            wanted=self._entered,
            on_error=self._on_unreadable,
        )
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(self._reading.request)
        self.title = label("", "title")
        self.hint = prose("", "dim", selectable=True)
        self.amount = QLineEdit(placeholderText="0.00")
        self.currency: QComboBox = currency_box()
        self.key = KeyBox()
        self._key = key_field(self.key, lines=2)
        self.at_once: QComboBox = ComboBox()
        for lanes in _AT_ONCE_CHOICES:
            self.at_once.addItem(str(lanes), lanes)
        self.at_once.setCurrentIndex(self.at_once.findData(AT_ONCE))
        set_tip(self.at_once, _("How many sales may be under way at a time, one at most on each device"))
        self._currency = currency_field(self.currency, lines=2)
        self._amount = amount_field(self.amount, self._currency, lines=2)
        self.summary = prose("", "strong", selectable=True)
        self.message = prose("", "field", selectable=True)
        self.wrong_table = Table(_("Rows that can't be sold"), TableModel(_WRONG, parent=self))
        self.skip = QCheckBox(_("Leave these rows out"))
        self.start: QPushButton = button(START, self.start_asked, tone="primary")
        self.back: QPushButton = button(_("Cancel"), self.left)
        self.rows: DeviceList | None = None
        self._bar = ""
        self._lay_out()
        self._amount.edited.connect(self._on_entered)
        self._currency.edited.connect(self._on_entered)
        self.skip.toggled.connect(self._tell)
        self._key.edited.connect(self._tell)

    def begin(self, title: str, source: Path | tuple[str, ...]) -> None:
        self._source = source
        self.title.setText(title)
        self.hint.setText(_FOR_A_FILE if isinstance(source, Path) else _FOR_DEVICES)
        self.amount.setText("")
        self.skip.setChecked(False)
        is_live = self._session.environment.is_live
        self.start.setText(START_LIVE if is_live else START)
        self.start.setAccessibleName(self.start.text())
        set_role(self.start, "tone", "danger" if is_live else "primary")
        self._show_rows(None)
        self.amount.setFocus()
        self._reading.request()

    @property
    def lanes(self) -> int:
        return int(self.at_once.currentData())

    def _entered(self) -> tuple[Path | tuple[str, ...], str, str]:
        return self._source, self.amount.text().strip(), self.currency.currentText().strip()

    async def _read_rows(self) -> DeviceList:
        source, amount, currency = self._entered()
        if isinstance(source, Path):
            read = partial(read_device_file, source, amount, currency)
            return await run_in_thread("keybench device lists", read)
        return _rows_of(source, amount, currency)

    def _on_unreadable(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            self._session.notify(Notice("bad", _("This list can't be used"), field_sentence(error), _TOPIC))
            self.left.emit()
        else:
            self._session.failed.emit(error)

    def _show_read(self, rows: DeviceList) -> None:
        self._session.end_notice(_TOPIC)
        self._show_rows(rows)

    def _show_rows(self, rows: DeviceList | None) -> None:
        self.rows = rows
        self.wrong_table.model().show(rows.wrong if rows else ())
        self._tell()

    def bar(self, reason: str) -> None:
        self._bar = reason
        self._tell()

    def _on_entered(self) -> None:
        self._show_rows(None)
        self._typing.start()

    def _tell(self) -> None:
        rows = self.rows
        has_wrong = bool(rows and rows.wrong)
        self.wrong_table.setVisible(has_wrong)
        self.skip.setVisible(has_wrong)
        self.summary.setText(summary_of(rows) if rows else _("Reading the list…"))
        ready = bool(rows and rows.rows and (not has_wrong or self.skip.isChecked()))
        bar = self._bar or ("" if self.key.keys else NO_KEY)
        self.message.setText(bar)
        set_role(self.message, "tone", "warning" if bar else "")
        self.start.setEnabled(ready and not bar and self.key.key is not None)
        self.start.setAccessibleDescription(bar or self._key.fault)

    def _lay_out(self) -> None:
        form = Form()
        at_once = Field(_("At once"), self.at_once, lines=2)
        form.add(self._amount, self._currency, self._key, at_once, stretch=(2, 1, 2, 1))
        keep_size(form, most_width=820)
        parts = self.title, self.hint, form, self.summary, (self.wrong_table, 1), self.skip, self.message
        layout = in_column(*parts, within=self, spacing=12)
        layout.addStretch(0)  # takes the room while there is no table
        layout.addLayout(in_row(None, self.back, self.start))


def counted(rows: Collection[DeviceRow]) -> str:
    """Return how many sales rows make on how many devices, and of how much."""
    count, devices = len(rows), len({row.device for row in rows})
    sales = ngettext("One sale", "{count} sales", count)
    places = ngettext("one device", "{count} devices", devices)
    sums = listed([money(one) for one in totals(rows)])
    return _("{sales} on {places}: {money} in all.").format(sales=sales, places=places, money=sums)


def summary_of(rows: DeviceList) -> str:
    told = counted(rows.rows) if rows.rows else _("No row can be sold yet.")
    if rows.wrong:
        wrong = len(rows.wrong)
        told += ngettext(" One row can't be sold.", " {count} rows can't be sold.", wrong)
    return told


def _rows_of(devices: tuple[str, ...], amount: str, currency: str) -> DeviceList:
    """Return one row a device; none while the amount isn't one, which its field says."""
    try:
        money = parse_money(amount, currency)
    except InputInvalid:
        return DeviceList((), ())
    return DeviceList(tuple(DeviceRow(n, device, money) for n, device in enumerate(devices, 1)), ())
