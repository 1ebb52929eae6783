"""A data folder that can't be opened: the window says why, tries again, and offers another folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.waiting import until
from keybench.core.errors import JournalBusy, JournalGone, JournalNewer, JournalUnwritable
from keybench.core.ports import JournalPlace
from keybench.runtime.data_folder import sign_of
from keybench.ui.kit.preferences import Preferences
from keybench.workflows.world import World

from .opened_window import Opened

NEWER = JournalNewer("/data/journal.sqlite3", 12, 9, "0.3.0", "/data/journal.sqlite3.schema-9")


async def test_the_reason_stands_where_the_keys_would_be_and_nothing_else_waits(
    qtbot: QtBot, world: World, tmp_path: Path
) -> None:
    opened = Opened(qtbot, world, NEWER)
    page = await opened.trouble()
    assert page.title.text() == "This journal was written by a newer Keybench, 0.3.0."
    assert "/data/journal.sqlite3.schema-9" in page.words.text()
    selectable = page.words.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    assert selectable, "the copy's path can't be copied"
    assert "0.3.0" in page.accessibleDescription()
    for waiting in (opened.window.rail, opened.window.band.gateway_chip, opened.window.band.keystore_chip):
        assert not waiting.isVisible()
    assert await opened.closed() == 1


async def test_a_newer_ones_window_settings_are_left_alone(
    qtbot: QtBot, world: World, tmp_path: Path
) -> None:
    settings = tmp_path / "window.ini"
    settings.write_text("[person]\nname=Mira\n[later]\nthing=42\n")
    before = settings.read_bytes()
    opened = Opened(qtbot, world, NEWER, preferences=Preferences(settings))
    await opened.trouble()
    opened.window._on_text_size(1)
    assert opened.preferences.person == "Mira"
    assert await opened.closed() == 1
    assert settings.read_bytes() == before


async def test_it_opens_once_what_was_in_the_way_has_gone(qtbot: QtBot, world: World, tmp_path: Path) -> None:
    opened = Opened(qtbot, world, JournalBusy(), JournalUnwritable("/data", "read-only"))
    page = await opened.trouble()
    assert page.focusProxy() is page.again
    page.again.click()
    await until(lambda: opened.window.stack.currentWidget() is not page)
    second = await opened.trouble()
    assert "read-only" in second.title.text()
    second.again.click()
    second.again.click()
    await until(lambda: opened.window.session is not None)
    assert opened.window.rail.isVisible()
    assert opened.window.band.keystore_chip.isVisible()
    assert await opened.closed() == 0


async def test_an_empty_journal_is_begun_only_by_its_button(
    qtbot: QtBot, world: World, tmp_path: Path
) -> None:
    sign_of(tmp_path / "journal.sqlite3").touch()
    gone = JournalGone(os.fspath(tmp_path / "journal.sqlite3"))
    opened = Opened(qtbot, world, gone, gone, JournalBusy())
    page = await opened.trouble()
    page.again.click()
    await until(lambda: opened.window.stack.currentWidget() is not page)
    page = await opened.trouble()
    assert page.empty.isVisible()
    assert sign_of(tmp_path / "journal.sqlite3").exists()
    page.empty.click()
    await until(lambda: opened.window.stack.currentWidget() is not page)
    assert not sign_of(tmp_path / "journal.sqlite3").exists()
    assert not (await opened.trouble()).empty.isVisible()
    assert await opened.closed() == 1


@pytest.mark.parametrize("starts", [True, False])
async def test_another_folder_is_opened_by_a_program_in_place_of_this_one(
    qtbot: QtBot, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, starts: bool
) -> None:
    started: list[list[str]] = []

    def start(_program: str, words: list[str], _folder: str) -> tuple[bool, int]:
        started.append(words)
        return starts, 1

    monkeypatch.setattr(QProcess, "startDetached", start)
    opened = Opened(qtbot, world, NEWER)
    page = await opened.trouble()
    page.other.click()
    await until(lambda: page.window().findChildren(QFileDialog))
    (dialog,) = page.window().findChildren(QFileDialog)
    assert dialog.fileMode() is QFileDialog.FileMode.Directory
    dialog.fileSelected.emit(os.fspath(tmp_path / "other"))
    dialog.close()
    assert [words[-2:] for words in started] == [["--data-dir", os.fspath(tmp_path / "other")]]
    if starts:
        assert await opened.task == 0
    else:
        assert await opened.closed() == 1


async def test_a_journal_on_the_network_is_told_in_the_open_window(
    qtbot: QtBot, world: World, tmp_path: Path, clock: MovedClock
) -> None:
    world.journal.place = JournalPlace("/home/anna/keys", "nfs4")  # type: ignore[misc]  # a fake's
    opened = Opened(qtbot, world)
    await until(lambda: opened.window.session is not None)
    await clock.advance(1)
    bar = opened.window.notice_bar
    await until(lambda: any("(nfs4)" in entry.notice.title for entry in bar.entries))
    assert await opened.closed() == 0


def test_settings_beside_a_name_that_qt_cannot_write_stay_in_memory(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/B\xfcro"))
    folder.mkdir()
    preferences = Preferences(folder / "window.ini")
    preferences.set_text("person/name", "Mira")
    preferences.save()
    assert preferences.person == "Mira"
    assert os.listdir(os.fsencode(tmp_path)) == [b"B\xfcro"]  # noqa: PTH208 - its bytes
