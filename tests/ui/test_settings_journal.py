"""Settings, Journal: a database is tried, the journal moves, a team is joined, and a desk moves back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from fakes.moves import FOUND, FakeMoves
from fakes.waiting import Until
from keybench.core.errors import JournalForbidden, KeystoreLocked
from keybench.core.secret import Secret
from keybench.core.team.desk import Desk
from keybench.core.team.joining import PASSWORD_ENTRY, SECRET_ENTRY, new_team_secret
from keybench.ui.kit.dialog import Dialog
from keybench.ui.settings.journal import JournalSection
from keybench.ui.settings.page import SettingsPage
from keybench.ui.shared.session import OpenAgain, Session
from keybench.workflows.console import Console
from keybench.workflows.world import World

URL = "postgresql://ana@db.example/keybench"


@pytest.fixture
def moves(world: World) -> FakeMoves:
    assert isinstance(world.moves, FakeMoves)
    return world.moves


@pytest.fixture
async def section(qtbot: QtBot, session: Session) -> JournalSection:
    page = SettingsPage(session)
    qtbot.addWidget(page)
    page.show_section("journal")
    page.show()
    return page.journal


def press(section: JournalSection, name: str) -> None:
    shown = [one for one in section.findChildren(QPushButton) if one.isVisible() and one.text() == name]
    assert [one.isEnabled() for one in shown] == [True], name
    shown[0].click()


def enter(section: JournalSection, **entered: str) -> None:
    section.where.button("team").click()
    for name, text in entered.items():
        editors = section.findChildren(QLineEdit)
        next(one for one in editors if one.accessibleName() == name.replace("_", " ")).setText(text)


async def answer(section: JournalSection, until: Until, name: str) -> str:
    """Press a button of the dialog, and return what it asks."""
    await until(lambda: section.window().findChild(Dialog))
    dialog = section.window().findChild(Dialog)
    assert isinstance(dialog, Dialog)
    text = dialog.accessibleDescription()
    next(one for one in dialog.findChildren(QPushButton) if one.text() == name).click()
    return text


async def test_a_database_is_tried(section: JournalSection, moves: FakeMoves, until: Until) -> None:
    assert "on this computer" in section.place.text()
    enter(section, Address_of_the_database=URL, Password_of_the_database="hidden")
    press(section, "Try the connection")
    await until(lambda: "PostgreSQL 17.5 answered, encrypted (TLSv1.3)" in section.message.text())
    assert [(url, one.matches(Secret("hidden"))) for url, one in moves.looked] == [(URL, True)]
    moves.failure = JournalForbidden(URL, JournalForbidden.LOGIN)
    press(section, "Try the connection")
    await until(lambda: "doesn't let this role in" in section.message.text())


async def test_the_journal_moves_and_the_program_opens_again(
    section: JournalSection, session: Session, moves: FakeMoves, until: Until
) -> None:
    asked: list[object] = []
    session.requested.connect(asked.append)
    enter(section, Address_of_the_database=URL, Name_of_this_desk="stock room")
    press(section, "Move the journal…")
    assert "All that is in this journal goes" in await answer(section, until, "Move")
    await until(section.again_button.isVisible)
    assert (moves.desk.journal, moves.desk.name) == (URL, "stock room")
    assert URL in section.place.text()
    press(section, "Open Keybench again")
    assert [type(one) for one in asked] == [OpenAgain]


async def test_a_team_is_joined_by_its_code(
    section: JournalSection, world: World, moves: FakeMoves, until: Until
) -> None:
    moves.found, moves.secret = replace(FOUND, has_team=True), new_team_secret()
    for code, told in (("", "Enter the team code"), (new_team_secret().reveal(), "another team")):
        enter(section, Address_of_the_database=URL, Team_code=code)
        press(section, "Move the journal…")
        assert "Its own journal stays" in await answer(section, until, "Join")
        await until(lambda told=told: told in section.message.text())
    enter(section, Password_of_the_database="hidden", Team_code=moves.secret.reveal())
    press(section, "Move the journal…")
    await answer(section, until, "Join")
    await until(section.again_button.isVisible)
    assert (await world.keystore.read(PASSWORD_ENTRY)).matches(Secret("hidden"))
    assert not [one.text() for one in section.findChildren(QLineEdit) if one.text()]


async def test_without_a_keystore_nothing_moves(
    section: JournalSection, world: World, moves: FakeMoves, until: Until
) -> None:
    world.keystore.failure = KeystoreLocked()  # type: ignore[attr-defined]  # the fake's
    enter(section, Address_of_the_database=URL)
    press(section, "Move the journal…")
    await until(lambda: "locked" in section.message.text())
    assert not moves.desk.journal


async def test_in_a_team_the_code_is_shown_the_password_kept_and_the_way_leads_back(
    qtbot: QtBot, session: Session, world: World, until: Until
) -> None:
    moves = FakeMoves(Desk("i", "d", "stock room", journal=URL))
    session.console = Console(replace(world, moves=moves))
    section = JournalSection(session)
    qtbot.addWidget(section)
    section.show()
    code = new_team_secret()
    await world.keystore.write(SECRET_ENTRY, code)
    press(section, "Show the team code")
    await until(lambda: Secret(section.code_line.text()).matches(code))
    enter(section, Password_of_the_database="other")
    press(section, "Try the connection")
    await until(lambda: "This is kept" in section.message.text())
    assert (await world.keystore.read(PASSWORD_ENTRY)).matches(Secret("other"))
    enter(section, Address_of_the_database=URL.replace("ana", "ben"), Password_of_the_database="ben's")
    press(section, "Try the connection")
    await until(lambda: "has none of it" in section.message.text())
    moves.found = replace(FOUND, has_team=True)
    press(section, "Try the connection")
    await until(lambda: "This is kept" in section.message.text())
    assert moves.desk == Desk("i", "d", "stock room", journal=URL.replace("ana", "ben"))
    assert (await world.keystore.read(PASSWORD_ENTRY)).matches(Secret("ben's"))
    section.where.button("here").click()
    press(section, "Move the journal…")
    assert "leaves the team" in await answer(section, until, "Move")
    await until(lambda: not moves.desk.journal)


async def test_in_a_team_the_name_is_the_role(qtbot: QtBot, session: Session) -> None:
    session.preferences.role = "ana"
    page = SettingsPage(session)
    qtbot.addWidget(page)
    assert (page.general.name_edit.text(), page.general.name_edit.isEnabled()) == ("ana", False)
    assert "role" in page.general.name.message.text()
