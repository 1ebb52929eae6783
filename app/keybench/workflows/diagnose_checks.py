"""The checks of a diagnosis: what is on this computer, and the calls to the gateway that need a key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from keybench.core.connection import Slip, correction_of
from keybench.core.device_state import DeviceState
from keybench.core.diagnosis.checks import Check, Fact, Finding, Observation, Seen, Silence, saw
from keybench.core.diagnosis.places import may_be_gateway, names_other_kind
from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import (
    GatewayError,
    JournalError,
    KeystoreError,
    KeystoreSilent,
    NotSent,
    ValueDiffers,
    ValueLost,
)
from keybench.core.input_errors import CardDataRefused
from keybench.core.ports import ContractFacts
from keybench.core.ports.probing import Probing
from keybench.core.reasons import Reason
from keybench.core.sale import Sale
from keybench.core.security_key import (
    HINT_BEARER,
    HINT_INNER_SPACE,
    HINT_LOOKS_PRIVATE,
    HINT_LOOKS_PUBLIC,
    HINT_PARTNER,
    HINT_UNUSUAL,
    KeyKind,
    SecurityKey,
    form_hint,
)
from keybench.workflows.calling import kept_value
from keybench.workflows.diagnose_question import Subject
from keybench.workflows.diagnose_round import CHECK_S, Step, Untold, limited

#: Where the journal is written to see whether it can be; nobody reads it.
_PROBE: Final = "diagnosis probe"
#: Below it a device may soon be off, in per cent.
_LOW_BATTERY: Final = 15
#: What gave no answer for so long, in seconds, is silent, a moment before its check is given up.
SILENT_S: Final = CHECK_S - 0.2

_FORMS: Final = {
    "": Seen.FORM_USUAL,
    HINT_BEARER: Seen.FORM_SCHEME_WORD,
    HINT_INNER_SPACE: Seen.FORM_STRAY,
    HINT_PARTNER: Seen.FORM_PARTNER,
    HINT_LOOKS_PUBLIC: Seen.FORM_PUBLIC,
    HINT_LOOKS_PRIVATE: Seen.FORM_PRIVATE,
    HINT_UNUSUAL: Seen.FORM_UNUSUAL,
}
_SLIPS: Final = {
    Slip.DOUBLED_PATH: Seen.URL_PATH_TWICE,
    Slip.PLAIN_HTTP: Seen.URL_HTTP,
    Slip.PORTAL: Seen.URL_PORTAL,
}
#: Refusals after which another form of the key may be accepted.
_REFUSALS: Final = frozenset(
    {
        Seen.CALL_UNAUTHORISED,
        Seen.CALL_FORBIDDEN,
        Seen.CALL_REFUSED_OTHERWISE,
        Seen.CALL_NO_PATH,
        Seen.CALL_DENIED,
    }
)
#: After these the key isn't sent once more.
_NO_MORE: Final = frozenset({Seen.CALL_RATE_LIMIT, Seen.CALL_BARRED_BY_PAGE})
_KEYED: Final = (Check.KEYSTORE, Check.GATEWAY, Check.CALL)
_WAY: Final = (Check.NAME, Check.PROXY, Check.CONNECT, Check.TLS)


def steps_of(subject: Subject, history: Mapping[Check, Step]) -> dict[Check, Step]:
    """Return how each check of a subject is made.

    Args:
        subject: What they are made on.
        history: How those are made that look through the journal.
    """
    probing = subject.world.probing
    ask = subject.environment, subject.base_url
    network = {
        Check.NAME: partial(probing.name, *ask),
        Check.CONNECT: partial(probing.connect, *ask),
        Check.PROXY: partial(probing.proxy, *ask),
        Check.TLS: partial(probing.tls, *ask),
        Check.CLOCK: partial(probing.clock, *ask),
        Check.GATEWAY: partial(_gateway, subject, probing),
    }
    steps = {
        Check.JOURNAL: Step(partial(_journal, subject)),
        Check.BASE_URL: Step(partial(_base_url, subject)),
        Check.CONTRACT: Step(partial(_contract, subject)),
        **{check: _on_the_way(subject, check, make) for check, make in network.items()},
        **history,
    }
    if subject.key is not None:
        steps |= {
            Check.KEYSTORE: Step(partial(_keystore, subject)),
            Check.VALUE: Step(partial(_value, subject), (Check.KEYSTORE,)),
            Check.CALL: Step(
                partial(_call, subject),
                (Check.JOURNAL, Check.KEYSTORE, Check.GATEWAY),
                partial(_may_call, subject),
                way=(*_WAY, Check.GATEWAY),
            ),
            Check.FORMS: Step(partial(_forms, subject), _KEYED, partial(_may_try_forms, subject)),
            Check.PERMISSIONS: Step(partial(_permissions, subject), way=(*_WAY, Check.GATEWAY)),
        }
        if subject.question.device_id:
            steps[Check.DEVICE] = Step(partial(_device, subject), _KEYED, partial(_may_ask_device, subject))
        if subject.question.elsewhere:
            steps[Check.ELSEWHERE] = Step(
                partial(_elsewhere, subject), (Check.JOURNAL, Check.KEYSTORE), partial(_may_send_key, subject)
            )
    return {check: steps[check] for check in Check if check in steps}


def _on_the_way(
    subject: Subject, check: Check, make: Callable[[], Coroutine[Any, Any, Sequence[Observation]]]
) -> Step:
    async def made() -> Sequence[Observation]:
        if not subject.base_url and check is not Check.GATEWAY:
            raise Untold(Silence.WAITS, Check.GATEWAY)
        try:
            return await make()
        except GatewayError:
            raise Untold(Silence.WAITS, Check.CONTRACT) from None

    before = _WAY if check not in _WAY else tuple(_WAY[: _WAY.index(check)])
    return Step(made, way=before)


# --- what is on this computer ----------------------------------------------------------------------------


async def _journal(subject: Subject) -> Sequence[Observation]:
    """Write and read the journal, for one that can be read alone lets no sale begin."""
    clock, journal = subject.world.clock, subject.world.journal
    now = clock.now().isoformat()
    try:
        await limited(clock, journal.update_setting(_PROBE, lambda _before: now), SILENT_S)
        await journal.setting(_PROBE)
    except TimeoutError:
        return [saw(Seen.JOURNAL_SILENT)]
    except JournalError as error:
        reason = getattr(error, "reason", "")
        return [saw(Seen.JOURNAL_FAILED, detail=reason)]
    return [saw(Seen.JOURNAL_READY)]


async def _keystore(subject: Subject) -> Sequence[Observation]:
    key = _key(subject)
    try:
        reading = kept_value(subject.world.keystore, key)
        subject.value = await limited(subject.world.clock, reading, SILENT_S)
    except (KeystoreSilent, TimeoutError):
        return [saw(Seen.KEYSTORE_SILENT)]
    except ValueDiffers as error:
        return [saw(Seen.VALUE_OTHER, fingerprint=error.expected, found=error.found)]
    except ValueLost:
        return [saw(Seen.VALUE_MISSING)]
    except KeystoreError as error:
        return [saw(Seen.KEYSTORE_SHUT, reason=error.reason.value)]
    return [saw(Seen.VALUE_AS_KEPT, fingerprint=key.fingerprint)]


async def _value(subject: Subject) -> Sequence[Observation]:
    key = _key(subject)
    seen = [saw(Seen.KIND_PUBLIC)] if key.kind is KeyKind.PUBLIC else []
    if subject.value is None:
        if seen:
            return seen
        raise Untold(Silence.WAITS, Check.KEYSTORE)
    return [saw(_FORMS[form_hint(subject.value, key.kind)], length=len(subject.value)), *seen]


async def _base_url(subject: Subject) -> Sequence[Observation]:
    if not subject.base_url:
        raise Untold(Silence.WAITS, Check.GATEWAY)
    return base_url_seen(subject.environment, subject.base_url, subject.facts)


def base_url_seen(
    environment: Environment, base_url: str, facts: ContractFacts | None
) -> Sequence[Observation]:
    """Return what an environment's base URL shows by itself, without a call."""
    if environment.kind is EnvironmentKind.PRACTICE:
        return [saw(Seen.URL_PLAIN, base_url=base_url)]
    portals = [environment.portal_url] if environment.portal_url else []
    host = urlsplit(base_url).hostname or ""
    seen = [saw(Seen.URL_OTHER_KIND, host=host)] if names_other_kind(host, environment.kind) else []
    try:
        correction = correction_of(base_url, facts.paths if facts else (), portals)
    except CardDataRefused:
        return [saw(Seen.URL_ODD)]
    if correction is not None:
        odd = _SLIPS.get(correction.slip, Seen.URL_ODD)
        return [saw(odd, base_url=base_url, correction=correction.base_url), *seen]
    return seen or [saw(Seen.URL_PLAIN, base_url=base_url)]


