"""What the journal knows of a key, its user, the device and the environment: bounded and cheap to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from keybench.core.diagnosis.checks import Check, Finding, Observation, Result, Seen, Silence, saw
from keybench.core.diagnosis.evidence import result_of
from keybench.core.environment import Environment
from keybench.core.history import SaleFilter
from keybench.core.ports import ENVIRONMENT_EDITED, Activity, ActivityFilter
from keybench.core.reasons import Reason
from keybench.core.sale import APPROVALS, Mark, Outcome, Sale
from keybench.core.security_key import KeyState, SecurityKey, Trial
from keybench.workflows.calling import Calling
from keybench.workflows.diagnose_round import Step, Untold
from keybench.workflows.world import World

#: As many sales and lines are read at most of each sort.
_SALES: Final = 50
_LINES: Final = 40
#: A rate limit that was met longer ago tells nothing of now.
_RATE_WITHIN: Final = timedelta(hours=1)
#: Another key that worked earlier may be refused by now; one that was refused seldom works again.
_WORKS_WITHIN: Final = timedelta(hours=1)
_REFUSED_WITHIN: Final = timedelta(days=1)
#: After these, another gateway is called, or this one otherwise.
_MOVES: Final = frozenset({Seen.ADDRESS_CHANGED, Seen.CONTRACT_CHANGED})
#: The device's sales of a working day.
_DEVICE_WITHIN: Final = timedelta(days=1)
#: What only a sale that the gateway took can come to.
_TAKEN: Final = frozenset({*APPROVALS, Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED})
_REFUSED: Final = frozenset({KeyState.REFUSED, KeyState.FORBIDDEN})
_REFUSALS: Final = frozenset({Seen.CALL_UNAUTHORISED, Seen.CALL_FORBIDDEN, Seen.CALL_DENIED})
_OF_THE_DEVICE: Final = frozenset({Reason.DEVICE_OFFLINE, Reason.DEVICE_BUSY, Reason.NOT_FOUND})


@dataclass(slots=True)
class Past:
    """Whose history is looked through.

    Attributes:
        at: When what is asked about failed, UTC; None where nothing did.
        is_refused: Whether the gateway refuses the key now, so that what it did before clears nothing.
        all_keys: The keys of all environments; empty until they are read, which takes longest of all.
    """

    environment: Environment
    key: SecurityKey | None
    device: str = ""
    at: datetime | None = None
    is_refused: bool = False
    all_keys: Sequence[SecurityKey] = ()

    async def keys(self, world: World) -> Sequence[SecurityKey]:
        """Return the environment's keys."""
        self.all_keys = self.all_keys or await world.journal.all_keys()
        return [key for key in self.all_keys if key.environment_id == self.environment.id]


def failed_at(sale: Sale | None) -> datetime | None:
    """Return from when on a key that is accepted shows that it wasn't why a sale failed; None without one.

    A sale that the gateway took and that ended without a refusal shows that itself.
    """
    if sale is None:
        return None
    return sale.noted_at if sale.outcome in _TAKEN else sale.finished_at or sale.noted_at


def steps_of_history(world: World, calling: Calling, past: Past) -> dict[Check, Step]:
    """Return how the checks are made that look through the journal."""

    def may_look_back(findings: Mapping[Check, Finding]) -> None:
        _may_read(findings)
        call = findings.get(Check.CALL)
        past.is_refused = any(one.seen in _REFUSALS for one in call.observations) if call else False

    after = (Check.JOURNAL, Check.CALL) if past.at and past.key else (Check.JOURNAL,)
    return {
        Check.RATE: Step(partial(rate_met, world, calling, past), (Check.JOURNAL,), _may_read),
        Check.HISTORY: Step(partial(known_of, world, past), after, may_look_back),
    }


def _may_read(findings: Mapping[Check, Finding]) -> None:
    journal = findings.get(Check.JOURNAL)
    if journal is None or result_of(journal) is not Result.FINE:
        raise Untold(Silence.WAITS, Check.JOURNAL)


# --- the rate limit --------------------------------------------------------------------------------------


