"""The sentences of every `Reason`: what it means for a call, an answer, a keystore, a sale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from keybench.core.reasons import Reason
from keybench.words.language import _


@dataclass(frozen=True, slots=True)
class Sentences:
    """What is shown for a reason besides a call's; empty where it doesn't happen, or another says it.

    `title` and `step` are about the keystore, `unknown` about a sale nobody can tell of.
    """

    title: str = ""
    step: str = ""
    not_sent: str = ""
    not_sent_step: str = ""
    unknown: str = ""


_NO_PRACTICE: Final = _("The practice gateway can't be started.")
_INSPECTED: Final = _(
    "A proxy that inspects connections shows its own, and the system has to trust its authority."
)

#: Why a call didn't give its answer.
_CALLS: Final[Mapping[str, str]] = {
    Reason.CONNECTION_REFUSED: _("Nothing is listening at the gateway's address."),
    Reason.NAME_NOT_FOUND: _("The gateway's host name isn't known. Check the base URL and the network."),
    Reason.NETWORK_UNREACHABLE: _("This computer has no way to the gateway. Check the network."),
    Reason.CONNECT_TIMEOUT: _("The gateway's address didn't answer in time."),
    Reason.TIMEOUT: _("The gateway gave no answer in time."),
    Reason.CONNECTION_RESET: _("The connection broke before there was an answer."),
    Reason.CONNECTION_CLOSED: _("The gateway closed the connection before there was an answer."),
    Reason.TOO_BUSY: _("Too many requests are under way at once."),
    Reason.CANCELLED: _("The call was stopped before its answer."),
    Reason.FAILED: _("The gateway can't be reached."),
    Reason.INVALID_ADDRESS: _("The gateway's address isn't one that can be called."),
    Reason.BAD_REQUEST_FORM: _("The address or the key has characters that can't be sent."),
    Reason.NOT_HTTP: _("What answers at this address doesn't speak HTTP. Check the base URL."),
    Reason.TLS: _("No secure connection could be made."),
    Reason.TLS_EXPIRED: _("The gateway's certificate has expired."),
    Reason.TLS_NOT_YET_VALID: _("The gateway's certificate isn't valid yet. Check this computer's clock."),
    Reason.TLS_OUT_OF_DATE: _(
        "The gateway's certificate has expired or isn't valid yet. Check this computer's clock."
    ),
    Reason.TLS_WRONG_HOST: _("The gateway's certificate is for another host."),
    Reason.TLS_SELF_SIGNED: _(
        "The gateway's certificate isn't signed by anyone this computer trusts. {INSPECTED}"
    ).format(INSPECTED=_INSPECTED),
    Reason.TLS_UNTRUSTED: _("The gateway's certificate isn't one this computer trusts. {INSPECTED}").format(
        INSPECTED=_INSPECTED
    ),
    Reason.TLS_NO_AUTHORITIES: _(
        "This computer trusts nobody's certificate: its list of authorities is missing or empty. Install it (on Linux the package ca-certificates)."
    ),
    Reason.PROXY_NOT_FOUND: _("The proxy's host name isn't known. Check its address and the network."),
    Reason.PROXY_UNREACHABLE: _("Nothing answers at the proxy's address. Check it and the network."),
    Reason.PROXY_SILENT: _("The proxy gave no answer in time."),
    Reason.PROXY_CLOSED: _("The proxy closed the connection before it let anything through."),
    Reason.PROXY_TLS: _(
        "No secure connection to the proxy could be made. Check whether its address begins with https://."
    ),
    Reason.PROXY_UNTRUSTED: _("The proxy's own certificate isn't one this computer trusts."),
    Reason.PROXY_IN_VAIN: _("The proxy couldn't reach the gateway."),
    Reason.PROXY_REFUSED: _(
        "The proxy doesn't let anybody here through to the gateway. Ask those who run it to allow its address."
    ),
    Reason.PROXY_SETTING: _(
        "The proxy that this computer is set to isn't one that Keybench can use. Choose another for the environment in Settings, Environments."
    ),
    Reason.PROXY_SIGN_IN: _(
        "The proxy wants people to sign in in a way that Keybench doesn't have: it can give a user name and a password only."
    ),
    Reason.PROXY_PASSWORD_WANTED: _(
        "The proxy wants a password. Enter its user name and password in Settings, Environments."
    ),
    Reason.PROXY_PASSWORD_REFUSED: _(
        "The proxy doesn't accept the user name or the password. Enter them again in Settings, Environments."
    ),
    Reason.PROXY_PASSWORD_MISSING: _(
        "The keystore no longer has the proxy's password. Enter it again in Settings, Environments."
    ),
    Reason.PROXY_PASSWORD_UNREAD: _(
        "The keystore didn't give the proxy's password. Unlock the keystore first."
    ),
    Reason.NOT_A_PROXY: _("What answers at the proxy's address isn't an HTTP proxy."),
    Reason.CONTRACT: _("This environment's contract can't be used."),
    Reason.NOT_OFFERED: _("This environment's gateway doesn't offer this."),
    Reason.PRACTICE_NOT_RUN: _NO_PRACTICE,
    Reason.PRACTICE_SILENT: _NO_PRACTICE,
    Reason.PRACTICE_STRANGE: _NO_PRACTICE,
    Reason.PRACTICE_ENDED: _NO_PRACTICE,
    Reason.PRACTICE_STOPPING: _NO_PRACTICE,
    Reason.CLASS_CERTIFICATE: _(
        "The class shows another certificate than the one you compared. Join again and compare the words."
    ),
    Reason.GATEWAY_TIMEOUT: _("The gateway gave up waiting."),
    Reason.PROCESSOR_SILENT: _("The processor behind the gateway gave no answer."),
}

#: Why nothing can be told from an answer that could be read.
_UNREADABLE: Final[Mapping[str, str]] = {
    Reason.NO_REFERENCE: _(
        "The gateway's list has a sale without a reference that can be read, and that may be this one."
    ),
    Reason.OTHER_SALES: _(
        "The gateway's list has other sales only, so it isn't the answer to what was asked."
    ),
    Reason.MORE_PAGES: _(
        "The gateway's list goes on, on pages that can't be fetched, and the sale may be on one of them."
    ),
    Reason.NOT_WHOLE: _(
        "Nothing shows that the gateway's list is whole, so the sale may be missing from it."
    ),
    Reason.PART: _("The gateway sent only a part of its answer (206)."),
    Reason.NAME_TWICE: _("The gateway's answer has a field twice, so nobody can tell which one counts."),
    Reason.PAGE_ELSEWHERE: _("The gateway's list goes on at another host, and the key isn't sent there."),
    Reason.ANOTHER_REQUEST: _("The gateway's answer is about another payment request."),
    Reason.ANOTHER_SALE: _("The gateway's answer is about a sale with another reference."),
    Reason.ANOTHER_DEVICE: _("The gateway's answer is about another device."),
    Reason.DEVICE_TWICE: _("The gateway lists the device twice and says different things of it."),
    Reason.DEVICE_LISTED: _("The gateway lists the device, and answers 404 when asked about it."),
    Reason.MORE_DEVICES: _(
        "Nothing shows that the gateway's list is whole, so the device may be missing from it."
    ),
}

#: What is the matter with a keystore or a value in it, and what to do.
_KEYSTORE: Final[Mapping[str, tuple[str, str]]] = {
    Reason.KEYSTORE_MISSING: (
        _("There is no keystore to take the key from."),
        _("Start one, then try again."),
    ),
    Reason.KEYSTORE_GONE: (
        _("The keystore that has the key's value isn't there."),
        _("Start it, then try again."),
    ),
    Reason.KEYSTORE_LOCKED: (
        _("The keystore is locked."),
        _(
            "Unlock it (on Linux usually by signing in to your desktop, or in the program that manages passwords), then try again."
        ),
    ),
    Reason.KEYSTORE_DENIED: (
        _("Access to the keystore was refused."),
        _("Try again, and allow Keybench when your keystore asks."),
    ),
    Reason.KEYSTORE_SILENT: (
        _("The keystore gives no answer."),
        _(
            "Keybench looks again by itself. If it goes on, restart the keystore program; what it keeps stays there."
        ),
    ),
    Reason.KEYSTORE_FAILED: (
        _("The keystore failed."),
        _("Try again; if it goes on, restart the keystore program."),
    ),
    Reason.VALUE_LOST: (
        _("The keystore no longer has this key's value."),
        _("It may have been deleted there. Give the key its value again, or rotate it."),
    ),
    Reason.VALUE_NEVER_HERE: (
        _("This key never had a value here."),
        _("Only its description was imported. Give the key its value, then try again."),
    ),
    Reason.VALUE_DIFFERS: (
        _("The keystore has another value for this key than the one that was kept."),
        _("Give the key its value again, then try again."),
    ),
}
_NOT_BY_ITSELF: Final = _("The sale isn't sent by itself.")
_NOT_ASKED: Final = _("So the outcome can't be asked for.")

#: What a sale came to, for reasons that aren't the gateway's.
_OURS: Final[Mapping[str, Sentences]] = {
    Reason.KEY_FORGOTTEN: Sentences(
        not_sent=_("The key was forgotten before the sale was sent."),
        not_sent_step=_("Choose another key."),
        unknown=_("The key was forgotten, so the outcome can't be asked for."),
    ),
    Reason.NOT_NOTED: Sentences(
        not_sent=_("The journal couldn't be written, so the sale wasn't sent."),
        not_sent_step=_("Make room, or close the program that holds the journal; then send it again."),
    ),
    Reason.ENDED_BEFORE_SENT: Sentences(
        not_sent=_("Keybench stopped before the sale was sent."),
        not_sent_step=_("Send it again if it is wanted."),
    ),
    Reason.NEVER_RECEIVED: Sentences(
        not_sent=_("The gateway never received this sale."),
        not_sent_step=_("Send it again with a new reference if it is wanted."),
    ),
    Reason.ENDED_BEFORE_ANSWER: Sentences(
        unknown=_("Keybench stopped before the gateway's answer was there."),
    ),
    Reason.CONFLICT: Sentences(
        unknown=_("The gateway refused the sale because of a conflict, and doesn't say with what."),
    ),
    Reason.REPEATED: Sentences(
        unknown=_("The gateway took it for a repeat of a sale that it has already; that may be this one."),
    ),
    Reason.IDENTIFIER_TWICE: Sentences(
        unknown=_("The gateway gave this sale an identifier that another sale has already."),
    ),
    Reason.DEADLINE: Sentences(
        unknown=_("No outcome came in the time a device may take."),
    ),
}
_NONE: Final = Sentences()


def sentences_of(reason: str) -> Sentences:
    if reason not in _KEYSTORE:
        return _OURS.get(reason, _NONE)
    title, step = _KEYSTORE[reason]
    return Sentences(title, step, title, f"{step} {_NOT_BY_ITSELF}", f"{title} {_NOT_ASKED}")


def reason_sentence(reason: str) -> str:
    """Return why a call didn't give its answer; a reason that isn't known is shown as it is."""
    return _CALLS.get(reason) or _("The gateway can't be reached ({reason}).").format(reason=reason)


def unreadable_sentence(reason: str) -> str:
    return _UNREADABLE.get(reason, _("The gateway's answer can't be understood."))
