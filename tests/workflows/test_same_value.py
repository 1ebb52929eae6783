"""Two keys with one value are one key to their gateway: what uses one of them uses the other."""

from __future__ import annotations

import pytest

from fakes.person import ANN
from fakes.rotating import Rotating
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.input_errors import RotationUnderWay, SalesUnderWay
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.keys.leaver import LeaverStep
from keybench.core.rotations import stages
from keybench.core.sales.sale import SaleDraft
from keybench.words.keys.revocation import effects_text
from keybench.workflows.administration import Administration
from keybench.workflows.keys.revocation import effects_of_revoking


async def twin_of_old(r: Rotating, name: str = "till-9") -> SecurityKey:
    """Return another key whose pasted value is the old one's."""
    _draft, value = r.places.account.keys[r.old.gateway_id or next(iter(r.places.account.keys))]
    return (await r.console.add_key.keep(r.environment, r.draft(name), value.reveal())).key


async def test_revoking_one_tells_what_uses_the_other() -> None:
    r = await Rotating.ready(applications=2)
    for device in ("till-1", "till-2"):
        draft = SaleDraft(r.environment.id, r.old.id, device, "10.00", "USD")
        await r.carry(r.console.sell.carry_out(await r.console.sell.note(draft)))
    await r.console.sell.note(r.sale_draft(r.old.id))
    twin = await twin_of_old(r)
    effects = await effects_of_revoking(r.console, r.environment, twin)
    assert effects.keys == (r.old.name,)
    assert effects.applications == ("shop 1", "shop 2")
    assert set(effects.devices) == {"till-1", "till-2"}
    assert effects.sales == 1
    told = effects_text(effects)
    assert "knows of nothing" not in told
    assert f"Keys here with the same value: {r.old.name}" in told


async def test_the_register_the_inventory_and_the_review_join_them() -> None:
    r = await Rotating.ready(applications=2)
    twin = await twin_of_old(r)
    administration = Administration(r.console)
    assert [one.name for one in await administration.applications.of_key(twin)] == ["shop 1", "shop 2"]
    assert (await administration.applications.named(twin, "SHOP 2")).id == "A-2"
    rotation = await r.begun(compromised=True)
    rows = {row.key.name: row for row in await administration.inventory.rows()}
    assert (rows[twin.name].applications, rows[twin.name].rotating) == (("shop 1", "shop 2"), True)
    found = (await administration.review.look()).findings
    assert {one.subject for one in found if one.id == "compromised"} == {rotation.id}
    assert len([one for one in found if one.id == "compromised"]) == 2
    leaver = await administration.review.leaver(twin.username)
    assert {one.step for one in leaver.keys} == {LeaverStep.FINISH}
    assert {len(one.applications) for one in leaver.keys} == {2}


async def test_they_have_one_rotation_with_the_applications_of_both_and_their_sales_hold_it_up() -> None:
    r = await Rotating.ready(applications=1)
    twin = await twin_of_old(r)
    await r.places.journal.add_application(Application("A-9", r.environment.id, twin.id, "till software"))
    await r.console.sell.note(r.sale_draft(twin.id))
    rotation = await r.begun()
    assert [step.name for step in rotation.applications] == ["shop 1", "till software"]
    rotation = await r.rotations.refresh_applications(rotation.id)
    assert [step.name for step in rotation.applications] == ["shop 1", "till software"]
    assert await r.rotations.under_way(twin) == rotation
    with pytest.raises(RotationUnderWay):
        await r.rotations.start(
            r.environment,
            twin,
            r.rotations.proposed(twin),
            reason="older",
            by=ANN,
            overlap_ends_at=r.places.clock.now(),
        )
    ready = await r.tested(await r.created(rotation))
    with pytest.raises(SalesUnderWay):
        await r.rotations.delete(ready.id, ANN)


async def test_revoking_one_is_the_revocation_of_the_others_rotation() -> None:
    r = await Rotating.ready(applications=0)
    twin = await twin_of_old(r)
    rotation = await r.begun()
    revoked = await r.rotations.revoke(r.environment, twin, ANN, "leaked")
    assert revoked.id == rotation.id
    assert [key.compromised for key in await r.console.keys.listed(r.environment)] == [True, True]
    await r.rotations.delete(revoked.id, ANN)
    await r.rotations.see_refused(revoked.id)
    (left,) = await r.console.keys.listed(r.environment)
    assert (left.id, left.state, left.status) == (twin.id, KeyState.REFUSED, 401), "it is refused as well"
    assert not left.compromised, "what leaked is gone"


async def test_a_rotation_to_a_key_is_told_when_another_with_its_value_is_revoked() -> None:
    r = await Rotating.ready(EnvironmentKind.TEST, applications=0)
    rotation = await r.created(await r.begun())
    assert rotation.replacement
    (new,) = [
        value for draft, value in r.places.account.keys.values() if draft.name == rotation.replacement.name
    ]
    twin = (await r.console.add_key.keep(r.environment, r.draft("copy"), new.reveal())).key
    revocation = await r.rotations.revoke(r.environment, twin, ANN, "leaked")
    await r.rotations.delete(revocation.id, ANN)
    assert stages.is_replacement_revoked(await r.rotations.one(rotation.id))


async def test_forgetting_a_copy_asks_for_nothing_unless_the_gateway_deletes_it_for_all() -> None:
    r = await Rotating.ready(applications=0)
    twin = await twin_of_old(r)
    await r.console.sell.note(r.sale_draft(twin.id))
    with pytest.raises(SalesUnderWay):
        await r.console.keys.forget(r.environment, r.old)
    assert r.places.active == {r.old.gateway_id}
    copy = await twin_of_old(r, "another copy")
    await r.console.keys.forget(r.environment, copy)
    assert r.places.active == {r.old.gateway_id}


async def test_a_value_in_another_environment_is_another_gateways() -> None:
    r = await Rotating.ready(applications=1)
    _draft, value = r.places.account.keys[r.old.gateway_id]
    where = await r.console.environments.add("Sandbox", EnvironmentKind.TEST, "https://gateway.example")
    twin = (await r.console.add_key.keep(where, r.draft("till-9"), value.reveal())).key
    effects = await effects_of_revoking(r.console, where, twin)
    assert (effects.keys, effects.applications) == ((), ())


async def test_a_key_that_was_just_imported_is_asked_about_and_not_deleted() -> None:
    r = await Rotating.ready(applications=0)
    (one,) = (await Administration(r.console).review.leaver(r.old.username)).keys
    assert one.step is LeaverStep.ASK
