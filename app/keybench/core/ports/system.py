"""What surrounds a program: the keystore, the time, the practice gateway's process, other programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from keybench.core.errors import KeystoreError
from keybench.core.keys.key import SecurityKey
from keybench.core.lessons.classes import ClassSeat, MetClass
from keybench.core.secret import Secret


class Clock(Protocol):
    """Time, so that tests can move it.

    Attributes:
        moved_s: By how much the wall-clock time differs from the system's, in seconds; in lessons alone.
        haste: How many times as fast `sleep` is; for a check that nobody watches.
    """

    moved_s: float
    haste: float

    def now(self) -> datetime:
        """Return the wall-clock time in UTC."""

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back; only differences mean anything."""

    async def sleep(self, seconds: float) -> None:
        """Wait at least `seconds` on the monotonic clock."""


class Practice(Protocol):
    """The practice gateway's process."""

    @property
    def base_url(self) -> str:
        """Where it is; empty while it isn't up."""

    @property
    def version(self) -> str:
        """The version of the Keybench that serves it; empty while that isn't known."""

    async def ensure(self) -> str:
        """Return its base URL, starting it if it isn't up; PracticeUnavailable if it can't be started."""

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Make one of the trainer's calls, such as ``GET /portal/log``, and return its answer's JSON.

        `core.errors.Refused` with the gateway's own words if it says no; another GatewayError if it can't
        be asked.
        """

    async def stop(self) -> None:
        """Stop the process if this program started it; safe to call twice."""


class Classes(Protocol):
    """Classes that others serve; a GatewayError if one doesn't answer."""

    async def meet(self, join_text: str) -> MetClass:
        """Look at the class of a join text, which is told nothing; JoinInvalid if it is no such text."""

    async def join(self, met: MetClass, word: str = "") -> ClassSeat:
        """Take a seat, a new one or that of a word; Refused by reasons ``CLASS_…`` if the class says no."""


@dataclass(frozen=True, slots=True)
class RunningProgram:
    """A Keybench program that works on the journal, as the journal knows it.

    Its id is never used again. `computer` also tells, where programs don't all see each other, which part of
    it; `began_at` keeps another process of the same number from being taken for it.

    Attributes:
        renewed_at: When it last said that it runs, UTC, by the clock of the database, which sets it.
        desk_id: The desk it runs at.
        works_on: What a person has open there, such as ``rotation ID``; else empty.
        silent: How long ago it last said that it runs, by the database's clock.
    """

    id: str
    computer: str
    process: int
    began_at: datetime
    renewed_at: datetime
    desk_id: str = ""
    works_on: str = ""
    silent: timedelta = timedelta(0)


class Owners(Protocol):
    """Which running programs there are, so that two of them don't follow one sale."""

    @property
    def me(self) -> str:
        """This program's name for as long as it runs; never used again."""

    async def ended(self, owners: Collection[str]) -> frozenset[str]:
        """Return those of `owners` that don't run any more, the empty name for nobody included."""

    async def others(self) -> Sequence[RunningProgram]:
        """Return the other programs that run."""

    async def work_on(self, what: str, *, take_over: bool = False) -> None:
        """Note what a person has open here, empty for nothing; with `take_over`, it is open nowhere else."""


@dataclass(frozen=True, slots=True)
class KeystoreStatus:
    """Where values are kept at the moment, by the name people call it; `durable` if they outlive this run.

    `trouble` is why the system's keystore isn't in use; `asking` if it waits for a person to answer its
    prompt.
    """

    name: str
    durable: bool
    trouble: KeystoreError | None = None
    asking: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the system's keystore was looked for yet."""
        return self.durable or self.trouble is not None

    @property
    def is_sound(self) -> bool:
        """Whether nothing is the matter with it, as far as is known yet."""
        return self.trouble is None and not self.asking


class Keystore(Protocol):
    """Values at rest. Every method may raise a KeystoreError and nothing else."""

    @property
    def status(self) -> KeystoreStatus:
        """The last known status; cheap, never touches the system."""

    @property
    def memory_only(self) -> Collection[str]:
        """The entries whose values are in this program's memory alone, and are gone when it ends."""

    async def probe(self) -> KeystoreStatus:
        """Look at the system's keystore (again) and choose where values are kept from now on."""

    async def refresh(self) -> KeystoreStatus:
        """Look whether something has changed, without starting a program or asking a person."""

    def stop_asking(self) -> None:
        """Wait no longer for the answer to the keystore's prompt: the call that caused it fails as denied."""

    def use_memory(self) -> KeystoreStatus:
        """Keep values in memory until the keystore can be used; one that is open stays in use."""

    async def write(self, entry: str, value: Secret) -> None:
        """Keep `value` under `entry`, read it back and compare; on failure the entry is as it was."""

    async def read(self, entry: str) -> Secret:
        """Return the value under `entry`; ValueLost if there is none."""

    async def erase(self, entry: str) -> None:
        """Make sure nothing is under `entry`; no error if nothing was."""

    async def put_back(self, entry: str, value: Secret | None) -> None:
        """Undo a write or an erasing whose other half failed: now, or once the keystore can be reached again.

        `value` is what was there before. Raises nothing: the failure before it is what a person
        sees. What still is to be undone is known to this program only, so whoever wants it undone after a
        crash has planned the write in the journal.
        """


def entry_of(key: SecurityKey) -> str:
    """Return the name of the keystore entry that holds the value of `key`."""
    return f"{key.environment_id}/{key.id}"
