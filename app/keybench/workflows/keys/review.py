"""Reviews all keys: findings worst first, reminders, the leaver check; it never asks the keystore."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.core.errors import GatewayError
from keybench.core.keys.leaver import LeaverCheck, leaver_check, usernames
from keybench.core.keys.review import WITHIN_DAYS, Dismissal, Due, Finding, Reminder, Snapshot, reminders
from keybench.core.keys.review_rules import review
from keybench.core.ports import PortalUser
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.runtime.documents import UnreadableDocument, from_plain, to_plain
from keybench.runtime.saving import save
from keybench.runtime.worker import run_in_thread
from keybench.workflows.console import Console
from keybench.workflows.guard import guarded
from keybench.workflows.keys.admin_settings import SettingsOfKeys

_DISMISSED: Final = "keys.dismissed"
#: Which kind of finding says the same as what is overdue.
_SAID_BY: Final = {Due.OVERLAP: "rotation", Due.AGE: "old", Due.IDLE: "idle"}
#: For how long a finding can be dismissed at the most, in days; longer is a limit to be set otherwise.
LONGEST_DAYS: Final = 365


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What one look at all keys showed; dismissals are by the identity of what they dismiss.

    `reminders` are what is overdue and isn't dismissed as a finding, then what becomes due within days.
    """

    at: datetime
    findings: tuple[Finding, ...]
    dismissed: Mapping[str, Dismissal]
    reminders: tuple[Reminder, ...]
    usernames: tuple[str, ...]
    keys: int

    @property
    def standing(self) -> tuple[Finding, ...]:
        """The findings that nobody dismissed."""
        return tuple(one for one in self.findings if one.identity not in self.dismissed)


@guarded
class Review:
    """The use cases of the review; every method may raise a JournalError."""

    def __init__(self, console: Console, settings: SettingsOfKeys) -> None:
        self._console = console
        self._world = console.world
        self._settings = settings
        self._users: dict[str, Sequence[PortalUser]] = {}

    async def look(self) -> Reviewed:
        """Look at all keys and return what was found, from the journal and what gateways answered before."""
        snapshot = await self._snapshot()
        dismissed = _in_force(await self._world.installation.setting(_DISMISSED), snapshot.now)
        # With thousands of keys it takes longer than the window may stand still.
        return await run_in_thread("keybench review", partial(_reviewed, snapshot, dismissed))

    async def reminders(self, within_days: int = WITHIN_DAYS) -> Sequence[Reminder]:
        """Return what becomes due within so many days, the soonest first."""
        return reminders(await self._snapshot(), within_days)

    async def ask_users(self, only: str | None = None) -> Sequence[Environment]:
        """Ask gateways for their users, and return the environments that gave no answer."""
        silent = []
        for environment in await self._console.environments.all():
            offered = self._console.environments.facts(environment).can_list_users
            if not offered or only not in {None, environment.id}:
                continue
            if not await self._world.keys.keys(environment.id):
                continue  # nothing to compare with, so there is no need to start the practice gateway
            try:
                base_url = await self._console.calling.base_url(environment)
                self._users[environment.id] = await self._world.portal.users(environment, base_url)
            except GatewayError:
                self._users.pop(environment.id, None)
                silent.append(environment)
        return silent

    async def leaver(self, username: str) -> LeaverCheck:
        """Return all keys of a username, in any case of letters, in every environment."""
        return leaver_check(await self._snapshot(), clean_text("username", username))

    async def save_leaver(self, check: LeaverCheck, text: str, path: Path) -> None:
        """Save a leaver check's text, and note that it was made."""
        await save(path, text)
        await self._world.note_activity("leaver checked", "", check.username, f"{len(check.keys)} keys")

    async def dismiss(
        self, findings: Sequence[Finding], reason: str, days: int, by: str
    ) -> Sequence[Dismissal]:
        """Let findings stay for some days, for one written reason, and return how that is kept."""
        now = self._world.clock.now()
        until = now + timedelta(days=min(max(days, 1), LONGEST_DAYS))
        written = clean_text("reason", reason, limit=PURPOSE_LIMIT)
        who = clean_text("your name", by)
        dismissals = [Dismissal(one.identity, written, until, who, now) for one in findings]
        await self._keep_dismissals({one.finding: one for one in dismissals})
        for one in findings:  # each has its line: a key's activity tells of it
            await self._world.note_activity(
                "finding dismissed", one.environment.id, one.name, written, by=who
            )
        return dismissals

    async def restore(self, findings: Sequence[Finding]) -> None:
        """List dismissed findings again."""
        await self._keep_dismissals({one.identity: None for one in findings})
        for one in findings:
            await self._world.note_activity("finding restored", one.environment.id, one.name, one.id)

    async def _keep_dismissals(self, changed: Mapping[str, Dismissal | None]) -> None:
        now = self._world.clock.now()

        def move(stored: str) -> str:
            others = [one for one in _stored(stored) if not _is_over(one, now) and _of(one) not in changed]
            plain = [to_plain(one) for one in changed.values() if one is not None]
            return json.dumps([*others, *plain], ensure_ascii=False)

        await self._world.installation.update_setting(_DISMISSED, move)

    async def _snapshot(self) -> Snapshot:
        journal = self._world.journal
        environments = await journal.environments()
        facts = {one.id: self._console.environments.facts(one) for one in environments}
        return Snapshot(
            now=self._world.clock.now(),
            environments=environments,
            keys=await journal.all_keys(),
            applications=await journal.applications(),
            rotations=await journal.rotations(),
            users={one: users for one, users in self._users.items() if one in facts},
            permissions={one: known.permissions for one, known in facts.items()},
            settings=await self._settings.read(),
        )


