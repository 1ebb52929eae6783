"""What a lesson's file can have done, by verb: for its stage, for its solution, and for ways that are wrong.

Each is a coroutine whose arguments are the fields that the verb takes. They do what a person does in the
window, by the same use cases, or what somebody else does at the gateway.
"""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import GatewayError
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import KeyDraft, KeyKind, KeyState
from keybench.core.lessons.lesson import Deed, Pattern
from keybench.core.ports import entry_of
from keybench.core.rotations.rotation import CompromiseStep
from keybench.core.rotations.stages import proof_settled
from keybench.core.sales.sale import SaleDraft, SaleMode, SaleStage
from keybench.workflows.keys.applications import ApplicationDraft, draft_of

if TYPE_CHECKING:
    from keybench.workflows.lessons.room import Room

DEEDS: Final[dict[str, Callable[..., Awaitable[object]]]] = {}
_ANYTHING: Final = frozenset({"set faults", "wait for"})
#: What a file may give for an argument.
_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "bool": (bool,),
    "tuple[str, ...]": (list,),
}
_PRACTICE: Final = "practice"
#: How often is looked for what has to happen, in seconds.
LOOK_S: Final = 0.2
#: The base URL of the practice gateway's second side ends so; keys of one side are unknown on the other.
_LIVE_SIDE: Final = "/live"


def why_not(deed: Deed) -> str:
    """Return why a deed can't be done as it stands in a file; empty if it can."""
    if deed.do in _ANYTHING:
        return "" if deed.given else "needs a field"
    taken = list(inspect.signature(DEEDS[deed.do]).parameters.values())[1:]
    known = {one.name: one for one in taken}
    for name, value in deed.given.items():
        if name not in known:
            return f"{deed.do} takes {', '.join(known) or 'nothing'}, not {name}"
        kind = known[name].annotation
        if type(value) not in _KINDS[kind]:
            return f"{name} must be of the kind {kind}"
    missing = [one.name for one in taken if one.default is one.empty and one.name not in deed.given]
    return f"{deed.do} needs {', '.join(missing)}" if missing else ""


