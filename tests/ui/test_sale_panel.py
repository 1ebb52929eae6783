"""The Sale test panel on fakes: what is needed first, and one sale to each of its ends."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from contracts.journal_samples import a_point, a_sale
from fakes.scripted_gateway import DONE, PENDING
from fakes.waiting import until
from fakes.world import Bench
from keybench.core.errors import AnswerLost, Forbidden, JournalBusy, KeyRefused, NotSent
from keybench.core.events import ExchangeRecorded, KeysChanged, SaleChanged
from keybench.core.keys.key import KeyKind, KeyState
from keybench.core.ports import Device, StatusReading
from keybench.core.sales.sale import Mark, Outcome, SaleEvent, SaleMode, Verdict
from keybench.ui.bench.sale_form import NO_KEY
from keybench.ui.bench.sale_panel import NO_SALE_YET
from keybench.ui.kit.actions import COMMANDS
from keybench.ui.shared.keys.dialogs import ValueDialog
from keybench.ui.shared.sales.first_steps import TITLE
from keybench.ui.shared.sales.table import LIMIT
from keybench.ui.shared.session import Request, TakeTour
from keybench.words.sales.outcomes import LOOK_AGAIN

from .sale_support import Selling, Stage, until_quiet

SEND_AGAIN = COMMANDS["sale.again"].text
CHECKED = COMMANDS["sale.check"].text


def offered(stage: Stage) -> list[str]:
    """Return the card's buttons that can be pressed."""
    card = stage.panel.card
    buttons = (card.cancel, card.look_up, card.check, card.give_value, card.again)
    return [button.text() for button in buttons if not button.isHidden() and button.isEnabled()]


# --- before the first sale --------------------------------------------------------------------------------


async def test_an_empty_bench_says_what_to_do_first(selling: Selling) -> None:
    stage = await selling()
    card = stage.panel.card
    assert card.empty_title.text() == TITLE
    assert card.first_steps.isVisible()
    said = [title.accessibleName() for title in card.first_steps.titles]
    assert said == [
        "Step 1 of 3, done: Add a New Key",
        "Step 2 of 3, done: Choose a device",
        "Step 3 of 3, next: Send sale",
    ]
    assert not card._timer.isActive()


async def test_the_first_steps_follow_what_is_done(selling: Selling) -> None:
    stage = await selling(with_key=False)
    first, second, _third = stage.panel.card.first_steps.titles
    assert first.accessibleName() == "Step 1 of 3, next: Add a New Key"
    assert not first.isVisible(), "the keys say how a first one is made"
    assert stage.panel.card.empty_title.text() == NO_SALE_YET
    stage.panel.form.device.setEditText("")
    assert second.accessibleName() == "Step 2 of 3, later: Choose a device"
    stage.panel.form.device.setEditText("D-9")
    assert second.accessibleName() == "Step 2 of 3, done: Choose a device"
    await stage.bench.add_key(stage.session.environment)
    stage.bench.events.publish(KeysChanged(stage.session.environment.id))
    await until(lambda: "done" in first.accessibleName())


async def test_the_tour_is_offered_in_practice(selling: Selling) -> None:
    stage = await selling()
    wanted: list[Request] = []
    stage.session.requested.connect(wanted.append)
    stage.panel.card.first_steps.tour.click()
    assert wanted == [TakeTour()]


async def test_without_a_key_send_waits_for_one(selling: Selling) -> None:
    stage = await selling(with_key=False)
    form = stage.panel.form
    assert not form.send.isEnabled()
    assert form.message.text() == NO_KEY
    environment = stage.session.environment
    key = await stage.bench.add_key(environment)
    stage.bench.events.publish(KeysChanged(environment.id))
    await until(form.send.isEnabled)
    assert form.key.key == key


async def test_public_keys_are_not_offered_and_the_chosen_key_can_come_from_elsewhere(
    selling: Selling,
) -> None:
    stage = await selling()
    environment = stage.session.environment
    second = await stage.bench.add_key(environment, "Web")
    public = await stage.bench.add_key(environment, "Checkout", KeyKind.PUBLIC)
    stage.panel.form.use_key(second)  # before the panel has read it
    stage.bench.events.publish(KeysChanged(environment.id))
    await until(lambda: stage.panel.form.key.key == second)
    stage.panel.form.use_key(public)
    assert stage.panel.form.key.key == second
    assert [key.name for key in stage.panel.form.key.keys] == ["Till", "Web"]


