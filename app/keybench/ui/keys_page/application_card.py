"""The card of an application: how its key is changed there, and what can be done with its entry."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPlainTextEdit

from keybench.ui.keys_page.application_columns import ApplicationRow, when_words
from keybench.ui.keys_page.environment_cells import environment_words
from keybench.ui.widgets.detail_card import DetailCard
from keybench.words.language import _

_NONE: Final = _("No application chosen")
_HOW: Final = _("Choose an application above, and how its key is changed there is shown here.")
_NO_STEPS: Final = _("Nobody has written down yet how its key is changed there. Edit it to add that.")
_LINES: Final = 3
_FEW_LINES: Final = 1


class ApplicationCard(DetailCard):
    """The card.

    Args:
        actions: What can be done with the entry, from left to right.
        apart: What stands apart from that, on the right.
    """

    def __init__(self, actions: Sequence[QAction], apart: Sequence[QAction]) -> None:
        self.steps = QPlainTextEdit()
        self.steps.setReadOnly(True)
        self.steps.setAccessibleName(_("How to change it there and restart"))
        self.steps.setTabChangesFocus(True)
        room = self.steps.sizePolicy()
        room.setRetainSizeWhenHidden(True)  # the card is as high without an application
        self.steps.setSizePolicy(room)
        super().__init__(actions, apart, body=[self.steps])
        self.show_low(low=False)

    def show_row(self, row: ApplicationRow | None, now: datetime) -> None:
        self.steps.setVisible(row is not None)
        if row is None:
            self.show_head(_NONE, "", "dim", "")
            self.facts.setText(_HOW)
            self.steps.setPlainText("")
            return
        application = row.application
        place = _("its key was forgotten: edit it to name another")
        if row.key:
            place = _("uses {name} in {environment_words}").format(
                name=row.key.name, environment_words=environment_words(row)
            )
        is_live = row.environment.is_live and row.key is not None
        tone = "dim" if application.owner else "warning"
        self.show_head(application.name, row.owner, tone, place, live=is_live)
        self.state.setAccessibleName(_("Owner: {value}").format(value=application.owner or _("none")))
        changed = when_words(application.changed_at, application.changed_by, now, "")
        seen = when_words(application.seen_working_at, application.seen_by, now, "")
        facts = (
            _("Key set in {place}").format(place=application.place)
            if application.place
            else _("Location unknown"),
            _("changed {when}").format(when=changed) if changed else _("last change unknown"),
            _("seen working {when}").format(when=seen) if seen else _("never seen working"),
        )
        self.facts.setText(" · ".join(facts))
        self.steps.setPlainText(application.instructions or _NO_STEPS)

    def show_low(self, *, low: bool) -> None:
        """Show less where there is little room; the table's columns have the facts."""
        self.facts.setVisible(not low)
        lines = _FEW_LINES if low else _LINES
        self.steps.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 20)
