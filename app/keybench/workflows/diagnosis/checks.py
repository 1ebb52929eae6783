"""The checks of a diagnosis: what is on this computer, and the calls to the gateway that need a key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from keybench.core.devices.state import DeviceState
from keybench.core.diagnosis.checks import Check, CheckFinding, Fact, Observation, Result, Sign, Silence, saw
from keybench.core.diagnosis.places import may_be_gateway, names_other_kind
from keybench.core.diagnosis.rules import result_of
from keybench.core.environments.connection import Slip, correction_of
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import (
    ContractInvalid,
    GatewayError,
    JournalError,
    KeystoreError,
    KeystoreSilent,
    NotSent,
    ValueDiffers,
    ValueLost,
)
from keybench.core.exchange import Exchange
from keybench.core.input_errors import CardDataRefused, NotFound
from keybench.core.keys.key import (
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
from keybench.core.ports import Caller, ContractFacts
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Sale
from keybench.core.secret import Secret
from keybench.workflows.calling import Calling, kept_value
from keybench.workflows.diagnosis.history import Past, known_of, rate_met
from keybench.workflows.diagnosis.running import CHECK_S, Step, Untold, limited
from keybench.workflows.world import World

#: Where the journal is written to see whether it can be; nobody reads it.
_PROBE: Final = "diagnosis probe"
#: What gave no answer for so long, in seconds, is silent, a moment before its check is given up.
SILENT_S: Final = CHECK_S - 0.2

_FORMS: Final = {
    "": Sign.FORM_USUAL,
    HINT_BEARER: Sign.FORM_SCHEME_WORD,
    HINT_INNER_SPACE: Sign.FORM_STRAY,
    HINT_PARTNER: Sign.FORM_PARTNER,
    HINT_LOOKS_PUBLIC: Sign.FORM_PUBLIC,
    HINT_LOOKS_PRIVATE: Sign.FORM_PRIVATE,
    HINT_UNUSUAL: Sign.FORM_UNUSUAL,
}
_SLIPS: Final = {
    Slip.DOUBLED_PATH: Sign.URL_PATH_TWICE,
    Slip.PLAIN_HTTP: Sign.URL_HTTP,
    Slip.PORTAL: Sign.URL_PORTAL,
}
#: Refusals after which another form of the key may be accepted.
_REFUSALS: Final = frozenset(
    {Sign.CALL_UNAUTHORISED, Sign.CALL_FORBIDDEN, Sign.CALL_REFUSED_OTHERWISE}
    | {Sign.CALL_NO_PATH, Sign.CALL_DENIED}
)
#: After these the key isn't sent once more.
_NO_MORE: Final = frozenset({Sign.RATE_LIMIT, Sign.BARRED_BY_PAGE})
_KEYED: Final = (Check.KEYSTORE, Check.GATEWAY, Check.CALL)
_WAY: Final = (Check.NAME, Check.PROXY, Check.CONNECT, Check.TLS)


def facts_or_trouble(world: World, environment: Environment) -> tuple[ContractFacts | None, str]:
    """Return what an environment's contract says, or None and why it can't be used."""
    try:
        return world.gateway.facts(environment.contract), ""
    except ContractInvalid as error:
        return None, str(error)
    except NotFound:
        return None, ""


@dataclass(frozen=True, slots=True)
class Question:
    """What a diagnosis is about.

    Attributes:
        key: With which key; None where only the way to the gateway matters.
        device: The device's identifier; empty where it is about none.
        sale: The sale that failed; None where it is about none.
        elsewhere: The person's other environments of the same gateway that the key may be tried in. Naming
            one is the consent to send this key's value to its gateway, with one harmless call.
        other_forms: The consent to send it to a live gateway in the header forms that people mix up.
    """

    environment: Environment
    key: SecurityKey | None
    device: str = ""
    sale: Sale | None = None
    elsewhere: tuple[Environment, ...] = ()
    other_forms: bool = False

    @property
    def device_id(self) -> str:
        """The device asked about, else the one of the sale."""
        return self.device.strip() or (self.sale.device if self.sale else "")


class Checks:
    """The checks of one diagnosis, and what one of them learns that another needs."""

    def __init__(
        self, world: World, calling: Calling, question: Question, base_url: str, *, is_stored: bool = False
    ) -> None:
        self._world, self._calling = world, calling
        self.question, self.base_url = question, base_url
        self._is_stored = is_stored
        self._facts, self._trouble = facts_or_trouble(world, question.environment)
        self._value: Secret | None = None
        self.asked: dict[Check, list[Exchange]] = {check: [] for check in Check}
        self.findings: dict[Check, CheckFinding] = {}

    def steps(self) -> Mapping[Check, Step]:
        """Return how each is made, in the order in which they are listed."""
        probing, key = self._world.probing, self.question.key
        # Whether the key works now, the call tells; so what it did since a failure clears nothing.
        past = Past(self.question.environment, key)
        to_gateway = (*_WAY, Check.GATEWAY)
        steps = {
            Check.JOURNAL: Step(self._journal),
            Check.BASE_URL: Step(self._base_url),
            Check.CONTRACT: Step(self._contract),
            Check.NAME: Step(partial(self._looked, probing.name)),
            Check.PROXY: Step(partial(self._looked, probing.proxy), way=_WAY[:1]),
            Check.CONNECT: Step(partial(self._looked, probing.connect), way=_WAY[:2]),
            Check.TLS: Step(partial(self._looked, probing.tls), way=_WAY[:3]),
            Check.CLOCK: Step(partial(self._looked, probing.clock), way=_WAY),
            Check.GATEWAY: Step(self._gateway, way=_WAY),
            Check.RATE: Step(
                partial(self._known, partial(rate_met, self._world, self._calling, past)), (Check.JOURNAL,)
            ),
            Check.HISTORY: Step(partial(self._known, partial(known_of, self._world, past)), (Check.JOURNAL,)),
        }
        if key is not None:
            steps |= {
                Check.KEYSTORE: Step(partial(self._keystore, key)),
                Check.VALUE: Step(partial(self._form, key), (Check.KEYSTORE,)),
                Check.CALL: Step(self._call, (Check.JOURNAL, Check.KEYSTORE, Check.GATEWAY), to_gateway),
                Check.FORMS: Step(self._forms, _KEYED),
                Check.PERMISSIONS: Step(partial(self._permissions, key), way=to_gateway),
            }
            if self.question.device_id:
                steps[Check.DEVICE] = Step(self._device, _KEYED)
            if self.question.elsewhere:
                steps[Check.ELSEWHERE] = Step(self._elsewhere, (Check.JOURNAL, Check.KEYSTORE))
        return {check: steps[check] for check in Check if check in steps}

    # --- what is on this computer ------------------------------------------------------------------------

    async def _journal(self) -> Sequence[Observation]:
        """Write and read the journal, for one that can be read alone lets no sale begin."""
        clock, journal = self._world.clock, self._world.journal
        now = clock.now().isoformat()
        try:
            await limited(clock, journal.update_setting(_PROBE, lambda _before: now), SILENT_S)
            await journal.setting(_PROBE)
        except TimeoutError:
            return [saw(Sign.JOURNAL_SILENT)]
        except JournalError as error:
            return [saw(Sign.JOURNAL_FAILED, detail=getattr(error, "reason", ""))]
        return [saw(Sign.JOURNAL_READY)]

    async def _known(
        self, reading: Callable[[], Coroutine[Any, Any, Sequence[Observation]]]
    ) -> Sequence[Observation]:
        if result_of(self.findings[Check.JOURNAL]) is not Result.FINE:
            raise Untold(Silence.WAITS, Check.JOURNAL)
        return await reading()

    async def _keystore(self, key: SecurityKey) -> Sequence[Observation]:
        try:
            self._value = await limited(self._world.clock, kept_value(self._world.keystore, key), SILENT_S)
        except (KeystoreSilent, TimeoutError):
            return [saw(Sign.KEYSTORE_SILENT)]
        except ValueDiffers as error:
            return [saw(Sign.VALUE_OTHER, fingerprint=error.expected, found=error.found)]
        except ValueLost:
            return [saw(Sign.VALUE_MISSING)]
        except KeystoreError as error:
            return [saw(Sign.KEYSTORE_SHUT, reason=error.reason.value)]
        return [saw(Sign.VALUE_AS_KEPT, fingerprint=key.fingerprint)]

    async def _form(self, key: SecurityKey) -> Sequence[Observation]:
        seen = [saw(Sign.KIND_PUBLIC)] if key.kind is KeyKind.PUBLIC else []
        if self._value is not None:
            return [saw(_FORMS[form_hint(self._value, key.kind)], length=len(self._value)), *seen]
        if not seen:
            raise Untold(Silence.WAITS, Check.KEYSTORE)
        return seen

    async def _base_url(self) -> Sequence[Observation]:
        if not self.base_url:
            raise Untold(Silence.WAITS, Check.GATEWAY)
        return base_url_seen(self.question.environment, self.base_url, self._facts)

    async def _contract(self) -> Sequence[Observation]:
        contract = self.question.environment.contract
        if self._facts is None:
            return [saw(Sign.CONTRACT_INVALID, contract=contract, detail=self._trouble)]
        return [saw(Sign.CONTRACT_READY, contract=contract)]

    # --- the way to the gateway, and calls to it ---------------------------------------------------------

    async def _looked(
        self, look: Callable[[Environment, str], Coroutine[Any, Any, Sequence[Observation]]]
    ) -> Sequence[Observation]:
        if not self.base_url:
            raise Untold(Silence.WAITS, Check.GATEWAY)
        return await look(self.question.environment, self.base_url)

    async def _gateway(self) -> Sequence[Observation]:
        if not self.base_url:
            return [saw(Sign.FAILING)]  # the practice gateway's process didn't come up
        asked = self.asked[Check.GATEWAY].append
        return await self._world.probing.gateway(self.question.environment, self.base_url, asked)

    def _caller(self, check: Check, elsewhere: Environment | None = None) -> Caller:
        """Return who calls with the key; it goes to no address but one known to be an environment's now."""
        if not self._is_stored:
            raise Untold(Silence.WAITS, Check.JOURNAL)
        if self._value is None:
            raise Untold(Silence.WAITS, Check.KEYSTORE)
        if self._facts is None:
            raise Untold(Silence.WAITS, Check.CONTRACT)
        asked = self.asked[check].append
        if elsewhere is not None:
            return Caller(elsewhere, elsewhere.base_url, self._value, asked)
        met = self.findings[Check.GATEWAY].observations
        if not may_be_gateway(met) or not self.base_url:
            raise Untold(Silence.WAITS, Check.GATEWAY)
        return Caller(self.question.environment, self.base_url, self._value, asked)

    async def _call(self) -> Sequence[Observation]:
        return await self._world.probing.call(self._caller(Check.CALL))

    async def _forms(self) -> Sequence[Observation]:
        caller, seen = self._caller(Check.FORMS), self._seen(Check.CALL)
        if Sign.CALL_ACCEPTED in seen:
            # Who asks for a key and takes this one tells keys apart; who wants none may take any.
            if Sign.GATEWAY_ASKS_FOR_KEY in self._seen(Check.GATEWAY):
                raise Untold(Silence.NEEDLESS)
        elif seen & _NO_MORE or not seen & _REFUSALS:
            raise Untold(Silence.WAITS, Check.CALL)
        if self.question.environment.is_live and not self.question.other_forms:
            raise Untold(Silence.NOT_ASKED)
        return await self._world.probing.forms(caller)

    async def _permissions(self, key: SecurityKey) -> Sequence[Observation]:
        """Ask the portal for the account's users, where the gateway offers that as a call."""
        facts, name = self._facts, key.username
        if facts is None:
            raise Untold(Silence.WAITS, Check.CONTRACT)
        if not facts.can_list_users or not name:
            raise Untold(Silence.NOT_TOLD)
        if not self.base_url:
            raise Untold(Silence.WAITS, Check.GATEWAY)
        try:
            users = await self._world.portal.users(self.question.environment, self.base_url)
        except NotSent:
            return []
        except GatewayError:
            raise Untold(Silence.NOT_TOLD) from None
        user = next((one for one in users if one.username.casefold() == name.casefold()), None)
        if user is None:
            return [saw(Sign.USER_NOT_LISTED, username=name)]
        if not user.enabled:
            return [saw(Sign.USER_DISABLED, username=name)]
        if not facts.selling_permission:
            raise Untold(Silence.NOT_TOLD)
        may = facts.selling_permission in user.permissions
        return [saw(Sign.USER_MAY_SELL if may else Sign.USER_MAY_NOT_SELL, username=name)]

    async def _device(self) -> Sequence[Observation]:
        caller, device = self._caller(Check.DEVICE), self.question.device_id
        if Sign.CALL_ACCEPTED not in self._seen(Check.CALL):
            raise Untold(Silence.WAITS, Check.CALL)
        if self._facts is not None and not self._facts.can_tell_device:
            raise Untold(Silence.NOT_OFFERED)
        try:
            state = await self._world.gateway.device_state(caller, device)
        except NotSent:
            raise Untold(Silence.NOT_OFFERED) from None
        except GatewayError as error:
            if error.reason == Reason.NOT_FOUND:
                return [saw(Sign.DEVICE_UNKNOWN, device=device)]
            raise Untold(Silence.NOT_TOLD) from None
        holder = await self._holder(state.busy_with)
        facts: dict[str, Fact | None] = {
            "device": device,
            "connection": state.connection,
            "at": state.last_connected_at,
            "request_id": state.busy_with,
            "holder": holder,
        }
        known = {name: fact for name, fact in facts.items() if fact}
        return [saw(_state_seen(state, self.question.sale, is_held=bool(holder)), **known)]

    async def _holder(self, request_id: str) -> str:
        """Return which sale of this console holds the device, with its key; empty if none is known to."""
        here = self.question.environment.id, self.question.device_id
        try:
            unfinished = await self._world.journal.unfinished_sales()
        except JournalError:
            return ""
        for sale in unfinished:
            is_it = sale.request_id == request_id or not request_id
            if (sale.environment_id, sale.device) == here and is_it:
                return f"{sale.reference} ({sale.key_name})"
        return ""

    async def _elsewhere(self) -> Sequence[Observation]:
        """Make the harmless call in the other environments that the person named."""
        environments = self.question.elsewhere
        answers = await asyncio.gather(*map(self._called_there, environments))
        accepted = [
            one.name for one, seen in zip(environments, answers, strict=True) if Sign.CALL_ACCEPTED in seen
        ]
        if accepted:
            return [saw(Sign.ELSEWHERE_ACCEPTED, environment=", ".join(accepted))]
        # What its user may not do says nothing of where the key belongs.
        if all(Sign.CALL_UNAUTHORISED in seen for seen in answers):
            return [saw(Sign.ELSEWHERE_REFUSED, environment=", ".join(one.name for one in environments))]
        raise Untold(Silence.NOT_TOLD)

    async def _called_there(self, environment: Environment) -> set[Sign]:
        """Make the harmless call in another environment, where one without a key met a gateway."""
        caller, probing = self._caller(Check.ELSEWHERE, environment), self._world.probing
        met = await probing.gateway(environment, environment.base_url, caller.on_exchange)
        return {one.seen for one in await probing.call(caller)} if may_be_gateway(met) else set()

    def _seen(self, check: Check) -> set[Sign]:
        return {one.seen for one in self.findings[check].observations}


