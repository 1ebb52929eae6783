"""A program that makes a call of every kind at once and tells what came of each, to be stopped meanwhile.

Run as ``python caller_program.py BASE_URL LOOP``; LOOP is ``plain`` or ``qt``, the window's.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from gateway.callers import MADE_UP_KEY, ORDER
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import GatewayError
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.ports import Caller
from keybench.core.sales.sale import SaleMode
from keybench.core.secret import Secret
from keybench.gateway.client import HttpGateway
from keybench.gateway.messages import Limits
from keybench.gateway.portal import HttpPortal

#: Short for an answer. The rest is long all the same: a busy machine may take its time to ask.
LIMITS: Final = Limits(read_s=0.5, total_s=1.0, held_s=0.5)
DRAFT: Final = KeyDraft("Till 3", "counter1", "API", KeyKind.PRIVATE)
CALLS: Final = ("sale", "held sale", "poll", "held poll", "look-up", "key")


def _caller(base_url: str, contract: str) -> Caller:
    made = datetime(2026, 3, 1, tzinfo=UTC)
    environment = Environment("e1", "Test", EnvironmentKind.TEST, base_url, contract, made)
    return Caller(environment, base_url, Secret(MADE_UP_KEY), lambda _: None)


async def _told(call: Coroutine[Any, Any, Any]) -> str:
    try:
        return str(await call)
    except GatewayError as error:
        return f"{type(error).__name__}: {error.reason}"


async def main() -> int:
    """Tell on standard output what came of each call."""
    base_url = sys.argv[1]
    caller, patient = _caller(base_url, "practice"), _caller(base_url, "v5-asyncstatus")
    gateway, portal = HttpGateway(limits=LIMITS), HttpPortal(limits=LIMITS)
    calls = (
        gateway.start_sale(caller, ORDER),
        gateway.start_sale(caller, replace(ORDER, mode=SaleMode.SYNCHRONOUS)),
        gateway.sale_status(caller, ORDER, "R-1"),
        gateway.sale_status(patient, ORDER, "R-1"),
        gateway.look_up(caller, ORDER),
        portal.create_key(caller.environment, base_url, DRAFT, "request-1"),
    )
    told = await asyncio.gather(*(_told(call) for call in calls))
    await gateway.close()
    await portal.close()
    sys.stdout.write(json.dumps(dict(zip(CALLS, told, strict=True))))
    return 0


if __name__ == "__main__":
    if sys.argv[2] == "qt":
        from PySide6.QtCore import QCoreApplication

        from keybench.loop import run

        sys.exit(run(QCoreApplication([]), main))
    sys.exit(asyncio.run(main()))
