"""``key revoke``: delete a leaked key at once, and tell what the gateway confirmed of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.arguments import key_named
from keybench.cli.output import Output, meaning_of
from keybench.cli.running import with_console
from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import OldKeyTried
from keybench.core.keys.key import SecurityKey
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.runtime.data_folder import person_name
from keybench.words.keys.revocation import NOT_CONFIRMED, effects_text, revocation_text, revocation_title
from keybench.words.language import _
from keybench.words.rotations.stages import tried_words
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console
from keybench.workflows.keys.revocation import Effects, effects_of_revoking


@with_console
async def revoke_key(console: Console, options: argparse.Namespace, output: Output) -> int:
    environment, key = await key_named(console, options)
    effects = await effects_of_revoking(console, environment, key)
    if not options.yes:
        output.message(revocation_text(key, environment, effects))
        output.result(_record(key, environment, effects, "not_revoked"), revocation_title(key))
        output.message(_("Nothing was done. With --yes it is revoked."))
        return exits.WRONG_USE
    output.message(effects_text(effects))
    by, rotations = options.by or person_name(), Administration(console).rotations
    rotation = await rotations.revoke(environment, key, by, options.reason)
    rotation = await _carried_out(console, rotation, output)
    return _report(rotation, _record(key, environment, effects, _state(rotation)), output)


async def unfinished_revocations(console: Console) -> Sequence[Rotation]:
    known = await Administration(console).rotations.listed()
    return [
        one for one in known if one.is_open and stages.is_revoked(one) and not stages.is_erased(one.deletion)
    ]


async def go_on_revoking(
    console: Console, rotation: Rotation, environment: Environment, output: Output
) -> int:
    rotation = await _carried_out(console, rotation, output)
    record = {"key": rotation.old.name, "environment": environment.name, "state": _state(rotation)}
    return _report(rotation, record, output)


async def _carried_out(console: Console, rotation: Rotation, output: Output) -> Rotation:
    """Return the rotation once its old key is as far gone as it can be now; tell what went wrong."""
    rotations, deletion = Administration(console).rotations, rotation.deletion
    by, reason = (deletion.by, deletion.override) if deletion else ("", "")
    unsubscribe = console.events.subscribe(
        OldKeyTried, lambda event: output.message(tried_words(event.tries, event.status, event.next_s))
    )
    try:
        rotation = await rotations.delete(rotation.id, by, reason)
        if stages.is_deleted(rotation.deletion):
            rotation = await rotations.see_refused(rotation.id)
    except KeybenchError as error:
        output.message(_("keybench: {meaning}").format(meaning=meaning_of(error)))
        rotation = await rotations.one(rotation.id)
    finally:
        unsubscribe()
    return rotation


def _report(rotation: Rotation, record: dict[str, Any], output: Output) -> int:
    """Tell how far the key is gone; what the gateway didn't confirm is unknown."""
    is_erased = stages.is_erased(rotation.deletion)
    said = _ERASED if is_erased else _SAID[_state(rotation)]
    output.result(record | {"rotation": rotation.id}, said.format(name=rotation.old.name))
    return exits.DONE if is_erased else exits.UNKNOWN


_ERASED: Final = _("Revoked “{name}”: the gateway refuses it, and its value is erased here.")
_SAID: Final = {
    "revoked": _("Revoked “{name}”: the gateway refuses it. Its value is still on this computer."),
    "deleted": _(
        "“{name}” is said to be deleted, and was not seen to be refused yet. Revoke it again to check that."
    ),
    "to_be_deleted": _(
        "Keybench can't delete “{name}” at this gateway. Delete it in the portal now, then go on with its rotation "
        "in the window."
    ),
    "unknown": NOT_CONFIRMED,
}


def _state(rotation: Rotation) -> str:
    """Return how far the key is gone.

    Returns:
        ``revoked`` where it was seen to be refused; ``deleted`` where that is all that is known;
        ``to_be_deleted`` by a person in the portal; ``unknown`` where the gateway confirmed nothing.
    """
    deletion = rotation.deletion
    if deletion and deletion.refused_at:
        return "revoked"
    if stages.is_deleted(deletion):
        return "deleted"
    return "unknown" if rotation.old.gateway_id else "to_be_deleted"


def _record(key: SecurityKey, environment: Environment, effects: Effects, state: str) -> dict[str, Any]:
    return {
        "environment": environment.name,
        "name": key.name,
        "fingerprint": key.fingerprint,
        "state": state,
        "applications": list(effects.applications),
        "devices": list(effects.devices),
        "sales_under_way": effects.sales,
        "rotations": [one.id for one in effects.rotations],
    }