async def rate_met(world: World, calling: Calling, past: Past) -> Sequence[Observation]:
    """Return whether the gateway's rate limit was met within the hour, by any call of this environment."""
    now = world.clock.now()
    since = now - _RATE_WITHIN
    where = past.environment.id
    refused = SaleFilter(environment_id=where, state=Outcome.REFUSED, since=since)
    times = [
        sale.finished_at or sale.noted_at
        for sale in await world.journal.find_sales(refused, limit=_SALES)
        if sale.verdict and sale.verdict.reason == Reason.RATE_LIMIT
    ]
    keys = await past.keys(world)
    times += [key.tried_at for key in keys if key.trial is Trial.TOO_OFTEN and key.tried_at]
    lately = await world.journal.find_sales(SaleFilter(environment_id=where, since=since), limit=_SALES)
    timelines = await world.journal.timelines([sale.reference for sale in lately])
    for events in timelines.values():
        # What a poll met stands behind its status, where there is one.
        times += [e.at for e in events if e.mark is Mark.TROUBLE and e.detail.endswith(Reason.RATE_LIMIT)]
    if (ago_s := (await calling.limit(past.environment)).refused_s) < _RATE_WITHIN.total_seconds():
        times.append(now - timedelta(seconds=ago_s))
    met = [at for at in times if since <= at <= now]
    return [saw(Seen.RATE_MET, at=max(met))] if met else [saw(Seen.RATE_NOT_MET)]


# --- what worked, and what changed since -----------------------------------------------------------------


async def known_of(world: World, past: Past) -> Sequence[Observation]:
    """Return what is known of the key, its user's other keys, all others, the environment and the device."""
    now, where = world.clock.now(), past.environment.id
    keys = await past.keys(world)
    lately = await world.journal.find_sales(
        SaleFilter(environment_id=where, since=now - _REFUSED_WITHIN), limit=_SALES
    )
    seen: list[Observation] = []
    if past.key is not None:
        worked_at = await _worked_at(world, past, past.key)
        made_at = await _made_at(world, past.key) if worked_at is None else None
        known_at = worked_at or made_at
        changed = [] if known_at is None else await _changed_since(world, past.environment, known_at)
        # What worked at another address, or by another contract, shows nothing of these.
        since = now - _WORKS_WITHIN
        edited = await _changed_since(world, past.environment, since)
        moves = [one.facts["at"] for one in edited if one.seen in _MOVES]
        since = max([since, *(at for at in moves if isinstance(at, datetime))])
        has_moved = any(one.seen in _MOVES for one in changed)
        seen += changed if has_moved else [*_of_key(past, past.key, worked_at, made_at), *changed]
        seen += await _replaced(world, past.key)
        seen += _of_others(past.key, keys, lately, now, since)
        seen += await _elsewhere(world, past.key, past.all_keys)
    if past.device:
        seen += _of_device(past, await world.journal.sales(where, _SALES, past.device), now)
    return seen or [saw(Seen.NOTHING_KNOWN)]


async def _worked_at(world: World, past: Past, key: SecurityKey) -> datetime | None:
    """Return when the gateway last took a call with the value that the key has now; None if it never did."""
    times = [line.at for line in await _lines(world, key, "key tested", "accepted ")]
    given = await _lines(world, key, "value given")
    since = max((line.at for line in given), default=None)
    if key.state is KeyState.WORKING and key.tested_at is not None:
        times.append(key.tested_at)
    sales = SaleFilter(environment_id=past.environment.id, key_ids=frozenset({key.id}))
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


async def _lines(world: World, key: SecurityKey, action: str, result: str = "") -> Sequence[Activity]:
    """Return what was done with the value that a key has now: a name may have been another key's."""
    ending = result + key.fingerprint
    wanted = ActivityFilter(text=f"{action} {ending}", environment_id=key.environment_id)
    found = await world.journal.find_activities(wanted, limit=_LINES) if key.fingerprint else ()
    return [line for line in found if line.action == action and line.result.endswith(ending)]


def _of_key(
    past: Past, key: SecurityKey, worked_at: datetime | None, made_at: datetime | None
) -> Sequence[Observation]:
    seen = [saw(Seen.KEY_COMPROMISED)] if key.compromised else []
    if worked_at is None:
        known = saw(Seen.KEY_NEVER_WORKED) if made_at is None else saw(Seen.KEY_MADE_HERE, at=made_at)
        return [known, *seen]
    # Refused again since: what worked in between says nothing of why it is refused now.
    is_refused = past.is_refused or (key.state in _REFUSED and (key.tested_at or worked_at) > worked_at)
    has_since = past.at is not None and worked_at >= past.at and not is_refused
    return [saw(Seen.KEY_WORKED_SINCE if has_since else Seen.KEY_WORKED, at=worked_at), *seen]


