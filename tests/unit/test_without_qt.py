"""Core, words, use cases and commands need neither Qt nor any library of another room."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

APP = Path(__file__).resolve().parents[2] / "app"
PROGRAM = """
import importlib, pkgutil, sys

BARRED = {"PySide6", "qasync", "httpx", "sqlalchemy", "keyring", "secretstorage", "starlette", "uvicorn"}

class Barrier:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BARRED:
            raise ImportError(f"{name} is barred here")

sys.meta_path.insert(0, Barrier())
for room in ("core", "runtime", "workflows", "words", "cli"):
    package = importlib.import_module(f"keybench.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
        print(module.name)
"""


def test_every_module_of_these_rooms_can_be_imported_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"PYTHONPATH": str(APP)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert {"keybench.core.sales.sale", "keybench.workflows.sales.sell", "keybench.cli.entry"} <= set(
        done.stdout.split()
    )
