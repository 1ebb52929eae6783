"""These tests run under one window manager, and under all and a Wayland compositor as a sweep."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from desk.desktops import NAMES, Desktop, desktop
from endtoend.conftest import Keybench
from sweeps import every


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Keybench:
    """A data folder with a key that sells."""
    folder = Keybench(tmp_path_factory.mktemp("prepared") / "data")
    folder.add_key()
    return folder


@pytest.fixture
def keybench(prepared: Keybench, tmp_path: Path) -> Keybench:
    """A copy of it, of the test's own; the keyring's entry is shared."""
    return Keybench(Path(shutil.copytree(prepared.folder, tmp_path / "data")))


@pytest.fixture(scope="module", params=every(3, NAMES))
def desk(request: pytest.FixtureRequest) -> Iterator[Desktop]:
    """A desktop that the tests of a module share."""
    with desktop(request.param) as started:
        yield started


@pytest.fixture(params=every(3, NAMES))
def own_desk(request: pytest.FixtureRequest) -> Iterator[Desktop]:
    """A desktop of a test's own, which it may end."""
    with desktop(request.param) as started:
        yield started
