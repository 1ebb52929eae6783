"""A diagnosis in words: each check, the verdict, what speaks for a cause or against it, text for a ticket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from keybench.core.diagnosis.causes import Trouble
from keybench.core.diagnosis.checks import Check, CheckFinding, Observation, Result, Sign, Silence
from keybench.core.diagnosis.conclusion import Conclusion, Diagnosis, Explained, Judged, Standing
from keybench.core.diagnosis.rules import result_of, rules_out
from keybench.words.diagnosis.causes import cause_name, cause_title, remedy, standing_word, trouble_word
from keybench.words.diagnosis.signs import observation_text
from keybench.words.formats import both_times, duration, listed, sentence_case
from keybench.words.language import _, ngettext

_CHECKS: Final = {
    Check.FAILURE: _("What failed"),
    Check.JOURNAL: _("Journal"),
    Check.KEYSTORE: _("Keystore"),
    Check.VALUE: _("Form of the value"),
    Check.BASE_URL: _("Base URL"),
    Check.CONTRACT: _("Contract"),
    Check.NAME: _("Host name"),
    Check.CONNECT: _("Connection"),
    Check.PROXY: _("Proxy"),
    Check.TLS: _("TLS certificate"),
    Check.CLOCK: _("Clock"),
    Check.GATEWAY: _("Call without a key"),
    Check.CALL: _("Call with the key"),
    Check.FORMS: _("Other header forms"),
    Check.PERMISSIONS: _("Permissions of the user"),
    Check.DEVICE: _("Device"),
    Check.RATE: _("Rate limit"),
    Check.HISTORY: _("History"),
    Check.ELSEWHERE: _("Other environments"),
}
_SILENCES: Final = {
    Silence.TIME: _("Could not tell: it took too long."),
    Silence.CRASHED: _("Could not tell: the check itself failed."),
    Silence.STOPPED: _("Could not tell: it was stopped."),
    Silence.WAITS: _("Could not tell: it needs what another check didn't get."),
    Silence.NOT_TOLD: _("Could not tell: the gateway doesn't say."),
    Silence.NOT_OFFERED: _("Could not tell: the gateway doesn't offer it."),
    Silence.NOT_ASKED: _("Not asked: it needs your consent."),
    Silence.NEEDLESS: _("Not needed: the gateway accepts the key as it is."),
}
#: Nobody misses what these didn't tell.
_NOT_MISSED: Final = frozenset({Silence.NOT_ASKED, Silence.NEEDLESS})
_CAN_BE_MADE: Final = {
    Check.ELSEWHERE: _("One harmless call with this key in the other environment."),
    Check.FORMS: _("Four harmless calls with the key in other forms."),
    Check.CALL: _("The harmless call once more."),
    Check.DEVICE: _("Ask for the device's state."),
}
_REFUSED: Final = frozenset({Sign.CALL_UNAUTHORISED, Sign.CALL_FORBIDDEN})
_ANSWERED: Final = frozenset({*_REFUSED, Sign.GATEWAY_ASKS_FOR_KEY, Sign.CALL_ACCEPTED, Sign.RATE_LIMIT})

_MOST_QUOTED: Final = 3


def check_title(check: Check) -> str:
    return _CHECKS[check]


def finding_text(finding: CheckFinding) -> str:
    return f"{check_title(finding.check)}: {evidence_text(finding)}"


def evidence_text(finding: CheckFinding) -> str:
    """Return what a check saw, faults first, or why it couldn't tell."""
    if finding.silence is Silence.WAITS and finding.waits_for is not None:
        return _("Could not tell: it waits for “{check}”.").format(check=check_title(finding.waits_for))
    if finding.silence is not None and not finding.observations:
        return _SILENCES[finding.silence]
    faults_first = sorted(finding.observations, key=lambda one: one.seen.shows is not Result.FAULT)
    return " ".join(observation_text(one) for one in faults_first)


def headline(diagnosis: Diagnosis) -> str:
    """Return the verdict as a sentence."""
    conclusion, seen = diagnosis.conclusion, _seen(diagnosis.findings)
    if conclusion.likely:
        first = conclusion.likely[0]
        title = cause_title(first.cause)
        return _("{cause} It was so when it failed.").format(cause=title) if first.is_past else title
    match conclusion.trouble:
        case Trouble.NONE:
            return _("Everything that was checked works.")
        case Trouble.OPEN if not conclusion.suspects and not diagnosis.key_name and seen & _ANSWERED:
            return _("The gateway answers. Choose a key to check more.")
        case Trouble.OPEN if not conclusion.suspects:
            return _("Nothing points to a cause, and not everything could be checked.")
        case _ if Sign.CALL_UNAUTHORISED in seen:
            return _("The gateway refuses the key.")
        case _ if Sign.CALL_FORBIDDEN in seen:
            return _("The gateway doesn't allow this key to call.")
        case Trouble.OPEN:
            return _("It can't be told yet what the cause is.")
        case _:
            return cause_title(conclusion.suspects[0].cause)


