"""The tour, as the README starts it: every scene is seen in the real window, and nothing of it stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import secretstorage

from endtoend.window_fixtures import Window, open_window, wait_until_gone

SCENES = [
    "welcome",
    "add-a-new-key",
    "test-key",
    "approved-sale",
    "declined-sale",
    "rotation-replacement",
    "rotation-applications",
    "rotation-deletion",
    "inventory",
    "refused-key",
]


def entries_kept() -> int:
    """Return how many entries the session's keyring has."""
    connection = secretstorage.dbus_init()
    try:
        return len(list(secretstorage.get_default_collection(connection).get_all_items()))
    finally:
        connection.close()


@pytest.mark.sweep
def test_every_scene_is_seen_and_nothing_of_it_stays(tmp_path: Path) -> None:
    before = entries_kept()
    pictures = tmp_path / "pictures"
    words = ("tour", "--pace", "0", "--json", "--screenshots", str(pictures))
    home = {**os.environ, "TMPDIR": str(tmp_path)}

    played = subprocess.run(
        [sys.executable, "-m", "keybench", *words],
        capture_output=True,
        text=True,
        timeout=120,
        env=home,
        check=False,
    )

    assert played.returncode == 0, played.stderr
    told = [json.loads(line) for line in played.stdout.splitlines()]
    assert [scene["scene"] for scene in told] == SCENES
    states = [scene["state"] for scene in told if "state" in scene]
    assert states == ["approved", "declined", "refused"]
    taken = {path.stem.partition("-")[2] for path in pictures.glob("*.png")}
    assert taken >= set(SCENES)
    assert entries_kept() == before
    assert list(tmp_path.iterdir()) == [pictures], "its folder is gone"


def test_an_empty_bench_and_the_help_menu_play_it_in_a_window_of_its_own_and_change_nothing_here(
    tmp_path: Path,
) -> None:
    with open_window(tmp_path / "data", TMPDIR=str(tmp_path)) as window:
        window.wait_until_ready()
        window.press_button("Take the guided tour")
        assert_tour_opens(window, tmp_path)
        window.click("Help", "menu item")
        window.click("Guided tour", "menu item")
        assert_tour_opens(window, tmp_path)
        assert window.rows("Security keys") == []
        assert window.quit() == 0


def assert_tour_opens(window: Window, folder: Path) -> None:
    """Wait for the tour's own program, and end it."""
    tour = window.until(tours_in(folder), "the tour's own program")[0]
    window.wait_for_words("The tour opens in a window of its own.")
    tour.terminate()
    wait_until_gone(tour)


def tours_in(folder: Path) -> Callable[[], list[psutil.Process]]:
    """Return what lists the tours whose temporary folder is this one."""

    def look() -> list[psutil.Process]:
        return [
            one
            for one in psutil.process_iter(["cmdline", "environ"])
            if "tour" in (one.info["cmdline"] or ())
            and (one.info["environ"] or {}).get("TMPDIR") == str(folder)
        ]

    return look
