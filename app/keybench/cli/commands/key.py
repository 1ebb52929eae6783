"""``key``: add, list, rename, test, export, import, revoke or forget keys."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.arguments import (
    add_environment,
    add_key,
    environment_id,
    environments,
    key_named,
    read_secret,
    require_keystore,
)
from keybench.cli.commands.diagnose import report_failure
from keybench.cli.output import Output, meaning_of
from keybench.cli.parser import add_actions
from keybench.cli.revoking import revoke_key
from keybench.cli.running import stopping_at_interrupt, with_console
from keybench.core.csv_lists import DateForm
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import KeybenchError, KeyNotNoted, KeyUnsettled
from keybench.core.input_errors import KeyListInvalid
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.runtime.data_folder import person_name
from keybench.words.keys.revocation import USUAL_REASON
from keybench.words.keys.states import (
    TEST_WORDS,
    hint_sentence,
    key_state,
    kind_word,
    same_value_sentence,
    test_words,
)
from keybench.words.language import _, ngettext, number
from keybench.workflows.console import Console
from keybench.workflows.keys.importing import KeyImport
from keybench.workflows.keys.inventory import Inventory
from keybench.workflows.keys.testing import KeyTests, KeyTrial, TrialEnd

_STOPPING: Final = _("Stopping: no more keys are tested, and those under way are finished.")
_OVER: Final = frozenset(set(TrialEnd) - {TrialEnd.WAITING, TrialEnd.UNDER_WAY})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    add = action(
        "add",
        _("add a key; where the gateway can't make it, its value is read from standard input or asked for"),
        _add,
    )
    add_environment(add, required=True)
    add.add_argument("--name", required=True, metavar="N", help=_("what to call it"))
    add.add_argument("--username", required=True, metavar="U", help=_("the user whose permissions it has"))
    add.add_argument(
        "--permission", required=True, metavar="P", help=_("its permission type, as the portal calls it")
    )
    add.add_argument(
        "--kind",
        required=True,
        choices=[kind.value for kind in KeyKind],
        help=_("private for the server side, public for the client side"),
    )
    add.add_argument("--purpose", default="", metavar="TEXT", help=_("what it is used for"))
    add_environment(action("list", _("list keys, without values"), _list))
    rename = action("rename", _("call a key by another name; the gateway isn't told"), _rename)
    add_key(rename, "--name")
    rename.add_argument("--to", required=True, metavar="M", help=_("the new name"))
    add_key(action("forget", _("take a key and its value away"), _forget), "--name")
    revoke = action("revoke", _("delete a leaked key at once, whatever stops working"), revoke_key)
    add_key(revoke, "--name")
    revoke.add_argument("--reason", default=USUAL_REASON, metavar="TEXT", help=_("for the record"))
    revoke.add_argument("--by", default="", metavar="NAME", help=_("who revokes it (default: you)"))
    revoke.add_argument("--yes", action="store_true", help=_("confirm that what uses it stops working"))
    test = action("test", _("make a harmless call with a key, or with all"), _test)
    test.add_argument("--environment", metavar="E", help=_("the key's; with --all, only this one's keys"))
    which = test.add_mutually_exclusive_group(required=True)
    which.add_argument("--name", dest="key", metavar="N", help=_("test this key"))
    which.add_argument("--all", action="store_true", help=_("test every key, a few at once"))
    export = action("export", _("write keys to a file, without values"), _export)
    export.add_argument("--out", required=True, metavar="FILE", help=_("FILE.csv or FILE.json"))
    add_environment(export)
    _add_import(action("import", _("import a list of keys: descriptions only, never values"), _import))


def _add_import(take: argparse.ArgumentParser) -> None:
    take.add_argument(
        "file",
        metavar="FILE",
        help=_("CSV with columns name, username, permission, kind, purpose, owner, environment, created"),
    )
    take.add_argument(
        "--environment",
        default="practice",
        metavar="E",
        help=_("for rows that name none (default practice)"),
    )
    take.add_argument(
        "--dates",
        type=DateForm,
        choices=list(DateForm),
        metavar="FORM",
        help=_("how its dates are written, if that can't be told: day-first or month-first"),
    )
    take.add_argument("--dry-run", action="store_true", help=_("only tell what the list would bring"))
    take.add_argument("--skip-wrong", action="store_true", help=_("leave rows out that can't be imported"))
    take.add_argument("--by", default="", metavar="NAME", help=_("who imports them (default: you)"))


@with_console
async def _list(console: Console, options: argparse.Namespace, output: Output) -> None:
    team = await console.look_at_team()
    for environment in await environments(console, options.environment):
        for key in await console.keys.listed(environment):
            record = _record(key, environment) | {"held_at": list(team.held_at(key))}
            output.result(record, _line(key, environment, console.clock.now()))


# --- one key ------------------------------------------------------------------------------------------


@with_console
async def _add(console: Console, options: argparse.Namespace, output: Output) -> None:
    environment = await console.environments.named(options.environment)
    draft = KeyDraft(
        options.name, options.username, options.permission, KeyKind(options.kind), options.purpose
    )
    await console.add_key.check(environment, draft)  # before anybody is asked for a value
    await require_keystore(console)
    try:
        if console.environments.facts(environment).can_create_keys:
            added = await console.add_key.create(environment, draft)
        else:
            added = await console.add_key.keep(environment, draft, read_secret(_("Key value")))
    except (KeyUnsettled, KeyNotNoted):
        output.message(_("`keybench resume` goes on with it; so does the same `keybench key add` again."))
        raise
    rows = await Inventory(console).keys_alone()
    same = same_value_sentence(rows, added.key.fingerprint, environment.id, added.key.id)
    for sentence in (same, hint_sentence(added.hint)):
        if sentence:
            output.message(sentence)
    status = console.keystore_status
    output.result(
        _record(added.key, environment) | {"keystore": status.name},
        _("Added “{name}” ({fingerprint}); its value is in {status_name}.").format(
            name=added.key.name, fingerprint=added.key.fingerprint, status_name=status.name
        ),
    )


@with_console
async def _test(console: Console, options: argparse.Namespace, output: Output) -> int:
    if options.all:
        return await _test_all(console, options, output)
    if not options.environment:
        output.message(_("keybench: name the key's environment: --environment E"))
        return exits.WRONG_USE
    environment, key = await key_named(console, options)
    await require_keystore(console)
    try:
        tested = await console.keys.test(environment, key)
    except KeybenchError as error:
        why = await console.diagnose.at_error(error, environment, key)
        return report_failure(error, why, output)
    text = _("“{name}” is accepted by {environment_name} ({status}).").format(
        name=tested.name, environment_name=environment.name, status=tested.status
    )
    output.result(_record(tested, environment), text)
    return exits.DONE


@with_console
async def _rename(console: Console, options: argparse.Namespace, output: Output) -> None:
    environment, key = await key_named(console, options)
    renamed = await console.keys.rename(key, options.to)
    text = _("“{before}” is now called “{name}”.").format(before=key.name, name=renamed.name)
    output.result(_record(renamed, environment) | {"before": key.name}, text)


@with_console
async def _forget(console: Console, options: argparse.Namespace, output: Output) -> None:
    environment, key = await key_named(console, options)
    await require_keystore(console)
    await console.keys.forget(environment, key)
    rest = (
        _("It was deleted at the practice gateway too.")
        if environment.kind is EnvironmentKind.PRACTICE
        else _("It stays valid at the gateway until it is deleted in the portal.")
    )
    output.result(_record(key, environment), _("Forgot “{name}”. {rest}").format(name=key.name, rest=rest))


def _record(key: SecurityKey, environment: Environment) -> dict[str, Any]:
    return {
        "environment": environment.name,
        "name": key.name,
        "username": key.username,
        "permission": key.permission,
        "kind": key.kind.value,
        "purpose": key.purpose,
        "fingerprint": key.fingerprint,
        "state": key.standing,
        "status": key.status,
        "created": key.created_at.isoformat(),
        "tested": key.tested_at.isoformat() if key.tested_at else None,
        "tried": key.tried_at.isoformat() if key.tried_at else None,
        "trial": key.trial.value if key.trial else None,
        "compromised": key.compromised,
    }


def _line(key: SecurityKey, environment: Environment, now: datetime) -> str:
    return (
        f"{environment.name:<12} {key.name:<24} {kind_word(key.kind):<10} {key.username:<14} {key.permission:<14} "
        f"{key_state(key).text:<14} {test_words(key, now):<21} {key.fingerprint}"
    )


# --- many keys ----------------------------------------------------------------------------------------


async def _rows(console: Console, name: str | None) -> Sequence[InventoryRow]:
    only = await environment_id(console, name)
    return [row for row in await Inventory(console).rows() if only in {None, row.environment.id}]


@with_console
async def _export(console: Console, options: argparse.Namespace, output: Output) -> None:
    path = Path(options.out)
    written = await Inventory(console).export(path, await _rows(console, options.environment))
    text = ngettext(
        "Wrote {count} key to {path}, without values.",
        "Wrote {count} keys to {path}, without values.",
        written,
    )
    output.result({"file": str(path), "keys": written}, text.format(path=path))


@with_console
async def _import(console: Console, options: argparse.Namespace, output: Output) -> None:
    keys = KeyImport(console.world)
    usual = await console.environments.named(options.environment)
    plan = await keys.read(Path(options.file), usual, options.dates)
    for wrong in plan.wrong:
        output.wrong_row(wrong.line, wrong.error)
    if not options.dry_run:
        if not plan.rows or (plan.wrong and not options.skip_wrong):
            raise KeyListInvalid(KeyListInvalid.WRONG_ROWS)
        await keys.take_over(plan, options.by or person_name())
    for row in plan.rows:
        record = _record(row.key, row.environment) | {"row": row.line, "owner": row.key.owner}
        output.result(
            record | {"imported": not options.dry_run},
            f"{row.line:>5}  {row.environment.name:<12} {row.key.name:<24} {kind_word(row.key.kind)}",
        )
    count, wrong_count = len(plan.rows), len(plan.wrong)
    text = (
        _("{count} would be imported; {wrong} can't be.")
        if options.dry_run
        else _("{count} imported, without values; {wrong} can't be.")
    )
    summary = {"summary": True, "keys": count, "wrong": wrong_count, "dry_run": options.dry_run}
    output.result(summary, text.format(count=count, wrong=wrong_count))


async def _test_all(console: Console, options: argparse.Namespace, output: Output) -> int:
    rows = await _rows(console, options.environment)
    await require_keystore(console)

    def on_changed(index: int) -> None:
        test = tests.rows[index]
        if test.end in _OVER and test.end is not TrialEnd.NOT_TESTED:
            output.result(_test_record(test), _test_line(test))

    tests = KeyTests(console, rows, on_changed)
    with stopping_at_interrupt(tests.stop, _STOPPING, output):
        await tests.carry_out()
    counts = {end: tests.count(end) for end in TrialEnd if end in _OVER}
    text = ", ".join(f"{TEST_WORDS[end]}: {number(count)}" for end, count in counts.items() if count)
    summary: dict[str, Any] = {"summary": True, "keys": tests.total}
    summary |= {end.name.lower(): count for end, count in counts.items()}
    output.result(summary, text or _("No keys."))
    if tests.trouble:
        output.message(
            _("keybench: {meaning_of} No more keys were tested.").format(meaning_of=meaning_of(tests.trouble))
        )
    return _status(tests)


def _test_record(test: KeyTrial) -> dict[str, Any]:
    record: dict[str, Any] = _record(test.item.key, test.item.environment)
    for name in ("state", "status", "tested"):  # as they were before the test
        del record[name]
    record["result"] = test.end.name.lower()
    if test.error:
        record |= {"error": type(test.error).__name__, "meaning": meaning_of(test.error)}
        record["status"] = getattr(test.error, "status", 0)
    return record


def _test_line(test: KeyTrial) -> str:
    meaning = f": {meaning_of(test.error)}" if test.error else ""
    return f"{test.item.environment.name:<12} {test.item.key.name:<24} {TEST_WORDS[test.end]}{meaning}"


def _status(tests: KeyTests) -> int:
    """Return the exit status of the worst test; a key whose value was never here counts for none."""
    if tests.trouble:
        return exits.status_of_error(tests.trouble)
    if tests.count(TrialEnd.REFUSED):
        return exits.REFUSED
    is_well = all(
        test.end is TrialEnd.WORKING or (test.end is TrialEnd.NO_VALUE and test.error is None)
        for test in tests.rows
    )
    return exits.DONE if is_well else exits.OTHER
