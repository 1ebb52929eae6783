"""What waits for a person: counted on the rail over all environments, kept current, and led to."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from contracts.journal_samples import a_key, a_point, a_sale, an_environment
from contracts.register_samples import a_rotation, abandoned, start
from fakes.clock import MovedClock
from fakes.waiting import Until
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalBusy
from keybench.core.events import KeysChanged, RotationChanged, SaleChanged
from keybench.core.ports import Journal
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, Verdict
from keybench.ui.history.page import HistoryPage
from keybench.ui.keys.inventory import InventoryView
from keybench.ui.keys.page import KeysPage
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import tokens
from keybench.ui.rotations.page import RotationsPage
from keybench.ui.shared import attention
from keybench.ui.shared.attention import AttentionButton, AttentionWatch, PageCount
from keybench.ui.shared.session import Session
from keybench.ui.shell.window import MainWindow
from keybench.workflows.world import World

from .frame import SMALL_PAGES

SHOP = an_environment("shop")


@pytest.fixture
def journal(world: World) -> Journal:
    return world.journal


@pytest.fixture
async def watch(session: Session, journal: Journal) -> AttentionWatch:
    """A watch over two environments, each with a key."""
    await journal.add_environment(SHOP)
    await journal.add_key(a_key("till"))
    await journal.add_key(a_key("web", environment_id=SHOP.id))
    watch = AttentionWatch(session)
    watch.begin()
    return watch


async def leak(session: Session, key: str, environment_id: str) -> None:
    """Take a key as compromised, in a rotation of its own."""
    rotation = a_rotation(f"R-{key}", key=key, environment_id=environment_id)
    await start(session.console.world.journal, replace(rotation, compromised=True))
    session.console.events.publish(RotationChanged(rotation.id, environment_id))


async def end(session: Session, reference: str, outcome: Outcome, environment_id: str = PRACTICE_ID) -> Sale:
    """Keep a sale that ended, or end it in another way, and let everyone hear of it."""
    journal = session.console.world.journal
    sale = a_sale(reference, environment_id=environment_id)
    if not any(one.reference == reference for one in await journal.sales(None, 100)):
        await journal.note_sale(sale, a_point(sale))
    ended = sale.finish(Verdict(outcome), sale.noted_at + timedelta(seconds=5))
    await journal.advance_sale(reference, lambda _stored: ended)
    session.console.events.publish(SaleChanged(ended, SaleEvent(reference, sale.noted_at, Mark.OUTCOME)))
    return ended


def count(session: Session, page: str) -> PageCount | None:
    return session.waiting.counts.get(page) if session.waiting else None


def words(session: Session, page: str) -> str:
    found = count(session, page)
    return found.words if found else ""


async def test_compromised_keys_of_all_environments_are_counted(
    session: Session, watch: AttentionWatch, until: Until
) -> None:
    await leak(session, "till", PRACTICE_ID)
    await until(lambda: words(session, attention.KEYS) == "1 compromised key")
    await leak(session, "web", SHOP.id)
    await until(lambda: words(session, attention.KEYS) == "2 compromised keys")
    found = count(session, attention.KEYS)
    assert found is not None
    assert found.where == "practice: 1\nshop: 1"
    assert found.tone == "bad"
    await session.console.world.journal.remove_key(a_key("web").id)
    session.console.events.publish(KeysChanged(SHOP.id))
    await until(lambda: words(session, attention.KEYS) == "1 compromised key")


async def test_unknown_sales_are_counted_until_they_are_known(
    session: Session, watch: AttentionWatch, until: Until
) -> None:
    await end(session, "KB-1", Outcome.UNKNOWN, SHOP.id)
    await end(session, "KB-2", Outcome.UNKNOWN, "gone")
    await until(lambda: words(session, attention.HISTORY) == "2 unknown sales")
    found = count(session, attention.HISTORY)
    assert found is not None
    assert found.where == "shop: 1\na removed environment: 1"
    assert found.tone == "unknown"
    await end(session, "KB-1", Outcome.APPROVED, SHOP.id)
    await until(lambda: words(session, attention.HISTORY) == "1 unknown sale")


async def test_a_rotation_becomes_overdue_with_time_alone(
    session: Session, watch: AttentionWatch, until: Until, clock: MovedClock
) -> None:
    rotation = await start(session.console.world.journal, a_rotation("R-1", key="till"))
    session.console.events.publish(RotationChanged(rotation.id, PRACTICE_ID))
    await until(lambda: watch._found.open_rotations)
    assert count(session, attention.ROTATIONS) is None
    await clock.advance((rotation.overlap_ends_at - clock.now()).total_seconds())
    watch._minutes.timeout.emit()
    assert words(session, attention.ROTATIONS) == "1 urgent rotation"
    await session.console.world.journal.advance_rotation(rotation.id, abandoned)
    session.console.events.publish(RotationChanged(rotation.id, PRACTICE_ID))
    await until(lambda: count(session, attention.ROTATIONS) is None)


async def test_a_journal_that_cant_be_read_leaves_the_counts(
    session: Session, watch: AttentionWatch, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: list[object] = []
    session.failed.connect(failed.append)
    await leak(session, "till", PRACTICE_ID)
    await until(lambda: words(session, attention.KEYS) == "1 compromised key")
    asked: list[bool] = []

    async def busy() -> None:
        asked.append(True)
        raise JournalBusy("locked")

    monkeypatch.setattr(session.console.world.journal, "attention", busy)
    session.console.events.publish(KeysChanged(PRACTICE_ID))
    await until(lambda: asked)
    assert words(session, attention.KEYS) == "1 compromised key"
    assert not failed


# --- on the rail ---------------------------------------------------------------------------------


async def test_the_rail_shows_says_and_explains_the_count(
    qtbot: QtBot, session: Session, watch: AttentionWatch, until: Until
) -> None:
    window = MainWindow(Preferences(), SMALL_PAGES)
    qtbot.addWidget(window)
    window.attach(session)
    window.show()
    keys = window.rail.buttons["keys"]
    assert keys.accessibleDescription() == ""
    assert keys.toolTip() == "Keys (Ctrl+2)"
    red = QColor(tokens().bad)
    assert not has_colour(keys, red)
    await leak(session, "till", PRACTICE_ID)
    await until(lambda: keys.accessibleDescription() == "1 compromised key")
    assert keys.accessibleName() == "Keys"
    assert keys.toolTip() == "Keys (Ctrl+2)\n1 compromised key\npractice: 1"
    assert has_colour(keys, red)
    bench = window.rail.buttons["bench"]
    assert not has_colour(bench, red)


def has_colour(button: object, colour: QColor) -> bool:
    """Tell whether a colour is at a button's upper right, where the badge stands."""
    image = button.grab().toImage()  # type: ignore[attr-defined]  # a widget
    across, down = range(image.width() // 2, image.width()), range(image.height() // 2)
    return any(image.pixelColor(x, y) == colour for x in across for y in down)


# --- what leads to them --------------------------------------------------------------------------


def lead(page: object) -> AttentionButton:
    found = page.findChild(AttentionButton)  # type: ignore[attr-defined]  # a page
    assert isinstance(found, AttentionButton)
    return found


async def test_history_offers_its_unknown_sales(
    qtbot: QtBot, session: Session, watch: AttentionWatch, until: Until
) -> None:
    page = HistoryPage(session)
    qtbot.addWidget(page)
    page.show()
    page.filters.text.setText("till")
    assert not lead(page).isVisible()
    await end(session, "KB-1", Outcome.UNKNOWN, SHOP.id)
    await end(session, "KB-2", Outcome.APPROVED)
    await until(lead(page).isVisible)
    assert lead(page).accessibleName() == "Show 1 unknown sale"
    assert page.filters.state is None, "offered, not done"

    QTest.mouseClick(lead(page), Qt.MouseButton.LeftButton)

    assert page.wanted() == SaleFilter(state=Outcome.UNKNOWN)
    await until(lambda: [row.reference for row in page.model.rows] == ["KB-1"])


async def test_keys_lead_to_the_compromised_ones(
    qtbot: QtBot, session: Session, watch: AttentionWatch, until: Until
) -> None:
    page = KeysPage(session)
    qtbot.addWidget(page)
    page.show()
    page.segments.choose("activity")
    await leak(session, "web", SHOP.id)
    await until(lead(page).isVisible)

    QTest.mouseClick(lead(page), Qt.MouseButton.LeftButton)

    view = page._views.get("inventory")
    assert isinstance(view, InventoryView)
    assert view.isVisible()
    await until(lambda: [row.key.name for row in view.model.rows] == ["web"])


async def test_rotations_lead_to_one_overdue_after_another_through_their_environments(
    qtbot: QtBot, session: Session, watch: AttentionWatch, until: Until
) -> None:
    journal = session.console.world.journal
    for key, environment_id, days in (("web", SHOP.id, 2), ("till", PRACTICE_ID, 1)):
        rotation = a_rotation(f"R-{key}", key=key, environment_id=environment_id)
        ends_at = session.console.clock.now() - timedelta(days=days)
        await start(journal, replace(rotation, overlap_ends_at=ends_at))
        session.console.events.publish(RotationChanged(rotation.id, environment_id))
    page = RotationsPage(session)
    qtbot.addWidget(page)
    page.show()
    await until(lambda: lead(page).isVisible() and page.controller.id == "R-till")
    assert lead(page).text() == "Show the next of 2 urgent rotations"

    QTest.mouseClick(lead(page), Qt.MouseButton.LeftButton)
    await until(lambda: page.controller.id == "R-web")
    assert session.environment == SHOP

    QTest.mouseClick(lead(page), Qt.MouseButton.LeftButton)
    await until(lambda: page.controller.id == "R-till")
    assert session.environment.id == PRACTICE_ID
