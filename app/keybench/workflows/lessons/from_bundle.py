"""Makes lessons of what happened: of a support bundle's sale, and of a rotation, to rehearse it.

The bundle's newest sale that wasn't approved is played again by an amount that ends so at a practice device,
which takes as long as the real one did. Names and amounts of the bundle stay out, but for the device's.
"""

from __future__ import annotations

import json
import tomllib
import zipfile
import zlib
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from keybench.core.errors import LessonInvalid
from keybench.core.rotations.rotation import ApplicationStep, Rotation
from keybench.core.support.bundle import TIMELINE
from keybench.runtime.data_folder import resource_path
from keybench.workflows.lessons.files import as_toml

#: What Python's reader of ZIPs raises at files that are damaged, or lack what is asked for.
_UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, OSError, KeyError, ValueError, RuntimeError, EOFError)
_MOST_BYTES: Final = 64_000_000
_AMOUNTS: Final = {
    "approved": "10.00",
    "partly_approved": "15.00",
    "declined": "20.00",
    "cancelled": "30.00",
    "expired": "40.00",
    "unknown": "70.00",
}
#: How many device seconds these amounts take in practice, see the practice gateway's page.
_TAKES_S: Final = {"expired": 12.0}
_USUALLY_S: Final = 3.0
_DEVICE: Final = "till-of-the-case"
_KEY: Final = "key of the case"


def lesson_from(bundle: Path) -> str:
    """Return the text of a lesson's file; LessonInvalid if there is no sale to make one of."""
    sale = _sale_in(bundle)
    outcome, status = str(sale.get("outcome") or "unknown"), int(sale.get("status") or 0)
    took_s = _took_s(sale)
    stage: list[dict[str, Any]] = [
        {"do": "add key", "name": _KEY, "username": "counter1", "purpose": "the case"},
        {"do": "add device", "id": _DEVICE, "nickname": f"Device {sale.get('device', '')}"[:60]},
    ]
    amount = _AMOUNTS.get(outcome, "10.00")
    slow = round(took_s / _TAKES_S.get(outcome, _USUALLY_S), 1)
    if slow > 1:
        stage.append({"do": "set device", "id": _DEVICE, "slow": slow})
    stage += _refusal(status)
    begin = {"event": "sale", "device": _DEVICE, "outcome": outcome}
    content = {
        "title": f"A case: {outcome.replace('_', ' ')}",
        "minutes": 5,
        "story": "A customer's sale ended so at a real gateway. It is played again here, with its timing "
        f"({took_s:.0f} s), at a practice device. Write here what the customer said.",
        "learnt": "Write here what a learner can tell a colleague.",
        "stage": stage,
        "steps": [
            {
                "title": "Meet what the customer met",
                "text": f"Sell {amount} on {_DEVICE} with {_KEY}, and wait for the outcome.",
                "about": "The outcome says what happened to the money, and what to do next.",
                "hints": [
                    f"Choose {_KEY} and {_DEVICE} on the Bench, and type {amount}.",
                    "Press Send sale.",
                ],
                "page": "bench",
                "show": "Send sale",
                "must": [begin],
                "solution": [{"do": "sell", "key": _KEY, "device": _DEVICE, "amount": amount}],
            }
        ],
    }
    return as_toml(content)


def _refusal(status: int) -> list[dict[str, Any]]:
    """Return what has a sale refused so, where a status says it."""
    reading_only = ["read devices and payments"]
    deeds: dict[int, dict[str, Any]] = {
        HTTPStatus.UNAUTHORIZED: {"do": "delete at the gateway", "key": _KEY},
        HTTPStatus.FORBIDDEN: {"do": "set user", "username": "counter1", "permissions": reading_only},
        HTTPStatus.CONFLICT: {"do": "set device", "id": _DEVICE, "connected": False},
    }
    return [deeds[status]] if status in deeds else []


def _sale_in(bundle: Path) -> Mapping[str, Any]:
    try:
        with zipfile.ZipFile(bundle) as archive, archive.open(TIMELINE) as file:
            sales = json.loads(file.read(_MOST_BYTES))["sales"]
            failed = [one for one in sales if one.get("outcome") != "approved"] or sales
            return max(failed, key=lambda one: str(one["noted_at"]))
    except _UNREADABLE as error:
        reason = "it has no sale" if isinstance(error, ValueError) else "it isn't a support bundle"
        raise LessonInvalid(bundle.name, "", reason) from None


def _took_s(sale: Mapping[str, Any]) -> float:
    if sale.get("lasted_s"):
        return float(sale["lasted_s"])
    marks = [str(one.get("at")) for one in sale.get("events", ()) if one.get("at")]
    if len(marks) < 2:  # noqa: PLR2004 - a beginning and an end
        return 0.0
    first, last = datetime.fromisoformat(marks[0]), datetime.fromisoformat(marks[-1])
    return max(0.0, (last - first).total_seconds())


#: The lesson whose steps a rehearsal has: those of every rotation.
LESSON: Final = "lessons/09-rotation-without-an-outage.toml"
_DEVICES: Final = ("till-1", "till-2", "counter-1", "kiosk-1")
#: So many applications sell by themselves; a class of more would only be noise in the log.
_MOST: Final = 12


def rehearsal(rotation: Rotation) -> str:
    """Return the text of a lesson's file for a rotation, which may be begun already."""
    with resource_path(LESSON).open("rb") as file:
        content: dict[str, Any] = tomllib.load(file)
    key = rotation.old.name
    applications = rotation.applications[:_MOST] or (ApplicationStep("", "an application of your own"),)
    content |= {
        "title": f"Rehearsal: {key}",
        "story": f"The rotation of {key}, in practice: the same applications, made-up keys. "
        "What goes wrong here goes wrong for nobody.",
        "stage": [
            {"do": "go back", "days": 400.0},
            {"do": "add key", "name": key, "purpose": rotation.old.purpose},
            {"do": "go back", "days": 0.0},
            *(
                {
                    "do": "set application",
                    "name": one.name,
                    "key": key,
                    "device": _DEVICES[number % len(_DEVICES)],
                    "every_s": 6.0 + number,
                    "owner": one.owner,
                    "place": one.place,
                }
                for number, one in enumerate(applications)
            ),
        ],
    }
    content["steps"] = [_of_these(step, key, [one.name for one in applications]) for step in content["steps"]]
    return as_toml(content)


def _of_these(step: dict[str, Any], key: str, applications: list[str]) -> dict[str, Any]:
    """Return a step whose solution does for each of the applications what the lesson's does for its own.

    The lesson's patterns name no application, so they fit as they are; its wrong ways are left out.
    """
    deeds: list[dict[str, Any]] = []
    for deed in step["solution"]:
        told = {name: key if name == "key" else value for name, value in deed.items()}
        field = next((name for name in ("application", "caller") if name in deed), None)
        field = "name" if deed["do"] == "restart application" else field
        if field is None:
            deeds.append(told)
        else:
            deeds += [made for one in applications if (made := {**told, field: one}) not in deeds]
    must = [
        {**rule, "count": len(applications)} if rule.get("distinct") == "caller" else rule
        for rule in step.get("must", [])
    ]
    kept = {name: value for name, value in step.items() if name not in {"wrong", "harmless"}}
    return kept | {"solution": deeds} | ({"must": must} if must else {})
