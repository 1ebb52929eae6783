"""The shared widgets: pills, fields, segments, tables."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QImage, QWheelEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import PATIENCE_MS
from keybench.ui.kit.choosers import ComboBox, Segments
from keybench.ui.kit.labels import ElidedLabel, Identifier, Pill, button, set_tip
from keybench.ui.kit.theme import Scheme, theme, tokens

MODES = [("async", "Asynchronous"), ("sync", "Synchronous"), ("classic", "Classic")]


def _colours(image: QImage) -> set[str]:
    points = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return {image.pixelColor(x, y).name() for x, y in points}


def test_a_pill_shows_its_state_by_word_and_colour(qtbot: QtBot) -> None:
    pill = Pill("Working", "good")
    qtbot.addWidget(pill)
    pill.show()
    assert tokens().soft("good") in _colours(pill.grab().toImage())
    pill.show_state("Refused 401", "bad")
    assert pill.text() == "Refused 401"
    assert tokens().soft("bad") in _colours(pill.grab().toImage())


def test_segments_hold_one_value_and_tell_when_it_changes(qtbot: QtBot) -> None:
    segments = Segments(MODES, "Way to sell")
    qtbot.addWidget(segments)
    segments.show()
    assert segments.value == "async"
    with qtbot.waitSignal(segments.changed) as told:
        qtbot.mouseClick(segments.button("sync"), Qt.MouseButton.LeftButton)
    assert told.args == ["sync"]
    assert [segments.button(value).isChecked() for value, _label in MODES] == [False, True, False]


def test_segments_keep_their_width_whatever_is_chosen(qtbot: QtBot) -> None:
    segments = Segments(MODES)
    qtbot.addWidget(segments)
    segments.show()
    widths = set()
    for value, _label in MODES:
        segments.choose(value)
        widths.add(segments.sizeHint().width())
    assert len(widths) == 1


def test_the_arrow_keys_move_the_choice_and_tab_passes_the_group_by(qtbot: QtBot) -> None:
    page = QWidget()
    layout = QVBoxLayout(page)
    segments, after = Segments(MODES), QPushButton("Send sale")
    layout.addWidget(segments)
    layout.addWidget(after)
    qtbot.addWidget(page)
    with qtbot.waitActive(page, timeout=PATIENCE_MS):
        page.show()
        page.activateWindow()
    segments.setFocus()
    qtbot.keyClick(segments.button("async"), Qt.Key.Key_Right)
    assert segments.value == "sync"
    assert segments.button("sync").hasFocus()
    qtbot.keyClick(segments.button("sync"), Qt.Key.Key_Tab)
    assert after.hasFocus()


def test_a_segment_is_a_radio_button_to_screen_readers(qtbot: QtBot) -> None:
    segments = Segments(MODES)
    qtbot.addWidget(segments)
    interface = QAccessible.queryAccessibleInterface(segments.button("classic"))
    assert interface.role() == QAccessible.Role.RadioButton
    assert interface.text(QAccessible.Text.Name) == "Classic"


@pytest.fixture
def identifier(qtbot: QtBot) -> Identifier:
    identifier = Identifier("Reference")
    qtbot.addWidget(identifier)
    identifier.resize(300, 32)
    identifier.show()
    QGuiApplication.clipboard().setText("before")
    identifier.show_identifier("KB-TR4R-2X07")
    return identifier


def test_an_identifier_is_copied_by_click_enter_and_the_usual_keys(
    qtbot: QtBot, identifier: Identifier
) -> None:
    clipboard = QGuiApplication.clipboard()
    assert (identifier.accessibleName(), identifier.accessibleDescription()) == ("Reference", "Click to copy")
    qtbot.mouseClick(identifier, Qt.MouseButton.LeftButton)
    assert clipboard.text() == "KB-TR4R-2X07"
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        clipboard.setText("before")
        qtbot.keyClick(identifier, key)
        assert clipboard.text() == "KB-TR4R-2X07"
    identifier.setSelection(3, 4)
    qtbot.keyClick(identifier, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == "TR4R"


def test_where_there_is_no_identifier_nothing_is_copied(qtbot: QtBot, identifier: Identifier) -> None:
    identifier.show_identifier("")
    qtbot.mouseClick(identifier, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "before"
    assert (identifier.text(), identifier.toolTip()) == ("–", "")  # noqa: RUF001 - a dash


def test_an_identifier_that_is_too_long_says_so_and_is_whole_in_its_tooltip(identifier: Identifier) -> None:
    identifier.clearFocus()  # with the keyboard in it, it scrolls
    whole = identifier.grab().toImage()
    identifier.show_identifier("KB-TR4R-2X07" + "-0000" * 20)
    assert identifier.toolTip() == f"{identifier.text()}\nClick to copy"
    cut = identifier.grab().toImage()
    identifier.setText(identifier.text()[:-1])
    assert identifier.grab().toImage() == cut, "the end isn't seen"
    assert cut != whole


def test_the_wheel_over_a_closed_box_is_left_to_the_page(qtbot: QtBot) -> None:
    box = ComboBox()
    qtbot.addWidget(box)
    box.addItems(["practice", "live"])
    box.setFocus()
    nowhere, down = QPoint(), QPoint(0, -120)
    at = QPointF(box.rect().center())
    buttons, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    turned = QWheelEvent(at, at, nowhere, down, buttons, keys, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(box, turned)
    assert box.currentText() == "practice"
    assert not turned.isAccepted()


def test_the_list_of_a_box_has_the_same_delegate_in_each_style(qtbot: QtBot) -> None:
    box = ComboBox()
    qtbot.addWidget(box)
    box.show()
    theme().choose(Scheme.DARK)
    before = box.itemDelegate(), len(box.view().findChildren(QAbstractItemDelegate))
    theme().choose(Scheme.LIGHT)
    assert (box.itemDelegate(), len(box.view().findChildren(QAbstractItemDelegate))) == before


def test_a_tip_of_a_cut_label_outlives_a_resize(qtbot: QtBot) -> None:
    elided = ElidedLabel("a device with quite a long name")
    qtbot.addWidget(elided)
    set_tip(elided, "D-1")
    elided.resize(600, 20)
    elided.show()
    assert elided.toolTip() == "D-1"
    elided.resize(40, 20)
    assert elided.toolTip() == "a device with quite a long name\nD-1"
    name = QAccessible.queryAccessibleInterface(elided).text(QAccessible.Text.Name)
    assert name == "a device with quite a long name"
    elided.setText("short name, but too long")
    assert elided.toolTip() == "short name, but too long\nD-1"
    elided.resize(600, 20)
    assert elided.toolTip() == "D-1"


def test_a_button_keeps_the_room_for_what_it_shows_for_a_while(qtbot: QtBot) -> None:
    made = button("Save", others=("Saving it at once…",))
    qtbot.addWidget(made)
    before = made.sizeHint()
    assert before.width() > button("Save").sizeHint().width()
    made.setText("Saving it at once…")
    assert made.sizeHint() == before
