"""The edits that contradict, each as two values to choose from; there only while there are some."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtWidgets import QFrame, QWidget

from keybench.core.team.edits import Contradiction
from keybench.ui.kit.boxes import framed, in_column, in_row
from keybench.ui.kit.labels import button, label, prose
from keybench.ui.shared.session import Session
from keybench.words.language import _, number
from keybench.words.team.edits import TITLE, contradiction_words

#: So many are shown at once; the rest follow when these are settled.
_MOST: Final = 3


class Contradictions(QFrame):
    """The list, the oldest first."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setAccessibleName(TITLE)
        self._session = session
        self._content: QWidget | None = None
        self._column = in_column(label(TITLE, "strong"), within=self)
        self.hide()

    def show_found(self, found: Sequence[Contradiction]) -> None:
        if self._content:
            self._content.deleteLater()
        rest = (
            [label(_("{count} in all").format(count=number(len(found))), "dim")] if len(found) > _MOST else []
        )
        self._content = framed(in_column(*map(self._row, found[:_MOST]), *rest))
        self._column.addWidget(self._content)
        self.setVisible(bool(found))

    def _row(self, found: Contradiction) -> QFrame:
        told, *ways = contradiction_words(found)
        settle = self._session.administration.inventory.settle

        def choose(*, take_other: bool) -> None:
            self._session.run(f"settle {found.number}", settle(found, take_other=take_other))

        buttons = [
            button(way, partial(choose, take_other=take_other), name=f"{way}: {told}")
            for way, take_other in zip(ways, (False, True), strict=True)
        ]
        return framed(in_row((prose(told), 1), *buttons))
