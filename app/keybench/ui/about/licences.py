"""The licences of all that is shipped: a table, and the text of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from keybench.runtime.licences import Component, Licences
from keybench.ui.bundle.preview import Preview
from keybench.ui.theme import keep_size
from keybench.ui.widgets.labels import prose
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.language import _

_NONE: Final = "\N{EN DASH}"
_ROWS: Final = (3, 3)
_TEXT_PX: Final = 110


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table."""

    number: int
    component: Component


_COLUMNS: Final = (
    Column[Row]("name", _("Name"), lambda row: row.component.name, stretch=True, bold=True),
    Column[Row]("version", _("Version"), lambda row: row.component.version or _NONE),
    Column[Row]("licence", _("Licence"), lambda row: row.component.licence or _NONE),
)


class LicencesView(QWidget):
    """Reads from top to bottom: what this is, the table, and the chosen licence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = prose(_("Looking…"), "dim")
        self.table = Table(
            _("Licences"),
            TableModel(_COLUMNS, lambda row: row.number),
            height_in_rows=_ROWS,
            empty_text=_("Looking…"),
        )
        self.preview = Preview()
        self.preview.setAccessibleName(_("The licence's text"))
        self.preview.setLineWrapMode(Preview.LineWrapMode.WidgetWidth)
        self.preview.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        keep_size(self.preview, least_height=_TEXT_PX)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.words)
        layout.addWidget(self.table)
        layout.addWidget(self.preview, 1)
        self.table.selection_changed.connect(self._on_selected)

    def show_licences(self, found: Licences) -> None:
        self.words.setText(
            _("Keybench ships all of this. Qt's notice and offer come first.")
            if found.is_shipped
            else _("There is no list of what is shipped, as in a checkout of the source. Installed are:")
        )
        self.table.model().show(_rows(found))
        self.table.select_row(0)

    def _on_selected(self) -> None:
        row = self.table.selected
        self.preview.show_text((row.component.text or _("The text isn't here.")) if row else "")


def _rows(found: Licences) -> Sequence[Row]:
    offer = Component(_("Qt: notice and offer"), "", "LGPL-3.0", found.qt_notice)
    listed = [offer, *found.components] if found.qt_notice else found.components
    return [Row(number, one) for number, one in enumerate(listed)]
