"""The right side of the Diagnose page: whose trouble it is, the causes, what to do next, what is ruled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QProgressBar,
    QPushButton,
    QWidget,
)

from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.checks import Silence
from keybench.core.diagnosis.conclusion import Conclusion, Diagnosis, Standing
from keybench.ui.diagnose.asking import TITLE_PX
from keybench.ui.diagnose.remedies import Help
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import ElidedLabel, Label, Role, breakable, button, label, line, prose
from keybench.ui.kit.page_frame import PageFrame, bring_into_sight
from keybench.ui.kit.pill import Pill
from keybench.ui.kit.theme import keep_size
from keybench.ui.kit.tokens import Tone
from keybench.ui.kit.wrapping_row import WrappingRow
from keybench.words.diagnosis import (
    because,
    cause_name,
    cause_title,
    explained_text,
    headline,
    next_check_text,
    remedy,
    standing_word,
    summary,
    trouble_word,
    untold,
)
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


class VerdictPane(QFrame):
    """Says what a diagnosis does, how far one is, or what one came to.

    Signals:
        help_wanted: A button that helps against a cause was pressed (a `Help`).
        check_wanted: The next check is to be made (a `Check`).
    """

    help_wanted = Signal(object)
    check_wanted = Signal(object)

    def __init__(self, copy: Action, save: Action) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.buttons: list[QPushButton] = []
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
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(_("Progress of the diagnosis"))
        self.held = label("", "dim")
        self._body = PageFrame()
        self._body.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._footer = WrappingRow([ActionButton(copy), ActionButton(save), self.held], spread=True)
        self._lay_out()

    def show_nothing(self) -> None:
        self.pill.setAccessibleDescription("")
        self.headline.setText(_WHAT)
        self.summary.setText(f"{_DOES}\n\n{_NEVER}")
        self._show_parts(done=False)

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
        trouble = diagnosis.conclusion.trouble
        self.pill.show_state(trouble_word(trouble), _TONES[trouble])
        self.headline.setText(breakable(headline(diagnosis)))
        took = f"{duration(diagnosis.took_s)} · {day_and_time(diagnosis.at)}"
        self.took.setText(_("Stopped after {took}").format(took=took) if stopped else took)
        self.summary.setText(summary(diagnosis))
        about = (environment, diagnosis.host, diagnosis.key, diagnosis.device, diagnosis.reference)
        self.about.setText(" · ".join(filter(None, about)))
        self.held.setText(held)
        self._fill(diagnosis, helps)
        self._show_parts(done=True)
        words = f"{self.pill.text()}. {headline(diagnosis)} {self.summary.text()}"
        if self.isVisible():
            announce(self.pill, words)
            for part in (self.summary, self.pill):
                bring_into_sight(part)
        else:
            self.pill.setAccessibleDescription(words)

    def _show_parts(self, *, done: bool, running: bool = False) -> None:
        for part in (self.pill, self.took, self.about, self._body, self._footer):
            part.setVisible(done)
        self.held.setVisible(bool(self.held.text()))
        self.progress.setVisible(running)

    def _fill(self, diagnosis: Diagnosis, helps: Mapping[Cause, Help]) -> None:
        self.buttons = []
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 6, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        conclusion = diagnosis.conclusion
        for number, judged in enumerate(conclusion.suspects):
            is_likely = judged.standing is Standing.LIKELY
            title = cause_title(judged.cause)
            words = [_text(title, "strong"), _text(because(judged)), _text(remedy(judged.cause), "dim")]
            pill = Pill(standing_word(judged.standing), "bad" if is_likely else "warning")
            mend = None
            if wanted := helps.get(judged.cause):
                tone = "primary" if is_likely and not number else "plain"
                mend = button(wanted.value, partial(self.help_wanted.emit, wanted), tone=tone)
                mend.setAccessibleDescription(title)
            self._add(grid, words, pill, mend)
        for explained in conclusion.explained:
            self._add(grid, [_text(explained_text(explained), "dim")], Pill(_("explained"), "dim"))
        if check := conclusion.next_check:
            finding = diagnosis.finding(check)
            asks = finding is not None and finding.silence is Silence.NOT_ASKED
            make = button(_("Check…") if asks else _("Check"), tone="primary", name=_("Check"))
            make.clicked.connect(partial(self.check_wanted.emit, check))
            self._add(grid, [_text(next_check_text(check))], Pill(_("next check"), "accent"), make)
        if conclusion.ruled_out:
            self._add(grid, [label(_("Ruled out, and by what"), "strong"), *_ruled_out(conclusion)])
        if unclear := untold(diagnosis.findings):
            self._add(grid, [_text(unclear, "dim")])
        grid.setRowStretch(grid.rowCount(), 1)
        self._body.hold(inside)
        self._body.verticalScrollBar().setValue(0)

    def _add(
        self,
        grid: QGridLayout,
        words: Sequence[Label],
        pill: Pill | None = None,
        helps: QPushButton | None = None,
    ) -> None:
        """Add a row: a word for what it is, texts one below the other, and a button."""
        row = grid.rowCount()
        if row > 1:
            grid.addWidget(line(), row, 0, 1, 3)
            row += 1
        grid.addLayout(in_column(*words, spacing=1), row, 1 if pill else 0, 1, -1 if helps is None else 1)
        if pill:
            grid.addWidget(pill, row, 0, Qt.AlignmentFlag.AlignTop)
        if helps:
            grid.addWidget(helps, row, 2, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
            self.buttons.append(helps)

    def _lay_out(self) -> None:
        head = in_row(self.pill, (self.headline, 1), self.took, spacing=10)
        for one in (self.pill, self.took):
            head.setAlignment(one, Qt.AlignmentFlag.AlignTop)
        parts = (head, self.summary, self.about, self.progress, (self._body, 1), self._footer)
        in_column(*parts, within=self, margins=(16, 14, 16, 12)).addStretch(0)


def _text(text: str, role: Role = "") -> Label:
    return prose(breakable(text), role, selectable=True)


def _ruled_out(conclusion: Conclusion) -> Sequence[Label]:
    by_evidence: dict[str, list[str]] = {}
    for judged in conclusion.ruled_out:
        by_evidence.setdefault(because(judged), []).append(cause_name(judged.cause))
    return [_text(f"{listed(names)}: {evidence}") for evidence, names in by_evidence.items()]
