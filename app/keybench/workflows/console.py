"""All use cases of the console, built on one world: what the window and the command line are given."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from keybench.core.events import KeystoreChanged
from keybench.core.exchange import Exchange
from keybench.core.ports import Clock, KeystoreStatus
from keybench.core.sales.poll_plan import PollPlan
from keybench.core.sales.sale import Sale, SaleEvent
from keybench.core.team.holdings import TeamHoldings
from keybench.runtime.events import Events
from keybench.workflows.calling import Calling
from keybench.workflows.devices.habits import Habits
from keybench.workflows.devices.managing import Devices
from keybench.workflows.environments.managing import Environments
from keybench.workflows.keys.add import AddKey
from keybench.workflows.keys.managing import Keys
from keybench.workflows.sales.follow import Follow
from keybench.workflows.sales.history import History
from keybench.workflows.sales.log import SaleLog
from keybench.workflows.sales.resume import Resume
from keybench.workflows.sales.sell import Sell
from keybench.workflows.world import World

if TYPE_CHECKING:  # imported when something failed: keys are listed sooner
    from keybench.workflows.diagnosis.diagnose import Diagnose

#: How often the keystore is looked at, in seconds: while it is in trouble, and else.
_TROUBLED_S: Final = 2.0
_WELL_S: Final = 5.0


class Console:
    """The use cases, by what a person wants; the same ones serve the program and its tests.

    The first sale polled for has the `first_phase`, from 0 to below 1: each program has another, so that
    programs that begin together don't poll together.
    """

    def __init__(self, world: World, plan: PollPlan | None = None, first_phase: float = 0.0) -> None:
        self.world = world
        self.calling = calling = Calling(world)
        self.log = log = SaleLog(world)
        self.habits = Habits(world)
        self.follow = Follow(world, calling, log, self.habits, plan or PollPlan(), first_phase)
        self.environments = Environments(world)
        self.add_key = AddKey(world, calling)
        self.keys = Keys(world, calling)
        self.devices = Devices(world, calling, log)
        self.sell = Sell(world, calling, log, self.follow)
        self.resume = Resume(world, calling, log, self.follow)
        self.history = History(world)
        #: What the team's desks hold, as it was last looked at.
        self.team = TeamHoldings()
        self._team_stamp: object = None

    @cached_property
    def diagnose(self) -> Diagnose:
        """Finding out why something fails."""
        from keybench.workflows.diagnosis.diagnose import Diagnose  # noqa: PLC0415 - see above

        return Diagnose(self.world, self.calling, self.log)

    @property
    def events(self) -> Events:
        """The announcements."""
        return self.world.events

    @property
    def clock(self) -> Clock:
        """The time."""
        return self.world.clock

    @property
    def keystore_status(self) -> KeystoreStatus:
        """Where values are kept at the moment."""
        return self.world.keystore.status

    async def look_at_team(self) -> TeamHoldings:
        """Return what the team's desks hold, and keep it as `team`; nothing where there is no team."""
        if here := self.world.desk:
            desks = await self.world.journal.desks()
            known = [(one.id, one.name, one.who, one.was_seen_lately) for one in desks]
            stamp = known, await self.world.journal.holdings_stamp()
            if stamp != self._team_stamp:
                holdings = await self.world.journal.holdings() if len(desks) > 1 else ()
                self.team, self._team_stamp = TeamHoldings(here.id, desks, holdings), stamp
        return self.team

    async def watch_keystore(self) -> None:
        """Look at the system's keystore again and again; it announces what has changed."""
        while True:
            await self.clock.sleep(_TROUBLED_S if self.keystore_status.trouble else _WELL_S)
            await self.world.keystore.refresh()

    def stop_asking(self) -> None:
        """Wait no longer for a person's answer to the keystore's question: what needs it fails as denied."""
        self.world.keystore.stop_asking()

    async def look_at_keystore(self) -> KeystoreStatus:
        """Look at the system's keystore (again), and tell everyone where values are kept from now on."""
        status = await self.world.keystore.probe()
        self.events.publish(KeystoreChanged(status))
        return status

    def keep_in_memory(self) -> KeystoreStatus:
        """Keep values in memory until the keystore is looked at again, and tell everyone."""
        status = self.world.keystore.use_memory()
        self.events.publish(KeystoreChanged(status))
        return status

    async def recent_sales(self, environment_id: str | None, limit: int) -> Sequence[Sale]:
        """Return the newest sales first, of one environment or of all."""
        return [
            self.log.pending.latest(sale) for sale in await self.world.journal.sales(environment_id, limit)
        ]

    async def sale(self, reference: str) -> Sale:
        """Return one sale."""
        return self.log.pending.latest(await self.world.journal.sale(reference))

    async def timeline(self, reference: str) -> Sequence[SaleEvent]:
        """Return a sale's timeline in order."""
        await self.log.write_polls()
        stored = await self.world.journal.sale_events(reference)
        return [*stored, *self.log.pending.events_of(reference)]

    async def exchanges(self, reference: str) -> Sequence[Exchange]:
        """Return a sale's exchanges in order."""
        await self.log.write_polls()
        if stored := await self.world.journal.exchanges(reference):
            stored = await self.world.as_recorded(stored, (await self.sale(reference)).environment_id)
        return [*stored, *self.log.pending.exchanges_of(reference)]
