"""Environments in words: what a try of an address found, and what moving or removing one means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from keybench.core.environments.connection import BaseUrlFound, ConnectionResult, Slip
from keybench.core.input_errors import MoveNotConfirmed
from keybench.words.formats import duration, listed, quoted
from keybench.words.language import _, ngettext
from keybench.words.reasons import reason_sentence

if TYPE_CHECKING:  # the window comes first
    from keybench.workflows.environments.managing import Affected

NOT_TRIED_SENTENCE: Final = _("The address wasn't tried.")

#: What is wrong with an address that was entered; a button beside it offers the other one.
SLIPS: Final = {
    Slip.NO_SCHEME: _("The address must begin with https://."),
    Slip.PLAIN_HTTP: _(
        "The address must begin with https://. Plain http would show your key to the "
        "network; it is allowed only to this computer (127.0.0.1, localhost)."
    ),
    Slip.CREDENTIALS: _(
        "A user name or password in an address is a secret, so it isn't kept. Keybench signs in with keys."
    ),
    Slip.EXTRA: _("Leave out everything from ? or # on: the base URL is only the address."),
    Slip.DOUBLED_PATH: _(
        "Keybench adds the API's path itself, so the address would have it twice. Enter what stands before it."
    ),
    Slip.PORTAL: _("This is a page of the portal. The base URL is the address of the API."),
}

_FOUND: Final = {
    BaseUrlFound.GATEWAY: _("A gateway answered in {took}. It asks for a key ({status}), as it should."),
    BaseUrlFound.OPEN: _(
        "Something answered in {took} ({status}) without asking for a key. A gateway asks for one; check the "
        "base URL and the API version."
    ),
    BaseUrlFound.PAGE: _(
        "A web page answered in {took} ({status}), not a gateway. Enter the address of the API."
    ),
    BaseUrlFound.NO_PATH: _(
        "A server answered in {took}, but doesn't know the API's path ({status}). Check the base URL and the "
        "API version."
    ),
    BaseUrlFound.TOO_OFTEN: _(
        "The server answered in {took} that it is called too often ({status}). Try later."
    ),
    BaseUrlFound.FAILING: _("The server answered in {took} that it failed ({status}). Try again later."),
    BaseUrlFound.OTHER: _(
        "Something answered in {took} ({status}), but not as a gateway does. Check the base URL."
    ),
}


def connection_tone(tried: ConnectionResult) -> str:
    if tried.is_gateway:
        return "good"
    return "warning" if tried.status else "bad"


def connection_sentence(tried: ConnectionResult) -> str:
    took = duration(tried.elapsed_s)
    if tried.found is BaseUrlFound.REDIRECT:
        if not tried.leads_to:
            return _("The server answered in {took} that it is elsewhere ({status}).").format(
                took=took, status=tried.status
            )
        return _(
            "The server answered in {took} with a redirect to {place} ({status}). Keybench follows none."
        ).format(took=took, place=tried.leads_to, status=tried.status)
    if tried.reason:
        return _("{reason} Tried for {took}.").format(reason=reason_sentence(tried.reason), took=took)
    return _FOUND[tried.found].format(took=took, status=tried.status)


def use_words(base_url: str) -> str:
    return _("Use {base_url}").format(base_url=base_url)


def move_sentences(move: MoveNotConfirmed) -> list[str]:
    was, now = move.now, move.then
    told = []
    if was[0] != now[0]:
        told.append(_("From {before} to {after}.").format(before=was[0], after=now[0]))
    if was[1] != now[1]:
        told.append(_("API version {before} becomes {after}.").format(before=was[1], after=now[1]))
    if move.is_live:
        told.append(_("▲ LIVE: real money moves at the new address."))
    if move.keys:
        told.append(
            ngettext(
                "Its key goes with it: the value is sent to the new address.",
                "Its {count} keys go with it: their values are sent to the new address.",
                move.keys,
            )
        )
    if move.under_way:
        told.append(
            ngettext(
                "A sale without an outcome is asked for at the new address.",
                "{count} sales without an outcome are asked for at the new address.",
                move.under_way,
            )
        )
    if move.unknown:
        told.append(
            ngettext(
                "An unknown sale can then be looked up at the new address only. Look it up first.",
                "{count} unknown sales can then be looked up at the new address only. Look them up first.",
                move.unknown,
            )
        )
    if move.rotations:
        told.append(
            _(
                "Being rotated: {names}. Finish that first: a key that the new address refuses may still be valid "
                "at the old one."
            ).format(names=_quoted(move.rotations))
        )
    if move.unsettled:
        told.append(
            _(
                "Nobody can tell yet whether the gateway has created {names}; it is asked for at the new address."
            ).format(names=_quoted(move.unsettled))
        )
    return told


def removal_barred(affected: Affected) -> str:
    told = []
    if affected.rotations:
        told.append(
            _("Being rotated: {names}. Finish or abandon these rotations first.").format(
                names=_quoted(affected.rotations)
            )
        )
    if affected.under_way:
        told.append(
            ngettext(
                "A sale is still under way. Wait for its outcome first.",
                "{count} sales are still under way. Wait for their outcomes first.",
                affected.under_way,
            )
        )
    return " ".join(told)


def removal_sentences(affected: Affected) -> list[str]:
    told = [_("It has no keys.")]
    if count := len(affected.keys):
        told = [
            ngettext("Its key goes with it.", "Its {count} keys go with it.", count),
            ngettext(
                "One value is deleted from the keystore;",
                "{count} values are deleted from the keystore;",
                len(affected.with_value),
            )
            if affected.with_value
            else _("No value of them is in the keystore;"),
            _("at the gateway the keys stay valid until somebody deletes them in the portal."),
        ]
    if affected.applications:
        told.append(
            ngettext(
                "An application is taken out of the register.",
                "{count} applications are taken out of the register.",
                affected.applications,
            )
        )
    if affected.unknown:
        told.append(
            ngettext(
                "A sale here is unknown and can't be looked up afterwards. Look it up first.",
                "{count} sales here are unknown and can't be looked up afterwards. Look them up first.",
                affected.unknown,
            )
        )
    if affected.unsettled:
        told.append(
            _(
                "Nobody can tell yet whether the gateway has created {names}. Look for it in the gateway's portal."
            ).format(names=_quoted(affected.unsettled))
        )
    told.append(_("Its sales stay in the history."))
    return told


def _quoted(names: Sequence[str]) -> str:
    return listed(list(map(quoted, names)))
