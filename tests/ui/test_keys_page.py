"""The Keys page: views made when they are wanted, remembered, and asking for one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench.core.keys.key import KeyKind, SecurityKey
from keybench.ui.keys.page import VIEWS, KeysPage, ViewSpec
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.session import Session

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


class Sign(QWidget):
    """A view that remembers what happened to it."""

    def __init__(self, name: str, made: list[str]) -> None:
        super().__init__()
        made.append(name)
        self.shown: list[SecurityKey] = []
        self.search = QLineEdit(self)

    def show_keys(self, keys: Sequence[SecurityKey]) -> None:
        self.shown += keys


Make = Callable[..., KeysPage]


@pytest.fixture
def made() -> list[str]:
    return []


@pytest.fixture
def page(qtbot: QtBot, session: Session, made: list[str]) -> Make:
    def view(name: str) -> ViewSpec:
        return ViewSpec(name, name.title(), lambda _session: Sign(name, made))

    def make(preferences: Preferences, parent: QWidget | None = None) -> KeysPage:
        session.preferences = preferences
        page = KeysPage(session, [view("inventory"), view("applications")], parent)
        if parent is None:
            qtbot.addWidget(page)
        return page

    return make


async def test_a_view_is_made_when_it_is_first_wanted(page: Make, made: list[str]) -> None:
    keys = page(Preferences())
    assert made == ["inventory"]
    keys.segments.choose("applications")
    keys.segments.choose("inventory")
    assert made == ["inventory", "applications"]
    assert keys.stack.currentWidget() is keys.view("inventory")


async def test_the_view_is_the_one_of_last_time(page: Make) -> None:
    preferences = Preferences()
    before = page(preferences)
    before.segments.choose("applications")
    again = page(preferences)
    assert again.segments.value == "applications"
    assert again.view("inventory") is None


async def test_the_view_of_last_time_is_known_by_its_title_too(
    page: Make,
) -> None:
    preferences = Preferences()
    preferences.set_text("keys/view", "Applications")
    assert page(preferences).segments.value == "applications"
    assert preferences.text("keys/view") == "applications"


async def test_a_view_is_shown_for_a_key(page: Make) -> None:
    keys = page(Preferences())
    keys.show_view("applications", (KEY,))
    applications = keys.view("applications")
    assert isinstance(applications, Sign)
    assert applications.shown == [KEY]
    assert keys.segments.value == "applications"


async def test_the_title_stands_before_the_choice_of_views(page: Make) -> None:
    keys = page(Preferences())
    keys.segments.choose("applications")
    layout = keys.layout()
    assert layout is not None
    layout.activate()
    (title,) = (one for one in keys.findChildren(QLabel) if one.text() == "Keys")
    assert title.geometry().right() < keys.segments.geometry().left()


async def test_the_views_stand_in_the_order_of_the_work(qtbot: QtBot, session: Session, until: Until) -> None:
    assert [view.title for view in VIEWS] == ["Inventory", "Applications", "Review", "Activity"]
    page = KeysPage(session)
    qtbot.addWidget(page)
    for view in VIEWS:
        page.show_view(view.id)
        assert page.view(view.id) is page.stack.currentWidget()
    await until(lambda: not session.supervisor.running)


async def test_the_pages_title_comes_first_and_is_the_only_one(
    qtbot: QtBot, session: Session, until: Until
) -> None:
    page = KeysPage(session)
    qtbot.addWidget(page)
    page.resize(1024, 640)
    page.show()
    for view in VIEWS:
        page.show_view(view.id)
        await until(lambda: not session.supervisor.running)
        titles = [one for one in page.findChildren(QLabel) if one.property("role") == "title"]
        assert [one.text() for one in titles if one.parent() is page] == ["Keys"]
        assert not {one.text() for one in titles if one.isVisible()} & {one.title for one in VIEWS}
        assert titles[0].geometry().right() < page.segments.x()
    await until(lambda: not session.supervisor.running)


async def test_tab_comes_to_a_views_search_before_the_choice_of_views(
    page: Make, qtbot: QtBot, until: Until
) -> None:
    window, rail = QWidget(), QPushButton("Keys")
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.addWidget(rail)
    shown = page(Preferences(), window)
    column.addWidget(shown)
    window.show()
    window.activateWindow()
    await until(window.isActiveWindow)
    for name in ("inventory", "applications"):
        shown.show_view(name)
        view = shown.view(name)
        assert isinstance(view, Sign)
        rail.setFocus()
        qtbot.keyClick(rail, Qt.Key.Key_Tab)
        assert view.search.hasFocus()
        qtbot.keyClick(view.search, Qt.Key.Key_Tab)
        assert shown.segments.isAncestorOf(window.focusWidget())
