"""A situation: from a seed to what is broken, how the gateway speaks, what the journal knows, and the truth.

Which cause is the true first one:

- Alone, it is the cause of what is broken. Where nothing is, the verdict is that all that was looked at
  works.
- Of a pair, it is the one that shows. A fault on the way hides what is broken behind it (see `faults`): the
  hidden one needn't be named, and may never be ruled out. Where both show, either may come first, and both
  have to be among the first three.
- Where the same evidence fits other causes, so that nobody could tell (an invalid key, a deleted one and
  another environment's, where the gateway says the same of all three and the journal knows none of them),
  the situation counts as one that can't be told: the true cause has to be among the first three. Which
  these are is computed from the dialect and the journal in `_rivals`, without a look at what the diagnosis
  said.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.conclusion import Diagnosis
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.key import KeyKind
from situations.dialects import Dialect, Said
from situations.faults import FAULTS, NOTHING, Fault
from situations.stage import Stage, staged

_C: Final = Cause
PRACTICE: Final = Dialect("practice", lambda about: Said(0, about), names_cause=True)
#: What the practice gateway says alike.
_SAME_IN_PRACTICE: Final = frozenset({"key_unknown", "key_deleted"})
_ABOUT: Final = {
    _C.KEY_INVALID: ("key_unknown",),
    _C.KEY_WRONG_ENVIRONMENT: ("key_unknown",),
    _C.KEY_EXPIRED_OR_DELETED: ("key_deleted", "key_expired"),
    _C.USER_DISABLED: ("user_disabled",),
    _C.PERMISSION_MISSING: ("permission",),
    _C.ACCOUNT_RESTRICTED: ("account",),
    _C.RATE_LIMIT: ("rate_limit",),
}
_FIRST: Final = 3
#: The layer of sales that are over.
OVER: Final = 6
_PAIRS: Final = 0.3
_HEALTHY: Final = 0.06


@dataclass(frozen=True, slots=True)
class Situation:
    """What is set up.

    Attributes:
        faults: None, one or two; those that show first.
        worked: Whether the key was seen to work before it broke.
        same_user: Whether the console has another key of the same user.
        others: Whether it has a key of another user.
        retested: Whether these were tested once more after it broke.
    """

    seed: int
    dialect: Dialect
    way: str
    faults: tuple[Fault, ...]
    worked: bool
    same_user: bool
    others: bool
    retested: bool
    device: bool

    @property
    def shown(self) -> tuple[Fault, ...]:
        """The faults that nothing else hides; nothing hides how a sale ended that is over."""
        hidden = {
            two
            for one in self.faults
            for two in self.faults
            if one.hides <= two.layer < OVER and not self._tells_by_portal(one, two)
        }
        return tuple(one for one in self.faults if one not in hidden)

    def _tells_by_portal(self, one: Fault, two: Fault) -> bool:
        """Tell whether the practice portal shows a fault that another keeps the key from meeting."""
        is_of_user = two.cause in {_C.USER_DISABLED, _C.PERMISSION_MISSING}
        return self.way == "practice" and is_of_user and one.slot == "value"

    @property
    def causes(self) -> frozenset[Cause]:
        """The true causes, hidden ones included."""
        return frozenset(one.cause for one in self.faults)

    @property
    def rivals(self) -> frozenset[Cause]:
        """The causes that the same evidence fits."""
        if self.keeps_key and not self.faults:
            return frozenset({_C.NOT_A_GATEWAY})
        return frozenset().union(*(_rivals(self, one) for one in self.shown)) - self.causes

    @property
    def keeps_key(self) -> bool:
        """Whether a call without a key meets a page: then none is sent, and nothing tells of it."""
        return "html" in self.dialect.says("missing").kind

    @property
    def name(self) -> str:
        """What it is, in a line."""
        broken = " + ".join(one.name for one in self.faults) or "nothing broken"
        known = [
            "worked before" if self.worked else "never worked",
            *(["a key of its user" + (", retested" if self.retested else "")] if self.same_user else []),
            *(["another's key" + (", retested" if self.retested else "")] if self.others else []),
        ]
        return f"{broken}; {self.dialect.name}, {self.way}; {', '.join(known)}"


def situation_of(seed: int, dialects: Sequence[Dialect]) -> Situation:
    """Return the situation of a seed.

    Args:
        seed: The same seed and dialects always give the same.
        dialects: How gateways may say no, besides the practice gateway's own way.
    """
    chance = random.Random(seed)
    draw = chance.random()
    count = 0 if draw < _HEALTHY else 2 if draw < _HEALTHY + _PAIRS else 1
    faults: list[Fault] = []
    ways = frozenset({"practice", "plain", "tls", "proxy"})
    by_cause: dict[Cause, list[Fault]] = {}
    for one in FAULTS:
        by_cause.setdefault(one.cause, []).append(one)
    while len(faults) < count:
        # Each cause as often as another, however many ways there are to set it up.
        one = chance.choice(by_cause[chance.choice(sorted(by_cause))])
        if one.ways & ways and one.slot not in {it.slot for it in faults} and _may_meet(one, faults):
            faults.append(one)
            ways &= one.ways
    faults.sort(key=lambda one: one.layer)
    way = chance.choice(sorted(ways))
    dialect = PRACTICE if way == "practice" and chance.random() < 0.4 else chance.choice(list(dialects))
    if way == "practice" and not _for_practice(dialect):
        dialect = PRACTICE
    since_start = any(one.since_start for one in faults)
    return Situation(
        seed,
        dialect,
        way,
        tuple(faults),
        worked=not since_start and chance.random() < 0.75,
        same_user=chance.random() < 0.35,
        others=chance.random() < 0.5,
        retested=chance.random() < 0.7,
        device=chance.random() < 0.6,
    )


def _for_practice(dialect: Dialect) -> bool:
    """Tell whether the practice gateway's faults can speak it: v5's envelope, a text or nothing."""
    said = dialect.says("key_unknown")
    return said.kind in {"application/json", ""} and ("message" in said.body or not said.body)


def _may_meet(fault: Fault, others: Sequence[Fault]) -> bool:
    """Tell whether two faults make sense together."""
    slots = {fault.slot, *(one.slot for one in others)}
    # A sale that failed is over before the rest breaks, and needs a key that works.
    return not ("sale" in slots and slots & {"key", "device"}) and not {"way", "tls"} <= slots


async def set_up(situation: Situation, stage: Stage) -> None:
    """Bring a situation about on a stage where everything works."""
    gateway = stage.gateway
    stage.user = "counter1" if situation.way == "practice" else "mira"
    stage.value = await gateway.new_key(stage.new_value(), stage.user, KeyKind.PRIVATE)
    stage.device = "till-1" if situation.device else ""
    for fault in situation.faults:
        if fault.prepare is not None:
            await fault.prepare(stage)
        if fault.since_start and fault.slot == "key":
            await fault.apply(stage)
    is_public = any(fault.name == "a public key" for fault in situation.faults) and situation.seed % 2
    kind = KeyKind.PUBLIC if is_public else KeyKind.PRIVATE
    stage.key = await stage.keep("Till", stage.value, stage.user, kind)
    await _keep_others(situation, stage)
    for key in [*([stage.key] if situation.worked else []), *stage.others]:
        await stage.test(key)
    # A sale that failed comes first: it met what was broken then.
    for fault in sorted(situation.faults, key=lambda one: -one.layer):
        if not (fault.since_start and fault.slot == "key"):
            await fault.apply(stage)
    if situation.retested and not any(one.layer < 3 for one in situation.faults):
        for key in stage.others:
            await stage.test(key)


async def _keep_others(situation: Situation, stage: Stage) -> None:
    for name, user, wanted in (
        ("Second till", stage.user, situation.same_user),
        ("Back office", "admin" if situation.way == "practice" else "ola", situation.others),
    ):
        if wanted:
            value = await stage.gateway.new_key(stage.new_value(), user, KeyKind.PRIVATE)
            stage.others.append(await stage.keep(name, value, user))


@dataclass(frozen=True, slots=True)
class Measured:
    """What a diagnosis made of a situation.

    Attributes:
        order: The causes that something speaks for, the likeliest first.
        took_s: How long the diagnosis took.
    """

    situation: Situation
    trouble: Trouble
    order: tuple[Cause, ...]
    ruled_out: frozenset[Cause]
    took_s: float
    diagnosis: Diagnosis

    @property
    def first(self) -> Cause | None:
        """The first cause; None where everything works."""
        return self.order[0] if self.order else None

    @property
    def can_be_told(self) -> bool:
        """Whether the evidence fits no other cause."""
        return not self.situation.rivals

    @property
    def is_first(self) -> bool:
        """Whether a true cause that shows is the first."""
        shown = {one.cause for one in self.situation.shown}
        if not shown:
            return self.trouble is Trouble.NONE
        return self.first in shown

    @property
    def is_among_three(self) -> bool:
        """Whether every true cause that shows is among the first three."""
        if not self.situation.faults:
            return self.trouble is Trouble.NONE
        return {one.cause for one in self.situation.shown} <= set(self.order[:_FIRST])

    @property
    def wrongly_ruled_out(self) -> frozenset[Cause]:
        """The true causes that were ruled out."""
        return self.ruled_out & self.situation.causes


async def measured(situation: Situation, folder: Path) -> Measured:
    """Set a situation up in a new folder, diagnose it and return what came of it."""
    chance = random.Random(situation.seed + 1)
    kind = EnvironmentKind.LIVE if any(one.is_live for one in situation.faults) else EnvironmentKind.TEST
    async with staged(folder, chance, situation.dialect, situation.way, kind) as stage:
        await set_up(situation, stage)
        question = await stage.question()
        diagnosis = await stage.console.diagnose.run(question)
    conclusion = diagnosis.conclusion
    return Measured(
        situation,
        conclusion.trouble,
        tuple(one.cause for one in conclusion.suspects),
        frozenset(one.cause for one in conclusion.ruled_out),
        diagnosis.took_s,
        diagnosis,
    )


def _rivals(situation: Situation, fault: Fault) -> frozenset[Cause]:
    """Return the causes that a fault can't be told from, by what there is to see."""
    if not fault.about or fault.hides == NOTHING:
        return fault.rivals
    if situation.keeps_key:
        return frozenset({_C.NOT_A_GATEWAY, *_ABOUT})
    if fault.cause in {_C.HEADER_FORM, _C.KEY_WRONG_KIND}:
        return fault.rivals  # another form is accepted; the value's own form shows it
    if fault.cause is _C.KEY_FORM:
        return frozenset() if situation.dialect.names_cause else fault.rivals
    if fault.name == "the other environment's":
        return fault.rivals  # it is accepted there
    dialect = situation.dialect
    rivals = set()
    for cause in _plausible(situation, fault) - {fault.cause}:
        if any(_alike(dialect, fault.about, about) for about in _ABOUT[cause]):
            rivals.add(cause)
    return frozenset(rivals) | fault.rivals


