"""What the practice gateway tells a trainer: its log, simulated applications, and the devices' faces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class LogLine:
    """One call that the gateway answered, and why so; `why` is a stable word, `caller` an application."""

    number: int
    at: datetime
    method: str
    path: str
    status: int
    why: str
    key: str
    caller: str
    device: str
    amount: str
    key_id: str

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> LogLine:
        """Return a line as the gateway's log has it."""
        return cls(
            number=plain["sequence"],
            at=datetime.fromisoformat(plain["time"]),
            method=plain["method"],
            path=plain["path"],
            status=plain["status"],
            why=plain["why"],
            key=plain["key_name"],
            caller=plain["caller"],
            device=plain["device_id"],
            amount=plain["amount"],
            key_id=plain["key_id"] or "",
        )


@dataclass(frozen=True, slots=True)
class SimulatedApplication:
    """An application that sells at the practice gateway by itself.

    It is set to `key`, and runs with `running_key` until it is restarted, unless it takes a new one at once.
    """

    name: str
    device: str
    key: str
    running_key: str
    key_id: str
    running_key_id: str
    at_once: bool
    last_at: datetime | None
    last_why: str
    sold: int
    failed: int

    @property
    def waits_for_restart(self) -> bool:
        """Whether it runs with another key than it is set to."""
        return self.running_key_id != self.key_id

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> SimulatedApplication:
        """Return an application as the gateway lists it."""
        last = plain["last"] or {}
        return cls(
            name=plain["name"],
            device=plain["device_id"],
            key=plain["key_name"],
            running_key=plain["running_key_name"],
            key_id=plain["key_id"],
            running_key_id=plain["running_key_id"],
            at_once=plain["takes_key"] == "at once",
            last_at=datetime.fromisoformat(last["time"]) if last else None,
            last_why=last.get("why", ""),
            sold=plain["sold"],
            failed=plain["failed"],
        )


@dataclass(frozen=True, slots=True)
class DeviceFace:
    """What a practice device shows to whoever stands before it; `display` is a stable word.

    `signal` is its Wi-Fi's strength in dBm, `battery` in per cent, `left_s` how long it still waits.
    """

    id: str
    nickname: str
    connected: bool
    by_hand: bool
    battery: int | None
    signal: int | None
    display: str
    amount: str
    currency: str
    held_by: str
    left_s: float | None

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> DeviceFace:
        """Return a device as the gateway lists it."""
        told = {one.name: plain[one.name] for one in fields(cls)}
        texts = {name: told[name] or "" for name in ("amount", "currency", "held_by")}
        return cls(**{**told, **texts})
