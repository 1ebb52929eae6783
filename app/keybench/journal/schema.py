"""What all of the journal's tables share: one list of them, names for their rules, columns by meaning."""

from __future__ import annotations

import enum
from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Integer, MetaData

from keybench.journal.columns import FreeText, UtcTime, Word

#: What a column says of itself to whoever erases a text, in its `info`; see `needed` and `folded`.
NEEDED: Final = "needed"
FOLDED: Final = "folded"

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def text(name: str, *, nullable: bool = False) -> Column[str]:
    """Return a column of text from people or a gateway."""
    return Column(name, FreeText, nullable=nullable)


def needed(name: str) -> Column[str]:
    """Return a column of text that the program needs as it is, so that nothing in it is ever erased."""
    return Column(name, FreeText, nullable=False, info={NEEDED: True})


def folded(name: str, *of: str, unique: bool = False) -> Column[str]:
    """Return a column of what others hold, a line each, in the form in which case makes no difference."""
    return Column(name, FreeText, nullable=False, unique=unique, info={FOLDED: of})


def time(name: str, *, nullable: bool = False) -> Column[datetime]:
    """Return a column of times, UTC."""
    return Column(name, UtcTime, nullable=nullable)


def count(name: str, *, nullable: bool = False) -> Column[int]:
    """Return a column of whole numbers."""
    return Column(name, Integer, nullable=nullable)


def word(name: str, words: type[enum.StrEnum], *, nullable: bool = False) -> Column[enum.StrEnum]:
    """Return a column of an enumeration's words."""
    return Column(name, Word(words), nullable=nullable)


def seconds(name: str, *, nullable: bool = True) -> Column[float]:
    """Return a column of durations in seconds."""
    return Column(name, Double, nullable=nullable)


def counted(name: str = "number") -> Column[int]:
    """Return the primary key of rows that are numbered as they come."""
    # SQLite counts by itself in a column of type INTEGER only.
    return Column(name, BigInteger().with_variant(Integer, "sqlite"), primary_key=True)


def environment(*, primary_key: bool = False) -> Column[str]:
    """Return the column of the environment a row belongs to and goes with."""
    parent = ForeignKey("environments.id", ondelete="CASCADE")
    return Column("environment_id", FreeText, parent, nullable=False, primary_key=primary_key)
