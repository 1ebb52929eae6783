"""A lesson's room: left, killed and opened again it goes on where it was, and touches nothing else."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from keybench import bootstrap
from keybench.core.errors import LessonInvalid
from keybench.core.events import TimeMoved
from keybench.core.input_errors import SalesUnderWay
from keybench.core.lessons.lesson import Deed
from keybench.core.sales.sale import SaleDraft, SaleMode
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.lessons.files import found, read_lesson
from keybench.workflows.lessons.room import Room
from practice.serving import served


@asynccontextmanager
async def room_in(folder: Path, lesson: str) -> AsyncIterator[Room]:
    with served(folder / "practice", 1.0, is_told=True):
        async with room_of_its_own_in(folder, lesson) as room:
            yield room


@asynccontextmanager
async def room_of_its_own_in(folder: Path, lesson: str) -> AsyncIterator[Room]:
    """Open a room that starts its practice gateway as a program."""
    async with bootstrap.open_console(DataFolder(folder)) as console:
        await console.look_at_keystore()
        room = Room(console, read_lesson(found(lesson)))
        await room.hurry()
        yield room
        await room.close()


async def do(room: Room, step: int) -> None:
    for deed in room.lesson.steps[step].solution:
        await room.do(deed)


async def test_it_goes_on_where_it_was_after_the_gateway_was_killed_and_the_window_closed(
    tmp_path: Path,
) -> None:
    lesson = "rotation-without-an-outage"
    async with room_of_its_own_in(tmp_path, lesson) as room:
        assert not await room.resume()
        await room.set_up()
        await do(room, 0)
        await do(room, 1)
        told = (tmp_path / "practice" / "gateway.json").read_text(encoding="utf-8")
        os.kill(int(told.split('"pid": ')[1].split(",")[0].rstrip("}")), signal.SIGKILL)
        assert (await room.progress()).done == 2
    async with room_of_its_own_in(tmp_path, lesson) as room:
        assert await room.resume()
        assert (await room.progress()).done == 2
        for step in (2, 3, 4):
            await do(room, step)
        assert ((await room.progress()).done, (await room.progress()).broken) == (5, ())
        await room.console.keys.erase_values()


async def test_a_stage_that_was_not_finished_or_is_another_lessons_is_not_gone_on_with(
    tmp_path: Path,
) -> None:
    async with room_in(tmp_path, "the-rate-limit") as room:
        assert not await room.was_begun()
        await room.do(room.lesson.stage[0])
        assert not await room.resume()
        assert await room.was_begun()
        await room.console.keys.erase_values()
    async with room_in(tmp_path / "other", "the-rate-limit") as room:
        await room.set_up()
        await room.console.keys.erase_values()
    async with room_in(tmp_path / "other", "an-unknown-outcome") as room:
        assert not await room.resume()


async def test_it_can_begin_at_a_step_with_what_is_before_done(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    async with room_in(tmp_path, "a-missing-permission") as room:
        await room.set_up(1, lambda done, of: told.append((done, of)))
        progress = await room.progress()
        assert (progress.done, progress.counts) == (1, (0,))
        assert told == [(number, 4) for number in range(4)]
        await room.console.keys.erase_values()


async def test_nothing_of_another_folder_is_touched(tmp_path: Path) -> None:
    own = DataFolder(tmp_path)
    async with bootstrap.open_console(own) as console:
        await console.look_at_keystore()
        async with room_in(own.lessons / "bad-monday", "bad-monday") as room:
            await room.set_up()
            assert await room.console.world.journal.all_keys()
            await room.console.keys.erase_values()
        assert not await console.world.journal.all_keys()
        assert not await console.world.journal.activities(10)
        assert not (tmp_path / "practice").exists()


async def test_time_moves_on_in_gateway_and_console_together_and_not_under_a_sale(tmp_path: Path) -> None:
    heard: list[TimeMoved] = []
    async with room_in(tmp_path, "small-shop") as room:
        await room.set_up()
        room.console.events.subscribe(TimeMoved, heard.append)
        before = room.console.clock.now()
        await room.move_time(86_400.0)
        told = await room.ask("GET", "/portal/clock")
        assert timedelta(0) <= room.console.clock.now() - before - timedelta(days=1) < timedelta(minutes=5)
        assert (told["moved_s"], len(heard)) == (86_400.0, 1)
        where, key = await room.key("Till 1")
        sale = await room.console.sell.note(
            SaleDraft(where.id, key.id, "till-1", "90.00", "USD", SaleMode.ASYNCHRONOUS)
        )
        with pytest.raises(SalesUnderWay):
            await room.move_time(86_400.0)
        await room.console.sell.carry_out(sale)
        await room.console.keys.erase_values()
    async with room_in(tmp_path, "small-shop") as room:
        await room.ask("PUT", "/portal/clock", {"moved_s": 86_400.0})
        await room.resume()
        assert room.console.clock.moved_s == 86_400.0


async def test_an_application_keeps_its_key_until_it_is_restarted(tmp_path: Path) -> None:
    async with room_in(tmp_path, "a-key-for-each-purpose") as room:
        await room.set_up()
        await do(room, 0)
        for deed in room.lesson.steps[1].solution[:3]:
            await room.do(deed)
        listed = {one["name"]: one for one in (await room.ask("GET", "/portal/applications"))["applications"]}
        assert {one["key_name"] for one in listed.values()} == {"Counter till", "Web shop", "Parking meters"}
        assert listed["parking meters"]["running_key_name"] == "Everything"
        await room.console.keys.erase_values()


async def test_what_cannot_be_done_is_told_with_its_place(tmp_path: Path) -> None:
    async with room_in(tmp_path, "small-shop") as room:
        with pytest.raises(LessonInvalid) as caught:
            await room.do(Deed("test key", {"name": "nobody's"}, "stage[4]"))
        assert (caught.value.where, caught.value.reason.split()[:3]) == (
            "stage[4]",
            ["test", "key:", "NotFound"],
        )
        with pytest.raises(LessonInvalid) as caught:
            await room.do(Deed("set user", {"username": "x", "permissions": ["fly"]}, "stage[5]"))
        assert "Refused" in caught.value.reason
