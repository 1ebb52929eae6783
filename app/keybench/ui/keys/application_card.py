"""The rows of the register: what each column shows of an application, and the card of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from keybench.core.environments.environment import Environment
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.ui.kit.actions import ActionButton
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import ElidedLabel, line
from keybench.ui.kit.pill import Pill
from keybench.ui.kit.tables.model import Column
from keybench.ui.kit.theme import keep_place, set_role
from keybench.ui.shared.environment_cells import environment_column, environment_words
from keybench.ui.shared.keys.columns import LONG_AGO
from keybench.words.formats import ago
from keybench.words.language import _

NO_OWNER: Final = _("no owner")
NO_KEY: Final = _("forgotten")


@dataclass(frozen=True, slots=True)
class ApplicationRow:
    """An application with the key it uses."""

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


def application_columns(now: Callable[[], datetime]) -> tuple[Column[ApplicationRow], ...]:
    """Return the columns; `now` tells how long ago something was."""

    def changed(row: ApplicationRow) -> str:
        return when_words(row.application.changed_at, row.application.changed_by, now(), _("not known"))

    def seen(row: ApplicationRow) -> str:
        return when_words(row.application.seen_working_at, row.application.seen_by, now(), _("never"))

    return (
        Column("name", _("Application"), lambda row: row.application.name, bold=True, stretch=True),
        Column("key", _("Key"), lambda row: row.key_name, ink=lambda row: "" if row.key else "warning"),
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


_NONE: Final = _("No application chosen")
_HOW: Final = _("Choose an application above, and how its key is changed there is shown here.")
_NO_STEPS: Final = _("Nobody has written down yet how its key is changed there. Edit it to add that.")
_LINES: Final = 3
_FEW_LINES: Final = 1


class ApplicationCard(QFrame):
    """Name, owner and key, a line of facts, how its key is changed there, and buttons, some `apart` on the right."""

    def __init__(self, actions: Sequence[QAction], apart: Sequence[QAction]) -> None:
        super().__init__()
        self.name = ElidedLabel("", "strong", least=12)
        self.owner = Pill()
        self.owner.setMinimumHeight(Pill("x", "good").sizeHint().height())
        self.place = ElidedLabel("", "dim", least=8)
        self.facts = ElidedLabel("", "dim", least=12)
        self.steps = QPlainTextEdit(readOnly=True)
        self.steps.setAccessibleName(_("How to change it there and restart"))
        self.steps.setTabChangesFocus(True)
        keep_place(self.steps)  # the card is as high without an application
        top = in_row((self.name, 2), self.owner, (self.place, 3), spacing=12)
        self.buttons = [ActionButton(action) for action in (*actions, *apart)]
        buttons = in_row(*self.buttons[: len(actions)], None, *self.buttons[len(actions) :])
        in_column(line(), top, self.facts, self.steps, buttons, within=self)
        self.show_low(low=False)

    def show_row(self, row: ApplicationRow | None, now: datetime) -> None:
        self.steps.setVisible(row is not None)
        if row is None:
            self._show_head(_NONE, "", "dim", "")
            self.facts.setText(_HOW)
            self.steps.setPlainText("")
            return
        application = row.application
        place = _("its key was forgotten: edit it to name another")
        if row.key:
            place = _("uses {name} in {environment_words}").format(
                name=row.key.name, environment_words=environment_words(row)
            )
        is_live = row.environment.is_live and row.key is not None
        tone = "dim" if application.owner else "warning"
        self._show_head(application.name, row.owner, tone, place, live=is_live)
        self.owner.setAccessibleName(_("Owner: {value}").format(value=application.owner or _("none")))
        changed = when_words(application.changed_at, application.changed_by, now, "")
        seen = when_words(application.seen_working_at, application.seen_by, now, "")
        facts = (
            _("Key set in {place}").format(place=application.place)
            if application.place
            else _("Location unknown"),
            _("changed {when}").format(when=changed) if changed else _("last change unknown"),
            _("seen working {when}").format(when=seen) if seen else _("never seen working"),
        )
        self.facts.setText(" · ".join(facts))
        self.steps.setPlainText(application.instructions or _NO_STEPS)

    def show_low(self, *, low: bool) -> None:
        """Show less where there is little room; the table's columns have the facts."""
        self.facts.setVisible(not low)
        lines = _FEW_LINES if low else _LINES
        self.steps.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 20)

    def _show_head(self, name: str, owner: str, tone: str, place: str, *, live: bool = False) -> None:
        self.name.setText(name)
        self.owner.show_state(owner, tone)
        self.place.setText(place)
        set_role(self.place, "tone", "live" if live else "")
