"""Widgets to choose one of several things: a combo box that keeps what a person types, and joined toggle buttons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QWidget,
)

from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.theme import theme

#: What Qt leaves free between an icon and the text, and at both ends of the text.
_BESIDE_ICON_PX: Final = 4
_AROUND_TEXT_PX: Final = 6


class ComboBox(QComboBox):
    """A combo box; its list obeys the style sheet, which Qt's own delegate for it doesn't.

    Once another text is typed than that of the entry chosen before, no entry is the current one: Qt puts the
    current one's text back with that entry's next change, such as another icon.
    """

    def __init__(self) -> None:
        self._has_delegate = False
        super().__init__()
        self.editTextChanged.connect(self._on_text)

    @property
    def is_typed_in(self) -> bool:
        editor = self.lineEdit()
        return editor is not None and editor.hasFocus() and self.findText(editor.text()) < 0

    @property
    def placeholder(self) -> str:
        editor = self.lineEdit()
        return editor.placeholderText() if editor else self.placeholderText()

    def whole_width(self) -> int:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        icon = 0 if option.currentIcon.isNull() else self.iconSize().width() + _BESIDE_ICON_PX
        metrics = self.fontMetrics()
        words = self.currentText() or self.placeholder
        wide = metrics.horizontalAdvance(words) + _AROUND_TEXT_PX + icon
        text = QSize(wide, metrics.height())
        return self.style().sizeFromContents(QStyle.ContentsType.CT_ComboBox, option, text, self).width()

    @contextmanager
    def typing_kept(self) -> Iterator[bool]:
        """Leave what was typed as it is while the list is renewed, with cursor and selection.

        Yields:
            Whether there is such a text, and then the block leaves the choice alone. A text that is one of
            the list's was chosen or is complete.
        """
        editor = self.lineEdit()
        if editor is None:
            yield False
        elif not editor.text() or self.findText(editor.text()) >= 0:
            # By what is typed next, as it would have been.
            is_typed_over = editor.hasFocus() and (editor.hasSelectedText() or not editor.text())
            yield False
            if is_typed_over:
                editor.selectAll()
        else:
            with self._text_kept(editor):
                yield True

    @contextmanager
    def _text_kept(self, editor: QLineEdit) -> Iterator[None]:
        text, cursor = editor.text(), editor.cursorPosition()
        start, length = editor.selectionStart(), editor.selectionLength()
        with QSignalBlocker(self), QSignalBlocker(editor):
            yield
            self.setCurrentIndex(-1)
            self.setEditText(text)
            editor.setCursorPosition(cursor)
            if start >= 0:
                editor.setSelection(start, length)

    def _on_text(self, text: str) -> None:
        editor, row = self.lineEdit(), self.currentIndex()
        if editor and row >= 0 and text != self.itemText(row):
            with self._text_kept(editor):
                pass

    def showPopup(self) -> None:
        """Open the list; it is dressed when it is first seen, for making it takes some milliseconds."""
        self._dress_list()
        super().showPopup()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.StyleChange:
            # Else Qt makes its own delegate anew, the list with it, and keeps the one before.
            self._dress_list()
        super().changeEvent(event)

    def _dress_list(self) -> None:
        if not self._has_delegate:
            self._has_delegate = True
            self.setItemDelegate(QStyledItemDelegate(self))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def quiet_combo(*, editable: bool) -> ComboBox:
    combo = ComboBox()
    let_type(combo, editable=editable)
    combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo


def name_line(combo: QComboBox) -> None:
    """Let the line of an editable combo box go by the box's accessible name; Qt gives it none."""
    if line := combo.lineEdit():
        line.setAccessibleName(combo.accessibleName())


def let_type(combo: QComboBox, *, editable: bool = True) -> None:
    combo.setEditable(editable)
    combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    if editable:
        # Completion inside the line would turn a name that is another's beginning into that other name.
        combo.setCompleter(None)  # type: ignore[arg-type]  # Qt takes none; the stubs don't say so
        name_line(combo)


MARGIN_PX: Final = 13  # the style sheet's padding and border at each side


class Segments(QWidget):
    """An exclusive choice shown as joined buttons by value and label; the arrow keys move it, Tab passes it by."""

    changed = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._buttons: dict[str, QPushButton] = {}
        layout = in_row(within=self, spacing=0)
        places = ["first", *["middle"] * (len(choices) - 2), "last"] if len(choices) > 1 else ["only"]
        if self.isRightToLeft():
            places.reverse()  # the style sheet knows them by their side of the screen
        for place, (value, label) in zip(places, choices, strict=True):
            button = _segment(label, place)
            button.setProperty("value", value)
            button.toggled.connect(self._on_toggled)
            self._buttons[value] = button
            layout.addWidget(button)
        self._fit()
        theme().changed.connect(self._fit)
        first = next(iter(self._buttons.values()))
        first.setChecked(True)
        self.setFocusProxy(first)

    @property
    def value(self) -> str:
        return next(value for value, button in self._buttons.items() if button.isChecked())

    def choose(self, value: str) -> None:
        self._buttons[value].setChecked(True)

    def button(self, value: str) -> QPushButton:
        return self._buttons[value]

    def _fit(self) -> None:
        bold = QFont(QApplication.font())
        bold.setBold(True)
        for button in self._buttons.values():
            button.setMinimumWidth(QFontMetrics(bold).horizontalAdvance(button.text()) + 2 * MARGIN_PX)

    def _on_toggled(self, down: bool) -> None:  # noqa: FBT001 - the signal's own shape
        if down:
            button = self.sender()
            self.setFocusProxy(self._buttons[str(button.property("value"))])
            self.changed.emit(button.property("value"))


def _segment(label: str, place: str) -> QPushButton:
    button = QPushButton(label)
    button.setCheckable(True)
    button.setAutoExclusive(True)
    button.setProperty("segment", "true")
    button.setProperty("place", place)
    button.setAccessibleName(label)
    return button
