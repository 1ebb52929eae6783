"""Keeps a nested frozen dataclass as one JSON text and reads it back strictly, by its own declared types.

What is understood: dataclasses, text, whole numbers, truth, aware times (ISO, in UTC), enumerations of words,
tuples of any length, and each of these or None. A field the text lacks takes its default, so that a field
with one can be added; a field this program doesn't know is refused, and what writes one has a newer
`SCHEMA_VERSION`.
"""

from __future__ import annotations

import enum
import functools
import json
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from keybench.journal.engine import UnreadableRow

if TYPE_CHECKING:
    from _typeshed import DataclassInstance  # the type checker's own; it doesn't exist when running

T = TypeVar("T", bound="DataclassInstance")


def write_document(record: DataclassInstance) -> str:
    """Return `record` as JSON text in ASCII.

    Raises:
        TypeError: It holds a value of another kind than those above.
    """
    return json.dumps(_plain(record), separators=(",", ":"))


def read_document(kind: type[T], document: str) -> T:
    """Return the record in `document`.

    Args:
        kind: Its dataclass.
        document: As `write_document` made it.

    Raises:
        UnreadableRow: It can't be such a record.
    """
    try:
        return cast("T", _read(kind, json.loads(document)))
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise UnreadableRow(kind.__name__) from None


def _plain(value: object) -> object:
    """Return a value in JSON's own kinds."""
    match value:
        case enum.StrEnum():
            return value.value
        case None | bool() | int() | str():
            return value
        case datetime():
            return value.astimezone(UTC).isoformat()
        case tuple():
            return [_plain(each) for each in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(type(value).__name__)


def _read(kind: Any, plain: Any) -> Any:
    """Return what a type's declaration makes of a value in JSON's kinds."""
    if get_origin(kind) is UnionType:
        return None if plain is None else _read(_not_none(kind), plain)
    if get_origin(kind) is tuple:
        each, _ = get_args(kind)
        return tuple(_read(each, one) for one in _exactly(list, plain))
    if is_dataclass(kind):
        return _record(kind, plain)
    if kind is datetime:
        return _time(_exactly(str, plain))
    if issubclass(kind, enum.StrEnum):
        return kind(_exactly(str, plain))
    return _exactly(kind, plain)


def _record(kind: Any, plain: Any) -> Any:
    known = _hints(kind)
    given = _exactly(dict, plain)
    if not known.keys() >= given.keys():
        raise ValueError(kind.__name__)
    return kind(**{name: _read(known[name], value) for name, value in given.items()})


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _not_none(kind: Any) -> Any:
    (other,) = (each for each in get_args(kind) if each is not NoneType)
    return other


def _exactly(kind: type[Any], plain: Any) -> Any:
    # Not a subclass either: JSON's true isn't a number.
    if type(plain) is not kind:
        raise TypeError(kind.__name__)
    return plain


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    return moment.astimezone(UTC)
