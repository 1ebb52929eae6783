"""The handout of the practice amounts: a page for a class, with what each amount gives and how to begin."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from keybench.core.environments.environment import Environment
from keybench.words.language import _
from keybench.words.paper import Paper, PaperSection


def handout(
    practice: Environment, amounts: Mapping[str, str], devices: Mapping[str, str], now: datetime
) -> Paper:
    """Return the page; `amounts` have an outcome of their own, which is named, and `devices` a nickname."""
    return Paper(
        title=_("Practice: amounts and what they give"),
        environment=practice,
        written_at=now,
        lead=_(
            "Press Add a New Key on the page Bench, then Create. Choose a device, type an amount of this page, "
            "and press Send sale."
        ),
        sections=(
            PaperSection(_("Amounts"), (_("Amount"), _("What happens")), tuple(amounts.items())),
            PaperSection(_("Devices"), (_("Identifier"), _("Name")), tuple(devices.items())),
        ),
        closing=_("Any other amount is approved. No money moves, and nothing leaves this computer."),
    )
