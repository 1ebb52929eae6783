"""How wide the columns of the key tables are: the same in both, with room left for the name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtGui import QFont, QFontMetrics

from keybench.ui.keys.rows import COLUMNS, NAME, PERMISSION, STATE, TESTED, USERNAME
from keybench.ui.theme import scaled
from keybench.ui.widgets.old_table import Table

#: In pixels at 13 px text: what a name gets before others give way, what it keeps before each of them goes,
#: and the space round a text.
_NAME_FULL: Final = 180
_NAME_LEAST: Final = {PERMISSION: 120, USERNAME: 108, TESTED: 92}
_PADDING: Final = 18
#: What a pill needs besides its text and the delegate's own margins, when text is large.
_PILL: Final = 6
#: Which columns give way first; the details below the tables have them all.
_YIELDING: Final = (PERMISSION, USERNAME, TESTED)


def column_widths(tables: Sequence[Table], available: int) -> dict[int, int]:
    """Return the width of every column but the name, which takes what is left; 0 hides a column.

    Where there is too little room, columns are first elided down to their titles, then the name gives way,
    then columns go.

    Args:
        tables: Their contents are measured.
        available: The width to share out, in pixels.
    """
    titles = {column: _title(tables[0], column) for column in _YIELDING}
    widths = {column: max(_contents(tables, column), title) for column, title in titles.items()}
    widths[STATE] = _contents(tables, STATE) + scaled(_PILL)
    name = min(_contents(tables, NAME), scaled(_NAME_FULL))
    for column in _YIELDING:
        lacking = sum(widths.values()) + name - available
        widths[column] -= min(max(lacking, 0), widths[column] - titles[column])
    for column in _YIELDING:
        if sum(widths.values()) + min(name, scaled(_NAME_LEAST[column])) > available:
            widths[column] = 0
    return widths


def _title(table: Table, column: int) -> int:
    # The header's own size hint keeps room for the sort mark in every column.
    font = QFont(table.font())
    font.setPixelSize(max(font.pixelSize() - 1, 8))
    font.setBold(True)
    return QFontMetrics(font).horizontalAdvance(COLUMNS[column]) + scaled(_PADDING)


def _contents(tables: Sequence[Table], column: int) -> int:
    # Asks the delegate of each row in sight only, so a long list costs no more than a short one.
    return max(table.sizeHintForColumn(column) for table in tables)
