"""Add a New Key, as the portal does it: made by the gateway where it can, else pasted from the portal.

Steps are undone in reverse when a later one fails, so nothing half-made is left behind: a key the gateway
made and we couldn't keep is deleted there, and a value without its line in the journal is erased.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from keybench.core.environment import Environment
from keybench.core.errors import GatewayError, JournalError, NameTaken
from keybench.core.events import KeysChanged
from keybench.core.fingerprint import fingerprint, folded_fingerprint
from keybench.core.ports import CreatedKey, PortalUser, entry_of
from keybench.core.secret import Secret
from keybench.core.security_key import KeyDraft, SecurityKey, tidy_value
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.workflows.calling import Calling
from keybench.workflows.guard import guarded
from keybench.workflows.noting import note_activity
from keybench.workflows.world import World


@dataclass(frozen=True, slots=True)
class AddedKey:
    """A key that is now kept.

    Attributes:
        key: What is known of it.
        trimmed: How many stray characters round a pasted value were left out.
        hint: Why a pasted value's form is odd for its kind, as a stable word, or empty.
    """

    key: SecurityKey
    trimmed: int = 0
    hint: str = ""


@guarded
class AddKey:
    """The use case."""

    def __init__(self, world: World, calling: Calling) -> None:
        self._world = world
        self._calling = calling

    async def users(self, environment: Environment) -> Sequence[PortalUser]:
        """Return the account's users where the gateway lists them, else nothing.

        Raises:
            GatewayError: It can list them and didn't.
        """
        if not self._world.gateway.facts(environment.contract).can_list_users:
            return ()
        return await self._world.portal.users(environment, await self._calling.base_url(environment))

    async def check(self, environment: Environment, draft: KeyDraft) -> KeyDraft:
        """Return the draft with its texts tidied, for checks as one types.

        Raises:
            NameInvalid, NameTaken, CardDataRefused: A field can't be used.
        """
        tidy = replace(
            draft,
            name=clean_text("key name", draft.name),
            username=clean_text("username", draft.username),
            permission=clean_text("permission", draft.permission),
            purpose=clean_text("purpose", draft.purpose, limit=PURPOSE_LIMIT, required=False),
        )
        keys = await self._world.journal.keys(environment.id)
        if any(tidy.name.casefold() == key.name.casefold() for key in keys):
            raise NameTaken("key", tidy.name)
        return tidy

    async def create(self, environment: Environment, draft: KeyDraft) -> AddedKey:
        """Have the gateway make the key and keep its value.

        Raises:
            InputInvalid: A field can't be used; nothing was made.
            GatewayError: The gateway didn't make it.
            KeystoreError, JournalError: It was made, couldn't be kept, and was deleted there again.
        """
        tidy = await self.check(environment, draft)
        base_url = await self._calling.base_url(environment)
        portal = self._world.portal
        created = await portal.create_key(environment, base_url, tidy, str(uuid.uuid4()))
        try:
            key = await self._keep(environment, tidy, created)
        except BaseException:
            # If the gateway can't take it back either, the first error still tells more.
            with suppress(GatewayError):
                await portal.delete_key(environment, base_url, created.gateway_id)
            raise
        return AddedKey(key)

    async def keep(self, environment: Environment, draft: KeyDraft, pasted: str) -> AddedKey:
        """Keep a key that was made in the portal and whose value was pasted.

        Raises:
            InputInvalid: A field or the value can't be used; nothing was kept.
            KeystoreError, JournalError: It couldn't be kept.
        """
        tidy = await self.check(environment, draft)
        value = tidy_value(pasted, tidy.kind)
        key = await self._keep(environment, tidy, CreatedKey("", value.value))
        return AddedKey(key, value.trimmed, value.hint)

    async def _keep(self, environment: Environment, draft: KeyDraft, created: CreatedKey) -> SecurityKey:
        key = self._described(environment, draft, created)
        await self._world.keystore.write(entry_of(key), created.value)
        try:
            await self._note(key)
        except BaseException:
            await self._world.keystore.put_back(entry_of(key), None)
            raise
        self._world.events.publish(KeysChanged(environment.id))
        return key

    async def _note(self, key: SecurityKey) -> None:
        journal = self._world.journal
        await journal.add_key(key)
        try:
            await note_activity(self._world, "key added", key.environment_id, key.name, key.fingerprint)
        except BaseException:
            with suppress(JournalError):
                await journal.remove_key(key.id)
            raise

    def _described(self, environment: Environment, draft: KeyDraft, created: CreatedKey) -> SecurityKey:
        value: Secret = created.value
        return SecurityKey(
            id=uuid.uuid4().hex,
            environment_id=environment.id,
            name=draft.name,
            username=draft.username,
            permission=draft.permission,
            kind=draft.kind,
            purpose=draft.purpose,
            fingerprint=fingerprint(value),
            folded_fingerprint=folded_fingerprint(value),
            created_at=self._world.clock.now(),
            gateway_id=created.gateway_id,
        )
