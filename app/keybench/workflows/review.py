"""Reviews all keys: findings worst first, reminders, the leaver check; it never asks the keystore."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from keybench.core.admin_settings import AdminSettings
from keybench.core.environment import Environment
from keybench.core.errors import GatewayError
from keybench.core.hygiene.dismissals import Dismissal
from keybench.core.hygiene.estate import Estate
from keybench.core.hygiene.findings import Finding
from keybench.core.hygiene.leaver import LeaverKey, leaver_keys, usernames
from keybench.core.hygiene.reminders import WITHIN_DAYS, Reminder, reminders
from keybench.core.hygiene.review import review
from keybench.core.ports import KeyUse, PortalUser
from keybench.core.security_key import KeyKind, SecurityKey
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.runtime.documents import UnreadableDocument, from_plain, to_plain
from keybench.runtime.saving import save
from keybench.runtime.worker import DaemonWorker
from keybench.workflows.admin_settings import SettingsOfKeys
from keybench.workflows.console import Console
from keybench.workflows.guard import guarded

_DISMISSED: Final = "keys.dismissed"
#: For how long a finding can be dismissed at the most, in days; longer is a limit to be set otherwise.
LONGEST_DAYS: Final = 365


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What one look at all keys showed.

    Attributes:
        at: When, UTC.
        findings: All of them, worst first, those dismissed included.
        dismissed: The dismissals in force, by the identity of what they dismiss.
        reminders: What becomes due within the next days, the soonest first.
        usernames: Every username a key belongs to.
        environments: All environments.
        keys: How many keys were looked at.
    """

    at: datetime
    findings: tuple[Finding, ...]
    dismissed: Mapping[str, Dismissal]
    reminders: tuple[Reminder, ...]
    usernames: tuple[str, ...]
    environments: tuple[Environment, ...]
    keys: int

    @property
    def standing(self) -> tuple[Finding, ...]:
        """The findings that nobody dismissed."""
        return tuple(one for one in self.findings if one.identity not in self.dismissed)


@dataclass(frozen=True, slots=True)
class LeaverCheck:
    """All keys of somebody who leaves, at a moment.

    Attributes:
        username: Whom it is about, as it was entered.
        at: When it was looked, UTC.
        keys: Their keys in the order to deal with them.
        disabled_in: The names of the environments whose gateway says that the user is disabled already.
    """

    username: str
    at: datetime
    keys: tuple[LeaverKey, ...]
    disabled_in: tuple[str, ...] = ()


