"""A desk: one installation of Keybench with a keystore of its own, and what desks tell one another."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

#: A desk that wasn't seen for longer is told apart: nobody knows whether it still holds what it held.
NOT_SEEN_FOR: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Desk:
    """What a data folder's desk is called and where its journal is.

    Attributes:
        installation: Names the entries in the keystore. It is nowhere but in the data folder.
        id: Names the desk in a team's journal.
        name: What people call it; at first the computer's name.
        journal: The URL of a team's journal, without a password; empty for the file in the data folder.
        used: The keystores that values were kept in, by name, the latest first.
    """

    installation: str
    id: str
    name: str
    journal: str = ""
    used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TeamDesk:
    """A desk as its team's journal knows it.

    Attributes:
        who: The role that last worked there; empty where a journal has no roles.
        seen_at: When a program there last renewed its lease, UTC, by the database's clock.
        silent: For how long none has by now.
    """

    id: str
    name: str
    who: str
    seen_at: datetime
    silent: timedelta

    @property
    def was_seen_lately(self) -> bool:
        """Whether what it last told counts as true."""
        return self.silent <= NOT_SEEN_FOR


class Held(enum.StrEnum):
    """What a desk last saw of a key's value in its keystore."""

    HELD = "held"
    LOST = "lost"
    #: It held it when the key was deleted or forgotten at another desk.
    TO_ERASE = "to erase"


@dataclass(frozen=True, slots=True)
class Holding:
    """What one desk last saw of one key's value. Of a key that it never had it has none.

    Attributes:
        fingerprint: Of the value it holds, which needn't be the key's present one.
        proof: A hash of the value keyed by the team's secret, in hexadecimal; empty where the desk has none.
        at: Since when it has seen that, UTC, by the database's clock.
    """

    desk_id: str
    environment_id: str
    key_id: str
    held: Held
    fingerprint: str
    proof: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TeamLook:
    """What answers under the URL of a team's journal.

    Attributes:
        server: PostgreSQL's version, such as ``15.18``.
        tls: The version of TLS; empty without.
        role: The role that is logged in.
        rights: ``owner``, ``administrator``, ``agent``, ``trainer`` or ``none``.
        schema: The version of the journal's tables; 0 where there are none.
        has_team: Whether a desk has moved its journal there, so that others join it.
    """

    server: str
    tls: str
    role: str
    rights: str
    schema: int
    has_team: bool = False
