"""``lesson``: list, check and play lessons, and make one of a support bundle."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.cli.parser import add_actions
from keybench.cli.running import run_reported, with_console
from keybench.core.errors import KeybenchError, LessonInvalid
from keybench.core.input_errors import JoinInvalid
from keybench.core.lessons.classes import MetClass
from keybench.core.lessons.lesson import Lesson
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.saving import save
from keybench.runtime.worker import run_in_thread
from keybench.words.language import _, ngettext
from keybench.words.lessons.progress import seat_words
from keybench.words.texts import text
from keybench.workflows.console import Console
from keybench.workflows.lessons.checking import Checked, check
from keybench.workflows.lessons.files import desk_files, found, lesson_files, place, read_lesson
from keybench.workflows.lessons.from_bundle import lesson_from
from keybench.workflows.lessons.joining import read_seat, take_seat
from keybench.workflows.lessons.room import Room
from keybench.workflows.lessons.standing import read_standing

if TYPE_CHECKING:
    from keybench.cli.entry import Composition


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    action("list", _("list the lessons, your own and the prepared desks, with how far you are"), _list)
    checked = action("check", _("prove that a lesson can be learnt; takes a minute"), _check)
    checked.add_argument("file", metavar="FILE", help=_("a lesson: its file, or its id"))
    played = action("play", _("play a lesson in a window, with keys and sales of its own"), _play)
    played.add_argument("file", metavar="FILE", help=_("a lesson or prepared desk: its file, or its id"))
    played.add_argument("--again", action="store_true", help=_("begin it anew"))
    joined = action("join", _("join a class and play its lesson, or open the class joined last"), _join)
    joined.add_argument("text", metavar="TEXT", nargs="?", help=_("what the board shows: CODE@ADDRESS"))
    joined.add_argument(
        "--word", default="", help=_("your word, to go on where you were on another computer")
    )
    joined.add_argument("--words", default="", help=_("the words on the board, instead of being asked"))
    made = action("from", _("make a lesson's file of a support bundle's sale, and print it"), _from)
    made.add_argument("file", metavar="BUNDLE.zip", help=_("a support bundle"))
    made.add_argument("--out", metavar="FILE", help=_("write it to FILE.toml instead"))


def own_lessons(folder: DataFolder) -> Path:
    """Return where a person's own lessons are."""
    return folder.lessons / "own"


def _list(_composition: Composition, folder: DataFolder, options: argparse.Namespace) -> int:
    async def work(output: Output) -> int:
        status = exits.DONE
        for path in (*lesson_files(), *lesson_files(own_lessons(folder)), *desk_files()):
            try:
                lesson = read_lesson(path)
            except LessonInvalid as error:
                status = output.failure(error, _trouble(error))
                continue
            standing = read_standing(DataFolder(folder.lessons / lesson.id).lesson_progress, lesson.id)
            record = {
                "lesson": lesson.id,
                "title": lesson.title,
                "minutes": lesson.minutes,
                "steps": len(lesson.steps),
                "done": standing.done,
            }
            steps = ngettext("{count} step", "{count} steps", len(lesson.steps))
            told = _("{done} done").format(done=standing.done) if standing.done else ""
            kind = _("a prepared desk") if not lesson.steps else steps
            output.result(
                record, "  ".join(filter(None, (f"{lesson.id:<28} {text(lesson.title)}", kind, told)))
            )
        return status

    return run_reported(work, as_json=options.json)


def _check(composition: Composition, _folder: DataFolder, options: argparse.Namespace) -> int:
    """Report what was tried, and the file, field and reason of the first fault."""

    async def work(output: Output) -> int:
        try:
            path = found(options.file)
            lesson = read_lesson(path)
        except LessonInvalid as error:
            return output.failure(error, _trouble(error))

        def tell(one: Checked) -> None:
            record = {"check": one.where, "what": one.what, "holds": not one.reason}
            if one.reason:
                fault = LessonInvalid(path.name, one.where, one.reason)
                output.failure(fault, record | _trouble(fault), status=exits.OTHER)
            else:
                output.result(record, f"{one.where}: {one.what}")

        return exits.DONE if await check(lesson, lambda: _room(composition, lesson), tell) else exits.OTHER

    return run_reported(work, as_json=options.json)


@asynccontextmanager
async def _room(composition: Composition, lesson: Lesson) -> AsyncIterator[Room]:
    """Open a room in a folder that is gone afterwards, with devices that hurry; no keystore is asked."""
    with tempfile.TemporaryDirectory(prefix="keybench-lesson-", ignore_cleanup_errors=True) as root:
        async with composition.open_console(DataFolder(Path(root))) as console:
            console.keep_in_memory()
            room = Room(console, lesson)
            await room.hurry()
            try:
                yield room
            finally:
                await room.close()


def _play(composition: Composition, folder: DataFolder, options: argparse.Namespace) -> int:
    try:
        path = found(options.file, own_lessons(folder))
        read_lesson(path)  # what is wrong with it is said here, not in a window
        target = place(path, folder.lessons)
        if options.again:
            target.lesson_again.touch()
    except KeybenchError as error:
        return Output(as_json=options.json).failure(error)
    return composition.run_window(target)


def _join(composition: Composition, folder: DataFolder, options: argparse.Namespace) -> int:
    target = DataFolder(folder.lessons / "class")

    async def work(console: Console, _options: argparse.Namespace, output: Output) -> None:
        classes = console.world.classes
        met = await classes.meet(options.text)
        await _compare(met, options, output)
        seat = read_seat(await take_seat(classes, met, options.word.strip().lower(), folder.lessons))
        output.result({"learner": seat.learner, "word": seat.word}, seat_words(seat))

    if options.text and (status := with_console(work)(composition, folder, options)):
        return status
    if not (target.seat.exists() and target.lesson.exists()):
        return Output(as_json=options.json).failure(JoinInvalid(JoinInvalid.NO_CLASS))
    return composition.run_window(target)


async def _compare(met: MetClass, options: argparse.Namespace, output: Output) -> None:
    """Compare a class's words with those given, or have a person at a terminal do so."""
    if options.words:
        if options.words.strip().lower() != met.words:
            raise JoinInvalid(JoinInvalid.OTHER_WORDS)
        return
    output.message(_("The class shows these words: {words}").format(words=met.words))
    asked = partial(input, _("Are these the words on the board? [y/N] "))
    said = await run_in_thread("question", asked) if sys.stdin.isatty() else ""
    if said.strip().lower() != "y":
        raise JoinInvalid(JoinInvalid.NOT_COMPARED)


def _from(_composition: Composition, _folder: DataFolder, options: argparse.Namespace) -> int:
    async def work(output: Output) -> int:
        made = lesson_from(Path(options.file))
        if options.out:
            await save(Path(options.out), made)
        else:
            output.result({"lesson": made}, made)
        return exits.DONE

    return run_reported(work, as_json=options.json)


def _trouble(error: LessonInvalid) -> dict[str, str]:
    return {"file": error.file, "field": error.where, "reason": error.reason}
