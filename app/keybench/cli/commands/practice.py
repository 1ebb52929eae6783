"""``practice``: serve the practice gateway, as it is or prepared for a class."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.cli.running import run_reported
from keybench.core.errors import LessonInvalid
from keybench.runtime.data_folder import DataFolder
from keybench.words.language import _

if TYPE_CHECKING:
    from keybench.cli.entry import Composition


def port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:  # noqa: PLR2004 - the last TCP port
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return port


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=port, default=0, metavar="N", help=_("listen on port N of this computer")
    )
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help=_("devices act X times as fast (default 1)")
    )
    parser.add_argument(
        "--stage",
        metavar="NAME",
        help=_("prepare a desk first, see `keybench lesson list`; its window is `keybench lesson play NAME`"),
    )
    parser.add_argument(
        "--replay",
        metavar="FILE",
        help=_("play the answers of a support bundle back, with the recorded timing"),
    )
    parser.add_argument(
        "--faults",
        metavar="WEATHER",
        help=_("let calls fail as in: calm, bad wifi, overload or outage"),
    )
    parser.add_argument("--seed", metavar="N", help=_("the seed that was printed, for the same faults again"))
    parser.add_argument("--class", dest="classroom", action="store_true", help=_("serve a class"))
    parser.add_argument(
        "--host", metavar="ADDRESS", help=_("where a class joins: an address of this computer, by TLS")
    )
    parser.add_argument(
        "--lesson", metavar="FILE", help=_("the lesson a new class begins with: its file, or its id")
    )
    parser.add_argument(
        "--identity-from-stdin",
        action="store_true",
        help=_("read the certificate of a class from standard input (used by the window)"),
    )
    parser.add_argument(
        "--until-stdin-closes",
        action="store_true",
        help=_("stop when standard input ends (used by the window)"),
    )


def run(composition: Composition, folder: DataFolder, options: argparse.Namespace) -> int:
    if options.stage:
        status, folder = _prepared(composition, folder, options)
        if status != exits.DONE:
            return status
    if options.classroom:
        from keybench.workflows.lessons.files import found, lesson_files  # noqa: PLC0415 - few need it

        try:
            own = folder.lessons / "own"
            options.lesson = found(options.lesson, own) if options.lesson else lesson_files()[0]
        except LessonInvalid as error:
            return Output(as_json=options.json).failure(error)
        folder = folder if options.data_dir else DataFolder(folder.classroom)
    arguments = ["--data-dir", str(folder.root), *(["--class"] if options.classroom else [])]
    for name in ("port", "speed", "faults", "seed", "replay", "host", "lesson"):
        if (told := getattr(options, name)) is not None:
            arguments += [f"--{name}", str(told)]
    arguments += ["--identity-from-stdin"] if options.identity_from_stdin else []
    arguments += ["--until-stdin-closes"] if options.until_stdin_closes else []
    arguments += ["--json"] if options.json else []
    return composition.serve_practice(arguments)


def _prepared(
    composition: Composition, folder: DataFolder, options: argparse.Namespace
) -> tuple[int, DataFolder]:
    """Set a desk up in its own data folder, unless it is already, and return that."""
    from keybench.workflows.lessons.files import found, place, read_lesson  # noqa: PLC0415 - few need it
    from keybench.workflows.lessons.room import Room  # noqa: PLC0415 - same

    target = folder

    async def work(_output: Output) -> int:
        nonlocal target
        file = found(options.stage)
        lesson = read_lesson(file)
        target = place(file, folder.lessons)
        async with composition.open_console(target) as console:
            room = Room(console, lesson)
            if not await room.resume():
                await room.set_up()
            await room.close()
        return exits.DONE

    return run_reported(work, as_json=options.json), target
