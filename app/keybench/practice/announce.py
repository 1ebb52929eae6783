"""What the practice gateway says about itself on standard output: its base URL first, then what to try."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from keybench.practice import amounts, ratelimit, views
from keybench.practice.state import State


def _amount_rows() -> Iterator[dict[str, Any]]:
    yield {"amount": "under 1.00", "gives": amounts.SMALL.meaning}
    for cents, script in amounts.BY_CENTS.items():
        yield {"amount": amounts.money(cents), "gives": script.meaning}


def _device_rows(state: State, now: float) -> Iterator[dict[str, Any]]:
    for item in state.fleet.every():
        shown = views.device(item, None, now)
        yield {
            "device": item.id,
            "nickname": item.nickname,
            "connection_status": shown["connectionStatus"],
        }


def _user_rows(state: State) -> Iterator[dict[str, Any]]:
    for user in state.users.every():
        may = ", ".join(sorted(user.permissions))
        yield {"user": user.username, "full_name": user.full_name, "may": may, "enabled": user.enabled}


def _limits() -> dict[str, Any]:
    return {"requests_per_second": int(ratelimit.PER_SECOND), "burst": int(ratelimit.BURST)}


def as_json(base_url: str, state: State, now: float) -> list[str]:
    """Return the announcement as JSON lines: `base_url` first, then a row each, then the rate limit."""
    rows: Iterable[dict[str, Any]] = (
        {"base_url": base_url, "gateway_id": state.facts.gateway_id},
        *_amount_rows(),
        *_device_rows(state, now),
        *_user_rows(state),
        {"rate_limit": _limits()},
    )
    return [json.dumps(row) for row in rows]


def as_text(base_url: str, state: State, now: float) -> list[str]:
    """Return the announcement for people: the base URL alone on the first line, then readable tables."""
    limits = _limits()
    per_key = f"{limits['requests_per_second']} requests a second, {limits['burst']} at once"
    return [
        base_url,
        "",
        *_table("Amounts", [(row["amount"], row["gives"]) for row in _amount_rows()]),
        *_table(
            "Devices",
            [
                (row["device"], f"{row['nickname']} ({row['connection_status']})")
                for row in _device_rows(state, now)
            ],
        ),
        *_table(
            "Users",
            [
                (row["user"], row["may"] + ("" if row["enabled"] else " (disabled)"))
                for row in _user_rows(state)
            ],
        ),
        *_table("Also", [("rate limit", f"{per_key} for each key"), ("gateway id", state.facts.gateway_id)]),
    ]


def _table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    width = max((len(name) for name, _ in rows), default=0)
    return [title, *(f"  {name:<{width}}  {text}" for name, text in rows), ""]
