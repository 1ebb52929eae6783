"""The keystore is looked at again and again, and more often while it is in trouble."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from fakes.keystore import FakeKeystore
from fakes.world import Bench
from keybench.core.errors import KeystoreLocked
from keybench.core.ports import KeystoreStatus


class Counted(FakeKeystore):
    """A keystore that counts the looks."""

    looks = 0

    async def refresh(self) -> KeystoreStatus:
        self.looks += 1
        return await super().refresh()


async def test_it_is_looked_at_within_seconds() -> None:
    keystore = Counted()
    bench = Bench(keystore=keystore)
    watching = asyncio.get_running_loop().create_task(bench.console.watch_keystore())
    await bench.clock.advance(6.0)
    assert keystore.looks == 1
    keystore.failure = KeystoreLocked()
    await bench.clock.advance(14.0)
    assert keystore.looks >= 5
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
