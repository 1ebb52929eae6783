"""Who still holds the old key, where keys are held, and erasing a value at one desk: in the window."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from fakes.rotating import Rotating
from fakes.team import in_a_team, say_from_stock, two_desks
from fakes.waiting import until
from fakes.world import TILL_KEY
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.events import KeysChanged
from keybench.core.rotations.stages import Stage
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.dialog import Dialog
from keybench.workflows.rotations.managing import Rotations

from .inventory_support import Stage as InventoryStage
from .inventory_support import asked, make_stage
from .rotations_driver import Opener

HELD = "2 of 2 desks still hold the old key: front office (this desk), stock room."


async def test_stages_say_who_holds_the_old_key_until_nobody_else_does(opened: Opener) -> None:
    rotating = await in_a_team(await Rotating.ready())
    await rotating.tested(await rotating.created(await rotating.begun()))
    window = await opened(rotating)
    window.page.view.look_at(Stage.REPLACE)
    assert HELD in window.words()
    window.page.view.look_at(Stage.DELETE)
    assert HELD in window.words()
    assert "still held at stock room" in window.page.view.footer.why_not.reason
    assert not window.button("Delete the old key").isEnabled()
    await window.press("Delete it anyway…")
    await until(window.question)
    question = window.question()
    assert question
    assert HELD in question.accessibleDescription()
    await window.leave()
    await say_from_stock(rotating, None)
    window.session.console.events.publish(KeysChanged(rotating.environment.id))
    await until(lambda: window.button("Delete the old key").isEnabled())
    assert "1 of 2 desks still holds the old key: front office (this desk)." in window.words()


async def test_a_desk_alone_reads_nothing_of_desks(opened: Opener) -> None:
    rotating = await Rotating.ready()
    await rotating.tested(await rotating.created(await rotating.begun()))
    window = await opened(rotating)
    window.page.view.look_at(Stage.REPLACE)
    assert not [one for one in window.window.findChildren(QLabel) if one.isVisible() and "desk" in one.text()]


def titles(stage: InventoryStage) -> list[str]:
    """Return the titles of the columns that are shown."""
    return [column.title for column in stage.view.table.columns.visible]


async def test_the_inventory_says_where_keys_are_held_and_what_this_desk_lacks(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    front, stock = await two_desks()
    shop = await front.add("Shop", EnvironmentKind.LIVE)
    await front.add_key(shop)
    stage = await make_stage(qtbot, supervisor, bench=stock)
    await until(lambda: "Held at" in titles(stage))
    assert stage.view.model.rows[0].held_at == ("front office",)
    assert stage.view.summary().endswith("You lack 1 key of this team; front office holds it.")


async def test_the_value_of_a_key_that_is_being_replaced_is_erased_at_this_desk(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    front, _stock = await two_desks()
    practice = await front.practice_environment()
    key = (await front.console.add_key.create(practice, TILL_KEY)).key
    stage = await make_stage(qtbot, supervisor, bench=front)
    stage.choose(key.name)
    (erase,) = [one for one in stage.view.card.row_actions if one.command.text == "Erase the value here…"]
    assert not erase.isVisible()
    rotations = Rotations(front.console)
    more = {"reason": "old", "by": "Ann", "overlap_ends_at": front.clock.now()}
    await rotations.start(practice, key, rotations.proposed(key), **more)
    await until(erase.isVisible)
    erase.trigger()
    (await asked(Dialog)).go_on()
    await until(lambda: not front.holds_value_of(key))
    await until(lambda: not erase.isVisible())
    assert [one.id for one in await front.journal.keys(practice.id)] == [key.id]


async def test_forgetting_a_key_of_a_team_says_that_its_value_goes_at_every_desk(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    front, _stock = await two_desks()
    key = await front.add_key(await front.add())
    stage = await make_stage(qtbot, supervisor, bench=front)
    stage.choose(key.name)
    (forget,) = [one for one in stage.view.card.row_actions if one.command.text == "Forget"]
    await until(forget.isEnabled)
    forget.trigger()
    question = await asked(Dialog)
    assert question.accessibleDescription().endswith("In this team its value goes at every desk.")
    question.reject()
