"""The gateway's log and the simulated applications: why each call was answered so, and with which key."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QVBoxLayout, QWidget

from fakes.rotating import Rotating
from fakes.waiting import until
from fakes.world import FakePractice
from keybench.core.errors import PracticeUnavailable
from keybench.core.reasons import Reason
from keybench.core.rotations.stages import Stage
from keybench.ui.shared.practice import GatewayLog, SimulatedApplications
from keybench.ui.shared.session import Session

from .practice_support import Practising, cells
from .rotations_driver import Opener


async def test_the_log_says_why_each_call_was_answered_so_and_with_which_key(practising: Practising) -> None:
    log = GatewayLog(practising.session)
    practising.show(log)
    old, new = await practising.make_key("till 2025"), await practising.make_key("till 2026")
    log.show_keys(old, new)
    await practising.application("web shop", old)
    await until(lambda: "Taken by the device" in cells(log.table, "why"))
    log.table.select_row(0)
    chosen = log.table.selected
    await practising.ask("DELETE", f"keys/{old}")
    refused = (
        "web shop",
        "POST …/payment-requests/sale",
        "401",
        "This key was deleted",
        "old key (till 2025)",
    )
    columns = ("caller", "call", "status", "why", "key")
    await until(
        lambda: (
            log.watch.refresh() or refused in zip(*(cells(log.table, one) for one in columns), strict=True)
        )
    )
    assert log.table.selected == chosen, "what is selected stays while new lines come above it"
    assert cells(log.table, "at") == sorted(cells(log.table, "at"), reverse=True)
    assert "this console or another program" in cells(log.table, "caller")


async def test_an_application_keeps_its_key_until_it_is_restarted(practising: Practising) -> None:
    both = QWidget()
    applications, log = SimulatedApplications(practising.session), GatewayLog(practising.session)
    for part in (applications, log):
        (both.layout() or QVBoxLayout(both)).addWidget(part)
    practising.show(both)
    old, new = await practising.make_key("till 2025"), await practising.make_key("till 2026")
    log.show_keys(old, new)
    await practising.application("parking meters", old)
    await practising.application("parking meters", new)
    late = "till 2025 until it is restarted"
    await until(lambda: applications.watch.refresh() or cells(applications.table, "running") == [late])
    applications.restart.click()
    await until(lambda: cells(applications.table, "running") == ["till 2026"])
    await until(lambda: log.watch.refresh() or "new key (till 2026)" in cells(log.table, "key"))


async def test_what_can_not_be_read_is_told_in_place_until_it_can(
    session: Session, practising: Practising
) -> None:
    practice = session.console.world.practice
    assert isinstance(practice, FakePractice)
    practice.failure = PracticeUnavailable(Reason.PRACTICE_ENDED)
    log = GatewayLog(session)
    practising.show(log)
    await until(lambda: "The practice gateway can't be started." in log.watch.message.text())
    practice.failure = None
    await until(lambda: log.watch.refresh() or not log.watch.message.isVisible())
    session.end()


async def test_a_rotation_shows_who_sells_with_which_key_once_applications_do(
    opened: Opener, practising: Practising
) -> None:
    rotating = await Rotating.ready()
    rotation = await rotating.created(await rotating.begun())
    rotating = rotating.on(replace(rotating.console.world, practice=practising.practice))
    window = await opened(rotating)
    window.choose(rotation.id)
    part = window.page.view.practice
    window.page.view.look_at(Stage.REPLACE)
    await until(lambda: window.session.supervisor.running == ())
    assert part.isHidden(), "it takes no room where nobody sells by itself"
    await practising.application("web shop", await practising.make_key("till"))
    await until(lambda: part.applications.watch.refresh() or part.isVisible())
    window.page.view.look_at(Stage.CREATE)
    assert part.isHidden()
    window.page.view.look_at(Stage.TEST)
    assert part.isVisible()
