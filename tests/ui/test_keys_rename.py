"""A key gets another name: by its menu, by F2 and in a dialog that says what the name is used for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from fakes.waiting import until
from keybench.ui.kit.dialog import Dialog
from ui.keys_driver import KeysWindow, type_keys


async def asked(keys: KeysWindow) -> tuple[Dialog, QLineEdit]:
    """Wait for the dialog and return it with its field."""
    await until(keys.question)
    question = keys.question()
    assert question is not None
    return question, question.findChildren(QLineEdit)[0]


async def test_a_key_is_renamed_by_its_menu(keys: KeysWindow) -> None:
    key = keys.key
    assert key is not None
    keys.panel.search.setText("desk")
    keys.more("Rename…")
    question, line = await asked(keys)
    assert line.accessibleName() == "Key Name"
    assert (line.text(), line.selectedText()) == (key.name, key.name)
    assert "The gateway and its portal aren't told" in question.accessibleDescription()

    line.setText("  counter till ")
    question.go_on()

    await keys.shows()
    keys.panel.search.clear()
    await keys.shows("counter till", "nightly reports")
    assert keys.key is not None
    assert (keys.key.id, keys.key.name) == (key.id, "counter till")
    assert keys.panel.details.head.name.text() == "counter till"
    await until(lambda: keys.message == "“front-desk till” is now called “counter till”.")
    assert keys.holds_value_of(keys.key)
    keys.press("Reveal")
    await until(lambda: keys.panel.details.value.revealed)


async def test_f2_renames_the_key_that_is_selected_in_the_table(keys: KeysWindow) -> None:
    keys.panel.table.setFocus()
    type_keys(Qt.Key.Key_Down)
    type_keys(Qt.Key.Key_F2)
    question, line = await asked(keys)
    assert line.text() == "nightly reports"
    question.reject()
    await until(lambda: not keys.question())
    assert not keys.message


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("NIGHTLY reports", "already a key named"),
        ("4111 1111 1111 1111", "card number"),
        ("  ", "can't be empty"),
    ],
)
async def test_a_name_that_cant_be_used_is_said_so_and_changes_nothing(
    keys: KeysWindow, name: str, fault: str
) -> None:
    keys.more("Rename…")
    question, line = await asked(keys)
    line.setText(name)
    question.go_on()
    assert question.isVisible()
    assert question.form
    assert fault in question.form.fields[0].message.text()
    question.reject()
    await until(lambda: not keys.question())
    await keys.shows("front-desk till", "nightly reports")


async def test_the_menu_leads_to_the_keys_applications(keys: KeysWindow) -> None:
    wanted: list[tuple[str, str]] = []
    keys.session.requested.connect(lambda one: wanted.append((one.view, one.keys[0].name)))
    keys.more("Its applications")
    assert wanted == [("applications", "front-desk till")]


async def test_owner_and_purpose_are_changed_from_the_menu(keys: KeysWindow) -> None:
    keys.more("Owner and purpose…")
    question, line = await asked(keys)
    line.setText("Shop floor")
    question.go_on()
    await until(lambda: keys.key is not None and keys.key.owner == "Shop floor")
