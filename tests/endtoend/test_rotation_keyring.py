"""Each trouble with a real keyring at each step of a rotation: its own error, the truth, and a way on."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from endtoend.crash.mortal_gateway import MortalGateway
from endtoend.keyring_rotation import (
    STEPS,
    Hand,
    die,
    led_to,
    new_of,
)
from endtoend.troubled_keyring import ERRORS, Keyring, Trouble
from fakes.mortal import Died
from keybench.core.errors import KeystoreGone, KeystoreSilent
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import is_erased
from keystore.buses import Bus, private_bus

OF_THE_KEYRING: Final = (Trouble.LOCKED, Trouble.MISSING)
OF_A_VALUE: Final = (Trouble.LOST, Trouble.OTHER)
REFUSED: Final = "old key refused"


@pytest.fixture(scope="module")
def private() -> Iterator[Bus]:
    """A bus with nobody on it, out of the session's reach; its path has to be short."""
    with (
        tempfile.TemporaryDirectory(prefix="kb-", ignore_cleanup_errors=True) as folder,
        private_bus(Path(folder)) as bus,
    ):
        yield bus


@pytest.fixture(scope="module")
def keyring_of_all(private: Bus) -> Keyring:
    return Keyring(private)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MortalGateway]:
    found = MortalGateway(tmp_path_factory.mktemp("somebody else's"))
    yield found
    found.stop()


@pytest.fixture
async def hand(
    tmp_path: Path,
    private: Bus,
    keyring_of_all: Keyring,
    gateway: MortalGateway,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Hand]:
    """A program on the keyring, on a desktop without a screen: a prompt there would be dismissed."""
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", private.address)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    ready = await Hand.ready(tmp_path / "data", gateway, keyring_of_all)
    yield ready
    keyring_of_all.mend()
    assert len(ready.active) == len(ready.values), "no key without a value, no value without a key"
    ready.tidy_up()
    await ready.closing.aclose()


@pytest.mark.thin(2)
@pytest.mark.parametrize("trouble", OF_THE_KEYRING)
async def test_a_keyring_in_trouble_at_every_step(hand: Hand, trouble: Trouble) -> None:
    rotation = await hand.begun()
    for step in STEPS:
        before = await step.lead(hand, rotation)
        values, active = hand.values, hand.active
        hand.befall(trouble)
        with pytest.raises(ERRORS[trouble]):
            await step.take(hand, before)
        await assert_nothing_happened(hand, before)
        await hand.mend()
        assert (hand.values, hand.active) == (values, active), step.name
        rotation = await step.take(hand, before)
        assert rotation != before, step.name
    await hand.bring_to_its_end(rotation.id)


@pytest.mark.thin(2)
@pytest.mark.parametrize("trouble", OF_A_VALUE)
async def test_a_value_in_trouble_at_every_step(hand: Hand, trouble: Trouble) -> None:
    rotation = await hand.begun()
    for step in STEPS:
        before = await step.lead(hand, rotation)
        values, active = hand.values, hand.active
        for whose in step.whose:
            hand.befall(trouble, whose(before))
            with pytest.raises(ERRORS[trouble]):
                await step.take(hand, before)
            await assert_nothing_happened(hand, before)
            await hand.mend()
        assert (hand.values, hand.active) == (values, active), step.name
        rotation = await step.take(hand, before)
        assert rotation != before, step.name
    await hand.bring_to_its_end(rotation.id)


@pytest.mark.sweep
async def test_a_keyring_that_gives_no_answer_leaves_no_thread_behind(hand: Hand) -> None:
    before = [(step, await led_to(hand, step)) for step in STEPS]
    values, active = hand.values, hand.active
    hand.befall(Trouble.SILENT)
    left_before = threads_of_keystores()
    for step, rotation in before:
        with pytest.raises(KeystoreSilent):
            await step.take(hand, rotation)
        await assert_nothing_happened(hand, rotation)
    assert threads_of_keystores() == left_before
    assert hand.active == active
    await hand.mend()
    assert hand.values == values
    for step, rotation in before:
        assert await step.take(hand, rotation) != rotation, step.name


def threads_of_keystores() -> int:
    return sum(thread.name == "keybench keystore" for thread in threading.enumerate())


@pytest.mark.thin(3)
@pytest.mark.parametrize("trouble", [*OF_THE_KEYRING, Trouble.SILENT])
async def test_after_the_gateway_made_the_key(hand: Hand, trouble: Trouble) -> None:
    before = await hand.begun()
    hand.meanwhile("portal", "create_key", lambda: hand.befall(trouble))
    with pytest.raises(ERRORS[trouble]):
        await hand.rotations.create(before.id)
    assert hand.active == {before.old.gateway_id}, "what can't be kept is deleted again"
    after = await hand.rotations.one(before.id)
    (left,) = after.leftovers
    assert (after.replacement, hand.deletions(left.gateway_id)) == (None, [204])
    assert after.evidence == before.evidence
    await hand.mend()
    await hand.rotations.create(before.id)
    await hand.bring_to_its_end(before.id)


