"""What stops working when a key is revoked, told before it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.core.keys.key import SecurityKey, alike
from keybench.core.rotations.rotation import Rotation
from keybench.core.sales.history import SaleFilter
from keybench.workflows.console import Console

#: A device that sold with a key since then is told.
LATELY: Final = timedelta(days=30)
#: So many of the newest sales are looked through for their devices.
_MOST: Final = 2000


@dataclass(frozen=True, slots=True)
class Effects:
    """What is known to need a key, and who deletes it.

    `keys` are others here with the same value; `devices` those it sold on lately from this computer, the last
    used first; `rotations` are open ones whose new key it is.
    """

    keys: tuple[str, ...] = ()
    applications: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    sales: int = 0
    rotations: tuple[Rotation, ...] = ()
    by_gateway: bool = False


async def effects_of_revoking(console: Console, environment: Environment, key: SecurityKey) -> Effects:
    """Return what stops working without a key, and who deletes it."""
    journal = console.world.journal
    keys = await journal.keys(environment.id)
    ids = alike(keys).get(key.id, {key.id})
    wanted = SaleFilter(
        environment_id=environment.id, since=console.clock.now() - LATELY, key_ids=frozenset(ids)
    )
    sales = await journal.find_sales(wanted, limit=_MOST)
    rotations = await journal.rotations(environment.id)
    register = [one.name for one in await journal.applications(environment.id) if one.key_id in ids]
    return Effects(
        keys=tuple(one.name for one in keys if one.id in ids and one.id != key.id),
        applications=tuple(register),
        devices=tuple(dict.fromkeys(sale.device for sale in sales)),
        sales=sum(sale.key_id in ids for sale in await journal.unfinished_sales()),
        rotations=tuple(
            one for one in rotations if one.is_open and one.replacement and one.replacement.key_id in ids
        ),
        by_gateway=bool(key.gateway_id) and console.environments.facts(environment).can_create_keys,
    )
