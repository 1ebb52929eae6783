"""Combo boxes are found by their accessible names, and say what they show."""

import pytest
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot
from shiboken6 import delete

TEXT = QAccessible.Text


@pytest.fixture
def box(qtbot: QtBot) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName("Device")
    box.addItems(["till-1", "till-2"])
    qtbot.addWidget(box)
    box.show()
    return box


def _of(box: QComboBox) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(box)


def test_name_value_and_description_follow_the_box(box: QComboBox) -> None:
    interface = _of(box)
    assert interface.role() == QAccessible.Role.ComboBox
    assert [interface.text(kind) for kind in (TEXT.Name, TEXT.Value, TEXT.Description)] == [
        "Device",
        "till-1",
        "till-1",
    ]
    box.setCurrentIndex(1)
    assert interface.text(TEXT.Value) == "till-2"
    box.setAccessibleDescription("No device answers.")
    assert interface.text(TEXT.Description) == "till-2. No device answers."


def test_one_without_a_name_goes_by_its_text(box: QComboBox) -> None:
    box.setAccessibleName("")
    assert _of(box).text(TEXT.Name) == "till-1"


def test_its_parts_are_the_list_and_the_editor(box: QComboBox) -> None:
    assert _of(box).childCount() == 1
    assert _of(box).child(0).role() == QAccessible.Role.List
    box.setEditable(True)
    assert _of(box).childCount() == 2
    editor = _of(box).child(1)
    assert editor.role() == QAccessible.Role.EditableText
    assert _of(box).indexOfChild(editor) == 1


def test_its_list_can_be_opened_and_closed(box: QComboBox) -> None:
    action = _of(box).actionInterface()
    assert "ShowMenu" in action.actionNames()
    action.doAction("ShowMenu")
    assert box.view().isVisible()
    action.doAction("ShowMenu")
    assert not box.view().isVisible()


def test_boxes_may_come_and_go(qtbot: QtBot) -> None:
    for _ in range(50):
        passing = QComboBox()
        passing.setAccessibleName("Key")
        assert _of(passing).text(TEXT.Name) == "Key"
        delete(passing)
