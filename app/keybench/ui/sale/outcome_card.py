"""The card of the selected sale: what became of it, what that means, its timeline and identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.forensics import Account
from keybench.core.sale import Sale, SaleEvent
from keybench.ui.accessibility import announce
from keybench.ui.actions import ActionButton
from keybench.ui.sale.failure_causes import FailureCauses
from keybench.ui.sale.first_steps import FirstSteps
from keybench.ui.sale.next_poll import NextPoll, PollPlans
from keybench.ui.sale.sale_actions import SaleActions
from keybench.ui.sale.timeline import Timeline
from keybench.ui.sale.timeline_layout import points_of, stretches_of
from keybench.ui.session import Session
from keybench.ui.theme import scaled, theme
from keybench.ui.widgets.labels import ElidedLabel, Identifier, button, label, prose, set_tip
from keybench.ui.widgets.pill import Pill
from keybench.ui.widgets.wrapping_row import WrappingRow
from keybench.words import forensics
from keybench.words import sale_card as sale_words
from keybench.words.language import _
from keybench.words.outcomes import explain_sale, tone_of_outcome

TICK_MS: Final = 100
_SPACING: Final = 4
_MARGIN: Final = 16
#: Between widgets side by side.
_BETWEEN: Final = 10
#: From this width on, for 13 px text, the meaning is mostly one line.
_WIDE: Final = 680


class OutcomeCard(QFrame):
    """Shows one sale, or what to do first.

    Args:
        session: Has the clock that counts a sale's seconds, and reports when it is polled again.
        actions: What can be done about the sale; they follow what is shown.
    """

    def __init__(self, session: Session, actions: SaleActions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._clock = session.console.clock
        self._plans = PollPlans(session, self)
        self._actions = actions
        self._sale: Sale | None = None
        self._events: tuple[SaleEvent, ...] = ()
        self._announced = ("", "")
        self._is_brief = False
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.setProperty("role", "card")
        self.pill = Pill()
        self.pill.setProperty("large", "true")
        self.pill.setAccessibleName(_("Outcome"))
        self.figure = label("", "figure")
        self.where = ElidedLabel("", "dim")
        self.effort = label("", "dim")
        self.title = prose("", "strong", selectable=True)
        self.meaning = prose("", "dim", selectable=True)
        self.own_words = prose("", "mono", selectable=True)
        self.next_poll = NextPoll()
        self.causes = FailureCauses(session, actions.diagnose)
        self.timeline = Timeline()
        self.went_on = prose("", "dim", selectable=True)
        self.went_on.hide()
        self.details = Details()
        self.cancel = ActionButton(actions.cancel)
        self.look_up = ActionButton(actions.look_up, "primary")
        self.check = ActionButton(actions.check)
        self.give_value = ActionButton(actions.give_value)
        self.again = ActionButton(actions.again)
        self.empty_title = label("", "strong")
        self.empty = prose("", "dim", selectable=True)
        self.first_steps = FirstSteps(session)
        self.hint = prose("")
        self.tour = button(_("Take the guided tour"), session.tour_wanted)
        self.own_gateway = button(_("Add your own gateway…"), self._on_own_gateway)
        self._next = WrappingRow([self.tour, self.own_gateway])
        self._lay_out()
        theme().changed.connect(self._on_theme)

    # --- what is shown -------------------------------------------------------------------------------

    @property
    def is_ticking(self) -> bool:
        """Whether the elapsed time is counted: only while a sale under way is on screen."""
        return self._timer.isActive()

    def show_empty(self, title: str, text: str = "", *, first_steps: bool = False) -> None:
        """Show no sale, but what is being waited for or, with `first_steps`, what to do first."""
        self._sale = None
        self._actions.show_sale(None)
        self._announced = ("", "")
        self.empty_title.setText(title)
        self.empty.setText(text)
        self.empty.setVisible(bool(text))
        self.first_steps.setVisible(first_steps)
        self._pages.setCurrentIndex(0)
        self._frame_in("")
        self._keep_time()

    def show_sale(
        self,
        sale: Sale,
        events: Sequence[SaleEvent],
        device: str,
        environment: Environment | None,
        account: Account | None = None,
    ) -> None:
        """Show a sale.

        Args:
            sale: As the journal has it.
            events: Its timeline in order.
            device: What its device is called.
            environment: Its environment; None for one that was removed.
            account: What went on while it was under way; None if that wasn't read yet.
        """
        self._sale, self._events = sale, tuple(events)
        self._actions.show_sale(sale, self._events, environment, device)
        self._pages.setCurrentIndex(1)
        self.figure.setText(str(sale.money))
        self.where.setText(sale_words.place(sale, device))
        set_tip(self.where, sale.device)
        self.effort.setText(sale_words.effort(sale))
        self._show_state(sale)
        self._explain(sale, environment.kind if environment else None)
        self._show_timeline(sale, account or Account())
        self.details.show_sale(sale)
        self._announce(sale, device)
        self._keep_time()

    def _show_timeline(self, sale: Sale, account: Account) -> None:
        """Show what went on, as a picture and in words."""
        points = points_of(sale.noted_at, self._events, account.seconds)
        statuses, gaps = stretches_of(account)
        # By a clock that was set meanwhile it took another time than it did.
        elapsed_s = account.seconds[-1] if account.jumps and sale.verdict else self._elapsed_s(sale)
        finished = sale.elapsed_s is not None
        self.timeline.show_points(points, elapsed_s, finished=finished, statuses=statuses, gaps=gaps)
        self.went_on.setText(" ".join(self.words_of(account)))
        self.went_on.setVisible(bool(self.went_on.text()) and not self._is_brief)

    def words_of(self, account: Account) -> Sequence[str]:
        """Return what is said of what went on: only what isn't as usual."""
        return forensics.sentences(account)

    def show_brief(self, *, brief: bool) -> None:
        """Show less, where something else needs the height: what became of the sale, and what can be done."""
        self._is_brief = brief
        for widget in (self._prose, self.timeline, self.details):
            widget.setVisible(not brief)
        self.went_on.setVisible(bool(self.went_on.text()) and not brief)

    def show_next(self, text: str) -> None:
        """Say what could be done next, and offer it; nothing with an empty text."""
        self.hint.setText(text)
        self.hint.setVisible(bool(text))
        self._next.setVisible(bool(text))

    def _on_own_gateway(self) -> None:
        self._session.environment_wanted.emit(None)

    def _show_state(self, sale: Sale) -> None:
        tone = tone_of_outcome(sale.verdict.outcome) if sale.verdict else "accent"
        self._say_state(sale)
        self.pill.show_state(self.pill.text(), tone)
        self._frame_in(tone if tone in {"bad", "unknown"} else "")

    def _say_state(self, sale: Sale) -> None:
        """Put the state into the pill, briefly where the card has no room for all of it beside the amount."""
        text, brief = (
            sale_words.pill_text(sale, self._events, self._elapsed_s(sale), brief=brief)
            for brief in (False, True)
        )
        room = self.contentsRect().width() - 2 * (_MARGIN + _BETWEEN) - self.figure.sizeHint().width()
        # The card may be too narrow for more; 0 is as wide as its text.
        self.pill.setMinimumWidth(0 if brief == text else self.pill.width_of(brief))
        self.pill.setText(text if self.pill.width_of(text) <= room or not self.isVisible() else brief)

    def _frame_in(self, tone: str) -> None:
        """Draw the card's border in a tone; what is inside looks the same, so it isn't styled again."""
        if self.property("tone") != tone:
            self.setProperty("tone", tone)
            self.style().unpolish(self)
            self.style().polish(self)

    def _explain(self, sale: Sale, kind: EnvironmentKind | None) -> None:
        title, meaning = sale_words.meaning(sale, self._events, kind)
        self.title.setText(title)
        self.meaning.setText(meaning)
        own_words = explain_sale(sale, kind).detail
        self.own_words.setText(f"“{own_words}”" if own_words else "")
        self.meaning.setVisible(bool(meaning))
        self.own_words.setVisible(bool(own_words))
        self.causes.show_sale(sale)
        self._show_plan(sale)

    def _show_plan(self, sale: Sale) -> None:
        """Show when it is polled again, in the room kept for the explanation there will be."""
        plan = None if sale.verdict else self._plans.of(sale.reference)
        self.next_poll.show_plan(plan, self._elapsed_s(sale))

    def _announce(self, sale: Sale, device: str) -> None:
        """Announce the state when it, or the sale, has changed."""
        words = sale_words.spoken(sale, self._events, device)
        if (sale.reference, words) != self._announced:
            self._announced = (sale.reference, words)
            announce(self.pill, words)

    # --- time ----------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Keep room for the usual explanation in the fonts the style has given, and go on counting."""
        super().showEvent(event)
        self._fit()
        self._keep_time()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep as much room for the explanation as this width needs."""
        super().resizeEvent(event)
        self._fit()

    def _on_theme(self) -> None:
        QTimer.singleShot(0, self, self._fit)  # once the new fonts have been measured

    def _fit(self) -> None:
        self.details.arrange()
        height = 0
        self.causes.keep_lines(1 if self.width() >= scaled(_WIDE) else 2)
        for prose_label, lines in (
            (self.meaning, 1 if self.width() >= scaled(_WIDE) else 2),
            (self.own_words, 1),
        ):
            prose_label.ensurePolished()
            metrics = prose_label.fontMetrics()
            height += metrics.height() + (lines - 1) * metrics.lineSpacing() + 2
        height += self.causes.least_height() + _SPACING
        self._prose.setMinimumHeight(height + _SPACING)

    def hideEvent(self, event: QHideEvent) -> None:
        """Count nothing that nobody sees."""
        super().hideEvent(event)
        self._timer.stop()

    def _keep_time(self) -> None:
        runs = self._sale is not None and self._sale.verdict is None and self.isVisible()
        if runs and not self._timer.isActive():
            self._timer.start()
        elif not runs:
            self._timer.stop()

    def _tick(self) -> None:
        if self._sale:
            elapsed_s = self._elapsed_s(self._sale)
            self._say_state(self._sale)
            self.timeline.set_elapsed(elapsed_s)
            self._show_plan(self._sale)

    def _elapsed_s(self, sale: Sale) -> float:
        if sale.elapsed_s is not None:
            return sale.elapsed_s
        return max((self._clock.now() - sale.noted_at).total_seconds(), 0.0)

    # --- layout --------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.where.setMinimumWidth(1)  # rather cut than have the window no narrower
        header = side_by_side(self.pill, self.figure, self.where)
        header.addStretch(1)
        header.setContentsMargins(0, 0, 0, 4)
        explanation = side_by_side(self.title, self.effort, wide=self.title)
        explanation.setAlignment(self.effort, Qt.AlignmentFlag.AlignTop)
        self._prose = stacked(
            self.meaning, self.own_words, self.causes, self.hint, self._next, self.next_poll, stretch=True
        )
        buttons = [self.cancel, self.look_up, self.check, self.give_value, self.again]
        self._pages = QStackedWidget()
        self._pages.addWidget(stacked(self.empty_title, self.empty, self.first_steps, stretch=True))
        self._pages.addWidget(
            stacked(
                within(header),
                within(explanation),
                self._prose,
                self.timeline,
                self.went_on,
                self.details,
                WrappingRow(buttons, spread=True, keep=self.again),
            )
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 12, _MARGIN, 12)
        layout.addWidget(self._pages)


def side_by_side(*widgets: QWidget, wide: QWidget | None = None) -> QHBoxLayout:
    """Return widgets in a row; `wide` is the one that gets the room which the others leave."""
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(_BETWEEN)
    for widget in widgets:
        row.addWidget(widget, 1 if widget is wide else 0)
    return row


def within(layout: QHBoxLayout) -> QWidget:
    """Return a widget with that layout."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


