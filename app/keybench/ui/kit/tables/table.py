"""A table: whole rows, columns that a person arranges and finds again, copying, menus, words when empty."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final, Generic

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QKeyCombination,
    QLocale,
    QModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QTableView,
    QWidget,
)

from keybench.runtime.saving import safe_cell
from keybench.ui.kit.actions import add_in_groups
from keybench.ui.kit.tables.columns import TableColumns
from keybench.ui.kit.tables.model import MARK_PX, Row, TableModel
from keybench.ui.kit.tables.pill import PillDelegate
from keybench.ui.kit.theme import scaled, theme, tokens
from keybench.words.language import _

ROW_PX: Final = 30
_Key = Qt.Key
_MOVES: Final = {_Key.Key_Up, _Key.Key_Down, _Key.Key_Home, _Key.Key_End, _Key.Key_PageUp, _Key.Key_PageDown}
_MENU_KEYS: Final = QKeyCombination(Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_F10)


class _OwnWayDelegate(QStyledItemDelegate):
    """Lets each text run as its own letters do, such as a path or a name in a window from right to left."""

    def displayText(self, value: object, locale: QLocale | QLocale.Language) -> str:
        return f"\u2068{super().displayText(value, locale)}\u2069"


class Table(QTableView, Generic[Row]):
    """Shows a `TableModel`, and lets a person select, sort, arrange and copy.

    Args:
        height_in_rows: How many rows it is high at the least and at the most, where the page around it
            scrolls; it takes the room there is if left out.
        least_rows: How many rows it keeps room for otherwise, where the page scrolls rather than the table.
        sortable: Whether a click on a title sorts. Never while the model has more rows than are here.

    Signals:
        opened: The row that was double-clicked, or on which Enter was pressed. A click only selects, so this
            isn't Qt's `activated`, which comes with a single click on some desktops.
        selection_changed: Other rows are selected, or the selected ones show something else.
    """

    opened = Signal(object)
    selection_changed = Signal()

    def __init__(
        self,
        name: str,
        model: TableModel[Row],
        *,
        several: bool = False,
        sortable: bool = True,
        height_in_rows: tuple[int, int] | None = None,
        least_rows: int = 3,
        empty_text: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._model = model
        self._empty_text = ""
        self._height_in_rows = height_in_rows
        self._least_rows = least_rows
        self._row_actions: Sequence[QAction] = ()
        self._current: tuple[Hashable, int] = (None, -1)
        self._reported: tuple[int, tuple[tuple[int, int], ...]] = (-1, ())
        modes = QAbstractItemView.SelectionMode
        self.setSelectionMode(modes.ExtendedSelection if several else modes.SingleSelection)
        self._set_up_view()
        self.setModel(model)
        # Titles show no selection. Asked for one, they would look at every selected row for every column.
        self.horizontalHeader().setSelectionModel(QItemSelectionModel(model, self))
        self.columns = TableColumns(self, model, sortable=sortable)
        self.empty_text = empty_text
        self.copy_action = QAction(_("Copy rows"), self, shortcut=QKeySequence(QKeySequence.StandardKey.Copy))
        self._connect()
        self._on_theme()

    def _set_up_view(self) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        if self.isRightToLeft():
            self.setItemDelegate(_OwnWayDelegate(self))
        pills = PillDelegate(self)
        for number, column in enumerate(self._model.columns):
            if column.tone:
                self.setItemDelegateForColumn(number, pills)

    def _connect(self) -> None:
        self.horizontalScrollBar().rangeChanged.connect(self._fit_height)
        self.doubleClicked.connect(lambda index: self.opened.emit(self._model.row(index.row())))
        self.copy_action.triggered.connect(self.copy_rows)
        self._model.changed.connect(self._on_rows)
        self._model.rowsInserted.connect(self._stay)
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.selectionModel().currentRowChanged.connect(self._on_selection)
        theme().changed.connect(self._on_theme)

    def model(self) -> TableModel[Row]:
        return self._model

    # --- words -----------------------------------------------------------------------------------

    @property
    def empty_text(self) -> str:
        return self._empty_text

    @empty_text.setter
    def empty_text(self, text: str) -> None:
        self._empty_text = text
        self._describe()
        self.viewport().update()

    def _describe(self) -> None:
        self.setAccessibleDescription("" if self._model.rowCount() else self._empty_text)

    # --- selection -------------------------------------------------------------------------------

    @property
    def selection(self) -> list[Row]:
        # By its ranges: asking for the rows takes Qt a tenth of a second where thousands are selected.
        ranges = self.selectionModel().selection().toList()
        numbers = {number for part in ranges for number in range(part.top(), part.bottom() + 1)}
        return [self._model.row(number) for number in sorted(numbers)]

    @property
    def selected(self) -> Row | None:
        """The current row if it is selected; else the first that is."""
        current = self.currentIndex()
        if current.isValid() and self.selectionModel().isSelected(current):
            return self._model.row(current.row())
        return next(iter(self.selection), None)

    @property
    def selected_number(self) -> int:
        ranges = self.selectionModel().selection().toList()
        return min((part.top() for part in ranges), default=-1)

    def select(self, key: Hashable) -> bool:
        """Select the row with a key, alone, or none if it isn't shown; tell whether it is."""
        number = self._model.number(key)
        self.select_row(number)
        return number >= 0

    def select_all_of(self, keys: Iterable[Hashable]) -> bool:
        """Select the rows with these keys, alone, and bring the first into view; tell whether any is shown."""
        numbers = sorted(number for key in keys if (number := self._model.number(key)) >= 0)
        if not numbers:
            return False
        wanted = QItemSelection()
        for number in numbers:
            wanted.select(self._model.index(number, 0), self._model.index(number, 0))
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(self._model.index(numbers[0], 0), flags.NoUpdate)
        self.selectionModel().select(wanted, flags.ClearAndSelect | flags.Rows)
        self.scrollTo(self._model.index(numbers[0], 0))
        return True

    def select_row(self, number: int) -> None:
        """Select a row by its number, alone, and bring it into view; -1 selects none."""
        if number < 0:
            self.clearSelection()
        else:
            index, flags = self._model.index(number, 0), QItemSelectionModel.SelectionFlag
            # selectRow would add to what is selected while Ctrl or Shift is held.
            self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.scrollTo(index)

    def _on_selection(self) -> None:
        """Report a selection unless it was reported: Qt tells of the current row and of the selected ones."""
        if not self._model.is_changing and self._selection_now() != self._reported:
            self._report()

    def _report(self) -> None:
        number = self.currentIndex().row()
        self._current = (self._model.key(number) if number >= 0 else None, number)
        self._reported = self._selection_now()
        self.selection_changed.emit()

    def _selection_now(self) -> tuple[int, tuple[tuple[int, int], ...]]:
        current, chosen = self.currentIndex(), self.selectionModel()
        ranges = tuple((part.top(), part.bottom()) for part in chosen.selection().toList())
        is_chosen = current.isValid() and chosen.isSelected(current)
        return current.row() if is_chosen else self.selected_number, ranges

    def _on_rows(self) -> None:
        """Take in that rows changed; where the current one went, the keyboard goes on from near by."""
        key, number = self._current
        if number >= 0 and self._model.number(key) < 0:
            near = self._model.index(min(number, self._model.rowCount() - 1), 0)
            # With one selected row at the most, Qt would have selected another one by now.
            is_single = self.selectionMode() is QAbstractItemView.SelectionMode.SingleSelection
            flags = QItemSelectionModel.SelectionFlag
            self.selectionModel().setCurrentIndex(near, flags.Clear if is_single else flags.NoUpdate)
        self.columns.show_rows()
        self._fit_height()
        self._describe()
        self._report()  # even the same rows: they may show something else

    def _stay(self, _parent: QModelIndex, first: int, last: int) -> None:
        bar, height = self.verticalScrollBar(), self.verticalHeader().defaultSectionSize()
        if bar.value() and first * height <= bar.value():
            bar.setMaximum(bar.maximum() + (last - first + 1) * height)
            bar.setValue(bar.value() + (last - first + 1) * height)

    # --- what is done with rows ------------------------------------------------------------------

    def set_row_actions(self, actions: Sequence[QAction]) -> None:
        self._row_actions = actions

    def copy_rows(self) -> None:
        shown = self.columns.visible
        lines = [[column.title for column in shown]]
        lines += [[column.text(row) for column in shown] for row in self.selection]
        if len(lines) > 1:
            cells = [[str(safe_cell(" ".join(cell.split()))) for cell in line] for line in lines]
            QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in cells))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        self._show_menu(self._below_current() if by_key else event.globalPos())

    def _below_current(self) -> QPoint:
        current = self.currentIndex()
        self.scrollTo(current)
        return self.viewport().mapToGlobal(self.visualRect(current).bottomLeft())

    def _show_menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        if self.selected_number >= 0:
            add_in_groups(menu, self._row_actions)
            if self._row_actions:
                menu.addSeparator()
            menu.addAction(self.copy_action)
        menu.addMenu(self.columns.menu(menu)).setText(_("Columns"))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
            return
        if event.keyCombination() == _MENU_KEYS:  # Qt sends an event of its own for the menu key alone
            self._show_menu(self._below_current())
            return
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and not event.modifiers():
            number = self.currentIndex().row()
            if number < 0:  # rows were selected before the keyboard came here
                number = max(self.selected_number, 0)
            if number < self._model.rowCount():
                # What a search brings is current at the most, and what is done with a row asks for selected ones.
                if not self.selectionModel().isRowSelected(number):
                    self.select_row(number)
                self.opened.emit(self._model.row(number))
            event.accept()
            return
        is_move = event.key() in _MOVES and not event.modifiers()
        if is_move and event.key() == Qt.Key.Key_Down and self._select_current():
            return
        super().keyPressEvent(event)
        if is_move:
            self._select_current()

    def _select_current(self) -> bool:
        """Select the current row if none is selected; tell whether that was so.

        Where the selected row went, the one that took its place is current: Qt would go on to the one below
        it, and do nothing where there is no other.
        """
        number = self.currentIndex().row()
        is_needed = number >= 0 and not self.selectionModel().hasSelection()
        if is_needed:
            self.select_row(number)
        return is_needed

    # --- size and painting -----------------------------------------------------------------------

    def height_for_rows(self, rows: int) -> int:
        header = self.horizontalHeader()
        top = header.sizeHint().height() if not header.isHidden() else 0
        return top + rows * self.verticalHeader().defaultSectionSize() + 2 * self.frameWidth() + 2

    def minimumSizeHint(self) -> QSize:
        """Return no width where the page around it scrolls, and room for some rows where that doesn't.

        It scrolls sideways by itself; a table of a page that is too low keeps rows, and the page scrolls.
        """
        hint = super().minimumSizeHint()
        if self._height_in_rows:
            return QSize(0, hint.height())
        bar = self.horizontalScrollBar().sizeHint().height()
        return QSize(hint.width(), max(hint.height(), self.height_for_rows(self._least_rows) + bar))

    def sizeHint(self) -> QSize:
        """Ask for no more height than the least, so that no page scrolls for it; it takes what there is."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def _fit_height(self) -> None:
        if self._height_in_rows:
            least, most = self._height_in_rows
            bar = self.horizontalScrollBar()
            scrolls = bar.sizeHint().height() if bar.maximum() > bar.minimum() else 0
            self.setFixedHeight(self.height_for_rows(min(max(self._model.rowCount(), least), most)) + scrolls)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.columns.measure_again()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.columns.on_resized()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.columns.remember_now()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._empty_text or self._model.rowCount():
            return
        painter = QPainter(self.viewport())
        painter.setPen(QColor(tokens().dim))
        side = QStyle.visualAlignment(self.layoutDirection(), Qt.AlignmentFlag.AlignLeft)
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.drawText(self.viewport().rect().adjusted(8, 8, -8, -8), int(flags), self._empty_text)
        painter.end()

    def _on_theme(self) -> None:
        self.verticalHeader().setDefaultSectionSize(scaled(ROW_PX))
        self.setIconSize(QSize(scaled(MARK_PX), scaled(MARK_PX)))  # or a mark is drawn in Qt's own size
        self.columns.measure_again()
        self._fit_height()
        self.updateGeometry()  # rows and titles have another height, which no layout is told of
