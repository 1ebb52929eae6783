"""What happened on the wire, in words; the stable reasons are the gateway client's."""

from __future__ import annotations

from typing import Final

_NO_PRACTICE: Final = "The practice gateway can't be started."
_INSPECTED: Final = (
    "A proxy that inspects connections shows its own, and the system has to trust its authority."
)
_REASONS: Final = {
    "connection refused": "Nothing is listening at the gateway's address.",
    "name not found": "The gateway's host name isn't known. Check the base URL and the network.",
    "network unreachable": "This computer has no way to the gateway. Check the network.",
    "connect timeout": "The gateway's address didn't answer in time.",
    "timeout": "The gateway gave no answer in time.",
    "connection reset": "The connection broke before there was an answer.",
    "connection closed": "The gateway closed the connection before there was an answer.",
    "tls": "No secure connection could be made.",
    "tls certificate expired": "The gateway's certificate has expired.",
    "tls wrong host": "The gateway's certificate is for another host.",
    "tls self-signed": f"The gateway's certificate isn't signed by anyone this computer trusts. {_INSPECTED}",
    "tls untrusted": f"The gateway's certificate isn't one this computer trusts. {_INSPECTED}",
    "tls certificate out of date": "The gateway's certificate has expired or isn't valid yet. Check this computer's clock.",
    "tls no authorities": "This computer trusts nobody's certificate: its list of authorities is missing or empty. Install "
    "it (on Linux the package ca-certificates).",
    "tls certificate not yet valid": "The gateway's certificate isn't valid yet. Check this computer's clock.",
    "invalid address": "The gateway's address isn't one that can be called.",
    "proxy not found": "The proxy's host name isn't known. Check its address and the network.",
    "proxy unreachable": "Nothing answers at the proxy's address. Check it and the network.",
    "proxy silent": "The proxy gave no answer in time.",
    "proxy closed": "The proxy closed the connection before it let anything through.",
    "proxy tls": "No secure connection to the proxy could be made. Check whether its address begins with https://.",
    "proxy untrusted": "The proxy's own certificate isn't one this computer trusts.",
    "not a proxy": "What answers at the proxy's address isn't an HTTP proxy.",
    "proxy password wanted": "The proxy wants a password. Enter its user name and password in Settings, Environments.",
    "proxy password refused": "The proxy doesn't accept the user name or the password. Enter them anew in Settings, "
    "Environments.",
    "proxy password missing": "The keystore no longer has the proxy's password. Enter it anew in Settings, Environments.",
    "proxy password unread": "The keystore didn't give the proxy's password. Unlock the keystore first.",
    "proxy sign-in": "The proxy wants people to sign in in a way that Keybench doesn't have: it can give a user name and "
    "a password only.",
    "proxy refused": "The proxy doesn't let anybody here through to the gateway. Ask those who run it to allow its "
    "address.",
    "proxy in vain": "The proxy couldn't reach the gateway.",
    "proxy setting": "The proxy that this computer is set to isn't one that Keybench can use. Choose another for the "
    "environment in Settings, Environments.",
    "bad request form": "The address or the key has characters that can't be sent.",
    "not http": "What answers at this address doesn't speak HTTP. Check the base URL.",
    "failed": "The gateway can't be reached.",
    "not offered": "This environment's gateway doesn't offer this.",
    "contract": "This environment's contract can't be used.",
    "can't be run": _NO_PRACTICE,
    "silent": _NO_PRACTICE,
    "strange announcement": _NO_PRACTICE,
    "ended": _NO_PRACTICE,
    "stopping": _NO_PRACTICE,
    "cancelled": "The call was stopped before its answer.",
    "gateway timeout": "The gateway gave up waiting.",
    "processor silent": "The processor behind the gateway gave no answer.",
    "too busy": "Too many requests are under way at once.",
}


#: Why nothing can be told from an answer that could be read.
_UNTOLD: Final = {
    "no reference": "The gateway's list has a sale without a reference that can be read, and that may be this one.",
    "other sales": "The gateway's list has other sales only, so it isn't the answer to what was asked.",
    "more pages": "The gateway's list goes on, on pages that can't be had, and the sale may be on one of them.",
    "page elsewhere": "The gateway's list goes on at another host, and the key isn't sent there.",
    "another request": "The gateway's answer is about another payment request.",
    "another sale": "The gateway's answer is about a sale with another reference.",
}


def unreadable_sentence(reason: str) -> str:
    """Return why an answer tells nothing of what was asked."""
    return _UNTOLD.get(reason, "The gateway's answer can't be understood.")


def reason_sentence(reason: str) -> str:
    """Return what a stable reason means; an unknown one is shown as it is."""
    return _REASONS.get(reason) or f"The gateway can't be reached ({reason})."
