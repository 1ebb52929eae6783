"""The Rotations page: a rotation is begun, listed, gone through by keyboard alone, read when it is over."""

import asyncio
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTextBrowser

from fakes.person import ANN
from fakes.rotating import Rotating
from fakes.waiting import until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import NotSent
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.rotations.stages import Stage
from keybench.ui.kit.theme import Scheme, Theme

from .rotations_driver import Opener, RotationsWindow, type_into_focus


async def test_without_any_the_page_says_how_to_begin(opened: Opener) -> None:
    page = (await opened()).page
    assert page.model.rowCount() == 0
    assert "Start one" in page.table.empty_text
    assert page.view.isHidden()


async def test_the_name_that_was_given_elsewhere_signs_once_the_page_is_in_sight(opened: Opener) -> None:
    rotations = await opened()
    rotations.page.hide()
    rotations.session.preferences.person = "Mira Vogel"
    rotations.page.show()
    assert rotations.page.controller.person == "Mira Vogel"


async def test_one_is_begun_with_a_key_like_the_old_one(opened: Opener) -> None:
    window = await opened()
    await window.press("New…")
    await until(lambda: window.form)
    start = window.start
    assert start.key is not None
    assert start.key.name == "web shop 2024"
    assert start.plan.draft.name == "web shop 2026"
    assert start.plan.draft.username == "counter1"
    assert not start.plan.difference.text()
    start.reason.reset("Older than a year")
    await window.press("Start rotation")
    await window.idle()
    assert window.shown.reason == "Older than a year"
    assert window.shown.started_by == ANN
    assert window.page.view.stage is Stage.CREATE
    await until(lambda: window.listed == [window.shown.id])


async def test_a_reason_is_needed_and_card_data_is_none(opened: Opener) -> None:
    window = await opened()
    await window.press("New…")
    await until(lambda: window.form)
    window.start.reason.reset("")
    window.start.reason.editor.setFocus()
    await window.press("Start rotation")
    assert window.start.reason.has_message
    type_into_focus("4111 1111 1111 1111")
    assert window.start.reason.text == ""
    assert "Card data" in window.start.reason.message.text()
    await window.leave()


async def test_differences_to_the_old_key_are_told(opened: Opener) -> None:
    window = await opened()
    await window.press("New…")
    await until(lambda: window.form and window.start.plan.form.user_box.count() > 1)
    start = window.start
    box = start.plan.form.user_box
    box.setCurrentIndex(box.findData("reports"))
    assert "counter1 → reports" in start.plan.difference.text()
    await window.press("Start rotation")
    await window.idle()
    assert window.shown.making is not None
    assert window.shown.making.draft.username == "reports"


async def test_where_the_users_cant_be_listed_the_form_says_so_and_keeps_the_old_keys(opened: Opener) -> None:
    rotating = await Rotating.ready()
    window = await opened(rotating)
    rotating.places.account.trouble.append(NotSent("down"))
    await window.press("New…")
    await until(lambda: window.form and window.start.plan.form.user_box.isEditable())

    assert window.start.plan.form.username.text == "counter1"
    assert "can't be listed" in window.start.plan.form.username.shown.text
    assert not window.start.plan.difference.text()
    await window.leave()


async def test_without_a_name_nothing_is_begun(opened: Opener) -> None:
    window = await opened()
    window.page.name_edit.clear()
    await window.press("New…")
    await window.idle()
    assert window.form is None
    assert "name" in window.notices[-1].text
    assert window.page.name_edit.hasFocus()


async def test_a_key_is_not_offered_twice_and_rotate_shows_what_is_under_way(opened: Opener) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.begun()
    window = await opened(rotating)
    await window.press("New…")
    await until(lambda: window.notices)
    assert window.notices[-1].title == "There is no key to rotate."
    window.page.rotate(rotating.old)
    await window.idle()
    assert window.form is None
    assert window.shown.id == rotation.id