async def _contract(subject: Subject) -> Sequence[Observation]:
    if subject.facts is None:
        return [saw(Seen.CONTRACT_INVALID, contract=subject.environment.contract, detail=subject.trouble)]
    return [saw(Seen.CONTRACT_READY, contract=subject.environment.contract)]


# --- calls to the gateway --------------------------------------------------------------------------------


async def _gateway(subject: Subject, probing: Probing) -> Sequence[Observation]:
    if not subject.base_url:
        return [saw(Seen.GATEWAY_FAILING)]  # the practice gateway's process didn't come up
    return await probing.gateway(subject.environment, subject.base_url, subject.exchanges.append)


def _may_send_key(subject: Subject, _findings: Mapping[Check, Finding]) -> None:
    """Let the key go to no address but one that is known to be the environment's now."""
    if not subject.is_stored:
        raise Untold(Silence.WAITS, Check.JOURNAL)
    if subject.value is None:
        raise Untold(Silence.WAITS, Check.KEYSTORE)
    if subject.facts is None:
        raise Untold(Silence.WAITS, Check.CONTRACT)


def _may_call(subject: Subject, findings: Mapping[Check, Finding]) -> None:
    _may_send_key(subject, findings)
    found = findings.get(Check.GATEWAY)
    if not found or not may_be_gateway(found.observations) or not subject.base_url:
        raise Untold(Silence.WAITS, Check.GATEWAY)


