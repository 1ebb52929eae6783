"""Settings, Environments: through which proxy one is called."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from fakes.keystore import FakeKeystore
from fakes.waiting import Until
from keybench.core.environments.addresses import proxy_entry
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import KeystoreLocked
from keybench.core.secret import Secret
from keybench.ui.kit.preferences import Preferences
from keybench.ui.settings.environment_form import EnvironmentForm
from keybench.ui.settings.environments import EnvironmentsSection
from keybench.ui.settings.page import SettingsPage
from keybench.ui.shared.session import Session

from .inventory_support import press

URL = "https://sandbox.example-gateway.com"
ADDRESS = "http://proxy.example:3128"
WORD = "made-up word"


@pytest.fixture
async def page(qtbot: QtBot, session: Session, tmp_path: Path, until: Until) -> SettingsPage:
    session.preferences = Preferences(tmp_path / "window.ini")
    page = SettingsPage(session)
    qtbot.addWidget(page)
    page.resize(1100, 800)
    page.show()
    await until(lambda: page.environments.model.rows)
    return page


@pytest.fixture
def section(page: SettingsPage) -> EnvironmentsSection:
    return page.environments


def edit(within: QWidget, name: str) -> QLineEdit:
    return next(one for one in within.findChildren(QLineEdit) if one.accessibleName() == name)


def choose(within: QWidget, word: str) -> None:
    box = next(one for one in within.findChildren(QComboBox) if one.accessibleName() == "Proxy")
    assert [box.itemText(row) for row in range(box.count())] == ["System", "None", "Address…"]
    box.setCurrentText(word)


def fill(qtbot: QtBot, within: QWidget, **texts: str) -> None:
    for name, text in texts.items():
        editor = edit(within, f"Proxy {name}")
        assert editor.isVisible()
        editor.clear()
        qtbot.keyClicks(editor, text)


async def password_is(keystore: FakeKeystore, environment_id: str, word: str) -> bool:
    return (await keystore.read(proxy_entry(environment_id))).matches(Secret(word))


async def test_an_environment_is_added_with_its_proxy(
    qtbot: QtBot, section: EnvironmentsSection, keystore: FakeKeystore, until: Until
) -> None:
    press(section, "Add environment")
    form = section.form
    assert not edit(form, "Proxy address").isVisible()
    form.name_edit.setText("sandbox")
    form.url_edit.setText(URL)
    choose(form, "Address…")
    fill(qtbot, form, address=ADDRESS, user="anna", password=WORD)
    assert edit(form, "Proxy password").echoMode() is QLineEdit.EchoMode.Password
    form.add_button.click()
    await until(lambda: len(section.model.rows) == 2)
    added = section.model.rows[1].environment
    assert added.proxy == "http://anna@proxy.example:3128"
    assert await password_is(keystore, added.id, WORD)
    assert edit(form, "Proxy password").text() == ""
    proxy = section.model.column("proxy")
    shown = [section.model.index(row, proxy).data() for row in range(2)]
    assert shown == ["None", "http://anna@proxy.example:3128"]


@pytest.mark.parametrize(
    ("address", "user", "password", "field", "words"),
    [
        ("", "", "", "Proxy address", "with its port"),
        ("proxy.example", "", "", "Proxy address", "with its port"),
        ("socks5://proxy.example:1080", "", "", "Proxy address", "HTTP proxies only"),
        ("http://anna:word@proxy.example:3128", "", "", "Proxy address", "Leave the password out"),
        ("http://4111111111111111@proxy.example:3128", "", "", "Proxy address", "card number"),
        (ADDRESS, "anna", "", "Proxy password", "Enter the password"),
        (ADDRESS, "", WORD, "Proxy user", "Enter the user name"),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_told_at_its_field(
    qtbot: QtBot,
    section: EnvironmentsSection,
    address: str,
    user: str,
    password: str,
    field: str,
    words: str,
) -> None:
    press(section, "Add environment")
    form = section.form
    form.name_edit.setText("sandbox")
    form.url_edit.setText(URL)
    choose(form, "Address…")
    fill(qtbot, form, address=address, user=user, password=password)
    form.add_button.click()
    assert words in edit(form, field).accessibleDescription()
    assert form.isVisible()
    qtbot.keyClicks(edit(form, field), "x")
    assert words not in edit(form, field).accessibleDescription()


async def opened(section: EnvironmentsSection, row: int, until: Until) -> EnvironmentForm:
    section.table.selectRow(row)
    press(section, "Edit environment…")
    await until(section.form.isVisible)
    return section.form


async def test_the_proxy_of_an_environment_is_changed(
    qtbot: QtBot, section: EnvironmentsSection, session: Session, keystore: FakeKeystore, until: Until
) -> None:
    added = await session.console.environments.add("sandbox", EnvironmentKind.TEST, URL)
    await until(lambda: len(section.model.rows) == 2)
    form = await opened(section, 1, until)
    choose(form, "Address…")
    fill(qtbot, form, address=ADDRESS, user="anna", password=WORD)
    form.add_button.click()
    await until(lambda: section.model.rows[1].environment.proxy == "http://anna@proxy.example:3128")
    assert await password_is(keystore, added.id, WORD)
    await until(lambda: section.message.text() == "“sandbox” was changed.")

    form = await opened(section, 1, until)
    shown = [edit(form, f"Proxy {name}").text() for name in ("address", "user", "password")]
    assert shown == [ADDRESS, "anna", ""]
    choose(form, "None")
    form.add_button.click()
    await until(lambda: section.model.rows[1].environment.proxy == "none")
    assert not keystore.entries


async def test_a_keystore_that_keeps_no_password_is_told_in_the_form(
    qtbot: QtBot, section: EnvironmentsSection, session: Session, keystore: FakeKeystore, until: Until
) -> None:
    await session.console.environments.add("sandbox", EnvironmentKind.TEST, URL)
    await until(lambda: len(section.model.rows) == 2)
    form = await opened(section, 1, until)
    choose(form, "Address…")
    fill(qtbot, form, address=ADDRESS, user="anna", password=WORD)
    keystore.failure = KeystoreLocked()
    form.add_button.click()
    await until(lambda: "locked" in form.trouble.text())
    assert edit(form, "Proxy password").text() == WORD, "nothing that was entered is lost"
    form.cancel_button.click()
    assert edit(form, "Proxy password").text() == ""
    assert section.model.rows[1].environment.proxy == "system"


async def test_practice_needs_no_proxy(section: EnvironmentsSection, until: Until) -> None:
    form = await opened(section, 0, until)
    assert not form.proxy.isVisible()
    assert "built in" in form.note.text()
    assert form.note.isVisible()
