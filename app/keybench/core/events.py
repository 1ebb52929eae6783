"""What the use cases announce, for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass

from keybench.core.devices.habit import UNTAUGHT, Habit
from keybench.core.devices.state import DeviceState
from keybench.core.errors import JournalError
from keybench.core.exchange import Exchange
from keybench.core.keys.key import SettledKey
from keybench.core.ports import JournalStanding, KeystoreStatus
from keybench.core.sales.poll_plan import Pause
from keybench.core.sales.sale import Sale, SaleEvent


@dataclass(frozen=True, slots=True)
class SaleChanged:
    """A sale was noted, moved on or got a new point on its timeline."""

    sale: Sale
    event: SaleEvent


@dataclass(frozen=True, slots=True)
class SalesUnkept:
    """The journal couldn't take these sales' news, which is tried again; with none it has taken all of it."""

    sales: tuple[Sale, ...]
    error: JournalError | None


@dataclass(frozen=True, slots=True)
class PollPlanned:
    """A sale will be asked for again after a pause, and why then, by what is known of its device."""

    reference: str
    pause: Pause
    habit: Habit = UNTAUGHT


@dataclass(frozen=True, slots=True)
class ExchangeRecorded:
    """A sale has one more exchange."""

    reference: str
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class KeysChanged:
    """An environment's keys are no longer what they were."""

    environment_id: str


@dataclass(frozen=True, slots=True)
class KeySettled:
    """It is known how a key turned out of which nobody could tell whether it was made."""

    settled: SettledKey


@dataclass(frozen=True, slots=True)
class RotationChanged:
    """A rotation was begun, went on, was finished or given up."""

    rotation_id: str
    environment_id: str


@dataclass(frozen=True, slots=True)
class OldKeyTried:
    """A deleted key was tried, to see that it is refused; status 0 is no answer, no `next_s` the last try."""

    rotation_id: str
    tries: int
    status: int
    next_s: float | None


@dataclass(frozen=True, slots=True)
class ApplicationsChanged:
    """An environment's register of applications is no longer what it was."""

    environment_id: str


@dataclass(frozen=True, slots=True)
class ActivityRecorded:
    """The trail of what was done on this computer has one more line."""


@dataclass(frozen=True, slots=True)
class OlderDeleted:
    """Exchanges, or sales with them, were deleted because they are older than somebody wants to keep them."""


@dataclass(frozen=True, slots=True)
class DevicesChanged:
    """An environment's known devices are no longer what they were."""

    environment_id: str


@dataclass(frozen=True, slots=True)
class DeviceStateRead:
    """A gateway told the state of one device, which needn't be among those known."""

    environment_id: str
    state: DeviceState


@dataclass(frozen=True, slots=True)
class EnvironmentsChanged:
    """An environment was added, edited or removed."""


@dataclass(frozen=True, slots=True)
class KeystoreChanged:
    """Values are kept elsewhere from now on, or can't be reached."""

    status: KeystoreStatus


@dataclass(frozen=True, slots=True)
class JournalStood:
    """The team's journal went away or is back, or an edit was queued or written."""

    standing: JournalStanding


@dataclass(frozen=True, slots=True)
class ProgramsChanged:
    """Another program on the team's journal began, ended, or has something else open."""


@dataclass(frozen=True, slots=True)
class TimeMoved:
    """The practice gateway and this console go by another time, see `Clock.moved_s`."""


@dataclass(frozen=True, slots=True)
class ClassServed:
    """This console serves a class to a network; an empty address serves it no longer."""

    address: str


@dataclass(frozen=True, slots=True)
class GatewayChanged:
    """A gateway was seen to answer, or not to; `up` is None while it is being started."""

    environment_id: str
    up: bool | None
    address: str