async def test_a_whole_rotation_goes_by_keyboard_alone(opened: Opener) -> None:
    window = await opened()
    window.page.new_button.setFocus()
    await window.key_press("New…")
    await until(lambda: window.form)
    await window.tab_to("Reason")
    type_into_focus("Older than a year")
    await window.key_press("Start rotation")
    await window.key_press("Create the replacement")
    await window.key_press("Compare permissions")
    await until(lambda: window.page.view.stage is Stage.REPLACE)
    for row in range(2):
        await window.tab_to("Applications that use this key")
        _to_row(row)
        await window.key_press("New key is set there")
        await until(lambda row=row: window.shown.applications[row].changed_at)
    await until(lambda: window.page.view.stage is Stage.TEST)
    await window.key_press("Test the new key")
    await until(lambda: window.shown.test)
    for row in range(2):
        await window.tab_to("Applications that use this key")
        _to_row(row)
        await window.key_press("Confirm it works…")
        await until(window.question)
        await window.tab_to("What was seen")
        type_into_focus("an order")
        await window.key_press("Confirm")
        await until(lambda row=row: window.shown.applications[row].is_seen_working)
    await until(lambda: window.page.view.stage is Stage.DELETE)
    await window.key_press("Delete the old key")
    await until(window.question)
    await window.key_press("Delete the old key")
    await _until_erased(window)
    await until(lambda: window.page.view.stage is Stage.DOCUMENT)
    await window.tab_to("Where the record is kept")
    type_into_focus("wiki")
    await window.key_press("Finish")
    await until(lambda: not window.shown.is_open)
    done = window.shown.documentation
    assert done is not None
    assert (done.by, done.place) == (ANN, "wiki")


