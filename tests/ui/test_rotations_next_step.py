"""Each stage's next step: one primary button, in reach in a low window; the new key's copy; the record."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QPushButton

from fakes.person import ANN
from fakes.rotating import Rotating
from fakes.waiting import until
from keybench.core.errors import KeystoreLocked
from keybench.core.keys.application import Application
from keybench.core.rotations.stages import Stage
from keybench.ui.kit.dialog import SaveDialog
from keybench.ui.rotations.application_stages import ReplaceStage

from .rotations_driver import Opener, RotationsWindow
from .saving import save_as

#: What a page has of a window that is 450 px high.
LOW_PX = 350


def primary(window: RotationsWindow) -> list[str]:
    """Return the names of the primary buttons of the shown rotation that can be pressed."""
    found = window.page.view.findChildren(QPushButton)
    return [
        each.accessibleName()
        for each in found
        if each.isVisible() and each.isEnabled() and each.property("tone") == "primary"
    ]


async def test_one_button_leads_on_at_every_stage_and_is_in_reach(opened: Opener) -> None:
    rotating = await Rotating.ready(applications=1)
    rotation = await rotating.begun()
    window = await opened(rotating)
    view, use = window.page.view, rotating.rotations
    window.window.resize(938, LOW_PX)
    view.look_at(Stage.CREATE)

    async def leads(*names: str) -> None:
        await window.idle()
        await until(lambda: primary(window) == list(names))
        if names:
            made = window.button(names[0])
            await until(lambda: made.visibleRegion().boundingRect() == made.rect())
            assert window.window.height() <= LOW_PX

    await leads("Create the replacement")
    await use.create(rotation.id)
    await leads("Compare permissions")
    await use.prove(rotation.id)
    await leads("New key is set there")
    view.look_at(Stage.CREATE)
    await leads()  # it is done: compared again if anybody wants, and not the next step
    assert window.buttons("Compare permissions")
    view.look_at(Stage.REPLACE)
    await use.application_changed(rotation.id, "A-1", ANN)
    await leads("Test the new key")
    await use.test_key(rotation.id)
    await leads("Confirm it works…")
    await use.application_seen(rotation.id, "A-1", ANN, "an order")
    await leads()
    assert window.button("Delete the old key").property("tone") == "danger"
    assert not window.button("Delete the old key").hasFocus()
    await use.delete(rotation.id, ANN)
    await leads("Check until it is refused")
    await use.see_refused(rotation.id)
    await leads("Finish")


async def test_no_stage_gives_the_keyboard_to_what_destroys(opened: Opener) -> None:
    rotating = await Rotating.ready(applications=1)
    rotation = await rotating.tested(await rotating.created(await rotating.begun(compromised=True)))
    window = await opened(rotating)
    for stage in (*Stage, None):
        window.page.view.look_at(stage)
        window.page.view.begin()
        at = QGuiApplication.focusObject()
        assert at is not None
        assert at.property("tone") != "danger", stage
    assert rotation.is_open


# --- the new key beside each application ----------------------------------------------------------------


async def at_stage_2(opened: Opener) -> tuple[RotationsWindow, ReplaceStage, str]:
    """Return a window whose rotation is at stage 2, that stage, and the new key's value."""
    rotating = await Rotating.ready()
    rotation = await rotating.proven()
    window = await opened(rotating)
    body = window.body(ReplaceStage)
    assert rotation.replacement
    entry = f"{rotating.environment.id}/{rotation.replacement.key_id}"
    return window, body, (await rotating.places.keystore.read(entry)).reveal()


async def test_the_new_key_is_copied_beside_each_application_for_a_while(opened: Opener) -> None:
    window, body, value = await at_stage_2(opened)
    body.table.select_row(1)
    await window.key_press("Copy the new key")
    await until(lambda: "copied for “shop 2”" in window.words())
    is_there = QGuiApplication.clipboard().text() == value
    assert is_there
    assert "The clipboard is cleared in 10 s." in window.words()
    assert value not in window.words()
    window.rotating.places.clock.move(11)
    await until(lambda: "The clipboard was cleared." in window.words())
    assert QGuiApplication.clipboard().text() == ""
    activity = await window.rotating.places.journal.activities(limit=1)
    assert activity[0].action == "value copied"


