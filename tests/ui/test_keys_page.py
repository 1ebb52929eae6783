"""The Keys page: views made when they are wanted, remembered, and asking for one another."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.ui.keys.inventory import InventoryView
from keybench.ui.keys.page import VIEWS, KeysPage
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.session import Session

Make = Callable[[Preferences], KeysPage]


@pytest.fixture
def make(qtbot: QtBot, session: Session) -> Make:
    def made(preferences: Preferences) -> KeysPage:
        session.preferences = preferences
        page = KeysPage(session)
        qtbot.addWidget(page)
        return page

    return made


async def test_a_view_is_made_when_it_is_first_wanted(make: Make) -> None:
    page = make(Preferences())
    assert page._views.get("applications") is None
    page.segments.choose("applications")
    applications = page._views.get("applications")
    page.segments.choose("inventory")
    page.segments.choose("applications")
    assert page.stack.currentWidget() is page._views.get("applications") is applications


@pytest.mark.parametrize("known_as", ["applications", "Applications"])
async def test_the_view_is_the_one_of_last_time(make: Make, known_as: str) -> None:
    preferences = Preferences()
    preferences.set_text("keys/view", known_as)
    page = make(preferences)
    assert page.segments.value == "applications"
    assert page._views.get("inventory") is None
    page.segments.choose("activity")
    assert make(preferences).segments.value == "activity"


async def test_a_view_is_shown_for_a_key(make: Make, session: Session) -> None:
    for name in ("Kiosk", "Till"):
        draft = KeyDraft(name, "counter1", "API", KeyKind.PRIVATE)
        key = (await session.console.add_key.create(session.environment, draft)).key
    page = make(Preferences())
    page.show()
    page.show_view("review", (key,))
    page.show_view("inventory", (key,))
    inventory = page._views.get("inventory")
    assert isinstance(inventory, InventoryView)
    await until(lambda: [row.key.name for row in inventory.table.selection] == ["Till"])
    assert page.segments.value == "inventory"


async def test_the_pages_title_comes_first_and_is_the_only_one(make: Make, session: Session) -> None:
    assert [name for name, _make in VIEWS.values()] == ["Inventory", "Applications", "Review", "Activity"]
    page = make(Preferences())
    page.resize(1024, 640)
    page.show()
    for view, (name, _make) in VIEWS.items():
        page.show_view(view)
        assert page._views.get(view) is page.stack.currentWidget()
        await until(lambda: not session.supervisor.running)
        titles = [one for one in page.findChildren(QLabel) if one.property("role") == "title"]
        assert [one.text() for one in titles if one.parent() is page] == ["Keys"]
        assert name not in {one.text() for one in titles if one.isVisible()}
        assert titles[0].geometry().right() < page.segments.x()
