"""What the outcome card says of a sale: its state in a few words, how long it took, what it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, SaleMode, SaleStage, is_checked
from keybench.core.team.desk import TeamDesk
from keybench.words.formats import clock_time, decimal, duration
from keybench.words.language import _, ngettext
from keybench.words.sales.outcomes import (
    explain_sale,
    last_look_up,
    outcome_headline,
    outcome_shape,
    sale_amount,
)

NOT_SENT_YET = _("It is in the journal, and nothing has been sent yet.")
GOING_OUT = _("It is in the journal, and on its way to the gateway.")
SENDING = _("Sending")
WAITING_GATEWAY = _("Waiting for the gateway")
WAITING_CUSTOMER = _("Waiting for the customer")
ASKING_AGAIN = _("The gateway isn't answering; still trying")
GOES_ON = _("The sale may go on at the device all the same.")
CANCELLING = _("Cancelling on the device")
_BRIEFLY: Final = {
    SENDING: SENDING,
    WAITING_GATEWAY: _("Waiting"),
    WAITING_CUSTOMER: _("Waiting"),
    ASKING_AGAIN: _("Still trying"),
    CANCELLING: _("Cancelling"),
}


def meaning(sale: Sale, events: Sequence[SaleEvent], kind: EnvironmentKind | None) -> tuple[str, str]:
    if sale.verdict is None and sale.stage is SaleStage.NOTED:
        return (GOING_OUT if Mark.SENT in [event.mark for event in events] else NOT_SENT_YET), ""
    if sale.verdict is None and _is_unanswered(events):
        return GOES_ON, ""
    explained = explain_sale(sale, kind)
    parts = [explained.title, explained.money, explained.next]
    if sale.outcome in {None, Outcome.APPROVED}:
        del parts[0]  # state, amount and device stand above it already
    title, *rest = [part for part in parts if part]
    return title, " ".join([*rest, last_look_up(sale, events), last_check(sale, events)]).strip()


def followed_at(desks: Sequence[TeamDesk]) -> str:
    names = (f"{one.name} ({one.who})" if one.who else one.name for one in desks)
    return _("Followed at {names}").format(names=", ".join(names))


def last_check(sale: Sale, events: Sequence[SaleEvent]) -> str:
    if not is_checked(sale, events):
        return ""
    at = max(event.at for event in events if event.mark is Mark.CHECKED)
    return _("Checked here at {clock_time}: it wasn't made.").format(clock_time=clock_time(at))


def waiting_words(sale: Sale, events: Sequence[SaleEvent]) -> str:
    marks = [event.mark for event in events]
    if sale.stage is SaleStage.NOTED:
        if Mark.SENT not in marks:
            return SENDING
        return WAITING_GATEWAY if sale.mode is SaleMode.ASYNCHRONOUS else WAITING_CUSTOMER
    if _is_unanswered(events):
        return ASKING_AGAIN
    return CANCELLING if is_cancel_asked(events) else WAITING_CUSTOMER


def _is_unanswered(events: Sequence[SaleEvent]) -> bool:
    return bool(events) and events[-1].mark is Mark.TROUBLE


def is_cancel_asked(events: Sequence[SaleEvent]) -> bool:
    return any(event.mark is Mark.CANCEL_ASKED for event in events)


def pill_text(sale: Sale, events: Sequence[SaleEvent], elapsed_s: float, *, brief: bool = False) -> str:
    """Return the big pill's text: sign and word, or what is waited for and how long by now.

    With `brief` it says in a word that something is waited for, for where there is no room for what.
    """
    if sale.verdict is None:
        waiting = waiting_words(sale, events)
        return f"{_BRIEFLY[waiting] if brief else waiting} · {_('{seconds} s').format(seconds=decimal(elapsed_s, 1))}"
    return f"{outcome_shape(sale.verdict.outcome)} {outcome_headline(sale)}"


def spoken(sale: Sale, events: Sequence[SaleEvent], device: str) -> str:
    """Return the state for screen readers: it begins with the outcome's word, and has no running seconds."""
    state = outcome_headline(sale) if sale.verdict else waiting_words(sale, events)
    return _("{state} · {money} on {device}").format(state=state, money=sale_amount(sale), device=device)


def effort(sale: Sale) -> str:
    """Return time taken and polls, such as ``6.42 s · 5 polls``; nothing for a sale under way."""
    polls = ngettext("{count} poll", "{count} polls", sale.polls)
    if sale.elapsed_s is None:
        return polls if sale.polls else ""
    return f"{duration(sale.elapsed_s)} · {polls}" if sale.polls else duration(sale.elapsed_s)


def place(sale: Sale, device: str) -> str:
    return (
        _("for {device}").format(device=device)
        if sale.outcome in {Outcome.NOT_SENT, Outcome.REFUSED}
        else _("on {device}").format(device=device)
    )
