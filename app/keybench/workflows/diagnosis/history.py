"""What the journal knows of a key and the environment: bounded and cheap to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from keybench.core.diagnosis.checks import Observation, Sign, saw
from keybench.core.environments.environment import Environment
from keybench.core.keys.key import KeyState, SecurityKey, Trial
from keybench.core.ports import ENVIRONMENT_EDITED, Activity, ActivityFilter
from keybench.core.reasons import Reason
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import APPROVALS, Outcome, Sale
from keybench.workflows.calling import Calling
from keybench.workflows.world import World

#: As many sales and lines are read at most of each sort.
_SALES: Final = 50
_LINES: Final = 40
#: A rate limit that was met longer ago tells nothing of now, nor does a key that worked before.
_LATELY: Final = timedelta(hours=1)
#: One that was refused seldom works again.
_A_DAY: Final = timedelta(days=1)
#: What only a sale that the gateway took can come to.
_TAKEN: Final = frozenset({*APPROVALS, Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED})
_REFUSED: Final = frozenset({KeyState.REFUSED, KeyState.FORBIDDEN})


@dataclass(slots=True)
class Past:
    """Whose history is looked through."""

    environment: Environment
    key: SecurityKey | None
    at: datetime | None = None


def failed_at(sale: Sale) -> datetime:
    """Return from when on a key that is accepted shows that it wasn't why a sale failed.

    A sale that the gateway took and that ended without a refusal shows that itself.
    """
    return sale.noted_at if sale.outcome in _TAKEN else sale.finished_at or sale.noted_at


async def rate_met(world: World, calling: Calling, past: Past) -> Sequence[Observation]:
    """Return whether the gateway's rate limit was met within the hour, by any call of this environment."""
    now, where = world.clock.now(), past.environment.id
    since = now - _LATELY
    lately = await world.journal.find_sales(SaleFilter(environment_id=where, since=since), limit=_SALES)
    times = [
        sale.finished_at or sale.noted_at
        for sale in lately
        if sale.verdict and sale.verdict.reason == Reason.RATE_LIMIT
    ]
    keys = await world.journal.keys(where)
    times += [key.tried_at for key in keys if key.trial is Trial.TOO_OFTEN and key.tried_at]
    timelines = await world.journal.timelines([sale.reference for sale in lately])
    for events in timelines.values():
        times += [event.at for event in events if event.reason == Reason.RATE_LIMIT]
    if (ago_s := (await calling.limit(past.environment)).refused_s) < _LATELY.total_seconds():
        times.append(now - timedelta(seconds=ago_s))
    met = [at for at in times if since <= at <= now]
    return [saw(Sign.RATE_MET, at=max(met))] if met else [saw(Sign.RATE_NOT_MET)]


async def known_of(world: World, past: Past) -> Sequence[Observation]:
    """Return what is known of the key, all other keys and the environment."""
    seen: list[Observation] = []
    if past.key is not None:
        worked_at, made_at = await _worked_at(world, past.key), await _made_at(world, past.key)
        edited_at = await _edited_at(world, past.environment)
        # What worked before the environment was edited shows nothing of how it is now.
        if edited_at is not None and (known_at := worked_at or made_at) is not None and known_at < edited_at:
            seen.append(saw(Sign.ENVIRONMENT_CHANGED, at=edited_at))
        else:
            seen.append(_of_key(past, past.key, worked_at, made_at))
        seen += [saw(Sign.KEY_COMPROMISED)] if past.key.compromised else []
        seen += await _replaced(world, past.key)
        seen += await _of_others(world, past.key, edited_at)
        seen += await _elsewhere(world, past.key)
    return seen or [saw(Sign.NOTHING_KNOWN)]


async def _worked_at(world: World, key: SecurityKey) -> datetime | None:
    """Return when the gateway last took a call with the value that the key has now; None if it never did."""
    times = [line.at for line in await _lines(world, key, "key tested")]
    given = await _lines(world, key, "value given")
    since = max((line.at for line in given), default=None)
    if key.state is KeyState.WORKING and key.tested_at is not None:
        times.append(key.tested_at)
    sales = SaleFilter(environment_id=key.environment_id, key_ids=frozenset({key.id}))
    taken = map(_taken_at, await world.journal.find_sales(sales, limit=_SALES))
    times += [at for at in taken if at is not None and (since is None or at >= since)]
    return max(times, default=None)


