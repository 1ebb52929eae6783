"""Findings about what a key may do: its kind, its user, and the sales it shouldn't make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

from keybench.core.review import FindingWords, KeyFinding, PermissionTypes, Remedy, Severity, Snapshot
from keybench.core.security_key import KeyKind, SecurityKey
from keybench.words.formats import day_and_time, listed, number
from keybench.words.language import _, ngettext

#: Words in a permission's name that say it is more than a key of this kind is there for. The service
#: description names no permissions, so only what every gateway means alike is taken for too much.
_TOO_MUCH: Final = {
    KeyKind.PRIVATE: frozenset({"manage", "admin", "administer", "administration"}),
    KeyKind.PUBLIC: frozenset({"manage", "admin", "administer", "administration", "sell", "sale", "refund"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongKind(KeyFinding):
    """A key has a permission type that the contract gives to the other kind alone."""

    id = "wrong kind"

    fits: KeyKind

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for key, environment in snapshot.known_keys:
            fits = _fitting(snapshot.permissions.get(environment.id, {}), key)
            if fits:
                yield cls(environment, key, Severity.WARNING, fits=fits)

    def words(self) -> FindingWords:
        key = self.key
        return FindingWords(
            _("Wrong kind of key"),
            _(
                "“{name}” is kept as a {kind} key, but its permission type “{permission}” is for {fits} keys. The wrong kind opens a security hole or stops things from working."
            ).format(name=key.name, kind=key.kind, permission=key.permission, fits=self.fits),
            _("Look the key up in the portal. Correct the entry, or create a key of the right kind."),
            (Remedy.OPEN_KEY, Remedy.ROTATE),
        )

    def words_together(self, count: int) -> FindingWords:
        return FindingWords(
            ngettext("1 key is of the wrong kind", "{count:,} keys are of the wrong kind", count).format(
                count=count
            ),
            _(
                "Their permission types are for the other kind of key. The wrong kind opens a security hole or stops things from working."
            ),
            _("Look them up in the portal. Correct the entries, or create keys of the right kind."),
            (Remedy.OPEN_KEY, Remedy.ROTATE),
        )


def _fitting(types: PermissionTypes, key: SecurityKey) -> KeyKind | None:
    kinds = {kind for kind, names in types.items() if key.permission.casefold() in map(str.casefold, names)}
    return None if not kinds or key.kind in kinds else kinds.pop()


@dataclass(frozen=True, slots=True, kw_only=True)
class UserGone(KeyFinding):
    """A key's user is disabled, or the gateway doesn't list them any more.

    Attributes:
        disabled: Whether they are listed, and disabled.
    """

    id = "user gone"

    disabled: bool

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for key, environment in snapshot.known_keys:
            users = snapshot.users_of.get(environment.id)
            if users is None:
                continue
            user = users.get(key.username.casefold())
            if user is None or not user.enabled:
                yield cls(environment, key, Severity.BAD, disabled=user is not None)

    def words(self) -> FindingWords:
        what = _("is frozen") if self.disabled else _("isn't among the account's users any more")
        return FindingWords(
            _("User is frozen") if self.disabled else _("User has left"),
            _(
                "“{name}” belongs to “{username}”, who {what}. The key may stop working, or have rights that nobody watches."
            ).format(name=self.key.name, username=self.key.username, what=what),
            _("Rotate it to a user who is there, and delete the old key."),
        )

    @property
    def likeness(self) -> str:
        """What it is listed together by: whether the user is listed."""
        return f"{self.id}/{self.disabled}"

    def words_together(self, count: int) -> FindingWords:
        reason = _("They may stop working, or have rights that nobody watches.")
        remedy = _("Rotate each to a user who is there, and delete the old keys.")
        if self.disabled:
            title = ngettext(
                "1 key belongs to a frozen user", "{count:,} keys belong to frozen users", count
            ).format(count=count)
        else:
            title = ngettext(
                "1 key belongs to a user who has left", "{count:,} keys belong to users who have left", count
            ).format(count=count)
        return FindingWords(title, reason, remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surplus(KeyFinding):
    """A key's user may manage what the key, as far as seen from here, only sells with or reads.

    Attributes:
        extra: What the key inherits without need, in the gateway's words.
    """

    id = "more permissions than needed"

    extra: tuple[str, ...]

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for key, environment in snapshot.known_keys:
            user = snapshot.users_of.get(environment.id, {}).get(key.username.casefold())
            if user is None or not (key.used_at or key.tested_at):
                continue
            extra = tuple(word for word in user.permissions if _is_too_much(word, key.kind))
            if extra:
                yield cls(environment, key, Severity.WARNING, extra=extra)

    def words(self) -> FindingWords:
        key = self.key
        use = (
            _("only sells and reads") if key.kind is KeyKind.PRIVATE else _("is where everybody can read it")
        )
        return FindingWords(
            _("More permissions than it needs"),
            _(
                "“{name}” inherits everything its user “{username}” may do, including {listed}. "
                "As far as Keybench sees, it {use}."
            ).format(name=key.name, username=key.username, listed=listed(self.extra), use=use),
            _("Rotate it to a user with fewer permissions, or take these from the user."),
        )

    def words_together(self, count: int) -> FindingWords:
        return FindingWords(
            ngettext(
                "1 key has more permissions than it needs",
                "{count:,} keys have more permissions than they need",
                count,
            ).format(count=count),
            _("A key inherits everything its user may do."),
            _("Rotate them to users with fewer permissions, or take these from the users."),
        )


def _is_too_much(permission: str, kind: KeyKind) -> bool:
    return not _TOO_MUCH[kind].isdisjoint(permission.casefold().replace("_", " ").split())


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicSells(KeyFinding):
    """Sales were sent with a public key.

    Attributes:
        sales: How many the journal knows of; 0 where it only knows that there were some.
        last_at: When the newest was sent, UTC.
    """

    id = "public key sells"

    sales: int
    last_at: datetime

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for key, environment in snapshot.known_keys:
            use = snapshot.uses.get(key.id)
            last_at = use.last_at if use else key.used_at
            if key.kind is KeyKind.PUBLIC and last_at:
                yield cls(environment, key, Severity.BAD, sales=use.sales if use else 0, last_at=last_at)

    def words(self) -> FindingWords:
        sent = ngettext(
            "{count} sale was sent with “{key}”, last on {when}.",
            "{count} sales were sent with “{key}”, last on {when}.",
            self.sales,
        )
        sent = sent if self.sales else _("Sales were sent with “{key}”, last on {when}.")
        sent = sent.format(count=number(self.sales), key=self.key.name, when=day_and_time(self.last_at))
        return FindingWords(
            _("Public key used for sales"),
            _("{sent} A public key is where everybody can read it, so it must not sell.").format(sent=sent),
            _(
                "Use a private key for sales. If this one was accepted, take its user's permission to sell away."
            ),
        )

    def words_together(self, count: int) -> FindingWords:
        return FindingWords(
            ngettext(
                "1 public key was used for sales", "{count:,} public keys were used for sales", count
            ).format(count=count),
            _("A public key is where everybody can read it, so it must not sell."),
            _(
                "Use private keys for sales. If these were accepted, take their users' permission to sell away."
            ),
        )
