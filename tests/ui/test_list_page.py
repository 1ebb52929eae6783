"""A list with its detail: what a page costs whose rows are read, searched, selected and shown below."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import JournalError
from keybench.core.events import EnvironmentsChanged
from keybench.ui.kit.labels import Label
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.reading import UNREADABLE
from keybench.ui.shared.session import Session

# --- a whole page -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Site:
    """A gateway that can be talked to, and how many keys there are for it."""

    name: str
    url: str
    keys: int


COLUMNS: Final[tuple[Column[Site], ...]] = (
    Column("name", "Name", lambda site: site.name, bold=True),
    Column("url", "Base URL", lambda site: site.url or "built in", stretch=True),
    Column("keys", "Keys", lambda site: str(site.keys), right=True, sort=lambda site: site.keys),
)


class SitesPage(ListPage[Site]):
    """Every gateway; the selected one's address stands below the list."""

    is_page = True
    stale_after = (EnvironmentsChanged,)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        table = Table("Sites", TableModel(COLUMNS, lambda site: site.name))
        super().__init__(session, "sites", table, search_field("Find sites", "Find by name"), parent)
        self.detail = Label()
        self.again = QPushButton("Look again")
        self.again.clicked.connect(self.refresh)
        self.lay_out(title="Sites", actions=[self.again], detail=self.detail)

    async def read(self) -> Sequence[Site]:
        console = self.session.console
        return [
            Site(one.name, one.base_url, len(await console.keys.listed(one)))
            for one in await console.environments.all()
        ]

    def show_row(self, row: Site | None) -> None:
        self.detail.setText(row.url if row else "Choose a site above.")

    def summary(self) -> str:
        return f"{self.model.rowCount():,} of {len(self.model.items):,} sites"

    def empty_words(self) -> str:
        return "No site matches." if self.model.items else "No site yet."


# --- what it does -----------------------------------------------------------------------------------

URL = "https://{}.example-gateway.com"


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> SitesPage:
    page = SitesPage(session)
    qtbot.addWidget(page)
    page.resize(700, 500)
    return page


def names(page: SitesPage) -> list[str]:
    return [site.name for site in page.model.rows]


async def add(session: Session, name: str) -> None:
    await session.console.environments.add(name, EnvironmentKind.TEST, URL.format(name))


async def test_it_reads_when_it_comes_into_sight_and_when_something_changed(
    page: SitesPage, session: Session, until: Until
) -> None:
    assert not session.supervisor.running
    page.show()
    await until(lambda: names(page) == ["practice"])
    assert page.status.text() == "1 of 1 sites"
    await add(session, "shop")
    await until(lambda: names(page) == ["practice", "shop"])
    page.hide()
    await add(session, "kiosk")
    await until(lambda: not session.supervisor.running)
    assert names(page) == ["practice", "shop"]
    page.show()
    await until(lambda: names(page) == ["practice", "kiosk", "shop"])


async def test_the_selected_row_is_shown_below_and_stays_selected(
    page: SitesPage, session: Session, until: Until
) -> None:
    await add(session, "shop")
    page.show()
    await until(lambda: len(names(page)) == 2)
    assert page.detail.text() == "Choose a site above."
    page.table.select("shop")
    assert page.detail.text() == URL.format("shop")
    await add(session, "kiosk")
    await until(lambda: len(names(page)) == 3)
    assert page.table.selected_number == 2
    page.search.setText("kiosk")
    assert page.detail.text() == "Choose a site above."


async def test_it_is_searched_from_the_keyboard(
    page: SitesPage, session: Session, until: Until, qtbot: QtBot
) -> None:
    page.show()
    page.activateWindow()
    await until(lambda: page.isActiveWindow() and names(page) == ["practice"])
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    await until(page.search.hasFocus)
    qtbot.keyClicks(page.search, "elsewhere")
    assert (names(page), page.table.empty_text) == ([], "No site matches.")
    assert page.table.accessibleDescription() == "No site matches."
    assert page.status.text() == "0 of 1 sites"


async def test_tab_comes_to_the_search_first_then_to_the_rows_and_at_last_to_the_actions(
    page: SitesPage, until: Until, qtbot: QtBot
) -> None:
    page.show()
    page.activateWindow()
    await until(lambda: page.isActiveWindow() and names(page) == ["practice"])
    page.setFocus()
    for expected in (page.search, page.table, page.edge.handle(1), page.again):
        qtbot.keyClick(page.focusWidget() or page, Qt.Key.Key_Tab)
        assert expected.hasFocus()


async def test_what_cant_be_read_is_said(page: SitesPage, session: Session, until: Until) -> None:
    failures: list[object] = []
    session.failed.connect(failures.append)
    await session.console.world.journal.close()
    page.show()
    await until(lambda: failures)
    assert isinstance(failures[0], JournalError)
    assert (page.status.text(), page.table.empty_text) == (UNREADABLE, UNREADABLE)
    await session.console.world.journal.open()
    page.again.click()
    await until(lambda: names(page) == ["practice"])


async def test_what_couldnt_be_read_is_read_when_the_page_is_seen_again(
    page: SitesPage, session: Session, until: Until
) -> None:
    await session.console.world.journal.close()
    page.show()
    await until(lambda: page.status.text() == UNREADABLE)
    page.hide()
    await session.console.world.journal.open()
    page.show()
    await until(lambda: names(page) == ["practice"])


class SlowPage(SitesPage):
    """Looks for what is entered by reading, and reads for as long as a test wants."""

    searches_rows = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.may_end = asyncio.Event()
        self.reads = 0
        self.search.textChanged.connect(self.look_again)

    def wanted(self) -> str:
        return self.search.text()

    async def read(self) -> Sequence[Site]:
        self.reads += 1
        await self.may_end.wait()
        return await super().read()


async def test_a_search_taken_back_while_it_is_read_leaves_no_sign_of_it(
    qtbot: QtBot, session: Session, until: Until
) -> None:
    page = SlowPage(session)
    qtbot.addWidget(page)
    page.may_end.set()
    page.show()
    await until(lambda: names(page) == ["practice"])
    page.may_end.clear()
    page.search.setText("shop")
    await until(lambda: page.reads == 2)
    page.search.clear()
    page.may_end.set()
    await until(lambda: not session.supervisor.running)
    await until(lambda: not page._first._slow.isActive())
    assert page.status.text() == "1 of 1 sites"


class AllSites(SlowPage):
    """Has nothing to choose by."""

    def wanted(self) -> object:
        return None


async def test_a_first_reading_that_takes_long_shows_that_it_is_under_way(
    qtbot: QtBot, session: Session, until: Until
) -> None:
    page = AllSites(session)
    qtbot.addWidget(page)
    page._first._slow.setInterval(0)
    page.show()
    await until(lambda: page.status.text() == page.loading_text)
    page.may_end.set()
    await until(lambda: page.status.text() == "1 of 1 sites")


async def test_columns_and_edge_come_back(
    page: SitesPage, session: Session, until: Until, qtbot: QtBot
) -> None:
    page.show()
    await until(lambda: names(page) == ["practice"])
    page.edge.setSizes([200, 150])
    page.edge.splitterMoved.emit(200, 1)
    page.table.horizontalHeader().resizeSection(0, 222)
    sizes = page.edge.sizes()
    page.hide()
    again = SitesPage(session)
    qtbot.addWidget(again)
    again.resize(page.size())
    again.show()
    assert again.edge.sizes() == sizes
    assert again.table.columnWidth(0) == 222
