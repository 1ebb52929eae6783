"""A table with calm defaults: whole rows, thin lines, the keyboard's way through, and words when empty."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from keybench.ui.theme import scaled, tokens

ROW_PX: Final = 32


class Table(QTableView):
    """A table to look at and choose a row of.

    Signals:
        opened: A row was double-clicked, or Enter pressed on it (a `QModelIndex`). A click only chooses, so
            this isn't Qt's `activated`, which comes with a single click on some desktops.

    Args:
        name: The accessible name.
        stretch: The column that takes the room that is left; the others are as wide as their contents.
        empty_text: Painted where the rows would be while there are none.
    """

    opened = Signal(QModelIndex)

    def __init__(
        self, name: str, *, stretch: int = 0, empty_text: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._stretch = stretch
        self._empty_text = empty_text
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(scaled(ROW_PX))
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setTextElideMode(Qt.TextElideMode.ElideRight)
        columns.setSectionsClickable(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setMinimumSectionSize(scaled(48))
        columns.sectionCountChanged.connect(self._on_columns)
        self.doubleClicked.connect(self.opened)

    @property
    def empty_text(self) -> str:
        """What stands there while there are no rows."""
        return self._empty_text

    @empty_text.setter
    def empty_text(self, text: str) -> None:
        self._empty_text = text
        self.viewport().update()

    def current_row(self) -> int:
        """Return the chosen row, or -1."""
        selection: QItemSelectionModel | None = self.selectionModel()
        rows = [] if selection is None else selection.selectedRows()
        return rows[0].row() if rows else -1

    def choose_row(self, row: int) -> None:
        """Choose a row and bring it into view; -1 chooses none."""
        if row < 0:
            self.clearSelection()
        else:
            self.selectRow(row)
            self.scrollTo(self.model().index(row, 0))

    def fit_columns(self) -> None:
        """Measure the columns anew, which Qt doesn't do for what came while the table was out of sight.

        Only the columns that are as wide as their contents: the one that stretches takes what they leave.
        """
        for column in range(self.horizontalHeader().count()):
            if column != self._stretch:
                self.resizeColumnToContents(column)

    def height_for_rows(self, rows: int) -> int:
        """Return the height that shows the header and `rows` rows without scrolling, in pixels."""
        header = self.horizontalHeader()
        top = header.sizeHint().height() if not header.isHidden() else 0
        return top + rows * self.verticalHeader().defaultSectionSize() + 2 * self.frameWidth() + 2

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter open the chosen row on every platform, as a double click does."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and not event.modifiers():
            at = self.currentIndex()
            if not at.isValid() and self.current_row() >= 0:  # rows chosen before the keyboard came here
                at = self.model().index(self.current_row(), 0)
            if at.isValid():
                self.opened.emit(at)
            event.accept()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or the empty text."""
        super().paintEvent(event)
        model: QAbstractItemModel | None = self.model()
        if not self._empty_text or (model is not None and model.rowCount()):
            return
        painter = QPainter(self.viewport())
        painter.setPen(QColor(tokens().dim))
        room: QRect = self.viewport().rect().adjusted(8, 8, -8, -8)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.drawText(room, int(flags), self._empty_text)
        painter.end()

    def _on_columns(self, _old: int, count: int) -> None:
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        for column in range(count):
            stretches = column == self._stretch
            mode = QHeaderView.ResizeMode.Stretch if stretches else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, mode)
