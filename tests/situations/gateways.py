"""A small gateway of its own making: keys, users and devices in memory, and any dialect.

It shares nothing with the practice gateway, so that what is measured with both isn't fitted to one.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from time import time
from typing import Any

from situations.dialects import Dialect, Said

_WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{16,64}")


@dataclass(slots=True)
class Held:
    """A key at the gateway."""

    user: str = "mira"
    kind: str = "private"
    ended: str = ""


@dataclass
class SmallGateway:
    """What a gateway knows, and how it answers one request.

    Attributes:
        keys: By environment (the first part of a path; empty without one) and value.
        header: How a key must be sent: `bare`, `Bearer`, `Basic` or `X-Api-Key`.
        instead: What every call is answered with; None where it is a gateway.
        is_open: Whether its list of devices wants no key.
        begins: What starting a sale is answered with; None for the usual.
        ends: How a sale ends, as its status call tells.
    """

    dialect: Dialect
    keys: dict[tuple[str, str], Held] = field(default_factory=dict)
    environments: tuple[str, ...] = ("",)
    devices: dict[str, str] = field(default_factory=lambda: {"till-1": "connected", "till-2": "connected"})
    header: str = "bare"
    off_users: set[str] = field(default_factory=set)
    barred_users: set[str] = field(default_factory=set)
    restricted: bool = False
    requests_left: int | None = None
    clock_off_s: float = 0.0
    instead: Said | None = None
    is_open: bool = False
    begins: Said | None = None
    ends: Mapping[str, Any] = field(default_factory=dict)

    def answer(self, method: str, path: str, headers: dict[str, str]) -> bytes:
        """Return the bytes of an answer."""
        said = self._said(method, path, headers)
        lines = [
            f"HTTP/1.1 {said.status} It",
            f"Date: {formatdate(time() + self.clock_off_s, usegmt=True)}",
            f"Content-Length: {len(said.body.encode())}",
            *([f"Content-Type: {said.kind}"] if said.kind else []),
            *said.headers,
            "",
            "",
        ]
        return "\r\n".join(lines).encode() + said.body.encode()

    def _said(self, method: str, path: str, headers: dict[str, str]) -> Said:
        if self.instead is not None:
            return self.instead
        for environment in self.environments:
            rest = path.removeprefix(f"/{environment}") if environment else path
            if rest.startswith("/api/v5/"):
                return self._called(environment, method, rest.partition("?")[0], headers)
        return Said(404, json.dumps({"message": "Route not found"}))

    def _called(self, environment: str, method: str, path: str, headers: dict[str, str]) -> Said:
        listing = method == "GET" and path == "/api/v5/devices"
        if not (listing and self.is_open):
            about = self._refused(environment, headers)
            if about:
                return self.dialect.says(about)
        if listing:
            shown = [{"deviceId": one, "connectionStatus": state} for one, state in self._shown().items()]
            return Said(200, json.dumps({"devices": shown}))
        return self._of_device(method, path)

    def _of_device(self, method: str, path: str) -> Said:
        """Answer a call about one device."""
        if path.endswith("/payment-requests/sale"):
            return self.begins or Said(201, json.dumps({"id": "r-1", "status": "pending"}))
        if path.endswith("/payment-requests/r-1"):
            return Said(200, json.dumps({"id": "r-1", **self.ends}))
        found = re.fullmatch(r"/api/v5/devices/([^/]+)", path)
        state = self._shown().get(found[1]) if found and method == "GET" else None
        if state is None:
            return Said(404, json.dumps({"message": "Device not found" if found else "Route not found"}))
        return Said(200, json.dumps({"deviceId": path.rpartition("/")[2], "connectionStatus": state}))

    def _shown(self) -> dict[str, str]:
        return {one: state for one, state in self.devices.items() if state != "unknown"}

    def _refused(self, environment: str, headers: dict[str, str]) -> str:
        """Return what a refusal is about; empty where the caller is let in."""
        value, fits = self._value(headers)
        if not value:
            return "missing"
        if not fits:
            return "header"
        if not _WELL_FORMED.fullmatch(value):
            return "key_form"
        held = self.keys.get((environment, value))
        return self._refuses(held) if held else "key_unknown"

    def _refuses(self, held: Held) -> str:
        if self.requests_left:
            self.requests_left -= 1
        refusals = {
            held.ended: bool(held.ended),
            "rate_limit": self.requests_left == 0,
            "key_kind": held.kind != "private",
            "account": self.restricted,
            "user_disabled": held.user in self.off_users,
            "permission": held.user in self.barred_users,
        }
        return next((about for about, is_so in refusals.items() if is_so), "")

    def _value(self, headers: dict[str, str]) -> tuple[str, bool]:
        """Return what was sent for a key, and whether in the wanted form."""
        if self.header == "X-Api-Key":
            value = headers.get("x-api-key", "")
            return value or headers.get("authorization", ""), bool(value)
        sent = headers.get("authorization", "")
        if self.header == "bare":
            scheme, _, rest = sent.partition(" ")
            return sent, not (rest and scheme.lower() in {"bearer", "basic"})
        scheme, _, rest = sent.partition(" ")
        if scheme != self.header or not rest:
            return sent, False
        if self.header == "Basic":
            try:
                rest = base64.b64decode(rest).decode("ascii").strip(":")
            except ValueError:
                return sent, False
        return rest, True
