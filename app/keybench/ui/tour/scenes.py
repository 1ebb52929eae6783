"""The tour's scenes: what the window does in each, and what must be seen before the next."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.sale import Sale
from keybench.core.security_key import KeyState
from keybench.ui.tour.driver import Driver, TourStopped
from keybench.ui.tour.rotation_scenes import ROTATION_SCENES
from keybench.ui.tour.stage import KEY, Scene, Stage, is_visible, silent

_USER: Final = "counter1"
_DEVICE: Final = "till-1"


async def _welcome(stage: Stage) -> None:
    await stage.driver.until(
        lambda: stage.console.world.practice.base_url != "", "the practice gateway is up"
    )


async def _add_key(stage: Stage) -> None:
    driver = stage.driver
    await driver.press("Add a New Key")
    await driver.fill("Key Name", KEY)
    await driver.choose("Username", _USER)
    await driver.choose("Key Permission", "API")
    await driver.fill("Purpose", "Counter sales, main street")
    stage.picture("add-a-new-key-form")
    await driver.rest(0.5)
    await driver.press("Create")
    await driver.until(lambda: is_visible(driver, "Test key"), "the key is kept")
    await stage.key()


async def _test_key(stage: Stage) -> None:
    await stage.driver.press("Test key")
    await _until_key(stage, KeyState.WORKING)


async def _until_key(stage: Stage, state: KeyState) -> None:
    for _ in range(500):
        if (await stage.key()).state is state:
            return
        await stage.driver.rest(0.0)
    raise TourStopped(f"the key is {state}")


async def _sale(stage: Stage, amount: str, outcome: str) -> Sale | None:
    driver = stage.driver
    await driver.fill("Device", _DEVICE)
    await driver.fill("Amount", amount)
    before = await stage.newest_sale()
    await driver.press("Send sale")
    await driver.rest(0.6)
    stage.picture(f"{outcome.lower()}-under-way")
    for _ in range(1500):
        sale = await stage.newest_sale()
        if sale and sale.verdict and sale != before:
            break
        await driver.rest(0.0)
    await driver.until(lambda: _outcome(driver).startswith(outcome), f"the outcome is {outcome}")
    return await stage.newest_sale()


async def _approved(stage: Stage) -> Sale | None:
    return await _sale(stage, "10.00", "Approved")


async def _declined(stage: Stage) -> Sale | None:
    return await _sale(stage, "20.00", "Declined")


async def _refused(stage: Stage) -> Sale | None:
    await stage.driver.press("Bench")
    # What somebody else does in the portal: the key is gone there, and nobody told this console.
    key = await stage.key()
    base_url = await stage.console.calling.base_url(stage.environment)
    await stage.console.world.portal.delete_key(stage.environment, base_url, key.gateway_id)
    return await _sale(stage, "10.00", "Refused")


def _outcome(driver: Driver) -> str:
    outcome = driver.find(QWidget, "Outcome")
    return outcome.accessibleDescription() or str(outcome.property("text") or "")


SCENES: Final = (
    Scene("welcome", "The practice gateway is built in: no account, and no money moves.", silent(_welcome)),
    Scene(
        "add-a-new-key", "Add a New Key, as in the portal. Its value goes to the keystore.", silent(_add_key)
    ),
    Scene("test-key", "Test key makes one harmless call: the gateway knows the key.", silent(_test_key)),
    Scene("approved-sale", "10.00 on Till 1: sent, then polled until the outcome is there.", _approved),
    Scene("declined-sale", "20.00 is declined by the card's bank. Nothing is taken.", _declined),
    *ROTATION_SCENES,
    Scene("refused-key", "Somebody deleted the key in the portal: now the gateway refuses it.", _refused),
)
