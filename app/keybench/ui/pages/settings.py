"""The Settings page: environments, appearance, the keystore, the program itself."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from keybench.ui.pages.environments_section import EnvironmentsSection
from keybench.ui.pages.review_section import ReviewSection
from keybench.ui.pages.sections import (
    AboutSection,
    AppearanceSection,
    KeystoreSection,
    LockSection,
    NoticesSection,
)
from keybench.ui.session import Session
from keybench.ui.theme import scaled

WIDEST_PX = 920


class SettingsPage(QWidget):
    """All sections in one column that scrolls."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.environments = EnvironmentsSection(session)
        self.keystore = KeystoreSection(session)
        self.review = ReviewSection(session)
        self.lock = LockSection(session)
        self.notices = NoticesSection(session)
        self.appearance = AppearanceSection(session)
        self.about = AboutSection(session)
        column = QWidget()
        column.setMaximumWidth(scaled(WIDEST_PX))
        sections = QVBoxLayout(column)
        sections.setContentsMargins(0, 0, 0, 0)
        sections.setSpacing(16)
        for section in (
            self.environments,
            self.keystore,
            self.review,
            self.lock,
            self.notices,
            self.appearance,
            self.about,
        ):
            sections.addWidget(section)
        sections.addStretch(1)
        holder = QWidget()
        holder.setObjectName("page")
        row = QHBoxLayout(holder)
        row.setContentsMargins(16, 16, 16, 16)
        row.addWidget(column, 1000)
        row.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(holder)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
