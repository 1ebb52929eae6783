"""Two desks of a team on fakes: one journal, a keystore each."""

from __future__ import annotations

from dataclasses import replace

from fakes.keystore import FakeKeystore
from fakes.rotating import Rotating
from fakes.world import MADE_UP, Bench
from keybench.core.keys.key import SecurityKey
from keybench.core.team.desk import Desk, Held
from keybench.workflows.keys.inventory import Inventory

FRONT = Desk("i1", "desk-1", "front office")
STOCK = Desk("i2", "desk-2", "stock room")


async def two_desks() -> tuple[Bench, Bench]:
    """Return two programs at two desks."""
    front = Bench(desk=FRONT)
    await front.journal.open()
    there = front.journal.at(STOCK.id)
    stock = Bench(front.clock, FakeKeystore(), front.gateway, journal_to_share=there, desk=STOCK)
    for bench in (front, stock):
        assert bench.desk
        await bench.journal.keep_desk(bench.desk.name, "ann")
    return front, stock


async def in_a_team(rotating: Rotating) -> Rotating:
    """Return a program that rotates at the front office, while the stock room holds the old key."""
    journal = rotating.places.journal
    there = journal.at(STOCK.id)
    await journal.keep_desk(FRONT.name)
    await there.keep_desk(STOCK.name)
    await there.note_value(rotating.old, Held.HELD, "")
    return rotating.on(replace(rotating.console.world, desk=FRONT))


async def hold(bench: Bench, key: SecurityKey, value: str = MADE_UP) -> None:
    """Have a desk keep the value of a key that another desk added."""
    environment = await bench.console.calling.environment(key.environment_id)
    await Inventory(bench.console).give_value(environment, key, value)


async def say_from_stock(rotating: Rotating, held: Held | None) -> None:
    """Have the stock room tell what it holds of the old key."""
    await rotating.places.journal.at(STOCK.id).note_value(rotating.old, held, "")
