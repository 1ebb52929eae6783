"""Dialogs, most of them waited for by a coroutine, without a nested event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Literal, TypeVar

from PySide6.QtCore import QDir, QSize, QStandardPaths, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from keybench.core.errors import KeybenchError
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.boxes import PageFrame, in_column
from keybench.ui.kit.form import Form, text_field
from keybench.ui.kit.labels import prose
from keybench.ui.kit.theme import scaled, set_role, theme
from keybench.words.language import _

_T = TypeVar("_T")

#: The kinds of files to choose a list from, for `ask_file`.
LISTS: Final = _("CSV files (*.csv *.txt);;All files (*)")
_WIDTH_PX: Final = 420
#: So much of the screen may be taken by what stands between a dialog's text and its buttons.
_SHARE_OF_WIDTH, _SHARE_OF_HEIGHT = 0.9, 0.6
#: So much of it by a dialog that a person sizes.
_SHARE_OF_SCREEN: Final = 0.92
#: Around what scrolls, as the style sheet draws it.
_BORDER_PX: Final = 1


async def answered(dialog: QDialog) -> bool:
    """Open a dialog and return whether it was accepted; it closes if that is cancelled, and is the caller's to delete."""
    answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def on_finished(result: int, *_more: object) -> None:
        if not answer.done():
            answer.set_result(result)

    dialog.finished.connect(on_finished)
    QDialog.open(dialog)  # the system's own dialogs have another of that name
    try:
        return await answer == QDialog.DialogCode.Accepted
    finally:
        dialog.close()


class Dialog(QDialog):
    """A text, what is to be entered, a button to go on and one to leave it, in the platform's order.

    It closes once nothing is wrong with its form. It is waited for once, by `answer` or `keep`, and is then
    deleted.

    Args:
        confirm: The label of the button that goes on: a verb, not *Yes*.
        cancel: The label of the button that leaves it; empty for a message that only wants to be read.
        by_enter: Whether Enter goes on, else it leaves the dialog; by default where nothing is in danger.
    """

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        text: str = "",
        confirm: str,
        cancel: str = _("Cancel"),
        tone: Literal["primary", "danger"] = "primary",
        content: QWidget | None = None,
        by_enter: bool | None = None,
    ) -> None:
        super().__init__(parent.window())
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAccessibleDescription(text)
        self.form = content if isinstance(content, Form) else None
        self._body = prose(text)
        self._title = prose(title, "title")
        self._layout = in_column(self._title, self._body, within=self, margins=(24, 20, 24, 20), spacing=12)
        self._body.setVisible(bool(text))
        if content:
            self._layout.addWidget(self._within_the_screen(content))
        if self.form is None:
            self._layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        box = QDialogButtonBox()
        self._layout.addWidget(box)
        self.confirm_button: QPushButton = box.addButton(confirm, QDialogButtonBox.ButtonRole.AcceptRole)
        set_role(self.confirm_button, "tone", tone)  # the box has polished it by now
        self.cancel_button: QPushButton = box.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        self.cancel_button.setVisible(bool(cancel))
        goes_on = tone != "danger" if by_enter is None else by_enter
        default = self.confirm_button if goes_on else self.cancel_button
        default.setDefault(True)
        first = self.form.fields[0].editor if self.form else default
        first.setFocus(Qt.FocusReason.OtherFocusReason)
        box.accepted.connect(self.go_on)
        box.rejected.connect(self.reject)
        self._fit()
        theme().changed.connect(self._fit)

    def say(self, title: str, text: str) -> None:
        if (title, text) != (self.windowTitle(), self._body.text()):
            self.setWindowTitle(title)
            self._title.setText(title)
            self._body.setText(text)
            announce(self, text)
            self._fit()

    def go_on(self) -> None:
        if self.form is None or self.form.first_fault() is None:
            self.accept()

    async def answer(self) -> bool:
        try:
            return await answered(self)
        finally:
            self.deleteLater()

    async def keep(self, use_case: Callable[[], Awaitable[_T]]) -> _T | None:
        """Show it until what was entered is kept, and return what `use_case` returns; None if it was left.

        It is closed while the use case is under way, for that may open other dialogs of the system. An error
        opens it again and stands in its form.
        """
        try:
            while await answered(self):
                try:
                    return await use_case()
                except KeybenchError as error:
                    self.show_error(error)
            return None
        finally:
            self.deleteLater()

    def show_error(self, error: KeybenchError) -> None:
        if self.form is None:
            raise error
        self.form.show_error(error)

    def make_sizable(self, width_px: int, height_px: int) -> None:
        """Let a person size it, and its content take the room; it begins this large if the screen is."""
        self._layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetDefaultConstraint)
        self._layout.setStretch(2, 1)
        self.setSizeGripEnabled(True)
        room = self.screen().availableSize() * _SHARE_OF_SCREEN
        self.resize(QSize(scaled(width_px), scaled(height_px)).boundedTo(room))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _within_the_screen(self, content: QWidget) -> QWidget:
        for one in (content, *content.findChildren(QWidget)):
            one.ensurePolished()  # in the fonts it will have
        screen = self.screen().availableSize()
        room = QSize(round(screen.width() * _SHARE_OF_WIDTH), round(screen.height() * _SHARE_OF_HEIGHT))
        needed = content.sizeHint().expandedTo(content.minimumSize())
        if content.hasHeightForWidth() and (high := content.heightForWidth(needed.width())) >= 0:
            needed.setHeight(max(high, content.minimumHeight()))
        if needed.height() <= room.height() and needed.width() <= room.width():
            return content
        if isinstance(content, QAbstractScrollArea):  # it scrolls by itself
            content.setMinimumSize(needed.boundedTo(room))
            return content
        frame = _Frame(self.windowTitle())
        frame.hold(content)
        bar, border = frame.verticalScrollBar().sizeHint().width(), 2 * _BORDER_PX
        inside = max(room.width() - bar - border, content.minimumSizeHint().width())
        content.setMinimumWidth(min(content.minimumWidth(), inside))
        around = QSize(needed.width() + bar + border, needed.height() + border)
        frame.setMinimumSize(around.boundedTo(room))
        return frame

    def _fit(self) -> None:
        if self._body.text():
            self._body.setMinimumWidth(scaled(_WIDTH_PX))
        if self.isVisible():
            self.resize(self.width(), max(self.height(), self._layout.totalHeightForWidth(self.width())))


