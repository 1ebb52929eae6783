"""Add a New Key where the value comes from a portal: open its page, paste, keep, test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import KeystoreLocked
from keybench.core.keys.key import KeyKind
from ui.keys_driver import PASTED, KeysWindow, type_keys

LIVE = "https://shop.example"
CARD = "4111 1111 1111 1111"
NAMED = {"name": "till two", "username": "counter2", "purpose": "Second till"}


@pytest.fixture
async def keys(keys_window: KeysWindow, qtbot: QtBot) -> AsyncIterator[KeysWindow]:
    window = keys_window
    await window.journal.open()
    await window.open(qtbot)
    window.session.choose_environment(await window.test_environment())
    await until(lambda: window.says_none)
    window.press("Add a New Key")
    yield window
    QGuiApplication.clipboard().clear()


def value_is_empty(keys: KeysWindow) -> bool:
    edit = keys.form.value.line
    return not edit.text() and not edit.isUndoAvailable()


async def test_everything_can_be_typed_and_the_value_shows_dots_only(keys: KeysWindow) -> None:
    edit = keys.form.value.line
    texts = [label.text() for label in keys.adding.findChildren(QLabel) if label.isVisible()]
    assert any("Fake Keyring" in text for text in texts), "where it goes"

    assert edit.isVisible()
    assert edit.accessibleName() == "Key value"
    assert edit.echoMode() == QLineEdit.EchoMode.Password
    assert keys.form.user_box.isEditable()
    assert keys.button("Save key").isEnabled()


async def test_the_values_form_is_described_beside_it(keys: KeysWindow) -> None:
    edit = keys.form.value.line
    assert edit.placeholderText() == "usually 32 letters and digits"
    keys.press("Public")
    assert edit.placeholderText() == "usually four groups of six"
    keys.press("Private")

    keys.fill(value=PASTED)

    assert keys.said("value") == "32 letters and digits"


async def test_a_value_that_another_key_has_is_told_while_it_is_pasted(keys: KeysWindow) -> None:
    await keys.pasted(keys.session.environment, "till-9", KeyKind.PRIVATE)
    keys.fill(**NAMED, value=PASTED)
    await until(lambda: keys.said("value").startswith("This is till-9's value."))
    keys.session.choose_environment(keys.practice)
    await until(lambda: keys.says_none)
    keys.session.choose_environment(await keys.console.environments.add("Shop", EnvironmentKind.LIVE, LIVE))
    await until(lambda: keys.says_none)
    keys.press("Add a New Key")
    keys.fill(**NAMED, value=PASTED)
    await until(lambda: keys.said("value").startswith("This is the value of till-9 in ◆ TEST · Sandbox."))
    keys.fill(value=f"{PASTED}x")
    assert "till-9" not in keys.said("value")

    keys.fill(value=PASTED)
    keys.press("Save key")

    await keys.shows("till two")  # a warning is no refusal


async def test_keep_trims_keeps_chooses_and_tests(keys: KeysWindow) -> None:
    keys.fill(**NAMED, value=f"{PASTED} \n")

    keys.press("Save key")

    await keys.shows("till two")
    await until(lambda: keys.message)
    key = keys.key
    assert key is not None
    assert keys.holds_value_of(key)
    # The fake gateway doesn't know a made-up value, and the test that was started says so.
    assert "refused the key (401)" in keys.message
    assert keys.account.calls == ["probe_key"]


async def test_it_goes_by_keyboard_alone(keys: KeysWindow) -> None:
    QGuiApplication.clipboard().setText(PASTED)
    tab = Qt.Key.Key_Tab

    type_keys("till two", tab, "counter2", tab, tab, tab, "Second till", tab)
    edit = keys.window.focusWidget()
    assert edit is keys.form.value.line
    keys.form.value.line.paste()
    type_keys(Qt.Key.Key_Return)

    await keys.shows("till two")


@pytest.mark.parametrize(
    ("text", "said"),
    [("ab\ncd", "line breaks"), ("k" * 100_000, "characters")],
)
async def test_a_paste_that_is_no_key_is_told_and_loses_nothing_else(
    keys: KeysWindow, text: str, said: str
) -> None:
    keys.fill(**NAMED)
    entered = keys.form.draft()
    keys.press("Save key")
    assert "Paste the key's value" in keys.said("value")
    QGuiApplication.clipboard().setText(text)

    keys.form.value.line.paste()

    assert said in keys.said("value")
    keys.press("Save key")
    assert keys.panel.adding is not None
    assert keys.window.focusWidget() is keys.form.value.line
    assert keys.form.draft() == entered
    assert not keys.keystore.entries


async def test_a_card_number_for_a_value_is_refused(keys: KeysWindow) -> None:
    keys.fill(**NAMED, value=CARD)

    assert "card number" in keys.said("value")
    assert value_is_empty(keys)


async def test_an_odd_form_is_hinted_and_kept_all_the_same(keys: KeysWindow) -> None:
    keys.fill(**NAMED, value=PASTED)
    keys.press("Public")
    assert "looks like a private key" in keys.said("value")

    keys.press("Save key")

    await keys.shows("till two")
    assert keys.key is not None
    assert keys.key.kind is KeyKind.PUBLIC


async def test_a_keystore_that_fails_leaves_the_form_with_its_value(keys: KeysWindow) -> None:
    keys.fill(**NAMED, value=PASTED)
    keys.keystore.failure = KeystoreLocked("locked")

    keys.press("Save key")

    await until(lambda: "locked" in keys.adding.message_label.text())
    assert len(keys.form.value.line.text()) == len(PASTED)
    keys.keystore.failure = None
    keys.press("Save key")
    await keys.shows("till two")


@pytest.mark.parametrize("leave", ["Cancel", "Esc", "environment", "page"])
async def test_the_value_is_never_left_behind(keys: KeysWindow, leave: str) -> None:
    keys.fill(**NAMED, value=PASTED)
    form = keys.form
    match leave:
        case "Cancel":
            keys.press("Cancel")
        case "Esc":
            form.value.line.setFocus()
            type_keys(Qt.Key.Key_Escape)
        case "environment":
            keys.session.choose_environment(keys.practice)
        case _:
            keys.panel.hide()

    assert not form.value.line.text()


async def test_a_draft_comes_back_without_its_value(keys: KeysWindow) -> None:
    keys.fill(**NAMED, value=PASTED)
    entered = keys.form.draft()
    type_keys(Qt.Key.Key_Escape)

    keys.press("Add a New Key")

    assert keys.form.draft() == entered
    assert value_is_empty(keys)


# --- the portal --------------------------------------------------------------------------------------


class Browser(QObject):
    """Takes the addresses that would be opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toString())


