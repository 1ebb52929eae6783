"""Show Keybench where there is no screen: play the tour on a virtual one and tell what came of it."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import display
from messages import SetupError, complain, say


def play_tour(python: Path, options: Sequence[str] = ()) -> int:
    """Play the tour without pauses, print each sale's outcome and where the pictures are."""
    pictures = Path(tempfile.mkdtemp(prefix="keybench-tour-")) / "pictures"
    with _screen() as (environment, name):
        say(f"There is no display here, so Keybench plays its tour on {name} screen.")
        command = [os.fspath(python), "-m", "keybench", "tour", "--json", "--pace", "0"]
        command += ["--screenshots", os.fspath(pictures), *options]
        status, scenes = _follow(command, environment)
    for line in outcome_lines(scenes):
        say(line)
    if pictures.is_dir() and any(pictures.iterdir()):
        say(f"Pictures: {pictures}")
    if status:
        complain(f"The tour ended with status {status}.")
    return status


def scene_of(line: str) -> dict[str, Any] | None:
    """Read one line of the tour's JSON output; None if it is none of its scenes."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "scene" in value else None


def outcome_lines(scenes: list[dict[str, Any]]) -> list[str]:
    """Say what became of each sale among the scenes, in words."""
    sales = [scene for scene in scenes if "state" in scene]
    if not sales:
        return ["The tour came to no sale."]
    return [f"Sale ({scene['scene']}): {str(scene['state']).replace('_', ' ')}" for scene in sales]


def _follow(command: list[str], environment: dict[str, str]) -> tuple[int, list[dict[str, Any]]]:
    scenes: list[dict[str, Any]] = []
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8") as tour:
        for line in tour.stdout or ():
            scene = scene_of(line)
            if scene is not None:
                scenes.append(scene)
                say(f"  {scene['scene']}")
    return tour.returncode, scenes


@contextmanager
def _screen() -> Iterator[tuple[dict[str, str], str]]:
    """Yield the environment for a screen, and what kind of screen it is."""
    environment = dict(os.environ)
    with ExitStack() as held:
        try:
            number = held.enter_context(display.virtual_screen())
        except SetupError:
            yield {**environment, "QT_QPA_PLATFORM": "offscreen"}, "an offscreen"
            return
        environment.pop("QT_QPA_PLATFORM", None)
        yield {**environment, "DISPLAY": number}, "a virtual"