class _Frame(PageFrame):
    """Scrolls what is too high or wide for the screen, by keyboard too where nothing in it takes the keyboard."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("role", "read")
        self.setAccessibleName(name)

    def hold(self, content: QWidget) -> None:
        super().hold(content)
        stops = (one.focusPolicy() & Qt.FocusPolicy.TabFocus for one in content.findChildren(QWidget))
        if not any(stops):
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        return self.minimumSize()


async def confirm(
    parent: QWidget,
    *,
    title: str,
    text: str,
    confirm: str,
    cancel: str = _("Cancel"),
    tone: Literal["primary", "danger"] = "primary",
) -> bool:
    """Ask over `parent`'s window whether to go on; the arguments are those of `Dialog`."""
    return await Dialog(parent, title=title, text=text, confirm=confirm, cancel=cancel, tone=tone).answer()


async def ask_text(
    parent: QWidget,
    *,
    title: str,
    text: str,
    label: str,
    confirm: str,
    tone: Literal["primary", "danger"] = "primary",
    lines: int = 3,
) -> str:
    """Ask for words that go into the record and return them; empty if the dialog was left."""
    field = text_field(label, lines=lines)
    dialog = Dialog(
        parent, title=title, text=text, confirm=confirm, tone=tone, content=Form(field), by_enter=True
    )
    return field.text.strip() if await dialog.answer() else ""


def _name_parts(dialog: QFileDialog) -> None:
    """Name what Qt's own dialog, without one of the system, has no words for in some of the languages."""
    dialog.setLabelText(QFileDialog.DialogLabel.LookIn, _("&Look in:"))
    dialog.setLabelText(QFileDialog.DialogLabel.FileType, _("Files of &type:"))


class SaveDialog(QFileDialog):
    """The system's dialog for a file to be saved, as a `kind` such as ``HTTP archive`` or `others` with endings."""

    def __init__(
        self, parent: QWidget, *, title: str, name: str, kind: str, others: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(parent.window(), title)
        kinds = [(kind, Path(name).suffix), *others]
        self._endings = {f"{one} (*{ending})": ending for one, ending in kinds}
        _name_parts(self)
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setFileMode(QFileDialog.FileMode.AnyFile)
        self.setNameFilters([*self._endings, _("Any file (*)")])
        self.setDefaultSuffix(kinds[0][1].removeprefix("."))
        self.filterSelected.connect(self._on_kind)
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        self.setDirectory(documents if QDir(documents).exists() else QDir.homePath())
        self.selectFile(name)

    def _on_kind(self, chosen: str) -> None:
        if chosen in self._endings:
            self.setDefaultSuffix(self._endings[chosen].removeprefix("."))


async def ask_where(
    parent: QWidget, *, title: str, name: str, kind: str, others: Sequence[tuple[str, str]] = ()
) -> Path | None:
    """Ask where to save a file; the path's ending says which kind was chosen. It asks before one is replaced."""
    dialog = SaveDialog(parent, title=title, name=name, kind=kind, others=others)
    try:
        files = dialog.selectedFiles() if await answered(dialog) else []
        return Path(files[0]) if files else None
    finally:
        dialog.deleteLater()


def ask_file(parent: QWidget, title: str, kinds: str, use: Callable[[str], object]) -> None:
    """Ask for a file of one of these kinds; for a folder where there is none."""
    dialog = QFileDialog(parent.window(), title)
    _name_parts(dialog)
    modes = QFileDialog.FileMode
    dialog.setFileMode(modes.ExistingFile if kinds else modes.Directory)
    dialog.setNameFilter(kinds)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, not kinds)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(use)
    dialog.open()
