"""The command for the register of applications."""

from __future__ import annotations

import argparse
from typing import Any

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.core.application import Application
from keybench.core.environment import Environment
from keybench.core.security_key import SecurityKey
from keybench.workflows.applications import Applications
from keybench.workflows.console import Console


async def application(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Add, list or remove applications."""
    if options.action == "list":
        return await _list(console, options, output)
    register = Applications(console)
    where = await console.environments.named(options.environment)
    key = await console.keys.named(where, options.key)
    if options.action == "add":
        one = await register.add(
            where,
            key.id,
            options.name,
            owner=options.owner,
            contact=options.contact,
            place=options.place,
            instructions=options.instructions,
        )
        output.result(_record(one, where, key), f"“{one.name}” uses “{key.name}” of {where.name}.")
    else:
        one = await register.named(key, options.name)
        await register.remove(one)
        output.result(_record(one, where, key), f"Removed “{one.name}” from the register.")
    return exits.DONE


async def _list(console: Console, options: argparse.Namespace, output: Output) -> int:
    if options.key and not options.environment:
        output.message("keybench: name the key's environment, too: --environment E")
        return exits.WRONG_USE
    only = await console.environments.named(options.environment) if options.environment else None
    wanted = await console.keys.named(only, options.key) if only and options.key else None
    for where in [only] if only else await console.environments.all():
        keys = {key.id: key for key in await console.keys.listed(where)}
        for one in await Applications(console).of_environment(where.id):
            key = keys.get(one.key_id)
            if wanted is None or one.key_id == wanted.id:
                output.result(_record(one, where, key), _line(one, where, key))
    return exits.DONE


def _record(one: Application, where: Environment, key: SecurityKey | None) -> dict[str, Any]:
    return {
        "environment": where.name,
        "key": key.name if key else None,
        "name": one.name,
        "owner": one.owner,
        "contact": one.contact,
        "place": one.place,
        "instructions": one.instructions,
        "changed": one.changed_at.isoformat() if one.changed_at else None,
        "changed_by": one.changed_by,
        "seen": one.seen_working_at.isoformat() if one.seen_working_at else None,
        "seen_by": one.seen_by if one.seen_working_at else "",
    }


def _line(one: Application, where: Environment, key: SecurityKey | None) -> str:
    used = key.name if key else "(forgotten)"
    return f"{where.name:<12} {used:<24} {one.name:<24} {one.owner or 'no owner':<16} {one.place}".rstrip()
