"""A diagnosis in words: a sentence for everything, with its facts or without, and none that says too much."""

from __future__ import annotations

from datetime import UTC, datetime

from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.checks import Check, CheckFinding, Sign, Silence, saw
from keybench.core.diagnosis.conclusion import Diagnosis, Standing, conclude
from keybench.core.environments.environment import EnvironmentKind
from keybench.words import diagnosis as words
from keybench.words.diagnosis import causes
from keybench.words.diagnosis.signs import observation_text

AT = datetime(2026, 11, 22, 21, 41, tzinfo=UTC)
#: Every fact that a sentence may name, with made-up contents.
FACTS = {
    "host": "pay.example",
    "status": 401,
    "message": "no",
    "amount": "0.50 USD",
    "detail": "Disk full.",
    "fingerprint": "amber-river-nine-fox",
    "found": "blue-lake-two-owl",
    "length": 32,
    "base_url": "https://pay.example",
    "correction": "https://pay.example",
    "contract": "v5",
    "address": "192.0.2.1",
    "proxy": "proxy.example:3128",
    "version": "TLS 1.3",
    "issuer": "Example CA",
    "days": 71,
    "names": "other.example",
    "offset_s": 3.0,
    "took_s": 0.091,
    "leads_to": "https://other.example",
    "form": "Bearer",
    "username": "counter2",
    "device": "kiosk-3",
    "at": AT,
    "holder": "sale KB-1",
    "request_id": "r1",
    "key": "kiosk",
    "environment": "SANDBOX EU",
}
BASE = (
    Sign.VALUE_AS_KEPT,
    Sign.NAME_FOUND,
    Sign.CONNECTED,
    Sign.PROXY_NONE,
    Sign.TLS_TRUSTED,
    Sign.GATEWAY_ASKS_FOR_KEY,
)


def diagnosis_of(*seen: Sign, asked: tuple[Check, ...] = ()) -> Diagnosis:
    findings = (
        *(CheckFinding(one.check, (saw(one),), 0.01) for one in seen),
        *(CheckFinding(one, silence=Silence.NOT_ASKED) for one in asked),
    )
    return Diagnosis(
        at=AT,
        took_s=2.4,
        environment="SANDBOX",
        kind=EnvironmentKind.TEST,
        host="pay.example",
        key_name="old kiosk",
        fingerprint="amber-river-nine-fox",
        device="kiosk-3",
        findings=findings,
        conclusion=conclude(findings),
    )


def test_each_observation_has_a_sentence_with_its_facts_and_one_without() -> None:
    for seen in Sign:
        for text in (observation_text(saw(seen)), observation_text(saw(seen, **FACTS))):
            assert text, seen
            assert "{" not in text, seen
            assert text[-1] in ".:" or "Disk full." in text, seen


def test_each_cause_has_its_words() -> None:
    for cause in Cause:
        assert causes.cause_title(cause).endswith("."), cause
        assert causes.remedy(cause).endswith("."), cause
        assert causes.cause_name(cause)[-1] != ".", cause


def test_each_check_trouble_standing_and_silence_has_its_words() -> None:
    assert all(map(words.check_title, Check))
    assert all(map(causes.trouble_word, Trouble))
    assert all(map(causes.standing_word, Standing))
    assert all(words.evidence_text(CheckFinding(Check.TLS, silence=one)) for one in Silence)
    waiting = CheckFinding(Check.DEVICE, silence=Silence.WAITS, waits_for=Check.CALL)
    assert words.evidence_text(waiting) == "Could not tell: it waits for “Call with the key”."


def test_the_key_is_called_refused_only_after_a_refusal_of_it() -> None:
    silent = ("refuse", "isn't known", "deleted", "never knew")
    for seen in (
        (Sign.NAME_NOT_FOUND,),
        (Sign.CONNECT_SILENT,),
        (Sign.TLS_EXPIRED,),
        (*BASE, Sign.SILENT),
        (*BASE, Sign.FAILING),
        (Sign.KEYSTORE_SILENT,),
    ):
        told = diagnosis_of(*seen)
        text = f"{words.headline(told)} {words.summary(told)}"
        assert not any(word in text for word in silent), text
    assert words.headline(diagnosis_of(*BASE, Sign.CALL_UNAUTHORISED)) == "The gateway refuses the key."


def test_no_trouble_is_told_only_after_an_accepted_call() -> None:
    assert diagnosis_of(*BASE).conclusion.trouble is Trouble.OPEN
    told = diagnosis_of(*BASE, Sign.CALL_ACCEPTED)
    assert told.conclusion.trouble is Trouble.NONE
    assert words.headline(told) == "Everything that was checked works."


def test_what_a_cause_stands_on_is_quoted_and_so_is_what_rules_it_out() -> None:
    told = diagnosis_of(*BASE, Sign.CALL_UNAUTHORISED, Sign.KEY_REPLACED, Sign.KEY_WORKED)
    first = told.conclusion.causes[0]
    assert first.cause is Cause.KEY_EXPIRED_OR_DELETED
    assert "A rotation replaced the key on" in words.because(first)
    out = next(one for one in told.conclusion.ruled_out if one.cause is Cause.NAME_RESOLUTION)
    assert "has the address" in words.because(out)


def test_the_ticket_has_the_finding_and_where_it_was_made() -> None:
    told = diagnosis_of(*BASE, Sign.CALL_UNAUTHORISED, Sign.SAME_VALUE_ELSEWHERE)
    text = words.ticket_text(told)
    assert text.startswith("Our side: The key belongs to another environment.\n")
    for part in (
        "SANDBOX (test)",
        "pay.example",
        "old kiosk (amber-river-nine-fox)",
        "kiosk-3",
        "UTC",
        "2.40 s",
    ):
        assert part in text
    assert "Ruled out: " in text
    assert "{" not in text


def test_the_next_check_says_what_it_does_and_that_it_sells_nothing() -> None:
    told = diagnosis_of(*BASE, Sign.CALL_UNAUTHORISED, asked=(Check.ELSEWHERE,))
    assert told.conclusion.next_check is Check.ELSEWHERE
    text = words.next_check_text(Check.ELSEWHERE)
    assert text == "One harmless call with this key in the other environment. No sale is sent."


def test_what_was_broken_and_works_again_is_told_so() -> None:
    told = diagnosis_of(Sign.SALE_DEVICE_OFFLINE, *BASE, Sign.CALL_ACCEPTED, Sign.DEVICE_READY)
    first = told.conclusion.causes[0]
    assert first.cause is Cause.DEVICE_OFFLINE
    assert words.headline(told) == "The device isn't connected. It was so when it failed."
    assert words.because(first) == (
        "The gateway said that the device wasn't connected. Now: The device is connected and free."
    )
