"""A transport made with its first request: the HTTP library is slow to import, and the window comes first."""

from __future__ import annotations

import asyncio
import importlib
import ssl
from typing import TYPE_CHECKING

from keybench.core.ports import Clock
from keybench.gateway.messages import Answer, Limits, Manner, Request
from keybench.gateway.proxies import Proxies
from keybench.runtime.worker import DaemonWorker

if TYPE_CHECKING:
    from keybench.gateway.transport import Transport


class LateTransport:
    """Sends through a `Transport` that is made when it is first needed; its arguments are the same."""

    def __init__(
        self, clock: Clock, proxies: Proxies, limits: Limits | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        self._clock = clock
        self._proxies = proxies
        self._limits = limits
        self._tls = tls
        self._transport: Transport | None = None
        self._making = asyncio.Lock()

    async def send(self, request: Request, manner: Manner) -> Answer:
        """Send once; see `Transport.send`."""
        return await (await self._made()).send(request, manner)

    async def close(self) -> None:
        """Close all connections; safe to call twice."""
        if self._transport:
            await self._transport.close()

    async def _made(self) -> Transport:
        async with self._making:
            if self._transport is None:
                worker = DaemonWorker("keybench imports")
                try:
                    await worker.run(lambda: importlib.import_module("keybench.gateway.transport"))
                finally:
                    worker.stop()
                from keybench.gateway.transport import Transport  # noqa: PLC0415 - imported just now

                self._transport = Transport(self._clock, self._proxies, self._limits, self._tls)
            return self._transport
