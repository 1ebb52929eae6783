"""The Keys page: views made when they are wanted, remembered, and asking for one another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench.core.security_key import KeyKind, SecurityKey
from keybench.ui.administration.page import VIEWS, KeysPage, ViewSpec
from keybench.ui.administration.view import KeysView
from keybench.ui.preferences import Preferences
from keybench.ui.session import Session

KEY = SecurityKey(
    "k1",
    "practice",
    "Till",
    "mira",
    "Sale",
    KeyKind.PRIVATE,
    "",
    "acorn-alarm-album-alley",
    datetime(2026, 1, 1, tzinfo=UTC),
)


class Seen(KeysView):
    """A view that remembers what happened to it."""

    def __init__(self, name: str, made: list[str]) -> None:
        super().__init__()
        made.append(name)
        self.shown: list[SecurityKey] = []

    def show_key(self, key: SecurityKey) -> None:
        self.shown.append(key)


@pytest.fixture
def made() -> list[str]:
    return []


@pytest.fixture
def page(qtbot: QtBot, session: Session, made: list[str]) -> Callable[[Preferences], KeysPage]:
    def view(name: str) -> ViewSpec:
        return ViewSpec(name, lambda _session, _preferences: Seen(name, made))

    def make(preferences: Preferences) -> KeysPage:
        page = KeysPage(session, preferences, [view("Inventory"), view("Applications")])
        qtbot.addWidget(page)
        return page

    return make


async def test_a_view_is_made_when_it_is_first_wanted(
    page: Callable[[Preferences], KeysPage], made: list[str]
) -> None:
    keys = page(Preferences())
    assert made == ["Inventory"]
    keys.segments.choose("Applications")
    keys.segments.choose("Inventory")
    assert made == ["Inventory", "Applications"]
    assert keys.stack.currentWidget() is keys.view("Inventory")


async def test_the_view_is_the_one_of_last_time(page: Callable[[Preferences], KeysPage]) -> None:
    preferences = Preferences()
    before = page(preferences)
    before.segments.choose("Applications")
    again = page(preferences)
    assert again.segments.value == "Applications"
    assert again.view("Inventory") is None


async def test_a_view_can_ask_for_another_about_a_key(page: Callable[[Preferences], KeysPage]) -> None:
    keys = page(Preferences())
    inventory = keys.view("Inventory")
    assert inventory is not None
    inventory.view_asked.emit("Applications", KEY)
    applications = keys.view("Applications")
    assert isinstance(applications, Seen)
    assert applications.shown == [KEY]
    inventory.view_asked.emit("Nowhere", None)
    assert keys.segments.value == "Applications"


async def test_the_views_stand_in_the_order_of_the_work(qtbot: QtBot, session: Session, until: Until) -> None:
    names = [view.name for view in VIEWS]
    assert names == ["Inventory", "Applications", "Review", "Activity"]
    page = KeysPage(session, Preferences())
    qtbot.addWidget(page)
    for name in names:
        assert page.show_view(name) is page.stack.currentWidget()
    await until(lambda: not session.supervisor.running)
