"""A sale's exchanges: kept once each and compressed, a poll with the same answer as one more line of its row.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, bindparam, func, insert, select, update

from keybench.core.exchange import LEFT_OUT, MOST_OF_A_SALE, Exchange, Timings
from keybench.journal.columns import Headers
from keybench.journal.rows import Values, exchange_of
from keybench.journal.store import UnreadableRow
from keybench.journal.tables import older_exchanges, sale_exchanges

#: A row gets no more lines beyond so many characters, but the next row does.
_ROUNDS: Final = 16 * 1024
#: A longer header that differs makes it another answer.
_LONGEST_HEADER: Final = 200
_MICROSECOND: Final = timedelta(microseconds=1)

_row = sale_exchanges.c
_GROWN: Final = (
    update(sale_exchanges)
    .where(_row.number == bindparam("which"))
    .values(rounds=_row.rounds + bindparam("more"))
)
_ASKED: Final = func.length(_row.request) + func.length(_row.rounds)
_ANSWERED: Final = func.length(_row.headers) + func.length(_row.body)


@dataclass(slots=True)
class _Latest:
    """The row to which a sale's next exchange is added if its answer is the same.

    Attributes:
        number: The row's; 0 while it isn't written.
        digest: What all its exchanges have in common.
        at: When its first one began.
        headers: The first answer's.
        length: Of what it has to tell of each exchange, in characters.
        lines: What it has to tell of those that come now.
    """

    number: int
    digest: str
    at: datetime
    headers: Headers
    length: int = 0
    lines: list[str] = field(default_factory=list)

    def takes(self, exchange: Exchange) -> bool:
        """Add an exchange if it is another one with the same answer, and return whether it is."""
        if self.length > _ROUNDS or self.digest != _digest(exchange):
            return False
        changed = {
            place: new[1]
            for place, (old, new) in enumerate(zip(self.headers, exchange.response_headers, strict=True))
            if new != old
        }
        if any(len(value) > _LONGEST_HEADER for value in changed.values()):
            return False
        offset = (exchange.at - self.at) // _MICROSECOND
        line = json.dumps([offset, *astuple(exchange.timings), changed], separators=(",", ":"))
        self.lines.append(f"{line}\n")
        self.length += len(line)
        return True


def add_exchanges(connection: Connection, exchanges: Sequence[tuple[str, Exchange]]) -> None:
    """Add exchanges, each to the sale of a reference; an answer that came before costs one more line."""
    if not exchanges:
        return
    latest = {
        row["reference"]: _latest_of(row) for row in _latest_rows(connection, {r for r, _ in exchanges})
    }
    known = list(latest.values())
    added: list[tuple[Values, _Latest]] = []
    for reference, exchange in exchanges:
        if reference in latest and latest[reference].takes(exchange):
            continue
        row = _Latest(0, _digest(exchange), exchange.at, exchange.response_headers)
        row.takes(exchange)
        latest[reference] = row
        added.append((_values(reference, exchange), row))
    if grown := [{"which": one.number, "more": "".join(one.lines)} for one in known if one.lines]:
        connection.execute(_GROWN, grown)
    if added:
        rows = [values | {"rounds": "".join(row.lines)} for values, row in added]
        connection.execute(insert(sale_exchanges), rows)
        for reference in {values["reference"] for values in rows}:
            _leave_out(connection, reference)


def exchanges(connection: Connection, reference: str) -> Sequence[Exchange]:
    """Return a sale's exchanges as they were written; the oldest may be as versions before 12 kept them."""
    older = select(older_exchanges).where(older_exchanges.c.reference == reference)
    found = [
        exchange_of(row) for row in connection.execute(older.order_by(older_exchanges.c.number)).mappings()
    ]
    chosen = select(sale_exchanges).where(_row.reference == reference).order_by(_row.number)
    for row in connection.execute(chosen).mappings():
        try:
            found += _exchanges_of(row)
        except (ValueError, TypeError, LookupError):
            raise UnreadableRow(sale_exchanges.name) from None
    return found


def _exchanges_of(row: RowMapping) -> Iterator[Exchange]:
    method, url, request_headers, request_body = json.loads(row["request"])
    for line in row["rounds"].splitlines():
        offset, *times, changed = json.loads(line)
        headers = [
            (name, changed.get(str(place), value))
            for place, (name, value) in enumerate(json.loads(row["headers"]))
        ]
        yield Exchange(
            row["at"] + offset * _MICROSECOND,
            method,
            url,
            tuple((name, value) for name, value in request_headers),
            request_body,
            row["status"],
            tuple(headers),
            row["body"],
            row["failure"],
            Timings(*times),
        )


def _values(reference: str, exchange: Exchange) -> Values:
    asked = (exchange.method, exchange.url, exchange.request_headers, exchange.request_body)
    return {
        "reference": reference,
        "at": exchange.at,
        "digest": _digest(exchange),
        "status": exchange.status,
        "failure": exchange.failure,
        "request": json.dumps(asked),
        "headers": json.dumps(exchange.response_headers),
        "body": exchange.response_body,
    }


def _digest(exchange: Exchange) -> str:
    """Return what exchanges have in common that differ in nothing but their answers' values of headers."""
    same: tuple[Any, ...] = (
        *(exchange.method, exchange.url, exchange.request_headers, exchange.request_body),
        *(exchange.status, exchange.response_body, exchange.failure),
        [name for name, _ in exchange.response_headers],
    )
    return hashlib.blake2b(json.dumps(same).encode(), digest_size=12).hexdigest()


def _latest_rows(connection: Connection, references: Collection[str]) -> Sequence[RowMapping]:
    numbers = select(func.max(_row.number)).where(_row.reference.in_(references)).group_by(_row.reference)
    columns = (_row.number, _row.reference, _row.digest, _row.at, _row.headers)
    chosen = select(*columns, func.length(_row.rounds).label("length")).where(_row.number.in_(numbers))
    return connection.execute(chosen).mappings().all()


def _latest_of(row: RowMapping) -> _Latest:
    headers = tuple((name, value) for name, value in json.loads(row["headers"]))
    return _Latest(row["number"], row["digest"], row["at"], headers, row["length"])


def _leave_out(connection: Connection, reference: str) -> None:
    """Keep to the most that is kept of a sale: those between the first and the last go, oldest first."""
    sizes = select(_row.number, _row.digest, _ASKED, _ANSWERED).where(_row.reference == reference)
    rows = connection.execute(sizes.order_by(_row.number)).all()
    excess = sum(asked + answered for _, _, asked, answered in rows) - MOST_OF_A_SALE
    gone: list[int] = []
    for number, digest, _, answered in rows[1:-1]:
        if digest and excess > 0:
            gone.append(number)
            excess -= answered
    if gone:
        left = update(sale_exchanges).where(_row.number.in_(gone))
        connection.execute(left.values(digest="", headers="[]", body=LEFT_OUT))
