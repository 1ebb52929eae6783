"""The card of the sale in focus: what became of it, what that means, its timeline and identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from keybench.core.environment import EnvironmentKind
from keybench.core.ports import Clock
from keybench.core.sale import Sale, SaleEvent
from keybench.ui.accessibility import announce
from keybench.ui.actions import ActionButton
from keybench.ui.sale.details import Details
from keybench.ui.sale.next_poll import NextPoll, PollPlans
from keybench.ui.sale.sale_actions import SaleActions
from keybench.ui.sale.timeline import Timeline
from keybench.ui.sale.timeline_layout import points_of
from keybench.ui.theme import scaled
from keybench.ui.tokens import Tone
from keybench.ui.widgets.labels import label, prose, set_tip
from keybench.ui.widgets.pill import Pill
from keybench.ui.widgets.wrapping_row import WrappingRow
from keybench.words import sale_card as sale_words
from keybench.words.outcomes import explain_sale, tone_of_outcome

TICK_MS: Final = 100
_SPACING: Final = 4
#: From this width on, for 13 px text, the meaning is mostly one line.
_WIDE: Final = 680
_TONES: Final[dict[str, Tone]] = {"good": "good", "bad": "bad", "warning": "warning", "unknown": "unknown"}


class OutcomeCard(QFrame):
    """Shows one sale, or what to do first.

    Args:
        clock: Counts the seconds of a sale under way.
        plans: Tell when it is asked for again.
        actions: What can be done about it.
    """

    def __init__(
        self, clock: Clock, plans: PollPlans, actions: SaleActions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._plans = plans
        self._sale: Sale | None = None
        self._events: tuple[SaleEvent, ...] = ()
        self._announced = ("", "")
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.setProperty("role", "card")
        self.pill = Pill()
        self.pill.setProperty("large", "true")
        self.pill.setAccessibleName("Outcome")
        self.figure = label("", "figure")
        self.where = label("", "dim")
        self.effort = label("", "dim")
        self.title = prose("", "strong", selectable=True)
        self.meaning = prose("", "dim", selectable=True)
        self.own_words = prose("", "mono", selectable=True)
        self.next_poll = NextPoll()
        self.timeline = Timeline()
        self.details = Details()
        self.cancel = ActionButton(actions.cancel)
        self.look_up = ActionButton(actions.look_up, "primary")
        self.check = ActionButton(actions.check)
        self.again = ActionButton(actions.again)
        self.empty_title = label("", "strong")
        self.empty = prose("", "dim", selectable=True)
        self._lay_out()

    # --- what is shown -------------------------------------------------------------------------------

    @property
    def is_ticking(self) -> bool:
        """Whether the elapsed time is being renewed: only while a sale under way is on screen."""
        return self._timer.isActive()

    def show_empty(self, title: str, text: str = "") -> None:
        """Show no sale, but what is being waited for or what to do first."""
        self._sale = None
        self._announced = ("", "")
        self.empty_title.setText(title)
        self.empty.setText(text)
        self._pages.setCurrentIndex(0)
        self._frame_in("")
        self._keep_time()

    def show_sale(
        self, sale: Sale, events: Sequence[SaleEvent], device: str, kind: EnvironmentKind | None
    ) -> None:
        """Show a sale.

        Args:
            sale: As the journal has it.
            events: Its timeline in order.
            device: What its device is called.
            kind: The kind of its environment; None for one that was removed.
        """
        self._sale, self._events = sale, tuple(events)
        self._pages.setCurrentIndex(1)
        self.figure.setText(str(sale.money))
        self.where.setText(sale_words.place(sale, device))
        set_tip(self.where, sale.device)
        self.effort.setText(sale_words.effort(sale))
        self._show_state(sale)
        self._explain(sale, kind)
        finished = sale.elapsed_s is not None
        self.timeline.show_points(points_of(sale.noted_at, events), self._elapsed_s(sale), finished=finished)
        self.details.show_sale(sale)
        self._announce(sale, device)
        self._keep_time()

    def _show_state(self, sale: Sale) -> None:
        tone: Tone = _TONES[tone_of_outcome(sale.verdict.outcome)] if sale.verdict else "accent"
        self.pill.show_state(sale_words.pill_text(sale, self._events, self._elapsed_s(sale)), tone)
        self._frame_in(tone if tone in {"bad", "unknown"} else "")

    def _frame_in(self, tone: str) -> None:
        """Draw the card's border in a tone; what is inside looks the same, so it isn't styled anew."""
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
        self._show_plan(sale)

    def _show_plan(self, sale: Sale) -> None:
        """Say when it is asked for again, in the room kept for the explanation there will be."""
        self.next_poll.show_plan(None if sale.verdict else self._plans.of(sale.reference))

    def _announce(self, sale: Sale, device: str) -> None:
        """Have the state spoken when it, or the sale, is another than before."""
        words = sale_words.spoken(sale, self._events, device)
        if (sale.reference, words) != self._announced:
            self._announced = (sale.reference, words)
            announce(self.pill, words)

    # --- time ----------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Keep room for the usual explanation in the fonts the style has given, and go on counting."""
        super().showEvent(event)
        self._keep_room()
        self._keep_time()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep as much room for the explanation as this width needs."""
        super().resizeEvent(event)
        self._keep_room()

    def _keep_room(self) -> None:
        height = 0
        for prose_label, lines in (
            (self.meaning, 1 if self.width() >= scaled(_WIDE) else 2),
            (self.own_words, 1),
        ):
            prose_label.ensurePolished()
            metrics = prose_label.fontMetrics()
            height += metrics.height() + (lines - 1) * metrics.lineSpacing() + 2
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
            self.pill.setText(sale_words.pill_text(self._sale, self._events, elapsed_s))
            self.timeline.set_elapsed(elapsed_s)
            self._show_plan(self._sale)

    def _elapsed_s(self, sale: Sale) -> float:
        if sale.elapsed_s is not None:
            return sale.elapsed_s
        return max((self._clock.now() - sale.noted_at).total_seconds(), 0.0)

    # --- layout --------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self._pages = QStackedWidget()
        self._pages.addWidget(_page(self.empty_title, self.empty, stretch=True))
        self.where.setMinimumWidth(1)  # rather cut than have the window no narrower
        header = QHBoxLayout()
        header.setSpacing(10)
        for widget in (self.pill, self.figure, self.where):
            header.addWidget(widget)
        header.addStretch(1)
        beside = QHBoxLayout()
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(10)
        beside.addWidget(self.title, 1)
        beside.addWidget(self.effort, 0, Qt.AlignmentFlag.AlignTop)
        second = QWidget()
        second.setLayout(beside)
        self._prose = _page(self.meaning, self.own_words, self.next_poll, stretch=True)
        row = WrappingRow([self.cancel, self.look_up, self.check, self.again], spread=True, keep=self.again)
        top = QWidget()
        top.setLayout(header)
        header.setContentsMargins(0, 0, 0, 4)
        shown = (top, second, self._prose, self.timeline, self.details, row)
        self._pages.addWidget(_page(*shown))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self._pages)


def _page(*widgets: QWidget, stretch: bool = False) -> QWidget:
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(_SPACING)
    for widget in widgets:
        layout.addWidget(widget)
    if stretch:
        layout.addStretch(1)
    return page
