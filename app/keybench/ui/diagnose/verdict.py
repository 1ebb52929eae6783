"""The right side of the Diagnose page: whose trouble it is, the causes, what to do next, what is ruled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from keybench.core.diagnosis.causes import Trouble
from keybench.core.diagnosis.checks import Check, Silence
from keybench.core.diagnosis.conclusion import Judged, Standing
from keybench.ui.accessibility import announce
from keybench.ui.actions import Action, ActionButton
from keybench.ui.diagnose.asking import TITLE_PX
from keybench.ui.diagnose.remedies import HELP_WORDS, Help, Situation
from keybench.ui.page_frame import PageFrame, bring_into_sight
from keybench.ui.theme import keep_size
from keybench.ui.tokens import Tone
from keybench.ui.widgets.labels import (
    ElidedLabel,
    Label,
    Role,
    breakable,
    button,
    label,
    line,
    prose,
)
from keybench.ui.widgets.pill import Pill
from keybench.ui.widgets.wrapping_row import WrappingRow
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
_STANDING_TONES: Final[Mapping[Standing, Tone]] = {Standing.LIKELY: "bad", Standing.POSSIBLE: "warning"}
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

    Args:
        copy: Copies the diagnosis for a ticket.
        save: Saves a support bundle with it.

    Signals:
        help_wanted: A button that helps against a cause was pressed (a `Help`).
        check_wanted: The next check is to be made (a `Check`).
    """

    help_wanted = Signal(object)
    check_wanted = Signal(object)

    def __init__(self, copy: Action, save: Action) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._tasks: list[QPushButton] = []
        self.pill = Pill()
        self.pill.setProperty("large", "true")
        self.pill.setAccessibleName(_("Verdict"))
        self.headline = prose("", "title", selectable=True)
        self.headline.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        keep_size(self.headline, least_height=TITLE_PX)
        self.took = label("", "dim")
        keep_size(self.took, least_height=TITLE_PX)
        self.summary = prose("", "dim", selectable=True)
        self.place, self.about = ElidedLabel("", "dim"), ElidedLabel("", "dim")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(_("Progress of the diagnosis"))
        self.progress_words = label("", "dim")
        self.held = label("", "dim")
        self.held.hide()
        self._body = PageFrame()
        self._body.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._pages = QStackedWidget()
        self._copy = ActionButton(copy)
        self._footer = WrappingRow([self._copy, ActionButton(save), self.held], spread=True)
        self._lay_out()

    # --- what is shown -------------------------------------------------------------------------------

    @property
    def buttons(self) -> Sequence[QPushButton]:
        return self._tasks

    def show_nothing(self) -> None:
        self.pill.setAccessibleDescription("")
        self._pages.setCurrentIndex(0)
        self._footer.hide()

    def show_running(self, ended: int, total: int) -> None:
        self.progress.setMaximum(max(total, 1))
        self.progress.setValue(ended)
        words = ngettext("{ended} of {total} check has ended", "{ended} of {total} checks have ended", total)
        self.progress_words.setText(words.format(ended=ended, total=total))
        self.progress.setAccessibleDescription(self.progress_words.text())
        self._pages.setCurrentIndex(1)
        self._footer.hide()

    def show_diagnosis(self, situation: Situation, environment: str, *, stopped: bool = False) -> None:
        """Show what a diagnosis came to.

        Args:
            situation: It, and what decides which help can be had.
            environment: Mark, kind and name of its environment.
            stopped: Whether it was stopped before its end.
        """
        diagnosis = situation.diagnosis
        trouble = diagnosis.conclusion.trouble
        self.pill.show_state(trouble_word(trouble), _TONES[trouble])
        self.headline.setText(breakable(headline(diagnosis)))
        took = f"{duration(diagnosis.took_s)} · {day_and_time(diagnosis.at)}"
        self.took.setText(_("Stopped after {took}").format(took=took) if stopped else took)
        self.summary.setText(summary(diagnosis))
        key = (
            f"{diagnosis.key_name} ({diagnosis.fingerprint})" if diagnosis.fingerprint else diagnosis.key_name
        )
        self.place.setText(" · ".join(filter(None, (environment, diagnosis.host))))
        self.about.setText(" · ".join(filter(None, (key, diagnosis.device, diagnosis.reference))))
        self.about.setVisible(bool(self.about.text()))
        self._fill(situation)
        self._pages.setCurrentIndex(2)
        self._footer.show()
        words = f"{self.pill.text()}. {headline(diagnosis)} {self.summary.text()}"
        if self.isVisible():
            announce(self.pill, words)
            for part in (self.summary, self.pill):
                bring_into_sight(part)
        else:
            self.pill.setAccessibleDescription(words)

    def show_held(self, text: str) -> None:
        self.held.setText(text)
        self.held.setVisible(bool(text))

    # --- the parts -----------------------------------------------------------------------------------

    def _fill(self, situation: Situation) -> None:
        self._tasks = []
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(0, 0, 6, 0)
        layout.setSpacing(12)
        conclusion = situation.diagnosis.conclusion
        if conclusion.suspects or conclusion.explained:
            layout.addWidget(self._causes(situation))
        if conclusion.next_check:
            layout.addWidget(self._next(situation, conclusion.next_check))
        if conclusion.ruled_out:
            layout.addWidget(_ruled_out(conclusion.ruled_out))
        if unclear := untold(situation.diagnosis.findings):
            layout.addWidget(_text(unclear, "dim"))
        layout.addStretch(1)
        self._body.hold(inside)
        self._body.verticalScrollBar().setValue(0)

    def _causes(self, situation: Situation) -> QWidget:
        conclusion = situation.diagnosis.conclusion
        made, grid = _grid()
        grid.setColumnStretch(1, 1)
        for title, column in ((_("Likelihood"), 0), (_("Cause"), 1)):
            grid.addWidget(label(title, "heading"), 0, column)
        top = Qt.AlignmentFlag.AlignTop
        for number, judged in enumerate(conclusion.suspects):
            _line_below(grid)
            row = grid.rowCount()
            pill = Pill(standing_word(judged.standing), _STANDING_TONES[judged.standing])
            grid.addWidget(pill, row, 0, top | Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(_cause(judged), row, 1)
            helps = situation.help_against(judged.cause)
            if helps:
                tone = "primary" if number == 0 and judged.standing is Standing.LIKELY else "plain"
                one = self._help_button(helps, cause_title(judged.cause), tone)
                grid.addWidget(one, row, 2, top | Qt.AlignmentFlag.AlignRight)
        for explained in conclusion.explained:
            _line_below(grid)
            row = grid.rowCount()
            grid.addWidget(Pill(_("explained"), "dim"), row, 0, top)
            grid.addWidget(_text(explained_text(explained), "dim"), row, 1, 1, 2)
        return made

    def _help_button(self, helps: Help, cause: str, tone: str) -> QPushButton:
        made = button(HELP_WORDS[helps], partial(self.help_wanted.emit, helps), tone=tone)
        made.setAccessibleDescription(cause)
        self._tasks.append(made)
        return made

    def _next(self, situation: Situation, next_check: Check) -> QWidget:
        box = QFrame()
        box.setProperty("role", "bar")
        box.setProperty("tone", "accent")
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label(_("Next check"), "strong"))
        words.addWidget(_text(next_check_text(next_check)))
        layout = QHBoxLayout(box)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(12)
        layout.addLayout(words, 1)
        finding = situation.diagnosis.finding(next_check)
        asks = finding is not None and finding.silence is Silence.NOT_ASKED
        check = button(_("Check…") if asks else _("Check"), tone="primary", name=_("Check"))
        check.clicked.connect(partial(self.check_wanted.emit, next_check))
        self._tasks.append(check)
        layout.addWidget(check, 0, Qt.AlignmentFlag.AlignVCenter)
        return box

    def _lay_out(self) -> None:
        nothing = QWidget()
        words = QVBoxLayout(nothing)
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(10)
        for one in (_title(_WHAT), prose(_DOES), prose(_NEVER, "dim")):
            words.addWidget(one)
        words.addStretch(1)
        running = QWidget()
        bar = QVBoxLayout(running)
        bar.setContentsMargins(0, 0, 0, 0)
        bar.setSpacing(10)
        for widget in (_title(_("Looking…")), self.progress, self.progress_words):
            bar.addWidget(widget)
        bar.addStretch(1)
        done = QWidget()
        whole = QVBoxLayout(done)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(8)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self.pill, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.headline, 1, Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self.took, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(head)
        about = QVBoxLayout()
        about.setSpacing(2)
        for one in (self.summary, self.place, self.about):
            about.addWidget(one)
        whole.addLayout(about)
        whole.addSpacing(4)
        whole.addWidget(self._body, 1)
        for page in (nothing, running, done):
            self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 12)
        layout.setSpacing(10)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self._footer)
        self._footer.hide()