async def _changed_since(
    world: World, environment: Environment, worked_at: datetime
) -> Sequence[Observation]:
    seen = []
    edited = ActivityFilter(text=ENVIRONMENT_EDITED, environment_id=environment.id, since=worked_at)
    edits = [
        line
        for line in await world.journal.find_activities(edited, limit=_LINES)
        if line.action == ENVIRONMENT_EDITED
    ]
    for what, changed in (("base URL: ", Seen.ADDRESS_CHANGED), ("API version: ", Seen.CONTRACT_CHANGED)):
        if at := next((line.at for line in edits if what in line.result), None):
            seen.append(saw(changed, at=at))
    routed = ActivityFilter(text="proxy set", environment_id=environment.id, since=worked_at)
    ways = [
        line
        for line in await world.journal.find_activities(routed, limit=_LINES)
        if line.action == "proxy set"
    ]
    if ways:
        seen.append(saw(Seen.PROXY_CHANGED, at=ways[0].at))
    return seen


async def _replaced(world: World, key: SecurityKey) -> Sequence[Observation]:
    for rotation in await world.journal.rotations(key.environment_id):
        deleted_at = rotation.deletion.deleted_at if rotation.deletion else None
        if rotation.old.key_id == key.id and deleted_at is not None:
            return [saw(Seen.KEY_REPLACED, at=deleted_at)]
    return []


def _of_others(
    key: SecurityKey,
    keys: Sequence[SecurityKey],
    lately: Sequence[Sale],
    now: datetime,
    since: datetime,
) -> Sequence[Observation]:
    """Return how the environment's other keys stand: whether its user or all of them share the trouble.

    What worked before `since` shows nothing.
    """
    used: dict[str, datetime] = {}
    for sale in lately:
        if (at := _taken_at(sale)) is not None:
            used[sale.key_id] = max(at, used.get(sale.key_id, at))
    others = [other for other in keys if other.id != key.id]
    working = [other for other in others if _works(other, used.get(other.id), now, since)]
    refused = [other for other in others if _is_refused(other, used.get(other.id), now)]
    user = key.username.casefold()
    seen = []
    if theirs := [other for other in working if other.username.casefold() == user]:
        seen.append(saw(Seen.USERS_KEYS_WORK, key=theirs[0].name, username=key.username))
    elif theirs := [other for other in refused if other.username.casefold() == user]:
        seen.append(saw(Seen.USERS_KEYS_REFUSED, key=theirs[0].name, username=key.username))
    if working:
        seen.append(saw(Seen.OTHERS_WORK, key=working[0].name))
    elif refused:
        seen.append(saw(Seen.OTHERS_REFUSED))
    return seen


def _works(key: SecurityKey, used_at: datetime | None, now: datetime, since: datetime) -> bool:
    if _is_refused(key, used_at, now):
        return False
    tested_at = key.tested_at if key.state is KeyState.WORKING else None
    return any(at is not None and at >= since for at in (used_at, tested_at))


def _is_refused(key: SecurityKey, used_at: datetime | None, now: datetime) -> bool:
    if key.state not in _REFUSED or key.tested_at is None:
        return False
    return now - key.tested_at <= _REFUSED_WITHIN and (used_at is None or key.tested_at > used_at)


async def _elsewhere(
    world: World, key: SecurityKey, all_keys: Sequence[SecurityKey]
) -> Sequence[Observation]:
    """Return in which other environment a key with the same value is kept, one that worked there first."""
    if not key.fingerprint:
        return []
    same = [
        one
        for one in all_keys
        if one.fingerprint == key.fingerprint and one.environment_id != key.environment_id
    ]
    if not same:
        return []
    same.sort(key=lambda one: one.state is not KeyState.WORKING)
    names = await world.environment_names()
    facts = {"fingerprint": key.fingerprint, "environment": names.get(same[0].environment_id, "")}
    if same[0].state is KeyState.WORKING and same[0].tested_at is not None:
        return [saw(Seen.SAME_VALUE_ELSEWHERE, **facts, at=same[0].tested_at)]
    return [saw(Seen.SAME_VALUE_ELSEWHERE, **facts)]


def _of_device(past: Past, sales: Sequence[Sale], now: datetime) -> Sequence[Observation]:
    """Return how the device's newest sales of the day ended: sold, or failed with other keys, too."""
    for sale in sales:
        at = sale.finished_at or sale.noted_at
        if now - at > _DEVICE_WITHIN:
            break
        if sale.outcome in APPROVALS:
            return [saw(Seen.DEVICE_WORKED, at=at)]
        is_others = past.key is None or sale.key_id != past.key.id
        reason = sale.verdict.reason if sale.verdict else ""
        if is_others and (sale.outcome is Outcome.EXPIRED or reason in _OF_THE_DEVICE):
            return [saw(Seen.DEVICE_FAILED)]
    return []
