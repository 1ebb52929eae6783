"""Any history of steps, crashes, troubles and lost answers: no key lost, none made or deleted twice."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fakes.mortal import Died, Fate
from fakes.person import ANN, make_ready
from fakes.rotating import Rotating
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    GatewayFailed,
    KeybenchError,
    KeystoreDenied,
    KeystoreError,
    KeystoreLocked,
    KeystoreSilent,
    NotSent,
)
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.secret import Secret
from sweeps import examples

TROUBLES: dict[str, KeystoreError | None] = {
    "works": None,
    "locked": KeystoreLocked(),
    "denied": KeystoreDenied(),
    "silent": KeystoreSilent(),
}
FAULTS = {
    "refuses the connection": NotSent("connection refused"),
    "loses the request": AnswerLost("timeout"),
    "fails": GatewayFailed("failed", status=502),
}


class Histories(RuleBasedStateMachine):
    """A person, a program that dies at any moment, a keystore and a gateway that fail in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.fate = Fate()
        self.hurt: dict[str, Secret] = {}
        self.old_was_hurt = False

    @initialize()
    def begin(self) -> None:
        self.r = self.loop.run_until_complete(Rotating.ready(EnvironmentKind.PRACTICE, applications=1))
        self.rotation_id = self.loop.run_until_complete(self.r.begun()).id
        self.program = self.r.again(self.fate)

    def teardown(self) -> None:
        self.mend()
        self.loop.run_until_complete(self._finish())
        self.loop.run_until_complete(self.r.places.journal.close())
        self.loop.close()

    def do(self, work: Coroutine[Any, Any, object]) -> None:
        """Do something as a person does: what fails is told, and a program that died is started anew."""
        try:
            with suppress(KeybenchError):
                self.loop.run_until_complete(work)
        except Died:
            self.restart()

    def restart(self) -> None:
        self.fate = Fate()
        self.program = self.r.again(self.fate)
        self.do(self.program.rotations.resume(self.rotation_id))

    @property
    def rotation(self) -> Rotation:
        return self.loop.run_until_complete(self.r.places.journal.rotation(self.rotation_id))

    @rule(moments=st.integers(1, 8))
    def will_die(self, moments: int) -> None:
        self.fate.at = len(self.fate.moments) + moments

    @rule(moments=st.integers(1, 8))
    def will_fail(self, moments: int) -> None:
        self.fate.at, self.fate.only_fails = len(self.fate.moments) + moments, True

    @rule()
    def start_again(self) -> None:
        self.restart()

    @rule(trouble=st.sampled_from(sorted(TROUBLES)))
    def keystore_changes(self, trouble: str) -> None:
        self.r.places.keystore.failure = TROUBLES[trouble]

    @rule(fault=st.sampled_from(sorted(FAULTS)))
    def gateway_fails_next(self, fault: str) -> None:
        self.r.places.account.trouble.append(FAULTS[fault])

    @rule()
    def next_answer_is_lost(self) -> None:
        self.r.places.account.lose_answers = 1

    @precondition(lambda self: self.rotation.replacement and not self.hurt)
    @rule(is_lost=st.booleans(), new=st.booleans())
    def a_value_is_hurt(self, *, is_lost: bool, new: bool) -> None:
        facts = self.rotation.replacement if new else self.rotation.old
        assert facts
        name, keystore = f"{self.r.environment.id}/{facts.key_id}", self.r.places.keystore
        if name not in keystore.entries:
            return
        self.hurt[name] = keystore._values[name]
        self.old_was_hurt |= not new
        if is_lost:
            keystore.lose(name)
        else:
            keystore.change(name, Secret("MadeUpByAnotherProgram"))

    @rule()
    def mend(self) -> None:
        keystore = self.r.places.keystore
        keystore.failure = None
        self.r.places.account.trouble.clear()
        self.r.places.account.lose_answers = 0
        for name, value in self.hurt.items():
            if ("erase", name) not in keystore.done:
                keystore.change(name, value)
        self.hurt.clear()

    @rule(times=st.integers(1, 4))
    def go_on(self, times: int) -> None:
        """Do the next steps of the rotation, so that histories come to its later stages, too."""
        for _ in range(times):
            self.do(self._next_step())

    async def _next_step(self) -> None:
        rotations = self.program.rotations
        rotation = await rotations.one(self.rotation_id)
        deletion = rotation.deletion
        if rotation.replacement is None:
            await rotations.create(rotation.id)
        elif deletion is None and not stages.ready_to_delete(rotation):
            await make_ready(rotations, rotation)
        elif deletion is None or deletion.deleted_at is None:
            await rotations.delete(rotation.id, ANN)
        elif deletion.erased_at is None:
            await self.r.carry(rotations.see_refused(rotation.id))

    @rule()
    def create(self) -> None:
        self.do(self.program.rotations.create(self.rotation_id))

    @rule()
    def replan(self) -> None:
        draft = self.r.rotations.proposed(self.r.old)
        self.do(self.program.rotations.replan(self.rotation_id, draft, ANN))

    @rule()
    def withdraw(self) -> None:
        self.do(self.program.rotations.withdraw_replacement(self.rotation_id, ANN))

    @precondition(lambda self: self.rotation.replacement and not self.rotation.deletion)
    @rule()
    def do_stages_one_to_three(self) -> None:
        self.do(make_ready(self.program.rotations, self.rotation))

    @rule()
    def delete(self) -> None:
        self.do(self.program.rotations.delete(self.rotation_id, ANN))

    @rule()
    def undo_deletion(self) -> None:
        self.do(self.program.rotations.undo_deletion(self.rotation_id, ANN))

    @precondition(lambda self: self.rotation.deletion and self.rotation.deletion.deleted_at)
    @rule()
    def see_refused(self) -> None:
        self.do(self.r.carry(self.program.rotations.see_refused(self.rotation_id)))

    @rule()
    def document(self) -> None:
        self.do(self.program.rotations.document(self.rotation_id, ANN, ""))

    @invariant()
    def no_second_replacement_and_none_lost(self) -> None:
        rotation, places = self.rotation, self.r.places
        noted = {one.gateway_id for one in rotation.leftovers}
        if rotation.replacement:
            noted.add(rotation.replacement.gateway_id)
        planned = [rotation.making, *(one.making for one in rotation.leftovers)]
        asked = {places.account.requests.get(one.request_id, "") for one in planned if one and one.asked_at}
        unknown = places.active - noted - asked - {self.r.old.gateway_id}
        assert not unknown, "the journal leads to every key at the gateway"
        assert len(places.active - {self.r.old.gateway_id}) <= 1, "two replacements"

    @invariant()
    def nothing_is_deleted_that_is_in_use(self) -> None:
        rotation, places = self.rotation, self.r.places
        if rotation.replacement and not rotation.leftovers:
            assert rotation.replacement.gateway_id in places.active
        if rotation.deletion is None and not rotation.documentation:
            assert self.r.old.gateway_id in places.active
        assert places.portal.deleted.count(self.r.old.gateway_id) <= 1
        if not self.old_was_hurt:  # without its value, deleting it again is the only way to find out
            assert self.r.old.gateway_id not in places.portal.missed

    @invariant()
    def no_value_is_erased_before_its_successor_was_read(self) -> None:
        rotation, places = self.rotation, self.r.places
        erased = ("erase", f"{self.r.environment.id}/{self.r.old.id}")
        if erased in places.keystore.done:
            assert rotation.replacement
            new = ("read", f"{self.r.environment.id}/{rotation.replacement.key_id}")
            first = places.keystore.done.index(erased)
            assert places.keystore.done[first - 1] == new
            assert rotation.deletion
            assert rotation.deletion.refused_at

    async def _finish(self) -> None:
        """Everything works again: whatever happened, the rotation comes to its end."""
        places = self.r.places
        program = self.r.again()
        await program.rotations.resume(self.rotation_id)
        done = await program.to_the_end()
        assert done.replacement
        assert places.active == {done.replacement.gateway_id}
        assert places.keystore.entries == (f"{self.r.environment.id}/{done.replacement.key_id}",)
        assert done.leftovers == ()


Histories.TestCase.settings = settings(max_examples=examples(60), stateful_step_count=40)
TestHistories = Histories.TestCase