def deed(verb: str) -> Callable[[Callable[..., Awaitable[object]]], Callable[..., Awaitable[object]]]:
    """Make a coroutine what is done at `verb`."""

    def kept(work: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
        DEEDS[verb] = work
        return work

    return kept


# --- what is so, or what others do, at the gateway ---------------------------------------------------------


@deed("go back")
async def _go_back(room: Room, days: float) -> None:
    """Do what follows so many days ago; a stage ends in the present."""
    await room.set_clock(-timedelta(days=days).total_seconds())


@deed("move time")
async def _move_time(room: Room, days: float = 0.0, hours: float = 0.0) -> None:
    await room.move_time(timedelta(days=days, hours=hours).total_seconds())


@deed("set user")
async def _set_user(
    room: Room,
    username: str,
    full_name: str = "",
    permissions: tuple[str, ...] = (),
    enabled: bool = True,
) -> None:
    body: dict[str, Any] = {"enabled": enabled}
    body |= {"full_name": full_name} if full_name else {}
    body |= {"permissions": list(permissions)} if permissions else {}
    await room.ask("PUT", f"/portal/users/{username}", body)


@deed("add device")
async def _add_device(room: Room, id: str, nickname: str, connected: bool = True) -> None:
    await room.ask("POST", "/portal/devices", {"id": id, "nickname": nickname, "connected": connected})


@deed("set device")
async def _set_device(
    room: Room,
    id: str,
    connected: bool = True,
    by_hand: bool = False,
    slow: float = 1.0,
    battery: int = 87,
) -> None:
    body = {"connected": connected, "by_hand": by_hand, "slow": slow, "battery": battery}
    await room.ask("PATCH", f"/portal/devices/{id}", body)


@deed("press")
async def _press(room: Room, device: str, button: str) -> None:
    await room.ask("POST", f"/portal/devices/{device}/press", {"button": button})


@deed("set faults")
async def _set_faults(room: Room, **faults: Any) -> None:
    await room.ask("PUT", "/portal/faults", faults)


@deed("delete at the gateway")
async def _delete_at_gateway(room: Room, key: str) -> None:
    """Delete a key as somebody else does, who tells this console nothing."""
    _environment, known = await room.key(key)
    await room.ask("DELETE", f"/portal/keys/{known.gateway_id}")


@deed("set application")
async def _set_application(
    room: Room,
    name: str,
    key: str,
    device: str,
    amount: str = "10.00",
    every_s: float = 6.0,
    at_once: bool = False,
    registered: bool = True,
    owner: str = "",
    place: str = "",
) -> None:
    """Have an application sell with a key by itself; it is in the register unless nobody wrote it down."""
    _environment, known = await room.key(key)
    body = {
        "device_id": device,
        "amount": amount,
        "every_s": every_s,
        "takes_key": "at once" if at_once else "restart",
        "key_id": known.gateway_id,
    }
    await room.ask("PUT", f"/portal/applications/{name}", body)
    if registered:
        await _add_application(room, name, key, owner, place)


@deed("restart application")
async def _restart(room: Room, name: str) -> None:
    await room.mirror_register()
    await room.ask("POST", f"/portal/applications/{name}/restart")


@deed("wait for")
async def _wait_for(room: Room, **pattern: Any) -> None:
    """Wait until something has happened since this began."""
    event, count = str(pattern.pop("event")), int(pattern.pop("count", 1))
    await room.until(Pattern(event, {name: (str(word),) for name, word in pattern.items()}, count))


# --- what a person does in the window -----------------------------------------------------------------------


@deed("add environment")
async def _add_environment(room: Room, name: str) -> None:
    """Add the practice gateway's second side as a test environment of its own."""
    base_url = await room.console.world.practice.ensure()
    await room.console.environments.add(name, EnvironmentKind.TEST, base_url + _LIVE_SIDE, "practice")


@deed("add key")
async def _add_key(
    room: Room,
    name: str,
    username: str = "counter1",
    permission: str = "API",
    kind: str = "private",
    purpose: str = "",
    owner: str = "",
    environment: str = _PRACTICE,
    repeat: int = 1,
    value: bool = True,
) -> None:
    """Add a key, or several whose texts have their number for ``{n}``.

    Without its value the console knows it by its description alone, as after an import.
    """
    where = await room.console.environments.named(environment)
    for number in range(1, repeat + 1):
        texts = [text.replace("{n}", str(number)) for text in (name, username, purpose, owner)]
        draft = KeyDraft(texts[0], texts[1], permission, KeyKind(kind), texts[2])
        made = (await room.console.add_key.create(where, draft)).key
        if owner:
            made = await room.administration.inventory.edit(made, texts[3], made.purpose)
        if not value:
            world = room.console.world
            await world.keystore.erase(entry_of(made))
            await world.journal.update_key(
                made.id, lambda one: replace(one.given(""), state=KeyState.NO_VALUE)
            )


@deed("misplace key")
async def _misplace_key(room: Room, name: str, made_in: str, environment: str = _PRACTICE) -> None:
    """Keep a key of one environment's portal in another one, as it is pasted by mistake."""
    world = room.console.world
    source, target = [await room.console.environments.named(one) for one in (made_in, environment)]
    made = (await room.console.add_key.create(source, KeyDraft(name, "counter1", "API", KeyKind.PRIVATE))).key
    there = replace(made, id=uuid.uuid4().hex, environment_id=target.id, gateway_id="")
    await world.keystore.write(entry_of(there), await world.keystore.read(entry_of(made)))
    await world.journal.add_key(there)
    await world.keystore.erase(entry_of(made))
    await world.journal.remove_key(made.id)


@deed("test key")
async def _test_key(room: Room, name: str, environment: str = _PRACTICE) -> None:
    where, key = await room.key(name, environment)
    with suppress(GatewayError):
        await room.console.keys.test(where, key)


@deed("sell")
async def _sell(
    room: Room,
    key: str,
    device: str = "till-1",
    amount: str = "10.00",
    environment: str = _PRACTICE,
    mode: str = "async",
    wait: bool = True,
    times: int = 1,
) -> None:
    where, known = await room.key(key, environment)
    draft = SaleDraft(where.id, known.id, device, amount, "USD", SaleMode(mode), confirmed=True)
    for _ in range(times):
        sale = await room.console.sell.note(draft)
        if wait:
            await room.console.sell.carry_out(sale)
        else:
            room.in_background(f"sale {sale.reference}", room.console.sell.carry_out(sale))


@deed("look up")
async def _look_up(room: Room) -> None:
    await room.console.resume.look_up(await room.newest_sale())


@deed("cancel sale")
async def _cancel(room: Room) -> None:
    """Ask the device to cancel the sale that is under way, and wait for its end."""
    while (sale := await room.newest_sale()).stage is SaleStage.NOTED:
        await room.console.clock.sleep(LOOK_S)
    await room.console.resume.cancel(sale)
    await room.until(Pattern("sale", {"reference": (sale.reference,)}))


@deed("edit key")
async def _edit_key(room: Room, name: str, owner: str, purpose: str) -> None:
    _where, key = await room.key(name)
    await room.administration.inventory.edit(key, owner, purpose)


@deed("forget key")
async def _forget_key(room: Room, name: str, environment: str = _PRACTICE) -> None:
    await room.console.keys.forget(*await room.key(name, environment))


@deed("revoke key")
async def _revoke_key(room: Room, name: str, reason: str = "leaked") -> None:
    rotation = await room.rotations.revoke(*await room.key(name), room.person, reason)
    await room.rotations.delete(rotation.id, room.person, reason)
    await room.rotations.see_refused(rotation.id)


@deed("take as compromised")
async def _compromise(room: Room, key: str, reason: str = "found in a log") -> None:
    await _start(room, key, reason, 1.0, compromised=True)


@deed("start rotation")
async def _start_rotation(room: Room, key: str, reason: str = "older than a year", days: float = 1.0) -> None:
    await _start(room, key, reason, days, compromised=False)


async def _start(room: Room, name: str, reason: str, days: float, *, compromised: bool) -> None:
    where, key = await room.key(name)
    draft = room.rotations.proposed(key, [one.name for one in await room.console.keys.listed(where)])
    ends = room.console.clock.now() + timedelta(days=days)
    await room.rotations.start(
        where, key, draft, reason=reason, by=room.person, overlap_ends_at=ends, compromised=compromised
    )


@deed("create the replacement")
async def _create(room: Room) -> None:
    made = await room.rotations.create((await room.rotation()).id)
    if not proof_settled(made):
        await room.rotations.prove(made.id)


@deed("set the new key")
async def _set_new_key(room: Room, application: str) -> None:
    """Set the rotation's new key in one of its applications."""
    rotation, step = await room.application_step(application)
    await room.rotations.application_changed(rotation, step, room.person)
    await room.mirror_register()


@deed("test the new key")
async def _test_new_key(room: Room) -> None:
    await room.rotations.test_key((await room.rotation()).id)


@deed("confirm it works")
async def _confirm(room: Room, application: str, seen: str = "a sale in the gateway's log") -> None:
    rotation, step = await room.application_step(application)
    await room.rotations.application_seen(rotation, step, room.person, seen)


@deed("delete the old key")
async def _delete_old_key(room: Room, override: str = "") -> None:
    deleted = await room.rotations.delete((await room.rotation()).id, room.person, override)
    await room.rotations.see_refused(deleted.id)


@deed("update the documentation")
async def _document(room: Room, place: str = "security handbook") -> None:
    await room.rotations.document((await room.rotation()).id, room.person, place)


@deed("check the leak")
async def _check_leak(room: Room, step: str, findings: str = "") -> None:
    rotation = (await room.rotations.listed())[0]
    await room.rotations.check(rotation.id, CompromiseStep(step), True, room.person, findings)


@deed("give key to application")
async def _give_key(room: Room, application: str, key: str) -> None:
    """Set another key in an application, outside a rotation, and note that in the register."""
    where, known = await room.key(key)
    applications = room.administration.applications
    for one in await applications.listed(where.id):
        if one.name == application:
            await applications.update(one, draft_of(one), key_id=known.id)
            await room.mirror_register()
            return
    raise NotFound("application", application)


@deed("add application")
async def _add_application(room: Room, name: str, key: str, owner: str = "", place: str = "") -> None:
    """Write an application down in the register."""
    where, known = await room.key(key)
    await room.administration.applications.add(where, known.id, ApplicationDraft(name, owner, place=place))


@deed("check a leaver")
async def _check_leaver(room: Room, username: str) -> None:
    """List the keys of a user who has left, and save the list beside the lesson."""
    review = room.administration.review
    found = await review.leaver(username)
    path = Path(room.console.world.journal.place.folder) / "leaver.txt"
    await review.save_leaver(found, "\n".join(one.key.name for one in found.keys), path)


@deed("register device")
async def _register_device(room: Room, nickname: str, key: str) -> None:
    """Pair the device in the box by the code that it shows."""
    where, known = await room.key(key)
    shown = await room.ask("GET", "/portal/devices")
    await room.console.devices.register(where, known, shown["unpaired"]["code"], nickname)
