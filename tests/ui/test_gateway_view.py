"""The practice gateway's own view: the fault dial by a seed, single faults, and what is so there now."""

from __future__ import annotations

from fakes.waiting import until
from keybench.ui.lessons.page import GatewayView

from .practice_support import Practising, cells


async def shown(practising: Practising) -> GatewayView:
    view = GatewayView(practising.session)
    practising.show(view)
    await until(lambda: view.in_force.text() == "In force: Calm")
    return view


async def test_the_dial_is_set_with_a_seed_and_shows_what_is_in_force(practising: Practising) -> None:
    view = await shown(practising)
    view.dial.choose("outage")
    assert "No call comes through" in view.does.text()
    view.seed.setText("4711")
    view.set.click()
    await until(lambda: view.in_force.text() == "In force: Outage, seed 4711")
    set_there = (await practising.ask("GET", "faults"))["weather"]
    assert (set_there["preset"], set_there["seed"]) == ("outage", 4711)
    await practising.application("web shop", await practising.make_key("till"))
    await until(lambda: any(why.startswith("Fault: ") for why in cells(view.log.table, "why")))
    view.seed.clear()
    view.set.click()
    await until(lambda: view.in_force.text() != "In force: Outage, seed 4711")
    seed = (await practising.ask("GET", "faults"))["weather"]["seed"]
    assert view.in_force.text() == f"In force: Outage, seed {seed}", "a seed was made up and told"


async def test_single_faults_wait_for_the_next_requests_beside_the_others(practising: Practising) -> None:
    view = await shown(practising)
    await practising.ask("PUT", "faults", {"restricted": True})
    for fault in ("lost", "reset"):
        view.single.setCurrentIndex(view.single.findData(fault))
        view.add.click()
    waiting = "Waiting: it is taken, and the answer is lost, the connection is closed, and nothing is taken"
    await until(lambda: view.waiting.text() == waiting)
    assert (await practising.ask("GET", "faults"))["restricted"], "what else is set stays"
    view.mend.click()
    await until(lambda: not view.waiting.text())
    assert not (await practising.ask("GET", "faults"))["restricted"]