async def test_news_of_the_same_key_leaves_a_persons_own_choice_alone(selling: Selling) -> None:
    stage = await selling()
    environment = stage.session.environment
    web = await stage.bench.add_key(environment, "Web")
    await until(lambda: len(stage.panel.form.key.keys) == 2)
    stage.panel.form.use_key(web)
    stage.panel.form.key.setCurrentText("Till")
    stage.panel.form.use_key(web)
    assert stage.panel.form.key.currentText() == "Till"
    stage.panel.form.use_key(None)
    stage.panel.form.use_key(web)
    assert stage.panel.form.key.key == web


async def test_only_the_gateways_own_ways_to_sell_can_be_chosen(selling: Selling) -> None:
    bench = Bench()
    await bench.journal.open()
    sandbox = await bench.add()
    stage = await selling(bench=bench)
    stage.panel.modes.choose(SaleMode.CLASSIC)
    stage.session.choose_environment(sandbox)
    assert stage.panel.modes.value == SaleMode.ASYNCHRONOUS
    assert not stage.panel.modes.button(SaleMode.CLASSIC).isEnabled()
    assert stage.panel.modes.button(SaleMode.SYNCHRONOUS).isEnabled()


async def test_a_working_key_has_the_devices_renewed_once(selling: Selling) -> None:
    bench = Bench()
    await bench.journal.open()
    sandbox = await bench.add()
    key = await bench.add_key(sandbox)
    stage = await selling(bench=bench, environment=sandbox)
    bench.gateway.device_list = (Device("D-7", "New till", "connected"),)
    await bench.console.keys.test(sandbox, key)
    await until(lambda: stage.panel.form.device.findData("D-7") >= 0)
    bench.gateway.device_list = NotSent("connection refused")
    await bench.console.keys.test(sandbox, key)
    await until_quiet(stage.panel)
    assert not stage.panel.form.message.text()
    stage.panel.form.refresh_devices()
    await until(lambda: "couldn't be renewed" in stage.panel.form.message.text())
    assert stage.panel.form.device.findData("D-7") >= 0
    bench.gateway.device_list = (Device("D-7", "New till", "connected"),)
    stage.panel.form.refresh_devices()
    await until(lambda: not stage.panel.form.message.text())


# --- one sale ---------------------------------------------------------------------------------------------


async def test_a_selected_sale_waits_for_its_row(selling: Selling) -> None:
    stage = await selling()
    await stage.send()
    await stage.outcome_is("Approved")
    panel, sale = stage.panel, stage.panel.selection.sale
    assert sale is not None
    order: list[str] = []
    panel._feed.sales_changed.connect(lambda _changes: order.append("rows"))
    panel.selection.changed.connect(lambda: order.append("card"))
    events = stage.bench.console.events
    change = SaleChanged(sale, panel.selection.events[-1])
    events.publish(ExchangeRecorded(sale.reference, panel.selection.exchanges[-1]))
    events.publish(change)
    await until(lambda: "card" in order)
    assert order[0] == "rows"


async def test_what_isnt_looked_at_is_neither_read_nor_drawn_and_is_there_when_it_is(
    selling: Selling,
) -> None:
    stage = await selling()
    panel, journal = stage.panel, stage.bench.journal
    await stage.send()
    await stage.outcome_is("Approved")
    sale = panel.selection.sale
    assert sale
    read: list[str] = []
    sale_events = journal.sale_events

    async def counted(reference: str) -> Sequence[SaleEvent]:
        read.append(reference)
        return await sale_events(reference)

    journal.sale_events = counted  # type: ignore[method-assign]  # to see when it is read
    panel.hide()
    word = SaleEvent(sale.reference, sale.noted_at, Mark.STATUS, "inFlight")
    for _ in range(50):
        stage.bench.console.events.publish(SaleChanged(sale, word))
    assert not panel._feed._timer.isActive()
    panel.show()
    await until(lambda: read == [sale.reference])


