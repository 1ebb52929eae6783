"""In another language no English is left, but for what people, gateways and standards say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).resolve().parents[1]
PROGRAM: Final = Path(__file__).with_name("other_language_program.py")
#: Languages, names and identifiers of the made-up world, currencies, keys of the keyboard, addresses, dates,
#: and LIVE.
DATA: Final = re.compile(
    r"English|Deutsch|Español|Français|[A-Z]{3}|Ctrl\+.*|https?://.*|\d.*|LIVE|practice|sandbox|connected|Till.*"
    r"|-\d+ dBm|[a-z]+(-[a-z]+){3}"
)


def test_every_page_is_in_the_other_language() -> None:
    run = subprocess.run(
        [sys.executable, str(PROGRAM)],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": f"{TESTS.parent / 'app'}:{TESTS}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    texts = run.stdout.splitlines()
    assert any(text.startswith("«") or "»" in text for text in texts), "the language came too late"
    assert [text for text in texts if "«" not in text and not DATA.fullmatch(text)] == []