@pytest.mark.thin(4)
@pytest.mark.parametrize("trouble", [*OF_THE_KEYRING, *OF_A_VALUE])
async def test_after_the_old_key_was_refused(hand: Hand, trouble: Trouble) -> None:
    before = await hand.deleted()
    values = hand.values
    of_a_value = new_of(before) if trouble in OF_A_VALUE else None
    hand.meanwhile("gateway", "probe_key", lambda: hand.befall(trouble, of_a_value))
    with pytest.raises(ERRORS[trouble]):
        await hand.rotations.see_refused(before.id)
    hand.in_peace()
    await assert_nothing_happened(hand, before, (REFUSED,))
    with pytest.raises(ERRORS[trouble]):
        await hand.rotations.resume(before.id)
    await assert_nothing_happened(hand, before, (REFUSED,))
    await hand.mend()
    assert hand.values == values, "nothing is erased before the new value was read back"
    await hand.bring_to_its_end(before.id)


async def test_a_keyring_that_went_away_is_not_taken_for_an_empty_one(hand: Hand) -> None:
    before = await hand.deleted()
    values = hand.values
    hand.befall(Trouble.MISSING)
    status = await hand.console.look_at_keystore()
    assert (status.durable, type(status.trouble)) == (True, KeystoreGone), "memory is a person's choice"
    with pytest.raises(ERRORS[Trouble.MISSING]):
        await hand.rotations.see_refused(before.id)
    await assert_nothing_happened(hand, before)
    await hand.mend()
    assert (await hand.console.look_at_keystore()).durable
    assert hand.values == values
    await hand.bring_to_its_end(before.id)


@pytest.mark.parametrize("trouble", OF_THE_KEYRING)
async def test_a_key_that_was_being_made_is_taken_up_when_the_keyring_is_back(
    hand: Hand, trouble: Trouble
) -> None:
    before = await killed_while_a_key_is_made(hand)
    values, active = hand.values, hand.active
    await start_anew_into(hand, trouble)
    with pytest.raises(ERRORS[trouble]):
        await hand.rotations.resume(before.id)
    await assert_nothing_happened(hand, before)
    assert hand.active == active
    await hand.mend()
    taken_up = await hand.rotations.resume(before.id)
    assert (hand.values, hand.active) == (values, active), "it is the key that was made"
    assert {taken_up.old.gateway_id, new_of(taken_up).gateway_id} == active
    await hand.bring_to_its_end(before.id)


@pytest.mark.parametrize("trouble", OF_THE_KEYRING)
async def test_an_erased_value_is_noted_when_the_keyring_is_back(hand: Hand, trouble: Trouble) -> None:
    rotation = await hand.deleted()
    hand.meanwhile("keystore", "erase", die)
    with pytest.raises(Died):
        await hand.rotations.see_refused(rotation.id)
    before = await hand.rotations.one(rotation.id)
    assert not is_erased(before.deletion)
    await start_anew_into(hand, trouble)
    with pytest.raises(ERRORS[trouble]):
        await hand.rotations.resume(before.id)
    await assert_nothing_happened(hand, before)
    await hand.mend()
    await hand.bring_to_its_end(before.id)


async def killed_while_a_key_is_made(hand: Hand) -> Rotation:
    """Return a rotation whose program died when the new value was kept and not yet noted."""
    rotation = await hand.begun()
    hand.meanwhile("keystore", "write", die)
    with pytest.raises(Died):
        await hand.rotations.create(rotation.id)
    return await hand.rotations.one(rotation.id)


async def start_anew_into(hand: Hand, trouble: Trouble) -> None:
    """Start the program anew with a keyring that is locked since signing in, or goes away a moment later."""
    if trouble is Trouble.LOCKED:
        hand.befall(trouble)
        await hand.start_anew()
    else:
        await hand.start_anew()
        hand.befall(trouble)


async def assert_nothing_happened(hand: Hand, before: Rotation, but: tuple[str, ...] = ()) -> None:
    """Hold the journal to it that a step which failed is noted as far as it came, and no further."""
    after = await hand.rotations.one(before.id)
    new = after.evidence[len(before.evidence) :]
    assert tuple(one.what for one in new) == but
    assert but or nobodys(after) == nobodys(before)


def nobodys(rotation: Rotation) -> Rotation:
    """Return a rotation as if nobody were at it: whoever fails lets go of what it took up."""
    making = rotation.making
    return replace(rotation, making=replace(making, owner="") if making else None)
