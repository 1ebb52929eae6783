"""One line with the first causes of a sale that failed, from what is known of it without asking anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keybench.core.sales.sale import Sale
from keybench.ui.kit.actions import Action
from keybench.ui.kit.labels import MessageLabel, set_tip
from keybench.ui.shared.sales.actions import is_failed
from keybench.ui.shared.session import Session
from keybench.words.language import _

if TYPE_CHECKING:  # what sorts causes is only needed where a sale fails
    from keybench.core.diagnosis.conclusion import Conclusion

_MOST: Final = 3
#: What a label of one line needs beside it.
_SPARE_PX: Final = 2


class FailureCauses(MessageLabel):
    """The first three causes, the likeliest first; they and the evidence are the tip of what finds out more.

    It takes its room as soon as a sale has failed, so that nothing moves when the causes are known.
    """

    def __init__(self, session: Session, diagnose: Action) -> None:
        super().__init__(1)
        self._session, self._diagnose, self._usual_tip = session, diagnose, diagnose.toolTip()
        self._about: Sale | None = None
        self._turn = 0
        self.setAccessibleName(_("Causes"))
        self.hide()

    def _reserve(self) -> None:
        self.setMinimumHeight(self.fontMetrics().lineSpacing() + _SPARE_PX)

    def show_sale(self, sale: Sale) -> None:
        if sale == self._about:
            return
        before, self._about = self._about, sale
        if before is None or before.reference != sale.reference or not is_failed(sale):
            self._say("", "")
        if is_failed(sale):
            self._turn += 1
            self._session.run(f"causes {id(self)} #{self._turn}", self._read(sale), owner=self)

    async def _read(self, sale: Sale) -> None:
        conclusion = await self._session.console.diagnose.at_failure(sale)
        if sale == self._about:
            self._show(conclusion)

    def _show(self, conclusion: Conclusion) -> None:
        from keybench.words.diagnosis import because, causes_line  # noqa: PLC0415 - as above
        from keybench.words.diagnosis.causes import cause_title  # noqa: PLC0415 - as above

        causes = conclusion.suspects[:_MOST]
        self._say(
            causes_line(conclusion),
            "\n".join(f"{cause_title(one.cause)} {because(one)}" for one in causes),
        )

    def _say(self, text: str, evidence: str) -> None:
        self.setText(text)
        self.setAccessibleDescription(evidence)
        set_tip(self, evidence)
        self._diagnose.set_tip("\n".join(filter(None, (text, evidence, self._usual_tip))))
