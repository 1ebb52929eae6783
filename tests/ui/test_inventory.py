"""The Inventory view: found, sorted, arranged, tested, exported, edited, given a value."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMainWindow, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fakes.journal import put_key
from fakes.waiting import until
from fakes.world import MADE_UP
from keybench.core.errors import KeystoreLocked
from keybench.core.keys.application import Application
from keybench.core.keys.inventory import KeyMarks
from keybench.core.keys.key import KeyDraft, KeyKind, KeyState
from keybench.core.sales.sale import SaleDraft
from keybench.runtime.supervisor import Supervisor
from keybench.ui.keys.inventory import NO_KEYS, NOTHING_FOUND
from keybench.ui.kit.actions import Menu, MenuBar
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field
from keybench.ui.kit.tables.model import TONE_ROLE
from keybench.ui.shared.keys.dialogs import ValueDialog
from keybench.ui.shared.session import Place, Request, Rotate, ShowKeys
from keybench.workflows.keys.applications import ApplicationDraft

from .inventory_support import Stage, asked, button_of, make_bench, make_stage, press

TEST = "Test the selected keys"


@pytest.fixture
async def stage(qtbot: QtBot, supervisor: Supervisor) -> Stage:
    return await make_stage(qtbot, supervisor)


def texts(stage: Stage, row: int) -> dict[str, str]:
    model = stage.view.model
    return {one.title: model.data(model.index(row, number)) for number, one in enumerate(model.columns)}


def buttons_of(view: QWidget) -> list[str]:
    return [one.accessibleName() for one in view.findChildren(QPushButton) if one.isVisible()]


def words_on(view: QWidget) -> list[str]:
    return [one.text() for one in view.findChildren(QLabel) if one.isVisible()]


# --- what is shown --------------------------------------------------------------------------------


async def test_every_environments_keys_are_shown_without_one_keystore_call(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    bench, _practice, _shop = await make_bench()
    bench.keystore.calls.clear()
    stage = await make_stage(qtbot, supervisor, bench=bench)
    assert stage.names == ["Till 1", "Till 2", "Described", "Web"]
    assert bench.keystore.calls == []
    assert stage.view.status.text() == "4 keys in 2 environments"
    said = texts(stage, 2)
    assert said["Environment"] == "LIVE · Main shop"
    assert (said["State"], said["Last tested"], said["Applications"]) == ("No value here", "never", "none")
    model = stage.view.model
    assert model.data(model.index(2, model.column("state")), TONE_ROLE) == "warning"
    assert model.data(model.index(2, 1), Qt.ItemDataRole.DecorationRole) is not None
    assert model.row(2).key.name == "Described"


async def test_none_yet_and_none_found(qtbot: QtBot, supervisor: Supervisor, stage: Stage) -> None:
    stage.view.search.setText("nothing of the kind")
    assert (stage.names, stage.view.table.empty_text) == ([], NOTHING_FOUND)
    assert stage.view.status.text() == "4 keys in 2 environments · 0 found"
    bench, practice, shop = await make_bench()
    for where in (practice, shop):
        for key in await bench.journal.keys(where.id):
            await bench.journal.remove_key(key.id)
    empty = await make_stage(qtbot, supervisor, bench=bench)
    assert empty.view.table.empty_text == NO_KEYS


async def test_it_follows_what_happens_to_keys_and_keeps_the_choice(stage: Stage) -> None:
    stage.choose("Till 2", "Web")
    practice = await stage.bench.practice_environment()
    await stage.bench.add_key(practice, "A new one")
    await until(lambda: "A new one" in stage.names)
    assert stage.chosen() == ["Till 2", "Web"]
    (till, *_) = [row.key for row in stage.view.model.rows if row.key.name == "Till 2"]
    await stage.bench.console.keys.test(practice, till)
    await until(lambda: texts(stage, stage.names.index("Till 2"))["State"] == "Working")
    assert stage.chosen() == ["Till 2", "Web"]


async def test_typing_finds(stage: Stage) -> None:
    for text, found in (
        ("till", ["Till 1", "Till 2"]),
        ("MAIN web", ["Web"]),
        ("web main", ["Web"]),
        ("mainweb", []),
        ("no value", ["Described"]),
        ("live", ["Described", "Web"]),
        ("", ["Till 1", "Till 2", "Described", "Web"]),
    ):
        stage.view.search.setText(text)
        assert stage.names == found, text


async def test_every_column_sorts_and_its_head_says_so(stage: Stage) -> None:
    header = stage.view.table.horizontalHeader()
    for column in range(stage.view.model.columnCount()):
        for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
            header.setSortIndicator(column, order)
            assert sorted(stage.names) == ["Described", "Till 1", "Till 2", "Web"]
    header.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
    assert stage.names == ["Web", "Till 2", "Till 1", "Described"]


async def test_eight_columns_are_shown_at_first_without_those_that_tell_nothing_of_any_key(
    stage: Stage,
) -> None:
    def shown() -> list[str]:
        return [column.title for column in stage.view.table.columns.visible]

    assert shown() == ["Key name", "Environment", "State", "Username", "Age"]
    web = next(row.key for row in stage.view.model.rows if row.key.name == "Web")
    await put_key(stage.bench.journal, replace(web, owner="Jo"))
    await stage.bench.journal.add_application(Application("a1", web.environment_id, web.id, "Shop"))
    stage.view.refresh()
    await until(lambda: len(shown()) == 7)
    row = stage.view.model.rows[0]
    stage.view.model.put([replace(row, marks=KeyMarks(last_use=stage.bench.clock.now()))])
    assert shown() == [
        *("Key name", "Environment", "State", "Username", "Owner", "Applications", "Age", "Last used"),
    ]
    menu = {action.text(): action for action in stage.view.table.columns.menu(stage.view).actions()}
    assert not menu["Fingerprint"].isChecked()
    menu["Fingerprint"].setChecked(True)
    assert shown()[-1] == "Fingerprint"


async def test_a_key_is_listed_in_any_state(stage: Stage) -> None:
    row = stage.view.model.rows[0]
    for state in KeyState:
        stage.view.model.put([replace(row, key=replace(row.key, state=state))])
        assert texts(stage, 0)["State"], state


# --- testing --------------------------------------------------------------------------------------


async def test_the_selected_keys_are_tested(stage: Stage) -> None:
    assert not button_of(stage.view, TEST).isEnabled()
    stage.choose("Till 1", "Web", "Described")
    assert stage.view.tests.words.text() == "3 keys are selected, 2 of them LIVE"
    assert "no money" in button_of(stage.view, TEST).accessibleDescription()
    press(stage.view, TEST)
    assert stage.view.tests.is_running
    for _ in range(100):
        if not stage.view.tests.is_running:
            break
        await stage.bench.clock.advance(stage.bench.clock.next_due_s or 0.0)
    (notice,) = stage.notices
    assert notice.title == "Tested 3 of 3 keys"
    assert notice.ends
    assert notice.place == Place("keys")
    assert notice.text == "2 working · 1 without a usable value"
    await until(lambda: texts(stage, stage.names.index("Web"))["State"] == "Working")
    assert texts(stage, stage.names.index("Till 2"))["State"] == "Not tested"
    assert texts(stage, stage.names.index("Described"))["State"] == "No value here"


async def test_a_locked_keystore_ends_the_tests_with_its_own_words(stage: Stage) -> None:
    stage.bench.keystore.failure = KeystoreLocked()
    stage.choose("Till 1", "Till 2")
    press(stage.view, TEST)
    await until(lambda: stage.notices)
    assert stage.notices[0].title == "Tested 0 of 2 keys"
    assert "locked" in stage.notices[0].text.lower()


# --- one key --------------------------------------------------------------------------------------


async def value_asked_for(stage: Stage, name: str) -> ValueDialog:
    stage.choose(name)
    press(stage.view, "Give it a value…")
    return await asked(ValueDialog)


async def test_owner_and_purpose_are_changed(stage: Stage) -> None:
    stage.choose("Till 2")
    press(stage.view, "Owner and purpose…")
    question = await asked(Dialog)
    owner, purpose = question.findChildren(Field)
    owner.reset("Jo")
    purpose.reset("front desk")
    question.confirm_button.click()
    await until(lambda: texts(stage, stage.names.index("Till 2"))["Owner"] == "Jo")
    stage.view.card.facts.show_low(low=False)
    assert {"front desk", "no application recorded · owner: Jo"} <= set(words_on(stage.view.card))
    stage.view.search.setText("front desk")
    assert stage.names == ["Till 2"]


async def test_a_key_without_a_value_is_given_one(stage: Stage) -> None:
    question = await value_asked_for(stage, "Described")
    assert "LIVE · Main shop" in question.accessibleDescription()
    question.field.line.setText("two words")
    question.field.line.setText("")
    question.confirm_button.click()
    assert question.isVisible()
    question.field.line.setText(MADE_UP)
    question.confirm_button.click()
    await until(lambda: texts(stage, stage.names.index("Described"))["State"] == "Not tested")
    await until(stage.view.card.report.message.text)
    assert (
        texts(stage, stage.names.index("Described"))["Fingerprint"] in stage.view.card.report.message.text()
    )
    is_told = MADE_UP in stage.view.card.report.message.text()
    assert not is_told


async def test_another_keys_value_is_told_while_it_is_given(stage: Stage) -> None:
    practice = await stage.bench.practice_environment()
    draft = KeyDraft("till-9", "mira", "API", KeyKind.PRIVATE)
    await stage.bench.console.add_key.keep(practice, draft, MADE_UP)
    question = await value_asked_for(stage, "Described")
    question.field.line.setText(MADE_UP)
    await until(lambda: "till-9" in question.field.message.text())
    question.confirm_button.click()
    await until(stage.view.card.report.message.text)


async def test_a_value_that_cant_be_kept_can_be_pasted_again(stage: Stage) -> None:
    question = await value_asked_for(stage, "Described")
    stage.bench.keystore.failure = KeystoreLocked()
    question.field.line.setText(MADE_UP)
    question.confirm_button.click()
    await until(lambda: "locked" in question.field.message.text().lower() and question.isVisible())
    stage.bench.keystore.failure = None
    question.field.line.setText(MADE_UP)
    question.confirm_button.click()
    await until(stage.view.card.report.message.text)


async def test_a_value_that_was_refused_can_be_replaced_and_one_that_works_cant(stage: Stage) -> None:
    stage.choose("Till 1")
    practice = await stage.bench.practice_environment()
    till = next(row.key for row in stage.view.model.rows if row.key.name == "Till 1")
    await put_key(stage.bench.journal, replace(till, state=KeyState.REFUSED, status=401))
    stage.view.refresh()
    await until(lambda: texts(stage, stage.names.index("Till 1"))["State"] == "Refused 401")
    question = await value_asked_for(stage, "Till 1")
    assert f"{till.fingerprint}, is gone then" in question.accessibleDescription()
    question.cancel_button.click()
    await stage.bench.console.keys.test(practice, till)
    await until(lambda: "Give it a value…" not in buttons_of(stage.view))


async def test_a_question_that_is_left_keeps_nothing(stage: Stage) -> None:
    question = await value_asked_for(stage, "Described")
    question.field.line.setText(MADE_UP)
    question.cancel_button.click()
    is_emptied = question.field.line.text() == ""
    assert is_emptied
    await until(lambda: "give value" not in stage.session.supervisor.running)
    assert stage.notices == []


async def test_the_way_to_applications_and_rotation(stage: Stage) -> None:
    asked_for: list[Request] = []
    stage.session.requested.connect(asked_for.append)
    stage.choose("Web")
    (web,) = (row.key for row in stage.view.model.rows if row.key.name == "Web")
    press(stage.view, "Its applications")
    press(stage.view, "Rotate")
    assert asked_for == [ShowKeys("applications", (web,)), Rotate(web)]
    assert stage.session.environment.name == "Main shop"
    stage.choose("Till 1")
    press(stage.view, "Compromised")
    assert isinstance(asked_for[-1], Rotate)
    assert (asked_for[-1].key.name, asked_for[-1].compromised) == ("Till 1", True)
    assert stage.session.environment.name == "practice"


async def test_a_key_is_shown_when_another_view_asks(stage: Stage) -> None:
    stage.view.search.setText("till")
    web = next(row.key for row in stage.view.model.items if row.key.name == "Web")
    stage.view.show_keys([web])
    assert stage.chosen() == ["Web"]
    assert stage.view.card.head.name.text() == "Web"
    assert stage.view.card.head.summary.text().startswith("LIVE · Main shop · private")
    assert stage.view.card.head.summary.property("tone") == "live"


async def test_ages_and_last_uses(stage: Stage) -> None:
    web = next(row.key for row in stage.view.model.rows if row.key.name == "Web")
    old = replace(web, created_at=web.created_at - timedelta(days=1200), tested_at=web.created_at)
    await put_key(stage.bench.journal, replace(old, state=KeyState.WORKING, status=200))
    stage.view.refresh()
    await until(lambda: texts(stage, stage.names.index("Web"))["Age"] == "1,200 days")
    age = stage.view.model.column("age")
    stage.view.table.horizontalHeader().setSortIndicator(age, Qt.SortOrder.DescendingOrder)
    assert stage.names[0] == "Web"


async def test_the_last_use_is_what_the_bench_says_of_it(stage: Stage) -> None:
    practice = await stage.bench.practice_environment()
    till = next(row.key for row in stage.view.model.rows if row.key.name == "Till 1")

    def last_used() -> str:
        return texts(stage, stage.names.index("Till 1"))["Last used"]

    assert last_used() == "–"  # noqa: RUF001 - a dash for nothing
    software = await stage.session.administration.applications.add(
        practice, till.id, ApplicationDraft("Till software")
    )
    await stage.session.administration.applications.note_seen(software, "Mira")
    await until(lambda: last_used() == "just now")
    await stage.bench.clock.advance(3 * 60 * 60)
    stage.view.refresh()
    await until(lambda: last_used() == "3 h")
    draft = SaleDraft(practice.id, till.id, "D-1", "10.00", "USD")
    stage.session.run(
        "sale", stage.session.console.sell.carry_out(await stage.session.console.sell.note(draft))
    )
    await until(lambda: last_used() == "just now")


# --- files ----------------------------------------------------------------------------------------


async def test_an_export_takes_what_is_shown_or_several_chosen(stage: Stage, tmp_path: Path) -> None:
    stage.view.search.setText("till")
    path = tmp_path / "keys.json"
    await stage.view.export.write(stage.view._shown(), path)
    assert [one["name"] for one in json.loads(path.read_text("utf-8"))] == ["Till 1", "Till 2"]
    stage.view.search.setText("")
    stage.choose("Till 1", "Web")
    await stage.view.export.write(stage.view._shown(), path)
    assert [one["name"] for one in json.loads(path.read_text("utf-8"))] == ["Till 1", "Web"]
    assert stage.notices[-1].title == "Exported 2 keys"


LIST = (
    "name,username,permission,kind,environment\nKiosk,ana,Sale,public,main shop\nTill 1,ana,Sale,private,\n"
)


async def test_a_list_is_looked_at_and_taken_over(stage: Stage, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(LIST, encoding="utf-8")
    stage.view.taking.use_file(str(path))
    view = stage.view.taking
    await until(view.isVisible)
    assert view.title.text() == "Import the keys of list.csv"
    assert view.summary.text() == "One key for one environment. One row can't be imported."
    assert not view.take.isEnabled()
    view.skip.setChecked(True)
    (name,) = view.signature.fields
    name.reset("Ana")
    view.take.click()
    await until(lambda: "Kiosk" in stage.names)
    assert stage.notices[-1].title == "Imported 1 key"
    assert not view.isVisible()
    assert stage.preferences.text("person/name") == "Ana"
    (line,) = await stage.bench.journal.activities(1)
    assert (line.result, line.who) == ("from list.csv", "Ana")


async def test_a_list_with_values_is_refused(stage: Stage, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(f"name,note\nKiosk,{MADE_UP}\n", encoding="utf-8")
    stage.view.taking.use_file(str(path))
    await until(lambda: stage.notices)
    is_told = MADE_UP in stage.notices[0].text
    assert (stage.notices[0].title, is_told) == ("This list can't be imported", False)
    assert not stage.view.taking.isVisible()


async def test_what_is_wrong_with_a_whole_file_is_said_once_with_a_template(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask_where(*_args: object, **_more: object) -> Path:
        return tmp_path / "template.csv"

    monkeypatch.setattr("keybench.ui.keys.importing.ask_where", ask_where)
    path = tmp_path / "list.csv"
    path.write_text("Name;Username;Kind\nTill 9;mira;private\nTill 8;mira;private\n", encoding="cp1252")
    stage.view.taking.use_file(str(path))
    question = await asked(Dialog)
    assert question.windowTitle() == "“list.csv” can't be imported"
    said = "Column “Permission” is missing; found: Name, Username, Kind."
    assert question.accessibleDescription() == said
    assert question.confirm_button.text() == "Save a template…"
    question.confirm_button.click()
    await until(lambda: stage.notices)
    assert stage.notices[-1].title == "Saved “template.csv”"
    assert not stage.view.taking.isVisible()

    stage.view.taking.use_file(str(tmp_path / "template.csv"))
    await until(stage.view.taking.isVisible)
    assert (
        stage.view.taking.summary.text()
        == "No row can be imported. There is already a key named “Till 1”. Choose another name."
    )


async def test_how_dates_are_written_is_asked_where_it_cant_be_told(
    stage: Stage, supervisor: Supervisor, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv"
    head = "name;username;permission;kind;created\n"
    path.write_text(f"{head}Till 9;mira;Sale;private;05.02.2025\n", encoding="utf-8")
    view = stage.view.taking
    view.use_file(str(path))
    question = await asked(Dialog)
    assert question.windowTitle() == "Which day is 05.02.2025?"
    button_of(question, "2 May 2025").click()
    question.confirm_button.click()
    await until(view.isVisible)
    (row,) = view.keys.rows
    assert f"{row.key.created_at.astimezone():%Y-%m-%d}" == "2025-05-02"

    await until(lambda: not supervisor.running)  # one file is read at a time
    view.back.click()
    view.use_file(str(path))
    (await asked(Dialog)).cancel_button.click()
    await until(lambda: not stage.session.supervisor.is_running("read key list"))
    assert not view.isVisible()


async def test_a_notice_of_a_failed_try_ends_with_the_next(stage: Stage, tmp_path: Path) -> None:
    ended: list[str] = []
    stage.session.notice_ended.connect(ended.append)
    path = tmp_path / "list.csv"
    path.write_text(f"name,note\nKiosk,{MADE_UP}\n", encoding="utf-8")
    stage.view.taking.use_file(str(path))
    await until(lambda: stage.notices)
    ended.clear()
    path.write_text(LIST, encoding="utf-8")
    await until(lambda: not stage.session.supervisor.is_running("read key list"))
    stage.view.taking.use_file(str(path))
    await until(stage.view.taking.isVisible)
    assert ended == [stage.notices[0].topic]


async def test_a_list_can_be_left_and_taking_over_be_stopped(stage: Stage, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(LIST.replace("Till 1", "Till 9"), encoding="utf-8")
    view = stage.view.taking
    view.use_file(str(path))
    await until(view.isVisible)
    view.back.click()
    assert stage.view.table.isVisible()
    await until(lambda: not stage.session.supervisor.is_running("read key list"))
    view.use_file(str(path))
    await until(view.isVisible)
    view.take.click()
    view.back.click()
    assert stage.notices[-1].title == "Import stopped"
    await until(lambda: not stage.session.supervisor.running)
    assert "Kiosk" not in stage.names


async def test_the_keys_menu_lists_what_can_be_done_with_the_selected_key(qtbot: QtBot, stage: Stage) -> None:
    window = QMainWindow()
    qtbot.addWidget(window, before_close_func=lambda _window: stage.session.end())
    window.setCentralWidget(stage.view)
    bar = MenuBar(window)
    listed = {one.text(): one for one in bar.menu(Menu.KEYS).actions() if not one.isSeparator()}
    assert {TEST, "Import…", "Save a template…"} < set(listed)
    assert {"Owner and purpose…", "Its applications", "Copy"} < set(listed)
    enabled = [text for text, action in listed.items() if action.isEnabled()]
    assert enabled == ["Import…", "Save a template…"]
    stage.choose("Till 1")
    bar.fill()
    listed = {one.text(): one for one in bar.menu(Menu.KEYS).actions() if not one.isSeparator()}
    never_tested = listed.pop("Its last test…")
    assert not never_tested.isEnabled()
    for hidden in ("Find out why", "Give it a value…", "Not compromised…", "Erase the value here…"):
        assert not listed.pop(hidden).isVisible()
    assert all(action.isEnabled() for action in listed.values())
