"""The tour's scenes: what the window does in each, and what must be seen before the next."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Final

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QLineEdit, QTableView, QWidget

from keybench.core.keys.key import KeyState
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import Stage as RotationStage
from keybench.core.sales.sale import Outcome, Sale
from keybench.ui.tour.driver import KEY, Driver, Scene, TourStage
from keybench.words.formats import figure
from keybench.words.language import _
from keybench.words.sales.outcomes import outcome_word
from keybench.workflows.keys.applications import ApplicationDraft

_APPLICATIONS: Final = (
    (_("Counter till"), _("Shop floor"), _("Till menu, page 4"), _("a sale at the counter")),
    (_("Phone orders"), _("Call centre"), _("Settings > Payments"), _("an order in its list")),
)
_END: Final = _("Planned end of the overlap")
_PERSON: Final = _("Tour guide")
_TABLE: Final = _("Applications that use this key")


async def _until_rotation(stage: TourStage, is_true: Callable[[Rotation], object], expected: str) -> None:

    async def is_so() -> bool:
        listed = await stage.administration.rotations.listed(stage.environment.id)
        return bool(listed and is_true(listed[0]))

    await stage.driver.until(is_so, expected)


async def _choose_application(stage: TourStage, row: int) -> None:
    await stage.driver.until(lambda: stage.driver.is_visible(_TABLE), _("the applications are listed"))
    table = stage.driver.find(QTableView, _TABLE)
    flags = QItemSelectionModel.SelectionFlag
    chosen = flags.ClearAndSelect | flags.Rows | flags.Current
    table.selectionModel().setCurrentIndex(table.model().index(row, 0), chosen)


def _are_changed(count: int, rotation: Rotation) -> bool:
    return len(rotation.applications) - len(stages.not_changed(rotation)) == count


def _are_seen(count: int, rotation: Rotation) -> bool:
    return len(rotation.applications) - len(stages.not_seen(rotation)) == count


async def _replacement(stage: TourStage) -> None:
    driver, key = stage.driver, await stage.key()
    for name, owner, location, _seen in _APPLICATIONS:
        draft = ApplicationDraft(name, owner, place=location)
        await stage.administration.applications.add(stage.environment, key.id, draft)
    await driver.press(_("Rotate"))
    await driver.fill(_("Reason"), _("Older than a year"))
    # It comes from the settings, a moment later.
    await driver.until(lambda: bool(driver.find(QLineEdit, _END).text()), _("the planned end is proposed"))
    await driver.rest(0.5)
    stage.picture("rotation-start")
    await driver.press(_("Start rotation"))
    await driver.press(_("Create the replacement"))
    await driver.press(_("Compare permissions"))
    await _until_rotation(
        stage, lambda one: stages.is_done(one, RotationStage.CREATE), _("the keys are proven the same")
    )


async def _applications(stage: TourStage) -> None:
    driver = stage.driver
    for row in range(len(_APPLICATIONS)):
        await _choose_application(stage, row)
        await driver.press(_("New key is set there"))
        await _until_rotation(stage, partial(_are_changed, row + 1), _("it is ticked"))
    await driver.press(_("Test the new key"))
    await _until_rotation(stage, lambda one: one.test, _("the new key is tested"))
    await driver.fill(_("Your name"), _PERSON)
    for row, (*_names, seen) in enumerate(_APPLICATIONS):
        if row:
            stage.picture("rotation-test")
        await _choose_application(stage, row)
        await driver.press(_("Confirm it works…"))
        await driver.fill(_("What was seen"), seen)
        await driver.press(_("Confirm"))
        await _until_rotation(stage, partial(_are_seen, row + 1), _("a person saw it working"))


async def _deletion(stage: TourStage) -> None:
    driver = stage.driver
    await driver.press(_("Delete the old key"))
    await driver.until(lambda: driver.is_visible(_("Cancel")), _("it is asked about"))
    await driver.press(_("Delete the old key"))
    await _until_rotation(
        stage, lambda one: stages.is_done(one, RotationStage.DELETE), _("the old key is refused")
    )
    await driver.press(_("Finish"))
    await _until_rotation(stage, lambda one: not one.is_open, _("the rotation is finished"))


async def _inventory(stage: TourStage) -> None:
    await stage.driver.press(_("Keys"))
    await stage.driver.until(lambda: stage.driver.is_visible(_("Inventory")), _("the inventory is there"))
    await stage.driver.rest(0.5)


ROTATION_SCENES: Final = (
    Scene(
        "rotation-replacement",
        _("Rotate: first a replacement, proven to be allowed the same."),
        _replacement,
    ),
    Scene(
        "rotation-applications",
        _("Set in each application, and recorded who saw it working there: evidence, not hope."),
        _applications,
    ),
    Scene("rotation-deletion", _("Deleted, seen to be refused, and written down."), _deletion),
    Scene(
        "inventory",
        _("Every key in every environment. The inventory never contains values."),
        _inventory,
    ),
)


_USER: Final = "counter1"
_DEVICE: Final = "till-1"


async def _welcome(stage: TourStage) -> None:
    await stage.driver.until(
        lambda: stage.console.world.practice.base_url != "", _("the practice gateway is up")
    )


async def _add_key(stage: TourStage) -> None:
    driver = stage.driver
    await driver.press(_("Add a New Key"))
    await driver.fill(_("Key Name"), KEY)
    await driver.choose(_("Username"), _USER)
    await driver.choose(_("Key Permission"), "API")
    await driver.fill(_("Purpose"), _("Counter sales, main street"))
    stage.picture("add-a-new-key-form")
    await driver.rest(0.5)
    await driver.press(_("Create"))
    await driver.until(lambda: driver.is_visible(_("Test key")), _("the key is kept"))
    await stage.key()


async def _test_key(stage: TourStage) -> None:
    async def works() -> bool:
        return (await stage.key()).state is KeyState.WORKING

    await stage.driver.press(_("Test key"))
    await stage.driver.until(works, _("the key works"))


async def _sale(stage: TourStage, amount: str, outcome: Outcome) -> Sale | None:
    driver, word = stage.driver, outcome_word(outcome)
    await driver.fill(_("Device"), _DEVICE)
    await driver.fill(_("Amount"), figure(Decimal(amount)))
    before = await stage.newest_sale()
    await driver.press(_("Send sale"))
    await driver.rest(0.6)
    stage.picture(f"{outcome.value}-under-way")

    async def has_ended() -> bool:
        sale = await stage.newest_sale()
        return bool(sale and sale.verdict and sale != before)

    await driver.until(has_ended, _("the sale has an outcome"))
    await driver.until(
        lambda: _outcome(driver).startswith(word), _("the outcome is {outcome}").format(outcome=word)
    )
    return await stage.newest_sale()


_approved = partial(_sale, amount="10.00", outcome=Outcome.APPROVED)
_declined = partial(_sale, amount="20.00", outcome=Outcome.DECLINED)


async def _refused(stage: TourStage) -> Sale | None:
    await stage.driver.press(_("Bench"))
    # What somebody else does in the portal: the key is gone there, and nobody told this console.
    key = await stage.key()
    base_url = await stage.console.calling.base_url(stage.environment)
    await stage.console.world.portal.delete_key(stage.environment, base_url, key.gateway_id)
    return await _sale(stage, "10.00", Outcome.REFUSED)


def _outcome(driver: Driver) -> str:
    outcome = driver.find(QWidget, _("Outcome"))
    return outcome.accessibleDescription() or str(outcome.property("text") or "")


SCENES: Final = (
    Scene("welcome", _("The practice gateway is built in: no account, and no money moves."), _welcome),
    Scene("add-a-new-key", _("Add a New Key, as in the portal. Its value goes to the keystore."), _add_key),
    Scene("test-key", _("Test key makes one harmless call: the gateway knows the key."), _test_key),
    Scene("approved-sale", _("10.00 on Till 1: sent, then polled until the outcome is there."), _approved),
    Scene("declined-sale", _("20.00 is declined by the card's bank. Nothing is taken."), _declined),
    *ROTATION_SCENES,
    Scene("refused-key", _("Somebody deleted the key in the portal: now the gateway refuses it."), _refused),
)
