"""What a diagnosis looks at and what it can see there: stable words, with the facts that people read."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Self

from keybench.core.exchange import Exchange


class Result(enum.StrEnum):
    """How a check ended."""

    FINE = "fine"
    FAULT = "fault"
    #: It didn't run to its end, or what it saw tells nothing. It never passed and is no fault.
    COULD_NOT_TELL = "could_not_tell"


class Check(enum.StrEnum):
    """The checks, in the order in which they are listed."""

    #: What is known of the sale or the call that failed.
    FAILURE = "failure"
    JOURNAL = "journal"
    KEYSTORE = "keystore"
    VALUE = "value"
    BASE_URL = "base_url"
    CONTRACT = "contract"
    NAME = "name"
    CONNECT = "connect"
    PROXY = "proxy"
    TLS = "tls"
    CLOCK = "clock"
    #: A call without a key: is it a gateway that answers?
    GATEWAY = "gateway"
    #: The harmless call with the bare key.
    CALL = "call"
    #: The same with the key in other forms, and with a value that was made up.
    FORMS = "forms"
    PERMISSIONS = "permissions"
    DEVICE = "device"
    RATE = "rate"
    HISTORY = "history"
    #: The harmless call in the person's other environments of the same gateway, with consent.
    ELSEWHERE = "elsewhere"


class Sign(enum.StrEnum):
    """What can be seen; the part before the colon is the check's.

    Attributes:
        shows: How a check ends that saw it alone.
    """

    shows: Result

    def __new__(cls, words: str, shows: Result = Result.FAULT) -> Self:
        """Make a sign; a fault unless it shows something else."""
        member = str.__new__(cls, words)
        member._value_, member.shows = words, shows
        return member

    # What is known of the failure itself, without a further request.
    SALE_APPROVED = "failure: approved", Result.FINE
    SALE_DECLINED = "failure: declined"
    SALE_TEST_AMOUNT = "failure: declined, an amount that tests decline"
    SALE_TEST_MODE = "failure: answered as in tests"
    SALE_CANCELLED = "failure: cancelled on the device"
    SALE_CANCELLED_HERE = "failure: cancelled by a caller"
    SALE_EXPIRED = "failure: expired"
    SALE_EXPIRED_UNTOUCHED = "failure: expired, and the device never showed it"
    SALE_EXPIRED_WAITING = "failure: expired while the device waited for a card"
    SALE_SENT_ELSEWHERE = "failure: sent to another address"
    SALE_DEVICE_BUSY = "failure: device busy"
    SALE_DEVICE_OFFLINE = "failure: device offline"
    SALE_DEVICE_UNKNOWN = "failure: device unknown"
    SALE_DUPLICATE = "failure: duplicate"
    #: 409 without words that tell whether it is the device or a sale like it.
    SALE_CONFLICT = "failure: conflict"
    SALE_BAD_REQUEST = "failure: request not accepted"
    SALE_NOT_UNDERSTOOD = "failure: answer not understood"
    SALE_CONTRADICTORY = "failure: answer contradictory"
    SALE_NO_OUTCOME = "failure: no outcome by the deadline"
    SALE_PROCESSOR = "failure: processor silent"

    JOURNAL_READY = "journal: ready", Result.FINE
    JOURNAL_FAILED = "journal: failed"
    JOURNAL_SILENT = "journal: silent", Result.COULD_NOT_TELL

    VALUE_AS_KEPT = "keystore: value as kept", Result.FINE
    VALUE_OTHER = "keystore: another value"
    VALUE_MISSING = "keystore: no value"
    KEYSTORE_SHUT = "keystore: shut"
    KEYSTORE_SILENT = "keystore: silent", Result.COULD_NOT_TELL

    FORM_USUAL = "value: usual form", Result.FINE
    FORM_UNUSUAL = "value: unusual form", Result.COULD_NOT_TELL
    FORM_STRAY = "value: stray characters"
    FORM_SCHEME_WORD = "value: scheme word"
    FORM_PUBLIC = "value: looks public"
    FORM_PRIVATE = "value: looks private", Result.COULD_NOT_TELL
    FORM_PARTNER = "value: looks like a partner's"
    KIND_PUBLIC = "value: kept as a public key"

    URL_PLAIN = "base_url: plain", Result.FINE
    URL_PATH_TWICE = "base_url: path of a call in it"
    URL_HTTP = "base_url: http"
    URL_PORTAL = "base_url: a portal's page"
    URL_ODD = "base_url: odd", Result.COULD_NOT_TELL
    URL_OTHER_KIND = "base_url: host of another kind"

    CONTRACT_READY = "contract: ready", Result.FINE
    CONTRACT_INVALID = "contract: can't be used"

    NAME_FOUND = "name: found", Result.FINE
    NAME_LITERAL = "name: none to look up", Result.FINE
    NAME_NOT_FOUND = "name: not found"
    #: A filter's way to keep computers from a host.
    NAME_BLOCKED = "name: leads to no address"
    NAME_SILENT = "name: no answer"
    NAME_LEFT_TO_PROXY = "name: left to the proxy", Result.COULD_NOT_TELL

    CONNECTED = "connect: connected", Result.FINE
    CONNECTED_TO_PROXY = "connect: connected to the proxy", Result.FINE
    CONNECT_REFUSED = "connect: refused"
    CONNECT_SILENT = "connect: no answer"
    CONNECT_UNREACHABLE = "connect: no way there"
    CONNECT_LOST = "connect: lost"
    CONNECT_NOT_TO_PROXY = "connect: no connection to the proxy"

    PROXY_NONE = "proxy: none", Result.FINE
    PROXY_PASSES = "proxy: passes on", Result.FINE
    PROXY_UNUSABLE = "proxy: can't be used"
    PROXY_PASSWORD = "proxy: password"  # noqa: S105 - what was seen, no password
    PROXY_REFUSES = "proxy: refuses"
    #: It says that it can't reach the gateway.
    PROXY_IN_VAIN = "proxy: in vain"
    PROXY_SILENT = "proxy: silent"
    PROXY_ANSWERS_ITSELF = "proxy: answers itself"
    PROXY_NEEDLESS = "proxy: the way without it works"

    TLS_NONE = "tls: none wanted", Result.FINE
    TLS_TRUSTED = "tls: trusted", Result.FINE
    #: Whether anybody else would trust it couldn't be seen.
    TLS_TRUSTED_HERE = "tls: trusted here", Result.FINE
    TLS_ENDS_SOON = "tls: ends soon", Result.FINE
    TLS_PRIVATE_ISSUER = "tls: trusted here, by a private issuer", Result.FINE
    #: By a known inspection, which this computer trusts.
    TLS_INSPECTION_TRUSTED = "tls: trusted here, issued by an inspection", Result.FINE
    TLS_INSPECTION = "tls: issued by an inspection"
    TLS_EXPIRED = "tls: expired"
    TLS_NOT_YET_VALID = "tls: not yet valid"
    TLS_WRONG_HOST = "tls: wrong host"
    TLS_SELF_SIGNED = "tls: self-signed"
    TLS_UNTRUSTED = "tls: unknown issuer"
    TLS_SILENT = "tls: no answer"
    TLS_LOST = "tls: lost"
    TLS_NOT_SPOKEN = "tls: not spoken there"
    TLS_FAILED = "tls: failed"

    CLOCK_RIGHT = "clock: right", Result.FINE
    CLOCK_WRONG = "clock: wrong"

    GATEWAY_ASKS_FOR_KEY = "gateway: asks for a key", Result.FINE
    GATEWAY_OPEN = "gateway: wants no key", Result.COULD_NOT_TELL
    GATEWAY_REFUSES = "gateway: refuses otherwise", Result.COULD_NOT_TELL
    GATEWAY_NO_PATH = "gateway: no such path"

    # Of a call without a key or with it; the check tells which.
    PAGE = "gateway: a page"
    BARRED_BY_PAGE = "gateway: a page that refuses", Result.COULD_NOT_TELL
    REDIRECT = "gateway: redirect"
    REDIRECT_AWAY = "gateway: redirect to somebody else"
    FAILING = "gateway: failing"
    STRANGE = "gateway: not understood"
    RATE_LIMIT = "gateway: rate limit"
    SILENT = "gateway: no answer"
    LOST = "gateway: connection lost"

    CALL_ACCEPTED = "call: accepted", Result.FINE
    CALL_UNAUTHORISED = "call: 401"
    CALL_FORBIDDEN = "call: 403"
    #: With a status that says yes.
    CALL_DENIED = "call: refused within the answer"
    CALL_NO_PATH = "call: 404"
    CALL_REFUSED_OTHERWISE = "call: refused otherwise"
    # What the gateway's own words name.
    WORDS_KEY_ENDED = "call: words of an expired or deleted key", Result.COULD_NOT_TELL
    WORDS_KEY_FORM = "call: words of a wrong form", Result.COULD_NOT_TELL
    WORDS_HEADER = "call: words of the header", Result.COULD_NOT_TELL
    WORDS_KIND = "call: words of the key's kind", Result.COULD_NOT_TELL
    WORDS_ENVIRONMENT = "call: words of another environment", Result.COULD_NOT_TELL
    WORDS_USER = "call: words of a disabled user", Result.COULD_NOT_TELL
    WORDS_PERMISSION = "call: words of a missing permission", Result.COULD_NOT_TELL
    WORDS_ACCOUNT = "call: words of the account", Result.COULD_NOT_TELL
    WORDS_RATE = "call: words of a rate limit", Result.COULD_NOT_TELL

    OTHER_FORM_ACCEPTED = "forms: another form is accepted"
    OTHER_FORMS_REFUSED = "forms: the others are refused too", Result.FINE
    LIKE_A_MADE_UP_KEY = "forms: a made-up value is answered alike", Result.COULD_NOT_TELL
    UNLIKE_A_MADE_UP_KEY = "forms: a made-up value is answered otherwise", Result.COULD_NOT_TELL
    MADE_UP_KEY_ACCEPTED = "forms: a made-up value is accepted"
    MADE_UP_KEY_REFUSED = "forms: a made-up value is refused, and the key accepted", Result.FINE

    USER_MAY_SELL = "permissions: may sell", Result.FINE
    USER_MAY_NOT_SELL = "permissions: may not sell"
    USER_DISABLED = "permissions: user disabled"
    USER_NOT_LISTED = "permissions: no such user"

    DEVICE_READY = "device: connected and free", Result.FINE
    #: It is now; a sale that failed may have met it otherwise.
    DEVICE_READY_NOW = "device: connected and free now", Result.FINE
    DEVICE_CONNECTED = "device: connected", Result.FINE
    DEVICE_KNOWN = "device: known", Result.COULD_NOT_TELL
    DEVICE_UNKNOWN = "device: unknown"
    DEVICE_OFFLINE = "device: offline"
    DEVICE_BUSY = "device: busy"

    RATE_MET = "rate: met lately"
    RATE_NOT_MET = "rate: not met lately", Result.FINE

    KEY_WORKED = "history: the key worked here", Result.FINE
    KEY_WORKED_SINCE = "history: the key has worked since", Result.FINE
    KEY_MADE_HERE = "history: the gateway made the key", Result.FINE
    KEY_NEVER_WORKED = "history: the key never worked here", Result.COULD_NOT_TELL
    KEY_REPLACED = "history: a rotation replaced it"
    KEY_COMPROMISED = "history: compromised"
    OTHERS_WORK = "history: other keys work here", Result.FINE
    OTHERS_REFUSED = "history: all keys are refused here", Result.COULD_NOT_TELL
    SAME_VALUE_ELSEWHERE = "history: the same value in another environment", Result.COULD_NOT_TELL
    ENVIRONMENT_CHANGED = "history: environment edited since it worked", Result.COULD_NOT_TELL
    NOTHING_KNOWN = "history: nothing", Result.COULD_NOT_TELL

    ELSEWHERE_ACCEPTED = "elsewhere: accepted"
    ELSEWHERE_REFUSED = "elsewhere: refused", Result.FINE

    @property
    def check(self) -> Check:
        """Which check sees it, the first of two."""
        return Check(self.value.partition(":")[0])


Fact = str | int | float | datetime
_NO_FACTS: Final[Mapping[str, Fact]] = {}


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that was seen, with what people read beside it; nothing secret is in it.

    Attributes:
        facts: By name, as `words.diagnosis` uses them: ``host``, ``status``, ``message``, ``days``, ``at``, …
    """

    seen: Sign
    facts: Mapping[str, Fact] = field(default_factory=lambda: _NO_FACTS)


def saw(seen: Sign, **facts: Fact) -> Observation:
    """Return an observation with its facts."""
    return Observation(seen, facts)


class Silence(enum.StrEnum):
    """Why a check tells nothing, where it saw nothing."""

    TIME = "time"
    CRASHED = "crashed"
    STOPPED = "stopped"
    #: It needs what another check couldn't get: a value, a way there, a key that works.
    WAITS = "waits"
    NOT_TOLD = "not told"
    NOT_OFFERED = "not offered"
    NOT_ASKED = "not asked"
    #: What another check saw makes it pointless: other forms of a key that is accepted.
    NEEDLESS = "needless"


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """How a check ended.

    Attributes:
        observations: What it saw; empty where it couldn't tell.
        took_s: How long it took, in seconds; 0 where it didn't run.
        silence: Why it saw nothing; None where it saw something.
        waits_for: The check whose trouble keeps it from running, where it waits.
        exchanges: What it asked of a gateway and was answered, redacted, in order; of a sale that failed, its
            last.
    """

    check: Check
    observations: tuple[Observation, ...] = ()
    took_s: float = 0.0
    silence: Silence | None = None
    waits_for: Check | None = None
    exchanges: tuple[Exchange, ...] = ()
