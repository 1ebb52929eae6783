"""The tour, as the README starts it: every scene is seen in the real window, and nothing of it stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import secretstorage

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
