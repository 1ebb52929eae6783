"""Line and combo fields of Add a New Key: one way to read, set and watch them, and no card data in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QComboBox, QLineEdit

from keybench.ui.keys.checks import Finding
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.field import Field

Check = Callable[[str], Finding]
#: Far more than any field takes, so that a paste that is too long is seen as it is and explained.
_LONGEST: Final = 32_767


class CheckedField(QObject):
    """A field whose text is checked while one types.

    It says nothing until something was typed or the person went past it with Tab, so an untouched form is
    calm. Card data is taken out of it the moment it is recognised, together with the undo history, and the
    reason stays until the next edit.

    Args:
        field: Label, editor and message line; the editor is a line or a combo box.
        check: Looks at the text.

    Signals:
        edited: The text changed.
    """

    edited = Signal()

    def __init__(self, field: Field, check: Check) -> None:
        super().__init__(field)
        self.field = field
        self._check = check
        self._touched = False
        self._told: tuple[str, Finding] | None = None
        editor = field.editor
        if isinstance(editor, QComboBox):
            editor.currentTextChanged.connect(self._on_edit)
        elif isinstance(editor, QLineEdit):
            editor.setMaxLength(_LONGEST)
            editor.textChanged.connect(self._on_edit)
        self.watch_focus()

    @property
    def text(self) -> str:
        """The text as it stands; of a fixed combo box the chosen data."""
        editor = self.field.editor
        if isinstance(editor, QComboBox):
            return editor.currentText() if editor.isEditable() else str(editor.currentData() or "")
        return editor.text() if isinstance(editor, QLineEdit) else ""

    @property
    def finding(self) -> Finding:
        """What is to be said of the text as it stands."""
        if self._told and self._told[0] == self.text:
            return self._told[1]
        return self._check(self.text)

    def watch_focus(self) -> None:
        """Notice when the person leaves; to be called again when a combo box gets another line."""
        editor = self.field.editor
        line = editor.lineEdit() if isinstance(editor, QComboBox) else None
        (line or editor).installEventFilter(self)

    def touch(self) -> None:
        """Show what is wrong from now on, also if nobody has typed here."""
        self._touched = True
        self.refresh()

    def tell(self, finding: Finding) -> None:
        """Say what somebody else found wrong with the text, until it is edited."""
        self._told = (self.text, finding)
        self.touch()

    def take_out(self, finding: Finding) -> None:
        """Empty it, so that nothing of it can be undone, and say why until it is edited."""
        self._touched = True
        self._told = ("", finding)
        self._put("")
        self.refresh()

    def reset(self, text: str = "") -> None:
        """Hold `text` as if it had never been touched, with no undo history."""
        self._put(text)
        self._touched = False
        self._told = None
        self.refresh()

    def refresh(self) -> None:
        """Check again, because something it depends on changed."""
        found = self.finding
        if found.text and (self._touched or not found.is_fault):
            self.field.show_message(found.text, found.tone)
        else:
            self.field.clear_message()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show what is wrong once the person went on to the next field."""
        if isinstance(event, QFocusEvent) and event.lostFocus() and self._went_on(event):
            self.touch()
        return super().eventFilter(watched, event)

    def _went_on(self, event: QFocusEvent) -> bool:
        return event.reason() == Qt.FocusReason.TabFocusReason and self.field.isEnabled()

    def _on_edit(self) -> None:
        text = self.text
        if self._told and self._told[0] != text:
            self._told = None
        found = self._check(text)
        if found.card_data:
            self.take_out(found)
            return
        self._touched = self._touched or bool(text)
        self.refresh()
        self.edited.emit()

    def _put(self, text: str) -> None:
        editor = self.field.editor
        if isinstance(editor, QLineEdit):
            editor.setText(text)
        elif isinstance(editor, QComboBox) and editor.isEditable():
            editor.setEditText(text)
        elif isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(text) if text else -1)


def quiet_combo(name: str, *, editable: bool) -> QComboBox:
    """Return a combo box that keeps no history of what is typed."""
    combo = ComboBox()
    combo.setAccessibleName(name)
    combo.setEditable(editable)
    combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    if editable:
        # Completion inside the line would turn a name that is another's beginning into that other name.
        combo.setCompleter(None)  # type: ignore[arg-type]  # Qt takes none; the stubs don't say so
    combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo
