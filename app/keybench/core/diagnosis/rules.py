"""The table that a diagnosis goes by: what was seen, which cause that shows, and what can't be then.

`RULES` is read from top to bottom along a call's way: ours, network, gateway, key, user, device, customer,
issuer. The first rule that names a cause places it and says how it stands. A cause is ruled out only by what
can't be seen while it is there, also when something else is broken at the same time; what worked earlier can
be out of date and rules nothing out. `packaging/test.py --benchmarks -- diagnosis` measures the table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import CheckFinding, Result, Sign

_S: Final = Sign
_C: Final = Cause
Causes = Cause | tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """What one or another of some observations means.

    Attributes:
        seen: One of them is enough.
        likely: Listed first where the rule holds.
        possible: Listed after what is likely.
        beside: One of these has to be seen, too, unless there are none.
        unless: None of these may be seen.
    """

    seen: frozenset[Sign]
    likely: tuple[Cause, ...] = ()
    possible: tuple[Cause, ...] = ()
    beside: frozenset[Sign] = frozenset()
    unless: frozenset[Sign] = frozenset()

    def holds(self, seen: Collection[Sign]) -> bool:
        """Tell whether what was seen fits."""
        return (
            not self.seen.isdisjoint(seen)
            and (not self.beside or not self.beside.isdisjoint(seen))
            and self.unless.isdisjoint(seen)
        )


def _when(
    *seen: Sign,
    likely: Causes = (),
    possible: Causes = (),
    beside: Iterable[Sign] = (),
    unless: Iterable[Sign] = (),
) -> Rule:
    return Rule(frozenset(seen), _all(likely), _all(possible), frozenset(beside), frozenset(unless))


def _all(causes: Causes) -> tuple[Cause, ...]:
    return (causes,) if isinstance(causes, Cause) else causes


_REFUSED: Final = (_S.CALL_UNAUTHORISED, _S.CALL_FORBIDDEN, _S.CALL_DENIED, _S.CALL_REFUSED_OTHERWISE)
_SILENT: Final = (_S.TLS_SILENT, _S.SILENT)
_LOST: Final = (_S.TLS_LOST, _S.LOST)
#: The gateway knew the key with this value once.
_WAS_ITS: Final = (_S.KEY_WORKED, _S.KEY_MADE_HERE)
#: Whoever answers does so without a look at the key.
_ANY_KEY: Final = (_S.GATEWAY_OPEN, _S.MADE_UP_KEY_ACCEPTED)
#: A sale that a device perhaps never showed.
_ASTRAY: Final = (_S.SALE_EXPIRED, _S.SALE_EXPIRED_UNTOUCHED, _S.SALE_NO_OUTCOME, _S.SALE_DEVICE_UNKNOWN)
#: What a gateway says alike of a value that nobody has is about no key in particular.
_INCONCLUSIVE: Final = (_S.LIKE_A_MADE_UP_KEY,)

_OURS: Final = (
    _when(_S.JOURNAL_FAILED, _S.JOURNAL_SILENT, likely=_C.JOURNAL),
    _when(_S.VALUE_MISSING, _S.KEYSTORE_SHUT, _S.KEYSTORE_SILENT, likely=_C.KEYSTORE),
    _when(_S.VALUE_OTHER, likely=_C.VALUE_CHANGED),
    _when(_S.CONTRACT_INVALID, likely=_C.CONTRACT),
    _when(_S.URL_PATH_TWICE, _S.URL_HTTP, _S.URL_PORTAL, _S.SALE_SENT_ELSEWHERE, likely=_C.BASE_URL),
    _when(_S.CLOCK_WRONG, likely=_C.CLOCK),
)
_NETWORK: Final = (
    _when(_S.PROXY_UNUSABLE, _S.PROXY_PASSWORD, _S.PROXY_ANSWERS_ITSELF, likely=_C.PROXY),
    _when(_S.PROXY_REFUSES, _S.PROXY_SILENT, _S.PROXY_NEEDLESS, likely=_C.PROXY),
    _when(_S.CONNECT_NOT_TO_PROXY, likely=_C.PROXY),
    _when(
        _S.PROXY_IN_VAIN,
        possible=(_C.CONNECTION_REFUSED, _C.PROXY, _C.NAME_RESOLUTION, _C.NO_ANSWER, _C.BASE_URL),
    ),
    # Somebody breaks off, and the proxy wasn't seen to lead on.
    _when(*_LOST, likely=_C.PROXY, beside=[_S.CONNECTED_TO_PROXY], unless=[_S.PROXY_PASSES]),
    _when(_S.NAME_NOT_FOUND, likely=_C.NAME_RESOLUTION, possible=_C.BASE_URL),
    _when(_S.NAME_BLOCKED, _S.NAME_SILENT, likely=_C.NAME_RESOLUTION),
    _when(_S.CONNECT_REFUSED, likely=_C.CONNECTION_REFUSED, possible=(_C.BASE_URL, _C.GATEWAY_FAILING)),
    _when(_S.CONNECT_SILENT, _S.CONNECT_UNREACHABLE, likely=_C.NO_ANSWER),
    _when(_S.CONNECT_LOST, likely=_C.CONNECTION_LOST),
    _when(_S.TLS_INSPECTION, likely=_C.TLS_INSPECTED),
    _when(_S.TLS_SELF_SIGNED, _S.TLS_UNTRUSTED, likely=_C.TLS_UNTRUSTED, possible=_C.TLS_INSPECTED),
    _when(_S.TLS_WRONG_HOST, likely=_C.TLS_WRONG_HOST, possible=_C.BASE_URL),
    _when(_S.TLS_EXPIRED, likely=_C.TLS_EXPIRED, possible=_C.CLOCK),
    _when(_S.TLS_NOT_YET_VALID, likely=_C.TLS_EXPIRED, beside=[_S.CLOCK_RIGHT]),
    _when(_S.TLS_NOT_YET_VALID, possible=(_C.TLS_EXPIRED, _C.CLOCK)),
    _when(_S.TLS_NOT_SPOKEN, likely=_C.BASE_URL, possible=(_C.NOT_A_GATEWAY, _C.PROXY)),
    _when(_S.TLS_FAILED, possible=(_C.TLS_UNTRUSTED, _C.GATEWAY_FAILING, _C.NOT_A_GATEWAY)),
    _when(*_SILENT, likely=_C.NO_ANSWER, possible=_C.GATEWAY_FAILING),
    _when(*_LOST, likely=_C.CONNECTION_LOST, possible=_C.GATEWAY_FAILING),
    _when(*_SILENT, *_LOST, possible=_C.PROXY, beside=[_S.CONNECTED_TO_PROXY]),
    # What is trusted here needn't be on the till, nor do all ways have IPv4.
    _when(_S.TLS_INSPECTION_TRUSTED, _S.TLS_PRIVATE_ISSUER, possible=_C.TLS_INSPECTED),
)
_GATEWAY: Final = (
    _when(_S.FAILING, _S.SALE_PROCESSOR, likely=_C.GATEWAY_FAILING),
    _when(_S.PAGE, _S.REDIRECT_AWAY, _S.MADE_UP_KEY_ACCEPTED, likely=_C.NOT_A_GATEWAY, possible=_C.BASE_URL),
    _when(_S.GATEWAY_NO_PATH, _S.REDIRECT, possible=(_C.BASE_URL, _C.CONTRACT, _C.NOT_A_GATEWAY)),
    _when(_S.STRANGE, likely=_C.NOT_A_GATEWAY, possible=(_C.CONTRACT, _C.BASE_URL)),
    _when(
        *(_S.GATEWAY_OPEN, _S.BARRED_BY_PAGE),
        possible=(_C.NOT_A_GATEWAY, _C.BASE_URL),
        unless=[_S.MADE_UP_KEY_REFUSED],
    ),
    _when(_S.URL_OTHER_KIND, possible=(_C.BASE_URL, _C.KEY_WRONG_ENVIRONMENT)),
    _when(_S.URL_ODD, possible=_C.BASE_URL),
    _when(_S.RATE_LIMIT, likely=_C.RATE_LIMIT),
)
_KEY: Final = (
    _when(_S.OTHER_FORM_ACCEPTED, likely=_C.HEADER_FORM, possible=_C.CONTRACT),
    _when(_S.ELSEWHERE_ACCEPTED, likely=_C.KEY_WRONG_ENVIRONMENT),
    _when(_S.FORM_STRAY, _S.FORM_SCHEME_WORD, likely=_C.KEY_FORM),
    _when(_S.KIND_PUBLIC, _S.FORM_PARTNER, _S.FORM_PUBLIC, likely=_C.KEY_WRONG_KIND),
    _when(_S.USER_DISABLED, likely=_C.USER_DISABLED),
    _when(_S.USER_MAY_NOT_SELL, likely=_C.PERMISSION_MISSING),
    # The gateway names the cause itself.
    _when(_S.WORDS_RATE, likely=_C.RATE_LIMIT, unless=_INCONCLUSIVE),
    _when(_S.WORDS_HEADER, likely=_C.HEADER_FORM, unless=[*_INCONCLUSIVE, _S.OTHER_FORMS_REFUSED]),
    _when(_S.WORDS_KEY_FORM, likely=_C.KEY_FORM, unless=_INCONCLUSIVE),
    _when(_S.WORDS_KEY_ENDED, likely=_C.KEY_EXPIRED_OR_DELETED, unless=_INCONCLUSIVE),
    _when(_S.WORDS_KIND, likely=_C.KEY_WRONG_KIND, unless=_INCONCLUSIVE),
    _when(_S.WORDS_ENVIRONMENT, likely=_C.KEY_WRONG_ENVIRONMENT, unless=_INCONCLUSIVE),
    _when(_S.WORDS_USER, likely=_C.USER_DISABLED, unless=_INCONCLUSIVE),
    _when(_S.WORDS_ACCOUNT, likely=_C.ACCOUNT_RESTRICTED, unless=_INCONCLUSIVE),
    _when(_S.WORDS_PERMISSION, likely=_C.PERMISSION_MISSING, unless=_INCONCLUSIVE),
    _when(_S.KEY_REPLACED, _S.KEY_COMPROMISED, likely=_C.KEY_EXPIRED_OR_DELETED, beside=_REFUSED),
    _when(_S.SAME_VALUE_ELSEWHERE, likely=_C.KEY_WRONG_ENVIRONMENT, beside=_REFUSED),
    _when(_S.ENVIRONMENT_CHANGED, possible=(_C.KEY_WRONG_ENVIRONMENT, _C.BASE_URL), beside=_REFUSED),
    _when(_S.USER_NOT_LISTED, possible=(_C.USER_DISABLED, _C.KEY_WRONG_ENVIRONMENT), beside=_REFUSED),
    _when(
        *(_S.CALL_UNAUTHORISED, _S.CALL_NO_PATH),
        likely=_C.KEY_EXPIRED_OR_DELETED,
        beside=_WAS_ITS,
        unless=[_S.CALL_ACCEPTED],
    ),
    _when(_S.RATE_MET, possible=_C.RATE_LIMIT),
    _when(_S.OTHERS_REFUSED, possible=_C.ACCOUNT_RESTRICTED, beside=_REFUSED),
    # The gateway knows the key, and something about it or its user isn't allowed.
    _when(
        _S.CALL_FORBIDDEN,
        possible=(_C.PERMISSION_MISSING, _C.USER_DISABLED, _C.RATE_LIMIT),
        unless=_INCONCLUSIVE,
    ),
    _when(_S.CALL_FORBIDDEN, possible=_C.ACCOUNT_RESTRICTED, unless=[*_INCONCLUSIVE, _S.OTHERS_WORK]),
    _when(*_REFUSED, possible=_C.KEY_EXPIRED_OR_DELETED, beside=_WAS_ITS),
    _when(_S.FORM_UNUSUAL, possible=_C.KEY_FORM),
    _when(
        *(*_REFUSED, _S.CALL_NO_PATH),
        possible=(_C.KEY_INVALID, _C.KEY_WRONG_ENVIRONMENT, _C.KEY_EXPIRED_OR_DELETED),
    ),
    _when(*_REFUSED, possible=_C.HEADER_FORM, unless=[_S.OTHER_FORMS_REFUSED]),
    _when(*_REFUSED, possible=(_C.USER_DISABLED, _C.ACCOUNT_RESTRICTED)),
    _when(_S.CALL_FORBIDDEN, possible=(_C.PERMISSION_MISSING, _C.RATE_LIMIT)),
    _when(_S.CALL_NO_PATH, _S.CALL_REFUSED_OTHERWISE, _S.CALL_DENIED, possible=(_C.CONTRACT, _C.BASE_URL)),
)
_DEVICE: Final = (
    _when(_S.DEVICE_UNKNOWN, likely=_C.DEVICE_UNKNOWN, possible=_C.KEY_WRONG_ENVIRONMENT),
    _when(
        _S.SALE_DEVICE_UNKNOWN,
        likely=_C.DEVICE_UNKNOWN,
        possible=(_C.BASE_URL, _C.KEY_WRONG_ENVIRONMENT, _C.CONTRACT),
    ),
    _when(_S.DEVICE_OFFLINE, _S.SALE_DEVICE_OFFLINE, likely=_C.DEVICE_OFFLINE),
    _when(_S.DEVICE_BUSY, _S.SALE_DEVICE_BUSY, likely=_C.DEVICE_BUSY),
    _when(_S.SALE_CONFLICT, possible=(_C.DEVICE_BUSY, _C.DUPLICATE, _C.DEVICE_OFFLINE)),
    _when(_S.SALE_EXPIRED_UNTOUCHED, likely=_C.DEVICE_OFFLINE, possible=(_C.CUSTOMER_SLOW, _C.CUSTOMER_LEFT)),
    _when(_S.SALE_NOT_UNDERSTOOD, _S.SALE_CONTRADICTORY, likely=_C.CONTRACT, possible=_C.GATEWAY_FAILING),
    _when(_S.SALE_BAD_REQUEST, likely=_C.CONTRACT),
    _when(_S.SALE_DUPLICATE, likely=_C.DUPLICATE),
)
_CUSTOMER: Final = (
    _when(_S.SALE_CANCELLED, likely=_C.CUSTOMER_LEFT),
    _when(_S.SALE_CANCELLED_HERE, possible=_C.CUSTOMER_LEFT),
    _when(_S.SALE_EXPIRED_WAITING, possible=(_C.CUSTOMER_SLOW, _C.CUSTOMER_LEFT)),
    _when(_S.SALE_EXPIRED, possible=(_C.CUSTOMER_SLOW, _C.CUSTOMER_LEFT, _C.DEVICE_OFFLINE)),
    _when(_S.SALE_NO_OUTCOME, possible=(_C.GATEWAY_FAILING, _C.DEVICE_OFFLINE, _C.CUSTOMER_SLOW)),
    _when(_S.SALE_TEST_MODE, likely=_C.TEST_MODE),
    _when(_S.SALE_TEST_AMOUNT, likely=_C.TEST_AMOUNT, possible=_C.DECLINED_BY_ISSUER),
    _when(_S.SALE_DECLINED, likely=_C.DECLINED_BY_ISSUER),
)
RULES: Final = (*_OURS, *_NETWORK, *_GATEWAY, *_KEY, *_DEVICE, *_CUSTOMER)

_TLS: Final = (_C.TLS_EXPIRED, _C.TLS_WRONG_HOST, _C.TLS_UNTRUSTED)
#: What keeps a call from reaching a gateway and coming back.
_WAY: Final = (_C.NAME_RESOLUTION, _C.CONNECTION_REFUSED, *_TLS)
#: What makes a gateway refuse a key altogether.
_OF_THE_KEY: Final = (
    *(_C.KEY_INVALID, _C.KEY_EXPIRED_OR_DELETED, _C.KEY_WRONG_ENVIRONMENT, _C.KEY_FORM, _C.HEADER_FORM),
)


@dataclass(frozen=True, slots=True)
class _Excluding:
    """What can't be where something is seen, unless something else is seen, too."""

    causes: tuple[Cause, ...]
    unless: frozenset[Sign] = frozenset()


