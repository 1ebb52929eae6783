"""The table of what was done: pages are read as they are scrolled to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal

from keybench.core.ports import Activity
from keybench.ui.widgets.rows_model import Column, Index, Look, RowsModel
from keybench.words.activity import action_words, result_words, spoken_line
from keybench.words.formats import day_and_time

WHEN, WHAT, SUBJECT, ENVIRONMENT, RESULT = range(5)
_REMOVED: Final = "removed"


class _Names:
    """What the environments are called."""

    def __init__(self) -> None:
        self.environments: Mapping[str, str] = {}

    def environment(self, line: Activity) -> str:
        return self.environments.get(line.environment_id, _REMOVED) if line.environment_id else ""

    def spoken(self, line: Activity) -> str:
        return spoken_line(line, self.environment(line))


def _columns(names: _Names) -> tuple[Column[Activity], ...]:
    return (
        Column("Time", lambda line: day_and_time(line.at), Look(hint=lambda line: line.at.isoformat())),
        Column("Done", action_words, Look(bold=True, described=names.spoken)),
        Column("Key or sale", lambda line: line.subject),
        Column("Environment", names.environment),
        Column("Result", result_words),
    )


class ActivityModel(RowsModel[Activity]):
    """The lines found so far, newest first.

    Signals:
        more_wanted: The view has come to the end of what is here, and there is more.
    """

    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        self._names = _Names()
        super().__init__(_columns(self._names), parent)
        self.has_more = False

    def show_page(self, lines: Sequence[Activity], names: Mapping[str, str], *, has_more: bool) -> None:
        """Show these lines in place of all others, with what the environments are called."""
        self._names.environments = dict(names)
        self.has_more = has_more
        self.renew_rows(lines, lambda line: line.number)

    def add_page(self, lines: Sequence[Activity], *, has_more: bool) -> None:
        """Add the lines of the next page below."""
        self.has_more = has_more
        self.insert_rows(len(self._rows), lines)

    @property
    def last_number(self) -> int:
        """The number of the last line here; 0 if there is none."""
        return self._rows[-1].number if self._rows else 0

    def canFetchMore(self, parent: Index) -> bool:
        """Tell whether there are more lines than are here."""
        return not parent.isValid() and self.has_more

    def fetchMore(self, parent: Index) -> None:
        """Ask for the next page; it comes when it has been read."""
        if not parent.isValid() and self.has_more:
            self.more_wanted.emit()
