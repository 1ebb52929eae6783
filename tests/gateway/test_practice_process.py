"""The practice gateway's process: one is started, brought back when it dies, and gone when we are."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import psutil
import pytest

import keybench
from keybench.core.errors import PracticeUnavailable
from keybench.gateway.practice_process import Patience, PracticeProcess, class_process, practice_command
from keybench.runtime.clock import SystemClock

SOURCE = str(Path(keybench.__file__).parent.parent)
QUICK = Patience(start_s=60.0, check_s=0.05, race_s=0.01, backoff_s=(0.01, 0.05, 0.2))

Make = Callable[..., PracticeProcess]


def real_command(data_dir: Path) -> list[str]:
    serve = [sys.executable, "-m", "keybench.practice", "--data-dir", str(data_dir)]
    return [*serve, "--json", "--until-stdin-closes"]


def says_only(text: str) -> list[str]:
    return [sys.executable, "-c", text]


class Changes:
    """Keeps what was announced, and lets a test wait for it."""

    def __init__(self) -> None:
        self.seen: list[tuple[bool | None, str]] = []
        self._more = asyncio.Event()

    def __call__(self, up: bool | None, base_url: str) -> None:  # noqa: FBT001 - the shape of the callback
        self.seen.append((up, base_url))
        self._more.set()

    async def until(self, enough: Callable[[list[bool | None]], bool]) -> None:
        async with asyncio.timeout(60):
            while not enough([up for up, _url in self.seen]):
                self._more.clear()
                await self._more.wait()


@pytest.fixture
def changes() -> Changes:
    return Changes()


@pytest.fixture
async def make(tmp_path: Path, changes: Changes, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    async with AsyncExitStack() as stack:

        def start(
            command: list[str] | None = None, patience: Patience = QUICK, told: Changes = changes
        ) -> PracticeProcess:
            command = command or real_command(tmp_path)
            process = PracticeProcess(tmp_path, told, command=command, patience=patience)
            stack.push_async_callback(process.stop)
            return process

        yield start


def pid_of(data_dir: Path) -> int:
    told: dict[str, int] = json.loads((data_dir / "practice" / "gateway.json").read_text())
    return told["pid"]


def wait_until_gone(pid: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(60)


async def test_many_who_ask_at_once_get_one_gateway(make: Make, changes: Changes) -> None:
    process = make()
    assert process.base_url == ""
    urls = await asyncio.gather(*(process.ensure() for _ in range(5)))
    assert set(urls) == {process.base_url}
    assert changes.seen == [(None, ""), (True, process.base_url)]
    async with httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(f"{process.base_url}/health")).status_code == 200
    assert await process.ensure() == process.base_url


async def test_it_stops_and_can_be_started_again(make: Make, tmp_path: Path, changes: Changes) -> None:
    process = make()
    await process.ensure()
    pid = pid_of(tmp_path)
    await process.stop()
    await process.stop()
    assert not psutil.pid_exists(pid)
    assert process.base_url == ""
    assert changes.seen[-1] == (False, "")
    assert await process.ensure()


async def test_it_is_brought_back_when_it_dies(make: Make, tmp_path: Path, changes: Changes) -> None:
    process = make()
    base_url = await process.ensure()
    assert process.version == keybench.__version__
    psutil.Process(pid_of(tmp_path)).kill()
    await changes.until(lambda ups: ups == [None, True, None, True])
    assert process.base_url == base_url  # it takes its port again


#: The practice gateway of another version.
NEWER = """
import sys, keybench
keybench.__version__ = "9.9.9"
from keybench.practice.server import main
sys.exit(main(sys.argv[1:]))
"""


async def test_another_programs_gateway_is_used_and_outlives_us(make: Make, tmp_path: Path) -> None:
    newer = [sys.executable, "-c", NEWER, *real_command(tmp_path)[-4:]]
    theirs, ours = make(newer), make(says_only("raise SystemExit('must not be started')"))
    base_url = await theirs.ensure()
    assert await ours.ensure() == base_url
    assert ours.version == "9.9.9"
    await ours.stop()
    assert psutil.pid_exists(pid_of(tmp_path))


async def test_the_other_programs_gateway_is_replaced_when_it_goes(make: Make, changes: Changes) -> None:
    theirs, ours = make(told=Changes()), make()
    await theirs.ensure()
    await ours.ensure()
    await theirs.stop()
    await changes.until(lambda ups: ups.count(True) == 2)  # found, then started
    assert ours.base_url


async def test_who_loses_the_race_uses_the_winners(make: Make, tmp_path: Path) -> None:
    first, second = make(), make()
    urls = await asyncio.gather(first.ensure(), second.ensure())
    assert len(set(urls)) == 1
    assert psutil.pid_exists(pid_of(tmp_path))


async def test_who_loses_the_race_waits_for_a_winner_that_starts_slowly(make: Make, tmp_path: Path) -> None:
    loses = (
        "import sys; sys.exit('keybench practice: a practice gateway already serves this data folder, at x')"
    )
    loser, winner = make(says_only(loses)), make()
    waiting = asyncio.get_running_loop().create_task(loser.ensure())
    await asyncio.sleep(0.2)  # it looks many times meanwhile
    assert await winner.ensure() == await waiting


async def test_a_runtime_file_of_the_dead_is_not_believed(make: Make, tmp_path: Path) -> None:
    file = tmp_path / "practice" / "gateway.json"
    file.parent.mkdir()
    for content in ('{"base_url": "http://127.0.0.1:9", "instance": "x"}', "[1]", "{", '{"base_url": 5}'):
        file.write_text(content)
        process = make()
        assert await process.ensure() not in {"", "http://127.0.0.1:9"}
        await process.stop()


async def test_a_runtime_file_that_points_elsewhere_is_not_believed(make: Make, tmp_path: Path) -> None:
    file = tmp_path / "practice" / "gateway.json"
    file.parent.mkdir()
    file.write_text('{"base_url": "http://gateway.example", "instance": "x"}')
    assert (await make().ensure()).startswith("http://127.0.0.1:")


async def test_a_class_shows_one_certificate_however_often_its_gateway_is_brought_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    process = class_process(tmp_path, "127.0.0.1", SystemClock())
    try:
        before = await process.ask("GET", "/class")
        assert process.base_url.startswith("http://127.0.0.1:"), "the board, and not where learners join"
        psutil.Process(pid := pid_of(tmp_path)).kill()
        async with asyncio.timeout(60):
            while pid_of(tmp_path) == pid:
                after = await process.ask("GET", "/class")
        after = await process.ask("GET", "/class")
        assert (after["words"], after["code"]) == (before["words"], before["code"])
    finally:
        await process.stop()


@pytest.mark.parametrize(
    ("program", "reason", "message"),
    [
        ("import sys; sys.exit('first\\nthe folder is full')", "ended", "the folder is full"),
        ("print('hello')", "strange announcement", ""),
        ("print('{\"base_url\": 5}')", "strange announcement", ""),
        ("print('[' * 100000)", "strange announcement", ""),
        ("import sys; sys.stdin.read()", "silent", ""),
        ("import sys; sys.stderr.write('x' * 5000); sys.exit(1)", "ended", "x" * 300),
    ],
)
async def test_what_does_not_come_up_is_unavailable(
    make: Make, changes: Changes, program: str, reason: str, message: str
) -> None:
    process = make(says_only(program), Patience(start_s=1.0, race_s=0.01))
    with pytest.raises(PracticeUnavailable) as raised:
        await process.ensure()
    assert (raised.value.reason, raised.value.message) == (reason, message)
    assert changes.seen == [(None, ""), (False, "")]


async def test_a_program_that_is_not_there_is_unavailable(make: Make) -> None:
    with pytest.raises(PracticeUnavailable) as raised:
        await make(["/no/such/program"]).ensure()
    assert raised.value.reason == "can't be run"


async def test_it_is_given_up_after_a_bounded_number_of_falls(
    make: Make, tmp_path: Path, changes: Changes
) -> None:
    flag = tmp_path / "started"
    comes_up_once = (
        "import pathlib, sys\n"
        f"flag = pathlib.Path({str(flag)!r})\n"
        "if flag.exists(): sys.exit('no more')\n"
        "flag.touch()\n"
        'print(\'{"base_url": "http://127.0.0.1:1"}\', flush=True)\n'
    )
    await make(says_only(comes_up_once)).ensure()
    await changes.until(lambda ups: ups.count(False) >= len(QUICK.backoff_s) and ups[-1] is False)


def test_it_is_gone_when_its_starter_crashes(tmp_path: Path) -> None:
    program = (
        "import asyncio, os, pathlib, sys\n"
        "from keybench.gateway.practice_process import PracticeProcess\n"
        "async def crash():\n"
        "    process = PracticeProcess(pathlib.Path(sys.argv[1]), lambda *_: None, command=sys.argv[2:])\n"
        "    await process.ensure()\n"
        "    print((pathlib.Path(sys.argv[1]) / 'practice' / 'gateway.json').read_text(), flush=True)\n"
        "    os._exit(9)\n"
        "asyncio.run(crash())\n"
    )
    crashed = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), *real_command(tmp_path)],
        env=os.environ | {"PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        check=False,
    )
    assert crashed.returncode == 9
    wait_until_gone(json.loads(crashed.stdout)["pid"])


def test_the_command_fits_a_checkout_and_a_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert practice_command(tmp_path)[1:4] == ["-m", "keybench", "practice"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert practice_command(tmp_path)[:2] == [sys.executable, "practice"]
