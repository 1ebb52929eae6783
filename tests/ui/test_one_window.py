"""One window a data folder: the second start asks the first, and takes over when that one is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from fakes.waiting import Until
from keybench.runtime.data_folder import DataFolder
from keybench.ui import one_window
from keybench.ui.one_window import OneWindow, WindowSilent


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def held(folder: DataFolder) -> Iterator[FileLock]:
    """The lock of another program, which listens to nobody."""
    folder.root.mkdir(parents=True)
    lock = FileLock(folder.window_lock)
    with lock:
        yield lock


async def test_the_first_to_claim_it_has_it(folder: DataFolder) -> None:
    first = OneWindow(folder)
    assert await first.claim()
    first.close()
    first.close()
    again = OneWindow(folder)
    assert await again.claim()
    again.close()


async def test_a_program_that_gives_no_answer_is_not_waited_for_for_ever(
    folder: DataFolder, held: FileLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_window, "_PATIENCE_S", 0.2)
    with pytest.raises(WindowSilent):
        await OneWindow(folder).claim()


async def test_the_window_is_taken_over_when_the_other_program_ends_meanwhile(
    folder: DataFolder, held: FileLock, until: Until
) -> None:
    waiting = OneWindow(folder)
    held.release()
    assert await waiting.claim()
    waiting.close()


async def test_a_folder_that_cannot_be_used_is_the_windows_to_explain(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("This is no folder.")
    window = OneWindow(DataFolder(tmp_path / "data"))
    assert await window.claim()
    window.close()


async def test_a_long_path_and_a_socket_left_by_a_killed_program_are_no_obstacle(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / ("long " * 30))
    first = OneWindow(folder)
    _leave_behind(first)
    assert await first.claim()
    assert first._server.isListening()
    first.close()


def _leave_behind(window: OneWindow) -> None:
    """Put a file where its socket will be."""
    Path(window._name).write_text("left behind")
