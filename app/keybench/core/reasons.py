"""Why a call, a sale or a keystore came to nothing: stable words that journals, contracts and exports hold.

Their values never change. A journal may hold others, of a newer Keybench or of a contract's own, so what is
read back is a text that may equal one of these. Their sentences are in `words.reasons`.
"""

from __future__ import annotations

import enum


class Reason(enum.StrEnum):
    """Why something came to nothing."""

    # The connection to the gateway.
    NAME_NOT_FOUND = "name not found"
    CONNECTION_REFUSED = "connection refused"
    NETWORK_UNREACHABLE = "network unreachable"
    CONNECT_TIMEOUT = "connect timeout"
    CONNECTION_RESET = "connection reset"
    CONNECTION_CLOSED = "connection closed"
    TIMEOUT = "timeout"
    TOO_BUSY = "too busy"  # only journals of older versions have it
    CANCELLED = "cancelled"
    FAILED = "failed"
    INVALID_ADDRESS = "invalid address"
    BAD_REQUEST_FORM = "bad request form"
    NOT_HTTP = "not http"
    TLS = "tls"
    TLS_EXPIRED = "tls certificate expired"
    TLS_NOT_YET_VALID = "tls certificate not yet valid"
    TLS_OUT_OF_DATE = "tls certificate out of date"
    TLS_WRONG_HOST = "tls wrong host"
    TLS_SELF_SIGNED = "tls self-signed"
    TLS_UNTRUSTED = "tls untrusted"
    TLS_NO_AUTHORITIES = "tls no authorities"

    # The proxy on the way there.
    PROXY_NOT_FOUND = "proxy not found"
    PROXY_UNREACHABLE = "proxy unreachable"
    PROXY_SILENT = "proxy silent"
    PROXY_CLOSED = "proxy closed"
    PROXY_TLS = "proxy tls"
    PROXY_UNTRUSTED = "proxy untrusted"
    PROXY_IN_VAIN = "proxy in vain"
    PROXY_REFUSED = "proxy refused"
    PROXY_SETTING = "proxy setting"
    PROXY_SIGN_IN = "proxy sign-in"
    PROXY_PASSWORD_WANTED = "proxy password wanted"  # noqa: S105 - a reason, no password
    PROXY_PASSWORD_REFUSED = "proxy password refused"  # noqa: S105 - same
    PROXY_PASSWORD_MISSING = "proxy password missing"  # noqa: S105 - same
    PROXY_PASSWORD_UNREAD = "proxy password unread"  # noqa: S105 - same
    NOT_A_PROXY = "not a proxy"

    # The environment's contract, and the practice gateway.
    CONTRACT = "contract"
    NOT_OFFERED = "not offered"
    PRACTICE_NOT_RUN = "can't be run"
    PRACTICE_SILENT = "silent"
    PRACTICE_STRANGE = "strange announcement"
    PRACTICE_ENDED = "ended"
    PRACTICE_STOPPING = "stopping"

    # A class: the certificate that isn't the one that was compared, and why nobody is let in.
    CLASS_CERTIFICATE = "another class certificate"
    CLASS_CODE = "class code"
    CLASS_WORD = "class word"
    CLASS_FULL = "class full"
    CLASS_TOO_MANY = "class too many tries"
    CLASS_TICKET = "class ticket"
    CLASS_NO_LESSON = "class without a lesson"

    # The gateway said no, or failed. The first four its own words or codes tell, whatever its status.
    RATE_LIMIT = "rate limit"
    DEVICE_OFFLINE = "device offline"
    DEVICE_BUSY = "device busy"
    #: It knows no such payment request, which says nothing of what became of it.
    REQUEST_UNKNOWN = "request unknown"
    BAD_REQUEST = "bad request"
    UNAUTHORISED = "unauthorised"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not found"
    CONFLICT = "conflict"
    REPEATED = "repeated"
    REFUSED = "refused"
    GATEWAY_TIMEOUT = "gateway timeout"
    PROCESSOR_SILENT = "processor silent"

    # Its answer can't be used.
    REDIRECT = "redirect"
    UPGRADE = "upgrade"
    PART = "part"
    EMPTY = "empty"
    TOO_BIG = "too big"
    UNKNOWN_ENCODING = "unknown encoding"
    NOT_JSON = "not json"
    NAME_TWICE = "name twice"
    NOT_A_FORM = "not a form"
    NOT_AN_OBJECT = "not an object"
    NOT_THE_GATEWAYS = "not the gateway's answer"
    NO_LIST = "no list"
    NO_KEY = "no key"
    NO_STATUS = "no status"
    NO_OUTCOME = "no outcome"
    NO_IDENTIFIER = "no identifier"
    NO_REFERENCE = "no reference"
    OTHER_SALES = "other sales"
    ANOTHER_REQUEST = "another request"
    ANOTHER_SALE = "another sale"
    ANOTHER_DEVICE = "another device"
    DEVICE_TWICE = "device listed twice"
    DEVICE_LISTED = "device listed and not found"
    MORE_PAGES = "more pages"
    NOT_WHOLE = "not whole"
    MORE_DEVICES = "more devices"
    PAGE_ELSEWHERE = "page elsewhere"
    #: What contradicts stands behind it, see `core.sales.sale.contradictory`.
    CONTRADICTORY = "contradictory answer"

    # The keystore. These are stored as the names that its errors had when journals began.
    KEYSTORE_MISSING = "KeystoreMissing"
    KEYSTORE_GONE = "KeystoreGone"
    KEYSTORE_LOCKED = "KeystoreLocked"
    KEYSTORE_DENIED = "KeystoreDenied"
    KEYSTORE_SILENT = "KeystoreSilent"
    KEYSTORE_FAILED = "KeystoreFailed"
    VALUE_TOO_LONG = "ValueTooLong"
    VALUE_LOST = "ValueLost"
    VALUE_NEVER_HERE = "ValueNeverHere"
    VALUE_DIFFERS = "ValueDiffers"

    # What became of a sale here.
    KEY_FORGOTTEN = "key forgotten"
    NOT_NOTED = "not noted"
    ENDED_BEFORE_SENT = "ended before it was sent"
    ENDED_BEFORE_ANSWER = "ended before the answer"
    NEVER_RECEIVED = "never received"
    NOT_FOUND_YET = "not found yet"
    SENT_ELSEWHERE = "the sale went to another address"
    IDENTIFIER_TWICE = "identifier given twice"
    DEADLINE = "deadline"
    REFUSED_WHILE_FOLLOWING = "refused while following"
