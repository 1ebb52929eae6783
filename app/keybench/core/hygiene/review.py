"""The whole review: every rule over everything, worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from keybench.core.hygiene import condition, rights, separation
from keybench.core.hygiene.estate import Estate
from keybench.core.hygiene.findings import Finding, rank_of
from keybench.core.hygiene.unfinished import unfinished

RULES: Final[tuple[Callable[[Estate], Iterator[Finding]], ...]] = (
    condition.compromised,
    separation.same_value,
    rights.user_gone,
    condition.failing,
    rights.public_sells,
    unfinished,
    rights.wrong_kind,
    rights.surplus,
    separation.shared,
    condition.old,
    condition.idle,
    condition.untested,
    separation.no_owner,
    separation.mixed_up,
    separation.one_user,
)


def review(estate: Estate) -> tuple[Finding, ...]:
    """Return all findings, worst first; the order doesn't depend on the order of what is given."""
    return tuple(sorted((finding for rule in RULES for finding in rule(estate)), key=rank_of))
