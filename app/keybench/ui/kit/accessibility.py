"""What screen readers and scripts are told: announcements and names, and controls found by their names.

On Linux, Qt's own interface gives a combo box's current text as its name and leaves the name to a label
that may not exist (QAccessibleComboBox::text in Qt 6), so ``Environment`` could not be found by its name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TypeVar

from PySide6.QtCore import QObject
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
)
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QComboBox, QWidget
from shiboken6 import isValid

W = TypeVar("W", bound=QWidget)

_SHOW = "ShowMenu"  # QAccessibleActionInterface::showMenuAction(), the stable name of the action


class ComboBoxAccess(QAccessibleWidget):
    """A combo box as others see it: its name, its current text as value, its list and its editor."""

    def __init__(self, box: QComboBox) -> None:
        super().__init__(box, QAccessible.Role.ComboBox)
        self._box = box

    def text(self, kind: QAccessible.Text) -> str:
        """Return the accessible name, the current text as value, and a description that begins with it.

        AT-SPI hands out names and descriptions only, so that is the one place where the choice is heard.
        """
        if kind == QAccessible.Text.Name and self._box.accessibleName():
            return self._box.accessibleName()
        if kind in {QAccessible.Text.Value, QAccessible.Text.Name}:
            return self._box.currentText()
        if kind == QAccessible.Text.Description:
            parts = (self._box.currentText(), self._box.accessibleDescription())
            return ". ".join(part for part in parts if part)
        return super().text(kind)

    def childCount(self) -> int:
        return 2 if self._box.isEditable() else 1

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # null is allowed
        if index == 0:
            return QAccessible.queryAccessibleInterface(self._box.view())
        editor = self._box.lineEdit()
        return QAccessible.queryAccessibleInterface(editor) if index == 1 and editor else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        parts: list[QObject | None] = [self._box.view(), self._box.lineEdit()]
        return parts.index(child.object()) if child.object() in parts else -1

    def actionNames(self) -> list[str]:
        return [_SHOW, *super().actionNames()]

    def doAction(self, name: str) -> None:
        if name != _SHOW:
            super().doAction(name)
        elif self._box.view().isVisible():
            self._box.hidePopup()
        else:
            self._box.showPopup()


# Qt's cache owns the interfaces; Python must not let go of one before its box is gone.
_kept: list[ComboBoxAccess] = []


def _access(_kind: str, watched: QObject) -> QAccessibleInterface | None:
    if not isinstance(watched, QComboBox):
        return None
    _kept[:] = [one for one in _kept if isValid(one)]
    interface = ComboBoxAccess(watched)
    _kept.append(interface)
    return interface


def name_combo_boxes() -> None:
    """Have combo boxes go by their accessible names; call it once there is an application."""
    if sys.platform == "linux":
        QAccessible.installFactory(_access)


def named(within: QWidget, name: str, kind: type[W]) -> Iterator[W]:
    """Yield the visible controls of a kind whom a screen reader calls so.

    A button without a name of its own is called by its text.
    """
    for widget in within.findChildren(kind):
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        if (widget.accessibleName() or text) == name and widget.isVisible():
            yield widget


def announce(widget: QWidget, text: str) -> None:
    """Make `text` the widget's accessible description, and have it spoken where that is supported.

    Readers that don't know announcements are told that name and description changed. An empty text takes the
    description away, and nothing is spoken.
    """
    widget.setAccessibleDescription(text)
    if not text:
        return
    for kind in (QAccessible.Event.NameChanged, QAccessible.Event.DescriptionChanged):
        QAccessible.updateAccessibility(QAccessibleEvent(widget, kind))
    announcement = QAccessibleAnnouncementEvent(widget, text)
    announcement.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
    QAccessible.updateAccessibility(announcement)
