"""Trying the new key: the same-permission proof of stage 1, and stage 3's own test and test sale."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from keybench.core import rotation_moves as moves
from keybench.core import rotation_stages as stages
from keybench.core.errors import Forbidden, KeyRefused, NotFound
from keybench.core.outcome import Outcome
from keybench.core.proof import Expectation, Proof, ProofRow
from keybench.core.rotation import KeyTest, Rotation
from keybench.core.sale import Sale, SaleDraft
from keybench.core.security_key import KeyState, SecurityKey
from keybench.core.text import clean_note
from keybench.workflows.calling import Line
from keybench.workflows.rotate_steps import Steps, clean_person, replacement_of

#: Ends of a sale that only a key that was accepted can lead to.
_TAKEN = frozenset({Outcome.APPROVED, Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED})
_KEY_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class RotateTest(Steps):
    """What the gateway says of the new key."""

    async def prove(self, rotation_id: str) -> Rotation:
        """Make the contract's calls with both keys and keep the answers side by side.

        Raises:
            RotationBarred: There is no replacement, or the rotation is over.
            KeystoreError: One of the values can't be had.
            GatewayError: A call gave no answer about a key; nothing is noted.
        """
        async with self._turn(rotation_id) as rotation:
            new = replacement_of(rotation)
            environment = await self._environment(rotation)
            calls = self._world.gateway.facts(environment.contract).proof_calls
            async with (
                await self._line(rotation, rotation.old) as old,
                await self._line(rotation, new) as line,
            ):
                rows = [await self._compared(call, expected, old, line) for call, expected in calls]
            proof = Proof(self._now(), tuple(rows))
            return await self._step(
                rotation,
                lambda stored: moves.proof_made(stored, proof),
                "permissions compared",
                subject=new.name,
                result="the same" if proof.same else "not the same",
            )

    async def waive_proof(self, rotation_id: str, reason: str, by: str) -> Rotation:
        """Go on without keys that are proven to be allowed the same, for a written reason.

        Raises:
            RotationBarred: There is no replacement, or the rotation is over.
            InputInvalid: The reason or the name can't be used.
        """
        who, why = clean_person(by), clean_note("reason", reason)
        async with self._turn(rotation_id) as rotation:
            now = self._now()
            return await self._step(
                rotation,
                lambda stored: moves.proof_waived(stored, why, now, who),
                "permissions not proven the same",
                result=f"by {who}",
            )

    async def test_key(self, rotation_id: str) -> Rotation:
        """Make the harmless call with the new key and note what that showed.

        Raises:
            RotationBarred: There is no replacement, or the rotation is over.
            KeyRefused, Forbidden: The gateway doesn't accept it; that is noted, too. A public key is never
                let in, so the gateway's 403 shows that it knows the key.
            GatewayError, KeystoreError: Nothing was learnt about the key.
        """
        async with self._turn(rotation_id) as rotation:
            facts = replacement_of(rotation)
            try:
                async with await self._line(rotation, facts) as line:
                    status = await self._world.gateway.probe_key(line.caller)
            except (KeyRefused, Forbidden) as error:
                if error.retry_after_s is not None:
                    raise
                tested = await self._tested(rotation, error.status)
                if not stages.shows_a_key(facts, error.status):
                    raise
                return tested
            return await self._tested(rotation, status)

    async def test_sale(
        self, rotation_id: str, device: str, amount: str, currency: str, *, confirmed: bool = False
    ) -> Rotation:
        """Sell once with the new key, follow the sale to its end, and note what that showed of the key.

        Args:
            rotation_id: Which rotation.
            device: On which device.
            amount: As entered.
            currency: As entered.
            confirmed: Whether a person has confirmed it (live only).

        Raises:
            InputInvalid: It can't be sent as it is; nothing was sold.
            JournalError: What happened couldn't be kept.
        """
        async with self._turn(rotation_id) as rotation:
            facts = replacement_of(rotation)
        sell = self._console.sell
        draft = SaleDraft(
            rotation.environment_id, facts.key_id, device, amount, currency, confirmed=confirmed
        )
        sale = await sell.carry_out(await sell.note(draft))
        return await self._sold(rotation, sale)

    async def _compared(self, call: str, expected: Expectation, old: Line, new: Line) -> ProofRow:
        old_status = await self._world.gateway.proof_status(old.caller, expected)
        new_status = await self._world.gateway.proof_status(new.caller, expected)
        return ProofRow(call, expected, old_status, new_status)

    async def _sold(self, rotation: Rotation, sale: Sale) -> Rotation:
        verdict = sale.verdict
        if verdict is None:
            return rotation
        was_refused = verdict.outcome is Outcome.REFUSED and verdict.status in _KEY_REFUSED
        if not was_refused and verdict.outcome not in _TAKEN:
            return rotation  # it says nothing about the key
        status = verdict.status if was_refused else HTTPStatus.OK
        return await self._tested(rotation, int(status), sale.reference, verdict.outcome)

    async def _tested(self, rotation: Rotation, status: int, sale: str = "", outcome: str = "") -> Rotation:
        test = KeyTest(self._now(), status, sale)
        return await self._step(
            rotation,
            lambda stored: moves.key_tested(stored, test),
            "new key tested",
            subject=replacement_of(rotation).name,
            result=f"{test.status} {sale} {outcome}".strip(),
            add_key=await self._known_better(rotation, test),
        )

    async def _known_better(self, rotation: Rotation, test: KeyTest) -> SecurityKey | None:
        """Return the key as the list of keys is to show it from now on; None if it was forgotten."""
        state = {
            HTTPStatus.UNAUTHORIZED: KeyState.REFUSED,
            HTTPStatus.FORBIDDEN: KeyState.FORBIDDEN,
        }.get(HTTPStatus(test.status), KeyState.WORKING)
        try:
            key = await self._calling.key(rotation.environment_id, replacement_of(rotation).key_id)
        except NotFound:
            return None
        return replace(key, state=state, status=test.status, tested_at=test.at)
