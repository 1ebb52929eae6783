"""The Help menu's dialogs: About Keybench with licences, and the notice after an upgrade."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench import __version__
from keybench.runtime.build import Build
from keybench.runtime.licences import LIST, QT_NOTICE, Licences, licences
from keybench.ui.kit.actions import Menu, MenuBar
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import Theme
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shell.about import AboutDialog
from keybench.ui.shell.background import tell_of_upgrade, was_upgraded
from keybench.ui.shell.window import MainWindow

from .screens import faults

BUILD = Build("0123456789ab", "flatpak")
LONG = "Ein sehr langer Ordner mit Leerzeichen/данные/企業データ/und noch viel weiter hinten im Dateisystem"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with a long path and letters of several scripts."""
    folder = tmp_path / LONG
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def window(
    qtbot: QtBot, session: Session, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> MainWindow:
    """A window of a build that ships two libraries and Qt's notice."""
    shipped = tmp_path / "licences"
    shipped.mkdir()
    listed = [
        {"name": name, "version": "1.2", "licence": "MIT", "text": "mit.txt", "notice": ""}
        for name in ("alembic", "httpx")
    ]
    (shipped / LIST).write_text(json.dumps(listed), "utf-8")
    (shipped / "mit.txt").write_text("Permission is hereby granted…", "utf-8")
    (shipped / QT_NOTICE).write_text("Qt is used under the LGPL.", "utf-8")
    monkeypatch.setattr("keybench.ui.shell.about.this_build", lambda: BUILD)
    monkeypatch.setattr("keybench.ui.shell.about.licences", lambda: licences(shipped))
    session.preferences = Preferences(folder / "window.ini")
    window = MainWindow(session.preferences)
    qtbot.addWidget(window)
    window.resize(1024, 700)
    window.attach(session)
    window.show()
    return window


def help_menu(window: MainWindow) -> list[QAction]:
    bar = window.menuBar()
    assert isinstance(bar, MenuBar)
    bar.fill()
    return bar.menu(Menu.HELP).actions()


async def opened(window: MainWindow, name: str) -> Dialog:
    """Open a dialog from the Help menu, and wait until it has the keyboard and knows all it shows."""
    next(one for one in help_menu(window) if one.text() == name).trigger()

    def dialog() -> Dialog | None:
        return next((one for one in window.findChildren(Dialog) if one.isVisible()), None)

    await until(dialog)
    found = dialog()
    assert found
    if isinstance(found, AboutDialog):
        await until(lambda: "0123456789ab" in found.text and found.table.model().rowCount() > 1)
    return found


async def closed(window: MainWindow, dialog: Dialog) -> None:
    """Close a dialog with Escape, and wait until it is gone."""
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    await until(lambda: not window.findChildren(Dialog) and not _is_open(window))


def _is_open(window: MainWindow) -> bool:
    assert window.session
    return any(window.session.supervisor.is_running(name) for name in ("about", "what's new"))


async def test_the_help_menu_has_them_in_their_order(window: MainWindow) -> None:
    actions = help_menu(window)
    names = ["Manual", "Keyboard shortcuts", "Guided tour", "What's new", "Log", "About Keybench"]
    assert [one.text() for one in actions][-6:] == names
    assert actions[-1].menuRole() is QAction.MenuRole.AboutRole


async def test_about_tells_which_build_this_is_and_where_its_data_is(
    window: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = await opened(window, "About Keybench")
    assert isinstance(dialog, AboutDialog)
    shown = dialog.preview.toPlainText()
    for text in (f"Keybench {__version__}", BUILD.commit, "Flatpak", str(folder)):
        assert text in shown
    dialog.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    assert copied == dialog.text
    assert copied.startswith(f"Keybench {__version__}\n")
    assert f"Data folder: {folder}\n" in copied
    assert "offscreen, screen at 100 %" in copied
    assert dialog.message.text() == "Copied."

    wanted: list[QUrl] = []

    def open_url(url: QUrl) -> bool:
        wanted.append(url)
        return len(wanted) == 1

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    dialog.open_button.click()
    assert Path(wanted[0].toLocalFile()) == folder
    assert dialog.message.text() == "Copied."
    dialog.open_button.click()
    assert "No program here opens folders" in dialog.message.text()
    await closed(window, dialog)


async def test_it_tells_what_it_knows_until_the_rest_is_found_out(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    dialog = AboutDialog(window, session)
    qtbot.addWidget(dialog)
    assert "Commit: Looking…" in dialog.text
    assert f"Keybench {__version__}" in dialog.text
    await until(lambda: "Commit: 0123456789ab" in dialog.text)


async def test_licences_begin_with_what_qts_asks_for(window: MainWindow) -> None:
    dialog = await opened(window, "About Keybench")
    assert isinstance(dialog, AboutDialog)
    names = [row.name for row in dialog.table.model().items]
    assert names == ["Keybench", "Qt: notice and offer", "alembic", "httpx"]
    dialog.table.select(1)
    assert dialog.preview.toPlainText() == "Qt is used under the LGPL."
    dialog.table.select(2)
    assert dialog.preview.toPlainText() == "Permission is hereby granted…"
    dialog.show_licences(Licences(()))
    assert "no list of what is shipped" in dialog.words.text()
    await closed(window, dialog)


async def test_everything_of_it_has_the_keyboard_and_a_name(window: MainWindow) -> None:
    dialog = await opened(window, "About Keybench")
    assert isinstance(dialog, AboutDialog)
    dialog.table.setFocus()
    seen: list[QWidget] = []
    while (at := dialog.focusWidget()) not in seen:
        seen.append(at)
        QTest.keyClick(at, Qt.Key.Key_Tab)
    names = [one.accessibleName() or getattr(one, "text", str)() for one in seen]
    assert names == ["Licences", "About the chosen one", "Copy", "Open the folder", "Close"]
    await closed(window, dialog)


async def test_no_text_is_cut_in_any_size_of_text(window: MainWindow, light_theme: Theme) -> None:
    for size in ("9", "13", "18"):
        light_theme.choose_text_size(size)
        dialog = await opened(window, "About Keybench")
        assert isinstance(dialog, AboutDialog)
        assert faults(dialog) == [], size
        available = dialog.screen().availableSize()
        assert dialog.width() <= available.width()
        assert dialog.height() <= available.height()
        await closed(window, dialog)


# --- what's new -------------------------------------------------------------------------------------------


@pytest.fixture
def remembered(tmp_path: Path) -> Callable[..., Preferences]:
    """``remembered(version)``: what a window remembers that was last closed by a version."""

    def made(version: str | None = None) -> Preferences:
        path = tmp_path / "window.ini"
        path.unlink(missing_ok=True)
        if version is not None:
            path.write_text(f"[window]\nversion={version}\n" if version else "[window]\ngeometry=AAAA\n")
        return Preferences(path)

    return made


@pytest.mark.parametrize("before", ["", "0.1.0", "0.1.99"])  # version 0.1.0 didn't note itself
async def test_an_upgrade_is_told_once_in_a_notice_that_goes(
    session: Session, remembered: Callable[..., Preferences], before: str
) -> None:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    session.preferences = remembered(before)
    for _start in range(2):
        tell_of_upgrade(session)
    (told,) = notices
    assert not told.stays
    assert __version__ in told.title
    assert "What's new" in told.text


@pytest.mark.parametrize("before", [None, __version__, "10.0.0", "no version"])
async def test_the_first_start_ever_and_every_other_say_nothing(
    session: Session, remembered: Callable[..., Preferences], before: str | None
) -> None:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    session.preferences = remembered(before)
    tell_of_upgrade(session)
    assert not notices


def test_the_next_start_knows_this_version(remembered: Callable[..., Preferences]) -> None:
    preferences = remembered("0.1.0")
    assert was_upgraded(preferences)
    preferences.save()
    assert preferences.path
    assert not was_upgraded(Preferences(preferences.path))
