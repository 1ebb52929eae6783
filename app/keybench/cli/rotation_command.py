"""The command about rotations: it lists them, and writes one's record to a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.argument_types import RECORD_ENDINGS
from keybench.cli.output import Output
from keybench.core import rotation_stages as stages
from keybench.core.rotation import STAGES, Rotation
from keybench.runtime.saving import save
from keybench.words.record import record_markdown
from keybench.words.record_html import record_html
from keybench.words.times import day_and_time
from keybench.workflows.console import Console

_FORMS: Final = dict(zip(RECORD_ENDINGS, (record_markdown, record_html), strict=True))


async def rotation(console: Console, options: argparse.Namespace, output: Output) -> int:
    """List rotations, newest first, or write the record of one."""
    if options.action == "record":
        await _record(console, options.id, Path(options.out), output)
        return exits.DONE
    only = (await console.environments.named(options.environment)).id if options.environment else None
    names = {one.id: one.name for one in await console.environments.all()}
    for one in await console.world.journal.rotations(only):
        output.result(record_of(one, names), _line(one))
    return exits.DONE


def record_of(rotation: Rotation, names: dict[str, str]) -> dict[str, Any]:
    """Return a rotation as the command prints it; `names` tells what the environments are called."""
    return {
        "id": rotation.id,
        "environment": names.get(rotation.environment_id, "removed"),
        "old": rotation.old.name,
        "new": rotation.replacement.name if rotation.replacement else "",
        "state": state_of(rotation),
        "stage": STAGES.index(stages.stage_of(rotation)) + 1,
        "compromised": rotation.compromised,
        "started": rotation.started_at.isoformat(),
        "overlap_ends": rotation.overlap_ends_at.isoformat(),
    }


def state_of(rotation: Rotation) -> str:
    """Return whether a rotation is ``open``, ``finished`` or ``abandoned``."""
    if rotation.abandoned_at:
        return "abandoned"
    return "open" if rotation.is_open else "finished"


def _line(rotation: Rotation) -> str:
    new = f" → {rotation.replacement.name}" if rotation.replacement else ""
    state = state_of(rotation)
    where = (
        f"stage {STAGES.index(stages.stage_of(rotation)) + 1} of {len(STAGES)}" if rotation.is_open else state
    )
    worse = ", compromised" if rotation.compromised else ""
    began = f"started {day_and_time(rotation.started_at)}"
    return f"{rotation.id}  {rotation.old.name}{new}  {where}{worse}, {began}"


async def _record(console: Console, rotation_id: str, path: Path, output: Output) -> None:
    form = _FORMS[path.suffix.lower()]  # the parser takes no other
    found = await console.world.journal.rotation(rotation_id)
    environment = await console.calling.environment(found.environment_id)
    await save(path, form(found, environment, console.clock.now()))
    output.result({"file": str(path), "id": found.id}, f"Wrote the record to {path}.")