def base_url_seen(
    environment: Environment, base_url: str, facts: ContractFacts | None
) -> Sequence[Observation]:
    """Return what an environment's base URL shows by itself, without a call."""
    if environment.kind is EnvironmentKind.PRACTICE:
        return [saw(Sign.URL_PLAIN, base_url=base_url)]
    portals = [environment.portal_url] if environment.portal_url else []
    host = urlsplit(base_url).hostname or ""
    seen = [saw(Sign.URL_OTHER_KIND, host=host)] if names_other_kind(host, environment.kind) else []
    try:
        correction = correction_of(base_url, facts.paths if facts else (), portals)
    except CardDataRefused:
        return [saw(Sign.URL_ODD)]
    if correction is not None:
        odd = _SLIPS.get(correction.slip, Sign.URL_ODD)
        return [saw(odd, base_url=base_url, correction=correction.base_url), *seen]
    return seen or [saw(Sign.URL_PLAIN, base_url=base_url)]


def _state_seen(state: DeviceState, sale: Sale | None, *, is_held: bool) -> Sign:
    """Return what a device's state is called."""
    if state.is_connected is False:
        return Sign.DEVICE_OFFLINE
    if state.is_busy or (state.is_busy is None and is_held):
        return Sign.DEVICE_BUSY
    if state.is_connected is None:
        return Sign.DEVICE_KNOWN
    if state.is_busy is None:
        return Sign.DEVICE_CONNECTED
    # A sale that failed may have met it otherwise.
    return Sign.DEVICE_READY_NOW if sale and sale.verdict else Sign.DEVICE_READY
