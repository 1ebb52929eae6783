"""A team's desks in words: who still holds a key's value, and what this desk lacks."""

from __future__ import annotations

from collections.abc import Sequence

from keybench.core.rotations.rotation import KeyFacts
from keybench.core.team.desk import NOT_SEEN_FOR, TeamDesk
from keybench.core.team.holdings import LackingKeys, TeamHoldings
from keybench.words.formats import some
from keybench.words.language import _, ngettext, number


def still_held(team: TeamHoldings, old: KeyFacts) -> str:
    """Return at which desks an old key is held, a line for those not seen lately; empty if at none."""
    holders = team.holders(old.key_id, old.fingerprint)
    held, unseen = ([desk for desk in holders if desk.was_seen_lately is seen] for seen in (True, False))
    words = ngettext(
        "{count} of {all} desks still holds the old key: {names}.",
        "{count} of {all} desks still hold the old key: {names}.",
        len(held),
    )
    silent = ngettext(
        "{count} desk that held it wasn't seen for {days} days: {names}.",
        "{count} desks that held it weren't seen for {days} days: {names}.",
        len(unseen),
    )
    return "\n".join(
        said.format(all=number(len(team.desks)), names=_names(team, desks), days=NOT_SEEN_FOR.days)
        for said, desks in ((words, held), (silent, unseen))
        if desks
    )


def held_bar(team: TeamHoldings, old: KeyFacts) -> str:
    """Return why a key can't be deleted for what other desks hold; empty if they hold nothing of it."""
    others = team.others(old.key_id, old.fingerprint)
    words = _("The old key is still held at {names}. There, Erase the value here… is in the key's menu.")
    return words.format(names=_names(team, others)) if others else ""


def lacking_line(lacking: LackingKeys) -> str:
    if not lacking.count:
        return ""
    desks = some([desk.name for desk in lacking.desks])
    hold = ngettext("{desks} holds", "{desks} hold", len(lacking.desks)).format(desks=desks)
    return ngettext(
        "You lack 1 key of this team; {hold} it.",
        "You lack {count} keys of this team; {hold} them.",
        lacking.count,
    ).format(hold=hold)


def _names(team: TeamHoldings, desks: Sequence[TeamDesk]) -> str:
    here = _("{desk} (this desk)")
    return ", ".join(here.format(desk=one.name) if one.id == team.here else one.name for one in desks)
