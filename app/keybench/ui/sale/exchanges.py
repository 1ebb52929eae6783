"""The exchanges of the sale in focus: a table of requests, and the chosen one in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer
from PySide6.QtGui import QFont, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from keybench.core.exchange import Exchange
from keybench.ui.sale.exchange_text import answer_text, answer_word, request_line, request_text
from keybench.ui.theme import mono_font, scaled, theme
from keybench.ui.widgets.table import Table
from keybench.words.times import clock_time_exact, duration

Index = QModelIndex | QPersistentModelIndex

TIME, REQUEST, ANSWER, TOOK = range(4)
_HEADERS: Final = ("Time", "Request", "Answer", "Took")


class ExchangesModel(QAbstractTableModel):
    """One sale's exchanges in order; new ones are added below."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._exchanges: list[Exchange] = []

    def show_exchanges(self, exchanges: Sequence[Exchange]) -> None:
        """Show these; if they only go on where the shown ones end, the new rows are added."""
        known = len(self._exchanges)
        if list(exchanges[:known]) == self._exchanges:
            if len(exchanges) > known:
                self.beginInsertRows(QModelIndex(), known, len(exchanges) - 1)
                self._exchanges = list(exchanges)
                self.endInsertRows()
            return
        self.beginResetModel()
        self._exchanges = list(exchanges)
        self.endResetModel()

    def exchange(self, row: int) -> Exchange:
        """Return the exchange of a row."""
        return self._exchanges[row]

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of exchanges; rows have no children."""
        return 0 if parent is not None and parent.isValid() else len(self._exchanges)

    def columnCount(self, parent: Index | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(_HEADERS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title or its alignment."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _HEADERS[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        if not index.isValid():
            return None
        exchange, column = self._exchanges[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _text(exchange, column)
            case Qt.ItemDataRole.ToolTipRole if column == REQUEST:
                return exchange.url
            case Qt.ItemDataRole.FontRole if column in {TIME, REQUEST}:
                return QFont(mono_font(theme().scale))
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
            case _:
                return None


def _text(exchange: Exchange, column: int) -> str:
    match column:
        case _ if column == TIME:
            return clock_time_exact(exchange.at)
        case _ if column == REQUEST:
            return request_line(exchange)
        case _ if column == ANSWER:
            return answer_word(exchange)
        case _:
            return duration(exchange.timings.total_s)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in {ANSWER, TOOK} else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class Exchanges(QWidget):
    """The table, and below it request and answer side by side."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ExchangesModel(self)
        self.table = Table("Exchanges", stretch=REQUEST, empty_text="Nothing was sent for this sale yet.")
        self.table.setModel(self.model)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.request = _view("Request")
        self.answer = _view("Answer")
        views = QHBoxLayout()
        views.setSpacing(10)
        views.addWidget(self.request)
        views.addWidget(self.answer)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.table, 1)
        layout.addLayout(views, 1)
        self.table.selectionModel().currentRowChanged.connect(self._show_row)
        self.model.modelReset.connect(self._choose_first)
        self.model.rowsInserted.connect(self._choose_first)

    def show_exchanges(self, exchanges: Sequence[Exchange]) -> None:
        """Show a sale's exchanges."""
        self.model.show_exchanges(exchanges)
        for view in (self.request, self.answer):
            view.setVisible(bool(exchanges))

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the columns to what came while they were out of sight, which a hidden table doesn't do."""
        super().showEvent(event)
        QTimer.singleShot(0, self.table.resizeColumnsToContents)

    def _choose_first(self) -> None:
        if self.model.rowCount() and not self.table.currentIndex().isValid():
            self.table.choose_row(0)

    def _show_row(self, current: QModelIndex) -> None:
        if current.isValid():
            exchange = self.model.exchange(current.row())
            self.request.setPlainText(request_text(exchange))
            self.answer.setPlainText(answer_text(exchange))


def _view(name: str) -> QPlainTextEdit:
    view = QPlainTextEdit()
    view.setReadOnly(True)
    view.setProperty("role", "mono")
    view.setAccessibleName(name)
    view.setTabChangesFocus(True)
    view.setMinimumHeight(scaled(72))
    return view
