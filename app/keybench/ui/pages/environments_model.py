"""The environments as a table's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from keybench.core.environment import Environment, EnvironmentKind
from keybench.ui.icons import mark_pixmap
from keybench.ui.theme import scaled, tokens
from keybench.ui.tokens import tone_of_kind
from keybench.ui.widgets.table import TONE_ROLE

KIND_WORDS: Final = {
    EnvironmentKind.PRACTICE: "Practice",
    EnvironmentKind.TEST: "Test",
    EnvironmentKind.LIVE: "LIVE",
}
COLUMNS: Final = ("Name", "Kind", "Base URL", "Contract", "Limit", "Keys")
NAME, KIND, BASE_URL, CONTRACT, LIMIT, KEYS = range(len(COLUMNS))
_MARK_PX: Final = 11
_Index = QModelIndex | QPersistentModelIndex
_ROOT: Final = QModelIndex()


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """An environment and how many keys it has."""

    environment: Environment
    keys: int


class EnvironmentsModel(QAbstractTableModel):
    """Rows of environments, practice first."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[EnvironmentRow, ...] = ()

    def show_rows(self, rows: Sequence[EnvironmentRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Return how many environments there are."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in (LIMIT, KEYS):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(row, column)
        if role == Qt.ItemDataRole.DecorationRole and column == NAME:
            return mark_pixmap(row.environment.kind, tokens(), scaled(_MARK_PX))
        if role == TONE_ROLE and column == KIND:
            return tone_of_kind(row.environment.kind)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (LIMIT, KEYS):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


def _text(row: EnvironmentRow, column: int) -> str:
    environment = row.environment
    texts = {
        NAME: environment.name,
        KIND: KIND_WORDS[environment.kind],
        BASE_URL: environment.base_url or "Built in, on this computer",
        CONTRACT: environment.contract,
        LIMIT: "–" if environment.amount_limit is None else str(environment.amount_limit),  # noqa: RUF001 - a dash
        KEYS: str(row.keys),
    }
    return texts[column]