async def _call(subject: Subject) -> Sequence[Observation]:
    return await _answered(subject.world.probing.call(subject.caller()))


def _may_try_forms(subject: Subject, findings: Mapping[Check, Finding]) -> None:
    _may_call(subject, findings)
    seen = _seen(findings, Check.CALL)
    if Seen.CALL_ACCEPTED in seen:
        # Who asks for a key and takes this one tells keys apart; who wants none may take any.
        if Seen.GATEWAY_ASKS_FOR_KEY in _seen(findings, Check.GATEWAY):
            raise Untold(Silence.NEEDLESS)
    elif seen & _NO_MORE or not seen & _REFUSALS:
        raise Untold(Silence.WAITS, Check.CALL)
    if subject.environment.is_live and not subject.question.other_forms:
        raise Untold(Silence.NOT_ASKED)


async def _forms(subject: Subject) -> Sequence[Observation]:
    return await _answered(subject.world.probing.forms(subject.caller()))


async def _answered(call: Coroutine[Any, Any, Sequence[Observation]]) -> Sequence[Observation]:
    try:
        return await call
    except GatewayError:
        raise Untold(Silence.WAITS, Check.CONTRACT) from None


async def _permissions(subject: Subject) -> Sequence[Observation]:
    """Ask the portal for the account's users, where the gateway offers that as a call."""
    key, facts = _key(subject), subject.facts
    if facts is None:
        raise Untold(Silence.WAITS, Check.CONTRACT)
    if not facts.can_list_users or not key.username:
        raise Untold(Silence.NOT_TOLD)
    if not subject.base_url:
        raise Untold(Silence.WAITS, Check.GATEWAY)
    try:
        users = await subject.world.portal.users(subject.environment, subject.base_url)
    except NotSent:
        return []
    except GatewayError:
        raise Untold(Silence.NOT_TOLD) from None
    name = key.username
    user = next((one for one in users if one.username.casefold() == name.casefold()), None)
    if user is None:
        return [saw(Seen.USER_NOT_LISTED, username=name)]
    if not user.enabled:
        return [saw(Seen.USER_DISABLED, username=name)]
    if not facts.selling_permission:
        raise Untold(Silence.NOT_TOLD)
    may = facts.selling_permission in user.permissions
    return [saw(Seen.USER_MAY_SELL if may else Seen.USER_MAY_NOT_SELL, username=name)]