def summary(diagnosis: Diagnosis) -> str:
    """Return what the trouble is not, and why; what couldn't be told stands in `untold`."""
    conclusion, seen = diagnosis.conclusion, _seen(diagnosis.findings)
    trouble = conclusion.trouble
    if trouble is Trouble.NONE:
        return _("The gateway answers and accepts the key, and no check found a fault.")
    if seen & _REFUSED and trouble is Trouble.OURS:
        return _(
            "Not the network, the device, the customer or the card's issuer: the gateway answered, and "
            "refused the call before anything else."
        )
    if Sign.CALL_ACCEPTED in seen and trouble in {Trouble.DEVICE, Trouble.CUSTOMER, Trouble.ISSUER}:
        return _("Neither the network nor the key: the gateway answers and accepts the key.")
    if Sign.CALL_ACCEPTED in seen:
        return _("The gateway answers now, and accepts the key.")
    if trouble is Trouble.NETWORK and not seen & _ANSWERED:
        return _("Nothing came back from the gateway, so nothing can be said of the key or the device.")
    if seen & _ANSWERED:
        return _("Not the network: the gateway answers.")
    return _("The gateway was not asked about a key, so nothing can be said of one.")


def untold(findings: Sequence[CheckFinding]) -> str:
    """Return which checks could not tell, in one sentence; empty if all could."""
    names = [
        check_title(one.check)
        for one in findings
        if result_of(one) is Result.COULD_NOT_TELL and one.silence not in _NOT_MISSED
    ]
    return _("Could not tell: {checks}.").format(checks=listed(names)) if names else ""


def because(judged: Judged) -> str:
    """Return what points to a cause; for one that is ruled out, what rules it out."""
    if judged.standing is Standing.RULED_OUT:
        return _quoted(judged.against[:1])
    if judged.is_past:
        return _("{then} Now: {now}").format(then=_quoted(judged.speaking), now=_quoted(judged.against[:1]))
    if judged.speaking:
        return _quoted(judged.speaking)
    return _("Nothing points to it, and nothing rules it out.")


def explained_text(explained: Explained) -> str:
    return _("{check}: explained by “{cause}”").format(
        check=check_title(explained.check), cause=cause_name(explained.by)
    )


def next_check_text(check: Check) -> str:
    again = _("“{check}” once more.").format(check=check_title(check))
    return _("{what} No sale is sent.").format(what=_CAN_BE_MADE.get(check, again))


def ticket_text(diagnosis: Diagnosis) -> str:
    """Return a diagnosis as some lines for a ticket; no value is in it."""
    conclusion = diagnosis.conclusion
    tried = [check_title(one.check) for one in diagnosis.findings if one.silence is None]
    out = [cause_name(one.cause) for one in conclusion.ruled_out]
    facts = [
        (trouble_word(conclusion.trouble), headline(diagnosis)),
        (_("Environment"), _environment(diagnosis)),
        (_("Host"), diagnosis.host),
        (_("Key"), diagnosis.key),
        (_("Device"), diagnosis.device),
        (_("Reference"), diagnosis.reference),
        (_("Payment request"), diagnosis.request_id),
        (_("Time"), both_times(diagnosis.at)),
        (_("Took"), duration(diagnosis.took_s)),
    ]
    lines = [f"{name}: {text}" for name, text in facts if text]
    lines += [
        f"{standing_word(one.standing)}: {cause_title(one.cause)} {because(one)} {remedy(one.cause)}"
        for one in conclusion.suspects[:_MOST_QUOTED]
    ]
    lines += [explained_text(one) for one in conclusion.explained]
    if tried:
        lines.append(_("Checked: {checks}.").format(checks=listed(tried)))
    if out:
        lines.append(_("Ruled out: {causes}.").format(causes=listed(out)))
    if unclear := untold(diagnosis.findings):
        lines.append(unclear)
    return "\n".join([*lines, ""])


def _environment(diagnosis: Diagnosis) -> str:
    kind = diagnosis.kind.value
    return diagnosis.environment if kind == diagnosis.environment else f"{diagnosis.environment} ({kind})"


def count_text(count: int) -> str:
    return ngettext("1 check · never sends a sale", "{count} checks · never sends a sale", count)


def _quoted(observations: Sequence[Observation]) -> str:
    return " ".join(observation_text(one) for one in observations[:_MOST_QUOTED])


def _seen(findings: Sequence[CheckFinding]) -> set[Sign]:
    return {one.seen for finding in findings for one in finding.observations}


def causes_line(conclusion: Conclusion) -> str:
    """Return the first three causes in one line: ``Likely: …; possible: …, …``; empty if there are none."""
    first = conclusion.suspects[:_MOST_QUOTED]
    parts = []
    for standing in (Standing.LIKELY, Standing.POSSIBLE):
        names = [cause_name(one.cause) for one in first if one.standing is standing]
        if names:
            parts.append(f"{standing_word(standing)}: {', '.join(names)}")
    line = "; ".join(parts)
    return sentence_case(line)


def check_record(finding: CheckFinding) -> dict[str, Any]:
    return {
        "check": finding.check.value,
        "result": result_of(finding).value,
        "evidence": evidence_text(finding),
        "rules_out": [cause.value for cause in rules_out(finding)],
        "took_s": round(finding.took_s, 3),
    }


def cause_record(judged: Judged) -> dict[str, Any]:
    return {
        "cause": judged.cause.value,
        "standing": judged.standing.value,
        "because": because(judged),
        "remedy": remedy(judged.cause),
    }


def verdict_record(diagnosis: Diagnosis) -> dict[str, Any]:
    conclusion = diagnosis.conclusion
    next_check = conclusion.next_check
    return {
        "verdict": conclusion.trouble.value,
        "causes": [cause_record(one) for one in conclusion.causes],
        "explained": [{"check": one.check.value, "by": one.by.value} for one in conclusion.explained],
        "next_check": next_check.value if next_check else None,
        "took_s": round(diagnosis.took_s, 3),
    }
