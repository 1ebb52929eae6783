"""``contract``: list or check contract files; it opens nothing else of the program."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.cli.parser import add_actions
from keybench.cli.running import run_reported
from keybench.core.errors import ContractInvalid
from keybench.core.ports import ContractFacts, ContractFile
from keybench.runtime.data_folder import DataFolder
from keybench.words.language import _
from keybench.words.texts import text

if TYPE_CHECKING:
    from keybench.cli.entry import Composition


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    action("list", _("list presets and your own, also those that can't be used"), _list)
    check = action("check", _("check a file and tell what it says"), _check)
    check.add_argument("file", metavar="FILE", help=_("a contract (TOML)"))


def _list(composition: Composition, folder: DataFolder, options: argparse.Namespace) -> int:
    async def work(output: Output) -> int:
        for file in composition.contracts(folder).listed():
            output.result(_record(file), _line(file))
        return exits.DONE

    return run_reported(work, as_json=options.json)


def _check(composition: Composition, folder: DataFolder, options: argparse.Namespace) -> int:
    """Report what a file says, or the file, field and reason for which it can't be used."""

    async def work(output: Output) -> int:
        try:
            file = composition.contracts(folder).checked(Path(options.file))
        except ContractInvalid as error:
            return output.failure(error, _trouble(error), status=exits.WRONG_USE)
        output.result(_record(file), _summary(file))
        return exits.DONE

    return run_reported(work, as_json=options.json)


def _record(file: ContractFile) -> dict[str, Any]:
    record: dict[str, Any] = {"contract": file.name, "own": file.own, "usable": file.facts is not None}
    if file.trouble:
        record |= _trouble(file.trouble)
    if file.facts:
        record |= _facts(file.facts) | {"selectable": file.selectable, "calls": dict(file.calls)}
    return record


def _facts(facts: ContractFacts) -> dict[str, Any]:
    return {
        "title": facts.title,
        "modes": [mode.value for mode in facts.modes],
        "deadline_s": facts.deadline_s,
        "long_poll_s": facts.held_s,
        "shortest_pause_s": facts.shortest_pause_s,
        "longest_pause_s": facts.longest_pause_s,
        "requests_per_s": facts.requests_per_s,
        "start_per_s": facts.start_per_s or facts.requests_per_s,
        "at_once": facts.at_once,
        "can_cancel": facts.can_cancel,
        "can_look_up": facts.can_look_up,
        "can_create_keys": facts.can_create_keys,
        "portal_path": facts.portal_path,
    }


def _trouble(error: ContractInvalid) -> dict[str, Any]:
    return {"file": error.file, "field": error.where, "reason": error.reason}


def _line(file: ContractFile) -> str:
    whose = _("yours") if file.own else _("preset")
    if file.trouble:
        return _("{name}  {whose}  can't be used: {trouble}").format(
            name=file.name, whose=whose, trouble=file.trouble
        )
    title = text(file.facts.title) if file.facts else ""
    choosing = "" if file.selectable else "  " + _("(not for choosing)")
    return f"{file.name}  {whose}  {title}{choosing}"


def _summary(file: ContractFile) -> str:
    """Return what a file says: its calls, and its facts by their names in JSON."""
    facts = _facts(file.facts) if file.facts else {}
    title, modes = facts.pop("title", ""), facts.pop("modes", [])
    told = {"modes": ", ".join(modes)} | facts | dict(file.calls)
    head = _("{name} can be used: {title}").format(name=file.name, title=title)
    return "\n".join([head, *(f"  {name}: {value}" for name, value in told.items())])
