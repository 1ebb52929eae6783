"""No word is cut in any language, on any page, in the smallest window we promise and with large text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from sweeps import every

TESTS: Final = Path(__file__).resolve().parents[1]
#: Languages with scales of text, in a window of 1024 by 700; the first finds most.
CASES: Final = [("de", "1.5"), *((tag, "1") for tag in ("made-up", "de", "es", "fr", "en"))]
CASES += [(tag, "1.5") for tag in ("es", "fr", "en")]


@pytest.mark.parametrize(("language", "scale"), every(len(CASES), CASES))
def test_every_word_has_room(language: str, scale: str) -> None:
    paths = {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": f"{TESTS.parent / 'app'}:{TESTS}"}
    run = subprocess.run(
        [sys.executable, "-m", "ui.room_program", "1024x700", scale],
        env=os.environ | paths | {"LANGUAGE": language},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    assert run.stdout.splitlines() == []
