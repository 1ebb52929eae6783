"""Settings: a section at a time, found by words, applied at once, and taken to another computer by a file."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import PATIENCE_MS, Until
from keybench.ui.kit.boxes import PageFrame
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import TEXT_SIZE, Theme
from keybench.ui.kit.tokens import CONTRAST_LIGHT
from keybench.ui.settings.page import SettingsPage
from keybench.ui.shared.session import Session

SECTIONS = [
    "Environments",
    "General",
    "Appearance",
    "Privacy and locking",
    "Key review",
    "Where keys are kept",
    "Journal",
]


@pytest.fixture
async def page(qtbot: QtBot, session: Session, preferences: Preferences, until: Until) -> SettingsPage:
    session.preferences = preferences
    page = SettingsPage(session)
    qtbot.addWidget(page)
    page.resize(1100, 700)
    page.show()
    await until(lambda: page.environments.model.rows)
    return page


def _listed(page: SettingsPage) -> list[str]:
    items = [page.list.item(row) for row in range(page.list.count())]
    return [item.text() for item in items if not item.isHidden()]


def _field(page: QWidget, name: str) -> Field:
    return next(field for field in page.findChildren(Field) if field.label.text() == name)


def _dialog(page: QWidget) -> Dialog:
    return next(one for one in page.window().findChildren(Dialog) if one.isVisible())


async def test_one_section_is_shown_at_a_time(page: SettingsPage) -> None:
    assert _listed(page) == SECTIONS
    assert page.list.accessibleName() == "Sections"
    for row, title in enumerate(SECTIONS):
        page.list.setCurrentRow(row)
        shown = [one.accessibleName() for one in page.sections.values() if one.isVisible()]
        assert shown == [title]


async def test_a_section_is_found_by_words_of_a_settings_label_or_sentence(page: SettingsPage) -> None:
    for words, section in (
        ("text size", "appearance"),
        ("read from afar", "appearance"),
        ("inactivity", "privacy"),
        ("your name", "general"),
        ("valid in a new", "review"),
        ("privacy", "privacy"),
        ("exchanges are kept", "privacy"),
    ):
        page.search.setText(words)
        assert page.sections[section].title in _listed(page), words
        assert page.section_id == section
        assert page.sections[section].isVisible()
        page.search.clear()
        assert _listed(page) == SECTIONS
        assert page.list.currentRow() == list(page.sections).index(section)


async def test_words_that_stand_nowhere_are_said_to(page: SettingsPage) -> None:
    page.search.setText("projector")
    assert _listed(page) == []
    assert page.nothing.isVisible()


async def test_enter_goes_to_the_setting_that_was_found(
    qtbot: QtBot, page: SettingsPage, until: Until
) -> None:
    with qtbot.waitActive(page, timeout=PATIENCE_MS):
        page.activateWindow()
    qtbot.keyClick(page, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.search.hasFocus()
    qtbot.keyClicks(page.search, "your name")
    qtbot.keyClick(page.search, Qt.Key.Key_Return)
    assert page.general.name_edit.hasFocus()


async def test_every_setting_has_one_plain_sentence(page: SettingsPage) -> None:
    for section in page.sections.values():
        if section is page.environments:
            continue
        for field in section.findChildren(Field):
            assert field.message.text().endswith("."), field.label.text()
            assert field.message.minimumHeight() == 0  # room is taken by what is there


async def test_colours_and_the_size_of_text_are_there_at_once_and_remembered(
    page: SettingsPage, preferences: Preferences, light_theme: Theme
) -> None:
    page.show_section("appearance")
    page.appearance.schemes.choose("contrast")
    assert light_theme.tokens is CONTRAST_LIGHT
    sizes = page.appearance.sizes
    assert sizes.accessibleName() == "Text size"
    assert [sizes.itemText(row) for row in (0, 1, sizes.count() - 1)] == ["As the system", "9 pt", "18 pt"]
    sizes.setCurrentIndex(sizes.findData("18"))
    sizes.activated.emit(sizes.currentIndex())
    assert page.search.fontInfo().pixelSize() == QApplication.font().pixelSize() == 24
    assert TEXT_SIZE.read(preferences) == "18"
    page.appearance.presentation.choose("on")
    assert QApplication.font().pixelSize() == 36
    light_theme.present(presenting=False)
    assert page.appearance.presentation.value == "off"
    light_theme.choose_text_size("10")
    assert sizes.currentText() == "10 pt"


async def test_the_name_is_kept_and_card_data_in_it_is_not(
    page: SettingsPage, preferences: Preferences, until: Until
) -> None:
    page.general.name_edit.setText("  Mira Vogel ")
    page.general.name_edit.editingFinished.emit()
    await until(lambda: preferences.person == "Mira Vogel")
    page.general.name_edit.setText("4111 1111 1111 1111")
    assert page.general.name_edit.text() == ""
    assert "card number" in page.general.name.message.text()


async def test_a_name_that_was_given_elsewhere_is_shown(
    page: SettingsPage, preferences: Preferences, qtbot: QtBot, until: Until
) -> None:
    page.show_section("general")
    page.show_section("privacy")
    preferences.person = "Mira Vogel"
    page.show_section("general")
    assert page.general.name_edit.text() == "Mira Vogel"
    qtbot.keyClicks(page.general.name_edit, "-Roth")
    page.show_section("privacy")
    page.show_section("general")
    assert page.general.name_edit.text() == "Mira Vogel-Roth"


async def test_the_list_stands_above_where_there_is_no_room_beside(
    qtbot: QtBot, page: SettingsPage, until: Until
) -> None:
    frame = PageFrame()
    qtbot.addWidget(frame)
    frame.resize(1100, 700)
    frame.hold(page)
    frame.show()
    shown = page.sections["environments"]
    assert shown.mapTo(page, QPoint()).x() > page.list.mapTo(page, QPoint()).x()
    frame.resize(page.minimumSizeHint().width() + 24, 700)
    await until(lambda: shown.mapTo(page, QPoint()).y() > page.list.mapTo(page, QPoint()).y())
    assert frame.horizontalScrollBar().maximum() == 0


@pytest.mark.parametrize("width", [620, 680, 740])
async def test_the_list_stays_where_it_is_whichever_section_or_form_is_shown(
    qtbot: QtBot, page: SettingsPage, width: int
) -> None:
    frame = PageFrame()
    qtbot.addWidget(frame)
    frame.resize(width, 700)
    frame.hold(page)
    frame.show()
    box = page.layout()
    assert isinstance(box, QBoxLayout)
    before = box.direction()
    page.environments.open_action.trigger()
    for section_id in page.sections:
        page.show_section(section_id)
        assert box.direction() is before
