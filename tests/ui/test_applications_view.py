"""The Applications view: the register by key and by words, its entries asked for, changed and put back."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from fakes.world import Bench
from keybench.core.errors import JournalUnwritable, KeybenchError
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.runtime.supervisor import Supervisor
from keybench.ui.keys.applications import NONE, NONE_OF_KEY, NOTHING_FOUND, ApplicationsView
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field
from keybench.ui.shared.keys.dialogs import ApplicationDialog
from keybench.ui.shared.reading import READING
from keybench.ui.shared.session import Session

from .inventory_support import asked, button_of, make_bench, press


@dataclass
class Stage:
    """The view on fakes, with three applications of two keys."""

    bench: Bench
    view: ApplicationsView
    till: SecurityKey
    web: SecurityKey

    @property
    def names(self) -> list[str]:
        return [row.application.name for row in self.view.model.rows]

    def choose(self, name: str) -> None:
        self.view.table.select_row(self.names.index(name))

    async def stored(self, name: str) -> Application:
        return next(one for one in await self.bench.journal.applications() if one.name == name)


async def make_stage(qtbot: QtBot, supervisor: Supervisor, *, with_applications: bool = True) -> Stage:
    bench, practice, shop = await make_bench()
    till = await bench.console.keys.named(practice, "Till 1")
    web = await bench.console.keys.named(shop, "Web")
    if with_applications:
        made = (
            Application(
                "a1", shop.id, web.id, "Web shop", "Jo", "jo@shop.example", "KEY on web-1", "Set.\nRestart."
            ),
            Application("a2", shop.id, web.id, "Reports"),
            Application("a3", practice.id, till.id, "Till program", "Ana"),
        )
        for one in made:
            await bench.journal.add_application(one)
    session = Session(bench.console, supervisor, practice)
    view = ApplicationsView(session)
    qtbot.addWidget(view)
    view.resize(1100, 680)
    view.show()
    await until(lambda: view.table.empty_text != READING)
    return Stage(bench, view, till, web)


@pytest.fixture
async def stage(qtbot: QtBot, supervisor: Supervisor) -> Stage:
    return await make_stage(qtbot, supervisor)


def the_field(question: Dialog, name: str) -> Field:
    assert question.form
    return question.form.field(name)


# --- what is shown --------------------------------------------------------------------------------


async def test_the_register_says_who_looks_after_what(stage: Stage) -> None:
    assert stage.names == ["Reports", "Till program", "Web shop"]
    assert stage.view.status.text() == "3 applications · 1 without an owner"
    model = stage.view.model
    assert model.data(model.index(0, model.column("owner"))) == "no owner"
    assert model.data(model.index(0, model.column("owner")), Qt.ItemDataRole.ForegroundRole) is not None
    stage.choose("Web shop")
    assert stage.view.card.steps.toPlainText() == "Set.\nRestart."
    assert "LIVE · Main shop" in stage.view.card.place.text()
    assert "never seen working" in stage.view.card.facts.text()
    stage.choose("Reports")
    assert stage.view.card.owner.text() == "no owner"
    assert "Nobody has written down" in stage.view.card.steps.toPlainText()


async def test_typing_finds(stage: Stage) -> None:
    for text, found in (
        ("no owner", ["Reports"]),
        ("web shop", ["Reports", "Web shop"]),
        ("jo@", ["Web shop"]),
        ("live", ["Reports", "Web shop"]),
    ):
        stage.view.search.setText(text)
        assert stage.names == found, text
    stage.view.search.setText("nothing of the kind")
    assert (stage.names, stage.view.table.empty_text) == ([], NOTHING_FOUND)


async def test_one_keys_applications_alone(stage: Stage) -> None:
    stage.view.show_keys([stage.web])
    assert stage.names == ["Reports", "Web shop"]
    assert stage.view.status.text() == "2 applications of “Web” · 1 without an owner"
    press(stage.view, "Show those of all keys")
    assert len(stage.names) == 3
    assert not stage.view.all.isVisible()


async def test_none_yet(qtbot: QtBot, supervisor: Supervisor) -> None:
    stage = await make_stage(qtbot, supervisor, with_applications=False)
    assert stage.view.table.empty_text == NONE
    stage.view.show_keys([stage.till])
    assert stage.view.table.empty_text == NONE_OF_KEY


async def test_the_way_to_the_key(stage: Stage) -> None:
    asked_for: list[tuple[str, str]] = []
    stage.view.session.requested.connect(lambda one: asked_for.append((one.view, one.keys[0].name)))
    stage.choose("Till program")
    press(stage.view, "Show its key")
    assert asked_for == [("inventory", "Till 1")]


# --- what is done ---------------------------------------------------------------------------------


async def test_one_is_added_to_a_chosen_key(stage: Stage) -> None:
    press(stage.view, "Add an application…")
    question = await asked(ApplicationDialog)
    question.confirm_button.click()
    assert question.isVisible()  # without a name
    the_field(question, "name").reset("Kiosk")
    question.key.setCurrentIndex(question.key.findText("Till 2", Qt.MatchFlag.MatchStartsWith))
    the_field(question, "instructions").reset("Line one\nLine two")
    question.confirm_button.click()
    await until(lambda: "Kiosk" in stage.names)
    kept = await stage.stored("Kiosk")
    assert kept.instructions == "Line one\nLine two"
    row = stage.view.table.selected
    assert row is not None
    assert (row.application.name, row.key_name) == ("Kiosk", "Till 2")


async def test_a_new_one_is_offered_the_keys_of_the_shown_environment_first(stage: Stage) -> None:
    stage.view.session.choose_environment(await stage.bench.console.environments.named("Main shop"))
    press(stage.view, "Add an application…")
    question = await asked(ApplicationDialog)
    offered = [question.key.itemText(row) for row in range(question.key.count())]
    assert offered == [
        *("Described · LIVE · Main shop", "Web · LIVE · Main shop"),
        *("Till 1 · practice", "Till 2 · practice"),
    ]
    question.key.setCurrentIndex(1)
    the_field(question, "name").reset("Kiosk")
    question.confirm_button.click()
    await until(lambda: "Kiosk" in stage.names)
    kept = await stage.stored("Kiosk")
    assert (kept.environment_id, kept.key_id) == (stage.web.environment_id, stage.web.id)


async def test_a_name_that_is_taken_is_told_where_it_stands(stage: Stage) -> None:
    stage.view.show_keys([stage.web])
    press(stage.view, "Add an application…")
    question = await asked(ApplicationDialog)
    assert "It uses “Web”" in question.accessibleDescription()
    the_field(question, "name").reset("web SHOP")
    question.confirm_button.click()
    await until(lambda: the_field(question, "name").has_message and question.isVisible())
    question.cancel_button.click()
    await until(lambda: not question.isVisible())
    assert len(stage.names) == 2


async def test_one_is_edited(stage: Stage) -> None:
    stage.choose("Reports")
    press(stage.view, "Edit…")
    question = await asked(ApplicationDialog)
    the_field(question, "owner").reset("Li")
    question.confirm_button.click()
    await until(lambda: stage.view.status.text() == "3 applications")
    row = stage.view.table.selected
    assert row is not None
    assert (row.application.name, row.owner) == ("Reports", "Li")


async def test_one_whose_key_was_forgotten_is_told_of_and_given_another(stage: Stage) -> None:
    practice = await stage.bench.practice_environment()
    await stage.bench.console.keys.forget(practice, stage.till)
    await until(lambda: "1 whose key was forgotten" in stage.view.status.text())
    stage.view.search.setText("forgotten")
    assert stage.names == ["Till program"]
    stage.choose("Till program")
    assert not button_of(stage.view, "Show its key").isEnabled()
    assert "key was forgotten" in stage.view.card.place.text()
    stage.view.search.clear()
    stage.choose("Till program")
    press(stage.view, "Edit…")
    question = await asked(ApplicationDialog)
    assert question.chosen.key.name == "Till 2"
    question.confirm_button.click()
    await until(lambda: "forgotten" not in stage.view.status.text())
    row = stage.view.table.selected
    assert row is not None
    assert (row.application.name, row.key_name) == ("Till program", "Till 2")


async def test_changed_and_seen_are_recorded_with_a_name_that_is_asked_for_once(stage: Stage) -> None:
    stage.choose("Web shop")
    for count, name in enumerate(("Key was changed…", "Seen working…"), 1):
        press(stage.view, name)
        question = await asked(Dialog)
        names = question.findChildren(Field)
        assert len(names) == (1 if count == 1 else 0)
        for who in names:
            who.reset("Mira")
        question.confirm_button.click()
        await until(lambda times=count: stage.view.card.facts.text().count("Mira") == times)
    kept = await stage.stored("Web shop")
    assert (kept.changed_by, kept.seen_by) == ("Mira", "Mira")


async def test_a_removed_one_is_put_back(stage: Stage) -> None:
    stage.choose("Web shop")
    before = await stage.stored("Web shop")
    press(stage.view, "Remove")
    await until(lambda: "Web shop" not in stage.names)
    assert stage.view.undo_button.isVisible()
    assert stage.view.undo_words.text() == "Removed “Web shop”."
    press(stage.view, "Undo")
    await until(lambda: "Web shop" in stage.names)
    assert not stage.view.undo_button.isVisible()
    assert await stage.stored("Web shop") == before
    row = stage.view.table.selected
    assert row is not None
    assert row.application == before


async def test_a_journal_that_cant_be_written_is_told(stage: Stage) -> None:
    stage.choose("Web shop")
    failures: list[KeybenchError] = []
    stage.view.session.failed.connect(failures.append)
    stage.bench.journal.failure = JournalUnwritable("journal", "disk full")
    press(stage.view, "Remove")
    await until(lambda: failures)
    assert "Web shop" in stage.names
