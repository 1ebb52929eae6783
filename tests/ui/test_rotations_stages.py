"""What each stage offers: the portal's way, the proof and its waiver, the bars, the refusal, the record."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from fakes.person import ANN
from fakes.rotating import Rotating, in_the_portal
from fakes.waiting import until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import AnswerLost, KeyRefused, KeystoreLocked, NotSent
from keybench.core.rotations.rotation import STILL_ACCEPTED, CompromiseStep
from keybench.core.rotations.stages import Stage
from keybench.ui.kit.dialog import SaveDialog
from keybench.ui.kit.form import Field
from keybench.ui.kit.labels import Pill
from keybench.ui.rotations.application_stages import TestStage
from keybench.ui.rotations.compromise_stage import CompromiseStage
from keybench.ui.rotations.create_stage import CreateStage
from keybench.ui.rotations.delete_stage import DeleteStage
from keybench.ui.rotations.document_stage import DocumentStage
from keybench.ui.rotations.resume import resume_rotations
from keybench.ui.shared.session import Place
from keybench.words.formats import clock_time
from keybench.words.rotations.stages import changed_by_words

from .rotations_driver import Opener, RotationsWindow
from .saving import save_as

EVERYTHING_S = 700


async def _pass_time(window: RotationsWindow, seconds: float) -> None:
    """Let the program's time pass, sleeper by sleeper."""
    clock = window.rotating.places.clock
    await clock.advance(seconds)
    await asyncio.sleep(0)


# --- stage 1 -----------------------------------------------------------------------------------------


async def test_a_value_from_the_portal_is_kept_and_leaves_the_field(opened: Opener) -> None:
    rotating = await Rotating.ready(EnvironmentKind.TEST)
    rotation = await rotating.begun()
    window = await opened(rotating)
    body = window.body(CreateStage)
    assert not window.buttons("Create the replacement")
    assert window.buttons("Open the portal")
    assert body.begin()
    assert body.value.line.hasFocus(), "Save key has nothing to save yet"
    await window.press("Save key")
    assert body.value.has_message, "an empty value says what is missing"
    assert rotation.making is not None
    body.value.line.setText(in_the_portal(rotating.places, rotation.making.draft))
    await window.press("Save key")
    await until(lambda: window.shown.replacement)
    assert body.value.line.text() == ""
    assert await rotating.has_value(rotation.making.key_id)


async def test_a_pasted_value_is_gone_when_the_window_is_locked(opened: Opener) -> None:
    rotating = await Rotating.ready(EnvironmentKind.TEST)
    await rotating.begun()
    window = await opened(rotating)
    body = window.body(CreateStage)
    body.value.line.setText("PastedForTests0123456789abcdefgh")
    window.session.locking.emit()
    assert body.value.line.text() == ""


async def test_the_old_keys_own_value_is_refused_with_the_reason(opened: Opener) -> None:
    rotating = await Rotating.ready(EnvironmentKind.TEST)
    await rotating.begun()
    window = await opened(rotating)
    body = window.body(CreateStage)
    (gateway_id,) = rotating.places.account.keys
    body.value.line.setText(f"MadeUpPortalValue{int(gateway_id.removeprefix('key-')):015d}")
    await until(lambda: body.value.message.text().startswith("This is web shop 2024's value."))
    await window.press("Save key")
    await until(lambda: window.message and not window.page.controller.busy)
    assert "old" in window.message
    assert window.shown.replacement is None


async def test_keys_that_may_not_the_same_need_a_reason_to_go_on(opened: Opener) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.created(await rotating.begun())
    rotating.places.account.users = [
        user for user in rotating.places.account.users if user.username != "counter1"
    ]
    window = await opened(rotating)
    await window.press("Go on without…")
    await until(window.question)
    await window.press("Go on without it")
    assert window.question(), "a reason is needed"
    await window.answer("Go on without it", "checked by hand")
    await until(lambda: window.shown.proof_waived)
    assert window.shown.proof_waived == "checked by hand"
    assert window.page.view.stage is Stage.REPLACE
    assert rotation.id == window.shown.id


