"""Turns the dataclasses of `core` into rows and back; a column has its attribute's name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sqlalchemy import Connection, RowMapping, Select, Table, delete, insert, select, update

from keybench.core.environments.environment import Environment
from keybench.core.exchange import Exchange, Timings
from keybench.core.input_errors import NameTaken, NotFound
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.core.money import Money
from keybench.core.personal_data import without_personal_data
from keybench.core.sales.sale import Sale, SaleEvent, Verdict
from keybench.journal.store import take_turns
from keybench.journal.tables import environments

if TYPE_CHECKING:
    from _typeshed import DataclassInstance  # the type checker's own; it doesn't exist when running

T = TypeVar("T", bound="DataclassInstance")
NamedT = TypeVar("NamedT", bound=Environment | SecurityKey | Application)
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


def require_environment(connection: Connection, environment_id: str) -> None:
    """Raise NotFound if there is no such environment (another program may have removed it)."""
    found = connection.execute(select(environments.c.id).where(environments.c.id == environment_id))
    if found.first() is None:
        raise NotFound("environment", environment_id)


@dataclass(frozen=True)
class NamedTable(Generic[NamedT]):
    """The records of a table whose names are unique, in any case of letters, among those of one scope.

    Attributes:
        chosen: Selects rows with all that a record has.
        what: What a record is called in errors.
        fixed: What no move changes.
        scope: What records have in common among which a name is unique.
    """

    table: Table
    chosen: Select[Any]
    kind: type[NamedT]
    what: str
    fixed: tuple[str, ...]
    scope: tuple[str, ...] = ()

    def read(self, connection: Connection, chosen: Select[Any]) -> list[NamedT]:
        """Return the records of rows that are chosen as `chosen` does."""
        return [build(self.kind, row) for row in connection.execute(chosen).mappings()]

    def add(self, connection: Connection, record: NamedT) -> None:
        """Add a record; NameTaken, or NotFound for its environment."""
        self._check(connection, record)
        connection.execute(insert(self.table), self._row(record))

    def update(self, connection: Connection, record_id: str, move: Callable[[NamedT], NamedT]) -> NamedT:
        """Apply `move` to a record; NotFound, or NameTaken by another."""
        is_it = self.table.c.id == record_id
        locked = self.chosen.where(is_it).with_for_update(of=self.table)
        found = self.read(connection, locked)
        if not found:
            raise NotFound(self.what, record_id)
        before = found[0]
        moved = replace(move(before), **{name: getattr(before, name) for name in self.fixed})
        if moved != before:
            if any(getattr(moved, name) != getattr(before, name) for name in ("name", *self.scope)):
                self._check(connection, moved)
            # What alone changed: a role may have a right to some columns.
            stored = self._row(before)
            changed = {name: new for name, new in self._row(moved).items() if stored.get(name, self) != new}
            if changed:
                connection.execute(update(self.table).where(is_it).values(changed))
        return moved

    def remove(self, connection: Connection, record_id: str) -> None:
        """Remove a record if it is there, with all that goes with it by the tables' own rule."""
        connection.execute(delete(self.table).where(self.table.c.id == record_id))

    def _row(self, record: NamedT) -> Values:
        return {name: value for name, value in named_values(record).items() if name in self.table.c}

    def _check(self, connection: Connection, record: NamedT) -> None:
        if not isinstance(record, Environment):
            require_environment(connection, record.environment_id)
        scope = [str(getattr(record, name)) for name in self.scope]
        take_turns(connection, "\n".join((self.table.name, *scope)))
        here = (self.table.c[name] == getattr(record, name) for name in self.scope)
        same_name = self.table.c.folded_name == fold(record.name)
        taken = select(self.table.c.id).where(same_name, self.table.c.id != record.id, *here)
        if connection.execute(taken).first() is not None:
            raise NameTaken(self.what, record.name)


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
