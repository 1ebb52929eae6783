"""Turns the dataclasses of `core` into rows and back; a column has its attribute's name."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, RowMapping, Table, select

from keybench.core.environments.environment import Environment
from keybench.core.exchange import Exchange, Timings
from keybench.core.input_errors import NameTaken
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.core.money import Money
from keybench.core.personal_data import without_personal_data
from keybench.core.sales.sale import Sale, SaleEvent, Verdict

if TYPE_CHECKING:
    from _typeshed import DataclassInstance  # the type checker's own; it doesn't exist when running

T = TypeVar("T", bound="DataclassInstance")
Values = dict[str, Any]


def values_of(record: DataclassInstance) -> Values:
    """Return a record's attributes by name, not looking into them."""
    return {name: getattr(record, name) for name in names_of(type(record))}


@cache
def names_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    """Return the names of a dataclass's attributes, asked for once."""
    return tuple(field.name for field in fields(kind))


def build(kind: type[T], row: RowMapping, **nested: object) -> T:
    """Return a record from the row's columns of the same names."""
    plain = {name: row[name] for name in names_of(kind) if name not in nested}
    return kind(**plain, **nested)


def fold(name: str) -> str:
    """Return the form in which two names that differ only in the case of letters are equal."""
    return name.casefold()


def named_values(record: Environment | SecurityKey | Application) -> Values:
    """Return the row of something whose name is unique in any case of letters."""
    return values_of(record) | {"folded_name": fold(record.name)}


def require_free_name(
    connection: Connection,
    table: Table,
    record: Environment | SecurityKey | Application,
    what: str,
    *scope: str,
) -> None:
    """Raise NameTaken if another row has a record's name, in any case of letters."""
    here = (table.c[name] == getattr(record, name) for name in scope)
    named = select(table.c.id).where(table.c.folded_name == fold(record.name), table.c.id != record.id, *here)
    if connection.execute(named).first() is not None:
        raise NameTaken(what, record.name)


def sale_values(sale: Sale) -> Values:
    """Return a sale's row, with its money and its outcome laid flat."""
    row = values_of(sale)
    money, verdict = row.pop("money"), row.pop("verdict")
    empty = dict.fromkeys(names_of(Verdict))
    return row | values_of(money) | (values_of(verdict) if verdict else empty)


def sale_of(row: RowMapping) -> Sale:
    """Return the sale in a row; older rows may hold personal data in the gateway's words."""
    verdict = None
    if row["outcome"] is not None:
        verdict = build(Verdict, row, message=without_personal_data(row["message"]))
    return build(Sale, row, money=build(Money, row), verdict=verdict)


def event_of(row: RowMapping) -> SaleEvent:
    """Return the event in a row, without personal data as well."""
    return build(SaleEvent, row, detail=without_personal_data(row["detail"]))


def exchange_values(exchange: Exchange, **owner: str) -> Values:
    """Return the row of an exchange, with its timings laid flat and whose it is."""
    row = values_of(exchange)
    return row | values_of(row.pop("timings")) | owner


def exchange_of(row: RowMapping) -> Exchange:
    """Return the exchange in a row."""
    return build(Exchange, row, timings=build(Timings, row))
