"""The Review view on fakes: findings worst first, filters, the ways on, reminders, the leaver check."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.gateway import FakeAccount
from fakes.snapshot import rotation
from fakes.waiting import until
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.keys.review import Finding, Severity
from keybench.ui.keys.review import LEAVER, NO_MATCH, NOTHING, REMINDERS, FindingRow, ReviewView
from keybench.ui.keys.review_list import ASK_FIRST
from keybench.ui.keys.testing import TASK
from keybench.ui.kit.dialog import Dialog, SaveDialog
from keybench.ui.kit.form import Field
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.shared.session import Notice, Request, Rotate, Session, ShowKeys
from keybench.words.keys.review import Remedy, finding_words

from .saving import save_as

DAY_S = 86_400
VALUE = "MadeUpForThisTest0123456789abcdef"
Open = Callable[[], Awaitable[ReviewView]]


@pytest.fixture
async def shop(session: Session) -> Environment:
    return await session.console.environments.add("shop", EnvironmentKind.LIVE, "https://live.example.com")


@pytest.fixture
async def till(session: Session, shop: Environment) -> SecurityKey:
    """A live key whose value a practice entry has, too."""
    draft = KeyDraft("Till", "mira", "API", KeyKind.PRIVATE)
    kept = await session.console.add_key.keep(shop, draft, VALUE)
    probe = KeyDraft("Probe", "reports", "API", KeyKind.PRIVATE)
    await session.console.add_key.keep(session.environment, probe, VALUE)
    return kept.key


@pytest.fixture
def open_view(qtbot: QtBot, session: Session) -> Open:
    async def opened() -> ReviewView:
        view = ReviewView(session)
        qtbot.addWidget(view)
        view.resize(1000, 640)
        view.show()
        await until(lambda: view.findings._reviewed is not None and view.findings.again.isEnabled())
        return view

    return opened


def column(model: TableModel[Any], name: str) -> list[str]:
    return [str(model.index(row, model.column(name)).data()) for row in range(model.rowCount())]


def button(parent: QWidget, name: str) -> QPushButton:
    shown = [b for b in parent.findChildren(QPushButton) if b.text() == name and b.isVisible()]
    assert len(shown) == 1, f"one visible button {name}"
    return shown[0]


async def asked(view: ReviewView) -> Dialog:
    await until(lambda: view.window().findChildren(Dialog))
    return view.window().findChildren(Dialog)[0]


def field(dialog: Dialog, name: str) -> QLineEdit:
    assert dialog.form
    editor = dialog.form.field(name).editor
    assert isinstance(editor, QLineEdit)
    return editor


async def test_nothing_to_fix_is_said_with_when_it_was_looked_at(open_view: Open, session: Session) -> None:
    view = await open_view()
    await until(lambda: "no keys yet" in view.findings.table.empty_text)
    assert view.findings.status.text().startswith("Nothing to fix · looked at ")
    draft = KeyDraft("Till", "counter1", "API", KeyKind.PRIVATE)
    await session.console.add_key.create(session.environment, draft)
    await until(lambda: view.findings.table.empty_text.startswith(f"{NOTHING}. 1 key was looked at."))


async def test_findings_are_listed_worst_first_by_word_and_tone(
    open_view: Open, till: SecurityKey, clock: MovedClock
) -> None:
    clock.move(8 * DAY_S)
    view = await open_view()
    await until(lambda: view.findings.model.rowCount() == 3)
    assert column(view.findings.model, "severity") == ["Critical", "Warning", "Note"]
    assert column(view.findings.model, "finding")[0] == "Same value in test and live: 2"
    assert column(view.findings.model, "environment") == ["2 environments", "LIVE · shop", "practice"]
    assert view.findings.status.text().startswith("2 critical, 1 warning, 1 note · ")
    card = view.findings.card
    assert card.title.text() == "Same value in test and live: 2"
    assert card.about.text() == "They are Till and Probe."
    assert card.remedy.text().startswith("Rotate the live key at once")
    view.findings.one_by_one.click()
    view.findings.table.select_row(0)
    assert card.title.text() == "Same value in test and live"
    assert "“Probe” (● PRACTICE · practice)" in card.reason.text()
    assert card.remedy.text().startswith("Rotate the live key at once")


async def test_findings_are_found_by_severity_key_and_environment(
    open_view: Open, till: SecurityKey, clock: MovedClock
) -> None:
    clock.move(8 * DAY_S)
    pane = (await open_view()).findings
    await until(lambda: pane.model.rowCount() == 3)
    pane.search.setText("live shop")
    assert column(pane.model, "severity") == ["Critical", "Warning"]
    pane.search.setText("shop warning till")
    assert column(pane.model, "severity") == ["Warning"]
    pane.search.setText("shop note")
    assert pane.model.rowCount() == 0
    assert pane.table.empty_text == NO_MATCH
    assert "Choose a finding" in pane.card.reason.text()
    ModelTester(None).check(pane.model)


async def test_the_chosen_finding_leads_to_its_rotation_its_key_and_its_applications(
    qtbot: QtBot, open_view: Open, session: Session, till: SecurityKey
) -> None:
    asked: list[tuple[str, str]] = []
    rotated: list[SecurityKey] = []

    def hear(request: Request) -> None:
        if isinstance(request, Rotate):
            rotated.append(request.key)
        elif isinstance(request, ShowKeys):
            asked.append((request.view, ", ".join(one.name for one in request.keys)))

    session.requested.connect(hear)
    view = await open_view()
    await until(lambda: view.findings.model.rowCount() == 1)
    qtbot.mouseClick(button(view.findings.card, "Rotate the first one"), Qt.MouseButton.LeftButton)
    assert [key.name for key in rotated] == ["Till"]
    assert session.environment.id == till.environment_id, "rotations are those of the environment shown"
    button(view.findings.card, "Show the keys").click()
    view.findings.one_by_one.click()
    view.findings.table.select_row(0)
    button(view.findings.card, "Open the key").click()
    assert asked == [("inventory", "Till, Probe"), ("inventory", "Till")]
    view.findings.remedies[Remedy.OPEN_APPLICATIONS].trigger()
    assert asked[-1] == ("applications", "Till")


async def test_a_key_is_tested_from_its_finding_and_the_finding_goes(
    open_view: Open, session: Session, clock: MovedClock
) -> None:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    draft = KeyDraft("Till", "counter1", "API", KeyKind.PRIVATE)
    await session.console.add_key.create(session.environment, draft)
    clock.move(8 * DAY_S)
    view = await open_view()
    await until(lambda: column(view.findings.model, "finding") == ["Never tested"])
    button(view.findings.card, "Test key").click()
    await until(lambda: view.findings.model.rowCount() == 0)
    await until(lambda: notices)
    assert [notice.title for notice in notices] == ["Tested 1 of 1 key"]


async def test_a_key_that_fails_its_test_becomes_the_worst_finding(
    open_view: Open, session: Session, clock: MovedClock
) -> None:
    draft = KeyDraft("Old", "counter1", "API", KeyKind.PRIVATE)
    await session.console.add_key.keep(session.environment, draft, VALUE)
    clock.move(8 * DAY_S)
    view = await open_view()
    await until(lambda: column(view.findings.model, "finding") == ["Never tested"])
    button(view.findings.card, "Test key").click()
    await until(lambda: column(view.findings.model, "finding") == ["Refused by the gateway"])
    await until(lambda: not view.findings.tests.is_running)
    assert button(view.findings.card, "Test key").isEnabled()


async def test_users_who_left_are_found_once_the_gateway_named_its_users(
    open_view: Open, session: Session, account: FakeAccount
) -> None:
    draft = KeyDraft("Till", "frozen", "API", KeyKind.PRIVATE)
    await session.console.add_key.create(session.environment, draft)
    view = await open_view()
    await until(lambda: column(view.findings.model, "finding") == ["User has left or is frozen"])
    account.users = [replace(user, enabled=True) for user in account.users]
    button(view, "Refresh").click()
    await until(lambda: view.findings.model.rowCount() == 0)


async def test_a_finding_is_dismissed_for_a_reason_shown_and_told_again(
    qtbot: QtBot, open_view: Open, till: SecurityKey
) -> None:
    view = await open_view()
    pane = view.findings
    await until(lambda: pane.model.rowCount() == 1)
    pane.one_by_one.click()
    pane.table.select_row(0)
    button(pane.card, "Dismiss…").click()
    dialog = await asked(view)
    dialog.confirm_button.click()
    assert dialog.form
    assert dialog.form.field("reason").has_message
    qtbot.keyClicks(field(dialog, "reason"), "It goes on Monday")
    field(dialog, "by").setText("Mira")
    dialog.confirm_button.click()
    await until(lambda: column(pane.model, "severity") == ["Critical"])
    pane.dismissed.click()
    await until(lambda: pane.model.rowCount() == 2)
    assert column(pane.model, "severity")[1] == "Dismissed"
    pane.table.select_row(1)
    assert "dismissed by Mira until" in pane.card.place.text()
    assert "It goes on Monday" in pane.card.place.text()
    button(pane.card, "List it again").click()
    await until(lambda: column(pane.model, "severity") == ["Critical"] * 2)


async def test_a_value_in_the_name_of_a_dismissal_is_taken_out_there(
    open_view: Open, till: SecurityKey
) -> None:
    view = await open_view()
    await until(lambda: view.findings.model.rowCount() == 1)
    button(view.findings.card, "Dismiss all…").click()
    dialog = await asked(view)
    field(dialog, "reason").setText("It goes on Monday")
    name = field(dialog, "by")
    name.setText(VALUE)
    dialog.confirm_button.click()
    await until(lambda: dialog.isVisible() and any(one.has_message for one in dialog.findChildren(Field)))
    is_taken_out = name.text() == ""
    assert is_taken_out
    assert field(dialog, "reason").text() == "It goes on Monday"


async def test_reminders_tell_what_becomes_due_and_first_what_is_overdue(
    open_view: Open, session: Session, till: SecurityKey, clock: MovedClock
) -> None:
    rotated: list[SecurityKey] = []
    session.requested.connect(lambda request: rotated.append(request.key))
    clock.move(55 * DAY_S)
    view = await open_view()
    view.panes.choose(REMINDERS)
    await until(lambda: view.reminders.model.rowCount() == 2)
    assert not view.reminders.rotate.isEnabled()
    view.reminders.table.select_row(1)
    chosen = view.reminders.table.selected
    assert chosen
    assert chosen.key
    button(view.reminders, "Rotate").click()
    await until(lambda: rotated)
    assert rotated[0].id == chosen.key.id

    clock.move(137 * DAY_S)
    view.panes.choose(LEAVER)
    view.panes.choose(REMINDERS)  # it is read anew when it is seen again
    await until(lambda: view.reminders.status.text() == "1 reminder, 1 overdue")
    assert column(view.reminders.model, "due")[0] == "Overdue by 12 days"
    assert column(view.reminders.model, "what")[0] == "“Till” is older than its limit"


async def test_the_leaver_check_lists_all_keys_and_is_exported(
    qtbot: QtBot, open_view: Open, session: Session, till: SecurityKey, tmp_path: Path
) -> None:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    view = await open_view()
    view.panes.choose(LEAVER)
    pane = view.leaver
    await until(pane.username.count)
    assert not pane.export.isEnabled()
    assert pane.table.empty_text == ASK_FIRST
    assert [pane.username.itemText(row) for row in range(pane.username.count())] == ["mira", "reports"]
    pane.line.clear()
    pane.check_button.click()
    await until(lambda: pane.field.has_message)
    qtbot.keyClicks(pane.line, "MIRA")
    qtbot.keyClick(pane.line, Qt.Key.Key_Return)
    await until(lambda: pane.model.rowCount() == 1)
    assert not pane.field.has_message
    assert pane.status.text().startswith("1 key belongs to “mira”.")
    button(pane, "Export…").click()
    await until(lambda: view.window().findChildren(SaveDialog))
    question = view.window().findChildren(SaveDialog)[0]
    assert question.selectedFiles()[0].endswith("leaver-mira.txt")
    path = tmp_path / "leaver.txt"
    save_as(question, path)
    await until(lambda: notices)
    assert "“Till” in ▲ LIVE · shop" in path.read_text("utf-8")


async def test_a_finding_whose_key_is_gone_leads_nowhere(open_view: Open, till: SecurityKey) -> None:
    view = await open_view()
    await until(lambda: view.findings.model.rowCount() == 1)
    card = view.findings.card
    assert [button for button in card.buttons.values() if button.isVisible()]
    shop = view.findings.model.row(0).findings[0].environment
    stalled = {"rotation": rotation(till), "leaked": False, "days": 4}
    for finding in (
        Finding("no owner", shop, None, Severity.WARNING, "a-1", about="Tills"),
        Finding("rotation/stalled", shop, None, Severity.WARNING, "r-1", stalled, "Till"),
    ):
        view.findings.show_row(FindingRow((finding,)))
        assert card.title.text() == finding_words([finding]).title
        assert [one.text() for one in card.buttons.values() if one.isVisible()] == ["Dismiss…"]


async def test_enter_on_a_finding_leads_to_what_can_be_done(
    qtbot: QtBot, open_view: Open, till: SecurityKey
) -> None:
    view = await open_view()
    table = view.findings.table
    await until(lambda: view.findings.model.rowCount() == 1)
    view.window().activateWindow()
    await until(view.window().isActiveWindow)
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Return)
    await until(button(view.findings.card, "Rotate the first one").hasFocus)


async def test_204_keys_that_were_never_tested_are_one_row_and_are_tested_together(
    open_view: Open, session: Session, clock: MovedClock
) -> None:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    first = await session.console.add_key.create(
        session.environment, KeyDraft("Till 1", "counter1", "API", KeyKind.PRIVATE)
    )
    for number in range(2, 205):
        another = replace(first.key, id=f"K-{number}", name=f"Till {number}", fingerprint="", gateway_id="")
        await session.console.world.journal.add_key(another)
    clock.move(8 * DAY_S)
    view = await open_view()
    model = view.findings.model
    await until(lambda: "Never tested: 204" in column(model, "finding"))
    assert model.rowCount() <= 5, "a page to be read in a minute"
    number = column(model, "finding").index("Never tested: 204")
    view.findings.table.select_row(number)
    assert column(model, "key")[number].endswith("and 199 more")
    primary = button(view.findings.card, "Test all 204")
    assert primary.property("tone") == "primary"
    others = asyncio.Event()
    session.run(TASK, others.wait())  # as the inventory does
    primary.click()
    assert [notice.title for notice in notices] == ["Other keys are being tested"]
    assert not view.findings.tests.is_running
    others.set()
    await until(lambda: TASK not in session.supervisor.running)
    notices.clear()
    primary.click()
    assert view.findings.tests.isVisible()
    assert primary.isVisible()
    assert not primary.isEnabled()
    while view.findings.tests.is_running:  # the gateway is asked so many times a second at most
        await clock.advance(clock.next_due_s or 0.0)
    assert [notice.title for notice in notices] == ["Tested 204 of 204 keys"]
    assert not view.findings.tests.isVisible()


async def test_findings_alike_are_dismissed_with_one_reason_and_listed_again_with_one_undo(
    qtbot: QtBot, open_view: Open, session: Session, till: SecurityKey
) -> None:
    view = await open_view()
    pane = view.findings
    await until(lambda: pane.model.rowCount() == 1)
    button(pane.card, "Dismiss all…").click()
    (await asked(view)).reject()
    await until(lambda: not session.supervisor.running)
    assert pane.model.rowCount() == 1
    button(pane.card, "Dismiss all…").click()
    dialog = await asked(view)
    assert dialog.confirm_button.text() == "Dismiss all 2"
    qtbot.keyClicks(field(dialog, "reason"), "They go on Monday")
    dialog.confirm_button.click()
    await until(lambda: pane.model.rowCount() == 0)
    assert pane.undo_words.text() == "Dismissed 2 findings."
    lines = await session.console.world.journal.activities(2)
    assert {(line.subject, line.result) for line in lines} == {
        ("Till", "They go on Monday"),
        ("Probe", "They go on Monday"),
    }
    button(pane, "Undo").click()
    await until(lambda: pane.model.rowCount() == 1)
    assert not pane.undo_button.isVisible()


async def test_the_name_is_asked_for_once_and_the_systems_is_offered(
    qtbot: QtBot, open_view: Open, session: Session, till: SecurityKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keybench.ui.kit.preferences.person_name", lambda: "mvogel")
    view = await open_view()
    pane = view.findings
    await until(lambda: pane.model.rowCount() == 1)
    for asks in (True, False):
        button(pane.card, "Dismiss all…").click()
        dialog = await asked(view)
        names = [one.editor for one in dialog.findChildren(Field) if one.id == "by"]
        assert [one.accessibleName() for one in names] == ["Your name (shown in the record)"] * asks
        if asks:
            assert names[0].text() == "mvogel"
            names[0].setText("M" * 101)
            qtbot.keyClicks(field(dialog, "reason"), "It goes on Monday")
            dialog.confirm_button.click()
            assert dialog.isVisible()
            assert names[0].hasFocus(), "the name is what is wrong"
            field(dialog, "reason").clear()
            names[0].setText("Mira Vogel")
        qtbot.keyClicks(field(dialog, "reason"), "It goes on Monday")
        dialog.confirm_button.click()
        await until(pane.undo_button.isVisible)
        assert [line.who for line in await session.console.world.journal.activities(2)] == ["Mira Vogel"] * 2
        button(pane, "Undo").click()
        await until(lambda: pane.model.rowCount() == 1 and not view.window().findChildren(Dialog))
    assert session.preferences.person == "Mira Vogel"
