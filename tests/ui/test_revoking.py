"""`Revoke now…`: asked once with what stops working, done, shown; and where it is offered."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QDialog, QLabel, QWidget

from fakes.rotating import Rotating
from fakes.waiting import until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.rotations import stages
from keybench.core.rotations.stages import Stage
from keybench.ui.shared.keys.card import KeyCard

from .rotations_driver import Opener


def said(question: QDialog | None) -> str:
    assert question
    return "\n".join(each.text() for each in question.findChildren(QLabel))


async def test_it_is_asked_once_and_then_done(opened: Opener) -> None:
    rotating = await Rotating.ready()
    window = await opened(rotating)
    window.page.revoke(rotating.old)
    await until(window.question)
    words = said(window.question())
    assert "Revoke “web shop 2024” now?" in words
    assert "● PRACTICE" in words
    assert "Applications: shop 1 and shop 2" in words
    assert "This can't be undone." in words
    await window.answer("Revoke now")
    await until(lambda: window.page.controller.id and stages.is_erased(window.shown.deletion))
    await window.idle()
    assert window.question() is None
    assert rotating.places.active == set()
    assert not await rotating.has_value(rotating.old.id)
    assert window.page.view.stage is Stage.CREATE, "what used it needs a new key"
    assert "The key leaked" in [one.detail for one in window.shown.evidence]


async def test_left_it_does_nothing(opened: Opener) -> None:
    rotating = await Rotating.ready()
    window = await opened(rotating)
    window.page.revoke(rotating.old)
    await window.answer("Cancel")
    await window.idle()
    assert rotating.places.active == {rotating.old.gateway_id}
    assert await rotating.rotations.listed() == []


async def test_without_a_name_nothing_is_asked(opened: Opener) -> None:
    rotating = await Rotating.ready()
    window = await opened(rotating)
    window.page.name_edit.clear()
    window.page.revoke(rotating.old)
    await window.idle()
    assert window.question() is None
    assert window.page.name_edit.hasFocus()


async def test_what_the_gateway_did_not_confirm_is_shown_as_unknown(opened: Opener) -> None:
    rotating = await Rotating.ready()
    window = await opened(rotating)
    window.page.revoke(rotating.old)
    await until(window.question)
    rotating.places.account.lose_answers = 2  # the try with the key, and the deletion
    await window.answer("Revoke now")
    await until(lambda: window.message and not window.page.controller.busy)
    assert "? unknown" in window.words()
    assert "The gateway has not confirmed it." in window.words()
    assert window.button("Go on with the deletion").property("tone") == "primary"
    await window.press("Go on with the deletion")
    await until(lambda: stages.is_erased(window.shown.deletion))
    assert rotating.places.portal.deleted.count(rotating.old.gateway_id) == 1


async def test_where_a_person_deletes_it_the_portal_comes_next(opened: Opener) -> None:
    rotating = await Rotating.ready(EnvironmentKind.TEST)
    window = await opened(rotating)
    window.page.revoke(rotating.old)
    await until(window.question)
    assert "delete it in the portal" in said(window.question())
    await window.answer("Revoke now")
    await until(lambda: window.buttons("I have deleted it"))
    assert "? unknown" not in window.words(), "it is known that nobody deleted it yet"
    rotating.delete_in_the_portal()
    await window.press("I have deleted it")
    await until(lambda: stages.is_erased(window.shown.deletion))


async def test_the_list_for_a_compromised_key_offers_it(opened: Opener) -> None:
    rotating = await Rotating.ready()
    begun = await rotating.begun(compromised=True)
    window = await opened(rotating)
    await window.press("Checklist")
    window.page.view.begin()
    assert not window.button("Revoke now…").hasFocus(), "it destroys something"
    await window.press("Revoke now…")
    await window.answer("Revoke now")
    await until(lambda: stages.is_erased(window.shown.deletion))
    assert window.shown.id == begun.id
    await window.idle()
    window.page.view.look_at(None)
    assert not window.buttons("Revoke now…")


async def test_it_is_not_held_up_by_a_rotation_that_went_on_meanwhile(opened: Opener) -> None:
    rotating = await Rotating.ready()
    begun = await rotating.begun(compromised=True)
    window = await opened(rotating)
    await window.press("Checklist")
    await window.press("Revoke now…")
    await until(window.question)
    created = rotating.again()  # another program
    await created.rotations.create(begun.id)
    await window.answer("Revoke now")
    await until(lambda: stages.is_erased(window.shown.deletion))
    assert window.shown.replacement
    assert rotating.places.active == {window.shown.replacement.gateway_id}


async def test_it_is_offered_for_a_key_with_a_value_or_a_compromised_one(opened: Opener) -> None:
    rotating = await Rotating.ready()
    window = await opened(rotating)
    asked: list[SecurityKey] = []
    window.session.requested.connect(lambda request: asked.append(request.key))
    owner = QWidget(window.window)
    card = KeyCard(window.session, owner, buttons=["key.revoke"])
    action = card.row_actions[0]
    assert not action.isEnabled()
    leaked = replace(rotating.old, state=KeyState.VALUE_LOST, compromised=True)
    without = replace(rotating.old, state=KeyState.NO_VALUE)
    for key, possible in ((rotating.old, True), (without, False), (leaked, True)):
        card.show_row(InventoryRow(key, window.session.environment))
        assert action.isEnabled() == possible
        action.trigger()
    assert asked == [rotating.old, leaked]
