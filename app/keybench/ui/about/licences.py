"""The licences of all that is shipped: a table, and the text of the chosen one."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QSizePolicy, QWidget

from keybench.runtime.licences import Component, Licences
from keybench.ui.bundle.preview import Preview
from keybench.ui.theme import keep_size
from keybench.ui.widgets.boxes import in_column
from keybench.ui.widgets.labels import prose
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.language import _

_NONE: Final = "\N{EN DASH}"
_ROWS: Final = (3, 3)
_TEXT_PX: Final = 110


_COLUMNS: Final = (
    Column[Component]("name", _("Name"), lambda one: one.name, stretch=True, bold=True),
    Column[Component]("version", _("Version"), lambda one: one.version or _NONE),
    Column[Component]("licence", _("Licence"), lambda one: one.licence or _NONE),
)


class LicencesView(QWidget):
    """Reads from top to bottom: what this is, the table, and the chosen licence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = prose(_("Looking…"), "dim")
        self.table = Table(
            _("Licences"),
            TableModel(_COLUMNS),
            height_in_rows=_ROWS,
            empty_text=_("Looking…"),
        )
        self.preview = Preview()
        self.preview.setAccessibleName(_("The licence's text"))
        self.preview.setLineWrapMode(Preview.LineWrapMode.WidgetWidth)
        self.preview.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        keep_size(self.preview, least_height=_TEXT_PX)
        in_column(self.words, self.table, (self.preview, 1), within=self)
        self.table.selection_changed.connect(self._on_selected)

    def show_licences(self, found: Licences) -> None:
        self.words.setText(
            _("Keybench ships all of this. Qt's notice and offer come first.")
            if found.is_shipped
            else _("There is no list of what is shipped, as in a checkout of the source. Installed are:")
        )
        offer = Component(_("Qt: notice and offer"), "", "LGPL-3.0", found.qt_notice)
        self.table.model().show([offer, *found.components] if found.qt_notice else found.components)
        self.table.select_row(0)

    def _on_selected(self) -> None:
        one = self.table.selected
        self.preview.show_text((one.text or _("The text isn't here.")) if one else "")
