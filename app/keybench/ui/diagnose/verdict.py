"""The right side of the Diagnose page: whose trouble it is, the causes, what to do next, what is ruled out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QGridLayout, QProgressBar, QPushButton, QWidget

from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.checks import Check, Silence
from keybench.core.diagnosis.conclusion import Conclusion, Diagnosis, Standing
from keybench.ui.diagnose.asking import TITLE_PX
from keybench.ui.diagnose.remedies import Help
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import PageFrame, WrappingRow, bring_into_sight, framed, in_column, in_row
from keybench.ui.kit.labels import ElidedLabel, Pill, breakable, button, label, line, prose
from keybench.ui.kit.theme import keep_size, set_role
from keybench.ui.kit.tokens import Tone
from keybench.words.diagnosis import because, explained_text, headline, next_check_text, summary, untold
from keybench.words.diagnosis.causes import cause_name, cause_title, remedy, standing_word, trouble_word
from keybench.words.formats import day_and_time, duration, listed
from keybench.words.language import _, ngettext

_TONES: Final[Mapping[Trouble, Tone]] = {
    Trouble.OURS: "bad",
    Trouble.NETWORK: "bad",
    Trouble.GATEWAY: "bad",
    Trouble.DEVICE: "warning",
    Trouble.CUSTOMER: "warning",
    Trouble.ISSUER: "warning",
    Trouble.NONE: "good",
    Trouble.OPEN: "unknown",
}
_WHAT: Final = _("Why did it fail?")
_DOES: Final = _(
    "A diagnosis looks at the keystore, the base URL, the network, the certificate, the clock, the key and the "
    "device, side by side. Then it says whose trouble it is, what the cause may be, what rules the others out, "
    "and what to do. It takes 20 seconds at the most."
)
_NEVER: Final = _(
    "It never sends a sale. What it asks the gateway moves no money, in live as elsewhere, and it sends the "
    "key's value nowhere but to this environment's own gateway, unless you agree."
)


@dataclass(frozen=True, slots=True)
class _Line:
    """What is told of one thing: a word for what it is, texts, and a button for what can be done.

    Attributes:
        id: The same for the same thing in the next diagnosis.
    """

    id: str
    pill: tuple[str, Tone] = ("", "dim")
    title: str = ""
    text: str = ""
    note: str = ""
    wanted: Help | Check | None = None
    button: str = ""
    is_primary: bool = False


class _Row:
    """The widgets of a line; they stay for as long as there is a line of its id."""

    def __init__(self, parent: QWidget, do: SignalInstance) -> None:
        self.told = _Line("")
        self.line = line()
        self.pill = Pill()
        self.title = prose("", "strong", selectable=True)
        self.text = prose("", selectable=True)
        self.note = prose("", "dim", selectable=True)
        self.button = button("", lambda: do.emit(self.told.wanted))
        self.words = framed(in_column(self.title, self.text, self.note, spacing=1))
        for part in self.parts:
            part.setParent(parent)

    @property
    def parts(self) -> tuple[QWidget, ...]:
        return self.line, self.pill, self.words, self.button

    def show(self, told: _Line) -> None:
        self.told = told
        self.pill.show_state(*told.pill)
        self.pill.setVisible(bool(told.pill[0]))
        for part, text in ((self.title, told.title), (self.text, told.text), (self.note, told.note)):
            part.show_text(breakable(text))
        self.button.setText(told.button)
        is_check = isinstance(told.wanted, Check)
        self.button.setAccessibleName(told.button.rstrip("…") if is_check else told.button)
        self.button.setAccessibleDescription(told.title)
        set_role(self.button, "tone", "primary" if told.is_primary else "plain")
        self.button.setVisible(bool(told.button))


class VerdictPane(QFrame):
    """Says what a diagnosis does, how far one is, or what one came to.

    The next diagnosis of the same changes what is different in it, and the keyboard and what is in sight stay.

    Signals:
        wanted: A button was pressed: for what helps against a cause (a `Help`), or the next check (a `Check`).
    """

    wanted = Signal(object)

    def __init__(self, copy: Action, save: Action) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.pill = Pill()
        self.pill.setProperty("large", "true")
        self.pill.setAccessibleName(_("Verdict"))
        self.headline = prose("", "title", selectable=True)
        self.headline.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        self.took = label("", "dim")
        for one in (self.headline, self.took):
            keep_size(one, least_height=TITLE_PX)
        self.summary = prose("", "dim", selectable=True)
        self.about = ElidedLabel("", "dim")
        self.progress = QProgressBar(textVisible=False)
        self.progress.setAccessibleName(_("Progress of the diagnosis"))
        self.held = label("", "dim")
        self._rows: dict[str, _Row] = {}
        self._inside = QWidget()
        self._grid = QGridLayout()
        self._body = PageFrame(sideways=False)
        self._footer = WrappingRow([ActionButton(copy), ActionButton(save), self.held], spread=True)
        self._lay_out()

    @property
    def buttons(self) -> Sequence[QPushButton]:
        """The buttons that help, or make the next check, from top to bottom."""
        return [row.button for row in self._rows.values() if row.told.button]

    def show_nothing(self) -> None:
        self.headline.setText(_WHAT)
        self.summary.setText(f"{_DOES}\n\n{_NEVER}")
        self._show_parts(done=False)

    def clear(self) -> None:
        """Forget what was found; something else is looked at."""
        self.pill.setAccessibleDescription("")
        self._show_lines(())

    def show_running(self, ended: int, total: int) -> None:
        self.progress.setMaximum(max(total, 1))
        self.progress.setValue(ended)
        words = ngettext("{ended} of {total} check has ended", "{ended} of {total} checks have ended", total)
        self.headline.setText(_("Looking…"))
        self.summary.setText(words.format(ended=ended, total=total))
        self.progress.setAccessibleDescription(self.summary.text())
        self._show_parts(done=False, running=True)

    def show_diagnosis(
        self,
        diagnosis: Diagnosis,
        helps: Mapping[Cause, Help],
        environment: str,
        held: str,
        *,
        stopped: bool,
    ) -> None:
        """Show what a diagnosis came to."""
        trouble, is_new = diagnosis.conclusion.trouble, not self._rows
        self.pill.show_state(trouble_word(trouble), _TONES[trouble])
        self.headline.setText(breakable(headline(diagnosis)))
        took = f"{duration(diagnosis.took_s)} · {day_and_time(diagnosis.at)}"
        self.took.setText(_("Stopped after {took}").format(took=took) if stopped else took)
        self.summary.setText(summary(diagnosis))
        about = (environment, diagnosis.host, diagnosis.key, diagnosis.device, diagnosis.reference)
        self.about.setText(" · ".join(filter(None, about)))
        self.held.setText(held)
        self._show_lines([*_lines(diagnosis, helps)])
        self._show_parts(done=True)
        words = f"{self.pill.text()}. {headline(diagnosis)} {self.summary.text()}"
        if not self.isVisible():
            self.pill.setAccessibleDescription(words)
            return
        announce(self.pill, words)
        if is_new:
            for part in (self.summary, self.pill):
                bring_into_sight(part)

    def _show_parts(self, *, done: bool, running: bool = False) -> None:
        for part in (self.pill, self.took, self.about, self._footer):
            part.setVisible(done)
        self._body.setVisible(done or running)
        self.held.setVisible(bool(self.held.text()))
        self.progress.setVisible(running)

    def _show_lines(self, lines: Sequence[_Line]) -> None:
        before, top = self._rows, Qt.AlignmentFlag.AlignTop
        had_keyboard = any(one.hasFocus() for one in self.buttons)
        self._rows = {told.id: before.get(told.id) or _Row(self._inside, self.wanted) for told in lines}
        gone = [row for id_, row in before.items() if id_ not in self._rows]
        for part in (part for row in gone for part in row.parts):
            part.hide()
            part.deleteLater()
        for number, (told, row) in enumerate(zip(lines, self._rows.values(), strict=True)):
            row.show(told)
            row.line.setVisible(number > 0)
            self._grid.addWidget(row.line, 2 * number, 0, 1, 3)
            self._grid.addWidget(row.pill, 2 * number + 1, 0, top)
            first, end = bool(told.pill[0]), 2 if told.button else 3
            self._grid.addWidget(row.words, 2 * number + 1, first, 1, end - first)
            self._grid.addWidget(row.button, 2 * number + 1, 2, top | Qt.AlignmentFlag.AlignRight)
        if had_keyboard and self.buttons and not any(one.hasFocus() for one in self.buttons):
            self.buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)  # the one it was at has gone

    def _lay_out(self) -> None:
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        in_column(self._grid, within=self._inside, margins=(0, 0, 6, 0)).addStretch(1)
        self._body.hold(self._inside)
        head = in_row(self.pill, (self.headline, 1), self.took, spacing=10)
        for one in (self.pill, self.took):
            head.setAlignment(one, Qt.AlignmentFlag.AlignTop)
        parts = (head, self.summary, self.about, self.progress, (self._body, 1), self._footer)
        in_column(*parts, within=self, margins=(16, 14, 16, 12)).addStretch(0)


def _lines(diagnosis: Diagnosis, helps: Mapping[Cause, Help]) -> Iterator[_Line]:
    conclusion = diagnosis.conclusion
    for number, one in enumerate(conclusion.suspects):
        is_likely, wanted = one.standing is Standing.LIKELY, helps.get(one.cause)
        yield _Line(
            one.cause,
            (standing_word(one.standing), "bad" if is_likely else "warning"),
            cause_title(one.cause),
            because(one),
            remedy(one.cause),
            wanted,
            wanted.value if wanted else "",
            is_primary=is_likely and not number,
        )
    for explained in conclusion.explained:
        words = explained_text(explained)
        yield _Line(f"explained {explained.check}", (_("explained"), "dim"), note=words)
    if check := conclusion.next_check:
        finding = diagnosis.finding(check)
        asks = finding is not None and finding.silence is Silence.NOT_ASKED
        yield _Line(
            "next check",
            (_("next check"), "accent"),
            text=next_check_text(check),
            wanted=check,
            button=_("Check…") if asks else _("Check"),
            is_primary=True,
        )
    if conclusion.ruled_out:
        yield _Line("ruled out", title=_("Ruled out, and by what"), text=_ruled_out(conclusion))
    if unclear := untold(diagnosis.findings):
        yield _Line("untold", note=unclear)


def _ruled_out(conclusion: Conclusion) -> str:
    by_evidence: dict[str, list[str]] = {}
    for judged in conclusion.ruled_out:
        by_evidence.setdefault(because(judged), []).append(cause_name(judged.cause))
    return "\n".join(f"{listed(names)}: {evidence}" for evidence, names in by_evidence.items())