def _plausible(situation: Situation, fault: Fault) -> set[Cause]:
    """Return the causes of a refused key that what is known besides the answer leaves open."""
    since = {
        _C.KEY_EXPIRED_OR_DELETED,
        _C.USER_DISABLED,
        _C.PERMISSION_MISSING,
        _C.ACCOUNT_RESTRICTED,
        _C.RATE_LIMIT,
    }
    left = since if situation.worked else {*_ABOUT}
    if situation.way == "practice":
        # The portal tells of users, and asking again tells of a rate limit.
        left = left - {_C.USER_DISABLED, _C.PERMISSION_MISSING}
    is_of_all = fault.cause in {_C.ACCOUNT_RESTRICTED, _C.RATE_LIMIT}
    if situation.retested and (situation.others or situation.same_user) and not is_of_all:
        left = left - {_C.ACCOUNT_RESTRICTED}
    return set(left)


def _alike(dialect: Dialect, one: str, other: str) -> bool:
    """Tell whether a gateway's answers don't tell what two refusals are about."""
    if dialect.name == "practice":
        return one == other or {one, other} <= _SAME_IN_PRACTICE
    said, by_other, unknown = dialect.says(one), dialect.says(other), dialect.says("key_unknown")
    if dialect.names_cause:
        return said == by_other
    # Words that name nothing tell no more than whether the gateway knows the key.
    return said.status == by_other.status and (said == unknown) == (by_other == unknown)
