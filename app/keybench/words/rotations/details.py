"""What a rotation's tables, messages and dialogs say."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from keybench.core.rotations.overlap import WEEKDAYS, Caution, caution_at
from keybench.core.rotations.rotation import ApplicationStep, Expectation, ProofRow
from keybench.words.formats import day_and_time
from keybench.words.language import _


def proof_call(row: ProofRow) -> str:
    should = _("should be allowed") if row.expected is Expectation.ALLOWED else _("should be refused")
    return f"{row.call} ({should})"


def proof_result(row: ProofRow) -> str:
    return _("same") if row.same else _("differs")


def seen_words(step: ApplicationStep) -> str:
    if step.seen_at and step.is_seen_working:
        return moment(step.seen_at)
    if step.accepted_here_at:
        return _("key accepted, not seen")
    return _("not yet") if step.changed_at else _("not changed yet")


def seen_by_words(step: ApplicationStep) -> str:
    if step.is_seen_working:
        return _("Seen by {seen_by}: {seen_how}").format(seen_by=step.seen_by, seen_how=step.seen_how)
    if at := step.accepted_here_at:
        return _(
            "The gateway accepted the new key from this computer, {day_and_time}. Nobody has seen the "
            "application working with it yet."
        ).format(day_and_time=day_and_time(at))
    return ""


def changed_words(step: ApplicationStep) -> str:
    return moment(step.changed_at) if step.changed_at else _("not yet")


def changed_by_words(step: ApplicationStep) -> str:
    if step.changed_at is None:
        return _("not yet")
    words = _("{day_and_time}, by {changed_by}")
    return words.format(day_and_time=day_and_time(step.changed_at), changed_by=step.changed_by)


def moment(at: datetime) -> str:
    local = at.astimezone()
    return f"{local.day} {local:%b %H:%M}"


# --- the end of the overlap --------------------------------------------------------------------------


def overlap_warning(ends_at_local: datetime) -> str:
    words = ""
    match caution_at(ends_at_local):
        case Caution.WEEKEND:
            words = _("That is a {day}, when few people are there to help an application that was forgotten.")
        case Caution.EVE:
            words = _("That is a {day} afternoon: what was forgotten would stand still over the weekend.")
    return words.format(day=WEEKDAYS[ends_at_local.weekday()])


# --- what its page explains and asks: sentences that depend on nothing but a name --------------------

NAME_WANTED: Final = _("Enter your name at the left first: the record says who did what.")
CREATE_IN_PORTAL: Final = _(
    "This gateway offers no call that makes a key. Make it in the portal with the name, user, permission and kind "
    "below, then bring its value here. It goes into {keystore} and nowhere else."
)
WAIVE_TEXT: Final = _(
    "The same calls with both keys are what shows that nothing breaks and nothing more is allowed. Going on "
    "without that needs a reason."
)
DELETE_IN_PORTAL: Final = _(
    "Keybench can't delete “{name}” at this gateway. Delete it in the portal, then say so here; Keybench then "
    "checks with it until the gateway refuses it."
)
NOT_ASKED: Final = _(
    "Nothing is deleted yet. When stages 1 to 3 are done, Delete the old key (below) asks once more and then goes "
    "through these steps."
)
OVERRIDE_TEXT: Final = _(
    "Not everything was seen working with the new key. What still uses the old one stops working at once. The "
    "reason goes into the record."
)
NOT_CONFIRMED_TEXT: Final = _("The gateway has not confirmed it. Go on with the deletion to find out.")
WAITING_TEXT: Final = _("Checking with the old key until the gateway refuses it…")
REFUSED_TEXT: Final = _("The old key is refused, and its value is erased from this computer.")
TAKE_AS_REFUSED_TEXT: Final = _(
    "Keybench would see it refused by itself. Take it as refused only if you know that the gateway refuses it, and "
    "say how you know. Its value is then erased from this computer."
)
DRAFT: Final = _(
    "The record as it stands. It has names, fingerprints and what was seen, never a value. Say where it will be "
    "kept, and finish: then the record says so. Save it after that and put it there."
)
SAVES_DRAFT: Final = _("Saves a draft: the record is complete when the rotation is finished.")
FINISHED_TEXT: Final = _("Finished. Save the record now; it stays readable here.")
LEAKED_TEXT: Final = _(
    "A rotation begins at once for a new key with the same user, permission and kind. Nothing is deleted yet: the "
    "applications need the new key first. A list reminds of the access logs and of support."
)
WELCOME: Final = _(
    "A rotation replaces a key by a new one without an outage: make the new one, set it in every application, see "
    "each of them work, delete the old one and see it refused, and write down what was done. Every step is kept, so "
    "it can go on tomorrow."
)
ACCEPTED_TEXT: Final = _(
    "The gateway accepts the new key from this computer. That doesn't show that {name} works with it: confirm "
    "that it works."
)
SEEN_TEXT: Final = _(
    "Somebody saw the application work with the new key after it was changed there. Say what was seen: a sale, a "
    "report, a line in its log."
)
SALE_TEXT: Final = _(
    "A small sale shows that the new key sells, not only that it is known. It is kept in the history."
)
SALE_LIVE: Final = _("▲ LIVE: a real card is charged, and the money has to be given back by hand.")
ABANDON_TEXT: Final = _(
    "Both keys stay as they are: nothing is deleted, and applications keep the key they have now. What was done so "
    "far stays on record. A new rotation can be started at any time."
)
END_NOW_TEXT: Final = _(
    "The planned end becomes this moment. Nothing is deleted by that: the old key goes when you delete it."
)
REVOKE_TEXT: Final = _(
    "Where every hour in which the key works costs more than an outage, revoke it now: it is deleted before there "
    "is another, and everything that uses it stops until it has a new one."
)
COMPROMISE_TEXT: Final = _(
    "The old key counts as being in wrong hands from now on: no overlap is waited for, and a list of what to do is "
    "kept with the rotation. Not compromised… takes a false alarm back."
)
FALSE_ALARM_TEXT: Final = _(
    "It no longer counts as compromised, and nothing says any more that it has to be rotated at once. A rotation that "
    "was begun for that and has no new key yet is given up; a revocation that isn't done is taken back. The reason stays "
    "in the record."
)
