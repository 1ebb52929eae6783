"""Trying the new key: the same-permission proof of stage 1, and stage 3's own test and test sale."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus

from keybench.core import rotation_moves as moves
from keybench.core import rotation_stages as stages
from keybench.core.errors import Forbidden, GatewayError, JournalError, KeyRefused
from keybench.core.outcome import Outcome
from keybench.core.proof import Expectation, Proof, ProofRow
from keybench.core.rotation import KeyTest, Rotation
from keybench.core.rotation_moves import changed_step, key_accepted
from keybench.core.sale import Sale, SaleDraft
from keybench.core.security_key import KeyMove, KeyState, of_value
from keybench.core.text import clean_note
from keybench.workflows.calling import Line
from keybench.workflows.keys import trial_of
from keybench.workflows.rotate_applications import name_in
from keybench.workflows.rotate_steps import Steps, clean_person, replacement_of

_ACCEPTED_HERE = "the gateway accepts the new key from this computer"
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
            return await self._probed(rotation)

    async def test_application(self, rotation_id: str, application_id: str) -> Rotation:
        """Test the new key as `test_key` does, for an application that sells from this computer.

        That the key is accepted is noted for it, and no more: the application itself wasn't seen.

        Raises:
            RotationBarred: The application wasn't changed yet, or isn't part of this.
            KeyRefused, Forbidden, GatewayError, KeystoreError: As `test_key`.
        """
        async with self._turn(rotation_id) as rotation:
            changed_step(rotation, application_id)
            tested = await self._probed(rotation)
            now, status = self._now(), tested.test.status if tested.test else 0
            return await self._step(
                tested,
                lambda stored: key_accepted(stored, application_id, now, _ACCEPTED_HERE, status),
                "new key accepted from here",
                subject=name_in(rotation, application_id),
                result=str(status),
            )

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

    async def _probed(self, rotation: Rotation) -> Rotation:
        """Make the harmless call with the new key and note what it showed, or that it showed nothing."""
        facts = replacement_of(rotation)
        try:
            async with await self._line(rotation, facts) as line:
                status = await self._world.gateway.probe_key(line.caller)
        except GatewayError as error:
            if isinstance(error, KeyRefused | Forbidden) and not error.asks_to_wait:
                tested = await self._tested(rotation, error.status)
                if stages.shows_a_key(facts, error.status):
                    return tested
            else:
                await self._tried(rotation, error)
            raise
        return await self._tested(rotation, status)

    async def _tried(self, rotation: Rotation, error: GatewayError) -> None:
        now, trial, status = self._now(), trial_of(error), error.status
        with suppress(JournalError):  # what went wrong tells more
            await self._step(
                rotation,
                lambda stored: moves.key_tried(stored, trial, status, now),
                "new key tested",
                subject=replacement_of(rotation).name,
                result=f"{status} {trial}" if status else trial,
                keys=_moved(rotation, lambda stored: stored.tried(trial, now)),
            )

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
        state = {
            HTTPStatus.UNAUTHORIZED: KeyState.REFUSED,
            HTTPStatus.FORBIDDEN: KeyState.FORBIDDEN,
        }.get(HTTPStatus(status), KeyState.WORKING)
        return await self._step(
            rotation,
            lambda stored: moves.key_tested(stored, test),
            "new key tested",
            subject=replacement_of(rotation).name,
            result=f"{test.status} {sale} {outcome}".strip(),
            keys=_moved(rotation, lambda stored: stored.tested(state, test.status, test.at)),
        )


def _moved(rotation: Rotation, move: KeyMove) -> Mapping[str, KeyMove]:
    """Return what a test showed of the replacement's value, as a move of the key."""
    tested = replacement_of(rotation)
    return {tested.key_id: of_value(tested.fingerprint, move)}
