"""A window whose program is replaced by an update says so, and goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from keybench.runtime.updating import program_file
from keybench.ui.shell.background import UPDATE_S, watch_for_update

from .conftest import LooplessSupervisor
from .sale_support import make_stage


async def test_an_update_is_told_once(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "keybench"
    program.write_bytes(b"one version")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    faults: list[str] = []
    supervisor = LooplessSupervisor(lambda task, _error: faults.append(task))
    stage = await make_stage(qtbot.addWidget, supervisor)
    started = program_file()
    assert started
    stage.session.run("watch for an update", watch_for_update(stage.session, started))
    await stage.bench.clock.advance(10 * UPDATE_S)
    assert stage.notices == []

    program.unlink()  # a moment of the update
    await stage.bench.clock.advance(UPDATE_S)
    program.write_bytes(b"two versions")
    await stage.bench.clock.advance(10 * UPDATE_S)
    assert [notice.title for notice in stage.notices] == [
        "Keybench was updated. Open it again to use the new version."
    ]
    assert faults == []
    await supervisor.close()
