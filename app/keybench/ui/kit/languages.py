"""The window's language: as a person chose it or as the system's is, and Qt's own words and directions in it."""

from __future__ import annotations

import sys
from typing import Final

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from keybench.runtime.data_folder import DataFolder
from keybench.ui.kit.preferences import Preferences
from keybench.words.language import (
    SOURCE,
    base_language,
    choose,
    languages,
    locale_tag,
    system_languages,
    use,
)

_NAME: Final = "window/language"


def read_language(preferences: Preferences) -> str:
    """Return the language that was chosen, by its code; empty for the system's, and for one that isn't there."""
    chosen = preferences.text(_NAME)
    return chosen if chosen and chosen in languages() else ""


def write_language(preferences: Preferences, chosen: str) -> None:
    """Remember a language, or the system's by an empty text, for the next start."""
    preferences.set_text(_NAME, chosen)


def speak(folder: DataFolder) -> None:
    """Speak what was chosen in a data folder's window, before the first sentence is imported."""
    chosen = read_language(Preferences(folder.window_settings))
    if chosen:
        choose(chosen)
    elif sys.platform in {"win32", "darwin"} and system_languages() == [SOURCE]:
        # Programs with a window aren't told there by the environment.
        use([one.replace("-", "_") for one in QLocale.system().uiLanguages()])


def put_on(app: QApplication) -> None:
    """Have Qt write figures and its own words in what is spoken, and lay windows out in its direction."""
    locale = QLocale(locale_tag())
    QLocale.setDefault(locale)
    app.setLayoutDirection(locale.textDirection())
    if base_language() == SOURCE:  # as are Qt's own words
        return
    from PySide6.QtCore import QLibraryInfo, QTranslator  # noqa: PLC0415 - their types take a millisecond

    translator = QTranslator(app)
    if translator.load(locale, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)
