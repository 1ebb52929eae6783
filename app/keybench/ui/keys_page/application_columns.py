"""The rows of the register, and what each column shows of an application."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from keybench.core.application import Application
from keybench.core.environment import Environment
from keybench.core.security_key import SecurityKey
from keybench.ui.keys_page.environment_cells import environment_column
from keybench.ui.keys_page.inventory_columns import LONG_AGO
from keybench.ui.widgets.table_model import Column
from keybench.words.formats import ago
from keybench.words.language import _

NO_OWNER: Final = _("no owner")
NO_KEY: Final = _("forgotten")


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
        return self.key.name if self.key else NO_KEY

    @property
    def owner(self) -> str:
        return self.application.owner or NO_OWNER


def when_words(then: datetime | None, who: str, now: datetime, never: str) -> str:
    """Return how long ago something was and who did it, or `never`."""
    if then is None:
        return never
    return f"{ago(then, now)}, {who}" if who else ago(then, now)


def _owner_ink(row: ApplicationRow) -> str:
    return "" if row.application.owner else "warning"


def _key_ink(row: ApplicationRow) -> str:
    return "" if row.key else "warning"


def application_columns(now: Callable[[], datetime]) -> tuple[Column[ApplicationRow], ...]:
    """Return the columns; `now` tells how long ago something was."""

    def changed(row: ApplicationRow) -> str:
        return when_words(row.application.changed_at, row.application.changed_by, now(), _("not known"))

    def seen(row: ApplicationRow) -> str:
        return when_words(row.application.seen_working_at, row.application.seen_by, now(), _("never"))

    return (
        Column("name", _("Application"), lambda row: row.application.name, bold=True, stretch=True),
        Column("key", _("Key"), lambda row: row.key_name, ink=_key_ink),
        environment_column(),
        Column("owner", _("Owner"), lambda row: row.owner, ink=_owner_ink, empty=NO_OWNER),
        Column("contact", _("Contact"), lambda row: row.application.contact, empty=""),
        Column("where", _("Where the key is set"), lambda row: row.application.place, empty=""),
        Column(
            "changed",
            _("Changed"),
            changed,
            sort=lambda row: row.application.changed_at or LONG_AGO,
        ),
        Column(
            "seen",
            _("Seen working"),
            seen,
            sort=lambda row: row.application.seen_working_at or LONG_AGO,
        ),
    )
