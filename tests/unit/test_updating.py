"""A packed program whose file is replaced while it runs."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from keybench.runtime.updating import keep_modules, program_file


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "keybench"
    path.write_bytes(b"one version")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(path))
    return path


def test_another_file_under_its_name_is_told_from_it(program: Path) -> None:
    started = program_file()
    assert program_file() == started is not None
    newer = program.with_suffix(".dpkg-new")
    newer.write_bytes(b"two versions")
    newer.replace(program)
    assert program_file() not in {started, None}


def test_a_program_that_is_gone_is_no_newer_one(program: Path) -> None:
    program.unlink()
    assert program_file() is None


def test_a_checkout_is_never_replaced(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sys, "frozen")
    assert program_file() is None


@pytest.mark.skipif(sys.platform != "linux", reason="Linux keeps the file that runs")
@pytest.mark.parametrize(("named", "kept"), [("the program", "/proc/self/exe"), ("another", "another")])
def test_modules_come_from_the_file_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, kept: str
) -> None:
    (tmp_path / "another").touch()
    (tmp_path / "the program").symlink_to(Path("/proc/self/exe").readlink())
    monkeypatch.chdir(tmp_path)
    archive = SimpleNamespace(_filename=named)
    monkeypatch.setitem(sys.modules, "pyimod02_importers", SimpleNamespace(pyz_archive=archive))  # type: ignore[arg-type] # a stand-in
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    keep_modules()
    assert archive._filename == kept


def test_a_launcher_of_another_make_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setitem(sys.modules, "pyimod02_importers", SimpleNamespace())  # type: ignore[arg-type] # a stand-in
    keep_modules()
