"""The Security Keys panel: lists, chooses, tests and forgets keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench.core.environments.environment import Environment
from keybench.core.errors import AnswerLost, GatewayFailed, KeystoreLocked, KeystoreMissing
from keybench.core.events import KeystoreChanged
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyKind, KeyState
from keybench.core.ports import KeystoreStatus, entry_of
from keybench.core.sales.sale import SaleDraft
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field
from keybench.ui.kit.tables.model import TONE_ROLE
from keybench.ui.shared.keys.dialogs import ValueDialog
from keybench.ui.shared.reading import UNREADABLE
from keybench.ui.shared.session import Request, ShowKeys
from keybench.workflows.keys.inventory import Inventory
from ui.keys_driver import KeysWindow, accessible_name, type_keys


@pytest.fixture
async def keys(keys_window: KeysWindow, environment: Environment, qtbot: QtBot) -> KeysWindow:
    await keys_window.journal.open()
    await keys_window.made("front-desk till")
    await keys_window.made("nightly reports", username="reports")
    await keys_window.pasted(environment, "shop checkout", KeyKind.PUBLIC)
    await keys_window.open(qtbot)
    await keys_window.shows("front-desk till", "nightly reports", "shop checkout")
    return keys_window


async def test_one_table_has_the_keys_of_both_kinds(keys: KeysWindow) -> None:
    assert keys.panel.table.accessibleName() == "Security keys"
    names = [row.key.name for row in keys.panel.table.model().rows]
    assert names == ["front-desk till", "nightly reports", "shop checkout"]
    assert [keys.cell(name, "kind") for name in names] == ["private", "private", "public"]
    titles = [column.title for column in keys.panel.table.columns.visible]
    assert titles == ["Key name", "Kind", "Username", "State", "Last used"]
    assert keys.panel.status.text() == "3 keys"


async def test_keys_of_one_kind_can_be_shown(keys: KeysWindow) -> None:
    keys.press("Public")
    assert (keys.names(KeyKind.PRIVATE), keys.names(KeyKind.PUBLIC)) == ([], ["shop checkout"])
    assert keys.panel.status.text() == "1 of 3"
    assert keys.key
    assert keys.key.name == "front-desk till", "it is only not shown"
    keys.press("Private")
    assert keys.names(KeyKind.PRIVATE) == ["front-desk till", "nightly reports"]
    assert keys.panel.table.selected_number == 0
    keys.press("All")
    assert keys.panel.status.text() == "3 keys"


async def test_a_kind_of_which_there_is_no_key_says_what_it_is_for(keys: KeysWindow) -> None:
    await keys.console.keys.forget(
        keys.practice, (await keys.console.keys.named(keys.practice, "shop checkout"))
    )
    await keys.shows("front-desk till", "nightly reports")
    keys.press("Public")
    assert "can't sell" in keys.panel.table.empty_text


async def test_one_key_is_chosen_and_the_choice_outlives_a_reload(keys: KeysWindow) -> None:
    assert keys.chosen == ["front-desk till"]
    assert keys.button("Test key").isEnabled()
    keys.choose("shop checkout")
    keys.choose("nightly reports")
    assert len(keys.panel.table.selection) == 1

    await keys.made("a key before it")
    await keys.shows("a key before it", "front-desk till", "nightly reports", "shop checkout")

    assert keys.chosen == ["front-desk till", "shop checkout", "nightly reports"]
    assert keys.panel.table.selected_number == 2


async def test_another_environment_shows_its_own_keys(keys: KeysWindow) -> None:
    elsewhere = await keys.test_environment()
    await keys.pasted(elsewhere, "sandbox till", KeyKind.PRIVATE)
    await keys.made("one more")
    await keys.shows("front-desk till", "nightly reports", "one more", "shop checkout")

    keys.session.choose_environment(elsewhere)
    assert not keys.names(KeyKind.PRIVATE)

    await keys.shows("sandbox till")
    assert keys.chosen == ["front-desk till", None, "sandbox till"]


async def test_what_the_filter_hides_stays_chosen(keys: KeysWindow, qtbot: QtBot) -> None:
    keys.panel.search.setText("shop")
    assert (keys.names(KeyKind.PRIVATE), keys.names(KeyKind.PUBLIC)) == ([], ["shop checkout"])
    assert keys.panel.status.text() == "1 of 3"
    await keys.made("one more")
    await until(lambda: keys.panel.status.text() == "1 of 4")
    assert keys.panel.table.selected is None
    assert keys.chosen == ["front-desk till"]
    assert keys.panel.details.head.name.text() == "front-desk till"
    keys.panel.search.clear()
    assert keys.panel.table.selected_number == 0
    keys.panel.search.setText("reports")
    qtbot.keyClick(keys.panel.search, Qt.Key.Key_Return)
    assert keys.chosen == ["front-desk till", "nightly reports"], "Enter goes to the first that was found"


async def test_no_keys_says_what_to_do_first(keys: KeysWindow) -> None:
    keys.session.choose_environment(await keys.test_environment())

    await until(lambda: keys.says_none)
    assert not keys.panel.finder.isVisible(), "there is nothing to find"
    shown = " ".join(one.text() for one in keys.panel.no_keys.findChildren(QLabel) if one.isVisible())
    assert all(word in shown for word in ("Key Name", "Username", "Kind", "Import", "portal"))
    wanted: list[Request] = []
    keys.session.requested.connect(wanted.append)
    keys.press("Go to Import")
    assert wanted == [ShowKeys("inventory")]


async def test_keys_that_cant_be_listed_are_told_of(keys_window: KeysWindow, qtbot: QtBot) -> None:
    window = keys_window  # whose journal isn't open
    failures: list[object] = []
    window.session.failed.connect(failures.append)
    await window.open(qtbot)

    await until(lambda: failures)
    assert window.panel.table.empty_text == UNREADABLE


async def test_keys_that_cant_be_read_again_stay_listed(keys: KeysWindow) -> None:
    failures: list[object] = []
    keys.session.failed.connect(failures.append)
    await keys.journal.close()

    keys.panel.refresh()

    await until(lambda: failures)
    assert (keys.says_none, "front-desk till" in keys.names(KeyKind.PRIVATE)) == (False, True)


async def test_times_grow_older(keys: KeysWindow) -> None:
    assert keys.key
    draft = SaleDraft(keys.practice.id, keys.key.id, "D-1", "10.00", "USD")
    await keys.console.sell.carry_out(await keys.console.sell.note(draft))
    await until(lambda: keys.cell("front-desk till", "used") == "just now")
    assert keys.cell("nightly reports", "used") == "–"  # noqa: RUF001 - a dash for nothing

    keys.clock.move(120)
    keys.panel.refresh_times()

    assert keys.cell("front-desk till", "used") == "2 min"


async def test_where_values_are_kept_is_said_and_kept_up(keys: KeysWindow) -> None:
    place = keys.panel.details.facts._place
    assert place.text() == "in Fake Keyring"

    memory = KeystoreStatus("this session's memory", durable=False, trouble=KeystoreMissing())
    keys.events.publish(KeystoreChanged(memory))

    assert place.text() == "in this session's memory"


async def test_a_narrow_panel_keeps_name_and_state(keys: KeysWindow) -> None:
    table = keys.panel.table
    assert not any(table.isColumnHidden(column) for column in range(5))

    keys.window.setMinimumWidth(340)
    keys.panel.setMinimumWidth(320)
    keys.window.resize(350, 620)

    await until(lambda: table.isColumnHidden(2))
    assert table.isColumnHidden(1)
    assert not any(table.isColumnHidden(column) for column in (0, 3))
    assert table.columnWidth(0) >= 90


# --- test --------------------------------------------------------------------------------------------


async def test_testing_shows_progress_then_the_answer(keys: KeysWindow) -> None:
    keys.press("Test key")

    button = keys.button("Test key")
    assert (button.text(), button.isEnabled()) == ("Testing…", False)
    await until(lambda: keys.tested == "✓ accepted (200), just now")
    assert (button.text(), button.isEnabled()) == ("Test key", True)
    await until(lambda: keys.state("front-desk till") == "Working")


async def test_a_refused_key_says_why_below_and_in_its_state(keys: KeysWindow) -> None:
    keys.account.keys.clear()

    keys.press("Test key")

    await until(lambda: keys.message)
    assert "refused the key (401)" in keys.message
    assert "Specified API key not found" in keys.message
    assert keys.button("Test key").isEnabled()
    await until(lambda: keys.state("front-desk till") == "Refused 401")


async def test_a_refused_value_is_replaced_where_it_was_refused(keys: KeysWindow) -> None:
    keys.account.keys.clear()
    keys.press("Test key")
    await until(lambda: keys.state("front-desk till") == "Refused 401")

    keys.press("Give it a value…")
    await until(lambda: keys.window.findChildren(ValueDialog))
    (question,) = keys.window.findChildren(ValueDialog)
    question.field.line.setText("Bearer " + "k" * 32)
    assert "such as “Bearer”" in question.field.message.text()
    question.field.line.setText("k" * 32)
    question.go_on()

    await until(lambda: keys.state("front-desk till") == "Not tested")
    await until(lambda: "refused" not in keys.message)
    assert "this is another value" in keys.message


@pytest.mark.parametrize("how", ["another value", "another test", "another key"])
async def test_what_a_test_reported_goes_with_its_value(keys: KeysWindow, how: str) -> None:
    known = dict(keys.account.keys)
    keys.account.keys.clear()
    keys.press("Test key")
    await until(lambda: keys.message)
    await until(lambda: keys.state("front-desk till") == "Refused 401")
    assert keys.key
    keys.clock.move(60)

    if how == "another value":
        await Inventory(keys.console).give_value(keys.practice, keys.key, "k" * 32)
        await until(lambda: keys.state("front-desk till") == "Not tested")
    elif how == "another test":
        keys.account.keys.update(known)
        await keys.console.keys.test(keys.practice, keys.key)
        await until(lambda: keys.state("front-desk till") == "Working")
    else:
        keys.choose("nightly reports")
    assert not keys.message


@pytest.mark.parametrize("error", [AnswerLost("timeout"), GatewayFailed("failed", status=500)])
async def test_a_gateway_in_trouble_leaves_the_state(keys: KeysWindow, error: AnswerLost) -> None:
    keys.account.trouble.append(error)

    keys.press("Test key")

    await until(lambda: keys.message)
    assert keys.state("front-desk till") == "Not tested"


async def test_an_answer_about_a_key_left_meanwhile_is_a_notice(keys: KeysWindow) -> None:
    keys.account.keys.clear()
    keys.press("Test key")

    keys.choose("nightly reports")

    await until(lambda: keys.notices)
    assert keys.notices[0].title.startswith("front-desk till: ")
    assert not keys.message
    assert keys.button("Test key").isEnabled()
    ended: list[str] = []
    keys.session.notice_ended.connect(ended.append)
    keys.choose("front-desk till")
    keys.press("Test key")
    await until(lambda: ended)
    assert ended == [keys.notices[0].topic]
    assert ended != [""]


async def test_the_last_test_is_a_line_of_the_keys_card(keys: KeysWindow) -> None:
    line = keys.panel.details.facts.test
    assert line.text() == "never"
    keys.press("Test key")
    await until(lambda: keys.state("front-desk till") == "Working")
    assert line.text() == "✓ accepted (200), just now"
    assert keys.panel.details.report.isHidden()

    keys.choose("nightly reports")
    assert line.text() == "never"
    keys.clock.move(120)
    keys.choose("front-desk till")
    assert line.text() == "✓ accepted (200), 2 min ago"

    assert keys.key
    another = keys.key.given("w-x-y-z")
    keys.panel.details.show_row(InventoryRow(another, keys.practice))
    assert line.text() == "never"


# --- forget ------------------------------------------------------------------------------------------


async def forget(keys: KeysWindow) -> Dialog:
    keys.press("Forget")
    await until(keys.question)
    question = keys.question()
    assert question is not None
    return question


async def test_forget_asks_first_takes_the_key_out_and_says_what_is_left(keys: KeysWindow) -> None:
    key = keys.key
    assert key is not None
    question = await forget(keys)
    assert "practice gateway" in question.accessibleDescription()
    question.reject()
    await until(lambda: not keys.session.supervisor.is_running(f"forget key {key.id}"))
    assert keys.names(KeyKind.PRIVATE) == ["front-desk till", "nightly reports"]
    assert not keys.notices

    (await forget(keys)).accept()

    await keys.shows("nightly reports", "shop checkout")
    assert not keys.holds_value_of(key)
    assert key.gateway_id not in keys.account.keys
    assert keys.notices[0].title == "“front-desk till” was forgotten."
    assert keys.chosen[-1] == "nightly reports"


async def test_elsewhere_forgetting_says_that_the_key_stays_valid(keys: KeysWindow) -> None:
    elsewhere = await keys.test_environment()
    await keys.pasted(elsewhere, "sandbox till", KeyKind.PRIVATE)
    keys.session.choose_environment(elsewhere)
    await keys.has_chosen("sandbox till")

    question = await forget(keys)
    assert "stays valid" in question.accessibleDescription()
    question.accept()
    await until(lambda: keys.says_none)
    assert "stays valid" in keys.notices[0].text


async def test_a_key_that_cant_be_forgotten_is_kept_and_explained(keys: KeysWindow) -> None:
    keys.keystore.failure = KeystoreLocked("locked")
    (await forget(keys)).accept()

    await until(lambda: keys.message)
    assert "locked" in keys.message
    assert "front-desk till" in keys.names(KeyKind.PRIVATE)


# --- keyboard ----------------------------------------------------------------------------------------


async def test_the_keyboard_goes_from_top_to_bottom(keys: KeysWindow) -> None:
    keys.panel.search.setFocus()
    passed: list[str] = []
    for _stop in range(9):
        passed.append(keys.window.focusWidget().accessibleName())
        type_keys(Qt.Key.Key_Tab)

    buttons = ["Test key", "Reveal", "Copy", "Rotate", "Compromised", "Forget"]
    assert passed == ["Filter keys", "All", "Security keys", *buttons]


async def test_enter_on_a_key_goes_to_what_can_be_done_with_it(keys: KeysWindow) -> None:
    await keys.has_chosen("front-desk till")
    keys.panel.table.setFocus()
    type_keys(Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert keys.window.focusWidget() is keys.button("Test key")
    assert keys.key
    assert keys.key.name == "nightly reports"


async def test_a_rows_menu_offers_what_the_buttons_do(keys: KeysWindow) -> None:
    await keys.has_chosen("front-desk till")
    wanted: list[str] = []
    keys.session.requested.connect(lambda request: wanted.append(request.key.name))
    table = keys.panel.table
    for name in ("front-desk till", "shop checkout"):
        keys.choose(name)
        reason, at = QContextMenuEvent.Reason.Keyboard, QPoint(5, 5)
        QApplication.sendEvent(table.viewport(), QContextMenuEvent(reason, at, at))
        menu = next(each for each in table.findChildren(QMenu) if each.isVisible())
        offered = {action.text(): action for action in menu.actions() if action.isVisible()}
        assert {"Test key", "Reveal", "Copy", "Rotate", "Compromised", "Rename…", "Forget"} <= set(offered)
        assert "Give it a value…" not in offered, "it has one"
        offered["Rotate"].trigger()
        menu.close()
    assert wanted == ["front-desk till", "shop checkout"]


async def test_a_key_that_is_being_rotated_says_so(keys: KeysWindow) -> None:
    await keys.has_chosen("front-desk till")
    assert keys.key is not None
    wanted: list[tuple[str, bool]] = []
    keys.session.requested.connect(lambda one: wanted.append((one.key.name, one.compromised)))
    keys.press("Rotate")
    keys.press("Compromised")
    assert wanted == [("front-desk till", False), ("front-desk till", True)]

    rotations = keys.session.administration.rotations
    await rotations.start(
        keys.practice,
        keys.key,
        rotations.proposed(keys.key),
        reason="old",
        by="Mira",
        overlap_ends_at=keys.clock.now(),
    )
    await until(lambda: keys.state("front-desk till") == "Rotating 1 of 5")
    assert keys.panel.details.head.summary.text().startswith("being rotated · ")
    assert keys.button("Rotate").toolTip() == "Shows its rotation"
    assert keys.state("nightly reports") == "Not tested"


async def test_what_is_said_of_the_clipboard_belongs_to_the_key_it_was_copied_from(keys: KeysWindow) -> None:
    details = keys.panel.details
    keys.press("Copy")
    await until(lambda: details.report.clipboard.text().startswith("Copied."))

    keys.choose("nightly reports")
    assert details.report.clipboard.text() == ""
    keys.move_clock(4)
    assert details.report.clipboard.text() == "", "another key's countdown"
    keys.choose("front-desk till")
    keys.move_clock(1)
    assert details.report.clipboard.text() == "Copied. The clipboard is cleared in 5 s."
    keys.move_clock(5)
    assert details.report.clipboard.text() == "The clipboard was cleared."

    keys.session.choose_environment(await keys.test_environment())
    assert details.report.clipboard.text() == ""
    keys.session.choose_environment(keys.practice)
    await keys.has_chosen("front-desk till")
    assert details.report.clipboard.text() == ""


async def test_a_key_without_a_value_shows_none_and_offers_to_take_one(keys: KeysWindow) -> None:
    assert keys.key
    described = replace(keys.key, id="described", name="described", fingerprint="", state=KeyState.NO_VALUE)
    await keys.journal.add_key(described)
    keys.panel.refresh()
    await until(lambda: len(keys.names(KeyKind.PRIVATE)) == 3)
    assert not [one for one in keys.window.findChildren(QPushButton) if _is_offer(one)]
    keys.choose("described")

    details = keys.panel.details
    assert details.value.text() == "No value here"
    assert accessible_name(details.value) == "Value: No value here"
    shown = [each.text() for each in keys.window.findChildren(QLabel) if each.isVisible()]
    assert not [text for text in shown if "•" in text or "Fake Keyring" in text]
    for name in ("Test key", "Reveal", "Copy"):
        assert not [one for one in keys.window.findChildren(QPushButton) if _is_shown(one, name)]
    give = keys.button("Give it a value…")
    assert give.property("tone") == "primary"
    assert give.toolTip() == give.accessibleDescription() != ""

    keys.press("Give it a value…")
    await until(lambda: keys.window.findChildren(ValueDialog))
    (question,) = keys.window.findChildren(ValueDialog)
    question.field.line.setText("k" * 32)
    question.go_on()
    await until(lambda: not [one for one in keys.window.findChildren(QPushButton) if _is_offer(one)])
    assert keys.button("Reveal").isEnabled()
    assert "•" in details.value.text()
    assert keys.button("Test key").isEnabled()
    assert not [one for one in keys.window.findChildren(QPushButton) if _is_offer(one)]


def _is_offer(button: QPushButton) -> bool:
    return _is_shown(button, "Give it a value…")


def _is_shown(button: QPushButton, name: str) -> bool:
    return button.isVisible() and button.accessibleName() == name


async def test_a_value_that_is_missing_can_be_looked_for_again(keys: KeysWindow) -> None:
    assert keys.key
    await keys.keystore.erase(entry_of(keys.key))
    keys.press("Reveal")
    await until(lambda: keys.panel.details.value.text().startswith("No value here"))
    assert not [one for one in keys.window.findChildren(QPushButton) if _is_shown(one, "Reveal")]
    assert keys.button("Give it a value…").isEnabled()
    keys.press("Test key")
    await until(lambda: keys.state("front-desk till") == "Value missing")
    await until(lambda: "longer has this key's value" in keys.message)


async def test_a_compromised_key_is_red_whatever_else_is_known_of_it(keys: KeysWindow) -> None:
    assert keys.key
    key = keys.key
    rotations = keys.session.administration.rotations
    rotation = await rotations.start(
        keys.practice,
        key,
        rotations.proposed(key, [key.name]),
        reason="Compromised",
        by="Ann",
        overlap_ends_at=keys.clock.now(),
        compromised=True,
    )
    await until(lambda: keys.state("front-desk till") == "Compromised")
    keys.press("Test key")
    await until(lambda: keys.key is not None and keys.key.state is KeyState.WORKING)
    head = keys.panel.details.head
    await until(lambda: head.summary.text().startswith("being rotated"))
    assert (head.standing.text(), head.standing.isVisible()) == ("Compromised", True)
    assert keys.state("front-desk till") == "Compromised"
    model = keys.panel.table.model()
    state = model.index(model.number(keys.key.id), model.column("state"))
    assert state.data(TONE_ROLE) == "bad"
    assert state.data(Qt.ItemDataRole.AccessibleDescriptionRole).startswith("Working, ")

    await rotations.abandon(rotation.id, "Ann", "no time")
    keys.panel.refresh()
    await until(lambda: head.summary.text().startswith("private"))
    assert keys.state("front-desk till") == "Compromised"
    keys.choose("nightly reports")
    assert not head.standing.isVisible()

    keys.choose("front-desk till")
    keys.press("Not compromised…")
    await until(keys.question)
    question = keys.question()
    assert question
    texts = {"reason": "a colleague had it", "by": "Ann"}
    for field in question.findChildren(Field):
        field.reset(texts[field.id])
    question.confirm_button.click()
    await until(lambda: keys.state("front-desk till") == "Working")
    await until(lambda: not head.standing.isVisible())
    assert keys.button("Compromised").isEnabled()
