"""Key states, kinds and hints in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from keybench.core.environments.environment import marking
from keybench.core.keys.inventory import InventoryRow, KeyMarks
from keybench.core.keys.key import (
    HINT_BEARER,
    HINT_INNER_SPACE,
    HINT_LOOKS_PRIVATE,
    HINT_LOOKS_PUBLIC,
    HINT_PARTNER,
    HINT_UNUSUAL,
    Cleared,
    KeyKind,
    KeyState,
    SecurityKey,
    SettledKey,
    Trial,
)
from keybench.core.rotations.stages import STAGES
from keybench.words.formats import ago, day, day_count, some
from keybench.words.language import _, ngettext
from keybench.workflows.keys.testing import TrialEnd

#: The state of a key that may be in the wrong hands; lists are searched by it.
COMPROMISED: Final = _("Compromised")
NO_USE: Final = _("no use known")


@dataclass(frozen=True, slots=True)
class StateWords:
    """A state as shown, in a tone: ``good``, ``warning``, ``bad`` or ``dim``."""

    text: str
    tone: str


#: How a key's test ended, in a count.
TEST_WORDS: Final = {
    TrialEnd.WORKING: _("working"),
    TrialEnd.REFUSED: _("refused"),
    TrialEnd.NO_VALUE: _("without a usable value"),
    TrialEnd.NO_ANSWER: _("without an answer"),
    TrialEnd.NOT_TESTED: _("not tested"),
}


def key_state(key: SecurityKey) -> StateWords:
    return StateWords(COMPROMISED, "bad") if key.compromised else looked_state(key)


def looked_state(key: SecurityKey) -> StateWords:
    text, tone = _STATES[key.state]
    return StateWords(text.format(status=key.status), tone)


_STATES: Final = {
    KeyState.WORKING: (_("Working"), "good"),
    KeyState.REFUSED: (_("Refused {status}"), "bad"),
    KeyState.FORBIDDEN: (_("Forbidden {status}"), "bad"),
    KeyState.VALUE_LOST: (_("Value missing"), "bad"),
    KeyState.NO_VALUE: (_("No value here"), "warning"),
    KeyState.KEPT: (_("Not tested"), "dim"),
}


@dataclass(frozen=True, slots=True)
class SettledWords:
    """How a key turned out of which nobody could tell, as shown, and its state in a word for programs."""

    title: str
    text: str
    tone: Literal["good", "info", "warning"]
    state: str


def settled_words(settled: SettledKey) -> SettledWords:
    words = _CLEARED[settled.cleared] if settled.key is None else _ADDED
    name = settled.plan.name
    return replace(words, title=words.title.format(name=name), text=words.text.format(name=name))


_ADDED: Final = SettledWords(_("“{name}” was added."), _("It had been requested before."), "good", "added")
_CLEARED: Final = {
    Cleared.DELETED: SettledWords(
        _("“{name}” was deleted at the gateway again."),
        _("Its value was lost on the way, or it wasn't wanted any more. Nothing of it is left."),
        "info",
        "deleted",
    ),
    Cleared.UNSURE: SettledWords(
        _("“{name}” may be left at the gateway."),
        _("Look for a key “{name}” that nobody uses in the gateway's portal, and delete it there."),
        "warning",
        "unknown",
    ),
    Cleared.NONE: SettledWords(
        _("“{name}” was not created."), _("Nothing of it is left."), "info", "not_made"
    ),
}


def marked_state(key: SecurityKey, marks: KeyMarks | None) -> StateWords:
    """Return what calls most for a look: trouble, a rotation under way, idleness, or how the key stands."""
    state = key_state(key)
    if marks is None or state.tone in {"bad", "warning"}:
        return state
    if marks.rotating:
        stages = len(STAGES)
        return StateWords(
            _("Rotating {stage} of {stages}").format(stage=marks.stage, stages=stages), "accent"
        )
    if not marks.idle_days:
        return state
    return StateWords(ngettext("Idle 1 day", "Idle {count} days", marks.idle_days), "warning")


def used_by(marks: KeyMarks, owner: str) -> str:
    named = ", ".join(marks.applications) or _("no application recorded")
    return _("{named} · owner: {owner}").format(named=named, owner=owner) if owner else named


def created(key: SecurityKey, marks: KeyMarks | None, now: datetime) -> str:
    made = day(key.created_at)
    due = marks.due_days if marks else None
    if due is None:
        return f"{made} · {ago(key.created_at, now)}"
    if due > 0:
        return _("{made} · rotation due in {days}").format(made=made, days=day_count(due))
    if due == 0:
        return _("{made} · rotation due today").format(made=made)
    return _("{made} · rotation overdue by {days}").format(made=made, days=day_count(-due))


def last_used(key: SecurityKey, marks: KeyMarks, now: datetime) -> str:
    """Return when a key was last used and tested: ``3 h ago · tested 2 min ago``."""
    return f"{used_words(marks.last_use, now)} · {test_words(key, now)}"


def used_words(last_use: datetime | None, now: datetime) -> str:
    return ago(last_use, now) if last_use else NO_USE


_TRIALS: Final = {
    Trial.NOT_REACHED: _("not reached"),
    Trial.NO_ANSWER: _("no answer"),
    Trial.TOO_OFTEN: _("rate limit"),
    Trial.GATEWAY_FAILED: _("gateway failed"),
    Trial.UNCLEAR: _("unclear answer"),
}


def test_words(key: SecurityKey, now: datetime) -> str:
    """Return when a key was last tested, as said of it: ``tested 2 min ago: no answer`` or ``never tested``."""
    return (
        _("tested {last_tested}").format(last_tested=last_tested(key, now))
        if key.last_test_at
        else _("never tested")
    )


def test_result(key: SecurityKey) -> StateWords:
    if key.trial:
        return StateWords(trial_word(key.trial), "warning")
    match key.state:
        case KeyState.WORKING:
            return StateWords(_("✓ accepted ({status})").format(status=key.status), "good")
        case KeyState.REFUSED | KeyState.FORBIDDEN:
            return StateWords(_("✕ refused ({status})").format(status=key.status), "bad")
        case _:
            return StateWords(_("never"), "dim")


def last_tested(key: SecurityKey, now: datetime) -> str:
    """Return when a key was last tested, and why that told nothing if it didn't; or ``never``."""
    if key.tried_at and key.trial:
        return f"{ago(key.tried_at, now)}: {trial_word(key.trial)}"
    return ago(key.tested_at, now) if key.tested_at else _("never")


