"""Sales in words: how one ends and what that means for the money, look-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

from keybench.core import errors as e
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, Verdict, contradictions
from keybench.words.explain import (
    DEVICE_OFFLINE_TEXT,
    Explanation,
    explain,
    own_words,
)
from keybench.words.formats import ago, clock_time, figure, money
from keybench.words.language import _, ngettext
from keybench.words.reasons import reason_sentence, sentences_of, unreadable_sentence

OutcomeTone = Literal["good", "bad", "warning", "unknown"]

#: An outcome's word, its tone, and the sign that stands with the word, so that colour is never alone.
_SHOWN: Final[Mapping[Outcome, tuple[str, OutcomeTone, str]]] = {
    Outcome.APPROVED: (_("Approved"), "good", "✓"),
    Outcome.PARTLY_APPROVED: (_("Partly approved"), "warning", "◐"),
    Outcome.DECLINED: (_("Declined"), "bad", "✕"),
    Outcome.CANCELLED: (_("Cancelled"), "warning", "⊘"),
    Outcome.EXPIRED: (_("Expired"), "warning", "◷"),
    Outcome.REFUSED: (_("Refused"), "bad", "✕"),
    Outcome.NOT_SENT: (_("Not sent"), "warning", "–"),
    Outcome.UNKNOWN: (_("Unknown"), "unknown", "?"),
}

#: What contradicts, by where it stands; ``{what}`` is what it says.
_CLAIMS: Final = {
    "status": _("the status says {what}"),
    "flag": _("the success flag says {what}"),
    "response": _("the response says {what}"),
    "code": _("the response code says {what}"),
    "text": _("the text says {what}"),
    "authorisation": _("there is an authorisation ({what})"),
    "amount": _("the amount is {what}"),
    "currency": _("the currency is {what}"),
    "device": _("the device is {what}"),
    "reference": _("the reference is {what}"),
    "request": _("the payment request is {what}"),
    "transaction": _("there is a transaction ({what})"),
    "http": _("the HTTP status is {what}"),
    "found": _("a sale with this reference is {what}"),
}
#: The same where the word that stands there isn't one that people say.
_SAYINGS: Final = {
    ("status", "by success"): _("the status says that it is over"),
    ("status", "goes on"): _("the status says that it goes on"),
    ("code", "goes on"): _("the response code says that it goes on"),
    ("response", "by code"): _("the response says that it failed"),
    ("code", "unknown"): _("the response code says that nobody knows"),
    ("flag", "missing"): _("the success flag is missing"),
    ("flag", "unclear"): _("the success flag is neither true nor false"),
    ("status", "unclear"): _("the status can't be understood"),
    ("response", "unclear"): _("the response can't be understood"),
    ("code", "unclear"): _("the response code can't be understood"),
    ("text", "unclear"): _("the text can't be understood"),
    ("authorisation", "unclear"): _("the authorisation can't be understood"),
}
_REFUSED_LATER: Final = {
    401: _("The gateway took the sale, and then refused the key when asked for the outcome (401)."),
    403: _("The gateway took the sale, and then didn't allow asking for its outcome (403)."),
    404: _("The gateway took the sale, and now knows no such payment request (404)."),
}

UNDER_WAY: Final = _("Under way")
_MOST_NAMED: Final = 3
LOOK_AGAIN: Final = _("Look it up again in six minutes to be sure.")
_ONE_AT_A_TIME: Final = _(
    "A device takes one sale at a time, so the gateway will probably refuse another until then."
)
_FREE: Final = _("No sale of Keybench is under way there any more.")


def outcome_word(outcome: Outcome) -> str:
    return _SHOWN[outcome][0]


def outcome_shape(outcome: Outcome) -> str:
    return _SHOWN[outcome][2]


def tone_of_outcome(outcome: Outcome) -> OutcomeTone:
    return _SHOWN[outcome][1]


def outcome_headline(sale: Sale) -> str:
    """Return the outcome as a headline: its word, with the status where one explains it (``Refused · 401``)."""
    verdict = sale.verdict
    if verdict is None:
        return UNDER_WAY
    word = outcome_word(verdict.outcome)
    return (
        f"{word} · {verdict.status}" if verdict.outcome is Outcome.REFUSED and verdict.status >= 400 else word
    )


def sale_amount(sale: Sale) -> str:
    """Return what a sale was for, such as ``10.00 USD``; of a partial approval ``5.00 of 10.00 USD``."""
    if sale.outcome is not Outcome.PARTLY_APPROVED or sale.approved is None:
        return money(sale.money)
    return _("{approved} of {money}").format(approved=figure(sale.approved.amount), money=money(sale.money))


_TAKEN: Final = {
    EnvironmentKind.PRACTICE: _("This is practice, so no money moved."),
    EnvironmentKind.TEST: _("This is a test, so no money moved."),
    EnvironmentKind.LIVE: _("The money was taken."),
}


_NOT_PAID: Final = {
    Outcome.DECLINED: (_("The card was declined."), _("Ask for another card or way to pay.")),
    Outcome.CANCELLED: (_("The sale was cancelled on the device."), ""),
    Outcome.EXPIRED: (
        _("Nobody paid in time, and the device gave up."),
        _("Send it again when the customer is ready."),
    ),
}
_NOTHING_SOLD: Final = _("Nothing was sold and no money moved.")
#: What a refusal says by its reason or else its status, what it means for the money, and what to do.
_REFUSED: Final[Mapping[str | int, tuple[str, str, str]]] = {
    Reason.DEVICE_BUSY: (
        _("The device is busy with another sale."),
        _NOTHING_SOLD,
        _("Wait until it is free, then send it again."),
    ),
    Reason.DEVICE_OFFLINE: (
        DEVICE_OFFLINE_TEXT,
        _NOTHING_SOLD,
        _("Check its power and its network, and wait until it is connected again; then send it again."),
    ),
    Reason.RATE_LIMIT: (
        _("The gateway is limiting how often it may be called."),
        _NOTHING_SOLD,
        _("Wait a minute, then send it again."),
    ),
    # An earlier Keybench took every conflict for a refusal.
    Reason.CONFLICT: (
        _("The gateway refused the sale because of a conflict."),
        "",
        _("It may have had this sale already: look for it in the portal before you send it again."),
    ),
    401: (
        _("The gateway refused the key."),
        _NOTHING_SOLD,
        _("Use another key, or find out why: a diagnosis sends no sale."),
    ),
    # A 403 that doesn't say why may mean either.
    403: (
        _("The gateway doesn't allow this sale."),
        _NOTHING_SOLD,
        _(
            "Check the permissions of the key's user, the key's kind, and whether the account is restricted. "
            "It may also be called too often: then wait a minute and send it again."
        ),
    ),
    404: (
        _("The gateway doesn't know this device or address."),
        _NOTHING_SOLD,
        _("Check the device's identifier and that it belongs to this environment."),
    ),
    0: (_("The gateway refused the sale."), _NOTHING_SOLD, _("See the gateway's words for why.")),
}


def explain_sale(sale: Sale, kind: EnvironmentKind | None) -> Explanation:
    """Return what became of a sale, for a person at the till; of an environment that was removed, no kind."""
    verdict = sale.verdict
    if verdict is None:
        return Explanation(
            _("{money} is under way on {device}.").format(money=money(sale.money), device=sale.device),
            "",
            _("Wait for the customer at the device."),
        )
    detail = own_words(verdict.message, verdict.error_reference)
    taken = _TAKEN[kind] if kind else _("If its environment was live, the money was taken.")
    match verdict.outcome:
        case Outcome.APPROVED:
            return Explanation(
                _("{money} was approved on {device}.").format(money=money(sale.money), device=sale.device),
                taken,
                "",
                detail,
            )
        case Outcome.PARTLY_APPROVED:
            return Explanation(
                _("{amount} was approved: the rest was not.").format(amount=sale_amount(sale)),
                _("Only that part was taken.") if kind is EnvironmentKind.LIVE else taken,
                _("Ask for another way to pay the rest."),
                detail,
            )
        case Outcome.DECLINED | Outcome.CANCELLED | Outcome.EXPIRED:
            title, step = _NOT_PAID[verdict.outcome]
            return Explanation(title, _("Nothing was taken."), step, detail)
        case Outcome.REFUSED:
            refused = _REFUSED.get(verdict.reason) or _REFUSED.get(verdict.status) or _REFUSED[0]
            return Explanation(*refused, detail)
        case Outcome.NOT_SENT:
            return _not_sent(verdict)
        case Outcome.UNKNOWN:
            return _unknown(verdict, detail)


def _not_sent(verdict: Verdict) -> Explanation:
    words = sentences_of(verdict.reason)
    title = words.not_sent or reason_sentence(verdict.reason)
    step = words.not_sent_step or _("Check, then send it again.")
    return Explanation(title, _("Nothing reached the gateway, so nothing was sold."), verdict.message or step)


def _unknown(verdict: Verdict, detail: str) -> Explanation:
    if claims := _contradiction(verdict.reason):
        title = _("The gateway's answer is contradictory: {claims}.").format(claims=claims)
    elif verdict.reason == Reason.REFUSED_WHILE_FOLLOWING:
        title = _REFUSED_LATER.get(verdict.status) or (
            _("The gateway took the sale and then refused to tell its outcome ({status}).").format(
                status=verdict.status
            )
        )
    elif words := sentences_of(verdict.reason).unknown:
        title = words
    elif verdict.status >= 500 or verdict.status == 408:
        title = _("The gateway itself failed ({status}).").format(status=verdict.status)
    elif verdict.status:
        title = unreadable_sentence(verdict.reason)
    else:
        title = reason_sentence(verdict.reason)
    return Explanation(
        title,
        _("The sale may have gone through: nobody can tell yet."),
        _("Look it up before anything is sent again."),
        detail,
    )


def _contradiction(reason: str) -> str:
    claims = [
        _SAYINGS.get((where, what))
        or _CLAIMS.get(where, _("{where} is {what}")).format(where=where, what=_claim(what))
        for where, what in contradictions(reason)
    ]
    return ", ".join(claims)


def _claim(what: str) -> str:
    outcomes = {one.value: one for one in Outcome}
    return outcome_word(outcomes[what]).lower() if what in outcomes else what


def busy_words(busy: Sequence[Sale], now: datetime) -> str:
    """Return which of our sales keep devices busy, one a line, and what that means for another."""
    open_sales = [sale for sale in busy if sale.verdict is None]
    lines = [
        _("{money} on {device}: {outcome}.").format(
            money=money(sale.money), device=sale.device, outcome=outcome_headline(sale)
        )
        for sale in busy
        if sale.verdict
    ][-_MOST_NAMED:]
    lines += [
        _("{money} on {device}, begun {ago}, has no outcome yet.").format(
            money=money(sale.money), device=sale.device, ago=ago(sale.noted_at, now)
        )
        for sale in open_sales[:_MOST_NAMED]
    ]
    if more := len(open_sales[_MOST_NAMED:]):
        lines.append(ngettext("{count} more has none either.", "{count} more have none either.", more))
    return "\n".join([*lines, _FREE if all(sale.is_settled for sale in busy) else _ONE_AT_A_TIME])


def event_words(event: SaleEvent) -> str:
    match event.mark:
        case Mark.ACCEPTED:
            return _("accepted")
        case Mark.STATUS:
            return event.detail or _("no status")
        case Mark.TROUBLE:
            return event.detail or _("no answer")
        case Mark.OUTCOME:
            return outcome_word(Outcome(event.detail)).lower()
        case Mark.LOOKED_UP:
            return event.detail or _("looked up")
        case Mark.CANCEL_ASKED:
            return _("cancel asked")
        case Mark.NOTED:
            return _("recorded")
        case Mark.SENT:
            return _("sent")
        case Mark.CHECKED:
            return _("checked")


def last_look_up(sale: Sale, events: Sequence[SaleEvent]) -> str:
    if sale.outcome is not Outcome.UNKNOWN:
        return ""
    looks = [event for event in events if event.mark is Mark.LOOKED_UP and event.detail]
    if not looks:
        return ""
    looked_up = _("Looked up at {clock_time}: {detail}.").format(
        clock_time=clock_time(looks[-1].at), detail=looks[-1].detail
    )
    return f"{looked_up} {LOOK_AGAIN}" if looks[-1].detail == Reason.NOT_FOUND_YET else looked_up


def is_not_found_yet(sale: Sale, events: Sequence[SaleEvent]) -> bool:
    return sale.outcome is Outcome.UNKNOWN and bool(events) and events[-1].detail == Reason.NOT_FOUND_YET


def in_vain(error: e.KeybenchError, sale: Sale) -> str:
    """Return why a look-up told nothing; what it means for the money is the sale's own to say."""
    match error:
        case e.NotFound(what="key"):
            return _("The key “{key_name}” was forgotten, so the gateway can't be asked.").format(
                key_name=sale.key_name
            )
        case e.NotFound():
            return _("The sale's environment was removed, so its gateway can't be asked.")
        case e.NotSent(reason="not offered"):
            return _("This gateway can't find a sale by its reference. Look for it in the gateway's portal.")
        case e.NotSent() | e.PracticeUnavailable():
            return _("The gateway couldn't be asked. {title}").format(title=explain(error).title)
        case e.GatewayError():
            return _("The gateway was asked in vain. {title}").format(title=explain(error).title)
        case _:
            return _("The gateway couldn't be asked. {title}").format(title=explain(error).title)
