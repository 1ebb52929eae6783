"""A rotation rehearsed in practice: its shape and applications, never a value, in the rotations' lesson."""

from __future__ import annotations

import tomllib
from typing import Any, Final

from keybench.core.rotations.rotation import ApplicationStep, Rotation
from keybench.runtime.data_folder import resource_path
from keybench.workflows.lessons.files import as_toml

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
