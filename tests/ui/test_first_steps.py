"""A first start: three steps lead from an empty Bench to an approved practice sale, and never come back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fakes.scripted_gateway import ACCEPTED
from fakes.waiting import until
from fakes.world import Bench
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import KeystoreMissing, KeystoreSilent
from keybench.core.events import KeysChanged, KeystoreChanged
from keybench.core.ports import Device, PortalUser
from keybench.core.sales.sale import Outcome, Verdict
from keybench.runtime.supervisor import Supervisor
from keybench.ui.bench.add_key import AddKeyView
from keybench.ui.bench.page import BenchPage
from keybench.ui.bench.sale_panel import FIRST_APPROVED
from keybench.ui.kit.boxes import PageFrame
from keybench.ui.shared.sales.first_steps import FirstSteps
from keybench.ui.shared.session import Session

TILLS = (Device("D-1", "Till 1", "connected"), Device("D-2", "Till 2", "disconnected"))
#: The first is allowed more than a till needs, the others can't sell.
USERS = (
    PortalUser("admin", "Administrator", ("Sale", "read", "manage"), enabled=True),
    PortalUser("reports", "Reporting", ("read",), enabled=True),
    PortalUser("frozen", "Frozen", ("Sale",), enabled=False),
    PortalUser("counter1", "Counter one", ("Sale", "read"), enabled=True),
)
WIDE, NARROW = 1300, 700


class Start:
    """The Bench of a window that was just opened on fakes."""

    def __init__(self, bench: Bench, session: Session, page: BenchPage) -> None:
        self.bench = bench
        self.session = session
        self.page = page

    @property
    def adding(self) -> AddKeyView:
        view = self.page.keys.adding
        assert view
        return view

    @property
    def steps(self) -> FirstSteps:
        """The steps in sight; they stand in one place only."""
        (shown,) = [one for one in self.page.findChildren(FirstSteps) if one.isVisible()]
        return shown

    @property
    def states(self) -> list[str]:
        """How far each step is, as a screen reader says it."""
        return [one.accessibleName().partition(", ")[2].partition(":")[0] for one in self.steps.titles]

    async def add_key(self) -> None:
        """Open Add a New Key, create what is entered there, and wait until that leads to Send."""
        self.page.add_new_key()
        await until(lambda: self.adding.form.username.text)
        self.adding.add()
        await until(self.page.sale.form.send.hasFocus)

    async def see(self, outcome: str) -> None:
        """Let time pass until the outcome is shown."""
        panel = self.page.sale
        for _ in range(1000):
            panel._feed.flush()
            await until(lambda: not panel.selection._reading._reading)
            if panel.card.pill.accessibleDescription().startswith(outcome):
                return
            await self.bench.clock.advance(self.bench.clock.next_due_s or 0.0)
        raise AssertionError(panel.card.pill.accessibleDescription())


Open = Callable[..., Awaitable[Start]]


@pytest.fixture
async def bench() -> Bench:
    bench = Bench()
    bench.gateway.device_list = TILLS
    bench.portal.listed = USERS
    await bench.journal.open()
    return bench


@pytest.fixture
def opened(qtbot: QtBot, supervisor: Supervisor, bench: Bench) -> Open:
    async def open_bench(environment: Environment | None = None, width: int = WIDE) -> Start:
        where = environment or await bench.practice_environment()
        session = Session(bench.console, supervisor, where)
        page = BenchPage(session)
        qtbot.addWidget(page)
        page.resize(width, 620)
        page.show()
        page.activateWindow()
        await until(lambda: page.isActiveWindow() and page._sale and not page.sale._loading)
        return Start(bench, session, page)

    return open_bench


def primary(page: QWidget) -> list[str]:
    """Return the buttons that stand out and can be pressed."""
    buttons = [one for one in page.findChildren(QPushButton) if one.isVisible() and one.isEnabled()]
    return [one.text() for one in buttons if one.property("tone") == "primary"]


async def test_three_times_enter_from_an_empty_bench_to_an_approved_sale(opened: Open) -> None:
    start = await opened()
    page = start.page
    assert primary(page) == ["Add a New Key"]
    assert start.states == ["next", "later", "later"]
    page.keys.setFocus()
    while QApplication.focusWidget() is not page.keys.add_button:
        QTest.keyClick(page.focusWidget() or page, Qt.Key.Key_Tab)
    page.keys.add_button.click()
    await until(lambda: start.adding.form.username.text == "counter1")
    name = start.adding.form.name.editor
    assert isinstance(name, QLineEdit)
    assert name.hasFocus()
    assert name.selectedText() == name.text() == "practice till"
    assert primary(page) == ["Create"]

    QTest.keyClick(name, Qt.Key.Key_Return)
    await until(page.sale.form.send.hasFocus)
    assert start.states == ["done", "done", "next"]
    assert page.sale.form.device.device_id == "D-1"
    assert page.sale.form.amount.text() == "10.00"
    assert primary(page) == ["Send sale"]
    (key,) = await start.bench.console.keys.listed(start.session.environment)
    assert (key.name, key.username, key.permission) == ("practice till", "counter1", "Sale")

    page.sale.form.send.click()
    await until(lambda: page.sale.selection.sale)
    assert not [one for one in page.findChildren(FirstSteps) if one.isVisible()]
    await start.see("Approved")
    assert page.sale.card.hint.text() == FIRST_APPROVED


async def test_each_step_leads_to_where_it_is_done(opened: Open) -> None:
    start = await opened()
    assert [one.isEnabled() for one in start.steps.titles] == [True, False, False]
    start.steps.titles[0].click()
    assert start.adding.form.name.text == "practice till"
    start.adding.leave(keep_draft=False)
    await start.add_key()
    _first, second, third = start.steps.titles
    second.click()
    assert start.page.sale.form.device.editor.hasFocus()
    third.click()
    assert start.page.sale.form.send.hasFocus()
    assert not start.bench.gateway.posts, "a step sends nothing by itself"


async def test_what_is_typed_takes_the_place_of_what_was_entered(opened: Open) -> None:
    start = await opened()
    start.page.add_new_key()
    QTest.keyClicks(start.adding.form.name.editor, "till 9")
    assert start.adding.form.name.text == "till 9"
    start.adding.leave(keep_draft=True)
    start.page.add_new_key()
    assert start.adding.form.name.text == "till 9", "a draft goes before what would be entered"


async def test_where_nobody_is_known_to_sell_no_user_is_chosen(opened: Open, bench: Bench) -> None:
    bench.portal.listed = USERS[1:3]
    start = await opened()
    start.page.add_new_key()
    await until(lambda: start.adding.form.user_box.count() == 2)
    assert not start.adding.form.username.text


async def test_the_steps_say_where_the_value_goes_and_which_device_is_chosen(
    opened: Open, bench: Bench
) -> None:
    start = await opened()
    said = start.steps.titles[0].accessibleDescription
    assert said() == "The gateway creates it, and its value goes to Fake Keyring."
    bench.keystore.durable = False
    for failure, where in ((KeystoreSilent(), "the keystore"), (KeystoreMissing(), bench.keystore.name)):
        bench.keystore.failure = failure
        bench.events.publish(KeystoreChanged(bench.keystore.status))
        assert said() == f"The gateway creates it, and its value goes to {where}."
    bench.keystore.durable, bench.keystore.failure = True, None
    await start.add_key()
    assert start.steps.titles[0].accessibleDescription().endswith("Fake Keyring.")
    await until(lambda: start.steps.titles[1].accessibleDescription() == "Till 1 is chosen.")


@pytest.mark.parametrize("outcome", [Outcome.APPROVED, Outcome.DECLINED])
async def test_they_never_come_back_once_a_sale_was_made(
    opened: Open, bench: Bench, outcome: Outcome
) -> None:
    environment = await bench.practice_environment()
    sale = await bench.console.sell.note(await bench.draft())
    bench.gateway.to_post = [ACCEPTED] if outcome is Outcome.APPROVED else [Verdict(outcome)]
    await bench.carry(bench.console.sell.carry_out(sale))
    for key in await bench.console.keys.listed(environment):
        await bench.console.keys.forget(environment, key)
    for width in (WIDE, NARROW):
        start = await opened(width=width)
        await until(lambda page=start.page: page.sale.selection.sale)
        assert not [one for one in start.page.findChildren(FirstSteps) if one.isVisible()]
        start.page.add_new_key()
        assert not start.adding.form.name.text


async def test_a_declined_sale_is_no_end_and_the_next_one_is_the_first_approved(
    opened: Open, bench: Bench
) -> None:
    start = await opened()
    await start.add_key()
    send = start.page.sale.form.send
    bench.gateway.to_post = [Verdict(Outcome.DECLINED), ACCEPTED]
    hints = []
    for outcome in ("Declined", "Approved", "Approved"):
        before = start.page.sale.selection.reference
        await until(send.isEnabled)
        send.click()
        await until(lambda before=before: start.page.sale.selection.reference not in {"", before})
        await start.see(outcome)
        hints.append(start.page.sale.card.hint.text())
    assert hints == ["", FIRST_APPROVED, ""]


async def test_where_the_sale_stands_below_the_keys_it_is_shown_whole(opened: Open) -> None:
    start = await opened(width=NARROW)
    page = start.page
    area = PageFrame()
    area.hold(page)
    area.resize(NARROW, 400)
    area.show()
    area.activateWindow()
    await until(lambda: area.verticalScrollBar().maximum() > 0)
    inside = [one.verticalScrollBar() for one in page._panes]
    await until(lambda: [one.maximum() for one in inside] == [0, 0])  # the page scrolls, and nothing in it
    start.steps.titles[0].click()
    await until(lambda: start.adding.form.username.text == "counter1")
    start.adding.add()
    send = page.sale.form.send
    await until(send.hasFocus)
    sight = area.viewport().rect()
    await until(lambda: sight.contains(QRect(send.mapTo(area.viewport(), QPoint()), send.size())))
    area.takeWidget()


async def test_elsewhere_than_in_practice_nothing_is_entered_for_anybody(opened: Open, bench: Bench) -> None:
    sandbox = await bench.add("Sandbox", EnvironmentKind.TEST)
    start = await opened(sandbox)
    assert start.states[0] == "next"
    assert not start.steps.tour.isVisible()
    start.steps.titles[0].click()
    assert not start.adding.form.name.text
    start.adding.leave(keep_draft=False)
    await bench.add_key(sandbox)
    bench.events.publish(KeysChanged(sandbox.id))
    await until(lambda: start.states[0] == "done")
    assert not start.page.sale.form.send.hasFocus()


async def test_the_first_steps_of_practice_stay_in_practice(opened: Open) -> None:
    start = await opened()
    practice = start.session.environment
    await until(start.page.keys.no_keys.steps.isVisible)

    environments = start.session.console.environments
    sandbox = await environments.add("Sandbox", EnvironmentKind.TEST, "https://gateway.example")
    start.session.choose_environment(sandbox)
    await until(start.page.sale.card.first_steps.isVisible)
    assert start.page.sale.isAncestorOf(start.steps), "they stand at the sale alone, and say what holds there"

    start.session.choose_environment(practice)
    await until(start.page.keys.no_keys.steps.isVisible)
