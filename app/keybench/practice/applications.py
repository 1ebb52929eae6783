"""Simulated applications: each holds a key, and sells on a device every few seconds while the gateway runs.

An application's calls take the way of any other call, faults and log included. Only its key is told by its
identifier, in the scope's `state`, where no caller by HTTP can put it: values are kept nowhere.
"""

import asyncio
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from starlette.types import ASGIApp, Message

from keybench.practice.amounts import COMPLETE, ENDS, money
from keybench.practice.database import StateTable

if TYPE_CHECKING:
    from keybench.practice.gateway import PracticeGateway

RESTART: Final = "restart"
AT_ONCE: Final = "at once"
_POLL_EVERY_S: Final = 1.0
_MOST_POLLS: Final = 300
_TAKEN: Final = range(200, 300)
_REFUSED: Final = range(400, 500)
_RATE_LIMIT: Final = "rate_limit"


@dataclass(frozen=True, slots=True)
class PracticeApplication:
    """An application as it is set up, the key it runs with, and how its sales went; times since 1970.

    `takes_key` says when it takes `key_id` for its running key: when it is restarted, or at its next sale.
    `last_status` and `last_why` are of the last answer that decided a sale or began one.
    """

    name: str
    device_id: str
    cents: int
    every_s: float
    takes_key: str
    key_id: str
    running_key_id: str
    orders: int = 0
    sold: int = 0
    failed: int = 0
    last_time: float | None = None
    last_status: int = 0
    last_why: str = ""


class PracticeApplications(StateTable[PracticeApplication]):
    """The simulated applications, in the order they were set up."""

    name = "application"
    record = PracticeApplication
    key = "name"


class Runner:
    """Lets the applications of a gateway sell by `app`, each in a task, from `start` to `stop`."""

    def __init__(self, gateway: "PracticeGateway", app: ASGIApp) -> None:
        self._gateway = gateway
        self._applications = gateway.state.applications
        self._app = app
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self) -> None:
        """Let all applications sell from now on."""
        self._loop = asyncio.get_running_loop()
        for application in self._applications.every():
            self.begin(application.name)

    def begin(self, name: str) -> None:
        """Let an application sell, too, if the others do."""
        if self._loop is not None and name not in self._tasks:
            self._tasks[name] = self._loop.create_task(self._run(name))

    def end(self, name: str) -> None:
        """Let an application sell no more."""
        if name in self._tasks:
            self._tasks.pop(name).cancel()

    async def stop(self) -> None:
        """Let none sell any more, and wait until they have ended."""
        tasks, self._tasks, self._loop = list(self._tasks.values()), {}, None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, name: str) -> None:
        while (application := self._applications.find(name)) is not None:
            began = self._gateway.clock()
            await self.turn(name)
            every_s = application.every_s / self._gateway.speed
            # The clock may have been moved meanwhile.
            await self._gateway.pause(min(max(began + every_s - self._gateway.clock(), 0.0), every_s))

    async def turn(self, name: str) -> None:
        """Sell once, and poll until the outcome is there."""
        selling = self._applications.find(name)
        if selling is None:
            return
        if selling.takes_key == AT_ONCE:
            self._applications.change(name, running_key_id=selling.key_id)
        order = selling.orders + 1
        self._applications.change(name, orders=order)
        body = {
            "amount": money(selling.cents),
            "order_details": {"id": f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')[:40]}-{order}"},
        }
        path = f"/api/v5/devices/{selling.device_id}/payment-requests"
        sold, told = await self._ask(name, "POST", f"{path}/sale", body)
        for _ in range(_MOST_POLLS):
            if sold is not None:
                break
            await self._gateway.pause(_POLL_EVERY_S / self._gateway.speed)
            sold, _told = await self._ask(name, "GET", f"{path}/{told['id']}")
        if (now := self._applications.find(name)) is not None:
            count = {"sold": now.sold + 1} if sold else {"failed": now.failed + 1}
            self._applications.change(name, **count)

    async def _ask(
        self, name: str, method: str, path: str, body: dict[str, Any] | None = None
    ) -> tuple[bool | None, dict[str, Any]]:
        """Make a call with the running key; return what it says, as `_sold` does, and the answer's JSON."""
        application = self._applications.find(name)
        if application is None:
            return False, {}
        sent = b"" if body is None else json.dumps(body).encode()
        state: dict[str, Any] = {"caller": name, "running_key_id": application.running_key_id}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
            "client": (name, 0),
            "state": state,
        }
        unread: list[Message] = [{"type": "http.request", "body": sent, "more_body": False}]
        status, answered = 0, b""

        async def receive() -> Message:
            return unread.pop() if unread else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal status, answered
            status = message.get("status", status)
            answered += message.get("body", b"")

        await self._app(scope, receive, send)
        try:
            told = json.loads(answered)
        except ValueError:
            told = {}
        why = state.get("why", "")
        decides = method == "POST" or _ends_asking(status, why)
        if decides:
            self._applications.change(name, last_status=status, last_why=why, last_time=self._gateway.clock())
        if status in _TAKEN and isinstance(told, dict) and "id" in told:
            return _sold(told), told
        return (False if decides else None), told


def _sold(told: dict[str, Any]) -> bool | None:
    """Return whether a payment request is approved; None while it goes on."""
    if told.get("status") == COMPLETE:
        return (told.get("transaction") or {}).get("success") is True
    return False if told.get("status") in ENDS else None


def _ends_asking(status: int, why: str) -> bool:
    """Tell whether a poll is refused for good: a rate limit and faults pass."""
    return status in _REFUSED and why != _RATE_LIMIT and not why.startswith("fault")
