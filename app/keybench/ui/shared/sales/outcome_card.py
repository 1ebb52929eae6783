"""The card of the selected sale: what became of it, what that means, its timeline and identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QWidget

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.events import PollPlanned, SaleChanged
from keybench.core.sales.forensics import Account
from keybench.core.sales.sale import Sale, SaleEvent
from keybench.core.team.desk import TeamDesk
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import WrappingRow, bring_into_sight, framed, in_column, in_row
from keybench.ui.kit.labels import ElidedLabel, Identifier, Label, MessageLabel, Pill, label, prose, set_tip
from keybench.ui.shared.at_work import AtWork
from keybench.ui.shared.sales.actions import SaleActions, is_failed, task_of
from keybench.ui.shared.sales.first_steps import FirstSteps
from keybench.ui.shared.sales.timeline import Timeline
from keybench.ui.shared.sales.timeline_layout import gaps_of, points_of
from keybench.ui.shared.session import Session
from keybench.words.formats import money, quoted
from keybench.words.language import _
from keybench.words.sales import card as sale_words
from keybench.words.sales import forensics
from keybench.words.sales.outcomes import explain_sale, tone_of_outcome
from keybench.words.sales.polls import learnt_from, next_poll, poll_reason, usually
from keybench.workflows.team.leases import follows

if TYPE_CHECKING:  # what sorts causes is only needed where a sale fails
    from keybench.core.diagnosis.conclusion import Conclusion

TICK_MS: Final = 100
_MARGIN: Final = 16
#: Between widgets side by side.
_BETWEEN: Final = 10
#: Longer than any gateway holds an answer: who followed the sale has given it up.
_FORGOTTEN_S: Final = 120.0


class OutcomeCard(QFrame):
    """Shows one sale, or what to do first.

    What can be done stands right below what became of it, where it stays whatever else is said.

    Attributes:
        head: What became of it, in one line.
        said: Everything below that and the buttons.
    """

    def __init__(self, session: Session, actions: SaleActions) -> None:
        super().__init__()
        self._session = session
        self._clock = session.console.clock
        self._plans = PollPlans(session, self)
        self._actions = actions
        self._sale: Sale | None = None
        self._events: tuple[SaleEvent, ...] = ()
        self._announced = ("", "")
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._tick)
        self.setProperty("role", "card")
        self.pill = Pill()
        self.pill.setProperty("large", "true")
        self.pill.setAccessibleName(_("Outcome"))
        self.figure = label("", "figure")
        self.where = ElidedLabel("", "dim")
        self.effort = ElidedLabel("", "dim")
        self.title = prose("", "strong", selectable=True)
        self.meaning = prose("", "dim", selectable=True)
        self.own_words = prose("", "mono", selectable=True)
        self.hint = prose("")
        self.next_poll = NextPoll()
        self.at_work = AtWork(
            session,
            f"follower {id(self)}",
            self._read_follower,
            sale_words.followed_at,
            (_("Follow it here"), self._on_follow),
            lambda: self._sale and (self._sale.reference, self._sale.owner, self._sale.verdict is None),
        )
        self.causes = FailureCauses(session, actions.diagnose)
        self.timeline = Timeline()
        self.went_on = prose("", "dim", selectable=True)
        self.went_on.hide()
        self.details = Details()
        self.cancel = ActionButton(actions.cancel)
        self.look_up = ActionButton(actions.look_up, "primary")
        self.check = ActionButton(actions.check)
        self.give_value = ActionButton(actions.give_value)
        self.diagnose = ActionButton(actions.diagnose)
        self.again = ActionButton(actions.again, goes=True)
        self.buttons = (self.cancel, self.look_up, self.check, self.give_value, self.diagnose, self.again)
        self.empty_title = label("", "strong")
        self.empty = prose("", "dim", selectable=True)
        self.first_steps = FirstSteps(session)
        self.hint.hide()
        for one in (self.where, self.effort):
            one.setMinimumWidth(1)  # rather cut than have the window no narrower
        self.head = framed(in_row(self.pill, self.figure, (self.where, 1), self.effort, spacing=_BETWEEN))
        words = (
            self.title,
            self.meaning,
            self.own_words,
            self.causes,
            self.hint,
            self.next_poll,
            self.at_work,
        )
        parts = (*words, self.timeline, self.went_on, self.details)
        self.said = framed(in_column(*parts, None, spacing=2))
        self._nothing = framed(in_column(self.empty_title, self.empty, self.first_steps, spacing=4))
        self._lay_out()

    # --- what is shown -------------------------------------------------------------------------------

    def show_empty(self, title: str, text: str = "", *, first_steps: bool = False) -> None:
        """Show no sale, but what is being waited for or, with `first_steps`, what to do first."""
        self._sale = None
        self._actions.show_sale(None)
        self._announced = ("", "")
        self.empty_title.setText(title)
        self.empty.show_text(text)
        self.first_steps.setVisible(first_steps)
        self._show_page(self._nothing)
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
        """Show a sale."""
        self._sale, self._events = sale, tuple(events)
        self._actions.show_sale(sale, self._events, environment, device)
        self._show_page(self._body)
        self.figure.setText(money(sale.money))
        self.where.setText(sale_words.place(sale, device))
        set_tip(self.where, sale.device)
        self.effort.setText(sale_words.effort(sale))
        self._show_state(sale)
        self._explain(sale, environment.kind if environment else None)
        self._show_timeline(sale, account or Account())
        self._announce(sale, device)
        self._keep_time()
        self.at_work.refresh()

    def _show_timeline(self, sale: Sale, account: Account) -> None:
        points, finished = points_of(sale.noted_at, self._events), sale.elapsed_s is not None
        self.timeline.show_points(points, self._elapsed_s(sale), finished=finished, gaps=gaps_of(account))
        self.went_on.show_text(" ".join(self.words_of(account)))
        self.causes.setVisible(is_failed(sale))
        self.details.show_sale(sale)

    def words_of(self, account: Account) -> Sequence[str]:
        return forensics.sentences(account)

    def _show_page(self, page: QWidget) -> None:
        for one in (self._nothing, self._body):  # no stack, which is as high as the highest
            one.setVisible(one is page)

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
        self.title.show_text(title)
        self.meaning.show_text(meaning)
        own_words = explain_sale(sale, kind).detail
        self.own_words.show_text(quoted(own_words) if own_words else "")
        self.causes.show_sale(sale)
        self._show_plan(sale)

    async def _read_follower(self) -> Sequence[TeamDesk]:
        sale, world = self._sale, self._session.console.world
        return await follows(world, sale) if sale and sale.verdict is None else ()

    def _on_follow(self) -> None:
        if sale := self._sale:
            self._session.run(task_of(sale), self._session.console.resume.resume(sale, take_over=True))

    def _show_plan(self, sale: Sale) -> None:
        """Show when it is polled again, in the room kept for the explanation there will be."""
        plan = None if sale.verdict else self._plans.of(sale.reference)
        self.next_poll.show_plan(plan, self._elapsed_s(sale))

    def _announce(self, sale: Sale, device: str) -> None:
        words = sale_words.spoken(sale, self._events, device)
        if (sale.reference, words) != self._announced:
            is_fresh = sale.reference == self._announced[0]
            self._announced = (sale.reference, words)
            announce(self.pill, words)
            if sale.verdict and is_fresh:
                bring_into_sight(self)

    # --- time ----------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._keep_time()

    def hideEvent(self, event: QHideEvent) -> None:
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
        buttons = WrappingRow(self.buttons, spread=True, keep=self.again)
        self._body = framed(in_column(self.head, buttons, self.said, spacing=2))
        in_column(self._nothing, self._body, within=self, margins=(_MARGIN, 8, _MARGIN, 8), spacing=-1)


#: Each identifier's title and name.
_NAMES: Final = (
    (_("Reference"), _("Reference")),
    (_("Request"), _("Payment request")),
    (_("Authorisation"), _("Authorisation")),
    (_("Transaction"), _("Transaction")),
)


class Details(QWidget):
    """Reference and payment request, and what else the gateway gave."""

    def __init__(self) -> None:
        super().__init__()
        usual = ("KB-0000-0000-0000", *["00000000…"] * (len(_NAMES) - 1))
        self._values = {
            name: Identifier(name, kept) for (_title, name), kept in zip(_NAMES, usual, strict=True)
        }
        pairs = [
            framed(in_row(label(title, "dim"), (value, 1), spacing=_BETWEEN))
            for (title, _name), value in zip(_NAMES, self._values.values(), strict=True)
        ]
        self._more = WrappingRow(pairs[2:])
        in_column(WrappingRow(pairs[:2], spread=True), self._more, within=self, spacing=0)

    def show_sale(self, sale: Sale) -> None:
        """Show a sale's identifiers, a dash where there is none."""
        verdict = sale.verdict
        more = (verdict.authorisation, verdict.transaction_id) if verdict else ("", "")
        for value, text in zip(self._values.values(), (sale.reference, sale.request_id, *more), strict=True):
            value.show_identifier(text)
        self._more.setVisible(any(more))

    def text_of(self, name: str) -> str:
        return self._values[name].text()


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