def _text(text: str, role: Role = "") -> Label:
    return prose(breakable(text), role, selectable=True)


def _title(text: str) -> QWidget:
    made = label(text, "title")
    keep_size(made, least_height=TITLE_PX)
    return made


def _cause(judged: Judged) -> QWidget:
    made = QWidget()
    layout = QVBoxLayout(made)
    layout.setContentsMargins(0, 1, 0, 0)
    layout.setSpacing(1)
    layout.addWidget(_text(cause_title(judged.cause), "strong"))
    layout.addWidget(_text(because(judged)))
    layout.addWidget(_text(remedy(judged.cause), "dim"))
    return made


def _ruled_out(ruled_out: Sequence[Judged]) -> QWidget:
    by_evidence: dict[str, list[str]] = {}
    for judged in ruled_out:
        by_evidence.setdefault(because(judged), []).append(cause_name(judged.cause))
    made, grid = _grid()
    grid.setColumnStretch(0, 2)
    grid.setColumnStretch(1, 3)
    grid.addWidget(label(_("Ruled out, and by what"), "strong"), 0, 0, 1, 2)
    for evidence, names in by_evidence.items():
        row = grid.rowCount()
        grid.addWidget(_text(listed(names), "dim"), row, 0)
        grid.addWidget(_text(evidence), row, 1)
        _line_below(grid)
    return made


def _grid() -> tuple[QWidget, QGridLayout]:
    made = QWidget()
    grid = QGridLayout(made)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(6)
    return made, grid


def _line_below(grid: QGridLayout) -> None:
    grid.addWidget(line(), grid.rowCount(), 0, 1, -1)
