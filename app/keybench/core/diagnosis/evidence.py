"""What each observation speaks for and rules out: the one table that a diagnosis reasons with.

A point doubles the odds of a cause, and one below 0 halves them. `SAYS_SO` is for an observation that is the
cause itself seen. A cause is ruled out only by what can't be seen while it is there, also when something else
is broken at the same time; what merely makes it less likely has points below 0. How well the points fit is
measured (`packaging/test.py --benchmarks -- diagnosis`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import Check, Finding, Result, Seen

#: As many points have what shows the cause itself.
SAYS_SO: Final = 8


@dataclass(frozen=True, slots=True)
class Sign:
    """What an observation means.

    Attributes:
        result: How the check ends by it.
        points: For and against causes.
        rules_out: What can't be where this is seen.
    """

    result: Result
    points: Mapping[Cause, int] = field(default_factory=dict)
    rules_out: frozenset[Cause] = frozenset()


def _fine(*rules_out: Cause, **points: int) -> Sign:
    return Sign(Result.FINE, _points(points), frozenset(rules_out))


def _fault(*rules_out: Cause, **points: int) -> Sign:
    return Sign(Result.FAULT, _points(points), frozenset(rules_out))


def _unclear(*rules_out: Cause, **points: int) -> Sign:
    return Sign(Result.COULD_NOT_TELL, _points(points), frozenset(rules_out))


def _points(named: Mapping[str, int]) -> Mapping[Cause, int]:
    return {Cause(name): points for name, points in named.items()}


_TLS: Final = (Cause.TLS_EXPIRED, Cause.TLS_WRONG_HOST, Cause.TLS_UNTRUSTED)
#: What keeps a call from reaching a gateway and coming back.
_WAY: Final = (Cause.NAME_RESOLUTION, Cause.CONNECTION_REFUSED, *_TLS)
_BROKEN_WAY: Final = (
    *_WAY,
    Cause.PROXY,
    Cause.TLS_INSPECTED,
    Cause.NO_ANSWER,
    Cause.CONNECTION_LOST,
    Cause.CLOCK,
)
#: What keeps a gateway from being asked about the key, where the way there is well.
_BEFORE_THE_KEY: Final = (
    Cause.KEYSTORE,
    Cause.VALUE_CHANGED,
    Cause.CONTRACT,
    Cause.BASE_URL,
    Cause.NOT_A_GATEWAY,
    Cause.GATEWAY_FAILING,
)
#: What makes a gateway refuse a key altogether.
_KEY: Final = (
    Cause.KEY_INVALID,
    Cause.KEY_EXPIRED_OR_DELETED,
    Cause.KEY_WRONG_ENVIRONMENT,
    Cause.KEY_FORM,
    Cause.HEADER_FORM,
    Cause.USER_DISABLED,
)

_FAILURE: Final = {
    Seen.SALE_APPROVED: _fine(),
    Seen.SALE_DECLINED: _fault(declined_by_issuer=SAYS_SO),
    Seen.SALE_TEST_AMOUNT: _fault(test_amount=SAYS_SO, declined_by_issuer=1),
    Seen.SALE_TEST_MODE: _fault(test_mode=SAYS_SO),
    Seen.SALE_CANCELLED: _fault(customer_left=SAYS_SO),
    Seen.SALE_CANCELLED_HERE: _fault(customer_left=1),
    Seen.SALE_EXPIRED: _fault(customer_slow=4, customer_left=3, device_offline=2),
    Seen.SALE_EXPIRED_WAITING: _fault(customer_left=5, customer_slow=4),
    Seen.SALE_EXPIRED_UNTOUCHED: _fault(device_offline=5, customer_left=2, customer_slow=2),
    Seen.SALE_DEVICE_BUSY: _fault(device_busy=SAYS_SO),
    Seen.SALE_DEVICE_OFFLINE: _fault(device_offline=SAYS_SO),
    Seen.SALE_DEVICE_UNKNOWN: _fault(device_unknown=5, base_url=2, key_wrong_environment=2, contract=1),
    Seen.SALE_DUPLICATE: _fault(duplicate=SAYS_SO),
    Seen.SALE_BAD_REQUEST: _fault(contract=4),
    Seen.SALE_NOT_UNDERSTOOD: _fault(contract=4, not_a_gateway=3, proxy=1),
    Seen.SALE_CONTRADICTORY: _fault(contract=4, gateway_failing=2),
    Seen.SALE_NO_OUTCOME: _fault(gateway_failing=3, device_offline=3, customer_slow=2, contract=1),
    Seen.SALE_PROCESSOR: _fault(gateway_failing=5),
}
_HERE: Final = {
    Seen.JOURNAL_READY: _fine(Cause.JOURNAL),
    Seen.JOURNAL_FAILED: _fault(journal=SAYS_SO),
    Seen.VALUE_AS_KEPT: _fine(Cause.KEYSTORE, Cause.VALUE_CHANGED),
    Seen.VALUE_OTHER: _fault(Cause.KEYSTORE, value_changed=SAYS_SO),
    Seen.VALUE_MISSING: _fault(Cause.VALUE_CHANGED, keystore=SAYS_SO),
    Seen.KEYSTORE_SHUT: _fault(keystore=SAYS_SO),
    Seen.KEYSTORE_SILENT: _unclear(keystore=5),
    # A form is a hint: what another gateway's keys look like isn't known.
    Seen.FORM_USUAL: _fine(key_form=-4),
    Seen.FORM_UNUSUAL: _unclear(key_form=2, key_invalid=1),
    Seen.FORM_STRAY: _fault(key_form=6),
    Seen.FORM_SCHEME_WORD: _fault(key_form=5, header_form=3),
    Seen.FORM_PUBLIC: _fault(key_wrong_kind=4),
    Seen.FORM_PRIVATE: _unclear(key_wrong_kind=1),
    Seen.FORM_PARTNER: _fault(key_wrong_kind=6),
    Seen.KIND_PUBLIC: _fault(key_wrong_kind=5),
    Seen.URL_PLAIN: _fine(base_url=-1),
    Seen.URL_PATH_TWICE: _fault(base_url=5),
    Seen.URL_HTTP: _fault(base_url=4),
    Seen.URL_PORTAL: _fault(base_url=5),
    Seen.URL_ODD: _unclear(base_url=2),
    Seen.URL_OTHER_KIND: _fault(key_wrong_environment=2, base_url=3),
    Seen.CONTRACT_READY: _fine(contract=-1),
    Seen.CONTRACT_INVALID: _fault(contract=SAYS_SO),
}
_WAY_THERE: Final = {
    Seen.NAME_FOUND: _fine(Cause.NAME_RESOLUTION),
    Seen.NAME_LITERAL: _fine(Cause.NAME_RESOLUTION),
    Seen.NAME_NOT_FOUND: _fault(name_resolution=SAYS_SO, base_url=3),
    Seen.NAME_SILENT: _fault(name_resolution=6, no_answer=2),
    Seen.NAME_LEFT_TO_PROXY: _unclear(),
    Seen.CONNECTED: _fine(Cause.CONNECTION_REFUSED),
    Seen.CONNECTED_IPV4_ONLY: _fine(Cause.CONNECTION_REFUSED, no_answer=1),
    Seen.CONNECT_REFUSED: _fault(connection_refused=SAYS_SO, base_url=2, gateway_failing=2),
    Seen.CONNECT_SILENT: _fault(no_answer=SAYS_SO, gateway_failing=1, base_url=1),
    Seen.CONNECT_UNREACHABLE: _fault(no_answer=SAYS_SO),
    Seen.CONNECT_LOST: _fault(connection_lost=SAYS_SO, gateway_failing=1),
    Seen.PROXY_NONE: _fine(Cause.PROXY),
    # It may still spoil answers.
    Seen.PROXY_PASSES: _fine(proxy=-2),
    Seen.PROXY_UNUSABLE: _fault(proxy=SAYS_SO),
    Seen.PROXY_PASSWORD: _fault(proxy=SAYS_SO),
    Seen.PROXY_REFUSES: _fault(proxy=7, no_answer=2, name_resolution=2, connection_refused=2),
    Seen.PROXY_SILENT: _fault(proxy=7, no_answer=2),
    Seen.PROXY_ANSWERS_ITSELF: _fault(proxy=SAYS_SO, not_a_gateway=2),
    Seen.PROXY_NEEDLESS: _fault(proxy=3),
    Seen.TLS_NONE: _fine(*_TLS, Cause.TLS_INSPECTED),
    Seen.TLS_TRUSTED: _fine(*_TLS, Cause.TLS_INSPECTED),
    Seen.TLS_ENDS_SOON: _fine(*_TLS),
    # What is trusted here needn't be on the till, and an inspection may spoil answers.
    Seen.TLS_PRIVATE_ISSUER: _fine(*_TLS, tls_inspected=2),
    Seen.TLS_INSPECTION: _fault(Cause.TLS_EXPIRED, Cause.TLS_WRONG_HOST, tls_inspected=SAYS_SO),
    Seen.TLS_EXPIRED: _fault(tls_expired=7, clock=2),
    Seen.TLS_NOT_YET_VALID: _fault(tls_expired=5, clock=5),
    Seen.TLS_WRONG_HOST: _fault(tls_wrong_host=SAYS_SO, base_url=2, not_a_gateway=2),
    Seen.TLS_SELF_SIGNED: _fault(tls_untrusted=SAYS_SO, tls_inspected=2, not_a_gateway=1),
    Seen.TLS_UNTRUSTED: _fault(tls_untrusted=7, tls_inspected=3),
    Seen.TLS_SILENT: _fault(no_answer=7, connection_lost=2, not_a_gateway=1),
    Seen.TLS_LOST: _fault(connection_lost=7, tls_inspected=1, not_a_gateway=1),
    Seen.TLS_NOT_SPOKEN: _fault(not_a_gateway=5, base_url=5),
    Seen.TLS_FAILED: _fault(tls_untrusted=3, gateway_failing=2, not_a_gateway=2),
    Seen.CLOCK_RIGHT: _fine(Cause.CLOCK),
    Seen.CLOCK_WRONG: _fault(clock=7),
}
_ANSWERS: Final = {
    Seen.GATEWAY_ASKS_FOR_KEY: _fine(
        # Whoever is in between may answer so, too.
        *_WAY,
        proxy=-3,
        tls_inspected=-2,
        not_a_gateway=-4,
        base_url=-3,
    ),
    Seen.GATEWAY_OPEN: _unclear(*_WAY, not_a_gateway=2, contract=1),
    Seen.GATEWAY_PAGE: _fault(not_a_gateway=7, base_url=4, proxy=1),
    Seen.GATEWAY_REDIRECT: _fault(base_url=6, not_a_gateway=5),
    Seen.GATEWAY_NO_PATH: _fault(base_url=6, contract=5, not_a_gateway=3),
    Seen.GATEWAY_FAILING: _fault(gateway_failing=SAYS_SO),
    Seen.GATEWAY_STRANGE: _fault(not_a_gateway=6, contract=3, base_url=3, proxy=1),
    Seen.GATEWAY_TOO_OFTEN: _fault(rate_limit=7),
    Seen.GATEWAY_SILENT: _fault(no_answer=7, gateway_failing=3),
    Seen.GATEWAY_LOST: _fault(connection_lost=7, gateway_failing=2),
    Seen.CALL_ACCEPTED: _fine(
        *_WAY,
        *_KEY,
        Cause.PROXY,
        Cause.NOT_A_GATEWAY,
        Cause.BASE_URL,
        key_wrong_kind=-2,
        account_restricted=-1,
    ),
    Seen.CALL_UNAUTHORISED: _fault(
        key_invalid=4,
        key_expired_or_deleted=4,
        key_wrong_environment=4,
        user_disabled=3,
        key_form=3,
        header_form=3,
        key_wrong_kind=2,
        account_restricted=2,
        permission_missing=1,
    ),
    Seen.CALL_FORBIDDEN: _fault(
        permission_missing=4,
        user_disabled=4,
        account_restricted=4,
        key_wrong_kind=4,
        rate_limit=3,
        key_wrong_environment=2,
        key_expired_or_deleted=2,
        key_invalid=1,
        key_form=1,
        header_form=1,
    ),
    Seen.CALL_RATE_LIMIT: _fault(rate_limit=SAYS_SO),
    Seen.CALL_FAILING: _fault(gateway_failing=SAYS_SO),
    Seen.CALL_PAGE: _fault(not_a_gateway=7, base_url=4, proxy=1),
    Seen.CALL_REDIRECT: _fault(base_url=6, not_a_gateway=5),
    Seen.CALL_NO_PATH: _fault(base_url=6, contract=5, not_a_gateway=3),
    Seen.CALL_REFUSED_OTHERWISE: _fault(contract=5, base_url=2),
    Seen.CALL_STRANGE: _fault(not_a_gateway=5, contract=4, base_url=3, proxy=1),
    Seen.CALL_SILENT: _fault(no_answer=7, gateway_failing=3),
    Seen.CALL_LOST: _fault(connection_lost=7, gateway_failing=2),
    Seen.WORDS_KEY_ENDED: _unclear(key_expired_or_deleted=4),
    Seen.WORDS_KEY_UNKNOWN: _unclear(key_invalid=1, key_expired_or_deleted=1, key_wrong_environment=1),
    Seen.WORDS_KEY_FORM: _unclear(key_form=4),
    Seen.WORDS_HEADER: _unclear(header_form=4),
    Seen.WORDS_KIND: _unclear(key_wrong_kind=4),
    Seen.WORDS_ENVIRONMENT: _unclear(key_wrong_environment=4),
    Seen.WORDS_USER: _unclear(user_disabled=4),
    Seen.WORDS_PERMISSION: _unclear(permission_missing=4),
    Seen.WORDS_ACCOUNT: _unclear(account_restricted=4),
    Seen.WORDS_RATE: _unclear(rate_limit=5),
    Seen.OTHER_FORM_ACCEPTED: _fault(
        Cause.KEY_INVALID,
        Cause.KEY_EXPIRED_OR_DELETED,
        Cause.KEY_WRONG_ENVIRONMENT,
        header_form=SAYS_SO,
        contract=4,
    ),
    Seen.OTHER_FORMS_REFUSED: _fine(header_form=-5),
    Seen.LIKE_A_MADE_UP_KEY: _unclear(
        key_invalid=1, key_expired_or_deleted=1, key_wrong_environment=1, user_disabled=-1
    ),
    # The gateway tells it from a value that nobody has, so it knows the key.
    Seen.UNLIKE_A_MADE_UP_KEY: _unclear(
        key_invalid=-3,
        key_wrong_environment=-2,
        key_expired_or_deleted=1,
        user_disabled=2,
        permission_missing=1,
        key_wrong_kind=1,
        account_restricted=1,
    ),
    Seen.USER_MAY_SELL: _fine(Cause.USER_DISABLED, Cause.PERMISSION_MISSING),
    Seen.USER_MAY_NOT_SELL: _fault(Cause.USER_DISABLED, permission_missing=SAYS_SO),
    Seen.USER_DISABLED: _fault(user_disabled=SAYS_SO),
    Seen.USER_NOT_LISTED: _fault(user_disabled=4, key_expired_or_deleted=2, key_wrong_environment=2),
    Seen.DEVICE_READY: _fine(Cause.DEVICE_UNKNOWN, Cause.DEVICE_OFFLINE, Cause.DEVICE_BUSY),
    Seen.DEVICE_KNOWN: _unclear(Cause.DEVICE_UNKNOWN),
    Seen.DEVICE_UNKNOWN: _fault(
        Cause.DEVICE_OFFLINE, Cause.DEVICE_BUSY, device_unknown=SAYS_SO, key_wrong_environment=1
    ),
    Seen.DEVICE_OFFLINE: _fault(Cause.DEVICE_UNKNOWN, device_offline=SAYS_SO),
    Seen.DEVICE_BUSY: _fault(Cause.DEVICE_UNKNOWN, device_busy=SAYS_SO),
    Seen.DEVICE_LOW: _unclear(Cause.DEVICE_UNKNOWN, device_offline=2),
}
_BEFORE: Final = {
    Seen.RATE_MET: _fault(rate_limit=3),
    Seen.RATE_NOT_MET: _fine(rate_limit=-2),
    # Its value is the one that worked, so it was this gateway's key then.
    Seen.KEY_WORKED: _fine(
        key_invalid=-4,
        key_wrong_environment=-3,
        key_form=-4,
        header_form=-3,
        key_expired_or_deleted=2,
        user_disabled=1,
        contract=-1,
        base_url=-1,
    ),
    Seen.KEY_WORKED_SINCE: _fine(*_KEY, Cause.BASE_URL, Cause.NOT_A_GATEWAY),
    Seen.KEY_NEVER_WORKED: _unclear(
        key_wrong_environment=1, key_invalid=1, key_form=1, header_form=1, key_expired_or_deleted=-1
    ),
    Seen.KEY_REPLACED: _fault(key_expired_or_deleted=4),
    Seen.KEY_COMPROMISED: _fault(key_expired_or_deleted=3),
    Seen.USERS_KEYS_WORK: _fine(user_disabled=-4, permission_missing=-3, account_restricted=-4),
    Seen.USERS_KEYS_REFUSED: _unclear(user_disabled=2, permission_missing=1),
    Seen.OTHERS_WORK: _fine(
        base_url=-4, contract=-3, account_restricted=-3, not_a_gateway=-3, header_form=-4, gateway_failing=-1
    ),
    Seen.OTHERS_REFUSED: _unclear(account_restricted=2, base_url=1, header_form=1, key_wrong_environment=1),
    Seen.SAME_VALUE_ELSEWHERE: _fault(key_wrong_environment=3),
    Seen.ADDRESS_CHANGED: _fault(base_url=3, key_wrong_environment=3),
    Seen.PROXY_CHANGED: _fault(proxy=2),
    Seen.DEVICE_WORKED: _fine(device_unknown=-3),
    Seen.DEVICE_FAILED: _unclear(device_offline=1, device_busy=1),
    Seen.NOTHING_KNOWN: _unclear(),
    Seen.ELSEWHERE_ACCEPTED: _fault(Cause.KEY_FORM, key_wrong_environment=SAYS_SO),
    Seen.ELSEWHERE_REFUSED: _fine(key_wrong_environment=-3),
    Seen.PORTAL_LISTED: _fine(Cause.KEY_EXPIRED_OR_DELETED, key_wrong_environment=-4, key_invalid=1),
    Seen.PORTAL_NOT_LISTED: _fault(key_expired_or_deleted=3, key_wrong_environment=3, user_disabled=-4),
    Seen.PORTAL_USER_OFF: _fault(user_disabled=SAYS_SO),
}
SIGNS: Final[Mapping[Seen, Sign]] = {**_FAILURE, **_HERE, **_WAY_THERE, **_ANSWERS, **_BEFORE}

#: What follows from a cause of these, so that its trouble is no news.
FOLLOWS: Final[Mapping[Check, frozenset[Cause]]] = {
    Check.VALUE: frozenset({Cause.KEYSTORE}),
    Check.CONNECT: frozenset({Cause.NAME_RESOLUTION, Cause.PROXY}),
    Check.TLS: frozenset(
        {
            Cause.NAME_RESOLUTION,
            Cause.CONNECTION_REFUSED,
            Cause.NO_ANSWER,
            Cause.CONNECTION_LOST,
            Cause.PROXY,
            Cause.CLOCK,
        }
    ),
    Check.CLOCK: frozenset(_BROKEN_WAY),
    Check.GATEWAY: frozenset({*_BROKEN_WAY, Cause.BASE_URL}),
    Check.CALL: frozenset({*_BROKEN_WAY, *_BEFORE_THE_KEY}),
    Check.FORMS: frozenset({*_BROKEN_WAY, *_BEFORE_THE_KEY}),
    Check.PERMISSIONS: frozenset({*_BROKEN_WAY, *_BEFORE_THE_KEY, *_KEY}),
    Check.DEVICE: frozenset(
        {
            *_BROKEN_WAY,
            *_BEFORE_THE_KEY,
            *_KEY,
            Cause.KEY_WRONG_KIND,
            Cause.PERMISSION_MISSING,
            Cause.ACCOUNT_RESTRICTED,
            Cause.RATE_LIMIT,
        }
    ),
}


def result_of(finding: Finding) -> Result:
    """Return how a check ended: a fault where it saw one, fine where it saw something fine and no fault."""
    results = {SIGNS[one.seen].result for one in finding.observations}
    if Result.FAULT in results:
        return Result.FAULT
    return Result.FINE if Result.FINE in results and finding.silence is None else Result.COULD_NOT_TELL


def rules_out(finding: Finding) -> tuple[Cause, ...]:
    """Return the causes that can't be where this was seen."""
    out = frozenset[Cause]().union(*(SIGNS[one.seen].rules_out for one in finding.observations))
    return tuple(cause for cause in Cause if cause in out)