@pytest.fixture
def browser() -> Iterator[Browser]:
    browser = Browser()
    QDesktopServices.setUrlHandler("https", browser, "open")
    yield browser
    QDesktopServices.unsetUrlHandler("https")


async def test_the_portals_page_opens_in_the_browser(keys: KeysWindow, browser: Browser) -> None:
    keys.press("Open the portal page")

    assert browser.opened == ["https://gateway.example/"]


async def test_the_steps_follow_what_is_done(keys: KeysWindow) -> None:
    assert keys.adding.step.text() == "Step 1 of 3: Name it in the portal"

    keys.fill(name="till two")

    assert keys.adding.step.text() == "Step 2 of 3: Bring the value here"


@pytest.mark.parametrize("field", ["name", "username", "purpose"])
async def test_the_value_in_another_field_is_taken_out_of_it(keys: KeysWindow, field: str) -> None:
    keys.fill(**{**NAMED, field: f"it is {PASTED[:8]}-{PASTED[8:]}"}, value=PASTED)

    keys.press("Save key")

    await until(lambda: "contains a key's value" in keys.said(field))
    checked = getattr(keys.form, field)
    assert checked.text == ""
    line = checked.editor if isinstance(checked.editor, QLineEdit) else keys.form.user_box.lineEdit()
    assert line
    assert not line.isUndoAvailable()
    assert await keys.journal.all_keys() == []


# --- the clipboard -----------------------------------------------------------------------------------


async def test_after_a_value_was_pasted_clearing_the_clipboard_is_offered(keys: KeysWindow) -> None:
    QGuiApplication.clipboard().setText(f"{PASTED} ")
    keys.fill(**NAMED)
    keys.form.value.line.setFocus()
    keys.form.value.line.paste()
    assert keys.button("Clear the clipboard").isVisible()

    keys.press("Save key")

    await keys.has_chosen("till two")
    await until(lambda: "accepted" in keys.message or "401" in keys.state("till two"))
    keys.press("Clear the clipboard")
    assert QGuiApplication.clipboard().text() == ""
    assert "was cleared" in keys.panel.details.report.offer.text.text()
    assert keys.panel.details.report.isVisible()


async def test_nothing_is_offered_for_a_value_that_was_typed(keys: KeysWindow) -> None:
    QGuiApplication.clipboard().setText("the shopping list")
    keys.fill(**NAMED, value=PASTED)
    assert keys.form.value.offer.isHidden()
    keys.press("Save key")
    await keys.has_chosen("till two")
    assert keys.panel.details.report.offer.isHidden()
    assert QGuiApplication.clipboard().text() == "the shopping list"
