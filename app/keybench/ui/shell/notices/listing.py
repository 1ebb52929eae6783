"""The list of this run's notices, as a dialog."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.labels import prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled
from keybench.ui.shell.notices.bar import Entry, NoticeBar
from keybench.words.formats import clock_time
from keybench.words.language import _

_WIDTH_PX: Final = 640
_ROWS: Final = (6, 10)
_LINES: Final = 4
COLUMNS: Final = (
    Column[Entry]("at", _("Time"), lambda entry: clock_time(entry.at), sort=lambda entry: entry.number),
    Column[Entry](
        "title",
        _("Notice"),
        lambda entry: entry.notice.title,
        stretch=True,
        bold=True,
        ink=lambda entry: "accent" if entry.notice.tone == "info" else entry.notice.tone,
    ),
    Column[Entry]("environment", _("Environment"), lambda entry: entry.environment),
)


class NoticeList(QWidget):
    """The table of notices, and all of the selected one below it."""

    def __init__(self, bar: NoticeBar) -> None:
        super().__init__()
        self._bar = bar
        self.table = Table(
            _("Notices of this run"),
            TableModel(COLUMNS, lambda entry: entry.number),
            height_in_rows=_ROWS,
            empty_text=_("No notices yet. They are listed here while Keybench is open."),
        )
        self.title = prose("", "strong")
        self.text = prose("", selectable=True)
        self.text.setMinimumHeight(_LINES * self.text.fontMetrics().lineSpacing())
        in_column(self.table, self.title, self.text, within=self)
        self.setFixedWidth(scaled(_WIDTH_PX))
        self.table.selection_changed.connect(self._on_selection)
        bar.listed.connect(self._show)
        self._show()
        self.table.select_row(0)

    def _show(self) -> None:
        self.table.model().show(self._bar.entries)

    def _on_selection(self) -> None:
        entry = self.table.selected
        self.title.setText(entry.notice.title if entry else "")
        self.text.setText(entry.notice.text if entry else "")


async def show_notices(parent: QWidget, bar: NoticeBar) -> None:
    content = NoticeList(bar)
    await Dialog(parent, title=_("Notices"), confirm=_("Close"), cancel="", content=content).answer()
