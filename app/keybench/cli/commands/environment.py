"""``environment``: add, list, edit, try or remove environments."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.arguments import read_secret, require_keystore
from keybench.cli.output import Output
from keybench.cli.parser import add_actions
from keybench.cli.running import with_console
from keybench.core.environments.addresses import has_user, parse_proxy
from keybench.core.environments.connection import ConnectionResult
from keybench.core.environments.environment import SYSTEM_PROXY, Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import KeysUnsettled, MoveNotConfirmed
from keybench.words.environments.managing import NOT_TRIED_SENTENCE, connection_sentence
from keybench.words.formats import figure
from keybench.words.language import _, ngettext
from keybench.words.system import proxy_sentence
from keybench.workflows.console import Console

_PROXY: Final = "system|none|URL"
_PROXY_HELP: Final = _(
    "this computer's, none, or an address such as http://user@proxy.example.com:3128; "
    "a user's password is read from standard input or asked for"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    add = action("add", _("add a test or live environment"), _add)
    add.add_argument("name", metavar="NAME", help=_("what to call it"))
    kinds = [EnvironmentKind.TEST.value, EnvironmentKind.LIVE.value]
    add.add_argument("--kind", required=True, choices=kinds, help=_("whether money moves there (live)"))
    add.add_argument(
        "--base-url",
        required=True,
        metavar="URL",
        help=_("where its gateway is called, such as https://sandbox.example.com"),
    )
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
    action("list", _("list the environments"), _list)
    edit = action("edit", _("change the name, the address or the API version of one"), _edit)
    tried = action("try", _("call its address without a key, and tell what answers"), _try)
    proxy = action("proxy", _("set the proxy its gateway is called through"), _set_proxy)
    limit = action("limit", _("set the most a sale may be, or none"), _set_limit)
    remove = action("remove", _("remove one, with its keys' values"), _remove)
    for one in (edit, tried, proxy, limit, remove):
        one.add_argument("name", metavar="NAME", help=_("the environment's name"))
    edit.add_argument("--name", dest="new_name", metavar="N", help=_("its new name"))
    edit.add_argument("--base-url", metavar="URL", help=_("where its gateway is called from now on"))
    edit.add_argument("--contract", metavar="NAME", help=_("what its gateway speaks"))
    edit.add_argument(
        "--yes",
        action="store_true",
        help=_("move it although it is live, or sales, rotations or keys' values depend on where it is"),
    )
    for one in (add, edit):
        portal = _("the merchant's or the partner's portal, where its keys are made")
        one.add_argument("--portal", metavar="URL", help=portal)
        one.add_argument(
            "--no-try", action="store_true", help=_("don't call the address to see what answers")
        )
    proxy.add_argument("proxy", metavar=_PROXY, help=_PROXY_HELP)
    limit.add_argument("amount", metavar="50.00|none", help=_("the amount, or none for no limit"))
    remove.add_argument(
        "--anyway", action="store_true", help=_("even if its gateway may have a key that nobody knows of")
    )


@with_console
async def _list(console: Console, _options: argparse.Namespace, output: Output) -> None:
    for one in await console.environments.all():
        output.result(_record(one), _line(one))


@with_console
async def _set_proxy(console: Console, options: argparse.Namespace, output: Output) -> None:
    chosen = await console.environments.named(options.name)
    password = await _proxy_password(console, options.proxy)
    changed = await console.environments.edit(chosen, proxy=options.proxy, proxy_password=password)
    output.result(_record(changed), proxy_sentence(changed))


@with_console
async def _set_limit(console: Console, options: argparse.Namespace, output: Output) -> None:
    chosen = await console.environments.named(options.name)
    amount = "" if options.amount.lower() == "none" else options.amount
    limited = await console.environments.edit(chosen, limit=amount)
    most = (
        _("no limit")
        if limited.amount_limit is None
        else _("at most {amount_limit} a sale").format(amount_limit=figure(limited.amount_limit))
    )
    output.result(_record(limited), f"{limited.name}: {most}.")


@with_console
async def _add(console: Console, options: argparse.Namespace, output: Output) -> None:
    """Add an environment. It is added whatever answers there, so that one can be set up offline."""
    added = await console.environments.add(
        options.name,
        EnvironmentKind(options.kind),
        options.base_url,
        options.contract,
        limit=options.limit,
        proxy=options.proxy,
        proxy_password=await _proxy_password(console, options.proxy),
        portal_url=options.portal or "",
    )
    text = _("Added {name} ({kind}) at {base_url}.").format(
        name=added.name, kind=added.kind, base_url=added.base_url
    )
    output.result(_record(added) | await _tell_connection(console, added, options, output), text)


@with_console
async def _edit(console: Console, options: argparse.Namespace, output: Output) -> int:
    environments = console.environments
    before = await environments.named(options.name)
    given = {
        "name": options.new_name,
        "base_url": options.base_url,
        "contract": options.contract,
        "portal_url": options.portal,
    }
    wanted: dict[str, Any] = {field: text for field, text in given.items() if text is not None}
    if not wanted:
        output.message(_("Name what to change: --name, --base-url, --contract or --portal."))
        return exits.WRONG_USE
    try:
        changed = await environments.edit(before, **wanted, confirmed=options.yes)
    except MoveNotConfirmed:
        output.message(_("With --yes it is moved all the same."))
        raise
    record = _record(changed)
    if (before.base_url, before.contract) != (changed.base_url, changed.contract):
        record |= await _tell_connection(console, changed, options, output)
    output.result(record, _("Changed {name}.").format(name=changed.name))
    return exits.DONE


async def _tell_connection(
    console: Console, environment: Environment, options: argparse.Namespace, output: Output
) -> dict[str, Any]:
    """Return what answers at an environment's address, for its record; people are told as a message.

    The environment is kept by now, so nothing that goes wrong here is the command's failure.
    """
    tried: ConnectionResult | None = None
    if not options.no_try:
        with suppress(KeybenchError):
            tried = await console.environments.try_connection(environment)
    if not output.as_json:
        output.message(_connection_words(tried))
    return {"connection": _connection_record(tried)}


@with_console
async def _try(console: Console, options: argparse.Namespace, output: Output) -> int:
    chosen = await console.environments.named(options.name)
    tried = await console.environments.try_connection(chosen)
    record = {"name": chosen.name, "base_url": tried.base_url} | (_connection_record(tried) or {})
    output.result(record, f"{chosen.name}: {_connection_words(tried)}")
    return exits.DONE if tried.is_gateway else exits.OTHER


@with_console
async def _remove(console: Console, options: argparse.Namespace, output: Output) -> None:
    environments = console.environments
    gone = await environments.named(options.name)
    affected = await environments.affected(gone)
    try:
        await environments.remove(gone, anyway=options.anyway)
    except KeysUnsettled:
        output.message(_("With --anyway it is removed all the same. Then look in the gateway's portal."))
        raise
    keys = [key.name for key in affected.keys]
    went = (
        ngettext(
            "Its key went with it: {names}.", "Its {count} keys went with it: {names}.", len(keys)
        ).format(names=", ".join(keys))
        + " "
        if keys
        else ""
    )
    text = _("Removed {name}. {went}Its sales stay in the history.").format(name=gone.name, went=went)
    output.result(_record(gone) | {"keys": keys}, text)


def _connection_words(tried: ConnectionResult | None) -> str:
    if tried is None:
        return NOT_TRIED_SENTENCE
    words = connection_sentence(tried)
    if tried.correction:
        words += " " + _("Perhaps {base_url} was meant.").format(base_url=tried.correction.base_url)
    return words


def _connection_record(tried: ConnectionResult | None) -> dict[str, Any] | None:
    if tried is None:
        return None
    return {
        "found": tried.found.value,
        "is_gateway": tried.is_gateway,
        "status": tried.status,
        "reason": str(tried.reason),
        "elapsed_s": round(tried.elapsed_s, 3),
        "redirect": tried.leads_to,
        "use": tried.correction.base_url if tried.correction else None,
        "meaning": connection_sentence(tried),
    }


async def _proxy_password(console: Console, proxy: str) -> str:
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
        "portal": environment.portal_url,
        "amount_limit": None if environment.amount_limit is None else str(environment.amount_limit),
    }


def _line(environment: Environment) -> str:
    address = environment.base_url or _("built in")
    line = f"{environment.name:<24} {environment.kind.value.upper():<9} {environment.contract:<10} {address}"
    proxy = "" if environment.proxy == SYSTEM_PROXY else _("  proxy: {proxy}").format(proxy=environment.proxy)
    return line + proxy
