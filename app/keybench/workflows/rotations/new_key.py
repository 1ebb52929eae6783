"""A rotation's new key: created as every key is, see `keys.creation`; compared with the old one; tested."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from http import HTTPStatus

from keybench.core.errors import GatewayError, JournalError, KeystoreError
from keybench.core.input_errors import NotFound, RotationBarred
from keybench.core.keys.key import (
    Cleared,
    KeyDraft,
    KeyMove,
    KeyState,
    OrphanedKey,
    PlannedKey,
    SecurityKey,
    of_value,
    tidy_value,
)
from keybench.core.ports import CreatedKey
from keybench.core.rotations import moves, plans, stages
from keybench.core.rotations.rotation import Expectation, KeyFacts, KeyTest, Proof, ProofRow, Rotation
from keybench.core.secret import fingerprint
from keybench.core.text import clean_note
from keybench.workflows.calling import GatewayConnection
from keybench.workflows.console import Console
from keybench.workflows.keys.creation import KeyCreation, entry_for, planned_again
from keybench.workflows.keys.managing import refuse_while_selling, state_shown_by, trial_of
from keybench.workflows.rotations.steps import RotationSteps, clean_person, name_in, replacement_of

_ACCEPTED_HERE = "the gateway accepts the new key from this computer"


class NewKey(RotationSteps):
    """The use cases about a rotation's new key; see `Rotations`. A rotation keeps its plan (`PlanStore`)."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._creation = KeyCreation(console.world, console.calling, self)

    async def replan(self, rotation_id: str, draft: KeyDraft, by: str) -> Rotation:
        """Plan another replacement, while there is none; a key that was asked for already is deleted."""
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            tidy = await self._console.add_key.check(await self._environment(rotation), draft)
            if rotation.making and self._creation.is_elsewhere(rotation.making):
                raise RotationBarred(RotationBarred.ELSEWHERE)
            planned = partial(plans.plan_replacement, planned=new_plan(tidy))
            return await self._clear(
                await self._record(rotation, planned, "replacement planned", result=tidy.name, by=who)
            )

    async def create(self, rotation_id: str) -> Rotation:
        """Have the gateway create the planned replacement and keep it."""
        async with self._turn(rotation_id) as rotation:
            return await self._create(rotation)

    async def keep(self, rotation_id: str, pasted: str) -> Rotation:
        """Keep the value of a replacement that was created in the portal."""
        async with self._turn(rotation_id) as rotation:
            planned = self._wanted(rotation)
            value = tidy_value(pasted, planned.draft.kind).value
            if plans.is_same_value(rotation, fingerprint(value)):
                raise RotationBarred(RotationBarred.SAME_VALUE)
            environment = await self._environment(rotation)
            await self._console.add_key.check(environment, planned.draft)
            # A key that the gateway may have created isn't the one that is pasted.
            plan = await self.note_unwanted(rotation, "") if planned.asked_at else rotation
            await self._world.keystore.write(entry_for(environment.id, self._wanted(plan)), value)
            return await self._creation.note_kept(environment, plan, CreatedKey("", value))

    async def withdraw_replacement(self, rotation_id: str, by: str) -> Rotation:
        """Take the replacement back while nothing uses it; what the gateway created is deleted there."""
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            replacement = replacement_of(rotation)
            ids = await self._world.alike(rotation.environment_id, replacement.key_id)
            await refuse_while_selling(self._world, ids, replacement.name)
            now, again = self._now(), planned_again(self.planned(rotation))
            withdrawn = await self._record(
                rotation,
                lambda stored: plans.replacement_withdrawn(stored, again, now, who),
                "replacement withdrawn",
                subject=replacement.name,
                remove_key=replacement.key_id,
            )
            return await self._clear(withdrawn)

    async def prove(self, rotation_id: str) -> Rotation:
        """Make the contract's calls with both keys and keep the answers side by side."""
        async with self._turn(rotation_id) as rotation:
            new = replacement_of(rotation)
            environment = await self._environment(rotation)
            calls = self._world.gateway.facts(environment.contract).proof_calls
            async with (
                await self._connection(rotation, rotation.old) as old_connection,
                await self._connection(rotation, new) as new_connection,
            ):
                rows = [
                    await self._compared(call, expected, old_connection, new_connection)
                    for call, expected in calls
                ]
            proof = Proof(self._now(), tuple(rows))
            return await self._record(
                rotation,
                lambda stored: moves.proof_made(stored, proof),
                "permissions compared",
                subject=new.name,
                result=("the same" if proof.is_whole else "one allowed call the same")
                if proof.same
                else "not the same",
            )

    async def waive_proof(self, rotation_id: str, reason: str, by: str) -> Rotation:
        """Go on without keys that are proven to be allowed the same, for a written reason."""
        waived = partial(moves.proof_waived, reason=clean_note("reason", reason))
        return await self._act(rotation_id, by, waived, "permissions not proven the same")

    async def test_key(self, rotation_id: str) -> Rotation:
        """Make the harmless call with the new key and note what that showed."""
        async with self._turn(rotation_id) as rotation:
            return await self._test(rotation)

    async def test_application(self, rotation_id: str, application_id: str) -> Rotation:
        """Test the new key as `test_key` does, for an application that sells from this computer.

        That the key is accepted is noted for it, and no more: the application itself wasn't seen.
        """
        async with self._turn(rotation_id) as rotation:
            moves.changed_step(rotation, application_id)
            tested = await self._test(rotation)
            now, status = self._now(), tested.test.status if tested.test else 0
            return await self._record(
                tested,
                lambda stored: moves.key_accepted(stored, application_id, now, _ACCEPTED_HERE, status),
                "new key accepted from here",
                subject=name_in(rotation, application_id),
                result=str(status),
            )

    async def _clear(self, rotation: Rotation) -> Rotation:
        """Delete as many orphans as can be deleted now; the others stay noted and are tried again."""
        try:
            return await self._creation.clear(rotation)
        except (GatewayError, KeystoreError, NotFound):
            return await self._world.journal.rotation(rotation.id)

    async def _resume_creation(self, rotation: Rotation) -> Rotation:
        """Finish a replacement that was asked for or pasted, and isn't known yet."""
        planned = rotation.making
        if (
            planned is None
            or rotation.replacement
            or not rotation.is_open
            or self._creation.is_elsewhere(planned)
        ):
            return rotation
        if planned.asked_at:
            return await self._create(rotation)
        value = await self._creation.value_of(rotation.environment_id, planned)
        if value is None:
            return rotation
        environment = await self._environment(rotation)
        return await self._creation.note_kept(environment, rotation, CreatedKey("", value))

    async def _create(self, rotation: Rotation, *, is_last: bool = False) -> Rotation:
        """Return the rotation with its replacement; `is_last` if an earlier attempt's key was given up."""
        planned = self._wanted(rotation)
        environment = await self._environment(rotation)
        await self._console.add_key.check(environment, planned.draft)
        rotation = await self._creation.clear(rotation)  # first: never two replacements at the gateway
        created = await self._creation.create(environment, rotation, is_last=is_last)
        if created is not None:
            return created
        return await self._create(await self._world.journal.rotation(rotation.id), is_last=True)

    def _wanted(self, rotation: Rotation) -> PlannedKey:
        if rotation.replacement:
            raise RotationBarred(RotationBarred.REPLACED_ALREADY)
        if not rotation.is_open:
            raise RotationBarred(RotationBarred.OVER)
        planned = self.planned(rotation)
        if self._creation.is_elsewhere(planned):
            raise RotationBarred(RotationBarred.ELSEWHERE)
        return planned

    async def _test(self, rotation: Rotation) -> Rotation:
        facts = replacement_of(rotation)
        try:
            async with await self._connection(rotation, facts) as connection:
                status = await self._world.gateway.probe_key(connection.caller)
        except GatewayError as error:
            if state_shown_by(error) is None:
                await self._note_tried(rotation, error)
                raise
            tested = await self._note_tested(rotation, error.status)
            if stages.shows_a_key(facts, error.status):
                return tested
            raise
        return await self._note_tested(rotation, status)

    async def _compared(
        self, call: str, expected: Expectation, old: GatewayConnection, new: GatewayConnection
    ) -> ProofRow:
        old_status = await self._world.gateway.proof_status(old.caller, expected)
        new_status = await self._world.gateway.proof_status(new.caller, expected)
        return ProofRow(call, expected, old_status, new_status)

    async def _note_tested(self, rotation: Rotation, status: int) -> Rotation:
        test, facts = KeyTest(self._now(), status), replacement_of(rotation)
        states = {HTTPStatus.UNAUTHORIZED: KeyState.REFUSED, HTTPStatus.FORBIDDEN: KeyState.FORBIDDEN}
        state = states.get(HTTPStatus(status), KeyState.WORKING)
        return await self._record(
            rotation,
            lambda stored: moves.key_tested(stored, test),
            "new key tested",
            subject=facts.name,
            result=str(status),
            keys=_move_of(facts, lambda stored: stored.tested(state, test.status, test.at)),
        )

    async def _note_tried(self, rotation: Rotation, error: GatewayError) -> None:
        now, trial, status, facts = self._now(), trial_of(error), error.status, replacement_of(rotation)
        with suppress(JournalError):  # what went wrong tells more
            await self._record(
                rotation,
                lambda stored: moves.key_tried(stored, trial, status, now),
                "new key tested",
                subject=facts.name,
                result=f"{status} {trial}" if status else trial,
                keys=_move_of(facts, lambda stored: stored.tried(trial, now)),
            )

    # --- where plans are kept ------------------------------------------------------------------------

    def planned(self, plan: Rotation) -> PlannedKey:
        """Return what is to be created."""
        if plan.making is None:
            raise RotationBarred(RotationBarred.NOT_PLANNED)
        return plan.making

    def orphans(self, plan: Rotation) -> Sequence[OrphanedKey]:
        """Return the keys that nobody wants."""
        return plan.leftovers

    async def note_asked(self, plan: Rotation, *, durable: bool) -> Rotation:
        """Note that the gateway is going to be asked."""
        owner, now = self._world.owners.me, self._now()
        return await self._record(
            plan, lambda stored: plans.creation_asked(stored, now, owner, durable=durable)
        )

    async def note_left(self, plan: Rotation, *, certain: bool) -> None:
        """Note that nobody works on it any more; `certain` if no key was created."""
        planned = self.planned(plan)
        again = planned_again(planned)
        await self._record(
            plan,
            lambda stored: (
                plans.creation_failed(stored, again)
                if certain
                else plans.creation_left(stored, planned.request_id)
            ),
        )

    async def note_unwanted(self, plan: Rotation, gateway_id: str) -> Rotation:
        """Note that the key that was created can't be kept, and plan another."""
        again = planned_again(self.planned(plan))
        return await self._record(plan, lambda stored: plans.creation_undone(stored, gateway_id, again))

    async def note_kept(self, plan: Rotation, key: SecurityKey) -> Rotation:
        """Note that its value is in the keystore, read back."""
        now = self._now()
        with suppress(NotFound):  # whoever answers for the old key does for the new one
            old = await self._calling.key(plan.environment_id, plan.old.key_id)
            key = replace(key, owner=old.owner)
        return await self._record(
            plan,
            lambda stored: plans.replacement_kept(stored, KeyFacts.of(key), now),
            "replacement created",
            subject=key.name,
            result=key.fingerprint,
            add_key=key,
        )

    async def note_cleared(self, plan: Rotation, orphan: OrphanedKey, cleared: Cleared) -> Rotation:
        """Note what became of a key that nobody wants."""
        now, planned, certain = self._now(), orphan.making, cleared is not Cleared.UNSURE
        return await self._record(
            plan,
            lambda stored: plans.orphan_cleared(stored, planned.key_id, now, certain=certain),
            "unused key cleared",
            subject=planned.draft.name,
        )


def new_plan(draft: KeyDraft) -> PlannedKey:
    """Return a new plan for a replacement."""
    return PlannedKey(uuid.uuid4().hex, str(uuid.uuid4()), draft)


def _move_of(facts: KeyFacts, move: KeyMove) -> dict[str, KeyMove]:
    return {facts.key_id: of_value(facts.fingerprint, move)}
