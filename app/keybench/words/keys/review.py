"""The review's findings in words: each kind's title, what was seen, why it matters, and what to do."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from keybench.core.environments.environment import marking
from keybench.core.keys.review import Due, Finding, Reminder, Severity
from keybench.core.rotations.stages import stage_of
from keybench.words.formats import day, day_and_time, day_count, listed, quoted
from keybench.words.keys.states import kind_word, trial_word
from keybench.words.language import _, ngettext, number
from keybench.words.rotations.stages import STAGE_WORDS


class Remedy(enum.StrEnum):
    """What can be done about a finding from the window."""

    ROTATE = "rotate"
    OPEN_ROTATION = "open rotation"
    TEST = "test"
    OPEN_APPLICATIONS = "open applications"
    OPEN_KEY = "open key"


class FindingWords(NamedTuple):
    """A finding for people; the reason and the remedy fit one as well as several."""

    title: str
    reason: str
    remedy: str
    seen: str
    actions: tuple[Remedy, ...] = ()


FINDINGS: Final = {
    "compromised": FindingWords(
        _("Compromised"),
        _("Nobody has seen yet that the gateway refuses it, and no rotation is under way."),
        _("Rotate at once, review the access logs, and contact support."),
        _("“{name}” may be in the wrong hands."),
    ),
    "compromised/rotating": FindingWords(
        _("Compromised, rotation under way"),
        _("Nobody has seen yet that the gateway refuses it."),
        _("Continue the rotation at once, until the old key is refused."),
        _("“{name}” may be in the wrong hands. Its rotation is under way."),
    ),
    "same value": FindingWords(
        _("One value in several entries"),
        _("What happens to one happens to the other, and nobody can tell their calls apart."),
        _("Keep one entry and forget the others, or rotate until each has a value of its own."),
        _("{total} keys share one value: “{name}” and {others} have the fingerprint {fingerprint}."),
    ),
    "same value/live": FindingWords(
        _("Same value in test and live"),
        _("Whoever works with the test key holds the key to real money."),
        _("Rotate the live key at once, and find out which entry is the wrong one."),
        _("“{name}” and {others} have the fingerprint {fingerprint}, so they share one value."),
    ),
    "user gone": FindingWords(
        _("User has left or is frozen"),
        _("The key may stop working, or have rights that nobody watches."),
        _("Rotate to a user who is there, and delete the old key."),
        _("“{name}” belongs to “{username}”, who {frozen}."),
    ),
    "failing/refused": FindingWords(
        _("Refused by the gateway"),
        _("A refused key may be deleted, belong to another environment, or be incomplete."),
        _("Test again. If the key stays refused, create a new one and change the applications that use it."),
        _("The gateway didn't know “{name}”{tested} ({status})."),
    ),
    "failing/forbidden": FindingWords(
        _("Forbidden by the gateway"),
        _("The gateway knows the key, and didn't allow it a harmless call."),
        _(
            "Check the user's permissions, the key's kind and the account's restrictions in the portal; test again."
        ),
        _("The gateway refused “{name}” its test{tested} ({status})."),
    ),
    "failing/no value": FindingWords(
        _("No value here"),
        _("A key whose value was never here can't be tested or rotated from here."),
        _("Enter the value, or forget the entry if nobody needs it here."),
        _("“{name}” was imported as a description."),
    ),
    "failing/value lost": FindingWords(
        _("Value missing or changed"),
        _("Without its value a key can't be used from here."),
        _(
            "If an application still has the value, enter it again; otherwise create a new key and delete the old one in the portal."
        ),
        _("The keystore no longer has the value that was kept for “{name}”."),
    ),
    "public key sells": FindingWords(
        _("Public key used for sales"),
        _("A public key is where everybody can read it, so it must not sell."),
        _("Use a private key for sales. If the sale was accepted, take the user's permission to sell away."),
        _("Sales were sent with “{name}”, last on {used_at}."),
    ),
    "rotation/overdue": FindingWords(
        _("Rotation is overdue"),
        _("Two keys are valid for longer than planned."),
        _("Open the rotation and finish it, or set another end."),
        _("The overlap of “{name}” should have ended {days} ago. The next step is {rotation}.{leaked}"),
    ),
    "rotation/half deleted": FindingWords(
        _("Old key not seen to be gone"),
        _("Nobody has seen that the gateway refuses it."),
        _("Open the rotation and continue the deletion."),
        _("The deletion of “{name}” was requested, and nothing has been done for {days}.{leaked}"),
    ),
    "rotation/stalled": FindingWords(
        _("Rotation is half done"),
        _("Until it is finished, the old key is good for whoever has it."),
        _("Open the rotation and continue it, or abandon it."),
        _(
            "Nothing has been done about the rotation of “{name}” for {days}. The next step is {rotation}.{leaked}"
        ),
    ),
    "rotation/abandoned": FindingWords(
        _("Abandoned rotation left two keys"),
        _("The old key and its replacement are both still here."),
        _("Find out which of the two is in use, and delete the other."),
        _("The rotation of “{name}” was abandoned {days} ago."),
    ),
    "wrong kind": FindingWords(
        _("Wrong kind of key"),
        _("The wrong kind opens a security hole or stops things from working."),
        _("Look in the portal. Correct the entry, or create a key of the right kind."),
        _("“{name}” is kept as a {kind} key, but its permission type “{permission}” is for {fits} keys."),
    ),
    "more permissions than needed": FindingWords(
        _("More permissions than it needs"),
        _(
            "A key inherits everything its user may do, and does no more than sell and read as far as Keybench sees."
        ),
        _("Rotate to a user with fewer permissions, or take these from the user."),
        _("The user “{username}” of “{name}” may do more: {extra}."),
    ),
    "shared": FindingWords(
        _("One key for several applications"),
        _(
            "If it leaks or has to be replaced, all of them stop, and nobody can tell which of them made a call."
        ),
        _("Create a key for each application."),
        _("“{name}” is used by {applications}."),
    ),
    "old": FindingWords(
        _("Older than its limit"),
        _("The longer a key is in use, the more places have seen it."),
        _("Rotate, beginning where money moves."),
        _("As far as Keybench knows, “{name}” was created on {created}, {days} ago; the limit is {limit}."),
    ),
    "idle": FindingWords(
        _("Idle"),
        _("A key that nobody needs is only a risk."),
        _("Ask who uses it. If nobody does, delete it; if an application does, add it to the register."),
        _("“{name}” hasn't been seen in use for {days}, neither here nor in a registered application."),
    ),
    "held unseen": FindingWords(
        _("Held at a desk that isn't seen"),
        _("Nobody knows who has that computer now, and whether the value is still there."),
        _("Start Keybench there and erase the value, or rotate the key."),
        _("“{name}” was held at {desks} when Keybench last ran there, over 30 days ago."),
    ),
    "untested": FindingWords(
        _("Never tested"),
        _("Nobody knows whether the gateway accepts it."),
        _("Test it. The call is harmless."),
        _("“{name}” has been here for {days} without a test."),
    ),
    "untested/tried": FindingWords(
        _("Tested without a result"),
        _("Nobody knows whether the gateway accepts it."),
        _("Test again. The call is harmless."),
        _("“{name}” has been here for {days}. Its last test, on {tried}, had no result ({trial})."),
    ),
    "no owner": FindingWords(
        _("Application without owner"),
        _("When the key has to be replaced, there is nobody to ask."),
        _("Name an owner in the register of applications."),
        _("“{name}” has no owner in the register."),
    ),
    "not separated": FindingWords(
        _("Live and test aren't separated"),
        _("Sooner or later one is mistaken for the other."),
        _("Rotate one of them to a name and a user that tell them apart."),
        _("The live key “{name}” shares its name or its user with {others}."),
    ),
    "one user for everything": FindingWords(
        _("One user for everything"),
        _("All keys there may do the same, and all stop when that user is frozen."),
        _(
            "Give each purpose a user with no more permissions than it needs, and rotate its key to that user."
        ),
        _("All {keys} keys of {name} belong to “{username}”."),
    ),
}

SEVERITY_WORDS: Final = {
    Severity.BAD: _("Critical"),
    Severity.WARNING: _("Warning"),
    Severity.NOTE: _("Note"),
}
#: The tone of each severity, see `ui.kit.tokens`.
SEVERITY_TONES: Final = {Severity.BAD: "bad", Severity.WARNING: "warning", Severity.NOTE: "dim"}


def finding_words(findings: Sequence[Finding]) -> FindingWords:
    first = findings[0]
    row = FINDINGS[first.kind]._replace(actions=tuple(_remedies(first)))
    if len(findings) > 1:
        return row._replace(title=f"{row.title}: {number(len(findings))}")
    said = {name: _SAID.get(name, str)(value) for name, value in first.seen.items()}
    return row._replace(reason=f"{row.seen.format(name=first.name, **said)} {row.reason}")


def _remedies(finding: Finding) -> Iterator[Remedy]:
    """Return what can be done about a finding where its key is, the next step first."""
    has_value = finding.kind != "failing/no value"  # without one no rotation begins, and nothing is tested
    if finding.id in {"failing", "untested"} and has_value:
        yield Remedy.TEST
    if finding.id in {"shared", "idle", "no owner"}:
        yield Remedy.OPEN_APPLICATIONS
    if finding.kind == "compromised/rotating" or finding.id == "rotation":
        yield Remedy.OPEN_ROTATION
    elif has_value:
        yield Remedy.ROTATE
    yield Remedy.OPEN_KEY


#: How what was seen is said, by its name; what may be missing is a part with a space before it.
_SAID: Final[Mapping[str, Callable[[Any], str]]] = {
    "tested": lambda at: _(" on {moment}").format(moment=day_and_time(at)) if at else "",
    "leaked": lambda is_so: _(" The key may be in the wrong hands.") if is_so else "",
    "days": day_count,
    "kind": kind_word,
    "fits": kind_word,
    "limit": day_count,
    "total": number,
    "created": day,
    "used_at": day_and_time,
    "tried": day_and_time,
    "trial": trial_word,
    "frozen": lambda is_so: _("is frozen") if is_so else _("isn't among the account's users any more"),
    "rotation": lambda rotation: STAGE_WORDS[stage_of(rotation)],
    "applications": listed,
    "extra": listed,
    "desks": listed,
    "others": lambda located: listed(
        [f"{quoted(key.name)} ({marking(environment)})" for key, environment in located]
    ),
}


def severity_count(severity: Severity, count: int) -> str:
    match severity:
        case Severity.BAD:
            return ngettext("1 critical", "{count} critical", count)
        case Severity.WARNING:
            return ngettext("1 warning", "{count} warnings", count)
        case Severity.NOTE:
            return ngettext("1 note", "{count} notes", count)


def overdue_words(reminder: Reminder) -> str:
    if not reminder.is_overdue:
        return ""
    if days := reminder.overdue_by.days:
        return _("Overdue by {day_count}").format(day_count=day_count(days))
    return _("Overdue since {day_and_time}").format(day_and_time=day_and_time(reminder.due_at))


def reminder_words(reminder: Reminder) -> str:
    now, was = _REMINDERS[reminder.what]
    return (was if reminder.is_overdue else now).format(key_name=reminder.key_name)


#: What becomes due, and what is overdue.
_REMINDERS: Final = {
    Due.OVERLAP: (
        _("The overlap ends: “{key_name}” is to be deleted"),
        _("The overlap has ended: “{key_name}” is to be deleted"),
    ),
    Due.AGE: (_("“{key_name}” reaches its age limit"), _("“{key_name}” is older than its limit")),
    Due.IDLE: (_("“{key_name}” becomes idle"), _("“{key_name}” is idle")),
}
