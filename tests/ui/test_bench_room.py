"""The Bench in a whole window: how many sales are in sight, what is cut, what scrolls, and where to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QAbstractScrollArea, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from contracts.journal_samples import a_point, a_sale
from fakes.clock import START, turns
from fakes.journal import MemoryJournal
from fakes.waiting import until
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.core.ports import Device
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Outcome, SaleStage, Verdict
from keybench.ui.bench.page import BenchPage
from keybench.ui.kit.boxes import PageFrame
from keybench.ui.kit.theme import Theme
from keybench.ui.shared.sales.fields import DeviceBox, KeyBox
from keybench.ui.shared.session import Session
from keybench.ui.shell.window import MainWindow

#: The practice gateway's own devices and the name that its first key has.
DEVICES = (
    Device("till-1", "Till 1", "connected"),
    Device("till-2", "Till 2", "connected"),
    Device("counter-1", "Counter 1", "connected"),
)
LONG = "night refunds of the customer service centre in the northern region, second floor"
LARGE, SMALL = (1280, 800), (1024, 700)
#: How many sales are in sight at the least in each window.
ROWS = {LARGE: 5, SMALL: 2}


def a_key(name: str) -> SecurityKey:
    """Return a key that nothing is asked with by itself."""
    made = START - timedelta(days=3)
    return SecurityKey(
        name,
        "practice",
        name,
        "counter1",
        "API",
        KeyKind.PRIVATE,
        "",
        "a-b-c-d",
        made,
        state=KeyState.REFUSED,
    )


VERDICTS = {
    "approved": Verdict(
        Outcome.APPROVED, message="APPROVED", transaction_id="36448192310", authorisation="747914"
    ),
    "declined": Verdict(Outcome.DECLINED, message="DECLINED: do not honour", transaction_id="39474957156"),
    "cancelled": Verdict(Outcome.CANCELLED),
    "expired": Verdict(Outcome.EXPIRED),
    "unknown": Verdict(Outcome.UNKNOWN, Reason.CONNECTION_CLOSED),
}


@dataclass
class Shown:
    """A window on a journal with twelve sales, and the newest of them in the card."""

    window: MainWindow
    page: BenchPage

    def sight_of(self, widget: QWidget) -> QRect:
        """Return what is seen of a widget, in its own coordinates."""
        return widget.visibleRegion().boundingRect()

    @property
    def rows(self) -> int:
        """How many sales are wholly in sight."""
        table = self.page.sale.recent
        sight, model = self.sight_of(table.viewport()), table.model()
        places = (table.visualRect(model.index(row, 0)) for row in range(model.rowCount()))
        return sum(sight.contains(place) for place in places)

    @property
    def pane(self) -> QScrollArea:
        """The right half, which scrolls."""
        pane = self.page.splitter.widget(1)
        assert isinstance(pane, QScrollArea)
        return pane

    @property
    def bars(self) -> list[str]:
        """What scrolls up and down in the right half."""
        areas = [self.pane, *self.page.sale.findChildren(QAbstractScrollArea)]
        return [type(one).__name__ for one in areas if one.verticalScrollBar().isVisible()]


def opened(session: Session, qtbot: QtBot, size: tuple[int, int]) -> tuple[MainWindow, BenchPage]:
    """Return a window of that size with its Bench."""
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(*size)
    window.attach(session)
    window.show()
    page = window.page("bench")
    assert isinstance(page, BenchPage)
    return window, page


async def show(session: Session, qtbot: QtBot, size: tuple[int, int], verdict: str = "approved") -> Shown:
    journal = session.console.world.journal
    assert isinstance(journal, MemoryJournal)
    for name in ("practice key", LONG):
        await journal.add_key(a_key(name))
    await journal.remember_devices("practice", DEVICES)
    for number in range(12):
        noted = a_sale(f"KB-0000-0000-00{number:02}", environment_id="practice", minutes=number)
        sale = replace(
            noted,
            device="till-1",
            key_name="practice key",
            stage=SaleStage.FINISHED,
            request_id="2726c8a2-9e83-45c3-8f0e-1c6b0a52f9aa",
            verdict=VERDICTS[verdict],
            finished_at=noted.noted_at + timedelta(seconds=3.13),
            polls=3,
        )
        await journal.note_sale(sale, a_point(sale))
    window, page = opened(session, qtbot, size)
    await until(lambda: page.sale.recent.model().rowCount() == 12 and page.sale.form.device.count() == 3)
    page.keys._register_soon.start(0)  # what the card says of the register moves what is below it
    await until(lambda: page.keys.model.row(0).marks is not None)
    await until(lambda: page.sale.card.pill.isVisible() and not session.supervisor.running)
    return Shown(window, page)


def is_cut(box: DeviceBox | KeyBox) -> bool:
    return box.editor.fontMetrics().horizontalAdvance(box.editor.text()) > box.editor.width()


@pytest.mark.thin(3)
@pytest.mark.parametrize("size", [LARGE, SMALL])
@pytest.mark.parametrize("verdict", VERDICTS)
async def test_recent_sales_are_in_sight_below_a_finished_sale(
    session: Session, qtbot: QtBot, size: tuple[int, int], verdict: str
) -> None:
    shown = await show(session, qtbot, size, verdict)
    await until(lambda: shown.rows >= ROWS[size] and shown.bars == ["RecentSales"])
    card = shown.page.sale.card
    for part in (card.pill, card.title, card.timeline, card.details):
        assert part.visibleRegion().boundingRect() == part.rect()


@pytest.mark.thin(3)
@pytest.mark.parametrize("size", [LARGE, SMALL])
@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.id)
async def test_device_and_key_are_read_whole(
    session: Session, qtbot: QtBot, size: tuple[int, int], device: Device
) -> None:
    form = (await show(session, qtbot, size)).page.sale.form
    form.device.choose(device.id)
    assert form.key.choose(a_key("practice key"))
    await until(lambda: not is_cut(form.device) and not is_cut(form.key))
    order = [form.device, form.key, form.amount, form.currency, form.send]
    places = [one.mapTo(form, QPoint()) for one in order]
    rows = [(place.y(), place.x()) for place in places]
    assert rows == sorted(rows)
    assert len({y for y, _x in rows}) == (1 if places[0].y() == places[-1].y() else 2)


@pytest.mark.parametrize("size", [LARGE, SMALL])
async def test_nothing_is_cut_before_there_is_a_key_or_a_device(
    session: Session, qtbot: QtBot, size: tuple[int, int]
) -> None:
    _window, page = opened(session, qtbot, size)
    form = page.sale.form
    await until(lambda: not session.supervisor.running and form.isVisible())
    words = [(box.editor, box.editor.placeholderText()) for box in (form.device, form.key)]
    assert all(text for _editor, text in words)
    await until(lambda: all(one.fontMetrics().horizontalAdvance(text) <= one.width() for one, text in words))
    for one in (form.send, form.amount, form.currency):
        assert one.width() >= one.minimumSizeHint().width()
    for before, after in ((form.amount, form.currency), (form.currency, form.send)):
        left, right = before.mapTo(form, QPoint(before.width(), 0)), after.mapTo(form, QPoint())
        assert right.y() != left.y() or right.x() >= left.x()


async def test_one_long_name_leaves_the_other_its_room(session: Session, qtbot: QtBot) -> None:
    form = (await show(session, qtbot, LARGE)).page.sale.form
    form.device.choose("counter-1")
    assert form.key.choose(a_key(LONG))
    await until(lambda: is_cut(form.key) and not is_cut(form.device))
    assert form.key.toolTip() == LONG


async def test_a_warning_under_the_fields_is_scrolled_into_sight(
    session: Session, qtbot: QtBot, light_theme: Theme
) -> None:
    shown = await show(session, qtbot, LARGE)
    light_theme.set_scale(2.0)
    sale = shown.page.sale
    bar = shown.pane.verticalScrollBar()
    await until(bar.maximum)
    bar.setValue(bar.maximum())
    sale.form.amount.setText("abc")
    sale.form.submit()
    await until(lambda: shown.sight_of(sale.form.message).height() == sale.form.message.height() > 0)
    assert "plain figures" in sale.form.message.text()


@pytest.mark.parametrize("size", [LARGE, SMALL])
async def test_a_fresh_outcome_is_scrolled_into_sight_with_what_can_be_done(
    session: Session, qtbot: QtBot, light_theme: Theme, size: tuple[int, int]
) -> None:
    shown = await show(session, qtbot, size, "declined")
    light_theme.set_scale(2.0)
    card, selection = shown.page.sale.card, shown.page.sale.selection
    bars = [one.verticalScrollBar() for one in shown.window.findChildren(PageFrame)]
    await until(lambda: any(bar.maximum() for bar in bars))
    await turns(100)  # what is listed beside it comes to its place at the new size, too
    done = selection.sale
    assert done is not None
    here = session.environment
    under_way = replace(done, verdict=None, stage=SaleStage.ACCEPTED, finished_at=None)

    def is_far() -> bool:
        card.show_sale(under_way, (), "Till 1", here)  # the panel itself may show it as it is meanwhile
        for bar in bars:
            bar.setValue(bar.maximum())
        return shown.sight_of(card.pill).isEmpty()

    def is_in_sight() -> bool:
        return all(shown.sight_of(part).height() == part.height() for part in (card.pill, card.diagnose))

    for _try in range(10):
        await until(is_far)
        card.show_sale(done, (), "Till 1", here)
        await turns(100)
        if is_in_sight():
            return
    assert is_in_sight()
