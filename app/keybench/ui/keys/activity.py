"""The Activity view: what was done on this computer to which key, when, and with which result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.events import ActivityRecorded, EnvironmentsChanged
from keybench.core.ports import Activity, ActivityFilter
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.export_bar import ExportBar
from keybench.ui.shared.filters import EVERYWHERE, HERE, Filters
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.session import Session
from keybench.words.activity import (
    action_words,
    result_words,
    spoken_line,
    who_words,
)
from keybench.words.formats import day_and_time
from keybench.words.language import _, ngettext, number
from keybench.workflows.activity import PAGE
from keybench.workflows.sales.history import REMOVED

NOTHING_YET: Final = _("Nothing was done yet. Adding, testing, revealing and rotating keys is recorded here.")
NO_MATCH: Final = _("No line matches. Search for fewer words or other days, or look in all environments.")
_NOT_RECORDED: Final = _("not recorded")


@dataclass(frozen=True, slots=True)
class ActivityRow:
    """A line of the activity with what its environment is called; empty if it belongs to none."""

    line: Activity
    environment: str


_COLUMNS: Final[tuple[Column[ActivityRow], ...]] = (
    Column(
        "time",
        _("Time"),
        lambda row: day_and_time(row.line.at),
        width=_("28 Sep 2026, 20:58"),
        hint=lambda row: row.line.at.isoformat(),
        sort=lambda row: row.line.at,
    ),
    Column(
        "done",
        _("Done"),
        lambda row: action_words(row.line),
        bold=True,
        described=lambda row: spoken_line(row.line, row.environment),
    ),
    Column(
        "who",
        _("Who"),
        lambda row: who_words(row.line),
        width=_("Maria Lindqvist"),
        spoken=lambda row: row.line.who or _NOT_RECORDED,
    ),
    Column("subject", _("Key or sale"), lambda row: row.line.subject, stretch=True),
    Column("environment", _("Environment"), lambda row: row.environment, width="environment"),
    Column("result", _("Result"), lambda row: result_words(row.line), stretch=True),
)


class ActivityView(ListPage[ActivityRow]):
    """Filters, table and export."""

    page_size = PAGE
    searches_rows = False
    stale_after = (ActivityRecorded, EnvironmentsChanged)

    def __init__(self, session: Session) -> None:
        where = Segments([(EVERYWHERE, _("All")), (HERE, _("This environment"))], name=_("Activity of"))
        text = search_field(_("Search activity"), _("Search activity: a key, what was done, a result"))
        self.filters = Filters(text, where)
        table = Table(_("Activity"), TableModel(_COLUMNS, lambda row: row.line.number))
        super().__init__(session, "keys/activity", table, text)
        self._trail = session.administration.activity
        self.export = ExportBar(
            session,
            name="activity",
            title=_("Export activity"),
            wanted=self.wanted,
            write=self._trail.export,
            exported=lambda count: ngettext("Exported 1 line", "Exported {count} lines", count),
        )
        self.lay_out(actions=[self.export], tools=[self.filters])
        self.filters.changed.connect(self.look_again)
        session.environment_changed.connect(self.look_again)

    # --- reading -------------------------------------------------------------------------------------

    def wanted(self) -> ActivityFilter:
        """Return what the filters say now."""
        return ActivityFilter(
            text=self.filters.text.text(),
            environment_id=self.filters.environment_id(self.session.environment),
            since=self.filters.begin,
            until=self.filters.end,
        )

    async def read(self) -> Sequence[ActivityRow]:
        """Return the newest lines that match."""
        return await self._rows(await self._trail.page(self.wanted()))

    async def read_after(self, last: ActivityRow) -> Sequence[ActivityRow]:
        """Return the next older ones."""
        return await self._rows(await self._trail.page(self.wanted(), after=last.line.number))

    async def _rows(self, lines: Sequence[Activity]) -> Sequence[ActivityRow]:
        names = await self._trail.environment_names(lines)
        return [
            ActivityRow(one, names.get(one.environment_id, REMOVED) if one.environment_id else "")
            for one in lines
        ]

    def on_event(self, event: object) -> None:
        """Read again; who has scrolled on gets new lines with the next search."""
        if self.model.rowCount() <= PAGE:
            super().on_event(event)

    # --- what is shown -------------------------------------------------------------------------------

    def empty_words(self) -> str:
        """Return what is shown where no line is."""
        return NOTHING_YET if self.wanted() == ActivityFilter() else NO_MATCH

    def summary(self) -> str:
        """Return how many lines are listed, or what is wrong with a day."""
        count = self.model.rowCount()
        if self.filters.trouble:
            return self.filters.trouble
        if self.model.has_more:
            return _("The newest {number} lines are listed; scroll on for more.").format(number=number(count))
        return ngettext("1 line", "{count} lines", count)
