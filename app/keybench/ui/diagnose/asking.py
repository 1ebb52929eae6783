"""The left side of the Diagnose page: what it is about, the button that runs it, and the checks with one in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from keybench.core.card_data import refuse_card_data
from keybench.core.diagnosis.checks import Check, CheckFinding, Result
from keybench.core.diagnosis.rules import result_of, rules_out
from keybench.core.exchange import Exchange
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Sale
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import PageFrame, WrappingRow, framed, in_column
from keybench.ui.kit.form import Field, Hint
from keybench.ui.kit.icons import Sign, sign_icon
from keybench.ui.kit.labels import ElidedLabel, WrappingLabel, breakable, label, prose
from keybench.ui.kit.tables.model import MARK_PX, Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size, scaled, tokens
from keybench.ui.kit.tokens import Tone
from keybench.ui.shared.preview import Preview
from keybench.ui.shared.sales.exchange_text import answer_text, answer_word, request_line, request_text
from keybench.ui.shared.sales.fields import DeviceBox, KeyBox
from keybench.words.diagnosis import check_title, evidence_text, finding_text
from keybench.words.diagnosis.causes import cause_name
from keybench.words.formats import duration, listed
from keybench.words.language import _
from keybench.words.sales.card import place

#: How high a title is, so that it stands where those of the other pages do.
TITLE_PX: Final = 32
_NO_KEY: Final = _("None: the way to the gateway alone")
_NOT_LISTED: Final = _("No key has this name. Choose one from the list, or leave it empty.")
_WITHOUT_KEYS: Final = _("There are no keys here yet, so the way to the gateway is checked alone.")


class AskingPane(QFrame):
    """Key, device, the sale that failed if it is about one, the buttons, and the checks.

    Signals:
        edited: It is about something else.
    """

    edited = Signal()

    def __init__(self, run: Action, stop: Action) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._run, self._stop = run, stop
        self.sale: Sale | None = None
        self.key = KeyBox(sells=False)
        self.key.editor.setPlaceholderText(_NO_KEY)
        self.device = DeviceBox()
        self._key_field = Field(
            _("Key"), self.key, id="key", check=self._check_key, unfinished=self.key.is_begun, lines=0
        )
        self._device_field = Field(
            _("Device (if it matters)"),
            self.device,
            id="device",
            check=partial(self.device.look_at, required=False),
            lines=0,
        )
        self.sale_line = ElidedLabel("", "dim")
        self.sale_line.setAccessibleName(_("After the sale"))
        self.sale_line.hide()
        self.no_keys = prose(_WITHOUT_KEYS, "dim")
        self.no_keys.hide()
        self.count = WrappingLabel("", "dim")
        self.run_button = ActionButton(run, "primary")
        self.stop_button = ActionButton(stop)
        self.findings = Findings()
        for field in (self._key_field, self._device_field):
            field.edited.connect(self._on_edited)
        self._lay_out()

    def has_fault(self) -> bool:
        """Tell whether a field is wrong, and bring the keyboard to it."""
        for field in (self._key_field, self._device_field):
            field.touch()
            if field.fault:
                field.editor.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
        return False

    def show_keys(self, keys: Sequence[SecurityKey], *, choose: bool) -> None:
        """Offer keys and keep the choice; choose one if none is, unless none may be what is wanted."""
        was_empty = not self.key.currentText()
        self.key.show_keys(keys)
        self.no_keys.setVisible(not keys)
        if was_empty and not choose:
            self._clear_key()

    def choose(self, key: SecurityKey | None, device: str, sale: Sale | None) -> None:
        with QSignalBlocker(self):
            if key is None or not self.key.choose(key):
                self._clear_key()
            self.device.choose(device)
        self.sale = sale
        if sale:
            words = _("After {reference} · {place}")
            self.sale_line.setText(words.format(reference=sale.reference, place=place(sale, sale.device)))
        self.sale_line.setVisible(sale is not None)
        for field in (self._key_field, self._device_field):
            field.clear_message()

    def _clear_key(self) -> None:
        self.key.setCurrentIndex(-1)
        self.key.setEditText("")

    def show_running(self, *, running: bool) -> None:
        had_focus = self.run_button.hasFocus() or self.stop_button.hasFocus()
        self._run.setVisible(not running)
        self._stop.setVisible(running)
        for field in (self._key_field, self._device_field):
            field.setEnabled(not running)
        if had_focus:
            (self.stop_button if running else self.run_button).setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_edited(self) -> None:
        if self.signalsBlocked():
            return
        sale = self.sale
        key_id = self.key.key.id if self.key.key else ""
        if sale and (self.device.device_id != sale.device or key_id != sale.key_id):
            self.sale = None  # what is asked isn't about it any more
            self.sale_line.hide()
        self.edited.emit()

    def _check_key(self, text: str) -> Hint:
        refuse_card_data("key", text)
        return Hint(_NOT_LISTED, "bad") if text.strip() and self.key.key is None else Hint()

    def _lay_out(self) -> None:
        title = label(_("Diagnose"), "title")
        keep_size(title, least_height=TITLE_PX)
        buttons = [self.run_button, self.stop_button, self.count]
        row = WrappingRow(buttons, keep=[self.run_button, self.count])
        asked = (title, self._key_field, self.no_keys, self._device_field, self.sale_line)
        in_column(*asked, row, (self.findings, 1), within=self, margins=(16, 14, 16, 16))


_NOT_RUN: Final = "\N{EN DASH}"
#: The least height of the check in full, at 13 px text.
_FULL_PX: Final = 110
#: The least of that for what was asked and answered.
_EXCHANGE_PX: Final = 64
_CHOOSE: Final = _("Choose a check to see what it saw, and what was asked and answered.")


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check in the list; while it is awaited once more, its finding is the one before."""

    check: Check
    finding: CheckFinding | None = None
    is_awaited: bool = False

    @property
    def sign(self) -> Sign:
        if self.is_awaited:
            return "waiting"
        if self.finding is None or not self.finding.observations:
            return "unknown" if self.finding and self.finding.took_s else "none"
        return _SIGNS[result_of(self.finding)]

    @property
    def text(self) -> str:
        is_told = self.finding and not self.is_awaited
        return finding_text(self.finding) if self.finding and is_told else check_title(self.check)

    @property
    def spoken(self) -> str:
        return f"{_LOOKS[self.sign][1]}. {self.text}"

    @property
    def took(self) -> str:
        return duration(self.finding.took_s) if self.finding and self.finding.took_s else _NOT_RUN