def _may_ask_device(subject: Subject, findings: Mapping[Check, Finding]) -> None:
    _may_call(subject, findings)
    if Seen.CALL_ACCEPTED not in _seen(findings, Check.CALL):
        raise Untold(Silence.WAITS, Check.CALL)


async def _device(subject: Subject) -> Sequence[Observation]:
    if subject.facts is not None and not subject.facts.can_tell_device:
        raise Untold(Silence.NOT_OFFERED)
    device = subject.question.device_id
    try:
        state = await subject.world.gateway.device_state(subject.caller(), device)
    except NotSent:
        raise Untold(Silence.NOT_OFFERED) from None
    except GatewayError as error:
        if error.reason == Reason.NOT_FOUND:
            return [saw(Seen.DEVICE_UNKNOWN, device=device)]
        raise Untold(Silence.NOT_TOLD) from None
    holder = await _holder(subject, state.busy_with)
    facts: dict[str, Fact | None] = {
        "device": device,
        "connection": state.connection,
        "at": state.last_connected_at,
        "request_id": state.busy_with,
        "holder": holder,
    }
    known = {name: fact for name, fact in facts.items() if fact}
    seen = [saw(_state_seen(state, subject.question.sale, is_held=bool(holder)), **known)]
    battery = state.battery_percent
    if battery is not None and battery <= _LOW_BATTERY:
        seen.append(saw(Seen.DEVICE_LOW, battery=battery))
    return seen


def _state_seen(state: DeviceState, sale: Sale | None, *, is_held: bool) -> Seen:
    """Return what a device's state is called.

    Args:
        state: As the gateway told it.
        sale: The sale that failed, if one did.
        is_held: Whether one of our own sales is under way on it, where the gateway doesn't tell.
    """
    if state.is_connected is False:
        return Seen.DEVICE_OFFLINE
    if state.is_busy or (state.is_busy is None and is_held):
        return Seen.DEVICE_BUSY
    if state.is_connected is None:
        return Seen.DEVICE_KNOWN
    if state.is_busy is None:
        return Seen.DEVICE_CONNECTED
    # A sale that failed may have met it otherwise.
    return Seen.DEVICE_READY_NOW if sale and sale.verdict else Seen.DEVICE_READY


async def _holder(subject: Subject, request_id: str) -> str:
    """Return which sale of this console holds the device, with its key; empty if none is known to."""
    try:
        unfinished = await subject.world.journal.unfinished_sales()
    except JournalError:
        return ""
    for sale in unfinished:
        is_here = sale.environment_id == subject.environment.id and sale.device == subject.question.device_id
        if is_here and (sale.request_id == request_id or not request_id):
            return f"{sale.reference} ({sale.key_name})"
    return ""


async def _elsewhere(subject: Subject) -> Sequence[Observation]:
    """Make the harmless call in the other environments that the person named."""
    calls = [_called_there(subject, environment) for environment in subject.question.elsewhere]
    answers = [{one.seen for one in answer} for answer in await asyncio.gather(*calls)]
    by_name = dict(zip((one.name for one in subject.question.elsewhere), answers, strict=True))
    accepted = [name for name, seen in by_name.items() if Seen.CALL_ACCEPTED in seen]
    if accepted:
        return [saw(Seen.ELSEWHERE_ACCEPTED, environment=", ".join(accepted))]
    # What its user may not do says nothing of where the key belongs.
    if all(Seen.CALL_UNAUTHORISED in seen for seen in answers):
        return [saw(Seen.ELSEWHERE_REFUSED, environment=", ".join(by_name))]
    raise Untold(Silence.NOT_TOLD)


async def _called_there(subject: Subject, environment: Environment) -> Sequence[Observation]:
    """Make the harmless call in another environment, where one without a key met a gateway."""
    probing = subject.world.probing
    met = await _answered(probing.gateway(environment, environment.base_url, subject.exchanges.append))
    return await _answered(probing.call(subject.caller(environment))) if may_be_gateway(met) else ()


def _key(subject: Subject) -> SecurityKey:
    if subject.key is None:  # no such check is made then
        raise Untold(Silence.NOT_TOLD)
    return subject.key


def _seen(findings: Mapping[Check, Finding], check: Check) -> set[Seen]:
    found = findings.get(check)
    return {one.seen for one in found.observations} if found else set()
