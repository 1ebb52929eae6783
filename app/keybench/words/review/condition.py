"""Findings about one key by itself: its age, its use, its tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from keybench.core.environment import Environment
from keybench.core.review import FindingWords, KeyFinding, Remedy, Severity, Snapshot
from keybench.core.security_key import KeyState, SecurityKey
from keybench.words.formats import day, day_and_time, day_count
from keybench.words.keys import trial_word
from keybench.words.language import _, ngettext

#: A key that is so many times as old as its limit was not forgotten for just a week.
_FAR_OVER = 2
_TEST = (Remedy.TEST, Remedy.ROTATE, Remedy.OPEN_KEY)


@dataclass(frozen=True, slots=True)
class Compromised(KeyFinding):
    """A key may be in the wrong hands, and nobody has seen that it is deleted and refused.

    The subject is its rotation, if there is one.
    """

    id = "compromised"

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for key, environment in snapshot.known_keys:
            if key.compromised:
                rotation = snapshot.open_rotations.get(key.id)
                yield cls(environment, key, Severity.BAD, rotation.id if rotation else "")

    def words(self) -> FindingWords:
        title = _("Compromised")
        reason = _(
            "“{name}” may be in the wrong hands, and nobody has seen yet that it is deleted and refused."
        ).format(name=self.key.name)
        if self.subject:
            return FindingWords(
                title,
                _("{reason} Its rotation is under way.").format(reason=reason),
                _("Continue its rotation at once, until the old key is refused."),
                (Remedy.OPEN_ROTATION, Remedy.OPEN_KEY),
            )
        return FindingWords(
            title,
            _("{reason} No rotation of it is under way.").format(reason=reason),
            _("Rotate it at once, review the access logs, and contact support."),
        )

    @property
    def likeness(self) -> str:
        """What it is listed together by: whether its rotation is under way."""
        return f"{self.id}/{bool(self.subject)}"

    def words_together(self, count: int) -> FindingWords:
        title = ngettext("1 key is compromised", "{count:,} keys are compromised", count).format(count=count)
        reason = _(
            "They may be in the wrong hands, and nobody has seen yet that they are deleted and refused."
        )
        if self.subject:
            return FindingWords(
                title,
                reason,
                _("Their rotations are under way. Continue them at once, until the old keys are refused."),
                (Remedy.OPEN_ROTATION, Remedy.OPEN_KEY),
            )
        return FindingWords(
            title,
            reason,
            _("Rotate each of them at once, review the access logs, and contact support."),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Old(KeyFinding):
    """A key is older than its limit; one that is being rotated is on its way out already.

    Attributes:
        days: How old it is, as far as Keybench knows it.
        limit: How old it may become, in days.
    """

    id = "old"

    days: int
    limit: int

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for key, environment in snapshot.known_keys:
            due = snapshot.old_from(key, environment)
            if due is None or snapshot.now < due or key.id in snapshot.open_rotations:
                continue
            days, limit = snapshot.days_since(key.created_at), snapshot.settings.age_days(environment.kind)
            is_bad = environment.is_live and days >= _FAR_OVER * limit
            severity = Severity.BAD if is_bad else Severity.WARNING
            yield cls(environment, key, severity, days=days, limit=limit)

    def words(self) -> FindingWords:
        return FindingWords(
            _("Older than its limit"),
            _(
                "As far as Keybench knows, “{name}” was created on {day}, {day_count} ago; the limit is {day_count_2}. "
                "The longer a key is in use, the more places have seen it."
            ).format(
                name=self.key.name,
                day=day(self.key.created_at),
                day_count=day_count(self.days),
                day_count_2=day_count(self.limit),
            ),
            _("Rotate it."),
        )

    def words_together(self, count: int) -> FindingWords:
        return FindingWords(
            ngettext(
                "1 key is older than its limit", "{count:,} keys are older than their limit", count
            ).format(count=count),
            _("The longer a key is in use, the more places have seen it."),
            _("Rotate them, one after the other. The list begins where money moves."),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle(KeyFinding):
    """Nobody was seen to use a key for long; one without its value can't be used from here at all.

    Attributes:
        used_at: When it was last seen in use, UTC; None if never.
    """

    id = "idle"

    days: int
    used_at: datetime | None

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for key, environment in snapshot.known_keys:
            due = snapshot.idle_from(key)
            if (
                due is None
                or snapshot.now < due
                or key.state is KeyState.NO_VALUE
                or _is_going(snapshot, key)
            ):
                continue
            used_at = snapshot.last_use(key)
            days = snapshot.days_since(snapshot.unused_since(key))
            yield cls(environment, key, _severity(environment), days=days, used_at=used_at)

    def words(self) -> FindingWords:
        since = _("since {day}").format(day=day(self.used_at)) if self.used_at else _("since it came here")
        return FindingWords(
            _("Idle for {day_count}").format(day_count=day_count(self.days)),
            _(
                "“{name}” hasn't been seen in use {since}, neither here nor in a registered application. A key that nobody needs is only a risk."
            ).format(name=self.key.name, since=since),
            _("Ask who uses it. If nobody does, delete it; if an application does, add it to the register."),
            (Remedy.OPEN_KEY, Remedy.OPEN_APPLICATIONS),
        )

    def words_together(self, count: int) -> FindingWords:
        return FindingWords(
            ngettext("1 key is idle", "{count:,} keys are idle", count).format(count=count),
            _(
                "They haven't been seen in use for long, neither here nor in a registered application. A key that nobody needs is only a risk."
            ),
            _(
                "Ask who uses each of them. Delete what nobody uses, and add the applications that use the others."
            ),
            (Remedy.OPEN_KEY, Remedy.OPEN_APPLICATIONS),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Untested(KeyFinding):
    """No test of a key has had a result yet, and it has been here for a while.

    Attributes:
        days: Since when Keybench knows it.
    """

    id = "untested"

    days: int

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        limit = snapshot.settings.untested_days
        for key, environment in snapshot.known_keys:
            days = snapshot.days_since(key.known_since)
            if limit and days >= limit and key.tested_at is None and key.state is KeyState.KEPT:
                yield cls(environment, key, _severity(environment), days=days)

    def words(self) -> FindingWords:
        key = self.key
        here = _("“{name}” has been here for {day_count}").format(
            name=key.name, day_count=day_count(self.days)
        )
        if key.tried_at and key.trial:
            return FindingWords(
                _("Tested without a result"),
                _(
                    "{here}. Its last test, on {day_and_time}, had no result ({trial_word}), so nobody knows whether the gateway accepts it."
                ).format(
                    here=here, day_and_time=day_and_time(key.tried_at), trial_word=trial_word(key.trial)
                ),
                _("Test it again. The call is harmless."),
                _TEST,
            )
        return FindingWords(
            _("Never tested"),
            _("{here}, and nobody has tested whether the gateway accepts it.").format(here=here),
            _("Test it. The call is harmless."),
            _TEST,
        )

    @property
    def likeness(self) -> str:
        """What it is listed together by: whether it was tested at all."""
        return f"{self.id}/{bool(self.key.tried_at and self.key.trial)}"

    def words_together(self, count: int) -> FindingWords:
        if self.key.tried_at and self.key.trial:
            return FindingWords(
                ngettext(
                    "1 key was tested without a result",
                    "{count:,} keys were tested without a result",
                    count,
                ).format(count=count),
                _("Nobody knows whether the gateway accepts them."),
                _("Test them again. The calls are harmless."),
                _TEST,
            )
        return FindingWords(
            ngettext("1 key was never tested", "{count:,} keys were never tested", count).format(count=count),
            _("Nobody knows whether the gateway accepts them."),
            _("Test them. The calls are harmless."),
            _TEST,
        )


@dataclass(frozen=True, slots=True)
class Failing(KeyFinding):
    """The gateway refuses a key, or there is no value to test; a key that is going is meant to be refused."""

    id = "failing"

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for key, environment in snapshot.known_keys:
            if _is_going(snapshot, key):
                continue
            match key.state:
                case KeyState.REFUSED | KeyState.FORBIDDEN | KeyState.VALUE_LOST:
                    yield cls(environment, key, Severity.BAD)
                case KeyState.NO_VALUE:
                    yield cls(environment, key, Severity.NOTE)

    def words(self) -> FindingWords:
        key = self.key
        when = (
            _(" on {day_and_time}").format(day_and_time=day_and_time(key.tested_at)) if key.tested_at else ""
        )
        match key.state:
            case KeyState.REFUSED:
                return FindingWords(
                    _("Refused with {status}").format(status=key.status),
                    _(
                        "The gateway didn't know “{name}”{when}. It may be deleted, belong to another environment, or be incomplete."
                    ).format(name=key.name, when=when),
                    _(
                        "Test it again. If it stays refused, create a new key and change the applications that use this one."
                    ),
                    _TEST,
                )
            case KeyState.FORBIDDEN:
                return FindingWords(
                    _("Forbidden with {status}").format(status=key.status),
                    _("The gateway knows “{name}”, and didn't allow it a harmless call{when}.").format(
                        name=key.name, when=when
                    ),
                    _(
                        "Check its user's permissions, its kind and the account's restrictions in the portal; then test it again."
                    ),
                    _TEST,
                )
            case KeyState.NO_VALUE:
                return FindingWords(
                    _("No value here"),
                    _(
                        "“{name}” was imported as a description. Its value was never here, so it can't be tested or rotated from here."
                    ).format(name=key.name),
                    _("Give it its value, or forget the entry if nobody needs it here."),
                    (Remedy.OPEN_KEY,),
                )
            case _:
                return FindingWords(
                    _("Value missing or changed"),
                    _("The keystore no longer has the value that was kept for “{name}”{when}.").format(
                        name=key.name, when=when
                    ),
                    _(
                        "If an application still has the value, enter it again; otherwise create a new key and delete this one in the portal."
                    ),
                    _TEST,
                )

    @property
    def likeness(self) -> str:
        """What it is listed together by: how it fails."""
        return f"{self.id}/{self.key.state}"

    def words_together(self, count: int) -> FindingWords:
        match self.key.state:
            case KeyState.REFUSED:
                return FindingWords(
                    ngettext("1 key is refused", "{count:,} keys are refused", count).format(count=count),
                    _(
                        "The gateway didn't know them. They may be deleted, belong to another environment, or be incomplete."
                    ),
                    _(
                        "Test them again. For each that stays refused, create a new key and change the applications that use it."
                    ),
                    _TEST,
                )
            case KeyState.FORBIDDEN:
                return FindingWords(
                    ngettext(
                        "1 key may not make a harmless call",
                        "{count:,} keys may not make a harmless call",
                        count,
                    ).format(count=count),
                    _("The gateway knows them, and didn't allow them a harmless call."),
                    _(
                        "Check their users' permissions, their kinds and the account's restrictions in the portal; then test them again."
                    ),
                    _TEST,
                )
            case KeyState.NO_VALUE:
                return FindingWords(
                    ngettext("1 key has no value here", "{count:,} keys have no value here", count).format(
                        count=count
                    ),
                    _(
                        "They were imported as descriptions. Their values were never here, so they can't be tested or rotated from here."
                    ),
                    _("Give each its value, or forget the entries that nobody needs here."),
                    (Remedy.OPEN_KEY,),
                )
            case _:
                return FindingWords(
                    ngettext(
                        "The value of 1 key is missing or changed",
                        "The values of {count:,} keys are missing or changed",
                        count,
                    ).format(count=count),
                    _("The keystore no longer has the values that were kept for them."),
                    _(
                        "If an application still has a value, enter it again; otherwise create a new key and delete the old one in the portal."
                    ),
                    _TEST,
                )


def _is_going(snapshot: Snapshot, key: SecurityKey) -> bool:
    """Return whether a rotation was already asked to delete the key."""
    rotation = snapshot.open_rotations.get(key.id)
    return rotation is not None and rotation.deletion is not None


def _severity(environment: Environment) -> Severity:
    return Severity.WARNING if environment.is_live else Severity.NOTE
