"""``application``: add, list or remove applications that use a key."""

from __future__ import annotations

import argparse
from typing import Any

from keybench.cli.arguments import add_environment, add_key, environments, key_named
from keybench.cli.output import Output
from keybench.cli.parser import add_actions
from keybench.cli.running import with_console
from keybench.core.environments.environment import Environment
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.words.language import _
from keybench.workflows.console import Console
from keybench.workflows.keys.applications import ApplicationDraft, Applications


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    add = action("add", _("note that an application uses a key"), _add)
    remove = action("remove", _("take an application out of the register"), _remove)
    for one in (add, remove):
        add_key(one)
        one.add_argument("--name", required=True, metavar="A", help=_("what the application is called"))
    add.add_argument("--owner", default="", metavar="WHO", help=_("who looks after it"))
    add.add_argument("--contact", default="", metavar="TEXT", help=_("how to reach whoever looks after it"))
    add.add_argument("--place", default="", metavar="TEXT", help=_("where the key is set there"))
    add.add_argument(
        "--instructions", default="", metavar="TEXT", help=_("how to change it there and restart")
    )
    add_environment(action("list", _("list applications with their keys"), _list))


@with_console
async def _add(console: Console, options: argparse.Namespace, output: Output) -> None:
    environment, key = await key_named(console, options)
    draft = ApplicationDraft(
        options.name, options.owner, options.contact, options.place, options.instructions
    )
    one = await Applications(console).add(environment, key.id, draft)
    text = _("“{name}” uses “{key_name}” of {environment_name}.").format(
        name=one.name, key_name=key.name, environment_name=environment.name
    )
    output.result(_record(one, environment, key), text)


@with_console
async def _remove(console: Console, options: argparse.Namespace, output: Output) -> None:
    environment, key = await key_named(console, options)
    register = Applications(console)
    one = await register.named(key, options.name)
    await register.remove(one)
    text = _("Removed “{name}” from the register.").format(name=one.name)
    output.result(_record(one, environment, key), text)


@with_console
async def _list(console: Console, options: argparse.Namespace, output: Output) -> None:
    for environment in await environments(console, options.environment):
        keys = {key.id: key for key in await console.keys.listed(environment)}
        for one in await Applications(console).listed(environment.id):
            key = keys.get(one.key_id)
            output.result(_record(one, environment, key), _line(one, environment, key))


def _record(one: Application, environment: Environment, key: SecurityKey | None) -> dict[str, Any]:
    return {
        "environment": environment.name,
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


def _line(one: Application, environment: Environment, key: SecurityKey | None) -> str:
    used = key.name if key else _("(forgotten)")
    owner = one.owner or _("no owner")
    return f"{environment.name:<12} {used:<24} {one.name:<24} {owner:<16} {one.place}".rstrip()
