"""Looks a window over: can every control be reached, and does every text fit or end with "…"?"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenuBar,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QTableView,
    QTextEdit,
    QWidget,
)

from keybench.ui.kit.labels import ElidedLabel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.keys.value_line import ValueLine
from keybench.ui.shell.rail import RailButton

#: Dots, which say that a value is hidden, however many there are.
_DOTS = ValueLine
_CONTROLS = (QAbstractButton, QLineEdit, QComboBox, QPlainTextEdit, QTextEdit, QAbstractItemView, QLabel)
_WHOLE = (QComboBox, QAbstractSpinBox, QAbstractItemView, QLineEdit, QMenuBar, QPlainTextEdit, QTextEdit)
#: Rounding at odd scales.
_PIXEL = 1
#: Between the icon and the text of a box, and around that of a list's item.
_BESIDE_ICON = 4
_AROUND_ITEM = 16
#: How many rows of a table are in sight at the least.
_ROWS = 2


def faults(window: QWidget) -> list[str]:
    """Return what of a window can't be reached, which texts are cut, and which tables show too little."""
    found: set[str] = set()
    for one in shown_controls(window):
        found |= {_out_of_reach(one, window), _cut(one), _low(one), _narrow(one)}
    return sorted(found - {""})


def shown_controls(window: QWidget) -> Iterator[QWidget]:
    """Return the controls and labels that a window shows, without the parts of controls."""
    for one in window.findChildren(QWidget):
        if isinstance(one, _CONTROLS) and one.isVisible() and not _is_part(one, window):
            yield one


def called(widget: QWidget) -> str:
    """Return what a person calls a widget."""
    text = getattr(widget, "text", str)()
    return f"{type(widget).__name__} {(widget.accessibleName() or text or widget.objectName())!r}"


def _is_part(widget: QWidget, window: QWidget) -> bool:
    around = widget.parentWidget()
    while around is not None and around is not window:
        if isinstance(around, _WHOLE):
            return True
        around = around.parentWidget()
    return False


def _out_of_reach(widget: QWidget, window: QWidget) -> str:
    at, rect = widget, widget.rect()
    if rect.isEmpty():
        return "" if isinstance(widget, QLabel) and not widget.text() else f"{called(widget)}: no room at all"
    while at is not window:
        around = at.parentWidget()
        assert around is not None
        rect = rect.translated(at.pos())
        area = around.parentWidget()
        if isinstance(area, QScrollArea) and area.viewport() is around:
            off = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            for policy, bar in (
                (area.horizontalScrollBarPolicy(), area.horizontalScrollBar()),
                (area.verticalScrollBarPolicy(), area.verticalScrollBar()),
            ):
                if policy is off and bar.maximum() > bar.minimum():
                    return f"{called(widget)}: can't be scrolled to"
            if area.viewport().rect().isEmpty():
                return f"{called(widget)}: no room to scroll it into"
            at, rect = area, QRect(area.rect())
            continue
        if not around.rect().adjusted(-_PIXEL, -_PIXEL, _PIXEL, _PIXEL).contains(rect):
            name = called(around) if around.accessibleName() else type(around).__name__
            return f"{called(widget)}: {rect.getRect()} in {name} {around.size().toTuple()}"
        at = around
    return ""


def _cut(widget: QWidget) -> str:
    """Return that a text has less room than it needs; a label of one line may end with "…"."""
    text = getattr(widget, "text", str)()
    if not text or isinstance(widget, QLineEdit | _DOTS):
        return ""
    wide, high = widget.minimumSizeHint().width(), widget.fontMetrics().height()
    if isinstance(widget, ElidedLabel):
        wide = 0
    elif isinstance(widget, QLabel) and widget.wordWrap():
        wide, high = 0, widget.heightForWidth(widget.width())
    elif isinstance(widget, QPushButton):
        wide = widget.fontMetrics().horizontalAdvance(text) + 2 * _PIXEL
    if widget.width() + _PIXEL < wide:
        return f"{called(widget)}: {widget.width()} of {wide} wide"
    if widget.height() + _PIXEL < high:
        return f"{called(widget)}: {widget.height()} of {high} high"
    return ""


def _low(widget: QWidget) -> str:
    """Return that a table has room for less than two of its rows."""
    if not isinstance(widget, QTableView) or not widget.model().rowCount():
        return ""
    rows = min(widget.model().rowCount(), _ROWS)
    needs = rows * widget.verticalHeader().defaultSectionSize()
    room = widget.viewport().height()
    return "" if room + _PIXEL >= needs else f"{called(widget)}: {room} of {needs} high"


def _narrow(widget: QWidget) -> str:
    """Return that a table cuts figures, times, states or identifiers, which say nothing when they are cut."""
    if not isinstance(widget, Table):
        return ""
    model, last = widget.model(), widget.rowAt(widget.viewport().height() - 1)
    rows = range(max(widget.rowAt(0), 0), (last if last >= 0 else model.rowCount() - 1) + 1)
    for column in widget.columns.visible:
        number = model.column(column.id)
        room = widget.columnWidth(number) + _PIXEL
        needs = (widget.sizeHintForIndex(model.index(row, number)).width() for row in rows)
        if column.is_firm and (most := max(needs, default=0)) > room:
            return f"{called(widget)}: {room} of {most} wide for {column.id}"
    return ""


def cramped(window: QWidget) -> list[str]:
    """Return which words of buttons, boxes, lists, titles of columns and the rail haven't room."""
    found: list[str] = []
    for one in shown_controls(window):
        words = one.fontMetrics().horizontalAdvance
        match one:
            case RailButton():
                needs = [(one.page.title, one.words_width(), one.width())]
                needs += [(one.page.title, one.minimumSizeHint().height(), one.height())]
            case QComboBox() if not one.isEditable():
                option = QStyleOptionComboBox()
                one.initStyleOption(option)
                part = QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, one
                icon = 0 if option.currentIcon.isNull() else one.iconSize().width() + _BESIDE_ICON
                room = one.style().subControlRect(*part).width() - icon
                needs = [(one.currentText(), words(one.currentText()), room)]
            case QListWidget():
                items = map(one.item, range(one.count()))
                rooms = [(item.text(), one.visualItemRect(item).width() - _AROUND_ITEM) for item in items]
                needs = [(text, words(text), room) for text, room in rooms]
            case Table():
                columns, model = one.columns, one.model()
                widths = {each: one.columnWidth(model.column(each.id)) for each in columns.visible}
                needs = [(each.title, columns._title_width(each), has) for each, has in widths.items()]
            case _:
                needs = []
        cut = [each for each in needs if each[1] > each[2] + _PIXEL]
        found += [f"{called(one)}: {text!r} has {has} of {needed}" for text, needed, has in cut]
    return found


def sideways(window: QWidget) -> list[str]:
    """Return the areas of a window that scroll sideways; tables scroll by themselves."""
    return [
        type(area.widget()).__name__
        for area in window.findChildren(QScrollArea)
        if area.isVisible() and area.horizontalScrollBar().maximum() > 0
    ]
