"""One line with the first causes of a sale that failed, from what is known of it without asking anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QWidget

from keybench.core.sale import Sale
from keybench.ui.actions import ActionButton
from keybench.ui.sale.sale_actions import is_failed
from keybench.ui.session import Session
from keybench.ui.widgets.labels import prose, set_tip
from keybench.words.language import _

if TYPE_CHECKING:  # what sorts causes is only needed where a sale fails
    from keybench.core.diagnosis.reasoning import Conclusion

_MOST: Final = 3
#: What a label needs beside its lines.
_SPARE_PX: Final = 2
#: What the button is higher than a line.
_AROUND_PX: Final = 6


class FailureCauses(QWidget):
    """The first three causes, the likeliest first, beside a button that finds out more.

    It takes its room as soon as a sale has failed, so that nothing moves when the causes are known.

    Args:
        session: Knows what is known of the sale.
        diagnose: Finds out more.

    Attributes:
        words: The causes; the evidence is their tool tip and description.
    """

    def __init__(self, session: Session, diagnose: QAction) -> None:
        super().__init__()
        self._session = session
        self._about: Sale | None = None
        self._turn = 0
        self.words = prose()
        self.words.setAccessibleName(_("Causes"))
        self._button = ActionButton(diagnose, "link")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.words, 1)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def keep_lines(self, lines: int) -> None:
        """Keep room for so many lines of causes."""
        self.words.ensurePolished()
        metrics = self.words.fontMetrics()
        self.words.setMinimumHeight(metrics.height() + (lines - 1) * metrics.lineSpacing() + _SPARE_PX)

    def least_height(self) -> int:
        """Return the height with one line of causes, which is kept free for it."""
        return self.words.fontMetrics().height() + _AROUND_PX

    def leave_button_out(self) -> None:
        """Show the causes alone, where the button stands elsewhere."""
        self._button.setParent(None)
        self._button.deleteLater()

    def show_sale(self, sale: Sale) -> None:
        """Show the causes of a sale that failed; of any other nothing."""
        if sale == self._about:
            return
        before, self._about = self._about, sale
        if before is None or before.reference != sale.reference or not is_failed(sale):
            self._say("", "")
        self.setVisible(is_failed(sale))
        if is_failed(sale):
            self._turn += 1
            self._session.run(f"causes {id(self)} #{self._turn}", self._read(sale), owner=self)

    async def _read(self, sale: Sale) -> None:
        conclusion = await self._session.console.diagnose.at_failure(sale)
        if sale == self._about:
            self._show(conclusion)

    def _show(self, conclusion: Conclusion) -> None:
        from keybench.words.diagnosis import because, cause_title, causes_line  # noqa: PLC0415 - as above

        causes = conclusion.suspects[:_MOST]
        self._say(
            causes_line(conclusion),
            "\n".join(f"{cause_title(one.cause)} {because(one)}" for one in causes),
        )

    def _say(self, text: str, evidence: str) -> None:
        self.words.setText(text)
        self.words.setAccessibleDescription(evidence)
        set_tip(self.words, evidence)
