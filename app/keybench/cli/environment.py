"""``environment``: add, list, change or remove environments."""

from __future__ import annotations

import argparse
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.arguments import read_secret, require_keystore
from keybench.cli.output import Output
from keybench.cli.parser import add_actions
from keybench.cli.running import with_console
from keybench.core.addresses import has_user, parse_proxy
from keybench.core.environment import SYSTEM_PROXY, Environment, EnvironmentKind
from keybench.core.input_errors import KeysUnsettled
from keybench.words.language import _
from keybench.words.system import proxy_sentence
from keybench.workflows.console import Console

_PROXY: Final = "system|none|URL"
_PROXY_HELP: Final = _(
    "this computer's, none, or an address such as http://user@proxy.example.com:3128; "
    "a user's password is read from standard input or asked for"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions and what each takes."""
    action = add_actions(parser)
    add = action("add", _("add a test or live environment"))
    add.add_argument("name", metavar="NAME")
    kinds = [EnvironmentKind.TEST.value, EnvironmentKind.LIVE.value]
    add.add_argument("--kind", required=True, choices=kinds)
    add.add_argument("--base-url", required=True, metavar="URL")
    add.add_argument(
        "--limit", default="", metavar="50.00", help=_("the most a sale may be (default: no limit)")
    )
    add.add_argument(
        "--contract", default="v5", metavar="NAME", help=_("what its gateway speaks (default v5)")
    )
    add.add_argument(
        "--proxy",
        default="",
        metavar=_PROXY,
        help=_("{PROXY_HELP} (default system)").format(PROXY_HELP=_PROXY_HELP),
    )
    action("list", _("list the environments"))
    proxy = action("proxy", _("set the proxy its gateway is called through"))
    proxy.add_argument("name", metavar="NAME")
    proxy.add_argument("proxy", metavar=_PROXY, help=_PROXY_HELP)
    limit = action("limit", _("set the most a sale may be, or none"))
    limit.add_argument("name", metavar="NAME")
    limit.add_argument("amount", metavar="50.00|none")
    remove = action("remove", _("remove one, with its keys' values"))
    remove.add_argument("name", metavar="NAME")
    remove.add_argument(
        "--anyway", action="store_true", help=_("even if its gateway may have a key that nobody knows of")
    )


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Carry out the action."""
    environments = console.environments
    match options.action:
        case "add":
            added = await environments.add(
                options.name,
                EnvironmentKind(options.kind),
                options.base_url,
                options.contract,
                limit=options.limit,
                proxy=options.proxy,
                proxy_password=await _proxy_password(console, options.proxy),
            )
            text = _("Added {name} ({kind}) at {base_url}.").format(
                name=added.name, kind=added.kind, base_url=added.base_url
            )
            output.result(_record(added), text)
        case "proxy":
            chosen = await environments.named(options.name)
            password = await _proxy_password(console, options.proxy)
            changed = await environments.set_proxy(chosen, options.proxy, password)
            output.result(_record(changed), proxy_sentence(changed))
        case "limit":
            chosen = await environments.named(options.name)
            amount = "" if options.amount.lower() == "none" else options.amount
            limited = await environments.set_limit(chosen, amount)
            most = (
                _("no limit")
                if limited.amount_limit is None
                else _("at most {amount_limit} a sale").format(amount_limit=limited.amount_limit)
            )
            output.result(_record(limited), f"{limited.name}: {most}.")
        case "remove":
            gone = await environments.named(options.name)
            try:
                await environments.remove(gone, anyway=options.anyway)
            except KeysUnsettled:
                output.message(
                    _("With --anyway it is removed all the same. Then look in the gateway's portal.")
                )
                raise
            text = _("Removed {name}. Its sales stay in the history.").format(name=gone.name)
            output.result(_record(gone), text)
        case _:
            for one in await environments.all():
                output.result(_record(one), _line(one))
    return exits.DONE


async def _proxy_password(console: Console, proxy: str) -> str:
    """Return the password of a proxy's user, read or asked for; empty where nobody signs in."""
    if not has_user(parse_proxy(proxy)):
        return ""
    await require_keystore(console)
    return read_secret(_("The proxy's password"))


def _record(environment: Environment) -> dict[str, Any]:
    return {
        "name": environment.name,
        "kind": environment.kind.value,
        "base_url": environment.base_url,
        "contract": environment.contract,
        "proxy": environment.proxy,
        "amount_limit": None if environment.amount_limit is None else str(environment.amount_limit),
    }


def _line(environment: Environment) -> str:
    address = environment.base_url or _("built in")
    line = f"{environment.name:<24} {environment.kind.value.upper():<9} {environment.contract:<10} {address}"
    proxy = "" if environment.proxy == SYSTEM_PROXY else _("  proxy: {proxy}").format(proxy=environment.proxy)
    return line + proxy
