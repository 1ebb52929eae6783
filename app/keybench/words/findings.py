"""What is said of each kind of finding: a sentence or two that hold its facts, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.environment import EnvironmentKind
from keybench.core.hygiene import facts as f
from keybench.core.rotation import Stage
from keybench.core.security_key import KeyKind, KeyState
from keybench.words.formats import day, day_and_time
from keybench.words.keys import trial_word


@dataclass(frozen=True, slots=True)
class FindingWords:
    """A finding for people.

    Attributes:
        title: What it is, in a few words.
        reason: What was seen, and why it matters.
        remedy: What to do.
    """

    title: str
    reason: str
    remedy: str


_KIND: Final = {
    EnvironmentKind.PRACTICE: "practice",
    EnvironmentKind.TEST: "test",
    EnvironmentKind.LIVE: "LIVE",
}
#: What a rotation is at, within a sentence.
STAGE_WORDS: Final = {
    Stage.CREATE: "making the replacement",
    Stage.REPLACE: "replacing it in the applications",
    Stage.TEST: "testing",
    Stage.DELETE: "deleting the old key",
    Stage.DOCUMENT: "the security documentation",
}


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its word: ``1 key``, ``3 keys``."""
    return f"1 {one}" if number == 1 else f"{number:,} {many or one + 's'}"


# --- one key ------------------------------------------------------------------------------------------


def leak(facts: f.Leak, name: str) -> FindingWords:
    """Return the words for a compromised key."""
    going = "Its rotation is under way." if facts.rotating else "No rotation of it is under way."
    return FindingWords(
        "Compromised",
        f"“{name}” may be in wrong hands, and nobody has seen yet that it is deleted and refused. {going}",
        "Go on with its rotation at once, until the old key is refused."
        if facts.rotating
        else "Rotate it at once, review the access logs, and contact support.",
    )


def age(facts: f.Age, name: str) -> FindingWords:
    """Return the words for a key older than its limit."""
    return FindingWords(
        "Older than its limit",
        f"“{name}” is known here since {day(facts.created_at)}, that is {counted(facts.days, 'day')}; "
        f"the limit is {counted(facts.limit, 'day')}. The longer a key is in use, the more places have seen it.",
        "Rotate it.",
    )


def idle(facts: f.Idleness, name: str) -> FindingWords:
    """Return the words for a key nobody uses."""
    since = f"since {day(facts.used_at)}" if facts.used_at else "since it came here"
    return FindingWords(
        f"Idle for {counted(facts.days, 'day')}",
        f"Nobody was seen to use “{name}” {since}, neither from here nor in an application of the register. "
        "A key that nobody needs is only a risk.",
        "Ask who uses it. If nobody does, delete it; if an application does, add it to the register.",
    )


def untested(facts: f.Untested, name: str) -> FindingWords:
    """Return the words for a key that was never tried, or never with a result."""
    if facts.tried_at and facts.trial:
        return FindingWords(
            "Tested without a result",
            f"“{name}” is here for {counted(facts.days, 'day')}. Its last test, on {day_and_time(facts.tried_at)}, told "
            f"nothing ({trial_word(facts.trial)}), so nobody knows whether the gateway accepts it.",
            "Test it again. The call is harmless.",
        )
    return FindingWords(
        "Never tested",
        f"“{name}” is here for {counted(facts.days, 'day')}, and nobody has tried whether the gateway accepts it.",
        "Test it. The call is harmless.",
    )


def failure(facts: f.Failure, name: str) -> FindingWords:
    """Return the words for a key that fails."""
    when = f" on {day_and_time(facts.tested_at)}" if facts.tested_at else ""
    match facts.state:
        case KeyState.REFUSED:
            return FindingWords(
                f"Refused with {facts.status}",
                f"The gateway didn't know “{name}”{when}. It may be deleted, of another environment, or not the whole value.",
                "Test it again. If it stays refused, make a new key and change the applications that use this one.",
            )
        case KeyState.FORBIDDEN:
            return FindingWords(
                f"Forbidden with {facts.status}",
                f"The gateway knows “{name}”, and didn't let it do a harmless call{when}.",
                "Check its user's permissions, its kind and the account's restrictions in the portal; then test it again.",
            )
        case KeyState.NO_VALUE:
            return FindingWords(
                "No value here",
                f"“{name}” was imported as a description. Its value was never here, so it can't be tested or rotated from here.",
                "Give it its value, or forget the entry if nobody needs it here.",
            )
        case _:
            return FindingWords(
                "Value missing or changed",
                f"The keystore no longer has the value that was kept for “{name}”{when}.",
                "If an application still has it, give it again; else make a new key and delete this one in the portal.",
            )


def sharing(facts: f.Sharing, name: str) -> FindingWords:
    """Return the words for a key that stands for several things."""
    if not facts.applications:
        return FindingWords(
            "One key for several purposes",
            f"The purpose of “{name}” names several: {_listed(facts.purposes)}. If it leaks or has to go, all of them stop.",
            "Make a key for each purpose.",
        )
    members = f" They are looked after by {_listed(facts.members)}." if facts.members else ""
    return FindingWords(
        "One key for several applications",
        f"“{name}” is used by {_listed(facts.applications)}.{members} If it leaks or has to go, all of them stop, "
        "and nobody can tell which of them made a call.",
        "Make a key for each application.",
    )


# --- keys among each other ----------------------------------------------------------------------------


