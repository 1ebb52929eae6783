"""What is imported when: the window comes before anything slow, and commands do without Qt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from endtoend.conftest import Keybench

TESTS = Path(__file__).parents[1]
COMMAND = """
import sys
from keybench.__main__ import main
try:
    status = main()
finally:
    print("imported:", *[name for name in ("PySide6", "qasync") if name in sys.modules], file=sys.stderr)
sys.exit(status)
"""


def test_nothing_slow_is_imported_before_the_window_is_shown(keybench: Keybench) -> None:
    keybench.add_key()
    probe = TESTS / "benchmarks" / "probes" / "keybench_window.py"
    words = [sys.executable, str(probe), str(keybench.folder)]
    shown = subprocess.run(words, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines() == ["shown", "listed"], "imported before the window was shown"


@pytest.mark.thin(4)
@pytest.mark.parametrize("words", [("key", "list"), ("history",), ("review",), ("resume",)])
def test_a_command_imports_no_qt(keybench: Keybench, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", COMMAND, *words, "--data-dir", str(keybench.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "imported:"), done.stderr


def test_a_diagnosis_imports_no_qt(keybench: Keybench) -> None:
    words = ["diagnose", "--environment", "practice", "--data-dir", str(keybench.folder)]
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=False
    )
    assert done.stdout
    assert done.stderr.splitlines()[-1] == "imported:", done.stderr