def stacked(
    *widgets: QWidget, high: Sequence[QWidget] = (), stretch: bool = False, spacing: int = _SPACING
) -> QWidget:
    """Return widgets one below another; those of `high`, or with `stretch` none, get the room that is left."""
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    for widget in widgets:
        layout.addWidget(widget, 1 if widget in high else 0)
    if stretch:
        layout.addStretch(1)
    return page


_NAMES: Final = (_("Authorisation"), _("Transaction"), _("Reference"), _("Payment request"))
_GAP: Final = 12


class Details(QWidget):
    """Authorisation, transaction, reference and payment request: two in a row, or one where it is narrow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels = [label(name, "dim") for name in _NAMES]
        self._values = [Identifier(name) for name in _NAMES]
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(_GAP)
        self._grid.setVerticalSpacing(0)
        self._per_row = 0
        self.arrange()

    def show_sale(self, sale: Sale) -> None:
        """Show a sale's identifiers; a dash where there is none."""
        verdict = sale.verdict
        texts = (
            verdict.authorisation if verdict else "",
            verdict.transaction_id if verdict else "",
            sale.reference,
            sale.request_id,
        )
        for value, text in zip(self._values, texts, strict=True):
            value.show_identifier(text)

    def text_of(self, name: str) -> str:
        """Return the identifier that is shown under a name."""
        return self._values[_NAMES.index(name)].text()

    def minimumSizeHint(self) -> QSize:
        """Return the width of one in a row."""
        return QSize(self._width_of(slice(None)), super().minimumSizeHint().height())

    def arrange(self) -> None:
        """Put one or two in a row, as the width and the size of text allow."""
        width_of_two = self._width_of(slice(0, None, 2)) + _GAP + self._width_of(slice(1, None, 2))
        per_row = 2 if self.width() >= width_of_two else 1
        if per_row == self._per_row:
            return
        self._per_row = per_row
        while self._grid.count():
            self._grid.takeAt(0)
        for index, (title, value) in enumerate(zip(self._labels, self._values, strict=True)):
            row, side = divmod(index, per_row)
            self._grid.addWidget(title, row, 2 * side)
            self._grid.addWidget(value, row, 2 * side + 1)
        self._grid.setColumnStretch(1, 2)
        self._grid.setColumnStretch(3, 3 if per_row == 2 else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the identifiers for the new width."""
        super().resizeEvent(event)
        self.arrange()

    def _width_of(self, column: slice) -> int:
        """Return the least width of a column of labels with their values."""
        labels = max(one.sizeHint().width() for one in self._labels[column])
        values = max(one.minimumSizeHint().width() for one in self._values[column])
        return labels + _GAP + values
