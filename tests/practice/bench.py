"""A practice gateway in this process, with a clock that the test moves and a client that speaks to it."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx
from starlette.types import Scope

from keybench.practice.app import make_app
from keybench.practice.replay import Recorded
from keybench.practice.state import State

PORTAL = {"X-Practice-Portal": "1"}
START = 1_800_000_000.0


class Clock:
    """Seconds since 1970, moved by hand or by waiting."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now

    async def pause(self, seconds: float) -> None:
        """Let the time pass at once, and let others have their turn."""
        self.now += seconds
        await asyncio.sleep(0)


class DroppedError(Exception):
    """The gateway closed the connection."""


def drop(_scope: Scope) -> None:
    raise DroppedError


class Bench:
    """The gateway's state, clock and client."""

    def __init__(
        self,
        speed: float = 1.0,
        state: State | None = None,
        recording: Sequence[Sequence[Recorded]] = (),
    ) -> None:
        self.clock = Clock()
        self.state = state or State(":memory:", self.clock())
        app = make_app(
            self.state, drop, clock=self.clock, pause=self.clock.pause, speed=speed, recording=recording
        )
        self.gateway = app.gateway
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1")
        self._made = 0

    async def close(self) -> None:
        await self.client.aclose()
        self.state.close()

    async def create_key(self, **fields: Any) -> httpx.Response:
        """Ask the portal for a key; name, username, permission and kind have defaults."""
        self._made += 1
        asked = {"name": f"Key {self._made}", "username": "counter1", "permission": "API", "kind": "private"}
        return await self.client.post("/portal/keys", json={**asked, **fields}, headers=PORTAL)

    async def key(self, username: str = "counter1", permission: str = "API", kind: str = "private") -> str:
        """Return the value of a new key."""
        made = await self.create_key(username=username, permission=permission, kind=kind)
        value: str = made.json()["value"]
        return value

    async def sell(
        self, key: str, amount: object = "10.00", device: str = "till-1", **fields: Any
    ) -> httpx.Response:
        """Start an asynchronous sale."""
        path = f"/api/v5/devices/{device}/payment-requests/sale"
        return await self.client.post(path, json={"amount": amount, **fields}, headers={"Authorization": key})

    async def status(self, key: str, request_id: str, device: str = "till-1") -> dict[str, Any]:
        """Return a payment request as the status call shows it."""
        path = f"/api/v5/devices/{device}/payment-requests/{request_id}"
        answer = await self.client.get(path, headers={"Authorization": key})
        shown: dict[str, Any] = answer.json()
        return shown

    async def sell_held(self, key: str, amount: object = "10.00", **fields: Any) -> httpx.Response:
        """Sell synchronously."""
        body = {"amount": amount, "device_id": "till-1", **fields}
        return await self.client.post("/api/v5/payments/sale", json=body, headers={"Authorization": key})

    async def log(self) -> list[dict[str, Any]]:
        """Return the request log, newest first."""
        answer = await self.client.get("/portal/log", headers=PORTAL)
        entries: list[dict[str, Any]] = answer.json()["entries"]
        return entries


def refused(answer: httpx.Response, status: int) -> str:
    """Return a refusal's message, having checked its status and that it is the v5 envelope."""
    assert answer.status_code == status
    assert {"type", "error_code", "message", "ref_id"} <= set(answer.json())
    message: str = answer.json()["message"]
    return message
