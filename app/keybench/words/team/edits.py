"""Edits of shared records in words: those that contradict, and those that wait while the journal is away."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from textwrap import shorten
from typing import Final

from keybench.core.ports import JournalStanding
from keybench.core.team.edits import Contradiction
from keybench.words.formats import clock_time, day_and_time
from keybench.words.language import _, ngettext

TITLE: Final = _("Edits that contradict")
_FIELDS: Final = {
    "name": _("Name"),
    "owner": _("Owner"),
    "purpose": _("Purpose"),
    "contact": _("Contact"),
    "place": _("Where the key is set"),
    "instructions": _("How to change it there and restart"),
    "key_id": _("Key"),
    "nickname": _("Nickname"),
}
#: A button has room for so many characters of a value.
_LONGEST: Final = 30


def contradiction_words(found: Contradiction) -> tuple[str, str, str]:
    """Return what contradicts, and what the buttons say: to keep what stands, and to take the other."""
    if not found.field:
        if found.kept:
            told, ways = _("“{record}” was changed, and {who} removed it."), (_("Keep it"), _("Remove it"))
        else:
            told = _("“{record}” was removed, and {who} changed it.")
            ways = _("Leave it removed"), _("Put it back")
        return told.format(record=found.record, who=found.other_by), *ways
    kept, other = (f"“{text}”" if text else _("nothing") for text in (found.kept, found.other))
    told = _("{field} of “{record}”: {kept} stands there, and {who} wrote {other}.").format(
        field=_FIELDS[found.field], record=found.record, kept=kept, who=found.other_by, other=other
    )
    keep = _("Keep {value}").format(value=shorten(kept, _LONGEST, placeholder="…"))
    return told, keep, _("Take {value}").format(value=shorten(other, _LONGEST, placeholder="…"))


def contradictions_words(count: int) -> tuple[str, str]:
    title = ngettext("An edit contradicts another's.", "{count} edits contradict others'.", count)
    return title, _("Nobody's is lost: choose under Keys, Inventory.")


def away_words(standing: JournalStanding) -> tuple[str, str]:
    """Return a title and a text; both empty while a team's journal is there and has everything."""
    waiting = ngettext("1 edit waits to be written.", "{count} edits wait to be written.", standing.queued)
    if not standing.is_away:
        return (waiting, "") if standing.queued else ("", "")
    since, at = standing.since, standing.copied_at
    time = clock_time if since and at and since - at < timedelta(hours=12) else day_and_time
    copy = _("You see this desk's copy of {time}.").format(time=time(at)) if at else ""
    title = " ".join(filter(None, (_("The team's journal can't be reached."), copy)))
    return title, waiting if standing.queued else _("Sales and rotations wait until it is back.")


def queued_words(standing: JournalStanding, records: Iterable[str]) -> str:
    """Return how many of some records have edits that wait, for the end of a line; empty if none has."""
    count = len(standing.edited.intersection(records))
    return " · " + ngettext("1 queued", "{count} queued", count) if count else ""
