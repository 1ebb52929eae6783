"""In another language no English is left, but for what people, gateways and standards say.

In one that is read from right to left the window is mirrored.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

#: A text field's menu, buttons, the dialog for files, where «what Qt doesn't have» is ours, keys and a tip.
OF_QT: Final = {
    "de": (
        "Rückgängig Strg+Z, Wiederherstellen Strg+Y, , Ausschneiden Strg+X",
        "Speichern, Abbrechen",
        "«», Dateiname:, «», Öffnen, Abbrechen",
        "Strg+Umschalt+P, Strg+Enter, Entf, Bild aufwärts",
        "Strg+2)",
    ),
    "en": (
        "Undo Ctrl+Z, Redo Ctrl+Y, , Cut Ctrl+X",
        "Save, Cancel",
        "«», File name:, «», Open, Cancel",
        "Ctrl+Shift+P, Ctrl+Enter, Del, PgUp",
        "Ctrl+2)",
    ),
}
TESTS: Final = Path(__file__).resolve().parents[1]
PROGRAM: Final = Path(__file__).with_name("other_language_program.py")
#: Languages, names and identifiers of the made-up world, currencies, keys of the keyboard, addresses, dates,
#: and LIVE.
DATA: Final = re.compile(
    r"English|Deutsch|Español|Français|[A-Z]{3}|Strg\+.*|https?://.*|\d.*|LIVE|practice|sandbox|connected|Till.*"
    r"|-\d+ dBm|[a-z]+(-[a-z]+){3}"
)


def said(wanted: str) -> list[str]:
    """Return what the program prints."""
    run = subprocess.run(
        [sys.executable, str(PROGRAM), wanted],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": f"{TESTS.parent / 'app'}:{TESTS}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    return run.stdout.splitlines()


def test_every_page_is_mirrored_where_people_read_from_right_to_left() -> None:
    assert said("mirrored") == []


def test_every_page_is_in_the_other_language() -> None:
    texts = said("accents")
    assert any(text.startswith("«") or "»" in text for text in texts), "the language came too late"
    assert [text for text in texts if "«" not in text and not DATA.fullmatch(text)] == []


@pytest.mark.parametrize("language", OF_QT)
def test_qt_speaks_the_language_too(language: str) -> None:
    menu, *others = OF_QT[language]
    told = [re.sub("«[^»]+»", "«»", line) for line in said(language)]
    assert told == [f"{int(language != 'en')} translator", menu, menu, *others]