async def test_an_approved_sale_from_send_to_outcome(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [PENDING, StatusReading("inFlight"), DONE]
    await stage.send()
    card = stage.panel.card
    await until(lambda: "Waiting for the customer" in card.pill.text())
    assert stage.outcome.startswith("Waiting for the customer")
    assert "on Till 1" in stage.outcome
    assert card._timer.isActive()
    assert offered(stage) == ["Cancel on device"]
    await stage.outcome_is("Approved")
    assert card.pill.text() == "✓ Approved"
    assert card.pill.accessibleName() == "Outcome"
    assert card.figure.text() == "10.00 USD"
    assert card.effort.text().endswith("· 3 polls")
    assert card.details.text_of("Authorisation") == "A1B2C3"
    assert card.details.text_of("Transaction") == "8000001"
    assert card.details.text_of("Payment request") == "PR-1"
    assert card.details.text_of("Reference") == stage.panel.selection.reference
    assert card.timeline.accessibleDescription().splitlines()[-1].endswith("approved")
    assert card.went_on.isHidden()  # nothing unusual
    assert not card._timer.isActive()
    assert offered(stage) == [SEND_AGAIN]
    assert len(stage.panel.exchanges.exchanges) == 4


async def test_elapsed_time_is_the_clocks(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [PENDING]
    await stage.send()
    await stage.pass_time(3.2)
    await until(lambda: "3.2 s" in stage.panel.card.pill.text())
    stage.panel.hide()
    assert not stage.panel.card._timer.isActive()
    stage.panel.show()
    assert stage.panel.card._timer.isActive()


@pytest.mark.parametrize(
    ("outcome", "word", "tone", "shape"),
    [
        (Outcome.DECLINED, "Declined", "bad", "✕"),
        (Outcome.CANCELLED, "Cancelled", "warning", "⊘"),
        (Outcome.EXPIRED, "Expired", "warning", "◷"),
    ],
)
async def test_each_outcome_has_word_shape_and_tone(
    selling: Selling, outcome: Outcome, word: str, tone: str, shape: str
) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [StatusReading("done", Verdict(outcome, message="its own words"))]
    await stage.send()
    await stage.outcome_is(word)
    card = stage.panel.card
    assert card.pill.text() == f"{shape} {word}"
    assert card.pill.property("tone") == tone
    assert "its own words" in card.own_words.text()
    assert card.title.text()
    assert offered(stage) == [SEND_AGAIN]


async def test_a_refused_key_quotes_the_gateway(selling: Selling) -> None:
    stage = await selling()
    refused = KeyRefused(
        "401", message="<b>Specified API key not found</b>", status=401, reference="8d21f0aa"
    )
    stage.bench.gateway.to_post = [refused]
    await stage.send()
    await stage.outcome_is("Refused")
    card = stage.panel.card
    assert card.pill.text() == "✕ Refused · 401"
    assert "<b>Specified API key not found</b>" in card.own_words.text()
    assert card.own_words.textFormat() is Qt.TextFormat.PlainText
    assert "8d21f0aa" in card.own_words.text()
    assert "no money moved" in card.meaning.text()
    assert card.where.text() == "for Till 1"


async def test_a_refused_value_is_replaced_beside_the_sale(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_post = [KeyRefused("401", status=401), Forbidden("403", status=403)]
    await stage.send()
    await stage.outcome_is("Refused")
    assert "Give it a value…" in offered(stage)
    stage.panel.card.give_value.click()
    window = stage.panel.window()
    await until(lambda: window.findChildren(ValueDialog))
    (question,) = window.findChildren(ValueDialog)
    question.field.line.setText("k" * 32)
    question.go_on()
    await until(lambda: stage.notices)
    (key,) = await stage.bench.journal.keys(stage.session.environment.id)
    assert (key.state, stage.notices[-1].title) == (KeyState.KEPT, f"“{key.name}” has a value")
    await stage.bench.console.keys.test(stage.session.environment, key)
    await until(lambda: not stage.session.supervisor.running)  # one such question is asked at a time
    stage.panel.card.give_value.click()
    await until(lambda: stage.notices[-1].title == f"“{key.name}” works by now")
    await stage.send("11.00")
    await stage.comes(lambda: stage.panel.card.pill.text() == "✕ Refused · 403")
    assert "Give it a value…" not in offered(stage)


async def test_a_gateway_that_is_down_sold_nothing(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_post = [NotSent("connection refused")]
    await stage.send()
    await stage.outcome_is("Not sent")
    assert "nothing was sold" in stage.panel.card.meaning.text()
    assert offered(stage) == [SEND_AGAIN]


async def test_an_unknown_sale_is_looked_up_and_never_sent_again(selling: Selling) -> None:
    stage = await selling()
    gateway = stage.bench.gateway
    gateway.to_post = [AnswerLost("timeout")]
    await stage.send()
    await stage.outcome_is("Unknown")
    card = stage.panel.card
    assert offered(stage) == ["Look it up", CHECKED]
    card.look_up.click()
    await stage.comes(lambda: "Looked up at" in card.meaning.text())
    assert card.meaning.text().endswith(LOOK_AGAIN)
    assert stage.outcome.startswith("Unknown")
    await until(lambda: not any(task.startswith("look up") for task in stage.session.supervisor.running))
    gateway.to_look_up = [StatusReading("interactionComplete", DONE.verdict, "PR-9")]
    card.look_up.click()
    await stage.outcome_is("Approved")
    assert card.details.text_of("Payment request") == "PR-9"
    assert len(gateway.posts) == 1
    await until(lambda: offered(stage) == [SEND_AGAIN])


async def test_a_look_up_that_cant_be_made_is_told(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_post = [AnswerLost("timeout")]
    await stage.send()
    await stage.outcome_is("Unknown")
    stage.bench.gateway.to_look_up = [NotSent("connection refused")]
    stage.panel.card.look_up.click()
    await stage.comes(lambda: stage.failures)
    await until(stage.panel.card.look_up.isEnabled)
    assert isinstance(stage.failures[0], NotSent)


async def test_cancel_on_device_is_asked_once(selling: Selling) -> None:
    stage = await selling()
    gateway = stage.bench.gateway
    gateway.to_poll = [PENDING]
    await stage.send()
    card = stage.panel.card
    await until(lambda: not card.cancel.isHidden())
    card.cancel.click()
    await until(lambda: stage.outcome.startswith("Cancelling"))
    assert not card.cancel.isEnabled()
    assert gateway.cancelled == ["PR-1"]
    gateway.to_poll = [StatusReading("cancelledByApi", Verdict(Outcome.CANCELLED))]
    await stage.outcome_is("Cancelled")
    assert offered(stage) == [SEND_AGAIN]


async def test_send_again_is_a_new_sale_with_the_same_fields(selling: Selling) -> None:
    stage = await selling()
    await stage.send("12.50")
    await stage.outcome_is("Approved")
    first = stage.panel.selection.reference
    stage.panel.form.amount.setText("99.00")
    stage.panel.card.again.click()
    await until(lambda: stage.panel.selection.reference != first)
    await stage.outcome_is("Approved")
    orders = stage.bench.gateway.posts
    assert [order.money.figure for order in orders] == ["12.50", "12.50"]
    assert len({order.reference for order in orders}) == 2


async def test_a_recent_sale_offers_what_can_be_done_about_it(selling: Selling) -> None:
    stage = await selling()
    await stage.send("12.50")
    await stage.outcome_is("Approved")
    await until(stage.panel.card.again.isEnabled)
    offers = [one for one in stage.panel.recent._row_actions if one.isVisible() and one.isEnabled()]
    assert [one.text() for one in offers] == [SEND_AGAIN, "Copy the reference", "Copy the payment request"]
    offers[1].trigger()
    assert QGuiApplication.clipboard().text() == stage.panel.selection.reference
    offers[2].trigger()
    assert stage.panel.selection.sale
    assert QGuiApplication.clipboard().text() == stage.panel.selection.sale.request_id


async def test_a_journal_that_fails_sends_nothing(selling: Selling) -> None:
    stage = await selling()
    stage.bench.journal.failure = JournalBusy("held")
    stage.panel.send()
    await until(lambda: bool(stage.failures))
    assert not stage.bench.gateway.posts
    assert stage.panel.form.amount.text() == "10.00"


# --- shown from elsewhere ---------------------------------------------------------------------------------


async def test_an_older_sale_of_another_environment_is_shown_and_stays(selling: Selling) -> None:
    stage = await selling()
    sandbox = await stage.bench.add()
    for number in range(LIMIT + 2):
        sale = a_sale(f"KB-{number}", environment_id=sandbox.id, minutes=number)
        await stage.bench.journal.note_sale(sale, a_point(sale))
    stage.session.choose_environment(sandbox)
    stage.panel.show_sale("KB-0")
    await until(lambda: stage.panel.recent.model().rowCount() == LIMIT)
    assert stage.session.environment == sandbox
    assert stage.panel.selection.reference == "KB-0"
    assert stage.panel.card.details.text_of("Reference") == "KB-0"
    assert stage.panel.recent.selected is None


async def test_the_sale_that_is_shown_stays_when_its_environment_is_edited(selling: Selling) -> None:
    bench = Bench()
    await bench.journal.open()
    sandbox = await bench.add()
    for number in range(3):
        sale = a_sale(f"KB-{number}", environment_id=sandbox.id, minutes=number)
        await bench.journal.note_sale(sale, a_point(sale))
    stage = await selling(bench=bench, environment=sandbox)
    await until(lambda: stage.panel.selection.reference == "KB-2")
    stage.panel.show_sale("KB-1")
    stage.session.choose_environment(await bench.console.environments.edit(sandbox, name="Kiosk"))
    await until_quiet(stage.panel)
    assert stage.panel.selection.reference == "KB-1"
    assert stage.panel.card.details.text_of("Reference") == "KB-1"


async def test_the_exchanges_have_the_height_that_the_card_can_spare(selling: Selling) -> None:
    stage = await selling()
    await stage.send()
    await stage.outcome_is("Approved")
    panel = stage.panel
    panel.views.choose("exchanges")
    assert panel.card.pill.isVisible()
    assert panel.card.again.isVisible()
    assert not panel.card.timeline.isVisible()
    await until(lambda: panel.exchanges.height() > panel.height() * 0.4)
    panel.views.choose("recent")
    assert panel.card.timeline.isVisible()
