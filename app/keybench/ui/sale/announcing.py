"""Tells assistive technology of a change that nobody asked for, such as an outcome."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QWidget


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