async def _made_at(world: World, key: SecurityKey) -> datetime | None:
    """Return when the gateway itself made the key with the value that it has now; None if it didn't."""
    is_its_own = bool(key.gateway_id) and not await _lines(world, key, "value given")
    return key.created_at if is_its_own else None


def _taken_at(sale: Sale) -> datetime | None:
    """Return when the gateway took a sale, so that its key was accepted; None if it didn't."""
    if sale.outcome in _TAKEN:
        return sale.accepted_at or sale.finished_at or sale.noted_at
    return sale.accepted_at


async def _lines(world: World, key: SecurityKey, action: str) -> Sequence[Activity]:
    """Return when the value that a key has now was given or accepted: a name may have been another key's."""
    wanted = ActivityFilter(text=f"{action} {key.fingerprint}", environment_id=key.environment_id)
    found = await world.journal.activities(_LINES, wanted) if key.fingerprint else ()
    return [line for line in found if line.action == action and line.fingerprint == key.fingerprint]


def _of_key(
    past: Past, key: SecurityKey, worked_at: datetime | None, made_at: datetime | None
) -> Observation:
    if worked_at is None:
        return saw(Sign.KEY_NEVER_WORKED) if made_at is None else saw(Sign.KEY_MADE_HERE, at=made_at)
    # Refused again since: what worked in between says nothing of why it is refused now.
    is_refused = key.state in _REFUSED and (key.tested_at or worked_at) > worked_at
    has_since = past.at is not None and worked_at >= past.at and not is_refused
    return saw(Sign.KEY_WORKED_SINCE if has_since else Sign.KEY_WORKED, at=worked_at)


async def _edited_at(world: World, environment: Environment) -> datetime | None:
    """Return when the environment's address or contract was last edited, or its name; None if it wasn't."""
    wanted = ActivityFilter(text=ENVIRONMENT_EDITED, environment_id=environment.id)
    lines = await world.journal.activities(_LINES, wanted)
    return max((line.at for line in lines if line.action == ENVIRONMENT_EDITED), default=None)


async def _replaced(world: World, key: SecurityKey) -> Sequence[Observation]:
    for rotation in await world.journal.rotations(key.environment_id):
        deleted_at = rotation.deletion.deleted_at if rotation.deletion else None
        if rotation.old.key_id == key.id and deleted_at is not None:
            return [saw(Sign.KEY_REPLACED, at=deleted_at)]
    return []


async def _of_others(world: World, key: SecurityKey, edited_at: datetime | None) -> Sequence[Observation]:
    """Return whether another key works here, or all others share the trouble."""
    now, where = world.clock.now(), key.environment_id
    since = max(now - _LATELY, edited_at or now - _LATELY)
    used: dict[str, datetime] = {}
    for sale in await world.journal.find_sales(
        SaleFilter(environment_id=where, since=now - _A_DAY), limit=_SALES
    ):
        if (at := _taken_at(sale)) is not None:
            used[sale.key_id] = max(at, used.get(sale.key_id, at))
    refused = False
    for other in await world.journal.keys(where):
        if other.id == key.id:
            continue
        tested_at, used_at = other.tested_at, used.get(other.id)
        if other.state in _REFUSED and tested_at is not None and (used_at is None or tested_at > used_at):
            refused = refused or now - tested_at <= _A_DAY
        elif any(
            at is not None and at >= since
            for at in (used_at, tested_at if other.state is KeyState.WORKING else None)
        ):
            return [saw(Sign.OTHERS_WORK, key=other.name)]
    return [saw(Sign.OTHERS_REFUSED)] if refused else []


async def _elsewhere(world: World, key: SecurityKey) -> Sequence[Observation]:
    """Return in which other environment a key with the same value is kept, one that worked there first."""
    same = [
        one
        for one in await world.journal.all_keys()
        if key.fingerprint == one.fingerprint and one.environment_id != key.environment_id
    ]
    if not key.fingerprint or not same:
        return []
    there = next((one for one in same if one.state is KeyState.WORKING), same[0])
    names = await world.environment_names()
    facts = {"fingerprint": key.fingerprint, "environment": names.get(there.environment_id, "")}
    if there.state is KeyState.WORKING and there.tested_at is not None:
        return [saw(Sign.SAME_VALUE_ELSEWHERE, **facts, at=there.tested_at)]
    return [saw(Sign.SAME_VALUE_ELSEWHERE, **facts)]
