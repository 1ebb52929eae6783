"""The trial of packages in a clean Debian: what it says where it can't be made, and where a step fails."""

import os
from pathlib import Path

import pytest

import chroot
import install_test
from messages import SetupError


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "keybench" / "debian"


def test_who_may_not_change_the_root_folder_is_told_so(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert install_test.main(["deb", "--package", str(tmp_path / "keybench.deb")]) == 1
    assert "start it with sudo" in capsys.readouterr().err
    assert not cache.exists()


def test_a_base_that_was_fetched_in_half_is_not_kept(
    cache: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name, lines in (
        ("debootstrap", '/bin/mkdir -p "$3/usr"; echo "E: Failed getting release file"; exit 1'),
        ("unshare", "exit 0"),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{lines}\n", "utf-8")
        (programs / name).chmod(0o755)
    with (
        pytest.raises(SetupError, match="Failed getting release file"),
        chroot.fresh("bookworm", "http://127.0.0.1:9/"),
    ):
        pass
    assert list(cache.iterdir()) == []


def test_a_step_that_fails_is_named_and_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trial = install_test.Trial(chroot.Chroot(tmp_path, tmp_path), tmp_path / "keybench.deb", tmp_path)
    monkeypatch.setattr(trial, "_put_in_older", lambda: None)

    def fails() -> None:
        raise SetupError("it ended with 1, not 40")

    monkeypatch.setattr(trial, "_test_without_keystore", fails)
    with pytest.raises(SetupError, match="it ended with 1"):
        trial.run()
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "ok      an older version is put in (0 s)",
        "FAILED  without a keystore the self-test says so",
    ]
