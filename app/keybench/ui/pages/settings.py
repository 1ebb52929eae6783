"""The Settings page: its sections, one at a time, and a search that finds a setting in any of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from keybench.core.environment import Environment
from keybench.ui.pages.environments_section import EnvironmentsSection
from keybench.ui.pages.general_section import GeneralSection
from keybench.ui.pages.privacy_section import PrivacySection
from keybench.ui.pages.review_section import ReviewSection
from keybench.ui.pages.sections import (
    AboutSection,
    AppearanceSection,
    KeystoreSection,
    LockSection,
    NoticesSection,
    Section,
)
from keybench.ui.session import Session
from keybench.ui.theme import keep_size, scaled, theme
from keybench.ui.widgets.form import Field
from keybench.ui.widgets.labels import Label, label
from keybench.ui.widgets.list_page import find_in, search_field
from keybench.words.language import _

_WIDEST_PX: Final = 920
_LIST_PX: Final = 216
#: What every section has room in, and the form of an environment: with less the list stands above all of them
#: alike, so that it stays where it is when another is chosen or the form is opened.
_LEAST_BESIDE_PX: Final = 464
_MARGIN: Final = 16
_NOTHING: Final = _("No setting has these words.")


@dataclass(frozen=True, slots=True)
class Place:
    """Something the search can find.

    Attributes:
        section: The id of the section it is in.
        name: What it is called.
        words: What else it can be found by, in lower case.
        control: What has the keyboard there; None for the section as a whole.
    """

    section: str
    name: str
    words: str = ""
    control: QWidget | None = None

    def rank(self, wanted: list[str]) -> int:
        """Return 0 if it isn't meant by these words, more the better it fits."""
        name = self.name.casefold()
        if all(word in name for word in wanted):
            return 3 if self.control else 4
        return (2 if self.control else 1) * all(word in f"{name} {self.words}" for word in wanted)


