"""The commands about environments and keys: each takes the use cases and returns an exit status."""

from __future__ import annotations

import argparse
import getpass
import sys

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.cli.records import (
    environment_line,
    environment_record,
    key_line,
    key_record,
)
from keybench.core.addresses import has_user, parse_proxy
from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import KeyNotNoted, KeyUnsettled
from keybench.core.input_errors import KeysUnsettled
from keybench.core.security_key import KeyDraft, KeyKind
from keybench.words.keys import hint_sentence, trimmed_sentence
from keybench.words.system import proxy_sentence
from keybench.workflows.console import Console


async def environment(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Add, list, change or remove environments."""
    if options.action == "add":
        kind = EnvironmentKind(options.kind)
        added = await console.environments.add(
            options.name,
            kind,
            options.base_url,
            options.contract,
            limit=options.limit,
            proxy=options.proxy,
            proxy_password=await _proxy_password(console, options.proxy),
        )
        output.result(environment_record(added), f"Added {added.name} ({kind}) at {added.base_url}.")
    elif options.action == "proxy":
        chosen = await console.environments.named(options.name)
        password = await _proxy_password(console, options.proxy)
        changed = await console.environments.set_proxy(chosen, options.proxy, password)
        output.result(environment_record(changed), proxy_sentence(changed))
    elif options.action == "limit":
        chosen = await console.environments.named(options.name)
        wanted = "" if options.amount.lower() == "none" else options.amount
        limited = await console.environments.set_limit(chosen, wanted)
        most = "no limit" if limited.amount_limit is None else f"at most {limited.amount_limit} a sale"
        output.result(environment_record(limited), f"{limited.name}: {most}.")
    elif options.action == "remove":
        gone = await console.environments.named(options.name)
        try:
            await console.environments.remove(gone, anyway=options.anyway)
        except KeysUnsettled:
            output.message("With --anyway it is removed all the same. Then look in the gateway's portal.")
            raise
        output.result(environment_record(gone), f"Removed {gone.name}. Its sales stay in the history.")
    else:
        for one in await console.environments.all():
            output.result(environment_record(one), environment_line(one))
    return exits.DONE


async def key(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Add, list, test or forget keys."""
    actions = {"add": _add_key, "list": _list_keys, "test": _test_key, "forget": _forget_key}
    return await actions[options.action](console, options, output)


async def require_keystore(console: Console) -> None:
    """Look for the keystore, because what a command keeps must outlive it.

    Raises:
        KeystoreError: There is none, or it can't be reached.
    """
    status = await console.look_at_keystore()
    if status.trouble:
        raise status.trouble


async def _add_key(console: Console, options: argparse.Namespace, output: Output) -> int:
    where = await console.environments.named(options.environment)
    draft = KeyDraft(
        options.name, options.username, options.permission, KeyKind(options.kind), options.purpose
    )
    await console.add_key.check(where, draft)  # before anybody is asked for a value
    await require_keystore(console)
    try:
        if console.environments.facts(where).can_create_keys:
            added = await console.add_key.create(where, draft)
        else:
            added = await console.add_key.keep(where, draft, read_value())
    except (KeyUnsettled, KeyNotNoted):
        output.message("`keybench resume` goes on with it; so does the same `keybench key add` again.")
        raise
    for sentence in (trimmed_sentence(added.trimmed), hint_sentence(added.hint)):
        if sentence:
            output.message(sentence)
    status = console.keystore_status
    output.result(
        key_record(added.key, where) | {"keystore": status.name},
        f"Added “{added.key.name}” ({added.key.fingerprint}); its value is in {status.name}.",
    )
    return exits.DONE


def read_value(asked_for: str = "Key value") -> str:
    """Return the value from standard input, or ask for it without echo."""
    if sys.stdin.isatty():
        return getpass.getpass(f"{asked_for} (not shown): ")
    return sys.stdin.read().removesuffix("\n")


async def _proxy_password(console: Console, proxy: str) -> str:
    """Return the password of a proxy's user, read or asked for; empty where nobody signs in."""
    if not has_user(parse_proxy(proxy)):
        return ""
    await require_keystore(console)
    return read_value("The proxy's password")


async def _list_keys(console: Console, options: argparse.Namespace, output: Output) -> int:
    places = (
        [await console.environments.named(options.environment)]
        if options.environment
        else list(await console.environments.all())
    )
    for where in places:
        for one in await console.keys.listed(where):
            output.result(key_record(one, where), key_line(one, where, console.clock.now()))
    return exits.DONE


async def _test_key(console: Console, options: argparse.Namespace, output: Output) -> int:
    where = await console.environments.named(options.environment)
    chosen = await console.keys.named(where, options.name)
    await require_keystore(console)
    tested = await console.keys.test(where, chosen)
    output.result(
        key_record(tested, where), f"“{tested.name}” is accepted by {where.name} ({tested.status})."
    )
    return exits.DONE


async def _forget_key(console: Console, options: argparse.Namespace, output: Output) -> int:
    where = await console.environments.named(options.environment)
    chosen = await console.keys.named(where, options.name)
    await require_keystore(console)
    await console.keys.forget(where, chosen)
    output.result(key_record(chosen, where), f"Forgot “{chosen.name}”. {_where_it_stays(where)}")
    return exits.DONE


def _where_it_stays(where: Environment) -> str:
    if where.kind is EnvironmentKind.PRACTICE:
        return "It was deleted at the practice gateway too."
    return "It stays valid at the gateway until it is deleted in the portal."
