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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
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
from keybench.words.system import keystore_sentence
from keybench.workflows.lessons.files import read_lesson
from keybench.workflows.lessons.room import Room
from keybench.workflows.team.moving import JournalMoving

if TYPE_CHECKING:
    from keybench.cli.entry import Composition

#: What each desk is called, with its role, which is its folder's name, and the keys it is given values of.
_DESKS: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "front office": ("front_office", ()),
    "stock room": ("stock_room", ("Till 1", "Till 2")),
    "Ana": ("ana", ("Till 1",)),
}
_ROLES: Final = """CREATE ROLE keybench_agent; CREATE ROLE keybench_administrator;
    CREATE ROLE stock_room LOGIN IN ROLE keybench_agent; CREATE ROLE ana LOGIN IN ROLE keybench_administrator"""


def run_demo(composition: Composition, _folder: DataFolder, options: argparse.Namespace) -> int:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    initdb = shutil.which("initdb") or next(map(str, places), "")

    async def work(output: Output) -> int:
        if not initdb:
            output.message(_("The demo needs PostgreSQL. On Debian or Ubuntu: apt install postgresql."))
            return exits.OTHER
        with ExitStack() as running:
            root = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="keybench-demo-")))
            folders = {name: DataFolder(root / role) for name, (role, _keys) in _DESKS.items()}

            def serve() -> str:
                running.enter_context(_practice(list(folders.values())))
                return running.enter_context(_server(Path(initdb).resolve().parent, root))

            def show(command: Sequence[str]) -> None:
                window = running.enter_context(subprocess.Popen(command))  # noqa: S603 - our own
                running.callback(window.terminate)

            try:
                told = await _found_team(composition, folders, await run_in_thread("keybench demo", serve))
                for name, folder in folders.items():
                    command = own_command("--data-dir", str(folder.root))
                    record = {"desk": name, "data_dir": str(folder.root), "command": command}
                    output.result(record, f"{name}: {shlex.join(command)}")
                    has_screen = sys.platform != "linux" or {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)
                    if has_screen and (options.windows or name == next(iter(_DESKS))):
                        show(command)
                ends = _("Ctrl+C ends the demo and removes all of it.")
                output.message(f"{told} {ends}".strip())
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:  # Ctrl+C
                await _forget(composition, folders.values())
            except (OSError, subprocess.CalledProcessError) as error:
                output.message(_("The demo couldn't be started: {error}.").format(error=error))
                return exits.OTHER
        return exits.DONE

    return run_reported(work, as_json=options.json)


@contextmanager
def _practice(folders: Sequence[DataFolder]) -> Iterator[None]:
    """Serve a practice gateway that the desks of all folders find."""
    command = own_command("practice", "--data-dir", str(folders[0].root), "--until-stdin-closes")
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as serving:  # noqa: S603 - our own
        cast("IO[bytes]", serving.stdout).readline()  # it is up
        for folder in folders[1:]:
            shutil.copytree(folders[0].root / "practice", folder.root / "practice")
        yield


@contextmanager
def _server(programs: Path, root: Path) -> Iterator[str]:
    """Run a server that is reached by a Unix socket in `root` alone; yields its database's URL for a role."""
    home, user, owner = root / "server", None, next(iter(_DESKS.values()))[0]
    home.mkdir()
    if sys.platform != "win32" and os.geteuid() == 0:  # it refuses to run as root
        user = "nobody"
        root.chmod(0o711)
        shutil.chown(home, user)

    def run(name: str, *words: str, check: bool = True) -> None:
        with (root / "server.log").open("a") as log:  # what it starts keeps its output open
            command = [str(programs / name), *words]
            subprocess.run(command, check=check, cwd=home, user=user, stdout=log, stderr=log)  # noqa: S603 - see above

    run("initdb", "-D", "data", "-U", owner, "-A", "trust", "-E", "UTF8", "--no-sync")
    run("pg_ctl", "-D", "data", "-w", "-o", f"-k {home} -c listen_addresses=", "start")
    try:
        run("createdb", "-h", str(home), "-U", owner, "keybench")
        run("psql", "-h", str(home), "-U", owner, "-c", _ROLES, "keybench")
        yield f"postgresql://{{role}}@/keybench?host={home}"
    finally:
        run("pg_ctl", "-D", "data", "-m", "immediate", "stop", check=False)  # somebody may have stopped it


async def _found_team(composition: Composition, folders: Mapping[str, DataFolder], url: str) -> str:
    """Have the first desk move its journal and the others join, each with the values it is to have.

    Returns what is to know of the keystore: without one no desk has a value.
    """
    async with AsyncExitStack() as opened:
        consoles = [
            await opened.enter_async_context(composition.open_console(one)) for one in folders.values()
        ]
        first, keystore = consoles[0], consoles[0].world.keystore
        lesson = read_lesson(resource_path("team/demo.toml"))
        for deed in lesson.stage:
            await Room(first, lesson).do(deed)
        keys = {key.name: entry_of(key) for key in await first.world.journal.all_keys()}
        for console, (name, (role, held)) in zip(consoles, _DESKS.items(), strict=True):
            for entry in [] if console is first else [SECRET_ENTRY, *map(keys.__getitem__, held)]:
                await console.world.keystore.write(entry, await keystore.read(entry))
            await JournalMoving(console.world).move(url.format(role=role), "", name=name)
    for folder in folders.values():
        async with composition.open_console(folder) as console:
            if console.calling.holdings:
                await console.calling.holdings.look_over()
    return keystore_sentence(first.keystore_status)


async def _forget(composition: Composition, folders: Iterable[DataFolder]) -> None:
    """Erase what the desks have in the keystore."""
    for folder in folders:
        with suppress(KeybenchError):
            async with composition.open_console(folder) as console:
                await console.keys.erase_values()
                await console.world.keystore.erase(SECRET_ENTRY)
