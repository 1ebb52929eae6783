"""Keeps a nested frozen dataclass as one JSON text and reads it back strictly, by its own declared types.

A field the text lacks takes its default, so that a field with one can be added; a field this program doesn't
know is refused, and what writes one has a newer `SCHEMA_VERSION`. Times are kept in UTC. Nothing is made to
fit: a number isn't a truth value, a text isn't a number but for a decimal's, a time without a zone isn't one.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, get_origin

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")


class UnreadableDocument(ValueError):
    """A document that can't be what it should be; the message names only that."""


def write_document(record: object) -> str:
    """Return `record` as JSON text in ASCII."""
    return json.dumps(to_plain(record), separators=(",", ":"))


def read_document(kind: type[T], document: str | bytes) -> T:
    """Return the record in `document`."""
    try:
        plain = json.loads(document)
    except (ValueError, RecursionError):
        raise UnreadableDocument(kind.__name__) from None
    return from_plain(kind, plain)


def to_plain(record: object) -> Any:
    """Return `record` in JSON's own kinds."""
    return _converter().unstructure(record)


def from_plain(kind: type[T], plain: Any) -> T:
    """Return the record in JSON's own kinds that `to_plain` made."""
    from cattrs.errors import CattrsError  # noqa: PLC0415 - see `_converter`

    try:
        return _converter().structure(plain, kind)
    except (CattrsError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise UnreadableDocument(kind.__name__) from None


@cache
def _converter() -> Converter:
    from cattrs import Converter  # noqa: PLC0415 - slow to import, and the window comes first

    converter = Converter(forbid_extra_keys=True, detailed_validation=False)

    def is_tuple(kind: Any) -> bool:
        return get_origin(kind) is tuple

    def listed(kind: Any) -> Any:
        each = kind.__args__[0]
        structure = converter.get_structure_hook(each)
        return lambda plain, _: tuple([structure(one, each) for one in _exactly(list, plain)])

    for basic in (bool, int):
        converter.register_structure_hook(basic, lambda plain, kind: _exactly(kind, plain))
    # Enumerations of words are texts, too.
    converter.register_structure_hook(str, lambda plain, kind: kind(_exactly(str, plain)))
    converter.register_structure_hook(datetime, lambda plain, _: _time(_exactly(str, plain)))
    converter.register_structure_hook(Decimal, lambda plain, _: _figure(_exactly(str, plain)))
    converter.register_structure_hook_factory(is_tuple, listed)
    converter.register_unstructure_hook(datetime, lambda moment: moment.astimezone(UTC).isoformat())
    converter.register_unstructure_hook(Decimal, str)
    return converter


def _exactly(kind: type[T], plain: Any) -> T:
    # Not a subclass either: JSON's true isn't a number.
    if type(plain) is not kind:
        raise TypeError(kind.__name__)
    return plain


def _figure(text: str) -> Decimal:
    figure = Decimal(text)
    if not figure.is_finite():
        raise ValueError(text)
    return figure


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    return moment.astimezone(UTC)
