"""What can be broken, one at a time: its true cause, where on a call's way it shows, and what it hides.

A call passes these layers in order, and what breaks in one hides what is broken behind it:

0. this computer: journal, keystore, contract, value, address · 1. the way: name, connection, proxy · 2. TLS ·
3. the answer: page, failure, clock · 4. the key · 5. the device · 6. how a sale ended, which is over
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from keybench.core.diagnosis.causes import Cause
from situations import actions as do
from situations.actions import Work
from situations.dialects import Said

SMALL: Final = frozenset({"plain", "tls", "proxy"})
DIRECT: Final = frozenset({"plain", "tls"})
TLS: Final = frozenset({"tls"})
PROXY: Final = frozenset({"proxy"})
PRACTICE: Final = frozenset({"practice"})
EVERY: Final = SMALL | PRACTICE
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


Rivals = Iterable[Cause]


def _here(name: str, cause: Cause, slot: str, apply: Work, hides: int, ways: frozenset[str] = EVERY) -> Fault:
    return Fault(name, cause, slot, 0, apply, hides, ways)


def _way(
    name: str, cause: Cause, layer: int, apply: Work, ways: frozenset[str], rivals: Rivals = ()
) -> Fault:
    slot = "way" if ways != TLS or cause is Cause.NO_ANSWER else "tls"
    return Fault(name, cause, slot, layer, apply, layer + 1, ways, rivals=frozenset(rivals))


def _answer(name: str, cause: Cause, apply: Work, ways: frozenset[str] = EVERY, rivals: Rivals = ()) -> Fault:
    return Fault(name, cause, "answer", 3, apply, 4, ways, rivals=frozenset(rivals))


def _made(
    name: str,
    cause: Cause,
    about: str,
    prepare: Work,
    ways: frozenset[str] = EVERY,
    rivals: Rivals = (),
) -> Fault:
    """Return a fault of a key that it has from the start."""
    return Fault(name, cause, "key", 4, do.nothing, 5, ways, about, prepare, True, frozenset(rivals))


def _key(name: str, cause: Cause, about: str, apply: Work, *, since_start: bool = False) -> Fault:
    return Fault(name, cause, "key", 4, apply, 5, EVERY, about, since_start=since_start)


def _sale(
    name: str, cause: Cause, apply: Work, ways: frozenset[str], rivals: Rivals = (), *, is_live: bool = False
) -> Fault:
    return Fault(name, cause, "sale", 6, apply, ways=ways, rivals=frozenset(rivals), is_live=is_live)


def _declined(code: str, text: str) -> Mapping[str, Any]:
    told = {"success": False, "response_code": code, "response_text": text}
    return {"status": "interactionComplete", "transaction": told}


_C: Final = Cause
_AWAY: Final = Said(302, headers=("Location: http://login.example/",))
_HERE: Final = (
    _here("the journal can't be written", _C.JOURNAL, "journal", do.lock_journal, NOTHING),
    _here("the value is gone", _C.KEYSTORE, "value", do.lose_value, 4),
    _here("the keyring is locked", _C.KEYSTORE, "value", do.lock_keyring, 4),
    _here("the keyring is silent", _C.KEYSTORE, "value", do.silence_keyring, 4),
    _here("the keyring hangs", _C.KEYSTORE, "value", do.hang_keyring, 4),
    _here("another value is kept", _C.VALUE_CHANGED, "value", do.change_value, 4),
    _here("the contract is gone", _C.CONTRACT, "contract", do.lose_contract, 3, SMALL),
    _here("the contract can't be read", _C.CONTRACT, "contract", do.break_contract, 3, SMALL),
    _here("a call's path in the address", _C.BASE_URL, "answer", do.path("/api/v5/devices"), 4, SMALL),
    _here("a portal's address", _C.BASE_URL, "answer", do.path("/merchants/login.php"), 4, SMALL),
)
_WAY: Final = (
    _way("no such name", _C.NAME_RESOLUTION, 1, do.lose_name, DIRECT),
    _way("refused", _C.CONNECTION_REFUSED, 1, do.refuse, DIRECT),
    _way("swallowed", _C.NO_ANSWER, 1, do.swallow, DIRECT),
    _way("silent", _C.NO_ANSWER, 2, do.be_silent, DIRECT),
    _way("TLS stalls", _C.NO_ANSWER, 2, do.stall_tls, TLS),
    _way("a byte a second", _C.NO_ANSWER, 2, do.trickle, DIRECT),
    _way("reset at once", _C.CONNECTION_LOST, 1, do.reset, DIRECT),
    _way("reset when asked", _C.CONNECTION_LOST, 2, do.reset_requests, DIRECT),
    _way("the proxy refuses", _C.PROXY, 1, do.proxy("refuses"), PROXY),
    _way("the proxy wants a password", _C.PROXY, 1, do.proxy("password"), PROXY),
    _way("the proxy is silent", _C.PROXY, 1, do.proxy("silent"), PROXY),
    _way("the proxy shows a page", _C.PROXY, 1, do.proxy("page"), PROXY),
    _way("the proxy lies", _C.PROXY, 1, do.proxy("lies"), PROXY),
    _way("the proxy breaks off", _C.PROXY, 1, do.proxy("resets"), PROXY),
    _way("the proxy is gone", _C.PROXY, 1, do.end_proxy, PROXY),
    _way("the proxy is swallowed", _C.PROXY, 1, do.swallow_proxy, PROXY),
    _way("the proxy has no name", _C.PROXY, 1, do.misname_proxy, PROXY),
    _way(
        *("the proxy can't reach it", _C.CONNECTION_REFUSED, 1, do.end_behind_proxy, PROXY),
        (_C.PROXY, _C.NAME_RESOLUTION, _C.NO_ANSWER),
    ),
    _way("expired", _C.TLS_EXPIRED, 2, do.certified(-90, -3), TLS),
    _way("not yet valid", _C.TLS_EXPIRED, 2, do.certified(3, 90), TLS, (_C.CLOCK,)),
    _way("another host's", _C.TLS_WRONG_HOST, 2, do.certified(host="other.example"), TLS),
    _way("a stranger's", _C.TLS_UNTRUSTED, 2, do.certified(by="stranger"), TLS),
    _way("an inspection's", _C.TLS_INSPECTED, 2, do.certified(by="inspector"), TLS),
    _way("http where https is due", _C.BASE_URL, 2, do.speak_plainly, TLS, (_C.NOT_A_GATEWAY,)),
    _way("http instead of https", _C.BASE_URL, 2, do.plain_http, PROXY, (_C.CONNECTION_LOST, _C.NO_ANSWER)),
)
_ANSWERS: Final = (
    _answer("the contract is another gateway's", _C.CONTRACT, do.other_contract, SMALL, (_C.BASE_URL,)),
    _answer("a wrong path in the address", _C.BASE_URL, do.path("/payments"), SMALL, (_C.CONTRACT,)),
    _answer("a page for people", _C.NOT_A_GATEWAY, do.instead(Said(200, do.SIGN_IN, "text/html"), page=True)),
    _answer("another service", _C.NOT_A_GATEWAY, do.instead(Said(200, '{"hello": "world"}')), SMALL),
    _answer("a text", _C.NOT_A_GATEWAY, do.instead(Said(200, "It works!", "text/plain")), SMALL),
    _answer(
        "sent on to sign in",
        _C.NOT_A_GATEWAY,
        do.instead(_AWAY, redirect="http://login.example/"),
        rivals=(_C.BASE_URL,),
    ),
    _answer("500", _C.GATEWAY_FAILING, do.failing(500)),
    _answer("502 and a page", _C.GATEWAY_FAILING, do.failing(502, "<html>502</html>", "text/html"), SMALL),
    _answer("503", _C.GATEWAY_FAILING, do.failing(503, "", "")),
    _answer("429", _C.RATE_LIMIT, do.instead(Said(429, "{}", headers=("Retry-After: 20",))), SMALL),
    Fault("an hour ahead", _C.CLOCK, "clock", 3, do.clock(-3600)),
    Fault("a day behind", _C.CLOCK, "clock", 3, do.clock(86400)),
)
_HALF: Final = (_C.KEY_INVALID, _C.KEY_WRONG_ENVIRONMENT)
_KEYS: Final = (
    _made("mistyped", _C.KEY_INVALID, "key_unknown", do.mistype),
    _made("an unknown environment's", _C.KEY_WRONG_ENVIRONMENT, "key_unknown", do.foreign),
    _made("the other environment's", _C.KEY_WRONG_ENVIRONMENT, "key_unknown", do.sibling, SMALL),
    _made("half a key", _C.KEY_FORM, "key_form", do.spoilt(lambda key: key[:13]), rivals=_HALF),
    _made("a space in it", _C.KEY_FORM, "key_form", do.spoilt(lambda key: f"{key[:9]} {key[9:]}")),
    _made("a scheme word in it", _C.KEY_FORM, "header", do.spoilt(lambda key: f"Bearer {key}")),
    _made("a public key", _C.KEY_WRONG_KIND, "key_kind", do.public),
    _made("a partner's key", _C.KEY_WRONG_KIND, "key_kind", do.partner, SMALL),
    _key("deleted", _C.KEY_EXPIRED_OR_DELETED, "key_deleted", do.ended("key_deleted")),
    _key("expired key", _C.KEY_EXPIRED_OR_DELETED, "key_expired", do.ended("key_expired")),
    _key("Bearer is wanted", _C.HEADER_FORM, "header", do.header("Bearer"), since_start=True),
    _key("Basic is wanted", _C.HEADER_FORM, "header", do.header("Basic"), since_start=True),
    _key("X-Api-Key is wanted", _C.HEADER_FORM, "header", do.header("X-Api-Key"), since_start=True),
    _key("its user is disabled", _C.USER_DISABLED, "user_disabled", do.disable),
    _key("its user may not", _C.PERMISSION_MISSING, "permission", do.bar),
    _key("the account is restricted", _C.ACCOUNT_RESTRICTED, "account", do.restrict),
    _key("too many requests", _C.RATE_LIMIT, "rate_limit", do.limit),
)
_DEVICES: Final = (
    Fault("no such device", _C.DEVICE_UNKNOWN, "device", 5, do.unknown_device),
    Fault("the device is offline", _C.DEVICE_OFFLINE, "device", 5, do.device("disconnected")),
    Fault("the device is busy", _C.DEVICE_BUSY, "device", 5, do.device("busy"), ways=PRACTICE),
)
_ISSUER: Final = (_C.DECLINED_BY_ISSUER,)
_SLOW: Final = (_C.CUSTOMER_LEFT, _C.DEVICE_OFFLINE)
_BARRED: Final = (_C.ACCOUNT_RESTRICTED, _C.KEY_WRONG_KIND, _C.RATE_LIMIT, _C.USER_DISABLED)
_NO_DEVICE: Final = Said(404, '{"message": "Device not found"}')
_SALES: Final = (
    _sale("an amount for tests", _C.TEST_AMOUNT, do.sold("20.00"), PRACTICE, _ISSUER),
    _sale("an amount under 1.00", _C.TEST_AMOUNT, do.sold("0.50"), PRACTICE, _ISSUER),
    _sale("cancelled at the device", _C.CUSTOMER_LEFT, do.sold("30.00"), PRACTICE),
    _sale("a sale expired", _C.CUSTOMER_SLOW, do.sold("40.00"), PRACTICE, _SLOW),
    _sale("a sale met a busy device", _C.DEVICE_BUSY, do.sold("50.00"), PRACTICE),
    _sale("a sale met an offline device", _C.DEVICE_OFFLINE, do.sold("60.00"), PRACTICE),
    _sale("a sale's answer lost", _C.CONNECTION_LOST, do.sold("70.00"), PRACTICE),
    _sale("a sale met the rate limit", _C.RATE_LIMIT, do.sold("80.00"), PRACTICE),
    _sale("a sale met a failing gateway", _C.GATEWAY_FAILING, do.sold("85.00"), PRACTICE),
    _sale("declined", _C.DECLINED_BY_ISSUER, do.ending(_declined("202", "Insufficient funds")), SMALL),
    _sale(
        "declined in live",
        _C.DECLINED_BY_ISSUER,
        do.ending(_declined("200", "Do not honor")),
        SMALL,
        is_live=True,
    ),
    _sale("repeated", _C.DUPLICATE, do.ending(_declined("430", "Duplicate transaction")), SMALL),
    _sale("left", _C.CUSTOMER_LEFT, do.ending({"status": "cancelledAtTerminal"}), SMALL),
    _sale("timed out", _C.CUSTOMER_SLOW, do.ending({"status": "cancelledByTimeout"}), SMALL, _SLOW),
    _sale("in use", _C.DEVICE_BUSY, do.ending({"status": "poiDeviceInUse"}), SMALL),
    _sale("the processor is silent", _C.GATEWAY_FAILING, do.ending(_declined("420", "No answer")), SMALL),
    _sale("500 to a sale", _C.GATEWAY_FAILING, do.not_begun(Said(500, "{}")), SMALL),
    _sale("a device not known", _C.DEVICE_UNKNOWN, do.not_begun(_NO_DEVICE, "till-9"), SMALL),
    _sale("429 to a sale", _C.RATE_LIMIT, do.not_begun(Said(429, "{}")), SMALL),
    _sale(
        "a conflict without words",
        _C.DEVICE_BUSY,
        do.not_begun(Said(409, "{}")),
        SMALL,
        (_C.DUPLICATE, _C.DEVICE_OFFLINE),
    ),
    _sale("403 to a sale", _C.PERMISSION_MISSING, do.not_begun(Said(403, "{}")), SMALL, _BARRED),
    _sale(
        "a live account in test mode",
        _C.TEST_MODE,
        do.ending(_declined("200", "DECLINE"), "0.50"),
        SMALL,
        _ISSUER,
        is_live=True,
    ),
    # Its list of devices is everybody's, so that the harmless call shows nothing of the key.
    _sale(
        "deleted, where the harmless call wants no key",
        _C.KEY_EXPIRED_OR_DELETED,
        do.deleted_where_any_may_list,
        SMALL,
        (_C.NOT_A_GATEWAY, _C.KEY_INVALID, _C.KEY_WRONG_ENVIRONMENT, _C.USER_DISABLED),
    ),
)
FAULTS: Final = (*_HERE, *_WAY, *_ANSWERS, *_KEYS, *_DEVICES, *_SALES)
