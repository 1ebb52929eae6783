"""Edits that contradict, in words."""

from __future__ import annotations

from textwrap import shorten
from typing import Final

from keybench.core.team.edits import Contradiction
from keybench.words.language import _

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
        facts = {"record": found.record, "who": found.other_by}
        if found.kept:
            removed = _("“{record}” was changed, and {who} removed it.").format(**facts)
            return removed, _("Keep it"), _("Remove it")
        changed = _("“{record}” was removed, and {who} changed it.").format(**facts)
        return changed, _("Leave it removed"), _("Put it back")
    kept, other = (f"“{text}”" if text else _("nothing") for text in (found.kept, found.other))
    told = _("{field} of “{record}”: {kept} stands there, and {who} wrote {other}.").format(
        field=_FIELDS[found.field], record=found.record, kept=kept, who=found.other_by, other=other
    )
    keep = _("Keep {value}").format(value=shorten(kept, _LONGEST, placeholder="…"))
    return told, keep, _("Take {value}").format(value=shorten(other, _LONGEST, placeholder="…"))
