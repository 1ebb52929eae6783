"""The facts of findings: what shows them, as data; `keybench.words.hygiene` makes sentences of them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from keybench.core.environment import EnvironmentKind
from keybench.core.rotation import Stage
from keybench.core.security_key import KeyKind, KeyState, Trial


class RotationTrouble(enum.StrEnum):
    """Why a rotation is found."""

    OVERDUE = "overdue"
    HALF_DELETED = "half deleted"
    STALLED = "stalled"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Age:
    """A key is older than its limit.

    Attributes:
        days: How old it is, as far as Keybench knows it.
        limit: How old it may become, in days.
        created_at: When Keybench came to know it, UTC.
    """

    days: int
    limit: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Idleness:
    """Nobody was seen to use a key for long.

    Attributes:
        days: For how long.
        limit: How long is usual at the most, in days.
        used_at: When it was last seen in use, UTC; None if never.
    """

    days: int
    limit: int
    used_at: datetime | None


@dataclass(frozen=True, slots=True)
class Untested:
    """No test has told yet whether the gateway accepts a key.

    Attributes:
        days: Since when Keybench knows it.
        limit: How many days it may wait for its test.
        tried_at: When a test last told nothing, UTC; None if it was never tried.
        trial: Why that told nothing.
    """

    days: int
    limit: int
    tried_at: datetime | None = None
    trial: Trial | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """The last test of a key failed, or there is no value to test.

    Attributes:
        state: What it showed.
        status: The HTTP status; 0 where the gateway wasn't asked.
        tested_at: When that was, UTC; None if never.
    """

    state: KeyState
    status: int
    tested_at: datetime | None


@dataclass(frozen=True, slots=True)
class Sharing:
    """One key stands for several things that should have one each.

    Attributes:
        applications: The applications that use it, by name, where there are several.
        members: Who looks after them, where there are several.
        purposes: What its purpose names, where that is several.
    """

    applications: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Other:
    """Another key that a finding names.

    Attributes:
        environment: Its environment's name.
        kind: Its environment's kind.
        name: Its own name.
    """

    environment: str
    kind: EnvironmentKind
    name: str


@dataclass(frozen=True, slots=True)
class Twins:
    """Other entries have the same value.

    Attributes:
        fingerprint: What shows it.
        others: Some of them, by environment and name.
        total: How many there are.
        live_and_not: Whether one of all stands where money moves and another where none does.
    """

    fingerprint: str
    others: tuple[Other, ...]
    total: int
    live_and_not: bool


@dataclass(frozen=True, slots=True)
class Misfit:
    """A key's permission type belongs to the other kind.

    Attributes:
        kind: The kind it is kept as.
        permission: Its permission type.
        fits: The kind that the gateway's contract gives this type to.
    """

    kind: KeyKind
    permission: str
    fits: KeyKind


@dataclass(frozen=True, slots=True)
class Surplus:
    """A key's user may do more than the key does.

    Attributes:
        username: The user.
        extra: What the key inherits without need, in the gateway's words.
        kind: The key's kind, from which the need follows.
    """

    username: str
    extra: tuple[str, ...]
    kind: KeyKind


@dataclass(frozen=True, slots=True)
class Absence:
    """A key's user is disabled, or the gateway doesn't list them any more.

    Attributes:
        username: The user.
        disabled: Whether they are listed, and disabled.
    """

    username: str
    disabled: bool


@dataclass(frozen=True, slots=True)
class PublicSales:
    """Sales were sent with a public key.

    Attributes:
        sales: How many the journal knows of; 0 where it only knows that there were some.
        last_at: When the newest was sent, UTC.
    """

    sales: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A rotation needs somebody.

    Attributes:
        trouble: Why.
        old: The old key's name.
        new: The new one's; empty where there is none yet.
        days: For how long.
        stage: Where it stands.
        compromised: Whether the old key may be in wrong hands.
    """

    trouble: RotationTrouble
    old: str
    new: str
    days: int
    stage: Stage
    compromised: bool


@dataclass(frozen=True, slots=True)
class Ownerless:
    """Nobody looks after an application.

    Attributes:
        application: Its name.
    """

    application: str


@dataclass(frozen=True, slots=True)
class Mixture:
    """A key for money is called, or belongs to the same user, as one for tests.

    Attributes:
        same_name: Keys of the same name where no money moves.
        same_user: Keys of the same user where no money moves.
        username: That user.
    """

    same_name: tuple[Other, ...]
    same_user: tuple[Other, ...]
    username: str


@dataclass(frozen=True, slots=True)
class OneUser:
    """All keys of an environment belong to one user.

    Attributes:
        username: The user.
        keys: How many keys there are.
    """

    username: str
    keys: int


@dataclass(frozen=True, slots=True)
class Leak:
    """A key may be in wrong hands and hasn't been dealt with.

    Attributes:
        rotating: Whether it is being replaced.
    """

    rotating: bool


Facts = (
    Leak
    | Age
    | Idleness
    | Untested
    | Failure
    | Sharing
    | Twins
    | Misfit
    | Surplus
    | Absence
    | PublicSales
    | Unfinished
    | Ownerless
    | Mixture
    | OneUser
)
