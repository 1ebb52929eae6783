"""The sentences of every `Reason`, in one table: what it means for a call, for a sale, in the activity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from keybench.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class Sentences:
    """What is said of a reason; empty where it doesn't happen, or has no words of its own there.

    Attributes:
        call: Why a call didn't give its answer.
        unreadable: Why nothing can be told from an answer that could be read.
        not_sent: Why a sale wasn't sent.
        next: What to do then.
        unknown: Why nobody can tell what became of a sale.
        activity: How a reading of a key's value went.
    """

    call: str = ""
    unreadable: str = ""
    not_sent: str = ""
    next: str = ""
    unknown: str = ""
    activity: str = ""


_NO_PRACTICE: Final = Sentences("The practice gateway can't be started.")
_INSPECTED: Final = (
    "A proxy that inspects connections shows its own, and the system has to trust its authority."
)
_SENTENCES: Final[Mapping[str, Sentences]] = {
    Reason.CONNECTION_REFUSED: Sentences("Nothing is listening at the gateway's address."),
    Reason.NAME_NOT_FOUND: Sentences(
        "The gateway's host name isn't known. Check the base URL and the network."
    ),
    Reason.NETWORK_UNREACHABLE: Sentences("This computer has no way to the gateway. Check the network."),
    Reason.CONNECT_TIMEOUT: Sentences("The gateway's address didn't answer in time."),
    Reason.TIMEOUT: Sentences("The gateway gave no answer in time."),
    Reason.CONNECTION_RESET: Sentences("The connection broke before there was an answer."),
    Reason.CONNECTION_CLOSED: Sentences("The gateway closed the connection before there was an answer."),
    Reason.TOO_BUSY: Sentences("Too many requests are under way at once."),
    Reason.CANCELLED: Sentences("The call was stopped before its answer."),
    Reason.FAILED: Sentences("The gateway can't be reached."),
    Reason.INVALID_ADDRESS: Sentences("The gateway's address isn't one that can be called."),
    Reason.BAD_REQUEST_FORM: Sentences("The address or the key has characters that can't be sent."),
    Reason.NOT_HTTP: Sentences("What answers at this address doesn't speak HTTP. Check the base URL."),
    Reason.TLS: Sentences("No secure connection could be made."),
    Reason.TLS_EXPIRED: Sentences("The gateway's certificate has expired."),
    Reason.TLS_NOT_YET_VALID: Sentences(
        "The gateway's certificate isn't valid yet. Check this computer's clock."
    ),
    Reason.TLS_OUT_OF_DATE: Sentences(
        "The gateway's certificate has expired or isn't valid yet. Check this computer's clock."
    ),
    Reason.TLS_WRONG_HOST: Sentences("The gateway's certificate is for another host."),
    Reason.TLS_SELF_SIGNED: Sentences(
        f"The gateway's certificate isn't signed by anyone this computer trusts. {_INSPECTED}"
    ),
    Reason.TLS_UNTRUSTED: Sentences(
        f"The gateway's certificate isn't one this computer trusts. {_INSPECTED}"
    ),
    Reason.TLS_NO_AUTHORITIES: Sentences(
        "This computer trusts nobody's certificate: its list of authorities is missing or empty. Install it (on Linux "
        "the package ca-certificates)."
    ),
    Reason.PROXY_NOT_FOUND: Sentences(
        "The proxy's host name isn't known. Check its address and the network."
    ),
    Reason.PROXY_UNREACHABLE: Sentences("Nothing answers at the proxy's address. Check it and the network."),
    Reason.PROXY_SILENT: Sentences("The proxy gave no answer in time."),
    Reason.PROXY_CLOSED: Sentences("The proxy closed the connection before it let anything through."),
    Reason.PROXY_TLS: Sentences(
        "No secure connection to the proxy could be made. Check whether its address begins with https://."
    ),
    Reason.PROXY_UNTRUSTED: Sentences("The proxy's own certificate isn't one this computer trusts."),
    Reason.PROXY_IN_VAIN: Sentences("The proxy couldn't reach the gateway."),
    Reason.PROXY_REFUSED: Sentences(
        "The proxy doesn't let anybody here through to the gateway. Ask those who run it to allow its address."
    ),
    Reason.PROXY_SETTING: Sentences(
        "The proxy that this computer is set to isn't one that Keybench can use. Choose another for the environment in "
        "Settings, Environments."
    ),
    Reason.PROXY_SIGN_IN: Sentences(
        "The proxy wants people to sign in in a way that Keybench doesn't have: it can give a user name and a password "
        "only."
    ),
    Reason.PROXY_PASSWORD_WANTED: Sentences(
        "The proxy wants a password. Enter its user name and password in Settings, Environments."
    ),
    Reason.PROXY_PASSWORD_REFUSED: Sentences(
        "The proxy doesn't accept the user name or the password. Enter them anew in Settings, Environments."
    ),
    Reason.PROXY_PASSWORD_MISSING: Sentences(
        "The keystore no longer has the proxy's password. Enter it anew in Settings, Environments."
    ),
    Reason.PROXY_PASSWORD_UNREAD: Sentences(
        "The keystore didn't give the proxy's password. Unlock the keystore first."
    ),
    Reason.NOT_A_PROXY: Sentences("What answers at the proxy's address isn't an HTTP proxy."),
    Reason.CONTRACT: Sentences("This environment's contract can't be used."),
    Reason.NOT_OFFERED: Sentences("This environment's gateway doesn't offer this."),
    Reason.PRACTICE_NOT_RUN: _NO_PRACTICE,
    Reason.PRACTICE_SILENT: _NO_PRACTICE,
    Reason.PRACTICE_STRANGE: _NO_PRACTICE,
    Reason.PRACTICE_ENDED: _NO_PRACTICE,
    Reason.PRACTICE_STOPPING: _NO_PRACTICE,
    Reason.GATEWAY_TIMEOUT: Sentences("The gateway gave up waiting."),
    Reason.PROCESSOR_SILENT: Sentences("The processor behind the gateway gave no answer."),
    Reason.NO_REFERENCE: Sentences(
        unreadable="The gateway's list has a sale without a reference that can be read, and that may be this one."
    ),
    Reason.OTHER_SALES: Sentences(
        unreadable="The gateway's list has other sales only, so it isn't the answer to what was asked."
    ),
    Reason.MORE_PAGES: Sentences(
        unreadable="The gateway's list goes on, on pages that can't be had, and the sale may be on one of them."
    ),
    Reason.PAGE_ELSEWHERE: Sentences(
        unreadable="The gateway's list goes on at another host, and the key isn't sent there."
    ),
    Reason.ANOTHER_REQUEST: Sentences(unreadable="The gateway's answer is about another payment request."),
    Reason.ANOTHER_SALE: Sentences(unreadable="The gateway's answer is about a sale with another reference."),
    Reason.KEYSTORE_MISSING: Sentences(
        not_sent="There is no keystore to take the key from.",
        next="Start one, then send again.",
        unknown="There is no keystore to take the key from, so the outcome can't be asked for.",
        activity="there was no keystore",
    ),
    Reason.KEYSTORE_GONE: Sentences(
        not_sent="The keystore that has the key's value isn't there.",
        next="Start it, then send again.",
        unknown="The keystore that has the key's value isn't there, so the outcome can't be asked for.",
        activity="the keystore wasn't there",
    ),
    Reason.KEYSTORE_LOCKED: Sentences(
        not_sent="The keystore is locked, so the key's value couldn't be had.",
        next="Unlock it, then send again.",
        unknown="The keystore is locked, so the outcome can't be asked for.",
        activity="the keystore was locked",
    ),
    Reason.KEYSTORE_DENIED: Sentences(
        not_sent="Access to the keystore was refused.",
        next="Send again, and allow it when your keystore asks.",
        unknown="Access to the keystore was refused, so the outcome can't be asked for.",
        activity="the keystore refused it",
    ),
    Reason.KEYSTORE_SILENT: Sentences(
        not_sent="The keystore gave no answer.",
        next="Send again when it answers; if it goes on, restart the keystore program.",
        unknown="The keystore gave no answer, so the outcome can't be asked for.",
        activity="the keystore gave no answer",
    ),
    Reason.KEYSTORE_FAILED: Sentences(
        not_sent="The keystore failed.",
        next="Restart the keystore program, then send again.",
        unknown="The keystore failed, so the outcome can't be asked for.",
        activity="the keystore failed",
    ),
    Reason.VALUE_LOST: Sentences(
        not_sent="The keystore no longer has this key's value.",
        next="Add the key again, then send again.",
        unknown="The key's value is gone, so the outcome can't be asked for.",
        activity="the keystore had no value",
    ),
    Reason.VALUE_DIFFERS: Sentences(
        not_sent="The keystore has another value for this key than the one that was kept.",
        next="Give the key its value anew, then send again.",
        unknown="The keystore has another value for the key than the one that sold, so the outcome can't be asked for.",
        activity="the keystore had another value",
    ),
    Reason.KEY_FORGOTTEN: Sentences(
        not_sent="The key was forgotten before the sale was sent.",
        next="Choose another key.",
        unknown="The key was forgotten, so the outcome can't be asked for.",
    ),
    Reason.NOT_NOTED: Sentences(
        not_sent="The journal couldn't be written, so the sale wasn't sent.",
        next="Make room, or close the program that holds the journal; then send it again.",
    ),
    Reason.ENDED_BEFORE_SENT: Sentences(
        not_sent="Keybench stopped before the sale was sent.", next="Send it again if it is wanted."
    ),
    Reason.NEVER_RECEIVED: Sentences(
        not_sent="The gateway never received this sale.",
        next="Send it again with a new reference if it is wanted.",
    ),
    Reason.ENDED_BEFORE_ANSWER: Sentences(unknown="Keybench stopped before the gateway's answer was there."),
    Reason.IDENTIFIER_TWICE: Sentences(
        unknown="The gateway gave this sale an identifier that another sale has already."
    ),
    Reason.DEADLINE: Sentences(unknown="No outcome came in the time a device may take."),
}
_NONE: Final = Sentences()


def sentences_of(reason: str) -> Sentences:
    """Return the sentences of a reason; all are empty for one that isn't ours."""
    return _SENTENCES.get(reason, _NONE)


def reason_sentence(reason: str) -> str:
    """Return why a call didn't give its answer; a reason that isn't ours is shown as it is."""
    return sentences_of(reason).call or f"The gateway can't be reached ({reason})."


def unreadable_sentence(reason: str) -> str:
    """Return why an answer tells nothing of what was asked."""
    return sentences_of(reason).unreadable or "The gateway's answer can't be understood."
