"""A screen where there is none, the tour told in words, and a session that leaves nothing behind."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

import display
import session
import showing
from messages import SetupError

#: Ends with the number of entries in the keyring, after it has put in one.
COUNT_KEYRING = """
import secretstorage, sys
from contextlib import closing
with closing(secretstorage.dbus_init()) as bus:
    collection = secretstorage.get_default_collection(bus)
    collection.create_item("made up", {"service": "Keybench/test"}, b"made up")
    sys.exit(len(list(collection.get_all_items())))
"""
SCENES = """\
not a scene
{"scene": "Add a key"}
{"scene": "An approved sale", "state": "approved"}
{"scene": "A key without rights", "state": "not_sent"}
"""


@pytest.mark.parametrize(
    ("environment", "system", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_a_display_is_told_from_none(environment: dict[str, str], system: str, expected: bool) -> None:  # noqa: FBT001 - a table's column
    assert display.is_present(environment, system) is expected


def test_a_virtual_screen_is_there_and_then_gone() -> None:
    with display.virtual_screen() as number:
        socket = Path("/tmp/.X11-unix") / f"X{number[1:]}"  # noqa: S108 - where X servers listen
        assert socket.exists()
    assert not socket.exists()


def test_without_xvfb_there_is_no_virtual_screen(programs: Path) -> None:
    with pytest.raises(SetupError, match="no virtual screen"), display.virtual_screen():
        pass


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own folder as the one for everything temporary."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def tour_program(folder: Path, status: int) -> Path:
    """A stand-in for the interpreter: prints scenes, and a picture into the folder after --screenshots."""
    (folder / "scenes").write_text(SCENES)
    program = folder / "python"
    program.write_text(f'#!/bin/sh\ncat {folder}/scenes\nmkdir -p "$8" && echo > "$8/1.png"\nexit {status}\n')
    program.chmod(0o755)
    return program


def test_the_tour_is_told_with_each_sales_outcome_and_its_pictures(
    temporary: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert showing.play_tour(tour_program(temporary, 0)) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "There is no display here, so Keybench plays its tour on a virtual screen."
    assert "Sale (An approved sale): approved" in lines
    assert "Sale (A key without rights): not sent" in lines
    pictures = Path(lines[-1].removeprefix("Pictures: "))
    assert [path.name for path in pictures.iterdir()] == ["1.png"]


def test_a_tour_that_fails_passes_its_status_on(temporary: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert showing.play_tour(tour_program(temporary, 30)) == 30
    assert "status 30" in capfd.readouterr().err


def test_a_tour_without_a_sale_says_so() -> None:
    assert showing.outcome_lines([{"scene": "Add a key"}]) == ["The tour came to no sale."]


def test_the_private_desktop_knows_nothing_of_the_persons_own(tmp_path: Path) -> None:
    outer = {"PATH": "/bin", "DBUS_SESSION_BUS_ADDRESS": "theirs", "HOME": "/home/them", "NO_AT_BRIDGE": "1"}
    inner = session.private_environment(tmp_path, ":7", outer)
    assert "DBUS_SESSION_BUS_ADDRESS" not in inner
    assert "NO_AT_BRIDGE" not in inner
    assert inner["PATH"] == "/bin"
    assert inner["DISPLAY"] == ":7"
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"):
        assert Path(inner[name]).is_relative_to(tmp_path)
        assert Path(inner[name]).is_dir()


def test_a_missing_keyring_is_named(programs: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="gnome-keyring-daemon"):
        session.runnable_keyring(tmp_path)


def test_what_a_command_leaves_running_is_ended(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reads = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    left_behind = f"exec 3> {pipe}; echo up >&3; sleep 1000 & exit 3"
    assert session.Session(os.environ).run(["sh", "-c", left_behind], tmp_path) == 3
    os.set_blocking(reads, True)
    with os.fdopen(reads) as pipe_end:
        assert pipe_end.read() == "up\n"  # comes to its end only when the last writer is gone


def test_two_desktops_know_nothing_of_one_another_and_leave_nothing(tmp_path: Path) -> None:
    with session.private_sessions(2) as desktops:
        own = [dict(one.own) for one in desktops]
        count = [os.fspath(sys.executable), "-c", COUNT_KEYRING]
        assert [one.run(count, tmp_path) for one in desktops] == [1, 1]
        assert (
            own[0].keys()
            == own[1].keys()
            >= {"HOME", "XDG_RUNTIME_DIR", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS"}
        )
        assert not set(own[0].values()) & set(own[1].values())
    psutil.wait_procs(left_of(own), timeout=60)
    assert left_of(own) == []


def left_of(desktops: list[dict[str, str]]) -> list[psutil.Process]:
    """Return the processes that were started on one of the desktops."""
    homes = {one["HOME"] for one in desktops}
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get("HOME") in homes:
                found.append(process)
    return found
