"""What the register says of a key stands on the Bench: who uses it, when it was used, whether it is idle."""

from __future__ import annotations

from dataclasses import replace

from fakes.waiting import until
from keybench.core.errors import NotSent, Refused
from keybench.core.keys.admin_settings import texts_of
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.sales.sale import Outcome, SaleDraft
from keybench.workflows.keys.applications import ApplicationDraft
from ui.keys_driver import KeysWindow

DAY = 24 * 60 * 60


async def application(keys: KeysWindow, name: str) -> None:
    """Note that an application uses the chosen key, which has the register read at once."""
    assert keys.key
    await keys.session.administration.applications.add(keys.practice, keys.key.id, ApplicationDraft(name))


async def test_the_list_does_not_wait_for_the_register(keys: KeysWindow) -> None:
    details = keys.panel.details
    assert (details.facts.users.text(), details.facts.used.text()) == ("", "")
    assert keys.state("front-desk till") == "Not tested"

    await until(lambda: details.facts.users.text() == "no application recorded")
    assert details.facts.used.text() == "no use known · never tested"


async def test_the_applications_of_the_chosen_key_are_named(keys: KeysWindow) -> None:
    details = keys.panel.details
    await application(keys, "Till 2")
    await application(keys, "Till 1")

    await until(lambda: details.facts.users.text() == "Till 1, Till 2")
    keys.choose("nightly reports")
    assert details.facts.users.text() == "no application recorded"
    keys.panel.search.setText("till 2")
    assert keys.names(KeyKind.PRIVATE) == ["front-desk till"]


async def test_a_key_nobody_uses_is_idle_when_the_limit_says_so(keys: KeysWindow) -> None:
    await application(keys, "Till 1")
    await until(lambda: keys.panel.details.facts.users.text() == "Till 1")
    keys.clock.move(41 * DAY)
    keys.panel.refresh_times()
    assert keys.state("front-desk till") == "Not tested"
    settings = keys.session.administration.settings
    await settings.save(texts_of(replace(await settings.read(), idle_days=30)))

    keys.window.hide()
    keys.window.show()

    await until(lambda: keys.state("front-desk till") == "Idle 41 days")


async def test_a_sale_with_a_key_is_its_last_use(keys: KeysWindow) -> None:
    await application(keys, "Till 1")
    keys.clock.move(70 * DAY)
    keys.panel.refresh_times()
    await until(lambda: keys.state("front-desk till") == "Idle 70 days")
    assert keys.key
    draft = SaleDraft(keys.practice.id, keys.key.id, "D-1", "10.00", "USD")
    keys.account.trouble.append(NotSent("connection refused"))
    not_sent = await keys.console.sell.carry_out(await keys.console.sell.note(draft))
    assert not_sent.outcome is Outcome.NOT_SENT
    keys.panel.refresh()
    await until(lambda: keys.panel.details.facts.used.text() == "no use known · never tested")
    assert keys.state("front-desk till") == "Idle 70 days"

    keys.account.trouble.append(Refused("bad request", status=400))
    await keys.console.sell.carry_out(await keys.console.sell.note(draft))
    await until(lambda: keys.panel.details.facts.used.text() == "just now · never tested")
    assert keys.state("front-desk till") == "Not tested"
    assert keys.state("nightly reports") == "Idle 70 days"


async def test_a_key_is_used_by_what_uses_another_with_its_value(keys: KeysWindow) -> None:
    await application(keys, "Till 1")
    await until(lambda: keys.panel.details.facts.users.text() == "Till 1")
    value = await keys.console.keys.value(keys.key, "copied")
    draft = KeyDraft("till-9", "counter1", "API", KeyKind.PRIVATE)
    await keys.console.add_key.keep(keys.practice, draft, value.reveal())
    await until(lambda: "till-9" in keys.names(KeyKind.PRIVATE))
    keys.choose("till-9")
    await until(lambda: keys.panel.details.facts.users.text() == "Till 1")


async def test_another_environments_register_is_not_this_ones(keys: KeysWindow) -> None:
    await application(keys, "Till 1")
    await until(lambda: keys.panel.details.facts.users.text() == "Till 1")
    elsewhere = await keys.test_environment()
    await keys.pasted(elsewhere, "sandbox till", KeyKind.PRIVATE)

    keys.session.choose_environment(elsewhere)

    await keys.has_chosen("sandbox till")
    await until(lambda: keys.panel.details.facts.users.text() == "no application recorded")
