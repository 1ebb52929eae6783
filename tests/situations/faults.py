"""What can be broken, one at a time: its true cause, where on a call's way it shows, and what it hides.

A call passes these layers in order, and what breaks in one hides what is broken behind it:

0. this computer: journal, keystore, contract, value · 1. the way: name, connection, proxy · 2. TLS ·
3. the answer: address, page, failure, clock · 4. the key · 5. the device · 6. a sale's own end
"""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from keybench.core.diagnosis.causes import Cause
from keybench.core.errors import KeystoreDenied, KeystoreLocked, KeystoreSilent
from keybench.core.secret import Secret
from keybench.core.security_key import KeyKind
from situations.dialects import Said
from situations.servers import (
    gateway_at,
    is_silent,
    proxy_at,
    resets_a_request,
    resets_at_once,
    trickles,
)
from situations.stage import FIRST, HOST, SECOND, Stage, inspector, stranger, trusted

Work = Callable[[Stage], Awaitable[None]]
PLAIN: Final = frozenset({"practice", "plain"})
SMALL: Final = frozenset({"plain", "tls", "proxy"})
DIRECT: Final = frozenset({"plain", "tls"})
TLS: Final = frozenset({"tls"})
EVERY: Final = frozenset({"practice", "plain", "tls", "proxy"})
NOTHING: Final = 9


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is broken.

    Attributes:
        slot: Two faults of one slot can't be there together.
        layer: Where it shows, see above.
        hides: The first layer that can't be seen behind it.
        ways: How the gateway may be reached.
        about: What the gateway's refusal is about, for dialects; empty where it doesn't refuse.
        prepare: Done before the key is kept.
        apply: Done once there is a history.
        since_start: Whether it has been there since the key was kept, so that the key never worked.
        rivals: Causes that the same evidence fits, whatever the dialect.
        is_live: Whether the environment is a live one.
    """

    name: str
    cause: Cause
    slot: str
    layer: int
    apply: Work
    hides: int = NOTHING
    ways: frozenset[str] = EVERY
    about: str = ""
    prepare: Work | None = None
    since_start: bool = False
    rivals: frozenset[Cause] = frozenset()
    is_live: bool = False


async def _nothing(_stage: Stage) -> None:
    """Break nothing more."""


# --- this computer ---


async def _lock_journal(stage: Stage) -> None:
    stage.journal.is_locked = True


async def _lose_value(stage: Stage) -> None:
    stage.keyring.lose(stage.entry)


async def _lock_keyring(stage: Stage) -> None:
    stage.keyring.failure = stage.chance.choice([KeystoreLocked(), KeystoreDenied()])


async def _silence_keyring(stage: Stage) -> None:
    stage.keyring.failure = KeystoreSilent()


async def _hang_keyring(stage: Stage) -> None:
    stage.keyring.hangs = True


async def _change_value(stage: Stage) -> None:
    stage.keyring.change(stage.entry, Secret(stage.new_value()))


async def _lose_contract(stage: Stage) -> None:
    await stage.move(contract="somewhere-else")


async def _break_contract(stage: Stage) -> None:
    stage.contracts.mkdir(exist_ok=True)
    (stage.contracts / "own.toml").write_text('extends = "v5"\n[probe]\ncalls = 1\n', encoding="utf-8")
    await stage.move(contract="own")


async def _other_contract(stage: Stage) -> None:
    stage.contracts.mkdir(exist_ok=True)
    text = 'extends = "v5"\ntitle = "Other"\n[probe]\ncall = "GET /v9/terminals"\n'
    (stage.contracts / "other.toml").write_text(text, encoding="utf-8")
    await stage.move(contract="other")


# --- the way ---


async def _lose_name(stage: Stage) -> None:
    scheme = stage.environment.base_url.partition("://")[0]
    await stage.move(base_url=f"{scheme}://pay-{stage.chance.randrange(999)}.invalid")


async def _refuse(stage: Stage) -> None:
    await stage.gateway.place.refuse()


async def _swallow(stage: Stage) -> None:
    await stage.gateway.place.swallow()


async def _be_silent(stage: Stage) -> None:
    await stage.gateway.place.serve(is_silent, _tls(stage))


async def _stall_tls(stage: Stage) -> None:
    await stage.gateway.place.serve(is_silent)


async def _trickle(stage: Stage) -> None:
    await stage.gateway.place.serve(trickles, _tls(stage))


async def _reset(stage: Stage) -> None:
    await stage.gateway.place.serve(resets_at_once)


async def _reset_requests(stage: Stage) -> None:
    await stage.gateway.place.serve(resets_a_request, _tls(stage))


def _tls(stage: Stage) -> ssl.SSLContext | None:
    return None if stage.way == "plain" else trusted().serving(HOST, "127.0.0.1")


def _proxy(mode: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.proxy.serve(proxy_at(mode, lambda _target: stage.gateway.place.port))

    return apply


async def _end_proxy(stage: Stage) -> None:
    await stage.proxy.refuse()


async def _swallow_proxy(stage: Stage) -> None:
    await stage.proxy.swallow()


async def _misname_proxy(stage: Stage) -> None:
    await stage.move(proxy="http://proxy-of-yesterday.invalid:3128")


async def _end_behind_proxy(stage: Stage) -> None:
    await stage.gateway.place.refuse()


# --- TLS ---


def _certified(starts: int = -30, ends: int = 200, by: str = "trusted", host: str = "") -> Work:
    async def apply(stage: Stage) -> None:
        authority = {"trusted": trusted, "stranger": stranger, "inspector": inspector}[by]()
        hosts = (host,) if host else (HOST, "127.0.0.1")
        assert stage.gateway.small
        context = authority.serving(*hosts, starts=starts, ends=ends)
        await stage.gateway.place.serve(gateway_at(stage.gateway.small), context)

    return apply


async def _speak_plainly(stage: Stage) -> None:
    assert stage.gateway.small
    await stage.gateway.place.serve(gateway_at(stage.gateway.small))


# --- the answer ---


def _path(path: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.move(base_url=stage.environment.base_url + path)

    return apply


async def _plain_http(stage: Stage) -> None:
    await stage.move(base_url=stage.environment.base_url.replace("https:", "http:"))


_SIGN_IN: Final = "<!DOCTYPE html><html><title>Welcome</title><form>Sign in</form></html>"


def _instead(said: Said, **faults: object) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.gateway.answer_instead(said, **faults)

    return apply


def _failing(status: int, body: str = "{}", kind: str = "application/json") -> Work:
    return _instead(Said(status, body, kind), status=status)


def _clock(off_s: float) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.gateway.set_clock(off_s)

    return apply


# --- the key ---


async def _mistype(stage: Stage) -> None:
    place = stage.chance.randrange(len(stage.value))
    stage.value = stage.value[:place] + ("7" if stage.value[place] != "7" else "3") + stage.value[place + 1 :]


async def _foreign(stage: Stage) -> None:
    """Take a key of an environment that this console doesn't know."""
    stage.value = stage.new_value()


