"""What went on while a sale was under way, in sentences with figures; and what can't be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from keybench.core.forensic_record import Gap, GapKind
from keybench.core.forensics import Account, Finding, Found, Untold
from keybench.words.formats import duration
from keybench.words.language import _, ngettext
from keybench.words.polls import time_span
from keybench.words.reasons import reason_sentence

_NAMES: Final = {
    Finding.ANSWER_LOST: _("The answer was lost"),
    Finding.NEVER_WOKE: _("The device never began"),
    Finding.WOKE_LATE: _("The device began late"),
    Finding.CUSTOMER_LEFT: _("The customer didn't finish in time ({time})"),
    Finding.CUSTOMER_SLOW: _("The customer was slow"),
    Finding.NETWORK_GAP: _("The network had a gap"),
    Finding.GATEWAY_GAP: _("The gateway failed for a while"),
    Finding.POLLING_LATE: _("Polling was late"),
}
_UNTOLD: Final = {
    Untold.TIMELINE: _("What went on can't be told: no timeline was recorded."),
    Untold.STATUS: _("What went on at the device can't be told: no poll brought a status."),
    Untold.DEVICE_OR_CUSTOMER: _(
        "Whether the device never began or the customer didn't pay can't be told: no status says it."
    ),
    Untold.WHO_WAS_SLOW: _(
        "It took long. Whether the device or the customer was slow can't be told: no status says it."
    ),
    Untold.WHEN_IT_ENDED: _("When it ended can't be told: the outcome was found by a later look-up."),
}
_GAPS: Final = {
    GapKind.NETWORK: _("no answer"),
    GapKind.GATEWAY: _("gateway failed"),
    GapKind.REFUSED: _("key refused"),
    GapKind.RATE_LIMIT: _("rate limit"),
    GapKind.KEYSTORE: _("no keystore"),
    GapKind.STOPPED: _("Keybench closed"),
    GapKind.UNASKED: _("not asked"),
}
#: Why nobody asked, or was answered, while the outcome was there already.
_LATE: Final = {
    GapKind.RATE_LIMIT: _("The gateway limited how often it may be asked."),
    GapKind.KEYSTORE: _("The keystore gave no value to ask with."),
    GapKind.STOPPED: _("Keybench was closed for {time}."),
    GapKind.REFUSED: _("The gateway refused the key when it was asked."),
    GapKind.UNASKED: _(
        "Keybench didn't poll for {time}, longer than planned: this computer slept or was busy, or other sales "
        "were polled first."
    ),
}


def gap_name(gap: Gap) -> str:
    """Return what a gap is called in a picture, such as ``no answer 14.2 s``."""
    return f"{_GAPS[gap.kind]} {duration(gap.seconds)}"


def because(found: Found) -> str:
    """Return what a finding is told from, as sentences."""
    time = duration(found.seconds)
    match found.finding:
        case Finding.ANSWER_LOST:
            return _lost(found)
        case Finding.NEVER_WOKE:
            return _(
                "The status stayed “{word}” for {time}, until it was over: the device hadn't begun."
            ).format(word=found.word, time=time)
        case Finding.WOKE_LATE:
            said = _("The status was “{word}” for {time} or longer: the device hadn't begun.")
            usual = _usually(found.usual_s)
            return f"{said.format(word=found.word, time=time)} {usual}".strip()
        case Finding.CUSTOMER_LEFT:
            return _("The device had begun (“{word}”), and nobody finished the payment.").format(
                word=found.word
            )
        case Finding.CUSTOMER_SLOW:
            said = (
                _("The device had begun, and the outcome took {time}.")
                if found.is_exact
                else _("The device had begun, and after {time} there was no outcome yet.")
            )
            usual = _usually(found.usual_s) or _("What is usual on this device isn't known yet.")
            return f"{said.format(time=time)} {usual}"
        case Finding.NETWORK_GAP | Finding.GATEWAY_GAP:
            return _no_answer(found)
        case Finding.POLLING_LATE:
            return _late(found)


def sentence(found: Found) -> str:
    """Return a finding with what it is told from, as sentences."""
    name = _NAMES[found.finding].format(time=duration(found.seconds))
    return f"{name}. {because(found)}"


def sentences(account: Account) -> Sequence[str]:
    """Return everything that is told of a sale that isn't as usual, the gravest first."""
    told = [sentence(found) for found in account.findings]
    told += [_UNTOLD[one] for one in account.untold]
    return [*told, *map(_jump, (one.by_s for one in account.jumps))]


def usual_sentence(account: Account) -> str:
    """Return that nothing was unusual, with its figures; nothing where something was or nothing was polled."""
    if account.findings or account.untold or account.lag_s is None:
        return ""
    count = len(account.polls)
    return ngettext(
        "Nothing unusual: one poll, answered, and the outcome was seen at most {lag} late.",
        "Nothing unusual: {count} polls, all answered, and the outcome was seen at most {lag} late.",
        count,
    ).format(count=count, lag=duration(account.lag_s[1]))


def _lost(found: Found) -> str:
    time = duration(found.seconds)
    if found.gap and found.gap.kind is GapKind.STOPPED:
        return _("The sale was sent, and Keybench ended before an answer came.")
    said = _("The sale was sent, and in {time} no whole answer came.").format(time=time)
    why = reason_sentence(found.gap.reason) if found.gap else ""
    return f"{said} {why}".strip()


def _no_answer(found: Found) -> str:
    gap, time = found.gap, duration(found.seconds)
    if gap is None or not gap.reason:
        return _("One poll waited {time} for its answer.").format(time=time)
    if found.finding is Finding.GATEWAY_GAP:
        said = ngettext(
            "One poll met a failing gateway ({status})",
            "{count} polls met a failing gateway ({status})",
            found.polls,
        )
    else:
        said = ngettext("One poll got no answer", "{count} polls got no answer", found.polls)
    said = said.format(count=found.polls, status=gap.status)
    whole = (
        _("{said}; for {time}, nothing was known of the sale, and no later poll was answered.")
        if gap.is_open
        else _("{said}; for {time}, nothing was known of the sale.")
    ).format(said=said, time=time)
    return whole if gap.status else f"{whole} {reason_sentence(gap.reason)}".strip()


def _late(found: Found) -> str:
    time = duration(found.seconds)
    said = (_("Seen {time} late.") if found.is_exact else _("Seen up to {time} late.")).format(time=time)
    if found.gap is None:
        planned = _("The pause was as planned.")
        return f"{said} {planned}"
    return f"{said} {_LATE[found.gap.kind].format(time=duration(found.gap.seconds))}"


def _usually(usual_s: tuple[float, float] | None) -> str:
    if usual_s is None:
        return ""
    if usual_s[0] <= 0:
        return _("Usually that takes up to {time}.").format(time=duration(usual_s[1]))
    return _("Usually it takes {time}.").format(time=time_span(*usual_s))


def _jump(by_s: float) -> str:
    return (
        _("This computer's clock was set forward by {time} meanwhile; that is taken out of these times.")
        if by_s > 0
        else _("This computer's clock was set back by {time} meanwhile; that is taken out of these times.")
    ).format(time=duration(abs(by_s)))


def record(account: Account) -> Sequence[dict[str, str]]:
    """Return the findings for programs: each with its stable word and what it is told from."""
    return [{"finding": found.finding.value, "because": because(found)} for found in account.findings]
