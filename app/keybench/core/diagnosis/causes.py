"""The causes that a diagnosis tells apart, along a call's way, and whose trouble each is."""

from __future__ import annotations

import enum
from typing import Final


class Trouble(enum.StrEnum):
    """Whose trouble it is."""

    OURS = "ours"
    NETWORK = "network"
    GATEWAY = "gateway"
    DEVICE = "device"
    CUSTOMER = "customer"
    ISSUER = "issuer"
    #: Everything that was looked at works.
    NONE = "none"
    #: It can't be told yet.
    OPEN = "open"


class Cause(enum.StrEnum):
    """Why a call or a sale fails. The ids never change."""

    JOURNAL = "journal"
    KEYSTORE = "keystore"
    VALUE_CHANGED = "value_changed"
    CONTRACT = "contract"
    BASE_URL = "base_url"
    CLOCK = "clock"
    PROXY = "proxy"
    NAME_RESOLUTION = "name_resolution"
    CONNECTION_REFUSED = "connection_refused"
    NO_ANSWER = "no_answer"
    CONNECTION_LOST = "connection_lost"
    TLS_INSPECTED = "tls_inspected"
    TLS_EXPIRED = "tls_expired"
    TLS_WRONG_HOST = "tls_wrong_host"
    TLS_UNTRUSTED = "tls_untrusted"
    NOT_A_GATEWAY = "not_a_gateway"
    GATEWAY_FAILING = "gateway_failing"
    RATE_LIMIT = "rate_limit"
    KEY_WRONG_ENVIRONMENT = "key_wrong_environment"
    KEY_EXPIRED_OR_DELETED = "key_expired_or_deleted"
    KEY_FORM = "key_form"
    HEADER_FORM = "header_form"
    KEY_WRONG_KIND = "key_wrong_kind"
    USER_DISABLED = "user_disabled"
    PERMISSION_MISSING = "permission_missing"
    KEY_INVALID = "key_invalid"
    ACCOUNT_RESTRICTED = "account_restricted"
    DEVICE_UNKNOWN = "device_unknown"
    DEVICE_OFFLINE = "device_offline"
    DEVICE_BUSY = "device_busy"
    #: The gateway takes it for one that it has just had.
    DUPLICATE = "duplicate"
    #: An amount that the gateway declines in tests.
    TEST_AMOUNT = "test_amount"
    #: A live account that answers as in tests.
    TEST_MODE = "test_mode"
    CUSTOMER_LEFT = "customer_left"
    CUSTOMER_SLOW = "customer_slow"
    DECLINED_BY_ISSUER = "declined_by_issuer"


#: Whose each is; what isn't another's is ours. A device that the gateway doesn't know is a wrong identifier,
#: or nobody registered it: that is ours.
_OTHERS: Final = {
    Cause.PROXY: Trouble.NETWORK,
    Cause.NAME_RESOLUTION: Trouble.NETWORK,
    Cause.CONNECTION_REFUSED: Trouble.NETWORK,
    Cause.NO_ANSWER: Trouble.NETWORK,
    Cause.CONNECTION_LOST: Trouble.NETWORK,
    Cause.TLS_INSPECTED: Trouble.NETWORK,
    Cause.TLS_UNTRUSTED: Trouble.NETWORK,
    Cause.TLS_EXPIRED: Trouble.GATEWAY,
    Cause.TLS_WRONG_HOST: Trouble.GATEWAY,
    Cause.GATEWAY_FAILING: Trouble.GATEWAY,
    Cause.DEVICE_OFFLINE: Trouble.DEVICE,
    Cause.DEVICE_BUSY: Trouble.DEVICE,
    Cause.CUSTOMER_LEFT: Trouble.CUSTOMER,
    Cause.CUSTOMER_SLOW: Trouble.CUSTOMER,
    Cause.DECLINED_BY_ISSUER: Trouble.ISSUER,
}


def trouble_of(cause: Cause) -> Trouble:
    """Return whose trouble a cause is."""
    return _OTHERS.get(cause, Trouble.OURS)
