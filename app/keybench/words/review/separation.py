"""Findings about keys that should be apart: by application, member, purpose, environment and value."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Self

from keybench.core.application import Application
from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.review import Finding, FindingWords, KeyFinding, Remedy, Severity, Snapshot
from keybench.core.security_key import SecurityKey
from keybench.words.formats import listed, number
from keybench.words.language import _, ngettext

_Located = tuple[SecurityKey, Environment]
#: A finding names so many other keys; a thousand keys with one value make no thousand names.
_NAMED: Final = 5
_PAIR: Final = 2
#: With fewer keys in an environment, one user for all of them is usual.
_MANY_KEYS: Final = 3
_LISTED: Final = re.compile(r"[,;+&]|\s/\s")
_KIND: Final = {
    EnvironmentKind.PRACTICE: _("practice"),
    EnvironmentKind.TEST: _("test"),
    EnvironmentKind.LIVE: _("LIVE"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(KeyFinding):
    """Several applications use one key, several members have it, or its purpose names several.

    Attributes:
        applications: The applications that use it, by name, where there are several.
        members: Who looks after them, where there are several.
        purposes: What its purpose names, where that is several.
    """

    id = "shared"

    applications: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for key, environment in snapshot.known_keys:
            applications = snapshot.applications_of.get(key.id, ())
            purposes = _several(_LISTED.split(key.purpose)) if _LISTED.search(key.purpose) else ()
            if len(applications) > 1:
                yield cls(
                    environment,
                    key,
                    Severity.WARNING,
                    applications=tuple(one.name for one in applications),
                    members=_several(one.owner for one in applications),
                    purposes=purposes,
                )
            elif purposes:
                yield cls(environment, key, Severity.NOTE, purposes=purposes)

    def words(self) -> FindingWords:
        actions = (Remedy.OPEN_APPLICATIONS, Remedy.OPEN_KEY)
        if not self.applications:
            return FindingWords(
                _("One key for several purposes"),
                _(
                    "The purpose of “{name}” names several: {listed}. If it leaks or has to be replaced, all of them stop."
                ).format(name=self.key.name, listed=listed(self.purposes)),
                _("Create a key for each purpose."),
                actions,
            )
        members = (
            _(" They are looked after by {listed}.").format(listed=listed(self.members))
            if self.members
            else ""
        )
        return FindingWords(
            _("One key for several applications"),
            _(
                "“{name}” is used by {listed}.{members} If it leaks or has to be replaced, all of them stop, and nobody can tell which of them made a call."
            ).format(name=self.key.name, listed=listed(self.applications), members=members),
            _("Create a key for each application."),
            actions,
        )

    @property
    def likeness(self) -> str:
        """What it is listed together by: by applications or by its purpose."""
        return f"{self.id}/{bool(self.applications)}"

    def words_together(self, count: int) -> FindingWords:
        actions = (Remedy.OPEN_APPLICATIONS, Remedy.OPEN_KEY)
        if not self.applications:
            return FindingWords(
                ngettext(
                    "1 key serves several purposes", "{count:,} keys serve several purposes", count
                ).format(count=count),
                _("If one of them leaks or has to be replaced, all that it is for stops."),
                _("Create a key for each purpose."),
                actions,
            )
        return FindingWords(
            ngettext(
                "1 key is used by several applications",
                "{count:,} keys are used by several applications",
                count,
            ).format(count=count),
            _(
                "If one of them leaks or has to be replaced, all its applications stop, and nobody can tell which of them made a call."
            ),
            _("Create a key for each application."),
            actions,
        )


def _several(texts: Iterable[str]) -> tuple[str, ...]:
    """Return different texts in order if there are several, else none."""
    different = {text.strip().casefold(): text.strip() for text in texts if text.strip()}
    return tuple(different.values()) if len(different) > 1 else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SameValue(KeyFinding):
    """Other entries have the same value; where money moves in one and not in the other is worst.

    Attributes:
        others: Some of them, by environment and name.
        live_and_not: Whether one of all stands where money moves and another where none does.
    """

    id = "same value"

    others: tuple[_Located, ...]
    total: int
    live_and_not: bool

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        groups: defaultdict[str, list[_Located]] = defaultdict(list)
        for located in snapshot.known_keys:
            groups[located[0].fingerprint].append(located)
        groups.pop("", None)  # values that were never here
        for alike in groups.values():
            if len(alike) > 1:
                yield from cls._of_group(alike)

    @classmethod
    def _of_group(cls, alike: list[_Located]) -> Iterator[Self]:
        live_and_not = len({environment.is_live for _, environment in alike}) > 1
        severity = Severity.BAD if live_and_not else Severity.WARNING
        # One more than is named, for each of them leaves itself out.
        first = alike[: _NAMED + 1]
        for key, environment in alike:
            yield cls(
                environment,
                key,
                severity,
                others=tuple(one for one in first if one[0] is not key)[:_NAMED],
                total=len(alike) - 1,
                live_and_not=live_and_not,
            )

    def words(self) -> FindingWords:
        more = self.total - len(self.others)
        others = listed(
            [_name(one) for one in self.others] + ([_("{more:,} more").format(more=more)] if more else [])
        )
        reason = _(
            "“{name}” and {others} have the fingerprint {fingerprint}, so they share one value."
        ).format(name=self.key.name, others=others, fingerprint=self.key.fingerprint)
        if self.live_and_not:
            return FindingWords(
                _("Same value in test and live"),
                _("{reason} Whoever works with the test key holds the key to real money.").format(
                    reason=reason
                ),
                _("Rotate the live key at once, and find out which of the two entries is the wrong one."),
            )
        return FindingWords(
            _("{count:,} keys share one value").format(count=self.total + 1),
            _(
                "{reason} What happens to one happens to the other, and nobody can tell their calls apart."
            ).format(reason=reason),
            _("Keep one entry and forget the other, or rotate one of them so that each has its own value."),
        )

    @property
    def likeness(self) -> str:
        """What it is listed together by: whether money moves with one of them."""
        return f"{self.id}/{self.live_and_not}"

    def words_together(self, count: int) -> FindingWords:
        if self.live_and_not:
            return FindingWords(
                ngettext(
                    "1 key has the same value in test and live",
                    "{count:,} keys have the same value in test and live",
                    count,
                ).format(count=count),
                _("Whoever works with the test key holds the key to real money."),
                _("Rotate the live keys at once, and find out which of the entries are wrong."),
            )
        return FindingWords(
            _("2 keys share one value")
            if count == _PAIR
            else _("{count:,} keys share their values").format(count=count),
            _("What happens to one happens to the other, and nobody can tell their calls apart."),
            _("Keep one entry of each value and forget the others, or rotate until each has its own."),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedUp(KeyFinding):
    """A key for money is called, or belongs to the same user, as one for tests.

    Attributes:
        same_name: Keys of the same name where no money moves.
        same_user: Keys of the same user where no money moves.
    """

    id = "not separated"

    same_name: tuple[_Located, ...]
    same_user: tuple[_Located, ...]

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        by_name, by_user = defaultdict(list), defaultdict(list)
        for key, environment in snapshot.known_keys:
            if not environment.is_live:
                by_name[key.name.casefold()].append((key, environment))
                by_user[key.username.casefold()].append((key, environment))
        for key, environment in snapshot.known_keys:
            if not environment.is_live:
                continue
            names, users = by_name[key.name.casefold()], by_user[key.username.casefold()]
            if names or users:
                same_name, same_user = tuple(names[:_NAMED]), tuple(users[:_NAMED])
                yield cls(environment, key, Severity.NOTE, same_name=same_name, same_user=same_user)

    def words(self) -> FindingWords:
        seen = []
        if self.same_name:
            seen.append(
                _("has the same name as {listed}").format(
                    listed=listed([_name(one) for one in self.same_name])
                )
            )
        if self.same_user:
            others = listed([_name(one) for one in self.same_user])
            seen.append(
                _("belongs to the user “{username}” as {others} does").format(
                    username=self.key.username, others=others
                )
            )
        return FindingWords(
            _("Live and test aren't separated"),
            _("The live key “{name}” {facts}. Sooner or later one is mistaken for the other.").format(
                name=self.key.name, facts=listed(seen)
            ),
            _("Rotate one of them to a name and a user that tell them apart."),
        )

    def words_together(self, count: int) -> FindingWords:
        return FindingWords(
            ngettext(
                "1 live key shares its name or user with a test key",
                "{count:,} live keys share their name or user with test keys",
                count,
            ).format(count=count),
            _("Sooner or later one is mistaken for the other."),
            _("Rotate one of each pair to a name and a user that tell them apart."),
        )


def _name(located: _Located) -> str:
    key, environment = located
    return _("“{name}” in {environment} ({kind})").format(
        name=key.name, environment=environment.name, kind=_KIND[environment.kind]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OneUser(Finding):
    """All keys of an environment belong to one user."""

    id = "one user for everything"

    username: str
    keys: int

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        users: defaultdict[str, list[str]] = defaultdict(list)
        for key, environment in snapshot.known_keys:
            users[environment.id].append(key.username)
        for environment_id, names in users.items():
            if len(names) >= _MANY_KEYS and len(set(map(str.casefold, names))) == 1:
                environment = snapshot.environment_of[environment_id]
                yield cls(environment, None, Severity.NOTE, username=names[0], keys=len(names))

    def words(self) -> FindingWords:
        return FindingWords(
            _("One user for everything"),
            _(
                "All {number} keys of {name} belong to “{username}”. They may all do the same, and all stop when that user is frozen."
            ).format(number=number(self.keys), name=self.environment.name, username=self.username),
            _(
                "Give each purpose a user with no more permissions than it needs, and rotate its key to that user."
            ),
            (),
        )

    def words_together(self, count: int) -> FindingWords:
        return FindingWords(
            ngettext(
                "1 environment has one user for everything",
                "{count:,} environments have one user for everything",
                count,
            ).format(count=count),
            _("All keys there may do the same, and all stop when that user is frozen."),
            _(
                "Give each purpose a user with no more permissions than it needs, and rotate its key to that user."
            ),
            (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOwner(Finding):
    """Nobody looks after an application."""

    id = "no owner"

    application: Application

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for application in snapshot.applications:
            environment = snapshot.environment_of.get(application.environment_id)
            if environment and not application.owner.strip():
                key = snapshot.key_of.get(application.key_id)
                severity = Severity.WARNING if environment.is_live else Severity.NOTE
                yield cls(environment, key, severity, application.id, application=application)

    def words(self) -> FindingWords:
        key = (
            _(" It uses “{name}”.").format(name=self.key.name)
            if self.key
            else _(" Its key is no longer here.")
        )
        return FindingWords(
            _("Application without owner"),
            _(
                "“{name}” has no owner in the register.{key} When the key has to be replaced, there is nobody to ask."
            ).format(name=self.application.name, key=key),
            _("Name an owner in the register of applications."),
            (Remedy.OPEN_APPLICATIONS, Remedy.OPEN_KEY),
        )

    @property
    def name(self) -> str:
        """The application's name."""
        return self.application.name

    def words_together(self, count: int) -> FindingWords:
        return FindingWords(
            ngettext("1 application has no owner", "{count:,} applications have no owner", count).format(
                count=count
            ),
            _("When their keys have to be replaced, there is nobody to ask."),
            _("Name their owners in the register of applications."),
            (Remedy.OPEN_APPLICATIONS, Remedy.OPEN_KEY),
        )
