"""Where the journal is, in words, and what answers at a team's address."""

from __future__ import annotations

from typing import Final

from keybench.core.team.desk import Desk, TeamLook
from keybench.words.language import _

ROLE_IS_YOU: Final = _("In a team's journal the name of your role stands beside what you do.")
KEPT: Final = _("This is kept, and used when Keybench is opened again.")
MOVES: Final = _(
    "All that is in this journal goes to the database: descriptions of keys, sales, rotations, the activity. The "
    "file stays here as it is. Values of keys stay in this computer's keystore."
)
JOINS: Final = _(
    "This desk works on the team's journal from then on. Its own journal stays in its file and isn't added to the "
    "team's; values of keys stay in this computer's keystore."
)
BACK: Final = _(
    "The team's journal is copied to this computer, and this desk leaves the team. A file that is here from before "
    "gets another name. For the other desks nothing changes."
)
REOPEN: Final = _("Open Keybench again to work on it.")
_RIGHTS: Final = {
    "owner": _("owns the journal's tables"),
    "administrator": _("is an administrator"),
    "agent": _("is an agent"),
    "trainer": _("is a trainer"),
    "none": _("has no rights there yet"),
}


def place_sentence(desk: Desk, file: str) -> str:
    if desk.journal:
        return _("The journal is in a team's database, {url}. This desk is “{name}”.").format(
            url=desk.journal, name=desk.name
        )
    return _("The journal is on this computer: {file}.").format(file=file)


def look_sentence(found: TeamLook) -> str:
    tls = _("encrypted ({tls})").format(tls=found.tls) if found.tls else _("not encrypted")
    there = _("No journal is there yet: this desk can move its own there.")
    if found.has_team:
        there = _("A team's journal is there (schema {schema}). This desk can join it.")
    elif found.schema:
        there = _("A journal that no team uses is there (schema {schema}).")
    text = _("PostgreSQL {server} answered, {tls}. The role “{role}” {rights}.")
    answered = text.format(server=found.server, tls=tls, role=found.role, rights=_RIGHTS[found.rights])
    return f"{answered} {there.format(schema=found.schema)}"
