"""What is asked before an environment is called elsewhere, or removed."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.environments.connection import ConnectionResult
from keybench.core.environments.environment import Environment
from keybench.core.input_errors import MoveNotConfirmed
from keybench.ui.kit.dialog import Dialog, confirm
from keybench.words.environments.managing import (
    connection_sentence,
    move_sentences,
    removal_barred,
    removal_sentences,
)
from keybench.words.language import _
from keybench.workflows.environments.managing import Affected

_NOT_TRIED: Final = _("The new address wasn't tried.")


async def confirm_move(parent: QWidget, move: MoveNotConfirmed, tried: ConnectionResult | None) -> bool:
    """Ask whether an environment is to be called elsewhere, or otherwise, from now on; `tried` is what was last."""
    moved = move.now[0] != move.then[0]
    known = tried if tried and tried.base_url == move.then[0] else None
    title = (
        _("Call “{name}” at another address?") if moved else _("Call “{name}” with another API version?")
    ).format(name=move.name)
    sentences = [*move_sentences(move), connection_sentence(known) if known else _NOT_TRIED]
    return await confirm(
        parent,
        title=title,
        text="\n".join(sentences),
        confirm=_("Change the address") if moved else _("Change the API version"),
        tone="danger" if move.is_live or move.unknown or move.under_way else "primary",
    )


async def confirm_removal(parent: QWidget, environment: Environment, affected: Affected) -> bool:
    """Ask whether an environment is to be removed, with its keys; say why, if it can't be."""
    barred = removal_barred(affected)
    title = _("Remove “{name}”?") if not barred else _("“{name}” can't be removed yet")
    dialog = Dialog(
        parent,
        title=title.format(name=environment.name),
        text=barred or " ".join(removal_sentences(affected)),
        confirm=_("Close") if barred else _("Remove anyway") if affected.unsettled else _("Remove"),
        cancel="" if barred else _("Cancel"),
        tone="primary" if barred else "danger",
    )
    return await dialog.answer() and not barred