def _to_row(row: int) -> None:
    at = QApplication.focusWidget()
    assert at is not None
    QTest.keyClick(at, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    for _step in range(row):
        QTest.keyClick(at, Qt.Key.Key_Down)


async def _until_erased(window: RotationsWindow) -> None:
    clock = window.rotating.places.clock
    for _turn in range(200):
        deletion = window.shown.deletion
        if deletion and deletion.erased_at:
            return
        await clock.advance(clock.next_due_s or 0.0)
        await asyncio.sleep(0)
    raise AssertionError("the old value isn't erased")


async def test_a_finished_one_is_read_with_its_record(opened: Opener) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.to_the_end()
    window = await opened(rotating)
    window.choose(rotation.id)
    assert window.page.view.stage is Stage.DOCUMENT
    record = window.page.view.body.findChild(QTextBrowser)
    assert record is not None
    assert "web shop 2024" in record.toPlainText()
    assert not window.buttons("Finish")
    assert not window.buttons("Delete the old key")
    assert window.buttons("Save the record")


async def test_abandoning_says_what_stays_and_wants_a_reason(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.begun()
    window = await opened(rotating)
    await window.press("Abandon…")
    await until(window.question)
    question = window.question()
    assert question is not None
    assert "Both keys stay as they are" in question.accessibleDescription()
    await window.press("Abandon it")
    assert window.question() is question, "without a reason it stays open"
    await window.answer("Abandon it", "wrong key")
    await until(lambda: not window.shown.is_open)
    assert window.shown.abandon_reason == "wrong key"


async def test_another_environment_shows_its_own(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.begun()
    window = await opened(rotating)
    assert len(window.listed) == 1
    other = await rotating.console.environments.add("Shop", EnvironmentKind.TEST, "https://shop.example")
    window.session.choose_environment(other)
    await window.idle()
    assert window.listed == []
    assert window.page.controller.id == ""


@pytest.mark.parametrize(("scheme", "scale"), [(Scheme.LIGHT, 1.0), (Scheme.DARK, 1.5)])
async def test_it_fits_a_small_window(
    opened: Opener, light_theme: Theme, scheme: Scheme, scale: float
) -> None:
    rotating = await Rotating.ready()
    await rotating.tested(await rotating.created(await rotating.begun(compromised=True)))
    light_theme.choose(scheme)
    light_theme.set_scale(scale)
    window = await opened(rotating)
    window.window.resize(940, 620)
    for stage in (*Stage, None):
        window.page.view.look_at(stage)
        window.window.grab()
        assert (window.window.width(), window.window.height()) == (940, 620), stage
    window.page.new_button.click()
    await until(lambda: window.form)
    window.window.grab()
    assert (window.window.width(), window.window.height()) == (940, 620)
    await window.leave()


async def test_tab_comes_to_the_stage_looked_at_and_the_arrows_go_on(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.tested(await rotating.created(await rotating.begun()))
    window = await opened(rotating)
    view = window.page.view
    assert view.stage is Stage.DELETE
    await window.tab_to("Stage 4: Delete the old key")
    QTest.keyClick(view.cards.card(Stage.DELETE), Qt.Key.Key_Left)
    assert view.stage is Stage.TEST
    assert view.cards.card(Stage.TEST).hasFocus()


async def test_tab_comes_to_the_shown_rotation(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.begun()
    window = await opened(rotating)
    window.page.new_button.setFocus()
    await window.tab_to("Rotations")


async def test_a_key_of_another_environment_brings_that_one_along(opened: Opener) -> None:
    rotating = await Rotating.ready()
    other = await rotating.console.environments.add("Shop", EnvironmentKind.TEST, "https://shop.example")
    draft = KeyDraft("till", "web", "API", KeyKind.PRIVATE)
    key = (await rotating.console.add_key.keep(other, draft, "MadeUpForTests0123456789abcdefgh")).key
    window = await opened(rotating)
    window.page.rotate(key)
    await until(lambda: window.form)
    assert window.session.environment == other
    assert window.start.key == key
    await window.leave()


async def test_what_isnt_a_moment_to_come_is_told_at_the_planned_end(opened: Opener) -> None:
    window = await opened(await Rotating.ready())
    await window.press("New…")
    await until(lambda: window.form)
    overlap = window.start.overlap
    overlap.editor.setText("2026-02-01 12:00")
    assert "passed" in overlap.message.text()
    overlap.editor.setText("next week")
    await window.press("Start rotation")
    assert window.form, "what isn't a moment can't be planned for"
    assert "2026-11-22 14:00" in overlap.message.text()
    overlap.editor.setText("2026-03-10 12:00")
    assert overlap.message.text() == "Tuesday, 10 March 2026"
    await window.leave()


async def test_what_is_under_way_is_listed_above_what_is_over(opened: Opener) -> None:
    rotating = await Rotating.ready(applications=0)
    for _number in range(3):
        rotation = await rotating.begun()
        await rotating.rotations.abandon(rotation.id, ANN, "a try")
    under_way = await rotating.begun()
    window = await opened(rotating)
    assert len(window.listed) == 4
    assert window.listed[0] == under_way.id == window.shown.id


async def test_one_is_found_by_its_keys_name_and_what_was_chosen_comes_back(opened: Opener) -> None:
    rotating = await Rotating.ready(applications=0)
    first = await rotating.begun()
    key = (await rotating.console.add_key.create(rotating.environment, rotating.draft("till"))).key
    second = await replace(rotating, old=key).begun()
    window = await opened(rotating)
    window.choose(first.id)
    window.page.search.setText("till")
    assert window.listed == [second.id]
    window.page.search.clear()
    assert sorted(window.listed) == sorted([first.id, second.id])
    assert window.shown.id == first.id


async def test_tab_goes_from_the_stage_to_what_is_in_it_and_on_to_the_lower_end(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.created(await rotating.begun())
    window = await opened(rotating)
    await window.tab_to("Stage 1: Create the replacement")
    inside = ("Compare permissions", "Go on without…", "Take the replacement back", "Both keys")
    for name in (*inside, "Extend overlap…"):
        QTest.keyClick(window.window, Qt.Key.Key_Tab)
        at = QApplication.focusWidget()
        assert at is not None
        assert at.accessibleName() == name


async def test_the_list_says_how_far_a_rotation_is_with_the_step_that_was_made(opened: Opener) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.begun()
    page = (await opened(rotating)).page
    await rotating.rotations.create(rotation.id)
    proven = await rotating.rotations.prove(rotation.id)
    page.controller.show(proven)
    assert page.model.row(0) == proven
