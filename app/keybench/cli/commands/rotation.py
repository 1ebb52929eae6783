"""``rotation``: list rotations, or write the record of one to a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from keybench.cli.arguments import environment_id
from keybench.cli.output import Output
from keybench.cli.parser import add_actions
from keybench.cli.running import with_console
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import STAGES
from keybench.runtime.saving import save
from keybench.words.formats import day_and_time
from keybench.words.language import _
from keybench.words.paper import paper_html
from keybench.words.rotations.record import paper_markdown, record_paper
from keybench.words.rotations.stages import stage_number
from keybench.workflows.console import Console

#: How the name of a record's file may end; a PDF needs the window.
_FORMS: Final = {".md": paper_markdown, ".html": paper_html}


def record_file(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in _FORMS:
        raise argparse.ArgumentTypeError("let it end in .md or .html; a PDF is saved in the window")
    return path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    listing = action("list", _("list rotations, newest first"), _list)
    listing.add_argument("--environment", metavar="E", help=_("only this environment's"))
    record = action("record", _("save a rotation's record"), _record)
    record.add_argument("id", metavar="ID", help=_("as `rotation list` tells it"))
    record.add_argument(
        "--out", required=True, type=record_file, metavar="FILE", help=_("FILE.md or FILE.html")
    )


@with_console
async def _list(console: Console, options: argparse.Namespace, output: Output) -> None:
    only = await environment_id(console, options.environment)
    names = {one.id: one.name for one in await console.environments.all()}
    for one in await console.world.journal.rotations(only):
        output.result(_record_of(one, names), _line(one))


def _record_of(rotation: Rotation, names: dict[str, str]) -> dict[str, Any]:
    return {
        "id": rotation.id,
        "environment": names.get(rotation.environment_id, "removed"),
        "old": rotation.old.name,
        "new": rotation.replacement.name if rotation.replacement else "",
        "state": _state_of(rotation),
        "stage": stage_number(stages.stage_of(rotation)),
        "compromised": rotation.compromised,
        "started": rotation.started_at.isoformat(),
        "overlap_ends": rotation.overlap_ends_at.isoformat(),
    }


def _state_of(rotation: Rotation) -> str:
    if rotation.abandoned_at:
        return "abandoned"
    return "open" if rotation.is_open else "finished"


def _line(rotation: Rotation) -> str:
    new = f" → {rotation.replacement.name}" if rotation.replacement else ""
    where = _state_of(rotation)
    if rotation.is_open:
        index = stage_number(stages.stage_of(rotation))
        where = _("stage {index} of {count}").format(index=index, count=len(STAGES))
    worse = _(", compromised") if rotation.compromised else ""
    began = _("started {day_and_time}").format(day_and_time=day_and_time(rotation.started_at))
    return f"{rotation.id}  {rotation.old.name}{new}  {where}{worse}, {began}"


@with_console
async def _record(console: Console, options: argparse.Namespace, output: Output) -> None:
    path: Path = options.out
    form = _FORMS[path.suffix.lower()]
    found = await console.world.journal.rotation(options.id)
    environment = await console.calling.environment(found.environment_id)
    await save(path, form(record_paper(found, environment, console.clock.now())))
    output.result({"file": str(path), "id": found.id}, _("Wrote the record to {path}.").format(path=path))
