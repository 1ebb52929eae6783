"""The self-test, as an installer starts it: what it finds, what it says, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from endtoend.test_imports import COMMAND
from endtoend.test_tour import entries_kept
from keybench import __version__
from keybench.words.self_test import TITLES

ROOT = Path(__file__).parents[2]
#: What leads to a screen.
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
PATIENCE_S = 60.0
#: Between two looks at its files, so that it gets the processor meanwhile.
LOOK_S = 0.02

Told = dict[str, dict[str, Any]]


def surroundings(folder: Path, **variables: str) -> dict[str, str]:
    """Return an environment without a screen, with a data folder and a folder for temporary files."""
    kept = {name: value for name, value in os.environ.items() if name not in SCREENS}
    return kept | {"TMPDIR": str(folder), "KEYBENCH_DATA_DIR": str(folder / "person's")} | variables


def ended(test: subprocess.Popen[str]) -> tuple[int, Told, dict[str, Any]]:
    """Return a self-test's status, its checks by name and its verdict."""
    out, _err = test.communicate(timeout=PATIENCE_S * 2)
    *checks, verdict = [json.loads(line) for line in out.splitlines()]
    return test.returncode, {one["check"]: one for one in checks}, verdict


def started(environment: Mapping[str, str]) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", COMMAND, "--self-test", "--json"]
    return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def not_ok(checks: Told) -> dict[str, str]:
    return {name: one["result"] for name, one in checks.items() if one["result"] != "ok"}


def test_on_a_sound_desktop_all_is_ok_nothing_of_it_stays_and_the_command_imports_no_qt(
    tmp_path: Path,
) -> None:
    before = entries_kept()
    with started(surroundings(tmp_path)) as test:
        status, checks, verdict = ended(test)
        assert test.stderr
    assert list(checks) == list(TITLES)
    assert not_ok(checks) == {}, checks
    assert (status, verdict["verdict"], verdict["exit_status"]) == (0, "ok", 0)
    assert verdict["version"] == __version__
    assert checks["sale"]["message"].startswith("10.00 USD approved")
    assert list(tmp_path.iterdir()) == [], "neither its folder nor a data folder"
    assert entries_kept() == before


def test_what_a_broken_installation_lacks_fails_the_check_of_it_and_no_other(tmp_path: Path) -> None:
    app, resources = tmp_path / "app", tmp_path / "resources"
    shutil.copytree(ROOT / "app", app, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "resources", resources)
    environment = surroundings(tmp_path, PYTHONPATH=str(app))
    (resources / "icons" / "plus.svg").write_text("<svg", encoding="utf-8")
    (app / "keybench" / "ui" / "history" / "page.py").unlink()

    with started(environment) as test:
        _status, checks, _verdict = ended(test)

    assert not_ok(checks) == {"files": "failed", "pages": "failed"}, checks
    assert "plus.svg" in checks["files"]["message"]
    assert "keybench.ui.history.page can't be loaded" in checks["pages"]["message"]
    assert not any(one["no_keystore"] for one in checks.values())


@contextmanager
def in_the_midst_of_its_sale(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a self-test, and wait until its practice gateway is there."""
    before = entries_kept()
    with started(surroundings(folder)) as test:
        limit = time.monotonic() + PATIENCE_S
        while not any(folder.glob("*/sale/practice/gateway.json")):
            with suppress(subprocess.TimeoutExpired):
                test.wait(LOOK_S)
            assert test.returncode is None, "it ended before"
            assert time.monotonic() < limit
        yield test
    assert entries_kept() == before


def family(folder: Path) -> Sequence[psutil.Process]:
    """Return the processes whose temporary folder is this one."""
    running = psutil.process_iter(["environ"])
    return [one for one in running if (one.info["environ"] or {}).get("TMPDIR") == str(folder)]


@pytest.mark.thin(2)
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_one_that_is_stopped_leaves_no_entry_no_folder_and_no_process(
    tmp_path: Path, stop: signal.Signals
) -> None:
    with in_the_midst_of_its_sale(tmp_path) as test:
        processes = family(tmp_path)
        test.send_signal(stop)
        out, _err = test.communicate(timeout=PATIENCE_S)
        _gone, alive = psutil.wait_procs(processes, timeout=PATIENCE_S)
        assert alive == []
    if stop is signal.SIGINT:
        assert test.returncode == 1
        assert json.loads(out.splitlines()[-1])["verdict"] == "stopped"
    assert list(tmp_path.iterdir()) == []
