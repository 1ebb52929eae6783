"""Help, Log: what was logged, found, copied and saved; and what nobody expected, told in the window."""

from __future__ import annotations

import asyncio
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
from .screens import faults

pytestmark = pytest.mark.logs

VALUE = "ratherplainwordsasakey"
HELD = Secret(VALUE)
LOGGER = logging.getLogger("keybench.test")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    """The program's log, begun for this test."""
    with begun(tmp_path / "keybench.log") as log:
        for place in ("log", "lifecycle"):
            monkeypatch.setattr(f"keybench.ui.shell.{place}.program_log", log)
        LOGGER.info("sale KB-7Q2M-X4T9-KD3F: sent")
        LOGGER.warning("it took %s", VALUE)
        LOGGER.error("it failed", exc_info=OSError(VALUE))
        yield log


@pytest.fixture
def dialog(qtbot: QtBot, log: Log) -> LogDialog:
    """The dialog over a window without a session."""
    window = MainWindow()
    qtbot.addWidget(window)
    window.show_log(log.lines[-1])
    return shown(window)


def shown(window: MainWindow) -> LogDialog:
    return next(one for one in window.findChildren(LogDialog) if one.isVisible())


def texts(dialog: LogDialog) -> list[str]:
    return [line.msg.partition("\n")[0] for line in dialog.table.model().rows]


async def test_lines_are_found_by_level_and_words_and_new_ones_come_by_themselves(dialog: LogDialog) -> None:
    assert texts(dialog) == ["it failed", "it took ••••••", "sale KB-7Q2M-X4T9-KD3F: sent"]
    assert dialog.detail.toPlainText() == "it failed\nOSError: ••••••"
    LOGGER.warning("one more")
    await until(lambda: len(texts(dialog)) == 4)
    assert [line.msg.partition("\n")[0] for line in dialog.table.selection] == texts(dialog)[1:]
    dialog.level.setCurrentIndex(1)
    assert texts(dialog) == ["one more", "it failed", "it took ••••••"]
    dialog.search.setText("OSERROR")
    assert texts(dialog) == ["it failed"]


async def test_what_is_copied_and_saved_is_what_is_shown_or_selected(
    dialog: LogDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keybench.workflows.support.bundles.user_names", lambda: ["sale"])
    dialog.table.clearSelection()
    dialog.level.setCurrentIndex(1)
    dialog.copy_button.click()
    head, warning, *_rest, last = QGuiApplication.clipboard().text().splitlines()
    assert head.startswith(f"keybench {__version__}, ")
    assert warning.endswith("WARNING keybench.test: it took ••••••")
    assert last == "OSError: ••••••"
    dialog.level.setCurrentIndex(0)
    dialog.table.select_row(2)
    for path, said in ((tmp_path / "no" / "a.txt", "saved"), (tmp_path / "a.txt", "Saved ")):
        dialog.save_button.click()
        (asked,) = dialog.findChildren(QFileDialog)
        asked.fileSelected.emit(str(path))
        asked.close()
        await until(lambda: not dialog.findChildren(QFileDialog))
        assert said in dialog.message.text()
    assert path.read_text("utf-8").endswith(" keybench.test: <user> KB-7Q2M-X4T9-KD3F: sent\n")


async def test_no_text_is_cut_in_the_largest_text(light_theme: Theme, request: pytest.FixtureRequest) -> None:
    light_theme.choose_text_size("18")
    assert faults(request.getfixturevalue("dialog")) == []


async def test_it_is_at_hand_when_the_journal_cannot_be_opened(qtbot: QtBot, world: World, log: Log) -> None:
    opened = Opened(qtbot, world, JournalBusy())
    (await opened.trouble()).log.click()
    assert len(texts(shown(opened.window))) == len(log.lines)
    await opened.closed()


async def test_what_a_slot_the_loop_and_a_task_meet_is_one_notice_and_leads_to_what_to_send(
    qtbot: QtBot, world: World, log: Log, clock: MovedClock
) -> None:
    opened = Opened(qtbot, world)
    await opened.settled(clock)
    session, bar = opened.window.session, opened.window.notice_bar
    assert session

    def fail() -> None:
        raise ValueError(f"can't take {VALUE}")

    async def work() -> None:
        fail()

    failing = button("Fail", fail)
    failing.click()
    asyncio.get_running_loop().call_soon(fail)
    session.run("work", work())
    await until(lambda: 3 in [count for place, count in log.counts.items() if place])
    await until(lambda: bar.text.text().startswith("Seen so far: "))
    assert len([one for one in bar.waiting if "unexpected" in one.notice.title]) == 1
    LOGGER.warning("later")
    bar.show_place.click()
    dialog = shown(opened.window)
    assert dialog.detail.toPlainText().endswith("ValueError: can't take ••••••")
    dialog.copy_button.click()
    report = QGuiApplication.clipboard().text()
    for part in (f"keybench {__version__}, ", "INFO keybench: version ", "Traceback"):
        assert part in report
    assert "later" not in report
    assert VALUE not in report
    assert await opened.closed() == 0