async def test_the_replacement_is_taken_back_while_nothing_uses_it(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.created(await rotating.begun())
    window = await opened(rotating)
    await window.press("Take the replacement back")
    await until(lambda: window.shown.replacement is None)
    await window.idle()
    assert window.buttons("Create the replacement")


async def test_a_gateway_that_fails_is_explained_and_can_be_asked_again(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.begun()
    window = await opened(rotating)
    rotating.places.account.trouble.append(NotSent("connection refused"))
    await window.press("Create the replacement")
    await until(lambda: "Nothing reached the gateway" in window.message)
    assert window.shown.replacement is None
    await window.idle()
    await window.press("Create the replacement")
    await until(lambda: window.shown.replacement)
    assert len(rotating.places.active) == 2


# --- stages 2 and 3 ----------------------------------------------------------------------------------


async def test_an_application_is_added_on_the_way(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.proven()
    window = await opened(rotating)
    await window.press("Add an application…")
    await until(window.question)
    question = window.question()
    assert question is not None
    name = question.findChildren(Field)[0]
    assert isinstance(name.editor, QLineEdit)
    name.editor.setText("shop 1")
    await window.press("Add it")
    await until(lambda: name.has_message)
    assert "already" in name.message.text()
    name.editor.setText("kiosk")
    await window.answer("Add it")
    await until(lambda: len(window.shown.applications) == 3)


async def test_a_tick_says_who_and_when_and_can_be_taken_back(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.proven()
    window = await opened(rotating)
    await window.press("New key is set there")
    await until(lambda: window.shown.applications[0].changed_at)
    assert window.shown.applications[0].changed_by == ANN
    await window.idle()
    told = changed_by_words(window.shown.applications[0])
    assert told.endswith(f", by {ANN}")
    assert f"Changed: {told}" in window.words().splitlines()
    await window.press("Not changed after all")
    await until(lambda: window.shown.applications[0].changed_at is None)


async def test_this_console_s_own_call_shows_that_the_key_is_accepted_and_no_more(opened: Opener) -> None:
    rotating = await Rotating.ready(applications=1)
    rotation = await rotating.proven()
    await rotating.rotations.application_changed(rotation.id, "A-1", ANN)
    window = await opened(rotating)
    await window.press("Test now")
    await until(lambda: window.shown.test)
    await window.idle()
    assert window.page.view.stage is Stage.TEST
    body = window.body(TestStage)
    model = body.table.model()
    assert model.index(0, 4).data() == "key accepted, not seen"
    assert "Nobody has seen" in model.index(0, 4).data(Qt.ItemDataRole.ToolTipRole)
    assert "That doesn't show that shop 1 works" in window.message
    assert not window.button("Delete the old key").isEnabled()
    assert "shop 1 has not had a success" in window.page.view.footer.why_not.reason
    assert not window.buttons("Not seen after all")
    await window.press("Confirm it works…")
    await window.answer("Confirm", "an order went through")
    await until(lambda: window.page.view.stage is Stage.DELETE)


async def test_a_new_key_that_was_refused_isnt_called_untested(opened: Opener) -> None:
    rotating = await Rotating.ready(applications=0)
    await rotating.proven()
    window = await opened(rotating)
    rotating.places.account.trouble.append(KeyRefused("unauthorised", status=401))
    await window.press("Test the new key")
    await until(lambda: "Not accepted by the gateway (401)" in window.words())
    assert "not accepted (401)" in window.page.view.footer.why_not.reason


async def test_where_the_record_is_kept_is_refused_at_its_field(opened: Opener) -> None:
    rotating = await Rotating.ready(applications=0)
    rotation = await rotating.tested(await rotating.created(await rotating.begun()))
    await rotating.deleted(rotation)
    await rotating.rotations.see_refused(rotation.id)
    window = await opened(rotating)
    await until(lambda: window.page.view.stage is Stage.DOCUMENT)
    body = window.body(DocumentStage)
    body.location.reset("/" + "folder/" * 40)  # as a record that was saved far down puts it there

    await window.press("Finish")
    await window.idle()

    assert window.shown.is_open
    assert body.location.has_message
    assert body.location.editor.hasFocus()


# --- stage 4 -----------------------------------------------------------------------------------------


async def test_deleting_is_barred_with_the_reason_until_everything_was_seen(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.proven()
    window = await opened(rotating)
    window.page.view.look_at(Stage.DELETE)
    footer = window.page.view.footer
    delete = window.button("Delete the old key")
    assert not delete.isEnabled()
    assert "shop 1 and shop 2 still use the old key" in footer.why_not.reason
    assert delete.accessibleDescription() == footer.why_not.reason
    await window.press("Delete it anyway…")
    await until(window.question)
    await window.press("Go on")
    assert window.question(), "an override needs a written reason"
    await window.answer("Go on", "the key is on a public web page")
    await until(window.question)
    await window.answer("Delete the old key")
    await until(lambda: window.shown.deletion)
    await _pass_time(window, EVERYTHING_S)
    await until(lambda: window.shown.deletion and window.shown.deletion.erased_at)
    assert window.shown.deletion is not None
    assert window.shown.deletion.override == "the key is on a public web page"


async def test_where_the_gateway_cant_delete_a_person_is_led_to_the_portal(opened: Opener) -> None:
    rotating = await Rotating.ready(EnvironmentKind.TEST)
    await rotating.tested(await rotating.created(await rotating.begun()))
    window = await opened(rotating)
    await window.press("Delete the old key")
    await window.answer("I will delete it in the portal")
    await until(lambda: window.shown.deletion)
    await window.idle()
    assert window.buttons("Open the portal")
    await window.press("I have deleted it")
    body = window.body(DeleteStage)
    await until(lambda: "still accepted (200)" in window.words())
    assert window.buttons("Stop waiting")
    await until(lambda: window.shown.evidence[-1].what == STILL_ACCEPTED)
    said = window.shown.deletion and window.shown.deletion.deleted_at
    assert said
    words = window.words()
    assert f"said to be deleted at {clock_time(said)[:5]} on " in words
    assert f"still accepted at {clock_time(window.shown.evidence[-1].at)} (200)" in words
    assert [pill.text() for pill in body.findChildren(Pill)] == ["✓ done", "not seen yet", "to do", "to do"]
    assert "The old key is deleted" not in words
    asked = window.shown
    await _pass_time(window, 5)
    await until(lambda: window.shown != asked)
    await window.page.controller.hold_against(asked)  # the checks are no reason to ask a person again
    rotating.delete_in_the_portal()
    await _pass_time(window, EVERYTHING_S)
    await until(lambda: window.shown.deletion and window.shown.deletion.erased_at)
    assert window.page.view.stage is Stage.DOCUMENT


async def test_a_wait_for_the_refusal_that_ends_while_nobody_looks_is_told(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.tested(await rotating.created(await rotating.begun()))
    window = await opened(rotating)
    window.session.is_attended = lambda: False
    await window.press("Delete the old key")
    await window.answer("Delete the old key")
    await until(lambda: window.shown.deletion and window.shown.deletion.deleted_at)
    await _pass_time(window, EVERYTHING_S)
    await until(lambda: window.shown.deletion and window.shown.deletion.erased_at)
    notice = window.notices[-1]
    assert notice.title == f"“{window.shown.old.name}” is refused, as it should be."
    assert notice.ends
    assert notice.place == Place("rotations", rotating.environment)


async def test_a_wish_that_came_too_early_is_taken_back(opened: Opener) -> None:
    rotating = await Rotating.ready(EnvironmentKind.TEST)
    await rotating.tested(await rotating.created(await rotating.begun()))
    window = await opened(rotating)
    await window.press("Delete the old key")
    await window.answer("I will delete it in the portal")
    await window.press("I have deleted it")
    await until(lambda: window.buttons("Stop waiting"))
    await window.press("Stop waiting")
    await until(lambda: window.buttons("Check until it is refused"))
    await window.press("Undo")
    await until(lambda: window.shown.deletion is None)
    await window.idle()
    assert window.button("Delete the old key").isEnabled()


async def test_a_person_takes_it_as_refused_with_a_note(opened: Opener) -> None:
    rotating = await Rotating.ready(EnvironmentKind.TEST)
    await rotating.tested(await rotating.created(await rotating.begun()))
    window = await opened(rotating)
    await window.press("Delete the old key")
    await window.answer("I will delete it in the portal")
    await window.press("I have deleted it")
    await window.press("Take as refused…")
    await window.answer("Take it as refused", "support says so")
    await until(lambda: window.shown.deletion and window.shown.deletion.erased_at)
    assert window.shown.deletion is not None
    assert window.shown.deletion.refused_note == "support says so"


async def test_the_overlap_is_extended_and_ended(opened: Opener) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.begun()
    window = await opened(rotating)
    await window.press("Extend overlap…")
    await until(window.question)
    await window.answer("Set the planned end")
    await until(lambda: window.shown.evidence[-1].what == "planned end moved")
    assert abs(window.shown.overlap_ends_at - rotation.overlap_ends_at) < timedelta(minutes=1)
    await window.press("End now")
    await window.answer("End it now")
    await until(lambda: window.shown.overlap_ends_at == rotating.places.clock.now())
    assert "do that now" in window.page.view.head.overlap.text()


# --- stage 5 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ending", "start"), [(".md", b"# "), (".html", b"<"), (".pdf", b"%PDF")])
async def test_the_record_is_saved_in_the_form_of_the_chosen_ending(
    opened: Opener, tmp_path: Path, ending: str, start: bytes
) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.to_the_end()
    window = await opened(rotating)
    window.choose(rotation.id)
    await window.press("Save the record")
    await until(lambda: window.window.findChild(SaveDialog))
    question = window.window.findChild(SaveDialog)
    assert question is not None
    place = tmp_path / f"record{ending}"
    save_as(question, place)
    await until(place.exists)
    await window.idle()
    assert place.read_bytes().lstrip().startswith(start)
    assert "MadeUp" not in place.read_bytes().decode("utf-8", "replace")
    assert window.notices[-1].title == f"Saved record{ending}"


# --- compromised -------------------------------------------------------------------------------------


async def test_a_compromised_key_begins_at_once_and_keeps_a_list(opened: Opener) -> None:
    rotating = await Rotating.ready()
    window = await opened(rotating)
    window.page.take_as_compromised(rotating.old)
    await window.answer("It is compromised")
    await until(lambda: window.page.controller.id)
    await window.idle()
    assert window.shown.compromised
    assert window.page.view.head.pill.text() == "Compromised"
    await window.press("Checklist")
    body = window.body(CompromiseStage)
    point = body.points[CompromiseStep.REVIEW_LOGS]
    point.findings.reset("two calls from an unknown address\nat night")
    point.tick.click()
    await until(lambda: window.shown.checks[1].done_at)
    assert window.shown.checks[1].by == ANN
    assert window.shown.checks[1].findings == "two calls from an unknown address\nat night"


async def test_a_false_alarm_is_taken_back_with_a_reason(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.created(await rotating.begun(compromised=True))
    window = await opened(rotating)
    assert "Compromised" in window.words()
    assert not window.buttons("Compromised")
    await window.press("Not compromised…")
    await until(window.question)
    await window.press("It is not compromised")
    assert window.question(), "a reason is needed"
    await window.answer("It is not compromised", "the page was another shop's")
    await until(lambda: not window.shown.compromised)
    await window.idle()
    assert "ompromised" not in window.words()
    assert "at once" not in window.words()
    assert window.buttons("Compromised")
    assert not window.buttons("Not compromised…")
    assert window.shown.evidence[-1].detail == "the page was another shop's"


async def test_findings_that_cant_be_kept_get_the_keyboard(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.begun(compromised=True)
    window = await opened(rotating)
    await window.press("Checklist")
    body = window.body(CompromiseStage)
    point = body.points[CompromiseStep.REVIEW_LOGS]
    point.findings.reset("call " * 1000)

    QTest.mouseClick(point.tick, Qt.MouseButton.LeftButton, pos=QPoint(8, point.tick.height() // 2))
    await window.idle()

    assert not point.tick.isChecked()
    assert window.shown.checks[1].done_at is None
    assert point.findings.has_message
    assert point.findings.editor.hasFocus()


async def test_a_rotation_under_way_becomes_a_compromised_ones(opened: Opener) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.begun()
    window = await opened(rotating)
    window.page.take_as_compromised(rotating.old)
    await window.answer("It is compromised")
    await until(lambda: window.shown.compromised)
    assert window.shown.id == rotation.id


# --- taken up after a crash --------------------------------------------------------------------------


async def test_a_deleted_key_that_nobody_saw_refused_is_told(opened: Opener) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.created(await rotating.begun())
    window = await opened(rotating)
    await resume_rotations(window.session)
    assert window.notices == [], "there is nothing to take up"
    await rotating.deleted(await rotating.tested(rotation))
    await resume_rotations(window.session)
    assert "not seen to be refused" in window.notices[-1].title


async def test_an_answer_that_was_lost_wants_a_person_until_it_can_be_taken_up(opened: Opener) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.begun()
    rotating.places.account.trouble.append(AnswerLost("connection closed"))
    with pytest.raises(AnswerLost):
        await rotating.rotations.create(rotation.id)
    window = await opened(rotating)
    rotating.places.keystore.failure = KeystoreLocked()
    await resume_rotations(window.session)
    assert "needs you" in window.notices[-1].title
    assert "locked" in window.notices[-1].text
    rotating.places.keystore.failure = None
    await resume_rotations(window.session)
    assert "had stopped within a step" in window.notices[-1].title
    await until(lambda: window.shown.replacement)
    assert len(rotating.places.active) == 2
