"""What the tables are made of: column types that mean the same in every database, and columns by meaning."""

from __future__ import annotations

import enum
import json
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

from keybench.core.secret import Secret
from keybench.journal.store import UnreadableRow

T = TypeVar("T")
Headers = tuple[tuple[str, str], ...]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class _Kept(TypeDecorator[T]):
    """A value kept as a plainer one, which `keep` makes of it and `give` reads; nothing is kept as NULL."""

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = Text  # each has its own
    cache_ok = True

    def __init__(self, plain: TypeEngine[Any], keep: Callable[[T], Any], give: Callable[[Any], T]) -> None:
        super().__init__()
        self.impl = self.plain = plain
        self.keep = keep
        self.give = give

    def process_bind_param(self, value: T | None, dialect: Dialect) -> Any:  # noqa: ARG002 - the base's signature
        """Return what is stored for `value`; a TypeError for a secret, which has no place in any column."""
        if isinstance(value, Secret):
            raise TypeError("a secret isn't kept")
        return None if value is None else self.keep(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> T | None:  # noqa: ARG002 - as above
        """Return the value for what is stored.

        Raises:
            UnreadableRow: What is stored can't be such a value.
        """
        try:
            return None if value is None else self.give(value)
        except (TypeError, ValueError, ArithmeticError, zlib.error):
            raise UnreadableRow(repr(self.plain)) from None


def storable(text: str) -> str:
    """Return text as `FreeText` keeps it."""
    if text.isascii() and "\0" not in text:
        return text  # nearly all of it, and polls write a lot
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", _REPLACEMENT)


def _headers(stored: str) -> Headers:
    return tuple((str(name), str(content)) for name, content in json.loads(stored))


#: An aware time, kept as whole microseconds since 1970 UTC and given back in UTC. Databases disagree about
#: time zones and fractions; they agree about integers.
UtcTime: Final = _Kept[datetime](
    BigInteger(),
    lambda value: (value - _EPOCH) // _MICROSECOND,
    lambda stored: _EPOCH + stored * _MICROSECOND,
)
#: Text is compared by its code points, as SQLite does, so that what begins alike stands together in an index.
_TEXT: Final = Text().with_variant(Text(collation="C"), "postgresql")
#: Text from people or a gateway, made storable: JSON can smuggle in half a surrogate pair, which UTF-8 can't
#: carry, and PostgreSQL takes no NUL. Both become U+FFFD, because an outcome must not be lost over one odd
#: character in its message.
FreeText: Final = _Kept[str](_TEXT, storable, str)
# SQLite counts by itself in a column of type INTEGER only.
_WHOLE: Final = BigInteger().with_variant(Integer, "sqlite")
#: A decimal kept as its text, so that its digits survive (``10.00`` isn't ``10``).
Amount: Final = _Kept[Decimal](String(40), str, Decimal)
#: Headers in order, kept as JSON text in ASCII: a list of name and value pairs.
HeaderList: Final = _Kept[Headers](Text(), json.dumps, _headers)
#: Free text, deflated.
Compressed: Final = _Kept[str](
    LargeBinary(),
    lambda value: zlib.compress(storable(value).encode()),
    lambda stored: zlib.decompress(stored).decode(),
)


def text(name: str, *, nullable: bool = False, unique: bool = False) -> Column[str]:
    """Return a column of text from people or a gateway."""
    return Column(name, FreeText, nullable=nullable, unique=unique)


def time(name: str, *, nullable: bool = False) -> Column[datetime]:
    """Return a column of times, UTC."""
    return Column(name, UtcTime, nullable=nullable)


def count(name: str, *, nullable: bool = False) -> Column[int]:
    """Return a column of whole numbers, a gateway's too: as large as it likes."""
    return Column(name, _WHOLE, nullable=nullable)


def word(name: str, words: type[enum.StrEnum], *, nullable: bool = False) -> Column[enum.StrEnum]:
    """Return a column of an enumeration's words."""
    return Column(name, _Kept[enum.StrEnum](String(40), str, words), nullable=nullable)


def seconds(name: str, *, nullable: bool = True) -> Column[float]:
    """Return a column of durations in seconds."""
    return Column(name, Double, nullable=nullable)


def counted(name: str = "number") -> Column[int]:
    """Return the primary key of rows that are numbered as they come."""
    return Column(name, _WHOLE, primary_key=True)


def environment(*, primary_key: bool = False) -> Column[str]:
    """Return the column of the environment a row belongs to and goes with."""
    parent = ForeignKey("environments.id", ondelete="CASCADE")
    return Column("environment_id", FreeText, parent, nullable=False, primary_key=primary_key)
