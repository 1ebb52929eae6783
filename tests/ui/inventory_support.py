"""What the tests of the Keys page's views share: keys on a bench of fakes, and a view that has read them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fakes.journal import put_key
from fakes.waiting import until
from fakes.world import Bench
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.ports import entry_of
from keybench.runtime.supervisor import Supervisor
from keybench.ui.keys.inventory import InventoryView
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.reading import READING
from keybench.ui.shared.session import Notice, Session

D = TypeVar("D", bound=Dialog)


def button_of(parent: QWidget, name: str) -> QPushButton:
    """Return the visible button of this accessible name."""
    (found,) = [
        one for one in parent.findChildren(QPushButton) if one.isVisible() and one.accessibleName() == name
    ]
    return found


async def asked(kind: type[D]) -> D:
    """Wait for a dialog of that kind, and return it."""

    def found() -> D | None:
        tops = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, kind)]
        return next((widget for widget in tops if widget.isVisible()), None)

    await until(lambda: found() is not None)
    question = found()
    assert question is not None
    return question


def press(parent: QWidget, name: str) -> None:
    """Press the visible button of this accessible name, which has to be enabled."""
    found = button_of(parent, name)
    assert found.isEnabled(), name
    found.click()


@dataclass
class Stage:
    """The Inventory view on fakes."""

    bench: Bench
    session: Session
    view: InventoryView
    notices: list[Notice]
    preferences: Preferences

    @property
    def names(self) -> list[str]:
        return [row.key.name for row in self.view.model.rows]

    def choose(self, *names: str) -> None:
        how = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        self.view.table.clearSelection()
        for name in names:
            index = self.view.model.index(self.names.index(name), 0)
            self.view.table.selectionModel().select(index, how)

    def chosen(self) -> list[str]:
        return [row.key.name for row in self.view.table.selection]


async def make_bench() -> tuple[Bench, Environment, Environment]:
    """Return a bench with two keys in practice and two in a live shop, one of these without a value."""
    bench = Bench()
    await bench.journal.open()
    practice = await bench.practice_environment()
    shop = await bench.add("Main shop", EnvironmentKind.LIVE)
    await bench.add_key(practice, "Till 1")
    await bench.add_key(practice, "Till 2")
    await bench.add_key(shop, "Web")
    await without_value(bench, await bench.add_key(shop, "Described"))
    return bench, practice, shop


async def without_value(bench: Bench, key: SecurityKey) -> SecurityKey:
    """Leave only the description of a key."""
    described = replace(key, fingerprint="", state=KeyState.NO_VALUE)
    await bench.keystore.erase(entry_of(key))
    await put_key(bench.journal, described)
    return described


async def make_stage(
    qtbot: QtBot,
    supervisor: Supervisor,
    *,
    bench: Bench | None = None,
) -> Stage:
    """Put a view on a bench and wait until it has read all."""
    bench = bench or (await make_bench())[0]
    preferences = Preferences()
    session = Session(bench.console, supervisor, await bench.practice_environment(), preferences=preferences)
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    view = InventoryView(session)
    qtbot.addWidget(view, before_close_func=lambda _view: session.end())
    view.resize(1100, 680)
    view.show()
    await until(lambda: view.table.empty_text != READING)
    return Stage(bench, session, view, notices, preferences)
