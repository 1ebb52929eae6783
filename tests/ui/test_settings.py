"""Settings: environments come and go, every wrong entry has its message, colours, keystore."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fakes.keystore import FakeKeystore
from fakes.waiting import Until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import JournalUnwritable, KeystoreMissing
from keybench.core.keys.key import KeyDraft, KeyKind, KeyPlan, PlannedKey
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.languages import read_language
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import Scheme, theme
from keybench.ui.settings.environments import EnvironmentsSection
from keybench.ui.settings.page import SettingsPage
from keybench.ui.shared.choices import IDLE_MINUTES
from keybench.ui.shared.session import Notice, OpenAgain, Session
from keybench.workflows.world import World

URL = "https://sandbox.example-gateway.com"


@pytest.fixture
async def page(qtbot: QtBot, session: Session, preferences: Preferences, until: Until) -> SettingsPage:
    session.preferences = preferences
    page = SettingsPage(session)
    qtbot.addWidget(page)
    page.resize(1100, 800)
    page.show()
    await until(lambda: page.environments.model.rows)
    return page


@pytest.fixture
def section(page: SettingsPage) -> EnvironmentsSection:
    return page.environments


def _names(section: EnvironmentsSection) -> list[str]:
    return [row.environment.name for row in section.model.rows]


def _button(page: QWidget, name: str) -> QAbstractButton:
    shown = [b for b in page.findChildren(QPushButton) if b.isVisible() and b.text() == name]
    assert len(shown) == 1, f"one visible button {name}"
    return shown[0]


def _editor(page: QWidget, name: str) -> QWidget:
    return next(
        w for kind in (QLineEdit, QComboBox) for w in page.findChildren(kind) if w.accessibleName() == name
    )


async def test_an_environment_is_added_by_the_promised_names(
    qtbot: QtBot, page: SettingsPage, session: Session, until: Until
) -> None:
    section = page.environments
    qtbot.mouseClick(_button(page, "Add environment"), Qt.MouseButton.LeftButton)
    qtbot.keyClicks(_editor(page, "Environment name"), "sandbox")
    qtbot.keyClicks(_editor(page, "Base URL"), URL + "/")
    kind = _editor(page, "Environment kind")
    assert isinstance(kind, QComboBox)
    assert [kind.itemText(row) for row in range(kind.count())] == ["Test", "Live"]
    qtbot.mouseClick(_button(page, "Add environment"), Qt.MouseButton.LeftButton)
    await until(lambda: _names(section) == ["practice", "sandbox"])
    added = section.model.rows[1].environment
    assert (added.kind, added.base_url, added.contract) == (EnvironmentKind.TEST, URL, "v5")
    assert section.message.text() == "“sandbox” was added."
    await until(_button(page, "Switch to it").isEnabled)
    _button(page, "Switch to it").click()
    assert session.environment == added


async def test_enter_in_a_field_adds_too(qtbot: QtBot, section: EnvironmentsSection, until: Until) -> None:
    _button(section, "Add environment").click()
    section.form.name_edit.setText("sandbox")
    section.form.url_edit.setText(URL)
    qtbot.keyClick(section.form.url_edit, Qt.Key.Key_Return)
    await until(lambda: "sandbox" in _names(section))
    assert section.form.isHidden()


async def test_what_will_not_do_is_told_as_it_is_typed(section: EnvironmentsSection) -> None:
    _button(section, "Add environment").click()
    for name, words in (
        ("n" * 300, "40 characters"),
        ("PRACTICE", "already"),
        ("4111 1111 1111 1111", "card number"),
    ):
        section.form.name_edit.setText(name)
        assert words in section.form.name_field.message.text()
        section.form.name_edit.setText("sandbox")
        assert not section.form.name_field.has_message


async def test_no_message_comes_while_an_address_is_only_begun(section: EnvironmentsSection) -> None:
    _button(section, "Add environment").click()
    for length in range(1, len("https://") + 1):
        section.form.url_edit.setText("https://"[:length])
        assert not section.form.url_field.has_message


async def test_empty_fields_are_told_when_one_tries_and_the_first_gets_the_focus(
    section: EnvironmentsSection, until: Until
) -> None:
    _button(section, "Add environment").click()
    section.window().activateWindow()
    await until(section.window().isActiveWindow)
    section.form.add_button.click()
    assert section.form.name_field.has_message
    assert section.form.url_field.has_message
    assert section.form.name_edit.hasFocus()
    assert _names(section) == ["practice"]


async def test_what_the_journal_refuses_is_told_and_nothing_entered_is_lost(
    section: EnvironmentsSection, world: World, until: Until
) -> None:
    world.journal.failure = JournalUnwritable("/data", "No space left")  # type: ignore[attr-defined]  # a fake's
    _button(section, "Add environment").click()
    section.form.name_edit.setText("sandbox")
    section.form.url_edit.setText(URL)
    section.form.add_button.click()
    await until(section.form.trouble.text)
    assert "No space left" in section.form.trouble.text()
    assert section.form.name_edit.text() == "sandbox"
    assert section.form.add_button.isEnabled()


async def test_live_warns_by_word_shape_and_colour(section: EnvironmentsSection) -> None:
    _button(section, "Add environment").click()
    section.form.kind_box.setCurrentIndex(1)
    message = section.form.kind_field.message
    assert message.text().startswith("▲ LIVE: real cards, real money.")
    assert message.property("tone") == "live"
    assert section.form.add_button.property("tone") == "danger"


async def test_practice_cannot_be_removed(section: EnvironmentsSection) -> None:
    section.table.select_row(0)
    assert not _button(section, "Remove environment").isEnabled()


async def test_removing_one_that_may_have_an_unknown_key_says_so(
    section: EnvironmentsSection, session: Session, world: World, until: Until
) -> None:
    def questions() -> list[Dialog]:
        return [one for one in section.window().findChildren(Dialog) if one.isVisible()]

    added = await session.console.environments.add("sandbox", EnvironmentKind.TEST, URL)
    draft = KeyDraft("till", "counter1", "API", KeyKind.PRIVATE)
    asked = PlannedKey("id", "request", draft, asked_at=added.created_at)
    await world.journal.add_key_plan(KeyPlan(added.id, asked))
    await until(lambda: len(section.model.rows) == 2)
    section.table.select_row(1)
    _button(section, "Remove environment").click()
    await until(questions)
    (question,) = questions()
    assert "“till”" in question.accessibleDescription()
    assert question.confirm_button.text() == "Remove anyway"
    assert _names(section) == ["practice", "sandbox"]
    question.confirm_button.click()
    await until(lambda: _names(section) == ["practice"])


async def test_removing_asks_and_then_removes_with_its_keys(
    section: EnvironmentsSection, session: Session, keystore: FakeKeystore, until: Until
) -> None:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    added = await session.console.environments.add("sandbox", EnvironmentKind.TEST, URL)
    draft = KeyDraft("till", "counter1", "API", KeyKind.PRIVATE)
    await session.console.add_key.keep(added, draft, "MadeUpForThisTest0123456789")
    await until(lambda: [row.keys for row in section.model.rows] == [0, 1])
    section.table.select_row(1)
    _button(section, "Remove environment").click()
    await until(lambda: section.findChildren(Dialog) or section.window().findChildren(Dialog))
    question = section.window().findChildren(Dialog)[0]
    assert question.cancel_button.isDefault()
    question.confirm_button.click()
    await until(lambda: _names(section) == ["practice"])
    assert notices == [Notice("good", "“sandbox” was removed.")]
    assert not keystore.entries


async def test_looking_at_the_settings_chooses_none(
    qtbot: QtBot, session: Session, preferences: Preferences
) -> None:
    IDLE_MINUTES.write(preferences, "15")
    session.preferences = preferences
    changes: list[None] = []
    session.idle_lock_changed.connect(lambda: changes.append(None))
    theme().choose(Scheme.DARK)
    page = SettingsPage(session)
    qtbot.addWidget(page)
    shown = page.privacy.idle.value, page.appearance.schemes.value
    theme().choose(Scheme.SYSTEM)
    assert shown == ("15", Scheme.DARK)
    assert not changes


async def test_where_keys_are_kept_is_explained(
    page: SettingsPage, session: Session, keystore: FakeKeystore
) -> None:
    section = page.keystore
    assert section.location.text() == "Keys are kept in Fake Keyring."
    keystore.durable, keystore.failure = False, KeystoreMissing("test")
    await session.console.look_at_keystore()
    assert "no keystore" in section.explanation.text()
    keystore.durable, keystore.failure = True, None
    await session.console.look_at_keystore()
    assert section.location.text() == "Keys are kept in Fake Keyring."


async def test_a_language_is_chosen_and_the_program_offers_to_open_again(
    page: SettingsPage, session: Session, preferences: Preferences
) -> None:
    asked: list[object] = []
    session.requested.connect(asked.append)
    page.show_section("general")
    box = page.general.language
    assert box.accessibleName() == "Language"
    assert [box.itemText(row) for row in range(box.count())] == [
        *("As the system", "English", "Deutsch", "Español", "Français")
    ]
    assert box.currentText() == "As the system"
    box.activated.emit(0)
    assert not page.general.again_button.isVisible(), "nothing was chosen that isn't so already"
    box.setCurrentText("Deutsch")
    box.activated.emit(box.currentIndex())
    assert read_language(preferences) == "de"
    assert "opened again" in page.general.language_field.message.text()
    _button(page, "Open Keybench again").click()
    assert [type(one) for one in asked] == [OpenAgain]
    preferences.set_text("window/language", "tlh")
    assert read_language(preferences) == "", "a language that is gone is the system's"


async def test_a_wrong_limit_is_told_in_the_form(section: EnvironmentsSection) -> None:
    _button(section, "Add environment").click()
    section.form.limit_edit.setText("-1")
    assert "plain figures" in section.form.limit_field.message.text()


async def test_the_usual_contract_is_chosen_for_a_new_environment(section: EnvironmentsSection) -> None:
    section.form.contract_box.setCurrentIndex(section.form.contract_box.count() - 1)
    _button(section, "Add environment").click()
    assert section.form.contract_box.currentText() == "v5"