async def test_what_is_copied_is_not_told_of_another_rotations_key(opened: Opener) -> None:
    window, _body, _value = await at_stage_2(opened)
    r = window.rotating
    key = (await r.console.add_key.create(r.environment, r.draft("till"))).key
    application = Application("A-9", r.environment.id, key.id, "shop 1", "Ops", "ops@shop.example")
    await r.places.journal.add_application(application)
    end = r.places.clock.now()
    draft = r.rotations.proposed(key)
    other = await r.rotations.start(r.environment, key, draft, reason="old", by=ANN, overlap_ends_at=end)
    other = await r.rotations.create(other.id)
    copied = window.shown
    await window.press("Copy the new key")
    await until(lambda: "copied for “shop 1”" in window.words())
    window.page.controller.show(other)
    window.page.view.look_at(Stage.REPLACE)
    assert "copied for" not in window.words()
    window.page.controller.show(copied)
    assert "copied for “shop 1”" in window.words()


async def test_a_value_that_cannot_be_had_is_told_and_nothing_is_copied(opened: Opener) -> None:
    window, _body, _value = await at_stage_2(opened)
    QGuiApplication.clipboard().setText("mine")
    window.rotating.places.keystore.failure = KeystoreLocked()
    await window.press("Copy the new key")
    await until(lambda: window.message)
    assert QGuiApplication.clipboard().text() == "mine"


async def test_before_there_is_a_new_key_there_is_nothing_to_copy(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.begun()
    window = await opened(rotating)
    window.page.view.look_at(Stage.REPLACE)
    assert not window.button("Copy the new key").isEnabled()


# --- the record -----------------------------------------------------------------------------------------


async def test_finishing_leads_to_the_record_and_saving_it_is_the_end(opened: Opener, tmp_path: Path) -> None:
    rotating = await Rotating.ready(applications=0)
    rotation = await rotating.deleted(await rotating.tested(await rotating.created(await rotating.begun())))
    await rotating.rotations.see_refused(rotation.id)
    window = await opened(rotating)
    assert primary(window) == ["Finish"]

    await window.press("Save the record")
    await until(window.question)
    draft = window.question()
    assert isinstance(draft, SaveDialog)
    assert Path(draft.selectedFiles()[0]).name == "rotation-web-shop-2024-draft.pdf"
    save_as(draft, tmp_path / "draft.md")
    await until((tmp_path / "draft.md").exists)
    await window.idle()
    assert (tmp_path / "draft.md").read_text("utf-8").startswith("# Draft: Key rotation")
    assert primary(window) == ["Finish"], "a draft is no record"

    await window.press("Finish")
    await until(lambda: not window.shown.is_open)
    await until(lambda: primary(window) == ["Save the record"])
    await until(lambda: window.window.focusWidget() is window.button("Save the record"))
    await window.press("Save the record")
    await until(window.question)
    final = window.question()
    assert isinstance(final, SaveDialog)
    assert Path(final.selectedFiles()[0]).name == "rotation-web-shop-2024.pdf"
    save_as(final, tmp_path / "record.md")
    await until((tmp_path / "record.md").exists)
    assert (tmp_path / "record.md").read_text("utf-8").startswith("# Key rotation")


async def test_an_overlap_that_is_over_is_extended_to_a_good_weekday(opened: Opener) -> None:
    rotating = await Rotating.ready()
    now = rotating.places.clock.now()
    await rotating.begun(overlap_ends_at=now - timedelta(days=1))
    window = await opened(rotating)
    await window.press("Extend overlap…")
    await until(window.question)
    question = window.question()
    assert question
    field = question.findChild(QLineEdit)
    assert field
    await until(field.text)
    proposed = datetime.strptime(field.text(), "%Y-%m-%d %H:%M")  # noqa: DTZ007 - local, as it is shown
    assert proposed.astimezone() > now
    assert proposed.weekday() < 4
    assert 9 <= proposed.hour <= 15
    await window.answer("Set the planned end")
    await until(lambda: window.shown.overlap_ends_at == proposed.astimezone(UTC))