def twins(facts: f.Twins, name: str) -> FindingWords:
    """Return the words for entries with one value."""
    more = facts.total - len(facts.others)
    others = _listed([_other(one) for one in facts.others] + ([f"{more:,} more"] if more else []))
    reason = f"“{name}” and {others} have the fingerprint {facts.fingerprint}, so they are one value. "
    if facts.live_and_not:
        return FindingWords(
            "Same value in test and live",
            f"{reason}Whoever works with the test key holds the key to real money.",
            "Rotate the live key at once, and find out which of the two entries is the wrong one.",
        )
    return FindingWords(
        "Same value twice",
        f"{reason}What happens to one happens to the other, and nobody can tell their calls apart.",
        "Keep one entry and forget the other, or rotate one of them so that each has its own value.",
    )


def mixture(facts: f.Mixture, name: str) -> FindingWords:
    """Return the words for live and test keys that are alike."""
    seen = []
    if facts.same_name:
        seen.append(f"is called like {_listed([_other(one) for one in facts.same_name])}")
    if facts.same_user:
        others = _listed([_other(one) for one in facts.same_user])
        seen.append(f"belongs to the user “{facts.username}” as {others} does")
    return FindingWords(
        "Live and test aren't apart",
        f"The live key “{name}” {' and '.join(seen)}. What is alike is taken for one another sooner or later.",
        "Rotate one of them, under a name or a user that says which is which.",
    )


def one_user(facts: f.OneUser, environment: str) -> FindingWords:
    """Return the words for an environment whose keys all belong to one user."""
    return FindingWords(
        "One user for everything",
        f"All {facts.keys:,} keys of {environment} belong to “{facts.username}”. They all may do the same, and all "
        "stop when that user is disabled.",
        "Give each purpose a user with the fewest permissions that will do, and rotate its key to that user.",
    )


def ownerless(facts: f.Ownerless, name: str) -> FindingWords:
    """Return the words for an application nobody looks after."""
    key = f" It uses “{name}”." if name else " Its key is gone from here."
    return FindingWords(
        "Application without owner",
        f"Nobody is named who looks after “{facts.application}”.{key} When the key has to go, there is nobody to ask.",
        "Name an owner in the register of applications.",
    )


# --- what keys may do ---------------------------------------------------------------------------------


def misfit(facts: f.Misfit, name: str) -> FindingWords:
    """Return the words for a key of the wrong kind."""
    return FindingWords(
        "Kind that doesn't fit",
        f"“{name}” is kept as a {facts.kind} key, and its permission type “{facts.permission}” is one for "
        f"{facts.fits} keys. A wrong kind opens a hole or keeps things from working.",
        "Look the key up in the portal. Correct the entry, or make a key of the right kind.",
    )


def surplus(facts: f.Surplus, name: str) -> FindingWords:
    """Return the words for a key that may do too much."""
    use = "only sells and reads" if facts.kind is KeyKind.PRIVATE else "stands where everybody can read it"
    return FindingWords(
        "More permissions than it needs",
        f"“{name}” inherits everything its user “{facts.username}” may do, among it: {_listed(facts.extra)}. "
        f"As far as seen from here it {use}.",
        "Rotate it to a user with fewer permissions, or take these from the user.",
    )


def absence(facts: f.Absence, name: str) -> FindingWords:
    """Return the words for a key whose user is gone."""
    what = "is disabled" if facts.disabled else "isn't among the account's users any more"
    return FindingWords(
        "User is disabled" if facts.disabled else "User has left",
        f"“{name}” belongs to “{facts.username}”, who {what}. The key can do nothing, or more than anybody watches.",
        "Rotate it to a user who is there, and delete the old key.",
    )


def public(facts: f.PublicSales, name: str) -> FindingWords:
    """Return the words for a public key that sold."""
    sales = counted(facts.sales, "sale") if facts.sales else "Sales"
    verb = "was" if facts.sales == 1 else "were"
    return FindingWords(
        "Public key used for sales",
        f"{sales} {verb} sent with “{name}”, last on {day_and_time(facts.last_at)}. A public key stands where everybody "
        "can read it, so it must not sell.",
        "Use a private key for sales. If this one was accepted, take its user's permission to sell away.",
    )


# --- rotations ----------------------------------------------------------------------------------------


def unfinished(facts: f.Unfinished) -> FindingWords:
    """Return the words for a rotation that needs somebody."""
    days, at = counted(facts.days, "day"), STAGE_WORDS[facts.stage]
    leaked = " The key may be in wrong hands." if facts.compromised else ""
    match facts.trouble:
        case f.RotationTrouble.OVERDUE:
            return FindingWords(
                "Rotation is overdue",
                f"The overlap of “{facts.old}” was to end {days} ago, and it stands at {at}. Two keys are valid.{leaked}",
                "Open the rotation and finish it, or set another end.",
            )
        case f.RotationTrouble.HALF_DELETED:
            return FindingWords(
                "Old key not seen to be gone",
                f"The deletion of “{facts.old}” was asked for, and nothing was done for {days} since. Nobody has seen that "
                f"the gateway refuses it.{leaked}",
                "Open the rotation and go on with the deletion.",
            )
        case f.RotationTrouble.STALLED:
            return FindingWords(
                "Rotation is half done",
                f"Nothing was done about the rotation of “{facts.old}” for {days}; it stands at {at}.{leaked}",
                "Open the rotation and go on, or abandon it.",
            )
        case f.RotationTrouble.ABANDONED:
            return FindingWords(
                "Abandoned rotation left two keys",
                f"The rotation of “{facts.old}” was given up {days} ago. It and “{facts.new}” are both still here.",
                "Find out which of the two is in use, and delete the other.",
            )


def _other(other: f.Other) -> str:
    return f"“{other.name}” in {other.environment} ({_KIND[other.kind]})"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