class PollPlans:
    """When sales under way are polled next; there may be hundreds, so listening does little."""

    def __init__(self, session: Session, owner: QObject) -> None:
        self._clock = session.console.clock
        self._plans: dict[str, tuple[float, PollPlanned]] = {}
        session.subscribe(owner, {PollPlanned: self._on_plan, SaleChanged: self._on_change})

    def of(self, reference: str) -> tuple[float, PollPlanned] | None:
        """Return how many seconds are left until a sale is polled again, and the plan; or None."""
        end, planned = self._plans.get(reference, (0.0, None))
        left_s = end - self._clock.monotonic()
        return None if planned is None or left_s < -_FORGOTTEN_S else (left_s, planned)

    def _on_plan(self, planned: PollPlanned) -> None:
        self._plans[planned.reference] = (self._clock.monotonic() + planned.pause.seconds, planned)

    def _on_change(self, change: SaleChanged) -> None:
        if change.sale.verdict:
            self._plans.pop(change.sale.reference, None)


class NextPoll(Label):
    """When the selected sale is checked next, and how long sales usually take on its device.

    The reason is its tooltip and its description.

    The running seconds aren't announced.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "dim")
        self.setWordWrap(True)
        self.setAccessibleName(_("Next check"))
        self.hide()

    def show_plan(self, plan: tuple[float, PollPlanned] | None, elapsed_s: float = 0.0) -> None:
        text = why = ""
        if plan:
            left_s, planned = plan
            habit = planned.habit
            text = " · ".join(filter(None, (next_poll(left_s), usually(habit, elapsed_s))))
            why = " ".join(filter(None, (poll_reason(planned.pause.why, habit), learnt_from(habit))))
        if text != self.text():
            self.show_text(text)
        if why != self.accessibleDescription():
            self.setAccessibleDescription(why)
            set_tip(self, why)
