"""The Security Keys panel in a window on fakes, driven as a person would."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.classes import FakeClasses
from fakes.clock import MovedClock
from fakes.gateway import FakeAccount, FakeGateway, FakePortal
from fakes.journal import MemoryJournal
from fakes.keystore import FakeKeystore
from fakes.probing import FakeProbing
from fakes.slow import Slow
from fakes.waiting import until
from fakes.world import FakeOwners, FakePractice
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.ports import entry_of
from keybench.runtime.events import Events
from keybench.runtime.supervisor import Supervisor
from keybench.ui.bench.add_key import AddKeyView
from keybench.ui.bench.keys_panel import KeysPanel
from keybench.ui.kit.dialog import Dialog
from keybench.ui.shared.clipboard import Countdown
from keybench.ui.shared.keys.form import KeyForm
from keybench.ui.shared.session import Notice, Session
from keybench.workflows.console import Console
from keybench.workflows.world import World

PASTED = "PastedForTests0123456789abcdefgh"


class KeysWindow:
    """A window with nothing but the panel, and the fakes behind it.

    Attributes:
        chosen: The names of the keys that were chosen one after the other; None for no key.
        notices: What the session was told.
    """

    def __init__(self, supervisor: Supervisor, environment: Environment, clock: MovedClock) -> None:
        self.clock = clock
        self.account = FakeAccount()
        self.journal = MemoryJournal(clock)
        self.keystore = FakeKeystore("Fake Keyring")
        self.slow_keystore = Slow(self.keystore)
        self.events = Events()
        self.practice = environment
        world = World(
            clock=clock,
            journal=self.journal,
            keystore=self.slow_keystore.port,
            gateway=FakeGateway(self.account),
            portal=FakePortal(self.account),
            practice=FakePractice(),
            probing=FakeProbing(),
            owners=FakeOwners(),
            events=self.events,
            classes=FakeClasses(),
        )
        self.console = Console(world)
        self.session = Session(self.console, supervisor, environment)
        self.notices: list[Notice] = []
        self.session.notified.connect(self.notices.append)
        self.chosen: list[str | None] = []

    async def open(self, qtbot: QtBot) -> None:
        """Show the window with the panel in it, and wait until it has the keyboard.

        The panel is closed down with the window, which goes before any fixture does.
        """
        self.window = QWidget()
        qtbot.addWidget(self.window, before_close_func=self._close_down)
        self.panel = KeysPanel(self.session)
        self.panel.key_chosen.connect(self._on_chosen)
        QVBoxLayout(self.window).addWidget(self.panel)
        self.window.resize(560, 860)
        self.window.show()
        self.window.activateWindow()
        await until(self.window.isActiveWindow)

    async def open_with_two_keys(self, qtbot: QtBot) -> None:
        """Have two private keys made, and show the window with them listed."""
        names = ("front-desk till", "nightly reports")
        await self.journal.open()
        for name in names:
            await self.made(name)
        await self.open(qtbot)
        await self.shows(*names)

    def _on_chosen(self, key: SecurityKey | None) -> None:
        name = key.name if key else None
        if name != (self.chosen[-1] if self.chosen else None):
            self.chosen.append(name)

    def _close_down(self, _window: QWidget) -> None:
        self.session.end()

    # --- what there is -------------------------------------------------------------------------------

    async def made(self, name: str, **known: str) -> SecurityKey:
        """Have the practice gateway make a private key, and keep it."""
        draft = KeyDraft(name, known.get("username", "counter1"), "API", KeyKind.PRIVATE)
        return (await self.console.add_key.create(self.practice, draft)).key

    async def pasted(self, environment: Environment, name: str, kind: KeyKind) -> SecurityKey:
        draft = KeyDraft(name, "web", "Tokenization", kind)
        return (await self.console.add_key.keep(environment, draft, PASTED)).key

    async def test_environment(self) -> Environment:
        """Add an environment whose gateway can't create keys."""
        return await self.console.environments.add("Sandbox", EnvironmentKind.TEST, "https://gateway.example")

    def holds_value_of(self, key: SecurityKey) -> bool:
        return entry_of(key) in self.keystore.entries

    # --- what is shown -------------------------------------------------------------------------------

    def names(self, kind: KeyKind) -> list[str]:
        """Return the names of the keys of a kind, as the table shows them."""
        return [row.key.name for row in self.panel.table.model().rows if row.key.kind is kind]

    @property
    def message(self) -> str:
        """What the card reports."""
        return self.panel.details.report.message.text()

    @property
    def tested(self) -> str:
        """What the card says of the key's last test."""
        return self.panel.details.facts.test.text()

    def state(self, name: str) -> str:
        """Return what the State column says of a key."""
        return self.cell(name, "state")

    def cell(self, name: str, column: str) -> str:
        """Return what a column says of a key."""
        model = self.panel.table.model()
        number = next(number for number, row in enumerate(model.rows) if row.key.name == name)
        return str(model.index(number, model.column(column)).data())

    async def shows(self, *names: str) -> None:
        """Wait until exactly these keys are listed."""
        wanted = sorted(names)
        await until(lambda: sorted(name for kind in KeyKind for name in self.names(kind)) == wanted)

    async def has_chosen(self, name: str) -> None:
        await until(lambda: self.key is not None and self.key.name == name)

    @property
    def key(self) -> SecurityKey | None:
        return self.panel.key

    @property
    def says_none(self) -> bool:
        """Tell whether how to get a key stands where the keys would be."""
        return self.panel.no_keys.isVisible()

    @property
    def adding(self) -> AddKeyView:
        view = self.panel.adding
        assert view is not None, "Add a New Key isn't open"
        return view

    @property
    def form(self) -> KeyForm:
        return self.adding.form

    def question(self) -> Dialog | None:
        return next((each for each in self.window.findChildren(Dialog) if each.isVisible()), None)

    # --- what a person does --------------------------------------------------------------------------

    def button(self, name: str) -> QPushButton:
        """Return the one button on screen with that accessible name."""
        found = [
            each
            for each in self.window.findChildren(QPushButton)
            if each.accessibleName() == name and each.isVisible()
        ]
        assert len(found) == 1, f"{len(found)} buttons named {name}"
        return found[0]

    def press(self, name: str) -> None:
        QTest.mouseClick(self.button(name), Qt.MouseButton.LeftButton)

    def choose(self, name: str) -> None:
        """Select the row of a key."""
        names = [row.key.name for row in self.panel.table.model().rows]
        self.panel.table.selectRow(names.index(name))

    def more(self, text: str) -> None:
        """Choose in the menu of what else can be done with the key."""
        self.press("More")
        menu = next(one for one in self.window.findChildren(QMenu) if one.isVisible())
        next(one for one in menu.actions() if one.text() == text).trigger()
        menu.close()

    def move_clock(self, seconds: float) -> None:
        """Let time pass and have every countdown look at the clock."""
        self.clock.move(seconds)
        for countdown in self.window.findChildren(Countdown):
            countdown.look()

    def fill(self, **texts: str) -> None:
        """Write into fields of the form by their names in it."""
        for name, text in texts.items():
            editor = getattr(self.form, name).editor
            if isinstance(editor, QLineEdit):
                editor.setText(text)
            elif editor.isEditable():
                editor.setEditText(text)
            else:
                editor.setCurrentIndex(editor.findData(text))

    def said(self, name: str) -> str:
        """Return the message under a field."""
        return str(getattr(self.form, name).message.text())


def accessible_name(widget: QWidget) -> str:
    """Return what a screen reader says of a widget."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def type_keys(*keys: Qt.Key | str) -> None:
    """Type texts and keys into whatever has the keyboard."""
    for key in keys:
        at = QApplication.focusWidget()
        assert at is not None, "nothing has the keyboard"
        if isinstance(key, str):
            QTest.keyClicks(at, key)
        else:
            QTest.keyClick(at, key)
