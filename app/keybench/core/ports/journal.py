"""What happened, kept durably, as five protocols; and what is handed to it besides the core's own records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import Environment
from keybench.core.exchange import Exchange
from keybench.core.keys.key import KeyMove, SecurityKey
from keybench.core.ports.gateway import KeptAnswer
from keybench.core.ports.system import RunningProgram
from keybench.core.ports.team import JournalStanding, OnNotice, OnStanding
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Sale, SaleEvent

if TYPE_CHECKING:  # nothing of this is needed before the window's keys are listed
    from keybench.core.keys.application import Application, ApplicationMove
    from keybench.core.keys.key import KeyPlan
    from keybench.core.rotations.rotation import Rotation
    from keybench.core.team.desk import Held, Holding, TeamDesk
    from keybench.core.team.edits import Contradiction, Edit

#: No moves.
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
#: The lines of the activity whose subject is an environment's name.
ENVIRONMENT_ADDED: Final = "environment added"
ENVIRONMENT_EDITED: Final = "environment edited"
ENVIRONMENT_REMOVED: Final = "environment removed"


@dataclass(frozen=True, slots=True)
class Device:
    """A cloud payment device, and the gateway's word for its connection; empty if that isn't known."""

    id: str
    nickname: str = ""
    connection: str = ""


@dataclass(frozen=True, slots=True)
class JournalPlace:
    """Where an open journal is; `alone_on` is a file system on which one program at a time can open it."""

    folder: str = ""
    alone_on: str = ""


@dataclass(frozen=True, slots=True)
class PollNote:
    """A poll that found a sale still under way, or found nothing out."""

    event: SaleEvent
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Older:
    """How many settled sales, or sales with exchanges, are older than a moment; unsettled ones are kept."""

    sales: int
    with_exchanges: int
    unsettled: int


@dataclass(frozen=True, slots=True)
class Activity:
    """One thing that was done on this computer, by a stable word (``key added``, …); never a value.

    `subject` is a key's or sale's name, `result` how it went, `who` empty in a line of before names were
    written, and `number` its position in the list, which the journal gives it. `fingerprint` is of the value
    that a key was given, or that a test showed to be accepted; else empty.
    """

    at: datetime
    action: str
    environment_id: str
    subject: str
    result: str
    who: str = ""
    number: int = 0
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class ActivityFilter:
    """Which lines are wanted, by words in action, subject, result or who, since then and until before."""

    text: str = ""
    environment_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


EVERY_LINE: Final = ActivityFilter()


@dataclass(frozen=True, slots=True)
class Attention:
    """What the journal knows of it, at one moment; keys and sales by their environment's id.

    Environments with no compromised key are missing; unknown sales are also of removed environments.
    `contradictions` is how many edits wait for a choice.
    """

    compromised: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    open_rotations: Sequence[Rotation] = ()
    contradictions: int = 0

    def overdue(self, now: datetime, environments: Collection[str]) -> Sequence[Rotation]:
        """Return the rotations of these environments whose planned end is over, the longest waiting first."""
        late = [one for one in self.open_rotations if one.is_overdue(now)]
        late.sort(key=lambda one: one.overlap_ends_at)
        return [one for one in late if one.environment_id in environments]


class Journal(Protocol):
    """What Keybench remembers, in one database.

    Every method may raise a JournalError; each write is one commit.

    What is to be read or changed and isn't there raises NotFound, and so does an environment to which
    something is to be added; removing what isn't there is no error. A name that another has, in any case of
    letters, raises NameTaken.

    A `move` is a pure function of what is stored, not of what the caller remembers, because other programs
    write too. It is called on the database's thread, perhaps more than once; what it raises undoes the
    transaction and is raised. The method returns what is stored then.
    """

    async def open(self) -> str:
        """Open or create it and return this installation's identifier (it names the keyring entries)."""

    async def close(self) -> None:
        """Finish what is under way and close; no error if it isn't open."""

    # --- environments, their devices, settings, and the programs that run --------------------------

    @property
    def place(self) -> JournalPlace:
        """Where it is, once it is open."""

    async def setting(self, name: str) -> str:
        """Return what was set under `name`; empty if nothing was."""

    async def update_setting(self, name: str, move: Callable[[str], str]) -> str:
        """Apply `move` to what is stored under `name`, empty if nothing is."""

    async def programs(self) -> Sequence[RunningProgram]:
        """Return the programs that are noted as running, the oldest first."""

    async def keep_program(self, program: RunningProgram) -> None:
        """Note that a program runs, or that it runs still."""

    async def work_on(self, program_id: str, what: str, *, take_over: bool = False) -> None:
        """Note what a person has open in a program; with `take_over`, no other program has it open."""

    async def remove_programs(self, ids: Collection[str]) -> None:
        """Note that programs have ended."""

    async def environments(self) -> Sequence[Environment]:
        """Return all environments, practice first, then by name."""

    async def add_environment(self, environment: Environment) -> None:
        """Add an environment."""

    async def update_environment(
        self, environment_id: str, move: Callable[[Environment], Environment]
    ) -> Environment:
        """Apply `move` to an environment; its id and its kind don't change."""

    async def remove_environment(self, environment_id: str) -> None:
        """Remove one with its keys' metadata, devices and applications; its sales and rotations stay.

        EnvironmentBuiltIn if it is practice.
        """

    async def devices(self, environment_id: str) -> Sequence[Device]:
        """Return the environment's known devices, by nickname and id."""

    async def remember_devices(self, environment_id: str, devices: Sequence[Device]) -> None:
        """Add or update the given devices; others stay."""

    async def forget_device(self, environment_id: str, device_id: str) -> None:
        """Remove a device and its state; its sales stay. No error if it isn't there."""

    async def device_states(self, environment_id: str) -> Sequence[DeviceState]:
        """Return what the gateway last told of each device, listed or not."""

    async def keep_device_states(self, environment_id: str, states: Sequence[DeviceState]) -> None:
        """Keep what the gateway told of devices, unless a newer state of one is kept."""

    # --- security keys, and the applications that use them -----------------------------------------

    async def keys(self, environment_id: str) -> Sequence[SecurityKey]:
        """Return the environment's keys by name."""

    async def all_keys(self) -> Sequence[SecurityKey]:
        """Return the keys of every environment, practice's first, then by environment and name."""

    async def add_key(self, key: SecurityKey) -> None:
        """Add a key."""

    async def update_key(self, key_id: str, move: KeyMove) -> SecurityKey:
        """Apply `move` to a key; its id, environment and last use don't change."""

    async def expect_right_to_remove(self) -> None:
        """JournalForbidden unless one may remove keys and environments; asked before what can't be undone."""

    async def remove_key(self, key_id: str) -> None:
        """Remove a key."""

    async def keep_key_exchanges(self, key_id: str, exchanges: Sequence[Exchange]) -> None:
        """Keep what was asked and answered when a key was last tested; what was kept before goes."""

    async def key_exchanges(self, key_id: str) -> Sequence[Exchange]:
        """Return what was asked and answered when a key was last tested, in order."""

    async def applications(self, environment_id: str | None = None) -> Sequence[Application]:
        """Return the applications by name, of one environment or of all."""

    async def add_application(self, application: Application) -> None:
        """Add an application; its name is its own among those of its key."""

    async def update_application(self, application_id: str, move: ApplicationMove) -> Application:
        """Apply `move` to an application; its id and environment don't change."""

    async def remove_application(self, application_id: str) -> None:
        """Remove an application."""

    # --- the desks that share it, and what each holds ------------------------------------------------

    async def keep_desk(self, name: str, who: str = "") -> None:
        """Note what this desk is called, that it was seen now, and by `who` unless somebody is logged in."""

    async def desks(self) -> Sequence[TeamDesk]:
        """Return the desks by name."""

    async def holdings(self) -> Sequence[Holding]:
        """Return what desks last saw of keys' values."""

    async def holdings_stamp(self) -> object:
        """Return what changes whenever a holding does, for to read all of many desks takes long."""

    async def note_value(self, key: SecurityKey, held: Held | None, proof: str) -> bool:
        """Note what this desk's keystore has of a key that isn't gone, None for nothing ever; is it news?

        `key` has the fingerprint of what is there. A value that stays keeps its proof where none is given.
        """

    async def values_to_erase(self) -> Sequence[Holding]:
        """Return what this desk noted of keys that another desk deleted or forgot."""

    async def drop_holding(self, key_id: str) -> None:
        """Note that this desk has nothing of a key's value any more."""

    # --- rotations, and the keys that are being created --------------------------------------------

    async def rotations(self, environment_id: str | None = None) -> Sequence[Rotation]:
        """Return the rotations, the newest first, of one environment or of all."""

    async def rotation(self, rotation_id: str) -> Rotation:
        """Return one rotation."""

    async def start_rotation(self, rotation: Rotation, activity: Activity) -> None:
        """Keep a new rotation, and a line of the activity with it.

        RotationUnderWay if the old key has one that is open, in this program or another.
        """

    async def advance_rotation(
        self,
        rotation_id: str,
        move: Callable[[Rotation], Rotation],
        *,
        add_key: SecurityKey | None = None,
        remove_key: str = "",
        keys: Mapping[str, KeyMove] = NOTHING,
        applications: Mapping[str, ApplicationMove] = NOTHING,
        activity: Activity | None = None,
    ) -> Rotation:
        """Apply `move` to a rotation, and change with it what belongs to the step, in one transaction.

        The key to remove goes first; keys and applications that are gone stay gone. Without a change no line
        is kept.
        """

    async def key_plans(self, environment_id: str | None = None) -> Sequence[KeyPlan]:
        """Return the keys that are to be added, the oldest plan first, of one environment or of all."""

    async def add_key_plan(self, plan: KeyPlan) -> None:
        """Keep a new plan."""

    async def update_key_plan(self, key_id: str, move: Callable[[KeyPlan], KeyPlan]) -> KeyPlan:
        """Apply `move` to the plan of the key of that id."""

    async def end_key_plan(
        self, key_id: str, *, add_key: SecurityKey | None = None, activity: Activity | None = None
    ) -> None:
        """Remove a plan, with the key it led to and a line of the activity, in one transaction.

        NotFound if another program has ended it; then nothing is added.
        """

    # --- sales, their timelines and exchanges, and what was found among them -----------------------

    async def note_sale(self, sale: Sale, event: SaleEvent) -> None:
        """Write an intent durably: when this returns, it survives a power cut."""

    async def advance_sale(
        self,
        reference: str,
        move: Callable[[Sale], Sale],
        events: Sequence[SaleEvent] = (),
        exchanges: Sequence[Exchange] = (),
    ) -> Sale:
        """Apply `move` to a sale and add to its trail, in one transaction.

        RequestIdTaken if another sale of its environment has the request id it would get.
        """

    async def keep_answer(self, answer: KeptAnswer) -> None:
        """Append an answer durably to a file beside the database, which needs no lock of that."""

    async def kept_answers(self) -> Sequence[KeptAnswer]:
        """Return the latest answer in that file about each sale, in order."""

    async def drop_answers(self, reference: str) -> None:
        """Remove what the file has about a sale."""

    async def note_polls(self, notes: Sequence[PollNote]) -> None:
        """Count polls that moved nothing and add them to their sales' trails, all in one transaction."""

    async def sale(self, reference: str) -> Sale:
        """Return one sale."""

    async def sales(self, environment_id: str | None, limit: int, device: str = "") -> Sequence[Sale]:
        """Return the newest sales, newest first, of one environment or of all, on one device or on all."""

    async def unfinished_sales(self) -> Sequence[Sale]:
        """Return the sales that are noted or accepted and not finished, oldest first."""

    async def sale_events(self, reference: str) -> Sequence[SaleEvent]:
        """Return a sale's timeline in order."""

    async def timelines(self, references: Collection[str]) -> Mapping[str, Sequence[SaleEvent]]:
        """Return the timelines of some sales by reference, each in order; empty where there is none."""

    async def exchanges(self, reference: str) -> Sequence[Exchange]:
        """Return a sale's exchanges in order; where they are many, some answers are left out."""

    async def count_older(self, before: datetime) -> Older:
        """Return what is older than `before`, UTC."""

    async def delete_older(self, before: datetime, *, with_sales: bool) -> bool:
        """Delete some of the exchanges of settled sales, or of these too, from before a moment, UTC.

        It takes some hundredths of a second and returns whether there is more.
        """

    async def find_sales(self, wanted: SaleFilter, *, after: str = "", limit: int) -> Sequence[Sale]:
        """Return the newest of the wanted sales, newest first; with `after`, those behind that sale."""

    async def count_sales(self, wanted: SaleFilter) -> int:
        """Return how many sales are wanted; takes longer than a page."""

    async def attention(self) -> Attention:
        """Return what waits for a person in all environments; cheap enough to ask after each change."""

    # --- what was done on this computer ------------------------------------------------------------

    async def record_activity(self, activity: Activity) -> None:
        """Append one line of what was done; nothing ever changes or removes one."""

    async def removed_environments(self, ids: Collection[str]) -> Mapping[str, str]:
        """Return what environments that were removed were called, by id, as far as their activity says."""

    async def activities(
        self, limit: int, wanted: ActivityFilter = EVERY_LINE, *, after: int = 0
    ) -> Sequence[Activity]:
        """Return the newest of the wanted lines, newest first; with `after`, those behind that line."""

    # --- a team: what people edit at several desks ---------------------------------------------------

    async def edit(self, edit: Edit) -> None:
        """Apply an edit where nobody changed the same meanwhile, and note what contradicts; with its line.

        While a team's journal is away it is queued on this desk, and shown as if it were written.
        """

    async def contradictions(self) -> Sequence[Contradiction]:
        """Return the contradicting edits that wait for a choice, the oldest first."""

    async def settle(self, number: int, *, take_other: bool) -> None:
        """Leave what stands, or take the other; no error if it is settled."""

    async def queued(self) -> Sequence[Edit]:
        """Return the edits that wait to be written."""

    @property
    def standing(self) -> JournalStanding:
        """How a team's journal stands."""

    def listen(self, on_notice: OnNotice, on_standing: OnStanding) -> None:
        """Have both told of a team's journal from now on, on the loop's thread."""
