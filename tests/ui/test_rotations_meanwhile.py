"""What happens to a rotation while its question is open, or while what it asked for is under way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from fakes.person import ANN
from fakes.rotating import Rotating
from fakes.slow import Slow
from fakes.waiting import until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import JournalUnwritable
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.ports import Journal, Portal
from keybench.core.rotations.rotation import CompromiseStep, Rotation
from keybench.core.rotations.stages import Stage, is_erased
from keybench.ui.kit.form import Field
from keybench.ui.rotations.compromise_stage import CompromiseStage
from keybench.workflows.console import Console
from keybench.workflows.rotations.managing import Rotations

from .rotations_driver import Opener, type_into_focus

WENT_ON = "changed while you were asked"


async def another_rotation(rotating: Rotating) -> Rotation:
    """Begin to rotate a second key of the same environment."""
    draft = KeyDraft("till", "counter1", "API", KeyKind.PRIVATE)
    key = (await rotating.console.add_key.create(rotating.environment, draft)).key
    return await rotating.rotations.start(
        rotating.environment,
        key,
        rotating.rotations.proposed(key),
        reason="too old",
        by=ANN,
        overlap_ends_at=rotating.places.clock.now(),
    )


@dataclass
class Held:
    """What stands before the places of a program, so that their answers can be held back."""

    journal: Slow[Journal]
    portal: Slow[Portal]


def slowed(rotating: Rotating) -> tuple[Rotating, Held]:
    """Return a program on the same places, which can be slow."""
    world = rotating.places.world(alone=False)
    held = Held(Slow(world.journal), Slow(world.portal))
    console = Console(replace(world, journal=held.journal.port, portal=held.portal.port))
    return replace(rotating, console=console, rotations=Rotations(console)), held


# --- questions ---------------------------------------------------------------------------------------


async def test_the_key_that_was_asked_about_is_deleted_for_its_reason_and_no_other(opened: Opener) -> None:
    rotating = await Rotating.ready()
    asked = await rotating.proven()
    other = await rotating.tested(await rotating.created(await another_rotation(rotating)))
    window = await opened(rotating)
    window.page.controller.show(asked)
    window.page.view.look_at(Stage.DELETE)
    await window.press("Delete it anyway…")
    await until(window.question)

    window.page.controller.show(other)
    await window.answer("Go on", "the shop is closed")
    await until(window.question)
    question = window.question()
    assert question is not None
    assert question.windowTitle() == "Delete “web shop 2024”?"
    await window.answer("Delete the old key")
    await window.idle()

    deletion = (await rotating.rotations.one(asked.id)).deletion
    assert deletion is not None
    assert deletion.override == "the shop is closed"
    assert await rotating.rotations.one(other.id) == other
    assert other.old.gateway_id in rotating.places.active
    assert window.shown == other


@pytest.mark.parametrize(
    ("button", "confirm", "words"),
    [
        ("Extend overlap…", "Set the planned end", ""),
        ("End now", "End it now", ""),
        ("Abandon…", "Abandon it", "the wrong key"),
        ("Go on without…", "Go on without it", "checked by hand"),
    ],
)
async def test_what_went_on_while_it_was_asked_about_stays_as_it_is(
    opened: Opener, button: str, confirm: str, words: str
) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.created(await rotating.begun())
    window = await opened(rotating)
    await window.press(button)
    await until(window.question)

    elsewhere = rotating.again()
    later = rotation.overlap_ends_at + timedelta(days=9)
    moved = await elsewhere.rotations.move_end(rotation.id, later, "Bo Example")
    await window.answer(confirm, words)

    await until(lambda: WENT_ON in window.message)
    assert await elsewhere.rotations.one(rotation.id) == moved


async def test_an_application_is_added_to_the_key_that_was_asked_about(opened: Opener) -> None:
    rotating = await Rotating.ready(applications=0)
    asked = await rotating.begun()
    other = await another_rotation(rotating)
    window = await opened(rotating)
    window.page.controller.show(asked)
    window.page.view.look_at(Stage.REPLACE)
    await window.press("Add an application…")
    await until(window.question)
    question = window.question()
    assert question is not None
    question.findChildren(Field)[0].reset("kiosk")

    window.page.controller.show(other)
    await window.answer("Add it")
    await window.idle()

    (added,) = await rotating.places.journal.applications()
    assert added.key_id == asked.old.key_id


async def test_a_compromised_key_is_rotated_in_its_own_environment(opened: Opener) -> None:
    rotating = await Rotating.ready()
    other = await rotating.console.environments.add("Shop", EnvironmentKind.TEST, "https://shop.example")
    window = await opened(rotating)
    window.page.take_as_compromised(rotating.old)
    await until(window.question)

    window.session.choose_environment(other)
    await window.answer("It is compromised")
    await window.idle()

    (begun,) = await rotating.rotations.listed()
    assert begun.environment_id == rotating.environment.id
    assert window.page.controller.id == "", "the page shows the other environment's"
    assert [notice.title for notice in window.notices] == ["The rotation of “web shop 2024” has begun."]


async def test_a_revoked_key_is_seen_refused_whatever_is_looked_at_meanwhile(opened: Opener) -> None:
    rotating = await Rotating.ready()
    other = await rotating.console.environments.add("Shop", EnvironmentKind.TEST, "https://shop.example")
    window = await opened(rotating)
    window.page.revoke(rotating.old)
    await until(window.question)

    window.session.choose_environment(other)
    await window.answer("Revoke now")
    await window.idle()

    (rotation,) = await rotating.rotations.listed()
    assert rotation.environment_id == rotating.environment.id
    assert is_erased(rotation.deletion)
    assert window.page.controller.id == "", "the page shows the other environment's"


async def test_what_was_read_before_a_step_was_made_is_not_shown_after_it(opened: Opener) -> None:
    rotating = await Rotating.ready()
    before = await rotating.begun()
    window = await opened(rotating)
    await window.press("Create the replacement")
    await until(lambda: window.shown.replacement)
    window.page.show_rows([before])
    assert window.shown.replacement


async def test_findings_that_were_typed_for_one_key_are_not_anothers(opened: Opener) -> None:
    rotating = await Rotating.ready()
    first = await rotating.begun(compromised=True)
    second = await rotating.rotations.compromise((await another_rotation(rotating)).id, ANN)
    window = await opened(rotating)
    window.page.controller.show(first)
    window.page.view.look_at(None)
    body = window.body(CompromiseStage)
    findings = body.points[CompromiseStep.REVIEW_LOGS].findings
    findings.reset("two calls at night")

    window.page.controller.show(second)
    window.page.view.look_at(None)

    assert findings.text == ""


async def test_what_is_typed_and_looked_at_stays_when_the_rotation_goes_on_elsewhere(opened: Opener) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.begun(compromised=True)
    window = await opened(rotating)
    window.window.resize(1000, 500)
    window.page.view.look_at(None)
    body = window.body(CompromiseStage)
    findings = body.points[CompromiseStep.SUPPORT].findings
    findings.editor.setFocus()
    type_into_focus("called at ")
    bar = window.page.view._scroll.verticalScrollBar()
    await until(bar.maximum)
    bar.setValue(bar.maximum() - 7)
    at = bar.value()

    await rotating.created(rotation)
    await rotating.rotations.prove(rotation.id)
    await until(lambda: window.shown.proof)

    assert window.page.view.body is body
    assert findings.editor.hasFocus()
    assert bar.value() == at
    type_into_focus("ten")
    assert findings.text == "called at ten"


async def test_findings_that_are_typed_while_others_are_being_kept_stay(opened: Opener) -> None:
    rotating, held = slowed(await Rotating.ready())
    await rotating.begun(compromised=True)
    window = await opened(rotating)
    window.page.view.look_at(None)
    body = window.body(CompromiseStage)
    point = body.points[CompromiseStep.REVIEW_LOGS]
    held.journal.hold("advance_rotation")
    point.findings.reset("two calls ")
    point.tick.click()
    await until(lambda: held.journal.is_held)

    point.findings.reset("two calls at night")
    held.journal.let_go()
    await window.idle()

    assert point.findings.text == "two calls at night"
    assert window.shown.checks[1].findings == "two calls"


# --- a new one ---------------------------------------------------------------------------------------


async def test_one_that_starts_while_another_environment_is_shown_is_told(opened: Opener) -> None:
    rotating, held = slowed(await Rotating.ready())
    other = await rotating.console.environments.add("Shop", EnvironmentKind.TEST, "https://shop.example")
    window = await opened(rotating)
    await window.press("New…")
    await until(lambda: window.form)
    held.journal.hold("start_rotation")
    await window.press("Start rotation")
    await until(lambda: held.journal.is_held)

    window.session.choose_environment(other)
    held.journal.let_go()
    await window.idle()

    assert [notice.title for notice in window.notices] == ["The rotation of “web shop 2024” has begun."]
    assert window.page.controller.id == ""


async def test_one_that_cant_be_started_says_why_in_its_form(opened: Opener) -> None:
    rotating = await Rotating.ready()
    window = await opened(rotating)
    await window.press("New…")
    await until(lambda: window.form)
    form = window.start
    rotating.places.journal.failure = JournalUnwritable("/data", "No space left")
    await window.press("Start rotation")
    await until(lambda: any("No space left" in field.shown.text for field in form.fields))
    assert window.form is form
    await window.leave()


async def test_users_that_come_after_the_form_was_left_are_nobodys(opened: Opener) -> None:
    rotating, held = slowed(await Rotating.ready())
    window = await opened(rotating)
    held.portal.hold("users")
    await window.press("New…")
    await until(lambda: held.portal.is_held)

    await window.press("Cancel")
    await until(lambda: window.form is None)
    held.portal.let_go()
    await window.idle()

    assert window.notices == []


async def test_no_other_key_is_offered_in_place_of_one_that_was_forgotten(opened: Opener) -> None:
    rotating = await Rotating.ready()
    draft = KeyDraft("till", "counter1", "API", KeyKind.PRIVATE)
    key = (await rotating.console.add_key.create(rotating.environment, draft)).key
    await rotating.console.keys.forget(rotating.environment, key)
    window = await opened(rotating)
    failures: list[object] = []
    window.session.failed.connect(failures.append)

    window.page.rotate(key)

    await until(lambda: failures)
    assert window.form is None
