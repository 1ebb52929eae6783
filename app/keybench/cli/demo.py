"""A throw-away team: a PostgreSQL of its own, a practice gateway, and three desks, until Ctrl+C."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.cli.running import run_reported
from keybench.core.errors import KeybenchError
from keybench.core.ports import entry_of
from keybench.core.team.joining import SECRET_ENTRY
from keybench.runtime.data_folder import DataFolder, own_command, resource_path
from keybench.runtime.worker import run_in_thread
from keybench.words.language import _
from keybench.workflows.lessons.files import read_lesson
from keybench.workflows.lessons.room import Room
from keybench.workflows.team.moving import JournalMoving

if TYPE_CHECKING:
    from keybench.cli.entry import Composition
#: The desks: each one's role, which is its folder's name, what it is called, and the keys it has values of.
_DESKS: Final = (
    ("front_office", "front office", ()),
    ("stock_room", "stock room", ("Till 1", "Till 2")),
    ("ana", "Ana", ("Till 1",)),
)
_ROLES: Final = "CREATE ROLE stock_room LOGIN IN ROLE keybench_agent; CREATE ROLE ana LOGIN IN ROLE keybench_administrator"


def run_demo(composition: Composition, _folder: DataFolder, options: argparse.Namespace) -> int:
    async def work(output: Output) -> int:
        programs = _programs()
        if programs is None:
            output.message(_("The demo needs PostgreSQL. On Debian or Ubuntu: apt install postgresql."))
            return exits.OTHER
        with ExitStack() as running:
            root = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="keybench-demo-")))
            folders = [DataFolder(root / role) for role, *_more in _DESKS]
            url = await run_in_thread("demo", lambda: running.enter_context(_server(programs, root)))
            try:
                await run_in_thread("demo", lambda: running.enter_context(_practice(folders)))
                await _found_team(composition, folders, url, programs)
                for (_role, name, _keys), folder in zip(_DESKS, folders, strict=True):
                    command = own_command("--data-dir", str(folder.root))
                    record = {"desk": name, "data_dir": str(folder.root), "command": command}
                    output.result(record, f"{name}: {shlex.join(command)}")
                    if _has_screen() and (options.windows or folder is folders[0]):
                        running.enter_context(_window(command))
                output.message(_("Ctrl+C ends the demo and removes all of it."))
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:  # Ctrl+C
                await _forget(composition, folders)
        return exits.DONE

    return run_reported(work, as_json=options.json)


def _programs() -> Path | None:
    """Return the folder with the programs of a PostgreSQL server, the newest."""
    found = shutil.which("initdb")
    places = [*([Path(found).resolve()] if found else []), *Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(places, key=lambda one: one.stat().st_mtime).parent if places else None


@contextmanager
def _server(programs: Path, root: Path) -> Iterator[str]:
    """Run a server that is reached by a Unix socket in `root` alone; yields the URL of its database."""
    owner, home = _DESKS[0][0], root / "server"
    home.mkdir()
    if user := _other_user():
        root.chmod(0o711)
        shutil.chown(home, user)

    def run(name: str, *words: str) -> None:
        # What it starts keeps the output open, so that goes to a file.
        with (root / "server.log").open("a") as log:
            command = [str(programs / name), *words]
            subprocess.run(command, check=True, cwd=home, user=user, stdout=log, stderr=log)  # noqa: S603 - PostgreSQL's own

    run("initdb", "-D", "data", "-U", owner, "-A", "trust", "-E", "UTF8", "--no-sync")
    run("pg_ctl", "-D", "data", "-w", "-o", f"-k {home} -c listen_addresses=", "start")
    try:
        run("createdb", "-h", str(home), "-U", owner, "keybench")
        yield f"postgresql://{{role}}@/keybench?host={home}"
    finally:
        run("pg_ctl", "-D", "data", "-m", "immediate", "stop")


@contextmanager
def _practice(folders: Sequence[DataFolder]) -> Iterator[None]:
    """Serve a practice gateway that the desks of all folders find."""
    command = own_command("practice", "--data-dir", str(folders[0].root), "--until-stdin-closes")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as serving:  # noqa: S603 - our own
        cast("IO[bytes]", serving.stdout).readline()  # it is up
        for folder in folders[1:]:
            shutil.copytree(folders[0].root / "practice", folder.root / "practice")
        yield
        cast("IO[bytes]", serving.stdin).close()


async def _found_team(
    composition: Composition, folders: Sequence[DataFolder], url: str, programs: Path
) -> None:
    """Have the first desk move its journal and the others join, each with the values it is to have."""
    async with AsyncExitStack() as opened:
        consoles = [await opened.enter_async_context(composition.open_console(one)) for one in folders]
        lesson, keystore = read_lesson(resource_path("team/demo.toml")), consoles[0].world.keystore
        room = Room(consoles[0], lesson)
        for deed in lesson.stage:
            await room.do(deed)
        keys = {key.name: key for key in await consoles[0].world.journal.all_keys()}
        for console, (role, name, held) in zip(consoles, _DESKS, strict=True):
            for entry in (
                [] if console is consoles[0] else [SECRET_ENTRY, *(entry_of(keys[one]) for one in held)]
            ):
                await console.world.keystore.write(entry, await keystore.read(entry))
            await JournalMoving(console.world).move(url.format(role=role), "", name=name)
            if console is consoles[0]:
                await run_in_thread("demo", partial(_add_roles, programs, url.format(role=role)))


async def _forget(composition: Composition, folders: Sequence[DataFolder]) -> None:
    """Erase what the desks have in the keystore."""
    for folder in folders:
        with suppress(KeybenchError):
            async with composition.open_console(folder) as console:
                await console.keys.erase_values()
                await console.world.keystore.erase(SECRET_ENTRY)


def _add_roles(programs: Path, url: str) -> None:
    subprocess.run([programs / "psql", "-q", "-d", url, "-c", _ROLES], check=True)  # noqa: S603 - as above


def _other_user() -> str | None:
    """Return as whom a server runs that refuses to run as root."""
    return "nobody" if hasattr(os, "geteuid") and os.geteuid() == 0 else None


def _has_screen() -> bool:
    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


@contextmanager
def _window(command: Sequence[str]) -> Iterator[None]:
    with subprocess.Popen(command) as window:  # noqa: S603 - our own
        try:
            yield
        finally:
            window.terminate()
