"""What a class remembers: its code, its lesson, who has joined, and how far each learner has come."""

import hashlib
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from keybench.class_identity import WORDS
from keybench.practice.database import StateTable, open_database

SEATS: Final = 30
_TABLES: Final = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE learner (
  number TEXT PRIMARY KEY, word TEXT NOT NULL UNIQUE, ticket BLOB UNIQUE, account TEXT NOT NULL
);
CREATE TABLE standing (
  learner TEXT NOT NULL, lesson TEXT NOT NULL, signed_by TEXT NOT NULL, told TEXT NOT NULL,
  on_step_s REAL NOT NULL, PRIMARY KEY (learner, lesson, signed_by)
);
"""
#: The numbers in codes, so that each has two digits.
_NUMBERS: Final = range(10, 100)


@dataclass(frozen=True, slots=True)
class Learner:
    """One who has joined. `ticket` is a hash of the one in force, `account` names the present account."""

    number: str
    word: str
    ticket: bytes | None
    account: str


class Learners(StateTable[Learner]):
    """Those who have joined, in their order."""

    name = "learner"
    record = Learner
    key = "number"

    def by_word(self, word: str) -> Learner | None:
        """Return the learner whose word it is, or None."""
        return self._first("WHERE word = ?", word)

    def by_ticket(self, ticket: str) -> Learner | None:
        """Return the learner who has a ticket that is in force, or None."""
        return self._first("WHERE ticket = ?", _digest(ticket))


@dataclass(frozen=True, slots=True)
class ClassLesson:
    """The lesson of a class, `toml` as its file has it."""

    id: str
    title: str
    toml: str


@dataclass(frozen=True, slots=True)
class ClassStanding:
    """How far a learner has come in a lesson, as told; from another class, `signed_by` has its words."""

    learner: str
    lesson: str
    signed_by: str
    told: dict[str, Any]
    on_step_s: float


class Standings(StateTable[ClassStanding]):
    """One for each learner and lesson."""

    name = "standing"
    record = ClassStanding
    reads: ClassVar = {"told": json.loads}

    def of(self, learner: str, lesson: str) -> ClassStanding | None:
        """Return a learner's in a lesson, or None."""
        return self._first("WHERE learner = ? AND lesson = ? AND signed_by = ''", learner, lesson)

    def put(self, learner: str, told: dict[str, Any], on_step_s: float = 0.0, signed_by: str = "") -> None:
        """Note how far a learner has come in the lesson that is told of."""
        values = (learner, told["lesson"], signed_by, json.dumps(told), on_step_s)
        self._run("INSERT OR REPLACE INTO standing VALUES (?, ?, ?, ?, ?)", *values)

    def forget(self, lesson: str) -> None:
        """Forget those of a lesson that is begun anew."""
        self._run("DELETE FROM standing WHERE lesson = ? AND signed_by = ''", lesson)


class Roster:
    """The open file; close it when done."""

    def __init__(self, path: Path | str) -> None:
        self._connection = open_database(path, (_TABLES,))
        self.learners = Learners(self._connection)
        self.standings = Standings(self._connection)
        self.id = self._settled("class", secrets.token_hex(8))
        self.code = self._settled("code", new_code())

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def lesson(self) -> ClassLesson | None:
        """What the class learns; None before one is chosen."""
        told = self.fact("lesson")
        return ClassLesson(**told) if told else None

    def fact(self, name: str) -> Any:
        """Return what was noted under a name; None if nothing was."""
        row = self._connection.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return json.loads(row["value"]) if row else None

    def note(self, name: str, value: Any) -> None:
        """Remember what JSON can say under a name."""
        self._connection.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, json.dumps(value)))

    def add(self) -> Learner | None:
        """Return a new learner; None if every seat is taken."""
        number = len(self.learners.every()) + 1
        if number > SEATS:
            return None
        learner = Learner(f"{number:02}", new_code(), None, new_account())
        self.learners.add(learner)
        return learner

    def new_ticket(self, learner: Learner) -> str:
        """Return a ticket for a learner; the one before is in force no more."""
        ticket = secrets.token_urlsafe(32)
        self.learners.change(learner.number, ticket=_digest(ticket))
        return ticket

    def _settled(self, name: str, default: str) -> str:
        self._connection.execute("INSERT OR IGNORE INTO fact VALUES (?, ?)", (name, json.dumps(default)))
        return str(self.fact(name))


def new_code() -> str:
    """Return a code such as ``otter-maple-42``, one of six million."""
    first, second = secrets.choice(WORDS), secrets.choice(WORDS)
    return f"{first}-{second}-{secrets.choice(_NUMBERS)}"


def new_account() -> str:
    """Return the name of an account that is like no other."""
    return secrets.token_hex(8)


def _digest(ticket: str) -> bytes:
    return hashlib.sha256(ticket.encode("utf-8", "surrogatepass")).digest()