def _not(*causes: Cause, unless: Iterable[Sign] = ()) -> _Excluding:
    return _Excluding(causes, frozenset(unless))


_EXCLUDING: Final = {
    _S.JOURNAL_READY: _not(_C.JOURNAL),
    _S.VALUE_AS_KEPT: _not(_C.KEYSTORE, _C.VALUE_CHANGED),
    _S.VALUE_OTHER: _not(_C.KEYSTORE),
    _S.VALUE_MISSING: _not(_C.VALUE_CHANGED),
    _S.NAME_FOUND: _not(_C.NAME_RESOLUTION),
    _S.NAME_LITERAL: _not(_C.NAME_RESOLUTION),
    # Without a proxy on the way; what a proxy's own connections meet isn't seen from here.
    _S.CONNECTED: _not(_C.CONNECTION_REFUSED, _C.PROXY),
    # Where https is due after all, what it would meet isn't seen.
    _S.TLS_NONE: _not(
        *(*_TLS, _C.TLS_INSPECTED),
        unless=[_S.URL_HTTP, _S.LOST, _S.STRANGE, _S.REDIRECT],
    ),
    _S.TLS_TRUSTED: _not(*_TLS, _C.TLS_INSPECTED),
    _S.CLOCK_RIGHT: _not(_C.CLOCK),
    _S.GATEWAY_ASKS_FOR_KEY: _not(*_WAY),  # whoever is in between may answer so, too
    _S.GATEWAY_OPEN: _not(*_WAY),
    _S.GATEWAY_REFUSES: _not(*_WAY),
    # A gateway that wants no key for this call accepts any.
    _S.CALL_ACCEPTED: _not(*_WAY, *_OF_THE_KEY, _C.NOT_A_GATEWAY, unless=_ANY_KEY),
    _S.OTHER_FORM_ACCEPTED: _not(*_OF_THE_KEY[:3], unless=_ANY_KEY),
    # A gateway may take a device that never woke for a connected one, and know one that it didn't for a sale.
    _S.DEVICE_READY: _not(_C.DEVICE_UNKNOWN, _C.DEVICE_BUSY, _C.DEVICE_OFFLINE, unless=_ASTRAY),
    _S.DEVICE_READY_NOW: _not(_C.DEVICE_UNKNOWN, unless=_ASTRAY),
    # Whether another's sale is on it isn't told.
    _S.DEVICE_CONNECTED: _not(_C.DEVICE_UNKNOWN, _C.DEVICE_OFFLINE, unless=_ASTRAY),
    _S.DEVICE_KNOWN: _not(_C.DEVICE_UNKNOWN, unless=[_S.SALE_DEVICE_UNKNOWN]),
    _S.DEVICE_OFFLINE: _not(_C.DEVICE_UNKNOWN),
    _S.DEVICE_BUSY: _not(_C.DEVICE_UNKNOWN),
    _S.KEY_WORKED_SINCE: _not(*_OF_THE_KEY, _C.USER_DISABLED, _C.BASE_URL, _C.NOT_A_GATEWAY),
}


def result_of(finding: CheckFinding) -> Result:
    """Return how a check ended: a fault where it saw one, fine where it saw something fine and no fault."""
    shown = {one.seen.shows for one in finding.observations}
    if Result.FAULT in shown:
        return Result.FAULT
    return Result.FINE if Result.FINE in shown and finding.silence is None else Result.COULD_NOT_TELL


def excludes(one: Sign, cause: Cause, seen: Collection[Sign]) -> bool:
    """Tell whether a cause can't be where one thing is seen, beside what else is."""
    excluding = _EXCLUDING.get(one)
    return excluding is not None and cause in excluding.causes and excluding.unless.isdisjoint(seen)


def rules_out(finding: CheckFinding, seen: Collection[Sign] = ()) -> tuple[Cause, ...]:
    """Return the causes that can't be where this was seen, beside what else was."""
    own = [one.seen for one in finding.observations]
    return tuple(cause for cause in Cause if any(excludes(one, cause, {*seen, *own}) for one in own))