class SettingsPage(QWidget):
    """The list of sections beside the chosen one; the frame around the page scrolls both.

    Args:
        session: Whose settings.

    Attributes:
        sections: The sections by id, in the order of the list.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.environments = EnvironmentsSection(session)
        self.general = GeneralSection(session)
        self.appearance = AppearanceSection(session)
        self.lock = LockSection(session)
        self.privacy = PrivacySection(session)
        self.notices = NoticesSection(session)
        self.review = ReviewSection(session)
        self.keystore = KeystoreSection(session)
        self.about = AboutSection(session)
        self.sections: dict[str, Section] = {
            "environments": self.environments,
            "general": self.general,
            "appearance": self.appearance,
            "lock": self.lock,
            "privacy": self.privacy,
            "notices": self.notices,
            "review": self.review,
            "keystore": self.keystore,
            "about": self.about,
        }
        self.section_id = "environments"
        self.search = search_field(_("Find a setting"), _("Find a setting…"))
        self.list = QListWidget()
        self._lay_out()
        self._show_sections()
        self.show_section(self.section_id)
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._on_enter)
        self.list.currentRowChanged.connect(self._on_row)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            enter = QShortcut(QKeySequence(key), self.list, self._on_enter)
            enter.setContext(Qt.ShortcutContext.WidgetShortcut)
        theme().changed.connect(self._fit_list)
        find_in(self, self.search)

    def show_section(self, section_id: str) -> None:
        """Show a section alone."""
        self.section_id = section_id
        for one, section in self.sections.items():
            section.setVisible(one == section_id)
        self._arrange()
        if not self.search.text():
            self.list.setCurrentRow(list(self.sections).index(section_id))

    def edit_environment(self, environment: Environment) -> None:
        """Show an environment's form, with what is entered there now."""
        self.search.clear()
        self.show_section("environments")
        self.environments.edit(environment)

    def add_environment(self) -> None:
        """Show the form of a new environment, unless one is open."""
        self.search.clear()
        self.show_section("environments")
        self.environments.open_action.trigger()

    def minimumSizeHint(self) -> QSize:
        """Be as narrow as the list or the section alone: the two then stand one above the other."""
        least = max(self.search.minimumSizeHint().width(), self._column.minimumSizeHint().width())
        return QSize(least + 2 * _MARGIN, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the list above the section where there is no room beside it."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        section = max(scaled(_LEAST_BESIDE_PX), self._column.minimumSizeHint().width())
        beside = self.width() >= scaled(_LIST_PX) + section + 3 * _MARGIN
        ways = QBoxLayout.Direction
        self._box.setDirection(ways.LeftToRight if beside else ways.TopToBottom)
        self._left.setMaximumWidth(scaled(_LIST_PX if beside else _WIDEST_PX))
        self._left.setMinimumWidth(scaled(_LIST_PX) if beside else 0)

    def showEvent(self, event: QShowEvent) -> None:
        """Measure the list in the fonts that the style sheet gives it."""
        super().showEvent(event)
        self._fit_list()

    # --- searching -----------------------------------------------------------------------------------

    def places(self) -> Iterator[Place]:
        """Return what can be found: each section, its fields and its buttons, as they are by now."""
        for section_id, section in self.sections.items():
            texts = " ".join(one.text() for one in section.findChildren(Label))
            yield Place(section_id, section.title, texts.casefold())
            for field in section.findChildren(Field):
                if not field.isHidden() and field.isVisibleTo(section):
                    words = f"{field.message.text()} {field.shown.text}".casefold()
                    yield Place(section_id, field.label.text(), words, field.editor)
            for button in section.findChildren(QPushButton):
                if button.isVisibleTo(section) and not button.property("segment"):
                    tip = f"{button.toolTip()} {button.accessibleDescription()}".casefold()
                    yield Place(section_id, button.accessibleName() or button.text(), tip, button)

    def _on_search(self, text: str) -> None:
        wanted = text.casefold().split()
        if not wanted:
            self._show_sections()
            return
        ranked = [(place.rank(wanted), place) for place in self.places()]
        found = sorted((one for one in ranked if one[0]), key=lambda one: -one[0])
        self.list.clear()
        for _rank, place in found:
            title = self.sections[place.section].title
            self._add(place, place.name if place.control is None else f"{place.name}\n{title}")
        if not found:
            nothing = QListWidgetItem(_NOTHING, self.list)
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
        self._fit_list()
        if found:
            self.list.setCurrentRow(0)

    def _show_sections(self) -> None:
        chosen = self.section_id  # clearing the list chooses what was found second, then third
        self.list.clear()
        for section_id, section in self.sections.items():
            self._add(Place(section_id, section.title), section.title)
        self._fit_list()
        self.list.setCurrentRow(list(self.sections).index(chosen))

    def _add(self, place: Place, text: str) -> None:
        item = QListWidgetItem(text, self.list)
        item.setData(Qt.ItemDataRole.UserRole, place)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(text.splitlines()))

    def _on_row(self, row: int) -> None:
        place = self.list.item(row).data(Qt.ItemDataRole.UserRole) if row >= 0 else None
        if not isinstance(place, Place):
            return
        self.show_section(place.section)
        self._bring_into_view(place.control)

    def _on_enter(self) -> None:
        row = self.list.currentRow()
        place = self.list.item(row).data(Qt.ItemDataRole.UserRole) if row >= 0 else None
        if isinstance(place, Place) and place.control:
            place.control.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _bring_into_view(self, control: QWidget | None) -> None:
        """Scroll to a control, or to the section where it stands below the list."""
        around = self.parentWidget()
        frame = around.parentWidget() if around else None
        if not isinstance(frame, QScrollArea):
            return
        if control:
            frame.ensureWidgetVisible(control)
        elif self._box.direction() is QBoxLayout.Direction.TopToBottom and self.list.hasFocus():
            frame.verticalScrollBar().setValue(self._column.y() - _MARGIN)

    # --- inside --------------------------------------------------------------------------------------

    def _fit_list(self) -> None:
        """Make the list as high as what it lists, so that it needs no scroll bar beside the page's."""
        rows = range(self.list.count())
        high = sum(self.list.sizeHintForRow(row) for row in rows)
        self.list.setFixedHeight(high + 2 * self.list.frameWidth() + 2)

    def _lay_out(self) -> None:
        self.list.setObjectName("sections")
        self.list.setAccessibleName(_("Sections"))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._left = QFrame()
        self._left.setProperty("role", "panel")
        left = QVBoxLayout(self._left)
        left.setContentsMargins(12, 14, 12, 12)
        left.setSpacing(12)
        title = label(_("Settings"), "title")
        title.setContentsMargins(4, 0, 0, 0)
        for widget in (title, self.search, self.list):
            left.addWidget(widget)
        column = self._column = QWidget()
        keep_size(column, most_width=_WIDEST_PX)
        right = QVBoxLayout(column)
        right.setContentsMargins(0, 0, 0, 0)
        for section in self.sections.values():
            right.addWidget(section)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        self._box.setSpacing(_MARGIN)
        self._box.addWidget(self._left, 0, Qt.AlignmentFlag.AlignTop)
        self._box.addWidget(column, 1000, Qt.AlignmentFlag.AlignTop)
        self._box.addStretch(1)
