"""``resume``: carry on with every unfinished sale, key and revocation, and ask again for the unknown ones."""

from __future__ import annotations

import argparse
import asyncio

from keybench.cli import exits
from keybench.cli.arguments import require_keystore, since
from keybench.cli.commands.look_up import LookUps, environments_by_id, statuses
from keybench.cli.output import Output
from keybench.cli.revoking import go_on_revoking, unfinished_revocations
from keybench.cli.running import with_console
from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import KeyPlan
from keybench.words.keys.states import settled_words
from keybench.words.language import _, ngettext
from keybench.workflows.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--since",
        type=since,
        metavar="DATE",
        help=_("ask again for unknown sales recorded on this day or later (default: for all)"),
    )


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    orphans, unknown = await console.resume.orphans(), await console.resume.unknown(options.since)
    plans, revocations = await console.add_key.unsettled(), await unfinished_revocations(console)
    if not orphans and not unknown and not plans and not revocations:
        output.message(_("No sale and no key is waiting to be resumed."))
        return exits.DONE
    environments = await environments_by_id(console)
    # First, and also with a locked keystore: a key that was revoked must not stay valid.
    revoked = [
        await go_on_revoking(console, one, environments[one.environment_id], output) for one in revocations
    ]
    if orphans or unknown or plans:
        await require_keystore(console)
    look_ups = LookUps(console, output, environments)
    ends = await asyncio.gather(
        *map(look_ups.resume, orphans), *map(look_ups.ask_again, unknown), return_exceptions=True
    )
    settled = [await _settle(console, plan, environments[plan.environment_id], output) for plan in plans]
    if look_ups.unknown:
        stays = ngettext(
            "One sale stays unknown: {references}.",
            "{count} sales stay unknown: {references}.",
            len(look_ups.unknown),
        )
        output.message(stays.format(references=", ".join(look_ups.unknown)))
        output.message(_("`keybench look-up REFERENCE` asks again; send nothing again before it is known."))
    # A sale that was declined is found out about, and that was the wish.
    found = [one for one in statuses(ends) if one >= exits.UNKNOWN]
    return max([*revoked, *settled, *found], default=exits.DONE)


async def _settle(console: Console, plan: KeyPlan, environment: Environment, output: Output) -> int:
    so_far = {"key": plan.name, "environment": environment.name}
    try:
        words = settled_words(await console.add_key.settle(plan.making.key_id))
    except NotFound:  # another program was faster
        return exits.DONE
    except KeybenchError as error:
        return output.failure(error, so_far)
    text = f"{environment.name:<12} {words.title} {words.text}"
    output.result(so_far | {"state": words.state}, text)
    return exits.UNKNOWN if words.tone == "warning" else exits.DONE