def trial_word(trial: Trial) -> str:
    return _TRIALS[trial]


#: That a key has no value here, and what to do about it.
_WITHOUT_VALUE: Final = {
    KeyState.NO_VALUE: (
        _("No value here"),
        _("Only its description was imported. Give it a value to test it or to sell with it."),
    ),
    KeyState.VALUE_LOST: (
        _("No value here: the keystore doesn't have it"),
        _("The keystore doesn't have the value that was kept. Give it its value again, or rotate it."),
    ),
}


def without_value(key: SecurityKey) -> str:
    return _WITHOUT_VALUE[key.state][0] if key.state in _WITHOUT_VALUE else ""


def why_without_value(key: SecurityKey) -> str:
    return _WITHOUT_VALUE[key.state][1] if key.state in _WITHOUT_VALUE else ""


def choice_words(key: SecurityKey) -> str:
    marks = (_("compromised") if key.compromised else "", "" if key.has_value else _("no value here"))
    return " · ".join(filter(None, (key.name, *marks)))


def told_key(key: SecurityKey) -> str:
    """Return a key as a question names it: what a list calls it, with its fingerprint if it is known."""
    return f"{choice_words(key)} ({key.fingerprint})" if key.fingerprint else choice_words(key)


def kind_word(kind: KeyKind) -> str:
    return _("private") if kind is KeyKind.PRIVATE else _("public")


def kind_words(kind: KeyKind) -> str:
    return _("server side, full access") if kind is KeyKind.PRIVATE else _("client side, cannot sell")


_HINTS = {
    HINT_BEARER: _(
        "It begins with words of a request's header, such as “Bearer”. Keys are sent bare: take them away."
    ),
    HINT_INNER_SPACE: _("There is a space inside it. Keys have none: perhaps more than the key was copied."),
    HINT_PARTNER: _("This looks like a partner key (v4_secret_…). It is refused where devices sell."),
    HINT_LOOKS_PUBLIC: _("This looks like a public key, and you chose Private. Public keys can't sell."),
    HINT_LOOKS_PRIVATE: _(
        "This looks like a private key, and you chose Public. Private keys belong on servers only."
    ),
    HINT_UNUSUAL: _(
        "Keys usually are 32 letters and digits. Check that all of it was copied, and nothing else."
    ),
}


def hint_sentence(hint: str) -> str:
    return _HINTS.get(hint, "")


def same_value_sentence(rows: Iterable[InventoryRow], value: str, where: str, but: str = "") -> str:
    """Return whose value one of fingerprint `value` is already, but for the key `but`; empty if nobody's."""
    same = [row for row in rows if value and row.key.fingerprint == value and row.key.id != but]
    names = [
        row.key.name
        if row.environment.id == where
        else _("{name} in {environment}").format(name=row.key.name, environment=marking(row.environment))
        for row in same
    ]
    if len(same) == 1 and same[0].environment.id == where:
        return _("This is {name}'s value.").format(name=names[0])
    return _("This is the value of {names}.").format(names=some(names)) if names else ""
