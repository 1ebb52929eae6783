"""Add a New Key where the gateway makes it: faults told while typing, nothing half-made, nothing lost."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench.core.errors import AnswerLost, JournalBusy, KeybenchError, KeystoreDenied, NotSent
from keybench.core.input_errors import NameTaken
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.ui.bench.settling import EVERY_S, settle_keys
from ui.keys_driver import KeysWindow, type_keys

CARD = "4111 1111 1111 1111"


@pytest.fixture
async def keys(keys_window: KeysWindow, qtbot: QtBot) -> KeysWindow:
    await keys_window.journal.open()
    await keys_window.made("front-desk till")
    await keys_window.open(qtbot)
    await keys_window.shows("front-desk till")
    keys_window.press("Add a New Key")
    await until(keys_window.form.user_box.count)
    return keys_window


def draft(keys: KeysWindow) -> KeyDraft:
    return keys.form.draft()


def filled(keys: KeysWindow) -> KeyDraft:
    keys.fill(name="till two", username="reports", purpose="Second till")
    return draft(keys)


async def test_an_untouched_form_is_calm_and_its_controls_have_their_promised_names(keys: KeysWindow) -> None:
    fields = [getattr(keys.form, name) for name in ("name", "username", "permission", "purpose")]
    assert not any(field.message.text() for field in fields)
    assert keys.window.focusWidget() is keys.form.name.editor
    names = [field.editor.accessibleName() for field in fields]
    assert names == ["Key Name", "Username", "Key Permission", "Purpose"]
    for name in ("Private", "Public", "Create", "Cancel"):
        assert keys.button(name).isEnabled()
    assert not keys.form.value.line.isVisible()


async def test_users_are_offered_with_full_name_and_permissions(keys: KeysWindow) -> None:
    assert keys.form.user_box.itemText(0) == "counter1 · Counter one"
    keys.fill(username="counter1")
    assert keys.said("username") == "May: sell on devices, read devices and payments"
    keys.fill(username="frozen")
    assert "frozen" in keys.said("username")


async def test_permissions_follow_the_kind(keys: KeysWindow) -> None:
    assert draft(keys).permission == "API"
    keys.press("Public")
    assert (draft(keys).kind, draft(keys).permission) == (KeyKind.PUBLIC, "Tokenization")
    keys.fill(permission="Special")
    keys.press("Private")
    assert draft(keys).permission == "Special"


async def test_create_makes_keeps_and_chooses_the_key(keys: KeysWindow) -> None:
    filled(keys)

    keys.press("Create")

    assert keys.button("Create").text() == "Creating…"
    assert not keys.form.isEnabled()
    await keys.shows("front-desk till", "till two")
    assert keys.panel.adding is None
    key = keys.key
    assert key is not None
    assert (key.name, key.username, key.purpose, bool(key.gateway_id)) == (
        "till two",
        "reports",
        "Second till",
        True,
    )
    assert keys.holds_value_of(key)
    assert keys.window.focusWidget() is keys.panel.table


async def test_it_goes_by_keyboard_alone(keys: KeysWindow) -> None:
    type_keys("till two", Qt.Key.Key_Tab, Qt.Key.Key_Down, Qt.Key.Key_Tab, Qt.Key.Key_Tab)
    type_keys(Qt.Key.Key_Right, Qt.Key.Key_Tab, "Second till", Qt.Key.Key_Return)

    await keys.shows("front-desk till", "till two")
    assert keys.key is not None
    assert keys.key.kind is KeyKind.PUBLIC
    assert keys.key.purpose == "Second till"


async def test_enter_presses_the_button_with_the_keyboard_and_creates_elsewhere(keys: KeysWindow) -> None:
    filled(keys)
    keys.button("Cancel").setFocus()
    type_keys(Qt.Key.Key_Return)
    assert keys.panel.adding is None
    keys.press("Add a New Key")
    await until(keys.form.user_box.count)
    filled(keys)
    keys.form.permission_box.setFocus()

    type_keys(Qt.Key.Key_Return)

    await keys.shows("front-desk till", "till two")


# --- wrong input -------------------------------------------------------------------------------------


async def test_a_bad_name_is_told_while_typing(keys: KeysWindow) -> None:
    keys.fill(name="Front-Desk Till")
    assert "already a key named" in keys.said("name")
    keys.fill(name="till two")
    assert not keys.said("name")


async def test_create_shows_every_fault_and_goes_to_the_first(keys: KeysWindow) -> None:
    keys.fill(purpose="p" * 201)

    keys.press("Create")

    assert "can't be empty" in keys.said("name")
    assert "can't be empty" in keys.said("username")
    assert "200 characters" in keys.said("purpose")
    assert keys.window.focusWidget() is keys.form.name.editor
    assert "create_key" not in keys.account.calls[1:]


@pytest.mark.parametrize("name", ["name", "permission", "purpose"])
async def test_card_data_is_refused_and_not_kept(keys: KeysWindow, name: str) -> None:
    filled(keys)

    keys.fill(**{name: CARD})

    assert "card number" in keys.said(name)
    assert not getattr(keys.form, name).text
    editor = getattr(keys.form, name).editor
    line = editor if name != "permission" else editor.lineEdit()
    assert not line.isUndoAvailable()
    keys.fill(**{name: "fine"})
    assert "card" not in keys.said(name)
    assert draft(keys).username == "reports"


async def test_a_name_only_the_gateway_knows_is_told_at_the_name(keys: KeysWindow) -> None:
    filled(keys)
    keys.account.trouble.append(NameTaken("key", "till two"))  # type: ignore[arg-type]  # a port may raise it

    keys.press("Create")

    await until(lambda: "already a key named" in keys.said("name"))
    assert keys.window.focusWidget() is keys.form.name.editor
    assert draft(keys).purpose == "Second till"


# --- failures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NotSent("connect refused"), "Nothing reached"),
        (AnswerLost("timeout"), "Nobody can tell whether “till two” was created."),
    ],
)
async def test_a_gateway_that_fails_leaves_the_form(keys: KeysWindow, error: NotSent, said: str) -> None:
    entered = filled(keys)
    keys.account.trouble.append(error)

    keys.press("Create")

    await until(lambda: said in keys.adding.message_label.text())
    assert draft(keys) == entered
    assert keys.button("Create").text() == "Create"
    assert keys.names(KeyKind.PRIVATE) == ["front-desk till"]
    keys.press("Create")
    await keys.shows("front-desk till", "till two")


@pytest.mark.parametrize("where", ["keystore", "journal"])
async def test_a_key_that_cant_be_kept_is_nowhere(keys: KeysWindow, where: str) -> None:
    entered = filled(keys)
    error: KeybenchError = KeystoreDenied("no") if where == "keystore" else JournalBusy("busy")
    setattr(getattr(keys, where), "failure", error)  # noqa: B010 - two fakes, one attribute
    entries = set(keys.keystore.entries)

    keys.press("Create")

    await until(keys.adding.message_label.text)
    assert draft(keys) == entered
    assert len(keys.account.keys) == 1
    assert set(keys.keystore.entries) == entries


async def lost(keys: KeysWindow) -> None:
    """Create a key whose answer is lost after it was made."""
    filled(keys)
    keys.account.lose_answers = 1
    keys.press("Create")
    await until(lambda: "Nobody can tell" in keys.adding.message_label.text())
    assert len(keys.account.keys) == 2


async def test_a_lost_answer_is_found_out_about_and_told(keys: KeysWindow) -> None:
    await lost(keys)
    assert "Keybench finds out" in keys.adding.message_label.text()

    keys.press("Find out now")

    await until(lambda: "deleted at the gateway again" in keys.adding.message_label.text())
    assert len(keys.account.keys) == 1
    assert not keys.adding.find_button.isVisible()
    assert draft(keys).name == "till two"
    keys.press("Create")
    await keys.shows("front-desk till", "till two")
    assert len(keys.account.keys) == 2
    assert not keys.notices


async def test_a_key_that_never_arrived_is_added_when_it_is_found_out_about(keys: KeysWindow) -> None:
    filled(keys)
    keys.account.trouble.append(AnswerLost("timeout"))
    keys.press("Create")
    await until(keys.adding.message_label.text)

    keys.press("Find out now")

    await keys.shows("front-desk till", "till two")
    assert keys.panel.adding is None
    await keys.has_chosen("till two")


async def test_creating_it_again_finds_out_first(keys: KeysWindow) -> None:
    await lost(keys)
    keys.press("Create")
    await keys.shows("front-desk till", "till two")
    assert len(keys.account.keys) == 2
    assert not keys.notices


async def test_what_is_found_out_behind_the_form_is_shown_in_it(keys: KeysWindow) -> None:
    await lost(keys)
    (plan,) = await keys.journal.key_plans()
    await keys.console.add_key.settle(plan.making.key_id)
    assert "deleted at the gateway again" in keys.adding.message_label.text()
    assert not keys.notices


async def test_what_is_found_out_after_leaving_is_a_notice(keys: KeysWindow) -> None:
    await lost(keys)
    keys.press("Cancel")
    work = settle_keys(keys.session)
    keys.session.run("unsettled keys", work)
    await until(lambda: keys.notices)
    assert keys.notices[0].title == "“till two” was deleted at the gateway again."
    assert len(keys.account.keys) == 1


async def test_a_key_that_was_cancelled_is_not_made_later(keys: KeysWindow) -> None:
    filled(keys)
    keys.account.trouble.append(AnswerLost("timeout"))
    keys.press("Create")
    await until(keys.adding.message_label.text)
    keys.press("Cancel")
    await until(lambda: not keys.session.supervisor.running)
    keys.session.run("unsettled keys", settle_keys(keys.session))
    await until(lambda: keys.notices)
    assert keys.names(KeyKind.PRIVATE) == ["front-desk till"]
    assert len(keys.account.keys) == 1


async def test_another_name_means_another_key_and_not_two(keys: KeysWindow) -> None:
    filled(keys)
    keys.account.trouble.append(AnswerLost("timeout"))
    keys.press("Create")
    await until(keys.adding.message_label.text)
    keys.fill(name="till three")
    keys.press("Create")
    await keys.shows("front-desk till", "till three")
    keys.session.run("unsettled keys", settle_keys(keys.session))
    await until(lambda: keys.notices)
    assert keys.names(KeyKind.PRIVATE) == ["front-desk till", "till three"]
    assert len(keys.account.keys) == 2


async def test_what_cant_be_found_out_is_told_at_the_start_and_asked_again(keys: KeysWindow) -> None:
    await lost(keys)
    keys.press("Cancel")
    keys.account.trouble.append(NotSent("connect refused"))
    keys.session.run("unsettled keys", settle_keys(keys.session))
    await until(lambda: keys.notices)
    assert keys.notices[0].title == "Nobody can tell whether “till two” was created."
    await keys.clock.advance(EVERY_S)
    await until(lambda: len(keys.notices) > 1)
    assert keys.notices[1].title == "“till two” was deleted at the gateway again."
    assert keys.notices[1].topic == keys.notices[0].topic, "it takes the place of the first"


async def test_a_locked_journal_behind_the_gateway_is_told_truly(keys: KeysWindow) -> None:
    filled(keys)
    ended = keys.journal.end_key_plan

    async def fail(*_arguments: object, **_more: object) -> None:
        raise JournalBusy("busy")

    keys.journal.end_key_plan = fail  # type: ignore[method-assign]
    keys.press("Create")
    await until(lambda: "the journal couldn't list it" in keys.adding.message_label.text())
    assert "Nothing is sent" not in keys.adding.message_label.text()
    keys.journal.end_key_plan = ended  # type: ignore[method-assign]
    keys.press("Find out now")
    await keys.shows("front-desk till", "till two")
    assert len(keys.account.keys) == 2


async def test_users_that_cant_be_listed_can_be_typed(keys: KeysWindow) -> None:
    keys.press("Cancel")
    keys.account.trouble.append(NotSent("connect refused"))
    keys.press("Add a New Key")

    await until(keys.form.user_box.isEditable)
    assert "can't be listed" in keys.said("username")
    keys.fill(name="till two", username="counter1")
    keys.press("Create")
    await keys.shows("front-desk till", "till two")


# --- leaving -----------------------------------------------------------------------------------------


async def test_esc_goes_back_and_keeps_what_was_typed(keys: KeysWindow) -> None:
    entered = filled(keys)

    type_keys(Qt.Key.Key_Escape)

    assert keys.panel.adding is None
    assert keys.window.focusWidget() is keys.button("Add a New Key")
    keys.press("Add a New Key")
    await until(keys.form.user_box.count)
    assert draft(keys) == entered


async def test_cancel_forgets_what_was_typed(keys: KeysWindow) -> None:
    filled(keys)

    keys.press("Cancel")
    keys.press("Add a New Key")

    assert not draft(keys).name
    assert not draft(keys).purpose


async def test_another_environment_goes_back_and_keeps_the_draft_for_its_own(keys: KeysWindow) -> None:
    entered = filled(keys)
    elsewhere = await keys.test_environment()

    keys.session.choose_environment(elsewhere)
    assert keys.panel.adding is None
    await until(lambda: keys.says_none)
    keys.press("Add a New Key")
    assert not draft(keys).name

    keys.session.choose_environment(keys.practice)
    await keys.shows("front-desk till")
    keys.press("Add a New Key")
    await until(keys.form.user_box.count)
    assert draft(keys) == entered


async def test_a_key_made_after_the_environment_was_left_is_told(keys: KeysWindow) -> None:
    filled(keys)
    elsewhere = await keys.test_environment()
    keys.press("Create")

    keys.session.choose_environment(elsewhere)

    await until(lambda: keys.notices)
    assert keys.notices[0].title == "“till two” was added."
    assert keys.panel.adding is None