@guarded
class Review:
    """The use cases of the review; every method may raise a JournalError.

    Args:
        console: The use cases it builds on.
        settings: Where the limits are.
    """

    def __init__(self, console: Console, settings: SettingsOfKeys) -> None:
        self._console = console
        self._world = console.world
        self._settings = settings
        self._users: dict[str, Sequence[PortalUser]] = {}

    async def look(self) -> Reviewed:
        """Look at all keys and return what was found, from the journal and what gateways said before."""
        estate = await self._estate()
        dismissed = _in_force(await self._world.journal.setting(_DISMISSED), estate.now)
        # With thousands of keys it takes longer than the window may stand still.
        worker = DaemonWorker("keybench review")
        try:
            return await worker.run(partial(_reviewed, estate, dismissed))
        finally:
            worker.stop()

    async def findings(self) -> Sequence[Finding]:
        """Return the findings that nobody dismissed, worst first."""
        return (await self.look()).standing

    async def reminders(self, within_days: int = WITHIN_DAYS) -> Sequence[Reminder]:
        """Return what becomes due within so many days, the soonest first."""
        return reminders(await self._estate(), within_days)

    async def limits(self) -> AdminSettings:
        """Return the limits in force."""
        return await self._settings.read()

    async def ask_users(self, only: str | None = None) -> Sequence[Environment]:
        """Ask every gateway that lists its users for them, and return those that gave no answer.

        What a gateway said lasts until it is asked again; of one that gives no answer nothing is claimed.

        Args:
            only: The identifier of the one environment to ask; None for all.
        """
        silent = []
        for place in await self._console.environments.all():
            offered = self._console.environments.facts(place).can_list_users
            if not offered or only not in {None, place.id}:
                continue
            if not await self._world.journal.keys(place.id):
                continue  # nothing to compare with, so there is no need to start the practice gateway
            try:
                base_url = await self._console.calling.base_url(place)
                self._users[place.id] = await self._world.portal.users(place, base_url)
            except GatewayError:
                self._users.pop(place.id, None)
                silent.append(place)
        return silent

    async def leaver(self, username: str) -> LeaverCheck:
        """Return all keys of a username, in any case of letters, in every environment.

        Raises:
            NameInvalid, CardDataRefused: It can't be a username.
        """
        wanted = clean_text("username", username)
        estate = await self._estate()
        folded = wanted.casefold()
        disabled = [
            place.name
            for place in estate.environments
            if (user := estate.users_of.get(place.id, {}).get(folded)) and not user.enabled
        ]
        return LeaverCheck(wanted, estate.now, leaver_keys(estate, wanted), tuple(disabled))

    async def save_leaver(self, check: LeaverCheck, text: str, path: Path) -> None:
        """Save a leaver check's text, and note that it was made.

        Raises:
            FileNotSaved: There is no right or no room to.
        """
        await save(path, text)
        await self._world.note_activity("leaver checked", "", check.username, f"{len(check.keys)} keys")

    async def dismiss(self, finding: Finding, reason: str, days: int, by: str) -> Dismissal:
        """Let a finding stay for some days, for a written reason, and return how that is kept.

        Raises:
            NameInvalid, CardDataRefused: The reason or the name is empty or can't be kept.
        """
        now = self._world.clock.now()
        until = now + timedelta(days=min(max(days, 1), LONGEST_DAYS))
        written = clean_text("reason", reason, limit=PURPOSE_LIMIT)
        dismissal = Dismissal(finding.identity, written, until, clean_text("your name", by), now)
        await self._keep_dismissals({finding.identity: dismissal})
        await self._world.note_activity(
            "finding dismissed", finding.environment.id, _subject(finding), written
        )
        return dismissal

    async def restore(self, finding: Finding) -> None:
        """Tell a dismissed finding again."""
        await self._keep_dismissals({finding.identity: None})
        await self._world.note_activity(
            "finding restored", finding.environment.id, _subject(finding), finding.rule.value
        )

    async def _keep_dismissals(self, changed: Mapping[str, Dismissal | None]) -> None:
        now = self._world.clock.now()

        def move(stored: str) -> str:
            kept = _in_force(stored, now) | dict(changed)
            plain = [to_plain(one) for one in kept.values() if one is not None]
            return json.dumps(plain, ensure_ascii=False)

        await self._world.journal.update_setting(_DISMISSED, move)

    async def _estate(self) -> Estate:
        journal = self._world.journal
        environments = await journal.environments()
        keys = await journal.all_keys()
        facts = {one.id: self._console.environments.facts(one) for one in environments}
        return Estate(
            now=self._world.clock.now(),
            environments=environments,
            keys=keys,
            applications=await journal.applications(),
            rotations=await journal.rotations(),
            uses=await self._uses_of_public(keys),
            users={place: users for place, users in self._users.items() if place in facts},
            permissions={place: known.permissions for place, known in facts.items()},
            settings=await self._settings.read(),
        )

    async def _uses_of_public(self, keys: Sequence[SecurityKey]) -> dict[str, KeyUse]:
        """Return how much public keys sold; counting goes through all sales, so only where there are some."""
        since = [key.created_at for key in keys if key.kind is KeyKind.PUBLIC and key.used_at]
        if not since:
            return {}
        return {use.key_id: use for use in await self._world.journal.key_uses(min(since))}


def _reviewed(estate: Estate, dismissed: Mapping[str, Dismissal]) -> Reviewed:
    findings = review(estate)
    return Reviewed(
        at=estate.now,
        findings=findings,
        dismissed={one.identity: dismissed[one.identity] for one in findings if one.identity in dismissed},
        reminders=reminders(estate),
        usernames=usernames(estate),
        environments=tuple(estate.environments),
        keys=len(estate.known_keys),
    )


def _subject(finding: Finding) -> str:
    return finding.key.name if finding.key else finding.environment.name


def _in_force(stored: str, now: datetime) -> dict[str, Dismissal]:
    """Return the stored dismissals by what they dismiss; what can't be read dismisses nothing."""
    with suppress(ValueError, TypeError):
        kept = [one for plain in json.loads(stored or "[]") if (one := _read(plain))]
        return {one.finding: one for one in kept if one.until > now}
    return {}


def _read(plain: object) -> Dismissal | None:
    try:
        return from_plain(Dismissal, plain)
    except UnreadableDocument:
        return None
