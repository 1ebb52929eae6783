"""What the practice gateway tells a trainer: its log, simulated applications, and the devices' faces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
    key_id: str = ""

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> LogLine:
        """Return a line as the gateway's log has it."""
        return cls(
            number=plain["sequence"],
            at=datetime.fromisoformat(plain["time"]),
            method=plain["method"],
            path=plain["path"],
            status=plain["status"],
            why=plain["why"] or "",
            key=plain["key_name"] or "",
            caller=plain["caller"] or "",
            device=plain["device_id"] or "",
            amount=plain["amount"] or "",
            key_id=plain.get("key_id") or "",
        )


@dataclass(frozen=True, slots=True)
class SimulatedApplication:
    """An application that sells at the practice gateway by itself.

    It is set to `key`, and runs with `running_key` until it is restarted, unless it takes a new one at once.
    """

    name: str
    device: str
    amount: str
    every_s: float
    at_once: bool
    key: str
    running_key: str
    key_id: str
    last_at: datetime | None
    last_status: int
    last_why: str
    running_key_id: str = ""
    sold: int = 0
    failed: int = 0

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
            amount=plain["amount"],
            every_s=plain["every_s"],
            at_once=plain["takes_key"] == "at once",
            key=plain["key_name"] or "",
            running_key=plain["running_key_name"] or "",
            key_id=plain["key_id"] or "",
            last_at=datetime.fromisoformat(last["time"]) if last else None,
            last_status=last.get("status") or 0,
            last_why=last.get("why") or "",
            running_key_id=plain.get("running_key_id") or "",
            sold=plain.get("sold", 0),
            failed=plain.get("failed", 0),
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
        return cls(
            id=plain["id"],
            nickname=plain["nickname"],
            connected=plain["connected"],
            by_hand=plain["by_hand"],
            battery=plain["battery"],
            signal=plain["signal"],
            display=plain["display"],
            amount=plain["amount"] or "",
            currency=plain["currency"] or "",
            held_by=plain["held_by"] or "",
            left_s=plain["left_s"],
        )
