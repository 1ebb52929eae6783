"""``journal``: where the journal is, moving it to a team's database or back, and a team to look at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from keybench.cli.arguments import read_secret, require_keystore
from keybench.cli.demo import run_demo
from keybench.cli.output import Output
from keybench.cli.parser import add_actions
from keybench.cli.running import run_reported, with_console
from keybench.core.errors import JournalDamaged, JournalMoveBarred
from keybench.core.team.desk import Desk
from keybench.core.team.joining import team_address
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.desk_file import read_desk
from keybench.runtime.documents import UnreadableDocument
from keybench.words.language import _
from keybench.words.team.moving import REOPEN, look_sentence, place_sentence
from keybench.workflows.console import Console
from keybench.workflows.team.moving import JournalMoving

if TYPE_CHECKING:
    from keybench.cli.entry import Composition


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    action("where", _("tell where the journal is, and what this desk is called"), _where)
    move = action("move", _("move it to a team's database, join the team there, or move it back"), _move)
    move.add_argument(
        "--to",
        required=True,
        type=lambda text: text if "://" in text else str(Path(text).absolute()),
        metavar="URL|DIR",
        help=_("a database such as postgresql://ana@db.example.com/keybench, or the data folder"),
    )
    move.add_argument("--name", default="", metavar="DESK", help=_("what the team calls this desk"))
    demo = action(
        "demo", _("start a throw-away team of three desks, where PostgreSQL is installed"), run_demo
    )
    demo.add_argument("--windows", action="store_true", help=_("open the windows of all three desks"))


def _where(_composition: Composition, folder: DataFolder, options: argparse.Namespace) -> int:
    async def work(output: Output) -> int:
        try:
            desk = read_desk(folder.root) or Desk("", "", "")
        except (OSError, UnreadableDocument):
            raise JournalDamaged(str(folder.root / "desk.json")) from None
        output.result(_record(desk, folder.journal), place_sentence(desk, str(folder.journal)))
        return 0

    return run_reported(work, as_json=options.json)


@with_console
async def _move(console: Console, options: argparse.Namespace, output: Output) -> None:
    """Move the journal; password and team code are read in lines from standard input, or asked for."""
    moving, file = JournalMoving(console.world), DataFolder(Path(console.world.journal.place.folder)).journal
    if "://" not in options.to:
        if options.to != str(file.parent):
            raise JournalMoveBarred(JournalMoveBarred.FOLDER)
        await moving.back()
    else:
        if team_address(options.to)[1]:
            raise JournalMoveBarred(JournalMoveBarred.PASSWORD_SEEN)
        await require_keystore(console)
        password = read_secret(_("Password of the database"), lines=True)
        found = await moving.look(options.to, password)
        output.message(look_sentence(found))
        asked = found.has_team and not moving.moves.desk.journal
        code = read_secret(_("Team code"), lines=True) if asked else ""
        await moving.move(options.to, password, code=code, name=options.name)
    desk = moving.moves.desk
    output.result(_record(desk, file), f"{place_sentence(desk, str(file))} {REOPEN}")


def _record(desk: Desk, file: Path) -> dict[str, str]:
    kind = "team" if desk.journal else "file"
    return {"journal": kind, "place": desk.journal or str(file), "desk": desk.name, "desk_id": desk.id}
