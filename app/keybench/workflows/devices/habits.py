"""When the outcomes of devices come: learnt from the timelines of their sales, as they end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from keybench.core.devices.habit import (
    MOST_PAST_SALES,
    UNTAUGHT,
    Habit,
    PastSale,
    device_habit,
    environment_habit,
    past_sale_of,
)
from keybench.core.errors import JournalError
from keybench.core.sales.sale import Sale
from keybench.workflows.world import World

#: Among so many of the newest sales those are looked for that teach.
_LOOK_BACK: Final = 4 * MOST_PAST_SALES
#: How long what was read is good, in seconds: other programs sell on the same devices.
_GOOD_S: Final = 60.0
#: So many timelines are read and learnt from at one stroke: neither a sale that is to be noted nor the window
#: need wait for more.
_AT_ONCE: Final = 24
#: What an environment's sales teach is reckoned anew so often at most, in seconds: it takes milliseconds, and
#: hundreds of sales may end within a few seconds.
_RECKONED_S: Final = 0.25


@dataclass(slots=True)
class _Known:
    """What is known of a device, or of an environment's devices together."""

    read_at: float = float("-inf")
    past_sales: list[PastSale] = field(default_factory=list)
    habit: Habit | None = None
    reckoned_at: float = float("-inf")
    is_new: bool = False

    def take(self, past_sale: PastSale) -> None:
        others = [known for known in self.past_sales if known.reference != past_sale.reference]
        self.past_sales = [*others, past_sale][-MOST_PAST_SALES:]
        self.is_new = True


class Habits:
    """What is known of every device."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._environments: dict[str, _Known] = {}
        self._devices: dict[tuple[str, str], _Known] = {}

    async def read(self, environment_id: str, device: str) -> None:
        """Read what the journal knows of a device and of its environment, if that wasn't done just now."""
        await self._read(self._environment(environment_id), environment_id)
        await self._read(self._device(environment_id, device), environment_id, device)

    def of(self, environment_id: str, device: str) -> Habit:
        """Return a device's habit as far as it was read and learnt.

        It is the same object until something changed it: a sale of the device or, as long as there is none,
        of any device of its environment.
        """
        known, others = self._device(environment_id, device), self._of_all(environment_id)
        if not known.past_sales:
            return others
        if known.habit is None or known.is_new:
            known.is_new = False
            known.habit = device_habit(known.past_sales, others)
        return known.habit

    def listens(self, environment_id: str, device: str) -> bool:
        """Tell whether what sales of other devices teach changes what is known of this one."""
        return not self._device(environment_id, device).past_sales

    async def learn_from(self, sale: Sale) -> None:
        """Take in what a sale taught that ended just now; nothing where its timeline can't be read."""
        with suppress(JournalError):
            for past_sale in await self._past_sales(sale.environment_id, [sale]):
                self.learn(sale.environment_id, past_sale)

    def learn(self, environment_id: str, past_sale: PastSale) -> None:
        """Take in what a sale taught."""
        self._environment(environment_id).take(past_sale)
        self._device(environment_id, past_sale.device).take(past_sale)

    async def of_sales(self, environment_id: str, sales: Iterable[Sale]) -> Mapping[str, Sequence[PastSale]]:
        """Return what some sales teach, by device, the newest last."""
        wanted = [sale for sale in sales if sale.environment_id == environment_id]
        past_sales = await self._past_sales(environment_id, wanted)
        found: dict[str, list[PastSale]] = {}
        for past_sale in past_sales:
            found.setdefault(past_sale.device, []).append(past_sale)
        return found

    def _of_all(self, environment_id: str) -> Habit:
        known = self._environment(environment_id)
        now = self._world.clock.monotonic()
        if known.habit is None or (known.is_new and now - known.reckoned_at >= _RECKONED_S):
            known.habit = environment_habit(known.past_sales) if known.past_sales else UNTAUGHT
            known.reckoned_at, known.is_new = now, False
        return known.habit

    def _environment(self, environment_id: str) -> _Known:
        return self._environments.setdefault(environment_id, _Known())

    def _device(self, environment_id: str, device: str) -> _Known:
        return self._devices.setdefault((environment_id, device), _Known())

    async def _read(self, known: _Known, environment_id: str, device: str = "") -> None:
        now = self._world.clock.monotonic()
        if now - known.read_at < _GOOD_S:
            return
        known.read_at = now
        try:
            sales = await self._world.journal.sales(environment_id, _LOOK_BACK, device)
            polled = [sale for sale in sales if sale.verdict and sale.polls][:MOST_PAST_SALES]
            past_sales = await self._past_sales(environment_id, polled)
        except JournalError:
            known.read_at = float("-inf")  # the next sale reads it
            raise
        known.past_sales, known.habit = past_sales, None

    async def _past_sales(self, environment_id: str, sales: Sequence[Sale]) -> list[PastSale]:
        """Return what some sales, the newest first, teach; in the order of their time."""
        here = await self._world.find_environment(environment_id)
        held = here is not None and self._world.facts(here.contract).long_poll
        found: list[PastSale] = []
        for begin in range(0, len(sales), _AT_ONCE):
            some = sales[begin : begin + _AT_ONCE]
            timelines = await self._world.journal.timelines([sale.reference for sale in some])
            past_sales = (past_sale_of(sale, timelines[sale.reference], held=held) for sale in some)
            found += [past_sale for past_sale in past_sales if past_sale]
        return found[::-1]
