"""The rows of the register's table, and what each column shows of an application."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.application import Application
from keybench.core.environment import Environment
from keybench.core.security_key import SecurityKey
from keybench.ui.inventory.places import environment_ink, environment_mark, environment_words
from keybench.ui.widgets.arranged_model import ArrangedModel
from keybench.ui.widgets.rows_model import Column, Look
from keybench.words.formats import ago

NO_OWNER: Final = "no owner"
NO_KEY: Final = "forgotten"
OWNER: Final = 3
_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ApplicationRow:
    """An application with the key it uses.

    Attributes:
        application: The entry of the register.
        environment: Where it sells.
        key: The key; None where it was forgotten, or went in a rotation that this application missed.
    """

    application: Application
    environment: Environment
    key: SecurityKey | None

    @property
    def key_name(self) -> str:
        """What its key is called, or that it has none any more."""
        return self.key.name if self.key else NO_KEY

    @property
    def owner(self) -> str:
        """Who looks after it, or that nobody does."""
        return self.application.owner or NO_OWNER


class _Moment:
    """What time it is for the columns that tell how long ago something was."""

    def __init__(self) -> None:
        self.now = _LONG_AGO

    def changed(self, row: ApplicationRow) -> str:
        return when_words(row.application.changed_at, row.application.changed_by, self.now, "not known")

    def seen(self, row: ApplicationRow) -> str:
        return when_words(row.application.seen_working_at, row.application.seen_by, self.now, "never")


def when_words(then: datetime | None, who: str, now: datetime, never: str) -> str:
    """Return how long ago something was and who did it, or `never`."""
    if then is None:
        return never
    return f"{ago(then, now)}, {who}" if who else ago(then, now)


def _columns(moment: _Moment) -> tuple[Column[ApplicationRow], ...]:
    return (
        Column("Application", lambda row: row.application.name, Look(bold=True)),
        Column("Key", lambda row: row.key_name, Look(ink=lambda row: "" if row.key else "warning")),
        Column("Environment", environment_words, Look(mark=environment_mark, ink=environment_ink)),
        Column("Owner", lambda row: row.owner, Look(ink=_owner_ink)),
        Column("Contact", lambda row: row.application.contact),
        Column("Where the key is set", lambda row: row.application.place),
        Column("Changed", moment.changed, sort=lambda row: row.application.changed_at or _LONG_AGO),
        Column("Seen working", moment.seen, sort=lambda row: row.application.seen_working_at or _LONG_AGO),
    )


def _owner_ink(row: ApplicationRow) -> str:
    return "" if row.application.owner else "warning"


class ApplicationsModel(ArrangedModel[ApplicationRow]):
    """The register's entries, of all keys or of one, found as one types."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._moment = _Moment()
        super().__init__(_columns(self._moment), parent)
        self._all: tuple[ApplicationRow, ...] = ()
        self._key_id = ""

    @property
    def count(self) -> int:
        """How many there are of the keys that are shown, found or not."""
        return len(self._items)

    @property
    def without_key(self) -> int:
        """How many of them have no key any more."""
        return sum(row.key is None for row in self._items)

    @property
    def without_owner(self) -> int:
        """How many of them nobody looks after."""
        return sum(not row.application.owner for row in self._items)

    def show_register(self, rows: Sequence[ApplicationRow], now: datetime) -> None:
        """Show these entries."""
        self._moment.now = now
        self._all = tuple(rows)
        self._limit()

    def show_only(self, key_id: str) -> None:
        """Show one key's entries; those of all keys for an empty identifier."""
        self._key_id = key_id
        self._limit()

    def _limit(self) -> None:
        self.show_items(row for row in self._all if self._key_id in {"", row.application.key_id})
