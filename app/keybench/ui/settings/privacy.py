"""Settings, Privacy and locking: the lock, for how long things are kept, and deleting what is older."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Final

from PySide6.QtGui import QShowEvent

from keybench.core.sales.history import start_of
from keybench.ui.kit.actions import key_names
from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.dialog import Dialog, confirm
from keybench.ui.kit.form import Field, Form
from keybench.ui.kit.labels import button, prose, set_tip
from keybench.ui.kit.preferences import Choice
from keybench.ui.settings.sections import Section
from keybench.ui.shared.capture import SENTENCE
from keybench.ui.shared.choices import IDLE_MINUTES, PRIVACY
from keybench.ui.shared.filters import DayEdit
from keybench.ui.shared.session import LockNow, Notice, Session
from keybench.words.formats import day
from keybench.words.language import _
from keybench.words.system import older_sentence
from keybench.workflows.sales.retention import Keeping

_FOR_EVER: Final = _("for ever")
_EXCHANGES: Final = Choice(
    "",
    _("Exchanges are kept for"),
    {"30": _("30 days"), "90": _("90 days"), "365": _("a year"), "0": _FOR_EVER},
    "90",
)
_SALES: Final = Choice(
    "",
    _("Sales are kept for"),
    {"365": _("a year"), "1095": _("3 years"), "3650": _("10 years"), "0": _FOR_EVER},
    "0",
)
_ALONE, _WHOLE = "exchanges", "sales"
_TITLE: Final = _("Delete what is older")
_TOPIC: Final = "retention"
#: As long as exchanges are kept where nobody chose otherwise.
_USUAL_DAYS: Final = 90


class PrivacySection(Section):
    """The lock; two ages, which all programs on the journal share; and a button that deletes what is older."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Privacy and locking"))
        self._session = session
        self._keeping = Keeping()
        self.lock_button = button(_("Lock now"), partial(session.ask, LockNow()))
        set_tip(self.lock_button, _("Lock now ({keys})").format(keys=key_names("Ctrl+L")))
        self.head.addWidget(self.lock_button)
        self.idle = self.add_choice(
            IDLE_MINUTES,
            IDLE_MINUTES.read(session.preferences),
            self._on_idle,
            _("It locks itself when nobody has used it for so long."),
        )
        self.body.addWidget(
            prose(
                _(
                    "A revealed value hides after ten seconds, when you turn to another window, and when "
                    "Keybench locks."
                )
            )
        )
        self.body.addWidget(prose(PRIVACY))
        self.body.addWidget(prose(SENTENCE, "dim"))
        self.exchanges = self.add_choice(
            _EXCHANGES,
            _EXCHANGES.default,
            self._on_choice,
            _("What was asked and answered, without secrets. It helps where a sale's outcome is in doubt."),
        )
        self.sales = self.add_choice(
            _SALES,
            _SALES.default,
            self._on_choice,
            _("Amounts, outcomes, references and timelines, as in History."),
        )
        self.body.addWidget(
            prose(
                _(
                    "What is past its age is deleted when Keybench starts, and once a day. A sale whose outcome isn't "
                    "known is kept whole."
                ),
                "dim",
            )
        )
        self.delete_button = button(
            _("Delete what is older…"), lambda: session.run("delete what is older", self._ask())
        )
        self.body.addLayout(in_row(self.delete_button, None))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._session.run("settings.privacy", self._read())

    def _on_idle(self, minutes: str) -> None:
        IDLE_MINUTES.write(self._session.preferences, minutes)
        self._session.idle_lock_changed.emit()

    async def _read(self) -> None:
        self._keeping = await self._session.administration.retention.keeping()
        for segments, choice, days in (
            (self.exchanges, _EXCHANGES, self._keeping.exchanges_days),
            (self.sales, _SALES, self._keeping.sales_days),
        ):
            if str(days) in choice.options:
                segments.choose(str(days))

    def _on_choice(self, _days: str) -> None:
        chosen = Keeping(int(self.exchanges.value), int(self.sales.value))
        if chosen != self._keeping:
            self._keeping = chosen
            retention = self._session.administration.retention
            self._session.run(f"keep for {chosen}", retention.keep(chosen))

    async def _ask(self) -> None:
        retention = self._session.administration.retention
        usual = self._session.console.clock.now() - timedelta(days=_USUAL_DAYS)
        edit = DayEdit(_("Before"), usual.astimezone().date())
        what = Segments(
            [(_ALONE, _("Only exchanges")), (_WHOLE, _("Sales with their exchanges"))], _("Delete")
        )
        before_day = Field(_("From before this day"), edit, lines=0)
        before_day.keep_narrow()
        choosing = Dialog(
            self,
            title=_TITLE,
            confirm=_("Count…"),
            content=Form(before_day, Field(_("Delete"), what, lines=0)),
        )
        if not await choosing.answer():
            return
        before, with_sales = start_of(edit.day()), what.value == _WHOLE
        older = await self._session.console.world.journal.count_older(before)
        text = older_sentence(older, day(before), with_sales=with_sales)
        question = _("{what} This can't be undone.").format(what=text)
        if await confirm(self, title=_TITLE, text=question, confirm=_("Delete"), tone="danger"):
            self._session.notify(Notice("info", _("Deleting…"), text, _TOPIC))
            await retention.delete(before, with_sales=with_sales)
            self._session.notify(Notice("good", _("Deleted what was older"), text, _TOPIC))
