"""Keeps a window fresh: what other desks change in a team's journal is announced as if it were done here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

from keybench.core.errors import JournalError
from keybench.core.events import (
    ActivityRecorded,
    ApplicationsChanged,
    DevicesChanged,
    EnvironmentsChanged,
    JournalStood,
    KeysChanged,
    ProgramsChanged,
    RotationChanged,
    SaleChanged,
)
from keybench.core.input_errors import NotFound
from keybench.core.ports import JournalStanding
from keybench.runtime.supervisor import Supervisor
from keybench.workflows.world import World

#: How long notices are gathered before they are announced, each once, in seconds.
GATHER_S: Final = 0.25
#: After the journal was away, so many of the newest sales may have changed.
_NEWEST: Final = 100
_TELLING: Final = "tell what others changed"
#: What a notice of a table means, given the environment and the row.
_MEANS: Final[dict[str, Callable[[str, str], object]]] = {
    "environments": lambda _where, _row: EnvironmentsChanged(),
    "activities": lambda _where, _row: ActivityRecorded(),
    "rotations": lambda where, row: RotationChanged(row, where),
    "applications": lambda where, _row: ApplicationsChanged(where),
    **dict.fromkeys(("devices", "device_states"), lambda where, _row: DevicesChanged(where)),
    **dict.fromkeys(("programs", "desks"), lambda _where, _row: ProgramsChanged()),
    **dict.fromkeys(
        ("security_keys", "key_plans", "desk_values", "contradictions"),
        lambda where, _row: KeysChanged(where),
    ),
}


def keep_fresh(world: World, supervisor: Supervisor) -> None:
    """Announce what others change, from now on; and all, once the journal is back after it was away."""
    told: set[tuple[str, str, str]] = set()
    was_away = world.journal.standing.is_away

    async def tell() -> None:
        while told:
            await world.clock.sleep(GATHER_S)
            gathered = tuple(told)
            told.clear()
            for event in {_MEANS[table](where, row) for table, where, row in gathered if table in _MEANS}:
                world.events.publish(event)
            await _tell_sales(world, {row for table, _, row in gathered if table == "sales"})

    async def tell_all() -> None:
        journal = world.journal
        with suppress(JournalError):
            for environment in await journal.environments():
                told.update((table, environment.id, "") for table in _MEANS if table != "rotations")
            told.update(("rotations", one.environment_id, one.id) for one in await journal.rotations())
            sales = (*await journal.sales(None, _NEWEST), *await journal.unfinished_sales())
            told.update(("sales", "", sale.reference) for sale in sales)
        supervisor.start(_TELLING, tell())

    def on_notice(payload: str) -> None:
        table, where, row = (*payload.split("\t"), "", "")[:3]
        told.add((table, where, row))
        supervisor.start(_TELLING, tell())

    def on_standing(standing: JournalStanding) -> None:
        nonlocal was_away
        world.events.publish(JournalStood(standing))
        if was_away and not standing.is_away:
            supervisor.start("tell what may have changed", tell_all())
        was_away = standing.is_away

    world.journal.listen(on_notice, on_standing)


async def _tell_sales(world: World, references: Collection[str]) -> None:
    """Announce sales as they are now, with the last point of each timeline; what can't be read isn't told."""
    with suppress(JournalError):
        timelines = await world.journal.timelines(references) if references else {}
        for reference, events in timelines.items():
            with suppress(NotFound):
                sale = await world.journal.sale(reference)
                if events:
                    world.events.publish(SaleChanged(sale, events[-1]))
