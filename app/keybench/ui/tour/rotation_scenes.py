"""The tour's scenes about a key's whole life: replaced in its applications, deleted, reviewed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QLineEdit, QTableView

from keybench.core import rotation_stages as stages
from keybench.core.rotation import Rotation
from keybench.core.rotation import Stage as RotationStage
from keybench.ui.tour.driver import TourStopped
from keybench.ui.tour.stage import Scene, Stage, is_visible, silent

_APPLICATIONS: Final = (
    ("Counter till", "Shop floor", "Till menu, page 4", "a sale at the counter"),
    ("Phone orders", "Call centre", "Settings > Payments", "an order in its list"),
)
_END: Final = "Planned end of the overlap"
_PERSON: Final = "Tour guide"
_TABLE: Final = "Applications that use this key"


async def _until_rotation(stage: Stage, is_true: Callable[[Rotation], object], expected: str) -> None:
    """Wait until the newest rotation is so."""
    for _ in range(1500):
        listed = await stage.administration.rotations.listed(stage.environment.id)
        if listed and is_true(listed[0]):
            return
        await stage.driver.rest(0.0)
    raise TourStopped(expected)


async def _choose_application(stage: Stage, row: int) -> None:
    await stage.driver.until(lambda: is_visible(stage.driver, _TABLE), "the applications are listed")
    table = stage.driver.find(QTableView, _TABLE)
    flags = QItemSelectionModel.SelectionFlag
    chosen = flags.ClearAndSelect | flags.Rows | flags.Current
    table.selectionModel().setCurrentIndex(table.model().index(row, 0), chosen)


def _are_changed(count: int, rotation: Rotation) -> bool:
    return len(rotation.applications) - len(stages.not_changed(rotation)) == count


def _are_seen(count: int, rotation: Rotation) -> bool:
    return len(rotation.applications) - len(stages.not_seen(rotation)) == count


async def _replacement(stage: Stage) -> None:
    driver, key = stage.driver, await stage.key()
    for name, owner, place, _ in _APPLICATIONS:
        await stage.administration.applications.add(stage.environment, key.id, name, owner=owner, place=place)
    await driver.press("Rotate")
    await driver.fill("Reason", "Older than a year")
    # It comes from the settings, a moment later.
    await driver.until(lambda: bool(driver.find(QLineEdit, _END).text()), "the planned end is proposed")
    await driver.rest(0.5)
    stage.picture("rotation-start")
    await driver.press("Start rotation")
    await driver.press("Create the replacement")
    await driver.press("Compare permissions")
    await _until_rotation(
        stage, lambda one: stages.is_done(one, RotationStage.CREATE), "the keys are proven the same"
    )


async def _applications(stage: Stage) -> None:
    driver = stage.driver
    for row in range(len(_APPLICATIONS)):
        await _choose_application(stage, row)
        await driver.press("New key is set there")
        await _until_rotation(stage, partial(_are_changed, row + 1), "it is ticked")
    await driver.press("Test the new key")
    await _until_rotation(stage, lambda one: one.test, "the new key is tested")
    await driver.fill("Your name", _PERSON)
    for row, (_, _, _, seen) in enumerate(_APPLICATIONS):
        if row:
            stage.picture("rotation-test")
        await _choose_application(stage, row)
        await driver.press("Record who saw it…")
        await driver.fill("What was seen", seen)
        await driver.press("Record it")
        await _until_rotation(stage, partial(_are_seen, row + 1), "a person saw it working")


async def _deletion(stage: Stage) -> None:
    driver = stage.driver
    await driver.press("Delete the old key")
    await driver.until(lambda: is_visible(driver, "Cancel"), "it is asked about")
    await driver.press("Delete the old key")
    await _until_rotation(
        stage, lambda one: stages.is_done(one, RotationStage.DELETE), "the old key is refused"
    )
    await driver.press("Finish")
    await _until_rotation(stage, lambda one: not one.is_open, "the rotation is finished")


async def _inventory(stage: Stage) -> None:
    await stage.driver.press("Keys")
    await stage.driver.until(lambda: is_visible(stage.driver, "Inventory"), "the inventory is there")
    await stage.driver.rest(0.5)


ROTATION_SCENES: Final = (
    Scene(
        "rotation-replacement",
        "Rotate: first a replacement, proven to be allowed the same.",
        silent(_replacement),
    ),
    Scene(
        "rotation-applications",
        "Set in each application, and recorded who saw it working there: a list instead of a hope.",
        silent(_applications),
    ),
    Scene("rotation-deletion", "Deleted, seen to be refused, and written down.", silent(_deletion)),
    Scene(
        "inventory",
        "Every key there is, in every environment. Its value is in none of it.",
        silent(_inventory),
    ),
)
