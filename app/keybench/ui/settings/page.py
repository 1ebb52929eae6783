"""The Settings page: its sections, one at a time, and a search that leaves those in which the words stand."""

from __future__ import annotations

from math import ceil
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QListWidget, QScrollArea, QSizePolicy, QWidget

from keybench.core.environments.environment import Environment
from keybench.ui.kit.boxes import framed, in_column, in_row_or_column, mirrored
from keybench.ui.kit.labels import label, prose
from keybench.ui.kit.theme import keep_size, scaled, theme
from keybench.ui.settings.environments import EnvironmentsSection
from keybench.ui.settings.general import GeneralSection
from keybench.ui.settings.journal import JournalSection
from keybench.ui.settings.privacy import PrivacySection
from keybench.ui.settings.sections import AppearanceSection, KeystoreSection, ReviewSection, Section
from keybench.ui.shared.list_page import find_in, search_field
from keybench.ui.shared.session import Session
from keybench.words.language import _

_WIDEST_PX: Final = 920
_LIST_PX: Final = 216
#: What every section has room in, and the form of an environment: with less the list stands above all of them
#: alike, so that it stays where it is when another is chosen or the form is opened.
_LEAST_BESIDE_PX: Final = 464
_MARGIN: Final = 16
#: Around a title: the panel's and the row's margins, and a few pixels that Qt keeps.
_BESIDE_TITLE_PX: Final = 56


class SettingsPage(QWidget):
    """The list of sections beside the chosen one; the frame around the page scrolls both."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.environments = EnvironmentsSection(session)
        self.general = GeneralSection(session)
        self.appearance = AppearanceSection(session)
        self.privacy = PrivacySection(session)
        self.review = ReviewSection(session)
        self.keystore = KeystoreSection(session)
        self.journal = JournalSection(session)
        self.sections: dict[str, Section] = {
            "environments": self.environments,
            "general": self.general,
            "appearance": self.appearance,
            "privacy": self.privacy,
            "review": self.review,
            "keystore": self.keystore,
            "journal": self.journal,
        }
        self.section_id = "environments"
        self.search = search_field(_("Find a setting"), _("Find a setting…"))
        self.nothing = prose(_("No setting has these words."), "dim")
        self.nothing.hide()
        self.list = QListWidget()
        self.list.addItems([section.title for section in self.sections.values()])
        self._lay_out()
        self.show_section(self.section_id)
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._on_enter)
        self.list.currentRowChanged.connect(self._on_row)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            enter = QShortcut(QKeySequence(key), self.list, self._on_enter)
            enter.setContext(Qt.ShortcutContext.WidgetShortcut)
        find_in(self, self.search)

    def show_section(self, section_id: str) -> None:
        """Show a section alone."""
        self.section_id = section_id
        for one, section in self.sections.items():
            section.setVisible(one == section_id)
        self.list.setCurrentRow(list(self.sections).index(section_id))

    def edit_environment(self, environment: Environment) -> None:
        self.search.clear()
        self.show_section("environments")
        self.environments.edit(environment)

    def add_environment(self) -> None:
        """Show the form of a new environment, unless one is open."""
        self.search.clear()
        self.show_section("environments")
        self.environments.open_action.trigger()

    def _beside_px(self) -> int:
        section = max(scaled(_LEAST_BESIDE_PX), self._column.minimumSizeHint().width())
        return scaled(self._list_px()) + section + 3 * _MARGIN

    def _list_px(self) -> int:
        """Return how wide the list is beside a section, in pixels at 13 px text: as its longest title needs."""
        words = max(self.list.fontMetrics().horizontalAdvance(one.title) for one in self.sections.values())
        return max(_LIST_PX, ceil(words / theme().scale) + _BESIDE_TITLE_PX)

    def _on_turned(self, is_row: bool) -> None:  # noqa: FBT001 - the signal's own shape
        least, most = (self._list_px(),) * 2 if is_row else (0, _WIDEST_PX)
        keep_size(self._left, least_width=least, most_width=most)

    def _on_search(self, text: str) -> None:
        """List the sections that have the words, and show one with a setting of that name, else the first."""
        sections = list(self.sections.values())
        found = [section for section in sections if section.has(text)]
        for row, section in enumerate(sections):
            self.list.item(row).setHidden(section not in found)
        self.nothing.setVisible(not found)
        if text.strip() and found:
            named = next((section for section in found if section.control(text)), found[0])
            self.list.setCurrentRow(sections.index(named))
            self._bring_into_view()

    def _on_row(self, row: int) -> None:
        if row >= 0:
            self.show_section(list(self.sections)[row])
            self._bring_into_view()

    def _on_enter(self) -> None:
        if control := self.sections[self.section_id].control(self.search.text()):
            control.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _bring_into_view(self) -> None:
        """Scroll to the setting that was found, or to the section where it stands below the list."""
        around = self.parentWidget()
        frame = around.parentWidget() if around else None
        if not isinstance(frame, QScrollArea):
            return
        if control := self.sections[self.section_id].control(self.search.text()):
            frame.ensureWidgetVisible(control)
        elif not self._box.is_row and self.list.hasFocus():
            frame.verticalScrollBar().setValue(self._column.y() - _MARGIN)

    def _lay_out(self) -> None:
        self.list.setObjectName("sections")
        self.list.setAccessibleName(_("Sections"))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # As high as what it lists, so that it needs no scroll bar beside the page's.
        self.list.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.list.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        title = label(_("Settings"), "title")
        title.setContentsMargins(*mirrored(4, 0, 0, 0))
        parts = (title, self.search, self.nothing, self.list)
        self._left = framed(in_column(*parts, margins=(12, 14, 12, 12), spacing=12), "panel")
        self._column = framed(in_column(*self.sections.values()))
        keep_size(self._column, most_width=_WIDEST_PX)
        sides = self._left, (self._column, 1000), None
        margins = (_MARGIN,) * 4
        self._box = in_row_or_column(
            *sides, from_px=self._beside_px, within=self, margins=margins, spacing=_MARGIN
        )
        for part in (self._left, self._column):
            self._box.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        self._box.turned.connect(self._on_turned)
