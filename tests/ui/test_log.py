"""Help, Log: what was logged, found, copied and saved; and what nobody expected, told in the window."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.log import begun
from fakes.waiting import until
from keybench import __version__
from keybench.core.errors import JournalBusy
from keybench.core.secret import Secret
from keybench.runtime.log import Log
from keybench.ui.kit.labels import button
from keybench.ui.kit.theme import Theme
from keybench.ui.shell.log import LogDialog
from keybench.ui.shell.window import MainWindow
from keybench.workflows.world import World

from .opened_window import Opened
from .saving import save_as
from .screens import faults

pytestmark = pytest.mark.logs

VALUE = "ratherplainwordsasakey"
LOGGER = logging.getLogger("keybench.test")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    """The program's log, begun for this test."""
    log = Log()
    for place in ("runtime.log", "ui.shell.log", "ui.shell.lifecycle"):
        monkeypatch.setattr(f"keybench.{place}.program_log", log)
    with begun(log, tmp_path / "keybench.log"):
        yield log


@pytest.fixture
def dialog(qtbot: QtBot, log: Log) -> LogDialog:
    """The dialog on some lines, over a window without a session."""
    value = Secret(VALUE)
    LOGGER.info("sale KB-7Q2M-X4T9-KD3F: sent")
    LOGGER.warning("it took %s", VALUE)
    LOGGER.error("it failed", exc_info=KeyError(VALUE))
    assert value
    assert len(log.lines) == 3
    window = MainWindow()
    qtbot.addWidget(window)
    window.show_log()
    return shown(window)


def shown(window: MainWindow) -> LogDialog:
    return next(one for one in window.findChildren(LogDialog) if one.isVisible())


def texts(dialog: LogDialog) -> list[str]:
    return [line.msg.partition("\n")[0] for line in dialog.table.model().rows]


async def test_lines_are_found_by_level_and_words_and_new_ones_come_by_themselves(dialog: LogDialog) -> None:
    assert texts(dialog) == ["it failed", "it took ••••••", "sale KB-7Q2M-X4T9-KD3F: sent"]
    dialog.table.select_row(0)
    assert dialog.detail.toPlainText() == "it failed\nKeyError: '••••••'"
    LOGGER.warning("one more")
    await until(lambda: len(texts(dialog)) == 4)
    assert dialog.table.selection[0].msg.startswith("it failed")
    dialog.level.setCurrentIndex(1)
    assert texts(dialog) == ["one more", "it failed", "it took ••••••"]
    dialog.search.setText("KEYERROR")
    assert texts(dialog) == ["it failed"]


async def test_what_is_copied_and_saved_is_what_is_shown_or_selected(
    dialog: LogDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keybench.workflows.support.bundles.user_names", lambda: ["sale"])
    dialog.level.setCurrentIndex(1)
    dialog.copy_button.click()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0].startswith(f"Keybench {__version__}, ")
    assert [line.partition(" WARNING ")[2] for line in copied][1] == "keybench.test: it took ••••••"
    assert copied[-1] == "KeyError: '••••••'"
    dialog.level.setCurrentIndex(0)
    dialog.table.select_row(2)
    for path, said in ((tmp_path / "a.txt", "Saved "), (tmp_path / "no" / "a.txt", "could")):
        dialog.save_button.click()
        (asked,) = dialog.findChildren(QFileDialog)
        asked.fileSelected.emit(str(path)) if "no" in path.parts else save_as(asked, path)
        asked.close()
        await until(lambda: not dialog.findChildren(QFileDialog))
        assert said in dialog.message.text()
    assert (
        (tmp_path / "a.txt").read_text("utf-8").endswith(" keybench.test: <user> KB-7Q2M-X4T9-KD3F: sent\n")
    )


async def test_no_text_is_cut_in_any_size_of_text(dialog: LogDialog, light_theme: Theme) -> None:
    for size in ("9", "13", "18"):
        light_theme.choose_text_size(size)
        assert faults(dialog) == [], size


async def test_it_is_at_hand_when_the_journal_cannot_be_opened(qtbot: QtBot, world: World, log: Log) -> None:
    opened = Opened(qtbot, world, JournalBusy())
    page = await opened.trouble()
    LOGGER.warning("something")
    page.log.click()
    assert texts(shown(opened.window)) == ["something"]
    await opened.closed()


async def test_what_a_slot_or_a_task_raises_is_one_notice_with_what_to_send(
    qtbot: QtBot, world: World, log: Log, clock: MovedClock
) -> None:
    opened = Opened(qtbot, world)
    await opened.settled(clock)
    value, session = Secret(VALUE), opened.window.session
    assert session

    def fail() -> None:
        raise ValueError(f"can't take {VALUE}")

    async def work() -> None:
        fail()

    failing = button("Fail", fail)
    qtbot.addWidget(failing)
    for _time in range(2):
        failing.click()
    session.run("work", work())
    bar = opened.window.notice_bar
    await until(
        lambda: bar.text.text().startswith("Seen so far: 2.") and not session.supervisor.is_running("work")
    )
    assert {count for place, count in log.counts.items() if place} == {3}
    assert len([one for one in bar.waiting if one.notice.topic.startswith("fault ")]) == 1
    bar.show_place.click()
    dialog = shown(opened.window)
    assert dialog.detail.toPlainText().endswith("ValueError: can't take ••••••")
    dialog.copy_button.click()
    report = QGuiApplication.clipboard().text()
    assert report.startswith(f"Keybench {__version__}, ")
    assert "version " in report
    assert "Traceback" in report
    assert VALUE not in report
    assert value
    dialog.close()
    assert await opened.closed() == 0