_SIGNS: Final[Mapping[Result, Sign]] = {
    Result.FINE: "fine",
    Result.FAULT: "fault",
    Result.COULD_NOT_TELL: "unknown",
}
_LOOKS: Final[Mapping[Sign, tuple[Tone, str]]] = {
    "fine": ("good", _("Fine")),
    "fault": ("bad", _("Fault")),
    "unknown": ("warning", _("Could not tell")),
    "waiting": ("accent", _("Not ended yet")),
    "none": ("dim", _("Not made")),
}


def _mark(row: CheckRow) -> QIcon:
    return sign_icon(row.sign, tokens().tone(_LOOKS[row.sign][0]), scaled(MARK_PX))


def _ink(row: CheckRow) -> str:
    if row.sign == "fault":
        return "bad"
    return "" if row.finding and row.finding.observations else "dim"


_COLUMNS: Final[tuple[Column[CheckRow], ...]] = (
    Column(
        "check",
        _("Check"),
        lambda row: row.text,
        stretch=True,
        mark=_mark,
        ink=_ink,
        spoken=lambda row: row.spoken,
    ),
    Column("took", _("Took"), lambda row: row.took, right=True, width="999 ms"),
)


class Findings(QWidget):
    """The list and the chosen check."""

    def __init__(self) -> None:
        super().__init__()
        self.model: TableModel[CheckRow] = TableModel(_COLUMNS, lambda row: row.check)
        self.table = Table(_("Findings"), self.model, sortable=False)
        self.text = prose(_CHOOSE, selectable=True)
        self.exchange = Preview()
        self.exchange.setLineWrapMode(Preview.LineWrapMode.WidgetWidth)
        self.exchange.document().setDocumentMargin(0)
        self.exchange.setFrameShape(QFrame.Shape.NoFrame)
        self.exchange.setAccessibleName(_("What was asked and answered"))
        # What it would like doesn't count, or the card would scroll while there is room enough.
        self.exchange.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.exchange.hide()
        self._lay_out()
        self.table.selection_changed.connect(self.show_chosen)
        self.model.changed.connect(self.show_chosen)

    @property
    def rows(self) -> Sequence[CheckRow]:
        return self.model.rows

    def sizeHint(self) -> QSize:
        # No more height than needed, or the page would scroll before the list does.
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def list_checks(self, checks: Sequence[Check]) -> None:
        self.model.show(map(CheckRow, checks))

    def await_checks(self, checks: Sequence[Check], *, again: bool) -> None:
        """List checks that are being made; what they found before stays in sight where they are made `again`."""
        before = {row.check: row.finding for row in self.rows} if again else {}
        self.model.show([CheckRow(one, before.get(one), is_awaited=True) for one in checks])
        if not again:
            self.table.select_row(-1)

    def take(self, finding: CheckFinding) -> None:
        self.model.put([CheckRow(finding.check, finding)])

    def end(self, findings: Sequence[CheckFinding]) -> None:
        self.model.show([CheckRow(one.check, one) for one in findings])
        faults = [one for one in findings if result_of(one) is Result.FAULT]
        if self.table.selected is None and faults:
            self.table.select(min(faults, key=lambda fault: not fault.exchanges).check)

    def show_chosen(self) -> None:
        row = self.table.selected
        finding = row.finding if row else None
        text = _CHOOSE if row is None else evidence_text(finding) if finding else check_title(row.check)
        if finding:
            seen = {one.seen for other in self.rows if other.finding for one in other.finding.observations}
            if names := [cause_name(cause) for cause in rules_out(finding, seen)]:
                text += "\n" + _("Rules out: {causes}.").format(causes=listed(names))
        self.text.setText(breakable(text))
        asked = "\n\n".join(map(_as_text, finding.exchanges)) if finding else ""
        self.exchange.setVisible(bool(asked))
        if asked != self.exchange.toPlainText():  # else what is in sight of it stays
            self.exchange.setPlainText(asked)

    def _lay_out(self) -> None:
        # The chosen check scrolls in its card, so that a long answer takes no room from the list.
        whole = in_column(self.text, (self.exchange, 1), margins=(10, 8, 10, 8), spacing=4)
        whole.addStretch(0)
        keep_size(self.exchange, least_height=_EXCHANGE_PX)
        scroll = PageFrame(content=framed(whole), sideways=False)
        full = framed(in_column(scroll, margins=(1, 1, 1, 1)), "card")
        keep_size(full, least_height=_FULL_PX)
        in_column((self.table, 3), (full, 2), within=self)


def _as_text(exchange: Exchange) -> str:
    asked = f"{request_line(exchange)}\n{request_text(exchange)}"
    return f"{asked}→ {answer_word(exchange)}\n{answer_text(exchange)}".rstrip()
