"""Reviews all keys: findings worst first, reminders, the leaver check; it never asks the keystore."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.core.errors import GatewayError
from keybench.core.keys.leaver import LeaverCheck, leaver_check, usernames
from keybench.core.keys.review import WITHIN_DAYS, Dismissal, Finding, Reminder, Snapshot, reminders
from keybench.core.keys.review_rules import review
from keybench.core.ports import PortalUser
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.runtime.documents import UnreadableDocument, from_plain, to_plain
from keybench.runtime.saving import save
from keybench.runtime.worker import run_in_thread
from keybench.workflows.console import Console
from keybench.workflows.guard import guarded
from keybench.workflows.keys.inventory import SettingsOfKeys

_DISMISSED: Final = "keys.dismissed"
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
        stored = await self._world.journal.setting(_DISMISSED)
        dismissed = {one.finding: one for one in _in_force(stored, snapshot.now)}
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
            if not await self._world.journal.keys(environment.id):
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
        await self._keep({one.identity for one in findings}, dismissals)
        for one in findings:  # each has its line: a key's activity tells of it
            await self._world.note_activity(
                "finding dismissed", one.environment.id, one.name, written, by=who
            )
        return dismissals

    async def restore(self, findings: Sequence[Finding]) -> None:
        """List dismissed findings again."""
        await self._keep({one.identity for one in findings})
        for one in findings:
            await self._world.note_activity("finding restored", one.environment.id, one.name, one.id)

    async def _keep(self, findings: Collection[str], dismissals: Sequence[Dismissal] = ()) -> None:
        """Keep findings as they are dismissed now, or not any more."""
        now = self._world.clock.now()

        def move(stored: str) -> str:
            others = [one for one in _in_force(stored, now) if one.finding not in findings]
            return json.dumps([to_plain(one) for one in (*others, *dismissals)], ensure_ascii=False)

        await self._world.journal.update_setting(_DISMISSED, move)

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
            team=await self._console.look_at_team(),
        )


def _reviewed(snapshot: Snapshot, dismissed: Mapping[str, Dismissal]) -> Reviewed:
    findings = review(snapshot)
    return Reviewed(
        at=snapshot.now,
        findings=findings,
        dismissed={one.identity: dismissed[one.identity] for one in findings if one.identity in dismissed},
        # What is overdue is a finding, too: who dismissed that one isn't reminded of it.
        reminders=tuple(
            one for one in reminders(snapshot) if not (one.is_overdue and one.identity in dismissed)
        ),
        usernames=usernames(snapshot),
        keys=len(snapshot.known_keys),
    )


def _in_force(stored: str, now: datetime) -> list[Dismissal]:
    """Return the stored dismissals whose time isn't over; what can't be read dismisses nothing."""
    try:
        listed = json.loads(stored or "[]")
    except ValueError:
        return []
    kept: list[Dismissal] = []
    for plain in listed if isinstance(listed, list) else ():
        with suppress(UnreadableDocument):
            kept.append(from_plain(Dismissal, plain))
    return [one for one in kept if one.until > now]
