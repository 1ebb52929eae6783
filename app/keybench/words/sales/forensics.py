"""What went on while a sale was under way, in sentences with figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from keybench.core.sales.forensics import Account, Wait, WaitCause
from keybench.words.formats import duration
from keybench.words.language import _, ngettext
from keybench.words.reasons import reason_sentence

_NAMES: Final = {
    WaitCause.ANSWER_LOST: _("The answer was lost"),
    WaitCause.NEVER_WOKE: _("The device never began"),
    WaitCause.CUSTOMER_LEFT: _("The customer didn't finish in {time}"),
    WaitCause.NETWORK_GAP: _("The network had a gap"),
    WaitCause.GATEWAY_GAP: _("The gateway told no status for a while"),
    WaitCause.KEYBENCH_CLOSED: _("Keybench was closed meanwhile"),
    WaitCause.POLLING_LATE: _("Polling was late"),
}
_GAPS: Final = {
    WaitCause.GATEWAY_GAP: _("no status"),
    WaitCause.KEYBENCH_CLOSED: _("Keybench closed"),
    WaitCause.POLLING_LATE: _("not asked"),
}
_TIMES: Final = {
    "accepted_s": _("Accepted after {time}"),
    "device_s": _("device began within {time}"),
    "outcome_s": _("outcome seen after {time}"),
    "late_s": _("at most {time} late"),
    "longest_gap_s": _("longest time between two answers {time}"),
}


def gap_name(gap: Wait) -> str:
    """Return what a gap is called in a picture, such as ``no answer 14.2 s``."""
    return f"{_GAPS.get(gap.finding, _('no answer'))} {duration(gap.seconds)}"


def because(found: Wait) -> str:
    shown = _shown(found).format(word=found.word, time=duration(found.seconds), status=found.status)
    return f"{shown} {reason_sentence(found.reason)}" if found.reason else shown


def _shown(found: Wait) -> str:
    match found.finding:
        case WaitCause.ANSWER_LOST:
            return _("The sale was sent, and in {time} no whole answer came.")
        case WaitCause.NEVER_WOKE:
            return _("The status stayed “{word}” for {time}, until it was over: the device hadn't begun.")
        case WaitCause.CUSTOMER_LEFT:
            return _("The device had begun (“{word}”), and nobody finished the payment.")
        case _ if found.status:
            return ngettext(
                "For {time}, nothing was known of the sale: one poll was answered with {status}.",
                "For {time}, nothing was known of the sale: {count} polls got no status, the last {status}.",
                found.polls,
            )
        case _ if found.polls:
            return ngettext(
                "For {time}, nothing was known of the sale: one poll got no answer.",
                "For {time}, nothing was known of the sale: {count} polls got no answer.",
                found.polls,
            )
        case WaitCause.NETWORK_GAP:
            return _("For {time}, nothing was known of the sale: one poll waited for its answer.")
        case WaitCause.KEYBENCH_CLOSED:
            return _("For {time}, nothing was known of the sale.")
        case _:
            return _(
                "For {time}, Keybench didn't ask: this computer slept or was busy, or other sales were first."
            )


def sentences(account: Account) -> Sequence[str]:
    return [
        f"{_NAMES[one.finding].format(time=duration(one.seconds))}. {because(one)}"
        for one in account.findings
    ]


def times_sentence(account: Account) -> str:
    if account.accepted_s is None:
        return ""
    told = ((_TIMES[name], time_s) for name, time_s in times(account).items() if time_s is not None)
    return f"{', '.join(words.format(time=duration(time_s)) for words, time_s in told)}."


def record(account: Account) -> Sequence[Mapping[str, str]]:
    return [{"finding": found.finding.value, "because": because(found)} for found in account.findings]


def times(account: Account) -> Mapping[str, float | None]:
    return {name: None if (time_s := getattr(account, name)) is None else round(time_s, 3) for name in _TIMES}
