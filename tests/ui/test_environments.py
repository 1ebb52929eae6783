"""Settings, Environments: edited, tried, corrected with one click, and what goes with one that is removed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from fakes.scripted_gateway import ASKS_FOR_KEY
from fakes.waiting import Until
from fakes.world import MADE_UP, Bench
from keybench.core.environments.connection import BaseUrlFound, ConnectionResult, Correction, Slip
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind, KeyState
from keybench.core.reasons import Reason
from keybench.runtime.supervisor import Supervisor
from keybench.ui.bench.add_key import AddKeyView
from keybench.ui.history.page import HistoryPage
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.theme import Theme
from keybench.ui.settings.environments import EnvironmentsSection
from keybench.ui.shared.session import Session
from keybench.ui.shell.band import Band

from .inventory_support import press

URL = "https://gateway.example"
ELSEWHERE = "https://elsewhere.example"
FOUND = "A gateway answered in 120 ms. It asks for a key (401), as it should."


@dataclass
class Settings:
    """The section on fakes.

    Attributes:
        asked: Set while the gateway holds a try.
        go_on: Lets it answer.
    """

    bench: Bench
    session: Session
    section: EnvironmentsSection
    until: Until
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def names(self) -> list[str]:
        return [row.environment.name for row in self.section.model.rows]

    @property
    def told(self) -> str:
        return self.section.connection.message.text()

    async def add(self, name: str = "Shop", kind: EnvironmentKind = EnvironmentKind.TEST) -> Environment:
        """Add an environment elsewhere, and choose its row."""
        added = await self.bench.add(name, kind)
        await self.until(lambda: name in self.names)
        self.section.table.select(added.id)
        return added

    async def edit(self, name: str = "Shop") -> None:
        """Open the form of an environment."""
        self.section.table.select_row(self.names.index(name))
        press(self.section, "Edit environment…")
        await self.until(self.section.form.isVisible)

    async def hold_tries(self) -> None:
        async def hold() -> None:
            self.asked.set()
            await self.go_on.wait()

        self.bench.gateway.before_try = hold

    async def question(self) -> Dialog:
        return (await self.questions())[0]

    async def questions(self) -> Sequence[Dialog]:
        window = self.section.window()
        await self.until(lambda: any(one.isVisible() for one in window.findChildren(Dialog)))
        return [one for one in window.findChildren(Dialog) if one.isVisible()]


@pytest.fixture
async def settings(qtbot: QtBot, supervisor: Supervisor, until: Until) -> Settings:
    bench = Bench()
    await bench.journal.open()
    session = Session(bench.console, supervisor, await bench.practice_environment())
    section = EnvironmentsSection(session)
    qtbot.addWidget(section)
    section.resize(920, 600)
    section.show()
    await until(lambda: section.model.rows)
    return Settings(bench, session, section, until)


def line(within: QWidget, name: str) -> QLineEdit:
    return next(one for one in within.findChildren(QLineEdit) if one.accessibleName() == name)


def enter(qtbot: QtBot, settings: Settings, name: str = "Shop", url: str = URL) -> None:
    """Fill the form of a new environment in."""
    press(settings.section, "Add environment")
    qtbot.keyClicks(line(settings.section, "Environment name"), name)
    qtbot.keyClicks(line(settings.section, "Base URL"), url)


# --- adding ------------------------------------------------------------------------------------------


async def test_an_added_environment_is_tried_and_what_answered_is_told(
    qtbot: QtBot, settings: Settings
) -> None:
    enter(qtbot, settings)
    line(settings.section, "Portal address").setText("https://portal.example/keys")
    line(settings.section, "Maximum amount per sale").setText("50")
    press(settings.section, "Add environment")
    await settings.until(lambda: settings.told == FOUND)
    added = settings.section.model.rows[1].environment
    assert (added.portal_url, added.amount_limit) == ("https://portal.example/keys", Decimal("50.00"))
    assert settings.section.message.text() == "“Shop” was added."
    assert settings.section.chosen == added
    assert settings.bench.gateway.tries == [(URL, "system")]
    settings.section.table.select_row(0)
    assert settings.told == ""


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (ConnectionResult("", BaseUrlFound.NOT_REACHED, 0.1, reason=Reason.NAME_NOT_FOUND), "host name"),
        (ConnectionResult("", BaseUrlFound.NOT_REACHED, 0.1, reason=Reason.TLS_SELF_SIGNED), "trusts"),
        (ConnectionResult("", BaseUrlFound.NO_ANSWER, 8.0, reason=Reason.TIMEOUT), "8.00 s"),
        (ConnectionResult("", BaseUrlFound.PAGE, 0.1, 200), "web page"),
        (ConnectionResult("", BaseUrlFound.OPEN, 0.1, 200), "without asking for a key"),
    ],
)
async def test_an_environment_is_added_whatever_answers_and_that_is_told_in_plain_words(
    qtbot: QtBot, settings: Settings, found: ConnectionResult, words: str
) -> None:
    settings.bench.gateway.to_try = [found]
    enter(qtbot, settings)
    press(settings.section, "Add environment")
    await settings.until(lambda: words in settings.told)
    assert settings.section.connection.message.property("tone") in {"bad", "warning"}


async def test_a_try_can_be_stopped_and_was_none_then(qtbot: QtBot, settings: Settings) -> None:
    await settings.hold_tries()
    enter(qtbot, settings)
    press(settings.section, "Add environment")
    await settings.until(settings.asked.is_set)
    assert settings.told == "Trying gateway.example…"
    press(settings.section, "Stop trying")
    await settings.until(lambda: settings.told == "Stopped. The address wasn't tried.")
    settings.go_on.set()
    press(settings.section, "Try the connection")
    await settings.until(lambda: settings.told == FOUND)


async def test_what_is_found_of_one_is_not_told_of_another(qtbot: QtBot, settings: Settings) -> None:
    await settings.add("Kiosk")
    await settings.hold_tries()
    enter(qtbot, settings)
    press(settings.section, "Add environment")
    await settings.until(settings.asked.is_set)
    await settings.until(lambda: settings.names == ["practice", "Kiosk", "Shop"])
    settings.section.table.select_row(1)
    assert settings.told == "Trying gateway.example…"
    settings.go_on.set()
    await settings.until(lambda: settings.told == "")


async def test_esc_and_cancel_leave_nothing_of_what_was_entered(qtbot: QtBot, settings: Settings) -> None:
    enter(qtbot, settings)
    form = settings.section.form
    qtbot.keyClick(form.url_edit, Qt.Key.Key_Escape)
    assert form.isHidden()
    enter(qtbot, settings)
    assert (form.name_edit.text(), form.url_edit.text()) == ("Shop", URL)
    form.cancel_button.click()

    await settings.add()
    await settings.edit()
    form.name_edit.setText("Kiosk")
    qtbot.keyClick(form.name_edit, Qt.Key.Key_Escape)
    await settings.edit()
    assert form.name_edit.text() == "Shop"


# --- corrected with one click ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entered", "offered", "words"),
    [
        (f"{URL}/api/v5", URL, "twice"),
        (f"{URL}/api/v5/devices/till-1/payment-requests/sale", URL, "twice"),
        ("http://gateway.example:80", URL, "http"),
        ("gateway.example", URL, "https://"),
        (f"{URL}/merchants/login.php", URL, "portal"),
        (f"{URL}/?a=1", URL, "?"),
        ("https://me:word@gateway.example", URL, "secret"),
    ],
)
async def test_what_is_wrong_with_an_address_is_named_beside_the_one_to_use(
    qtbot: QtBot, settings: Settings, entered: str, offered: str, words: str
) -> None:
    enter(qtbot, settings, url=entered)
    form = settings.section.form
    assert words in form.url_field.message.text()
    press(form, f"Use {offered}")
    assert form.url_edit.text() == offered
    assert not form.url_field.has_message
    assert form.use_button.isHidden()
    assert not form.url_edit.isUndoAvailable(), "a password in it could be brought back"
    press(settings.section, "Add environment")
    await settings.until(lambda: settings.told == FOUND)
    assert settings.section.model.rows[-1].environment.base_url == offered
    assert settings.bench.gateway.tries == [(offered, "system")], "nothing was called as it was entered"


async def test_nothing_is_offered_for_an_address_that_can_be_used(qtbot: QtBot, settings: Settings) -> None:
    enter(qtbot, settings, url=f"  {URL}/shop/ ")
    assert settings.section.form.use_button.isHidden()
    assert not settings.section.form.url_field.has_message


async def test_an_address_is_tried_before_it_is_added(qtbot: QtBot, settings: Settings) -> None:
    meant = Correction(f"{URL}/v2", Slip.DOUBLED_PATH)
    moved = ConnectionResult(
        "", BaseUrlFound.REDIRECT, 0.1, 302, leads_to=f"{URL}/v2/api/v5/devices", correction=meant
    )
    settings.bench.gateway.to_try = [moved, ASKS_FOR_KEY]
    enter(qtbot, settings)
    form = settings.section.form
    press(form, "Try the connection")
    await settings.until(lambda: f"redirect to {URL}/v2/api/v5/devices" in form.connection.message.text())
    press(form, f"Use {URL}/v2")
    assert form.url_edit.text() == f"{URL}/v2"
    assert form.connection.isHidden(), "what was found is of another address"
    press(form, "Try the connection")
    await settings.until(lambda: form.connection.message.text() == FOUND)
    assert settings.names == ["practice"]


async def test_a_try_of_a_wrong_address_goes_to_its_field(qtbot: QtBot, settings: Settings) -> None:
    enter(qtbot, settings, url="https://me:word@gateway.example")
    press(settings.section.form, "Try the connection")
    assert not settings.bench.gateway.tries
    assert "secret" in settings.section.form.url_field.message.text()


async def test_what_a_try_found_is_corrected_in_the_list_with_one_click(
    qtbot: QtBot, settings: Settings
) -> None:
    wrong = ConnectionResult("", BaseUrlFound.PAGE, 0.1, 200, correction=Correction(URL, Slip.PORTAL))
    settings.bench.gateway.to_try = [wrong, ASKS_FOR_KEY]
    enter(qtbot, settings, url=f"{URL}/shop")
    press(settings.section, "Add environment")
    await settings.until(lambda: "web page" in settings.told)
    press(settings.section, f"Use {URL}")
    await settings.until(lambda: settings.told == FOUND)
    await settings.until(lambda: settings.section.model.rows[1].environment.base_url == URL)
    assert [url for url, _proxy in settings.bench.gateway.tries] == [f"{URL}/shop", URL]


# --- editing -----------------------------------------------------------------------------------------


async def test_a_changed_name_follows_everywhere_at_once(qtbot: QtBot, settings: Settings) -> None:
    shop = await settings.add()
    sale = await settings.bench.console.sell.note(await settings.bench.draft(environment=shop))
    band, history = Band(settings.session.environment), HistoryPage(settings.session)
    for widget in (band, history):
        qtbot.addWidget(widget)
        widget.show()
    band.attach(settings.session)
    history.filters.where.choose("")
    await settings.until(lambda: [row.environment for row in history.model.rows] == ["Shop"])
    settings.session.choose_environment(shop)

    await settings.edit()
    name = line(settings.section, "Environment name")
    assert name.text() == "Shop"
    name.setText("Kiosk")
    press(settings.section, "Save")
    await settings.until(lambda: settings.names == ["practice", "Kiosk"])
    await settings.until(lambda: settings.session.environment.name == "Kiosk")
    await settings.until(lambda: band.environment_box.currentText() == "Kiosk")
    await settings.until(lambda: [row.environment for row in history.model.rows] == ["Kiosk"])
    assert settings.section.message.text() == "“Kiosk” was changed."
    assert not settings.bench.gateway.tries, "a name is nothing to try"
    assert (await settings.bench.console.sale(sale.reference)).environment_id == shop.id


async def test_a_name_that_another_has_is_refused_and_its_own_is_not(settings: Settings) -> None:
    await settings.add("Kiosk")
    await settings.add("Shop")
    await settings.edit()
    name = line(settings.section, "Environment name")
    for text, refused in (("kiosk", True), ("PRACTICE", True), ("SHOP", False)):
        name.setText(text)
        assert ("already" in settings.section.form.name_field.message.text()) == refused
    press(settings.section, "Save")
    await settings.until(lambda: settings.names == ["practice", "Kiosk", "SHOP"])


async def test_what_is_typed_stays_and_only_what_was_changed_is_changed(settings: Settings) -> None:
    shop = await settings.add()
    await settings.edit()
    name = line(settings.section, "Environment name")
    name.setText("Kiosk")
    await settings.bench.console.environments.edit(shop, limit="7.50", portal_url="https://portal.example")
    await settings.bench.console.add_key.keep(
        shop, KeyDraft("till", "mira", "Sale", KeyKind.PRIVATE), MADE_UP
    )
    await settings.until(lambda: [row.keys for row in settings.section.model.rows] == [0, 1])
    assert name.text() == "Kiosk"
    press(settings.section, "Save")
    await settings.until(lambda: "Kiosk" in settings.names)
    stored = await settings.bench.console.world.stored(shop)
    assert stored == replace(
        shop, name="Kiosk", amount_limit=Decimal("7.50"), portal_url="https://portal.example"
    )


async def test_the_kind_stays_and_a_contract_whose_file_is_gone_is_shown(settings: Settings) -> None:
    shop = await settings.add("Shop", EnvironmentKind.LIVE)
    await settings.bench.journal.update_environment(shop.id, lambda stored: replace(stored, contract="gone"))
    await settings.bench.console.environments.edit(shop, limit="5")
    await settings.until(lambda: settings.section.model.rows[1].environment.contract == "gone")
    await settings.edit()
    form = settings.section.form
    assert not form.kind_box.isEnabled()
    assert form.kind_box.currentText() == "Live"
    assert form.contract_box.currentText() == "gone"
    assert form.changes() == {}
    press(settings.section, "Save")
    await settings.until(form.isHidden)


async def test_a_live_one_is_moved_after_a_question_only(settings: Settings) -> None:
    live = await settings.add("Shop", EnvironmentKind.LIVE)
    await settings.edit()
    line(settings.section, "Base URL").setText(ELSEWHERE)
    press(settings.section, "Save")
    question = await settings.question()
    assert question.windowTitle() == "Call “Shop” at another address?"
    text = question.accessibleDescription()
    assert f"From {URL} to {ELSEWHERE}." in text
    assert "▲ LIVE: real money" in text
    assert "wasn't tried" in text
    assert question.cancel_button.isDefault()
    question.cancel_button.click()
    await settings.until(settings.section.form.add_button.isEnabled)
    assert await settings.bench.console.world.stored(live) == live
    assert line(settings.section, "Base URL").text() == ELSEWHERE, "nothing that was entered is lost"

    press(settings.section.form, "Try the connection")
    await settings.until(lambda: settings.section.form.connection.message.text() == FOUND)
    press(settings.section, "Save")
    question = await settings.question()
    assert FOUND in question.accessibleDescription()
    question.confirm_button.click()
    await settings.until(lambda: settings.section.model.rows[1].environment.base_url == ELSEWHERE)
    await settings.until(lambda: settings.told == FOUND)


async def test_sales_and_keys_are_named_before_a_move(settings: Settings) -> None:
    shop = await settings.add()
    await settings.bench.console.sell.note(await settings.bench.draft(environment=shop))
    await settings.edit()
    line(settings.section, "Base URL").setText(ELSEWHERE)
    press(settings.section, "Save")
    text = (await settings.question()).accessibleDescription()
    assert "A sale without an outcome is asked for at the new address." in text
    assert "Its key goes with it" in text


async def test_of_practice_only_the_limit_can_be_changed_and_why_is_said(settings: Settings) -> None:
    await settings.edit("practice")
    form = settings.section.form
    assert "built in" in form.note.text()
    assert "built in" in settings.section.edit_action.toolTip()
    shown = {one.accessibleName() for one in form.findChildren(QLineEdit) if one.isVisible()}
    assert shown == {"Environment name", "Maximum amount per sale"}
    assert not form.name_edit.isEnabled()
    form.limit_edit.setText("5")
    press(settings.section, "Save")
    await settings.until(lambda: settings.section.model.rows[0].environment.amount_limit == Decimal("5.00"))


async def test_the_form_of_one_that_was_removed_elsewhere_is_closed(settings: Settings) -> None:
    shop = await settings.add()
    await settings.edit()
    await settings.bench.console.environments.remove(shop)
    await settings.until(settings.section.form.isHidden)
    assert settings.section.message.text() == "“Shop” was removed meanwhile."


async def test_a_portals_own_address_is_opened_for_its_keys(qtbot: QtBot, settings: Settings) -> None:
    shop = await settings.add()
    portal = "https://portal.example/keys"
    for entered, opened in (("", f"{URL}/settings/keys"), (portal, portal)):
        where = await settings.bench.console.environments.edit(shop, portal_url=entered)
        settings.session.choose_environment(where)
        view = AddKeyView(settings.session, (), None)
        qtbot.addWidget(view)
        assert view.portal_url == opened


# --- removing ----------------------------------------------------------------------------------------


async def test_removing_counts_the_keys_and_the_values_that_go_with_it(settings: Settings) -> None:
    shop = await settings.add()
    key = (
        await settings.bench.console.add_key.keep(
            shop, KeyDraft("Key 000", "mira", "Sale", KeyKind.PRIVATE), MADE_UP
        )
    ).key
    for number in range(1, 3):
        described = replace(key, id=f"k{number}", name=f"Key {number:03}", state=KeyState.NO_VALUE)
        await settings.bench.journal.add_key(replace(described, fingerprint=""))
    settings.section.table.select(shop.id)
    press(settings.section, "Remove environment")
    question = await settings.question()
    text = question.accessibleDescription()
    assert "Its 3 keys go with it. One value is deleted from the keystore;" in text
    assert "stay in the history" in text
    question.confirm_button.click()
    await settings.until(lambda: settings.names == ["practice"])
    assert not settings.bench.keystore.entries
    assert not await settings.bench.journal.all_keys()


async def test_one_with_sales_under_way_says_why_it_stays(settings: Settings) -> None:
    shop = await settings.add()
    await settings.bench.console.sell.note(await settings.bench.draft(environment=shop))
    press(settings.section, "Remove environment")
    question = await settings.question()
    assert question.windowTitle() == "“Shop” can't be removed yet"
    assert question.accessibleDescription() == "A sale is still under way. Wait for its outcome first."
    assert not question.cancel_button.isVisible()
    question.confirm_button.click()
    await settings.until(lambda: not question.isVisible())
    assert "Shop" in settings.names


async def test_the_first_thing_to_do_is_said_until_there_is_an_environment(settings: Settings) -> None:
    assert settings.section.first_steps.isVisible()
    await settings.add()
    await settings.until(lambda: not settings.section.first_steps.isVisible())


async def test_every_field_begins_where_its_label_does_and_grows_with_the_text(
    settings: Settings, light_theme: Theme
) -> None:
    press(settings.section, "Add environment")
    form = settings.section.form
    await settings.until(form.isVisible)
    for one in (*form.fields, form.proxy.box_field):
        assert one.editor.mapTo(form, QPoint()).x() == one.label.mapTo(form, QPoint()).x(), one.label.text()
    narrow = (form.proxy.box, form.contract_box, form.kind_box, form.limit_edit)
    before = [one.width() for one in narrow]
    light_theme.choose_text_size("18")
    await settings.until(lambda: all(one.width() > was for one, was in zip(narrow, before, strict=True)))


async def test_everything_is_reached_by_the_keyboard_in_reading_order(
    qtbot: QtBot, settings: Settings
) -> None:
    press(settings.section, "Add environment")
    window = settings.section.window()
    window.activateWindow()
    await settings.until(window.isActiveWindow)
    form, seen = settings.section.form, []
    form.name_edit.setFocus()
    for _step in range(10):
        at = form.focusWidget()
        seen.append(at.accessibleName())
        qtbot.keyClick(at, Qt.Key.Key_Tab)
    assert seen == [
        *("Environment name", "Environment kind", "Base URL", "API version", "Portal address"),
        *("Maximum amount per sale", "Proxy", "Try the connection", "Cancel", "Add environment"),
    ]
