"""A Diagnose page in a window of its own, with diagnoses that end when a test wants it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from fakes.waiting import until
from keybench.core.diagnosis.checks import Check, CheckFinding, Sign, Silence, saw
from keybench.core.diagnosis.conclusion import Conclusion, Diagnosis, conclude
from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.exchange import Exchange, Timings
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Sale
from keybench.core.secret import MASK
from keybench.workflows.diagnosis.checks import Question
from keybench.workflows.diagnosis.diagnose import Diagnose
from keybench.workflows.diagnosis.running import OnFinding

AT: Final = datetime(2026, 11, 21, 21, 41, 9, tzinfo=UTC)


def found(check: Check, *seen: Sign, took_s: float = 0.01, **facts: Any) -> CheckFinding:
    """Return a finding; the facts are those of the first observation."""
    first, *others = (saw(one) for one in seen)
    return CheckFinding(check, (replace(first, facts=facts), *others), took_s)


def silent(check: Check, silence: Silence, waits_for: Check | None = None) -> CheckFinding:
    return CheckFinding(check, silence=silence, waits_for=waits_for)


#: The way there is well, and the gateway refuses the key.
REFUSED: Final = (
    found(Check.JOURNAL, Sign.JOURNAL_READY, took_s=0.002),
    found(Check.KEYSTORE, Sign.VALUE_AS_KEPT, took_s=0.011, fingerprint="amber-river-nine-fox"),
    found(Check.VALUE, Sign.FORM_USUAL, length=32),
    found(Check.BASE_URL, Sign.URL_PLAIN, base_url="https://sandbox.example"),
    found(Check.CONTRACT, Sign.CONTRACT_READY, contract="v5"),
    found(Check.NAME, Sign.NAME_FOUND, took_s=0.004, host="sandbox.example", address="203.0.113.9"),
    found(Check.CONNECT, Sign.CONNECTED, took_s=0.021, address="203.0.113.9:443"),
    found(Check.PROXY, Sign.PROXY_NONE, took_s=0.001),
    found(Check.TLS, Sign.TLS_TRUSTED, took_s=0.063, version="TLS 1.3", issuer="Usual Issuer R3", days=71),
    found(Check.CLOCK, Sign.CLOCK_RIGHT, took_s=0.09, offset_s=0.3),
    found(Check.GATEWAY, Sign.GATEWAY_ASKS_FOR_KEY, took_s=0.091, status=401),
    found(
        Check.CALL, Sign.CALL_UNAUTHORISED, took_s=0.091, status=401, message="Specified API key not found"
    ),
    found(Check.FORMS, Sign.OTHER_FORMS_REFUSED, took_s=0.18),
    silent(Check.PERMISSIONS, Silence.NOT_OFFERED),
    silent(Check.DEVICE, Silence.WAITS, Check.CALL),
    found(Check.RATE, Sign.RATE_NOT_MET, took_s=0.003),
    found(
        Check.HISTORY,
        Sign.SAME_VALUE_ELSEWHERE,
        Sign.KEY_NEVER_WORKED,
        took_s=0.003,
        fingerprint="amber-river-nine-fox",
        environment="SANDBOX EU",
    ),
    silent(Check.ELSEWHERE, Silence.NOT_ASKED),
)
#: All is well.
WELL: Final = tuple(
    found(Check.CALL, Sign.CALL_ACCEPTED, took_s=0.05, status=200) if one.check is Check.CALL else one
    for one in REFUSED
    if one.check not in {Check.FORMS, Check.PERMISSIONS, Check.DEVICE, Check.HISTORY, Check.ELSEWHERE}
)


def exchange(url: str, carried: str, status: int, body: str) -> Exchange:
    """Return an exchange that carried the key, masked, in some form."""
    headers = (("Authorization", carried),) if carried else ()
    return Exchange(AT, "GET", url, headers, "", status, (), body, "", Timings(0.091))


@dataclass
class FakeDiagnose(Diagnose):
    """Finds what a test gives it.

    Attributes:
        findings: What a run finds.
        more: What a check finds that a person agreed to.
        others: The person's other environments of the same gateway.
        gate: A run waits for it after the first finding; open from the start.
        asked: What was asked, in order.
        error: Raised by a run.
    """

    findings: Sequence[CheckFinding] = REFUSED
    more: Mapping[Check, CheckFinding] = field(default_factory=dict)
    others: tuple[Environment, ...] = ()
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[Question] = field(default_factory=list)
    error: KeybenchError | None = None
    at_once: Sequence[CheckFinding] = ()

    def __post_init__(self) -> None:
        self.gate.set()

    def checks(self, question: Question) -> tuple[Check, ...]:
        about_a_key = {
            Check.KEYSTORE,
            Check.VALUE,
            Check.CALL,
            Check.FORMS,
            Check.PERMISSIONS,
            Check.ELSEWHERE,
        }
        checks = [one.check for one in self.findings]
        if question.key is None:
            checks = [one for one in checks if one not in about_a_key]
        return tuple(one for one in checks if question.device or one is not Check.DEVICE)

    async def run(
        self, question: Question, on_finding: OnFinding = lambda _: None, *, stop: asyncio.Event | None = None
    ) -> Diagnosis:
        self.asked.append(question)
        if self.error:
            raise self.error
        wanted = self.checks(question)
        agreed = {Check.ELSEWHERE: bool(question.elsewhere), Check.FORMS: question.other_forms}
        more = {check: self.more[check] for check, told in agreed.items() if told}
        ended = [more.get(one.check, one) for one in self.findings if one.check in wanted]
        on_finding(ended[0])
        await until(lambda: self.gate.is_set() or bool(stop and stop.is_set()))
        if stop and stop.is_set():
            ended[1:] = [silent(one.check, Silence.STOPPED) for one in ended[1:]]
        for one in ended[1:]:
            on_finding(one)
        return self._concluded(question, ended)

    async def elsewhere(self, question: Question) -> Sequence[Environment]:
        return self.others if question.key else ()

    async def at_failure(self, sale: Sale) -> Conclusion:
        return conclude(self.at_once)

    async def at_error(
        self,
        error: KeybenchError,
        environment: Environment | None = None,
        key: SecurityKey | None = None,
        exchanges: Sequence[Exchange] = (),
    ) -> Conclusion:
        return conclude(self.at_once)

    def _concluded(self, question: Question, findings: Sequence[CheckFinding]) -> Diagnosis:
        host, key = "sandbox.example", question.key
        url = f"https://{host}/api/v5/devices"
        refusal = '{"status":"E_UNAUTHORIZED","message":"Specified API key not found","ref":"8d21f0aa"}'
        asked = {Check.GATEWAY: exchange(url, "", 401, '{"status":"E_UNAUTHORIZED"}')}
        if key:
            asked |= {
                Check.CALL: exchange(url, MASK, 401, refusal),
                Check.FORMS: exchange(url, f"Bearer {MASK}", 401, refusal),
            }
        made = tuple(
            replace(one, exchanges=(asked[one.check],)) if one.check in asked else one for one in findings
        )
        return Diagnosis(
            AT,
            2.4,
            question.environment.name,
            question.environment.kind,
            host,
            key.name if key else "",
            "amber-river-nine-fox" if key else "",
            question.device,
            made,
            conclude(made),
            question.sale.reference if question.sale else "",
            question.sale.request_id if question.sale else "",
        )
