"""The application: its names, its style, Qt's messages in Python's log; icons; what is remembered."""

import logging
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QMessageLogContext, QSize, QtMsgType
from PySide6.QtWidgets import QApplication

from keybench.core.environments.environment import EnvironmentKind, mark_of
from keybench.runtime.data_folder import resource_path
from keybench.ui.kit.icons import line_pixmap, mark_icon
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.tokens import DARK, LIGHT
from keybench.ui.shell.application import _on_qt_message, log_qt_message
from keybench.ui.shell.window import PAGES


def test_it_goes_by_its_name_and_outlives_its_windows(qapp: QApplication) -> None:
    assert qapp.applicationName() == "Keybench"
    assert not qapp.quitOnLastWindowClosed()
    assert not qapp.windowIcon().isNull()


@pytest.mark.logs
@pytest.mark.parametrize(
    ("kind", "level"),
    [
        (QtMsgType.QtDebugMsg, logging.DEBUG),
        (QtMsgType.QtInfoMsg, logging.INFO),
        (QtMsgType.QtWarningMsg, logging.WARNING),
        (QtMsgType.QtCriticalMsg, logging.ERROR),
    ],
)
def test_qts_messages_come_into_the_log(
    caplog: pytest.LogCaptureFixture, kind: QtMsgType, level: int
) -> None:
    with caplog.at_level(logging.DEBUG, "keybench.qt"):
        log_qt_message(kind, QMessageLogContext(), "something happened")
    record = caplog.records[-1]
    assert (record.name, record.levelno) == ("keybench.qt", level)
    assert "something happened" in record.getMessage()


@pytest.mark.logs
def test_once_there_is_a_display_a_fatal_message_is_not_told_as_a_missing_one(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    _on_qt_message(QtMsgType.QtWarningMsg, QMessageLogContext(), "QSpiApplication::keyEventError  something")
    late = "QSpiApplication::notifyKeyboardListenerCallback with no queued key called"
    _on_qt_message(QtMsgType.QtWarningMsg, QMessageLogContext(), late)
    _on_qt_message(QtMsgType.QtFatalMsg, QMessageLogContext(), "something else broke")
    assert [record.getMessage() for record in caplog.records] == ["default: something else broke"]
    assert "display" not in capsys.readouterr().err


def test_every_page_has_a_drawing() -> None:
    for page in PAGES:
        assert resource_path(f"icons/{page.icon}.svg").is_file()
        assert not line_pixmap(page.icon, LIGHT.ink, 20).isNull()


def test_a_drawing_comes_in_the_colour_asked_for() -> None:
    image = line_pixmap("dismiss", "#ff0000", 20).toImage()
    assert image.pixelColor(image.rect().center()).name() == "#ff0000"


def test_each_kind_has_a_mark_of_its_own_shape() -> None:
    icons = [mark_icon(kind, tokens, 12) for kind in EnvironmentKind for tokens in (LIGHT, DARK)]
    images = [icon.pixmap(QSize(12, 12), 3.0).toImage() for icon in icons]
    covered = {
        kind: sum(image.pixelColor(x, y).alpha() > 128 for x in range(36) for y in range(36))
        for kind, image in zip(EnvironmentKind, images[::2], strict=True)
    }
    assert len(set(covered.values())) == 3
    assert len({mark_of(kind) for kind in EnvironmentKind}) == 3
    assert all(images[at] != images[at + 1] for at in (0, 2, 4))


@pytest.mark.parametrize("in_file", [True, False])
def test_preferences_come_back_as_they_were(tmp_path: Path, in_file: bool) -> None:  # noqa: FBT001 - a parameter
    path = tmp_path / "window.ini" if in_file else None
    preferences = Preferences(path)
    assert preferences.text("appearance/scheme", "system") == "system"
    preferences.set_text("appearance/scheme", "dark")
    preferences.set_state("window/geometry", QByteArray(b"\x00\x01\xff"))
    preferences.save()
    again = Preferences(path) if path else preferences
    assert again.text("appearance/scheme") == "dark"
    assert again.state("window/geometry").data() == b"\x00\x01\xff"
    assert again.state("unknown").isEmpty()


def test_desktops_know_it_by_the_name_that_packages_have(qapp: QApplication) -> None:
    assert qapp.desktopFileName() == "io.keybench.Keybench"
