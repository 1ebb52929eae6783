"""What each observation speaks for and rules out: the one table that a diagnosis reasons with.

A point doubles the odds of a cause, and one below 0 halves them. `SAYS_SO` is for an observation that is the
cause itself seen. A cause is ruled out only by what can't be seen while it is there, also when something else
is broken at the same time; what merely makes it less likely has points below 0. How well the points fit is
measured (`packaging/test.py --benchmarks -- diagnosis`).

What a person says of an account, what a device's state was a moment ago, and that something worked before can
be out of date or about something else. So they make causes less likely and rule none out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import Check, Finding, Result, Seen
from keybench.core.diagnosis.signs import SAYS_SO, Sign, fault, fine, moot, unclear, unless

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
#: A sale that a device perhaps never showed.
_ASTRAY: Final = (
    Seen.SALE_EXPIRED,
    Seen.SALE_EXPIRED_UNTOUCHED,
    Seen.SALE_NO_OUTCOME,
    Seen.SALE_DEVICE_UNKNOWN,
)

_FAILURE: Final = {
    Seen.SALE_APPROVED: fine(),
    Seen.SALE_DECLINED: fault(declined_by_issuer=SAYS_SO),
    Seen.SALE_TEST_AMOUNT: fault(test_amount=SAYS_SO, declined_by_issuer=3),
    Seen.SALE_TEST_MODE: fault(test_mode=SAYS_SO),
    Seen.SALE_CANCELLED: fault(customer_left=SAYS_SO),
    Seen.SALE_CANCELLED_HERE: fault(customer_left=1),
    Seen.SALE_EXPIRED: fault(customer_slow=4, customer_left=3, device_offline=2),
    Seen.SALE_EXPIRED_WAITING: fault(customer_left=5, customer_slow=4),
    Seen.SALE_EXPIRED_UNTOUCHED: fault(device_offline=5, customer_left=2, customer_slow=2),
    Seen.SALE_DEVICE_BUSY: fault(device_busy=SAYS_SO),
    Seen.SALE_DEVICE_OFFLINE: fault(device_offline=SAYS_SO),
    Seen.SALE_DEVICE_UNKNOWN: fault(device_unknown=5, base_url=2, key_wrong_environment=2, contract=1),
    Seen.SALE_DUPLICATE: fault(duplicate=SAYS_SO),
    Seen.SALE_CONFLICT: fault(device_busy=5, duplicate=4, device_offline=4),
    Seen.SALE_BAD_REQUEST: fault(contract=4),
    Seen.SALE_NOT_UNDERSTOOD: fault(contract=4, not_a_gateway=3, proxy=1),
    Seen.SALE_CONTRADICTORY: fault(contract=4, gateway_failing=2),
    Seen.SALE_NO_OUTCOME: fault(gateway_failing=3, device_offline=3, customer_slow=2, contract=1),
    Seen.SALE_PROCESSOR: fault(gateway_failing=5),
}
_HERE: Final = {
    Seen.JOURNAL_READY: fine(Cause.JOURNAL),
    Seen.JOURNAL_FAILED: fault(journal=SAYS_SO),
    Seen.JOURNAL_SILENT: unclear(journal=5),
    Seen.VALUE_AS_KEPT: fine(Cause.KEYSTORE, Cause.VALUE_CHANGED),
    Seen.VALUE_OTHER: fault(Cause.KEYSTORE, value_changed=SAYS_SO),
    Seen.VALUE_MISSING: fault(Cause.VALUE_CHANGED, keystore=SAYS_SO),
    Seen.KEYSTORE_SHUT: fault(keystore=SAYS_SO),
    Seen.KEYSTORE_SILENT: unclear(keystore=6),
    # A form is a hint: what another gateway's keys look like isn't known.
    Seen.FORM_USUAL: fine(key_form=-4, key_wrong_kind=-2),
    Seen.FORM_UNUSUAL: unclear(key_form=2),
    Seen.FORM_STRAY: fault(key_form=6),
    Seen.FORM_SCHEME_WORD: fault(key_form=5, header_form=3),
    Seen.FORM_PUBLIC: fault(key_wrong_kind=4),
    Seen.FORM_PRIVATE: unclear(key_wrong_kind=1),
    Seen.FORM_PARTNER: fault(key_wrong_kind=6),
    Seen.KIND_PUBLIC: fault(key_wrong_kind=7),
    Seen.URL_PLAIN: fine(base_url=-1),
    Seen.URL_PATH_TWICE: fault(base_url=7),
    Seen.URL_HTTP: fault(base_url=5),
    Seen.URL_PORTAL: fault(base_url=6),
    Seen.URL_ODD: unclear(base_url=2),
    Seen.URL_OTHER_KIND: fault(key_wrong_environment=2, base_url=3),
    Seen.CONTRACT_READY: fine(contract=-1),
    Seen.CONTRACT_INVALID: fault(contract=SAYS_SO),
}
_WAY_THERE: Final = {
    Seen.NAME_FOUND: fine(Cause.NAME_RESOLUTION),
    Seen.NAME_LITERAL: fine(Cause.NAME_RESOLUTION),
    Seen.NAME_NOT_FOUND: fault(name_resolution=SAYS_SO, base_url=3),
    Seen.NAME_BLOCKED: fault(name_resolution=SAYS_SO),
    Seen.NAME_SILENT: fault(name_resolution=6, no_answer=2),
    Seen.NAME_LEFT_TO_PROXY: unclear(),
    # Without a proxy on the way; what a proxy's own connections meet isn't seen from here.
    Seen.CONNECTED: fine(Cause.CONNECTION_REFUSED, Cause.PROXY),
    Seen.CONNECTED_TO_PROXY: fine(),
    Seen.CONNECTED_IPV4_ONLY: fine(Cause.CONNECTION_REFUSED, Cause.PROXY, no_answer=1),
    Seen.CONNECT_REFUSED: fault(connection_refused=SAYS_SO, base_url=2, gateway_failing=2),
    Seen.CONNECT_SILENT: fault(no_answer=SAYS_SO, gateway_failing=1, base_url=1),
    Seen.CONNECT_UNREACHABLE: fault(no_answer=SAYS_SO),
    Seen.CONNECT_LOST: fault(connection_lost=SAYS_SO, gateway_failing=1),
    Seen.CONNECT_NOT_TO_PROXY: fault(proxy=6),
    # One may be needed: only a connection shows that none is.
    Seen.PROXY_NONE: fine(proxy=-3),
    # It may still spoil answers.
    Seen.PROXY_PASSES: fine(proxy=-2),
    Seen.PROXY_UNUSABLE: fault(proxy=SAYS_SO),
    Seen.PROXY_PASSWORD: fault(proxy=SAYS_SO),
    Seen.PROXY_REFUSES: fault(proxy=7, no_answer=2, name_resolution=2, connection_refused=2),
    Seen.PROXY_IN_VAIN: fault(proxy=5, no_answer=3, name_resolution=3, connection_refused=3, base_url=1),
    Seen.PROXY_SILENT: fault(proxy=7, no_answer=2),
    Seen.PROXY_ANSWERS_ITSELF: fault(proxy=SAYS_SO, not_a_gateway=2),
    Seen.PROXY_NEEDLESS: fault(proxy=3),
    # Where https is due after all, what it would meet isn't seen.
    Seen.TLS_NONE: unless(
        fine(*_TLS, Cause.TLS_INSPECTED),
        Seen.URL_HTTP,
        Seen.GATEWAY_LOST,
        Seen.GATEWAY_STRANGE,
        Seen.GATEWAY_REDIRECT,
    ),
    Seen.TLS_TRUSTED: fine(*_TLS, Cause.TLS_INSPECTED),
    Seen.TLS_TRUSTED_HERE: fine(),
    Seen.TLS_ENDS_SOON: fine(),
    # What is trusted here needn't be on the till, and an inspection may spoil answers. Whoever inspects shows
    # a certificate of their own, so the gateway's own isn't seen.
    Seen.TLS_PRIVATE_ISSUER: fine(tls_inspected=2),
    Seen.TLS_INSPECTION_TRUSTED: fine(tls_inspected=3),
    Seen.TLS_INSPECTION: fault(tls_inspected=SAYS_SO),
    Seen.TLS_EXPIRED: fault(tls_expired=7, clock=2),
    Seen.TLS_NOT_YET_VALID: fault(tls_expired=5, clock=5),
    Seen.TLS_WRONG_HOST: fault(tls_wrong_host=SAYS_SO, base_url=2, not_a_gateway=2),
    Seen.TLS_SELF_SIGNED: fault(tls_untrusted=SAYS_SO, tls_inspected=2, not_a_gateway=1),
    Seen.TLS_UNTRUSTED: fault(tls_untrusted=7, tls_inspected=3),
    Seen.TLS_SILENT: fault(no_answer=7, connection_lost=2, not_a_gateway=1, proxy=6),
    Seen.TLS_LOST: fault(connection_lost=7, tls_inspected=1, not_a_gateway=1, proxy=6),
    Seen.TLS_NOT_SPOKEN: fault(not_a_gateway=7, base_url=7, proxy=2),
    Seen.TLS_FAILED: fault(tls_untrusted=3, gateway_failing=2, not_a_gateway=2),
    Seen.CLOCK_RIGHT: fine(Cause.CLOCK),
    Seen.CLOCK_WRONG: fault(clock=7),
}
_ANSWERS: Final = {
    Seen.GATEWAY_ASKS_FOR_KEY: fine(
        *_WAY,  # whoever is in between may answer so, too
        proxy=-3,
        tls_inspected=-2,
        not_a_gateway=-4,
        base_url=-3,
        contract=-2,
    ),
    Seen.GATEWAY_OPEN: unclear(*_WAY, not_a_gateway=6, contract=2),
    Seen.GATEWAY_PAGE: fault(not_a_gateway=7, base_url=4, proxy=1),
    # A gateway, or what stands before it, may refuse by a page.
    Seen.GATEWAY_BARRED_BY_PAGE: unclear(not_a_gateway=4, base_url=2, proxy=1),
    Seen.GATEWAY_REDIRECT: fault(base_url=6, not_a_gateway=5),
    # As a page where people sign in to a network does.
    Seen.GATEWAY_REDIRECT_AWAY: fault(not_a_gateway=7, base_url=4),
    Seen.GATEWAY_REFUSES: unclear(*_WAY, contract=1, base_url=1),
    Seen.GATEWAY_NO_PATH: fault(base_url=6, contract=5, not_a_gateway=3),
    Seen.GATEWAY_FAILING: fault(gateway_failing=SAYS_SO),
    Seen.GATEWAY_STRANGE: fault(not_a_gateway=6, contract=3, base_url=3, proxy=1),
    Seen.GATEWAY_TOO_OFTEN: fault(rate_limit=7),
    Seen.GATEWAY_SILENT: fault(no_answer=7, gateway_failing=3, proxy=6),
    Seen.GATEWAY_LOST: fault(connection_lost=7, gateway_failing=2, proxy=6),
    # A gateway that wants no key for this call accepts any.
    Seen.CALL_ACCEPTED: unless(
        fine(
            *_WAY,
            Cause.KEY_INVALID,
            Cause.KEY_EXPIRED_OR_DELETED,
            Cause.KEY_WRONG_ENVIRONMENT,
            Cause.KEY_FORM,
            Cause.HEADER_FORM,
            Cause.NOT_A_GATEWAY,
            base_url=-4,
            proxy=-4,
            user_disabled=-4,
            key_wrong_kind=-2,
            account_restricted=-1,
        ),
        Seen.GATEWAY_OPEN,
        Seen.MADE_UP_KEY_ACCEPTED,
    ),
    Seen.CALL_UNAUTHORISED: fault(
        key_invalid=5,
        key_expired_or_deleted=5,
        key_wrong_environment=5,
        user_disabled=4,
        key_form=4,
        header_form=4,
        key_wrong_kind=3,
        account_restricted=3,
        permission_missing=3,
    ),
    Seen.CALL_FORBIDDEN: fault(
        permission_missing=5,
        user_disabled=5,
        account_restricted=5,
        key_wrong_kind=5,
        rate_limit=4,
        key_wrong_environment=4,
        key_expired_or_deleted=4,
        key_invalid=4,
        key_form=2,
        header_form=2,
    ),
    Seen.CALL_DENIED: fault(
        key_invalid=3,
        key_expired_or_deleted=3,
        key_wrong_environment=3,
        user_disabled=2,
        key_form=2,
        header_form=2,
        key_wrong_kind=2,
        permission_missing=2,
        account_restricted=2,
        contract=2,
    ),
    Seen.CALL_RATE_LIMIT: fault(rate_limit=SAYS_SO),
    Seen.CALL_FAILING: fault(gateway_failing=SAYS_SO),
    Seen.CALL_PAGE: fault(not_a_gateway=7, base_url=4, proxy=1),
    Seen.CALL_BARRED_BY_PAGE: unclear(not_a_gateway=4, base_url=2, proxy=1),
    Seen.CALL_REDIRECT: fault(base_url=6, not_a_gateway=5),
    Seen.CALL_REDIRECT_AWAY: fault(not_a_gateway=7, base_url=4),
    # Some gateways don't tell that there is something which a key may not see.
    Seen.CALL_NO_PATH: fault(
        base_url=6,
        contract=5,
        not_a_gateway=3,
        key_invalid=3,
        key_expired_or_deleted=3,
        key_wrong_environment=3,
        permission_missing=1,
    ),
    Seen.CALL_REFUSED_OTHERWISE: fault(
        contract=5,
        base_url=2,
        key_invalid=2,
        key_expired_or_deleted=2,
        key_wrong_environment=2,
        key_form=2,
        header_form=2,
        account_restricted=2,
        key_wrong_kind=1,
    ),
    Seen.CALL_STRANGE: fault(not_a_gateway=5, contract=4, base_url=3, proxy=1),
    Seen.CALL_SILENT: fault(no_answer=7, gateway_failing=3, proxy=6),
    Seen.CALL_LOST: fault(connection_lost=7, gateway_failing=2, proxy=6),
    Seen.WORDS_KEY_ENDED: moot(unclear(key_expired_or_deleted=4), Seen.LIKE_A_MADE_UP_KEY),
    Seen.WORDS_KEY_UNKNOWN: unclear(key_invalid=1, key_expired_or_deleted=1, key_wrong_environment=1),
    Seen.WORDS_KEY_FORM: moot(unclear(key_form=4), Seen.LIKE_A_MADE_UP_KEY),
    Seen.WORDS_HEADER: unclear(header_form=4),
    Seen.WORDS_KIND: moot(unclear(key_wrong_kind=4), Seen.LIKE_A_MADE_UP_KEY),
    Seen.WORDS_ENVIRONMENT: moot(unclear(key_wrong_environment=4), Seen.LIKE_A_MADE_UP_KEY),
    Seen.WORDS_USER: moot(unclear(user_disabled=4), Seen.LIKE_A_MADE_UP_KEY),
    Seen.WORDS_PERMISSION: moot(unclear(permission_missing=4), Seen.LIKE_A_MADE_UP_KEY),
    Seen.WORDS_ACCOUNT: moot(unclear(account_restricted=4), Seen.LIKE_A_MADE_UP_KEY),
    Seen.WORDS_RATE: moot(unclear(rate_limit=5), Seen.LIKE_A_MADE_UP_KEY),
    Seen.WORDS_SEVERAL: unclear(
        header_form=-2,
        key_wrong_kind=-2,
        user_disabled=-2,
        permission_missing=-2,
        account_restricted=-2,
        rate_limit=-3,
    ),
    Seen.OTHER_FORM_ACCEPTED: unless(
        fault(
            Cause.KEY_INVALID,
            Cause.KEY_EXPIRED_OR_DELETED,
            Cause.KEY_WRONG_ENVIRONMENT,
            header_form=SAYS_SO,
            contract=4,
        ),
        Seen.GATEWAY_OPEN,
        Seen.MADE_UP_KEY_ACCEPTED,
    ),
    Seen.OTHER_FORMS_REFUSED: fine(header_form=-5),
    # Few gateways answer a key that they know like one that nobody has; what they say of both is about
    # neither.
    Seen.LIKE_A_MADE_UP_KEY: unclear(
        user_disabled=-2, permission_missing=-2, account_restricted=-2, key_wrong_kind=-2, rate_limit=-2
    ),
    # The gateway tells it from a value that nobody has, so it knows the key.
    Seen.UNLIKE_A_MADE_UP_KEY: unclear(
        key_invalid=-3,
        key_wrong_environment=-2,
        key_expired_or_deleted=1,
        user_disabled=1,
        permission_missing=1,
        key_wrong_kind=1,
        account_restricted=1,
        rate_limit=1,
    ),
    # Whoever answers takes any key, so nothing that is answered shows that this one works.
    Seen.MADE_UP_KEY_ACCEPTED: fault(not_a_gateway=7, contract=3),
    Seen.CALL_REDIRECT_AWAY: fault(not_a_gateway=7, base_url=4),
    # It tells keys apart, as a gateway does.
    Seen.MADE_UP_KEY_REFUSED: fine(not_a_gateway=-6, contract=-2, proxy=-2),
    # It is the user that the key was kept with, which a person may have entered.
    Seen.USER_MAY_SELL: fine(user_disabled=-5, permission_missing=-5),
    Seen.USER_MAY_NOT_SELL: fault(user_disabled=-3, permission_missing=SAYS_SO),
    Seen.USER_DISABLED: fault(user_disabled=SAYS_SO),
    Seen.USER_NOT_LISTED: fault(user_disabled=4, key_expired_or_deleted=2, key_wrong_environment=2),
    Seen.DEVICE_READY_NOW: fine(Cause.DEVICE_UNKNOWN, device_offline=-1, device_busy=-1),
    # A gateway may take a device that never woke for a connected one, and know one that it didn't for a sale.
    Seen.DEVICE_READY: unless(
        fine(Cause.DEVICE_UNKNOWN, Cause.DEVICE_BUSY, Cause.DEVICE_OFFLINE, device_unknown=-2), *_ASTRAY
    ),
    Seen.DEVICE_READY_NOW: unless(
        fine(Cause.DEVICE_UNKNOWN, device_offline=-1, device_busy=-1, device_unknown=-2), *_ASTRAY
    ),
    # Whether another's sale is on it isn't told.
    Seen.DEVICE_CONNECTED: unless(
        fine(Cause.DEVICE_UNKNOWN, Cause.DEVICE_OFFLINE, device_busy=-1, device_unknown=-2), *_ASTRAY
    ),
    Seen.DEVICE_KNOWN: unless(unclear(Cause.DEVICE_UNKNOWN, device_unknown=-2), Seen.SALE_DEVICE_UNKNOWN),
    # Another account may have it, in whatever state.
    Seen.DEVICE_UNKNOWN: fault(
        device_unknown=SAYS_SO, key_wrong_environment=1, device_offline=-3, device_busy=-3
    ),
    Seen.DEVICE_OFFLINE: fault(Cause.DEVICE_UNKNOWN, device_offline=SAYS_SO),
    Seen.DEVICE_BUSY: fault(Cause.DEVICE_UNKNOWN, device_busy=SAYS_SO),
    Seen.DEVICE_LOW: unclear(Cause.DEVICE_UNKNOWN, device_offline=2),
}
_BEFORE: Final = {
    Seen.RATE_MET: fault(rate_limit=3),
    Seen.RATE_NOT_MET: fine(rate_limit=-1),
    # It was this gateway's key then. What was well once only speaks against causes.
    Seen.KEY_WORKED: fine(
        key_invalid=-6,
        key_wrong_environment=-6,
        key_form=-4,
        header_form=-3,
        key_wrong_kind=-3,
        contract=-2,
        base_url=-2,
        not_a_gateway=-2,
    ),
    Seen.KEY_MADE_HERE: fine(key_invalid=-6, key_wrong_environment=-6, key_form=-4, key_wrong_kind=-2),
    Seen.KEY_WORKED_SINCE: fine(*_KEY, Cause.BASE_URL, Cause.NOT_A_GATEWAY),
    Seen.KEY_NEVER_WORKED: unclear(key_expired_or_deleted=-2, user_disabled=-1, rate_limit=-1),
    Seen.KEY_REPLACED: fault(key_expired_or_deleted=4),
    Seen.KEY_COMPROMISED: fault(key_expired_or_deleted=3),
    # They may have been seen to work in calls that anybody may make.
    Seen.USERS_KEYS_WORK: fine(user_disabled=-4, permission_missing=-1, account_restricted=-2),
    # Nobody mistypes or deletes several at once.
    Seen.USERS_KEYS_REFUSED: unclear(
        user_disabled=2, permission_missing=2, key_invalid=-1, key_expired_or_deleted=-1, key_form=-1
    ),
    Seen.OTHERS_WORK: fine(
        base_url=-4, contract=-3, account_restricted=-2, not_a_gateway=-3, header_form=-4, gateway_failing=-1
    ),
    Seen.OTHERS_REFUSED: unclear(
        account_restricted=2,
        rate_limit=1,
        base_url=1,
        header_form=1,
        key_wrong_environment=1,
        key_invalid=-2,
        key_form=-2,
        key_wrong_kind=-2,
        key_expired_or_deleted=-1,
    ),
    Seen.SAME_VALUE_ELSEWHERE: fault(key_wrong_environment=3),
    Seen.ADDRESS_CHANGED: fault(
        base_url=4, not_a_gateway=2, key_wrong_environment=3, key_invalid=-3, key_form=-3, key_wrong_kind=-2
    ),
    Seen.CONTRACT_CHANGED: fault(contract=5),
    Seen.PROXY_CHANGED: fault(proxy=2),
    Seen.DEVICE_WORKED: fine(device_unknown=-3),
    Seen.DEVICE_FAILED: unclear(device_offline=1, device_busy=1),
    Seen.NOTHING_KNOWN: unclear(),
    Seen.ELSEWHERE_ACCEPTED: fault(key_form=-4, key_wrong_environment=SAYS_SO),
    Seen.ELSEWHERE_REFUSED: fine(key_wrong_environment=-3),
    # Some portals list keys that have expired.
    Seen.PORTAL_LISTED: fine(key_expired_or_deleted=-3, key_wrong_environment=-4, key_invalid=1),
    Seen.PORTAL_NOT_LISTED: fault(key_expired_or_deleted=3, key_wrong_environment=3, user_disabled=-4),
    Seen.PORTAL_USER_OFF: fault(user_disabled=SAYS_SO),
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


def rules_out(finding: Finding, seen: Collection[Seen] = ()) -> tuple[Cause, ...]:
    """Return the causes that can't be where this was seen, beside what else was."""
    beside = {*seen, *(one.seen for one in finding.observations)}
    return tuple(
        cause
        for cause in Cause
        if any(SIGNS[one.seen].excludes(cause, beside) for one in finding.observations)
    )