def _reviewed(snapshot: Snapshot, dismissed: Mapping[str, Dismissal]) -> Reviewed:
    findings = review(snapshot)
    left = {
        (one.id, one.key.id if one.key else "", one.subject) for one in findings if one.identity in dismissed
    }
    return Reviewed(
        at=snapshot.now,
        findings=findings,
        dismissed={one.identity: dismissed[one.identity] for one in findings if one.identity in dismissed},
        reminders=tuple(one for one in reminders(snapshot) if not _is_left(one, left)),
        usernames=usernames(snapshot),
        keys=len(snapshot.known_keys),
    )


def _is_left(reminder: Reminder, dismissed: Collection[tuple[str, str, str]]) -> bool:
    """Return whether the finding that says the same as an overdue reminder is dismissed."""
    key, rotation = reminder.key.id if reminder.key else "", reminder.rotation.id if reminder.rotation else ""
    return reminder.is_overdue and (_SAID_BY[reminder.what], key, rotation) in dismissed


def _in_force(stored: str, now: datetime) -> dict[str, Dismissal]:
    """Return the stored dismissals by what they dismiss; what can't be read dismisses nothing."""
    kept = [one for plain in _stored(stored) if (one := _read(plain))]
    return {one.finding: one for one in kept if one.until > now}


def _stored(stored: str) -> list[object]:
    with suppress(ValueError):
        plain = json.loads(stored or "[]")
        return plain if isinstance(plain, list) else []
    return []


def _read(plain: object) -> Dismissal | None:
    """Return a stored dismissal; what a newer Keybench says of it besides is left to that one."""
    known = {one.name for one in fields(Dismissal)}
    own = {name: plain[name] for name in plain.keys() & known} if isinstance(plain, dict) else plain
    try:
        return from_plain(Dismissal, own)
    except UnreadableDocument:
        return None


def _of(plain: object) -> str | None:
    finding = plain.get("finding") if isinstance(plain, dict) else None
    return finding if isinstance(finding, str) else None


def _is_over(plain: object, now: datetime) -> bool:
    """Return whether a stored dismissal's time is over; nobody can tell of one that can't be read."""
    dismissal = _read(plain)
    return dismissal is not None and dismissal.until <= now
