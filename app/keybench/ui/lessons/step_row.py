"""One step of a lesson in the panel: its state, and for the present one its text, hints and where it is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from PySide6.QtWidgets import QFrame

from keybench.core.lessons.lesson import LessonStep
from keybench.ui.kit.boxes import WrappingRow, framed, in_column, in_row
from keybench.ui.kit.labels import MessageLabel, Pill, button, label, prose
from keybench.ui.kit.theme import set_role
from keybench.words.language import _
from keybench.words.lessons.progress import missing_words, step_text, step_title

StepState = Literal["done", "present", "later"]
_TONES: Final = {"done": "good", "present": "accent", "later": "dim"}
_SPOKEN: Final = {"done": _("done"), "present": _("now"), "later": _("later")}


class StepRow(QFrame):
    """The row; `take_hint` and `show_where` are called when their buttons are pressed."""

    def __init__(
        self, number: int, step: LessonStep, take_hint: Callable[[], object], show_where: Callable[[], object]
    ) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.number, self.step = number, step
        self._state: StepState | None = None
        self._mark = Pill(str(number))
        self._title = prose(step_title(step))
        self._missing = prose("", "strong")
        self._hints = prose()
        self.hint = button(_("Hint"), take_hint)
        self._hint_count = label("", "dim")
        self.where = button(_("Show me where"), show_where)
        self.where.setVisible(bool(step.show))
        self.said = MessageLabel(role="dim")
        buttons = WrappingRow([self.hint, self._hint_count, self.where], spread=True)
        parts = (prose(step_text(step), "dim"), self._missing, self._hints, buttons, self.said)
        self._details = framed(in_column(*parts, spacing=6))
        words = in_column(self._title, self._details, spacing=4)
        head = in_column(self._mark, None)
        in_row(head, (words, 1), within=self, margins=(8, 8, 8, 8), spacing=8)
        for one in (self._missing, self._hints, self.said):
            one.hide()
        self.show_state("later")

    def show_state(self, state: StepState) -> None:
        if state == self._state:
            return
        self._state = state
        self._mark.show_state("✓" if state == "done" else str(self.number), _TONES[state])
        set_role(self, "tone", "accent" if state == "present" else "")
        set_role(self._title, "role", {"present": "strong", "later": "dim"}.get(state, ""))
        spoken = _("Step {number}, {state}: {title}").format(
            number=self.number, state=_SPOKEN[state], title=self._title.text()
        )
        self._title.setAccessibleName(spoken)
        self._details.setVisible(state == "present")
        self.say("")

    def show_counts(self, counts: tuple[int, ...]) -> None:
        """Show how often what is wanted several times was done."""
        self._missing.show_text(missing_words(self.step, counts))

    def show_hints(self, taken: int) -> None:
        hints = self.step.hints
        taken = min(taken, len(hints))
        self._hints.show_text("\n\n".join(hints[:taken]))
        self._hint_count.setText(_("{taken} of {count}").format(taken=taken, count=len(hints)))
        self.hint.setEnabled(taken < len(hints))

    def say(self, text: str) -> None:
        self.said.setVisible(bool(text))
        self.said.say(text, "warning")