async def _sibling(stage: Stage) -> None:
    """Take a key of this console's other environment of the same gateway, which may be asked."""
    assert stage.gateway.small
    stage.value = await stage.gateway.new_key(stage.new_value(), stage.user, KeyKind.PRIVATE, SECOND)
    base_url = stage.environment.base_url.replace(f"/{FIRST}", f"/{SECOND}")
    other = replace(stage.environment, id="e2", name="Live shop", base_url=base_url)
    await stage.journal.add_environment(other)
    stage.elsewhere = (other,)


def _spoilt(spoil: Callable[[str], str]) -> Work:
    async def prepare(stage: Stage) -> None:
        stage.value = spoil(stage.value)

    return prepare


async def _public(stage: Stage) -> None:
    parts = ["".join(stage.chance.choice("abcdefghABCDEFGH234567") for _ in range(6)) for _ in range(4)]
    stage.value = await stage.gateway.new_key("-".join(parts), stage.user, KeyKind.PUBLIC)


async def _partner(stage: Stage) -> None:
    stage.value = await stage.gateway.new_key(f"v4_secret_{stage.new_value()}", stage.user, KeyKind.PUBLIC)


def _ended(how: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.gateway.end_key(stage.value, how)

    return apply


async def _disable(stage: Stage) -> None:
    await stage.gateway.disable(stage.user)


async def _bar(stage: Stage) -> None:
    await stage.gateway.bar(stage.user)


async def _restrict(stage: Stage) -> None:
    await stage.gateway.restrict()


async def _limit(stage: Stage) -> None:
    await stage.gateway.limit(0)


def _header(form: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.gateway.want_header(form)

    return apply


# --- the device, and a sale's own end ---


async def _unknown_device(stage: Stage) -> None:
    stage.device = "till-9"


def _device(state: str) -> Work:
    async def apply(stage: Stage) -> None:
        stage.device = stage.device or "till-1"
        await stage.gateway.set_device(stage.device, state)

    return apply


def _sold(amount: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.sell(amount)

    return apply


def _ending(ends: Mapping[str, Any], amount: str = "25.00") -> Work:
    async def apply(stage: Stage) -> None:
        assert stage.gateway.small
        stage.gateway.small.ends = ends
        await stage.sell(amount)

    return apply


def _not_begun(said: Said, amount: str) -> Work:
    async def apply(stage: Stage) -> None:
        assert stage.gateway.small
        if said.status == 404:
            stage.device = "till-9"
        stage.gateway.small.begins = said
        await stage.sell(amount)

    return apply


def _declined(code: str, text: str) -> Mapping[str, Any]:
    told = {"success": False, "response_code": code, "response_text": text}
    return {"status": "interactionComplete", "transaction": told}


async def _small_sale(stage: Stage) -> None:
    await _ending(_declined("200", "DECLINE"), "0.50")(stage)


_C: Final = Cause
FAULTS: Final = (
    Fault("the journal can't be written", _C.JOURNAL, "journal", 0, _lock_journal),
    Fault("the value is gone", _C.KEYSTORE, "value", 0, _lose_value, hides=4),
    Fault("the keyring is locked", _C.KEYSTORE, "value", 0, _lock_keyring, hides=4),
    Fault("the keyring is silent", _C.KEYSTORE, "value", 0, _silence_keyring, hides=4),
    Fault("the keyring hangs", _C.KEYSTORE, "value", 0, _hang_keyring, hides=4),
    Fault("another value is kept", _C.VALUE_CHANGED, "value", 0, _change_value, hides=4),
    Fault("the contract is gone", _C.CONTRACT, "contract", 0, _lose_contract, hides=3, ways=SMALL),
    Fault("the contract can't be read", _C.CONTRACT, "contract", 0, _break_contract, hides=3, ways=SMALL),
    Fault(
        "the contract is another gateway's",
        _C.CONTRACT,
        "contract",
        3,
        _other_contract,
        hides=4,
        ways=SMALL,
        rivals=frozenset({_C.BASE_URL}),
    ),
    Fault("no such name", _C.NAME_RESOLUTION, "way", 1, _lose_name, hides=2, ways=DIRECT),
    Fault("refused", _C.CONNECTION_REFUSED, "way", 1, _refuse, hides=2, ways=DIRECT),
    Fault("swallowed", _C.NO_ANSWER, "way", 1, _swallow, hides=2, ways=DIRECT),
    Fault("silent", _C.NO_ANSWER, "way", 2, _be_silent, hides=3, ways=DIRECT),
    Fault("TLS stalls", _C.NO_ANSWER, "way", 2, _stall_tls, hides=3, ways=TLS),
    Fault("a byte a second", _C.NO_ANSWER, "way", 2, _trickle, hides=3, ways=DIRECT),
    Fault("reset at once", _C.CONNECTION_LOST, "way", 1, _reset, hides=2, ways=DIRECT),
    Fault("reset when asked", _C.CONNECTION_LOST, "way", 2, _reset_requests, hides=3, ways=DIRECT),
    *(
        Fault(f"the proxy {name}", _C.PROXY, "way", 1, apply, hides=2, ways=frozenset({"proxy"}))
        for name, apply in {
            "refuses": _proxy("refuses"),
            "wants a password": _proxy("password"),
            "is silent": _proxy("silent"),
            "shows a page": _proxy("page"),
            "lies": _proxy("lies"),
            "breaks off": _proxy("resets"),
            "is gone": _end_proxy,
            "is swallowed": _swallow_proxy,
            "has no name": _misname_proxy,
        }.items()
    ),
    Fault(
        "the proxy can't reach it",
        _C.CONNECTION_REFUSED,
        "way",
        1,
        _end_behind_proxy,
        hides=2,
        ways=frozenset({"proxy"}),
        rivals=frozenset({_C.PROXY, _C.NAME_RESOLUTION, _C.NO_ANSWER}),
    ),
    Fault("expired", _C.TLS_EXPIRED, "tls", 2, _certified(-90, -3), hides=3, ways=TLS),
    Fault(
        "not yet valid",
        _C.TLS_EXPIRED,
        "tls",
        2,
        _certified(3, 90),
        hides=3,
        ways=TLS,
        rivals=frozenset({_C.CLOCK}),
    ),
    Fault("another host's", _C.TLS_WRONG_HOST, "tls", 2, _certified(host="other.example"), hides=3, ways=TLS),
    Fault("a stranger's", _C.TLS_UNTRUSTED, "tls", 2, _certified(by="stranger"), hides=3, ways=TLS),
    Fault("an inspection's", _C.TLS_INSPECTED, "tls", 2, _certified(by="inspector"), hides=3, ways=TLS),
    Fault(
        "http is spoken where https is due",
        _C.BASE_URL,
        "tls",
        2,
        _speak_plainly,
        hides=3,
        ways=TLS,
        rivals=frozenset({_C.NOT_A_GATEWAY}),
    ),
    Fault(
        "a call's path in the address",
        _C.BASE_URL,
        "answer",
        0,
        _path("/api/v5/devices"),
        hides=4,
        ways=SMALL,
    ),
    Fault("a portal's address", _C.BASE_URL, "answer", 0, _path("/merchants/login.php"), hides=4, ways=SMALL),
    Fault(
        "a wrong path in the address",
        _C.BASE_URL,
        "answer",
        0,
        _path("/payments"),
        hides=4,
        ways=SMALL,
        rivals=frozenset({_C.CONTRACT}),
    ),
    Fault(
        "http instead of https",
        _C.BASE_URL,
        "answer",
        2,
        _plain_http,
        hides=3,
        ways=frozenset({"proxy"}),
        rivals=frozenset({_C.CONNECTION_LOST, _C.NO_ANSWER}),
    ),
    Fault(
        "a page for people",
        _C.NOT_A_GATEWAY,
        "answer",
        3,
        _instead(Said(200, _SIGN_IN, "text/html"), page=True),
        hides=4,
    ),
    Fault(
        "another service",
        _C.NOT_A_GATEWAY,
        "answer",
        3,
        _instead(Said(200, '{"hello": "world"}')),
        hides=4,
        ways=SMALL,
    ),
    Fault(
        "a text",
        _C.NOT_A_GATEWAY,
        "answer",
        3,
        _instead(Said(200, "It works!", "text/plain")),
        hides=4,
        ways=SMALL,
    ),
    Fault(
        "sent on to sign in",
        _C.NOT_A_GATEWAY,
        "answer",
        3,
        _instead(Said(302, headers=("Location: http://login.example/",)), redirect="http://login.example/"),
        hides=4,
        rivals=frozenset({_C.BASE_URL}),
    ),
    Fault("500", _C.GATEWAY_FAILING, "answer", 3, _failing(500), hides=4),
    Fault(
        "502 and a page",
        _C.GATEWAY_FAILING,
        "answer",
        3,
        _failing(502, "<html>502</html>", "text/html"),
        hides=4,
        ways=SMALL,
    ),
    Fault("503", _C.GATEWAY_FAILING, "answer", 3, _failing(503, "", ""), hides=4),
    Fault(
        "429",
        _C.RATE_LIMIT,
        "answer",
        3,
        _instead(Said(429, "{}", headers=("Retry-After: 20",))),
        hides=4,
        ways=SMALL,
    ),
    Fault("an hour ahead", _C.CLOCK, "clock", 3, _clock(-3600)),
    Fault("a day behind", _C.CLOCK, "clock", 3, _clock(86400)),
    Fault(
        "mistyped",
        _C.KEY_INVALID,
        "key",
        4,
        _nothing,
        hides=5,
        about="key_unknown",
        prepare=_mistype,
        since_start=True,
    ),
    Fault(
        "an unknown environment's",
        _C.KEY_WRONG_ENVIRONMENT,
        "key",
        4,
        _nothing,
        hides=5,
        about="key_unknown",
        prepare=_foreign,
        since_start=True,
    ),
    Fault(
        "the other environment's",
        _C.KEY_WRONG_ENVIRONMENT,
        "key",
        4,
        _nothing,
        hides=5,
        about="key_unknown",
        prepare=_sibling,
        since_start=True,
        ways=SMALL,
    ),
    Fault(
        "deleted", _C.KEY_EXPIRED_OR_DELETED, "key", 4, _ended("key_deleted"), hides=5, about="key_deleted"
    ),
    Fault(
        "expired key",
        _C.KEY_EXPIRED_OR_DELETED,
        "key",
        4,
        _ended("key_expired"),
        hides=5,
        about="key_expired",
    ),
    Fault(
        "half a key",
        _C.KEY_FORM,
        "key",
        4,
        _nothing,
        hides=5,
        about="key_form",
        prepare=_spoilt(lambda value: value[:13]),
        since_start=True,
        rivals=frozenset({_C.KEY_INVALID, _C.KEY_WRONG_ENVIRONMENT}),
    ),
    Fault(
        "a space in it",
        _C.KEY_FORM,
        "key",
        4,
        _nothing,
        hides=5,
        about="key_form",
        prepare=_spoilt(lambda value: f"{value[:9]} {value[9:]}"),
        since_start=True,
    ),
    Fault(
        "a scheme word in it",
        _C.KEY_FORM,
        "key",
        4,
        _nothing,
        hides=5,
        about="header",
        prepare=_spoilt(lambda value: f"Bearer {value}"),
        since_start=True,
    ),
    *(
        Fault(
            f"{form} is wanted",
            _C.HEADER_FORM,
            "key",
            4,
            _header(form),
            hides=5,
            about="header",
            since_start=True,
        )
        for form in ("Bearer", "Basic", "X-Api-Key")
    ),
    Fault(
        "a public key",
        _C.KEY_WRONG_KIND,
        "key",
        4,
        _nothing,
        hides=5,
        about="key_kind",
        prepare=_public,
        since_start=True,
    ),
    Fault(
        "a partner's key",
        _C.KEY_WRONG_KIND,
        "key",
        4,
        _nothing,
        hides=5,
        about="key_kind",
        prepare=_partner,
        since_start=True,
        ways=SMALL,
    ),
    Fault("its user is disabled", _C.USER_DISABLED, "key", 4, _disable, hides=5, about="user_disabled"),
    Fault("its user may not", _C.PERMISSION_MISSING, "key", 4, _bar, hides=5, about="permission"),
    Fault("the account is restricted", _C.ACCOUNT_RESTRICTED, "key", 4, _restrict, hides=5, about="account"),
    Fault("too many requests", _C.RATE_LIMIT, "key", 4, _limit, hides=5, about="rate_limit"),
    Fault("no such device", _C.DEVICE_UNKNOWN, "device", 5, _unknown_device),
    Fault("the device is offline", _C.DEVICE_OFFLINE, "device", 5, _device("disconnected")),
    Fault("the device is busy", _C.DEVICE_BUSY, "device", 5, _device("busy"), ways=frozenset({"practice"})),
    *(
        Fault(name, cause, "sale", 6, _sold(amount), ways=frozenset({"practice"}), rivals=frozenset(rivals))
        for name, cause, amount, rivals in (
            ("a sale of an amount for tests", _C.TEST_AMOUNT, "20.00", (_C.DECLINED_BY_ISSUER,)),
            ("a sale under 1.00", _C.TEST_AMOUNT, "0.50", (_C.DECLINED_BY_ISSUER,)),
            ("a sale cancelled at the device", _C.CUSTOMER_LEFT, "30.00", ()),
            ("a sale expired", _C.CUSTOMER_SLOW, "40.00", (_C.CUSTOMER_LEFT, _C.DEVICE_OFFLINE)),
            ("a sale met a busy device", _C.DEVICE_BUSY, "50.00", ()),
            ("a sale met an offline device", _C.DEVICE_OFFLINE, "60.00", ()),
            ("a sale's answer lost", _C.CONNECTION_LOST, "70.00", ()),
            ("a sale met the rate limit", _C.RATE_LIMIT, "80.00", ()),
            ("a sale met a failing gateway", _C.GATEWAY_FAILING, "85.00", ()),
        )
    ),
    *(
        Fault(name, cause, "sale", 6, _ending(ends), ways=SMALL, rivals=frozenset(rivals), is_live=is_live)
        for name, cause, ends, rivals, is_live in (
            ("declined", _C.DECLINED_BY_ISSUER, _declined("202", "Insufficient funds"), (), False),
            ("declined in live", _C.DECLINED_BY_ISSUER, _declined("200", "Do not honor"), (), True),
            ("repeated", _C.DUPLICATE, _declined("430", "Duplicate transaction"), (), False),
            ("left", _C.CUSTOMER_LEFT, {"status": "cancelledAtTerminal"}, (), False),
            (
                "timed out",
                _C.CUSTOMER_SLOW,
                {"status": "cancelledByTimeout"},
                (_C.CUSTOMER_LEFT, _C.DEVICE_OFFLINE),
                False,
            ),
            ("in use", _C.DEVICE_BUSY, {"status": "poiDeviceInUse"}, (), False),
            ("the processor is silent", _C.GATEWAY_FAILING, _declined("420", "No answer"), (), False),
        )
    ),
    *(
        Fault(name, cause, "sale", 6, _not_begun(said, amount), ways=SMALL, rivals=frozenset(rivals))
        for name, cause, said, amount, rivals in (
            ("500 to a sale", _C.GATEWAY_FAILING, Said(500, "{}"), "10.00", ()),
            (
                "a sale to a device not known",
                _C.DEVICE_UNKNOWN,
                Said(404, '{"message": "Device not found"}'),
                "10.00",
                (),
            ),
            ("a sale under the rate limit", _C.RATE_LIMIT, Said(429, "{}"), "10.00", ()),
            (
                "a conflict without words",
                _C.DEVICE_BUSY,
                Said(409, "{}"),
                "10.00",
                (_C.DUPLICATE, _C.DEVICE_OFFLINE),
            ),
            (
                "a sale that its user may not make",
                _C.PERMISSION_MISSING,
                Said(403, '{"message": "Forbidden"}'),
                "10.00",
                (_C.ACCOUNT_RESTRICTED, _C.KEY_WRONG_KIND, _C.RATE_LIMIT, _C.USER_DISABLED),
            ),
        )
    ),
    Fault(
        "a live account in test mode",
        _C.TEST_MODE,
        "sale",
        6,
        _small_sale,
        ways=SMALL,
        is_live=True,
        rivals=frozenset({_C.DECLINED_BY_ISSUER}),
    ),
)
