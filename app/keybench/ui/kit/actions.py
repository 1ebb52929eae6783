"""What a person can do: one QAction each, shared by buttons, context menus, the menu bar and the keyboard."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QMenuBar, QStyle, QWidget

from keybench.ui.kit.labels import SteadyButton, literal, set_tip
from keybench.words.language import _

_Standard = QKeySequence.StandardKey


class Menu(enum.Enum):
    """The menus of the menu bar, in their order."""

    FILE = _("&File")
    KEYS = _("&Keys")
    SALE = _("&Sale")
    PRACTICE = _("&Practice")
    VIEW = _("&View")
    HELP = _("&Help")


@dataclass(frozen=True, slots=True)
class Command:
    """How an action is called, and where it is found.

    `keys` are Qt's portable texts, after the platform's own `standard`; macOS places it by `role`. What
    `destroys` stands apart in every menu.
    """

    text: str
    menu: Menu
    keys: tuple[str, ...] = ()
    standard: QKeySequence.StandardKey | None = None
    role: QAction.MenuRole = QAction.MenuRole.NoRole
    destroys: bool = False

    def sequences(self) -> list[QKeySequence]:
        standard = [] if self.standard is None else QKeySequence.keyBindings(self.standard)
        own = [QKeySequence(keys) for keys in self.keys]
        return standard + [keys for keys in own if keys not in standard]


#: Every command, by its id.
COMMANDS: Final[dict[str, Command]] = {
    "window.settings": Command(
        _("Settings"), Menu.FILE, ("Ctrl+,",), _Standard.Preferences, QAction.MenuRole.PreferencesRole
    ),
    "window.lock": Command(_("Lock Keybench"), Menu.FILE, ("Ctrl+L",)),
    "window.close": Command(
        _("Close Keybench"), Menu.FILE, ("Ctrl+Q",), _Standard.Quit, QAction.MenuRole.QuitRole
    ),
    "environment.add": Command(_("Add environment"), Menu.FILE),
    "environment.switch": Command(_("Switch to it"), Menu.FILE),
    "environment.edit": Command(_("Edit environment…"), Menu.FILE),
    "environment.try": Command(_("Try the connection"), Menu.FILE),
    "environment.diagnose": Command(_("Find out why"), Menu.FILE),
    "environment.remove": Command(_("Remove environment"), Menu.FILE, destroys=True),
    "key.add": Command(_("Add a New Key"), Menu.KEYS, ("Ctrl+N",), _Standard.New),
    "keys.import": Command(_("Import…"), Menu.KEYS),
    "keys.template": Command(_("Save a template…"), Menu.KEYS),
    "keys.test": Command(_("Test the selected keys"), Menu.KEYS),
    "key.describe": Command(_("Owner and purpose…"), Menu.KEYS),
    "key.give_value": Command(_("Give it a value…"), Menu.KEYS),
    "key.applications": Command(_("Its applications"), Menu.KEYS),
    "key.rotate": Command(_("Rotate"), Menu.KEYS),
    "key.rotation": Command(_("Open the rotation"), Menu.KEYS),
    "key.show": Command(_("Open the key"), Menu.KEYS),
    "application.add": Command(_("Add an application…"), Menu.KEYS),
    "application.edit": Command(_("Edit…"), Menu.KEYS),
    "application.changed": Command(_("Key was changed…"), Menu.KEYS),
    "application.seen": Command(_("Seen working…"), Menu.KEYS),
    "application.key": Command(_("Show its key"), Menu.KEYS),
    "application.remove": Command(_("Remove"), Menu.KEYS, destroys=True),
    "application.undo": Command(_("Undo"), Menu.KEYS),
    "application.all": Command(_("Show those of all keys"), Menu.KEYS),
    "finding.test": Command(_("Test key"), Menu.KEYS),
    "finding.applications": Command(_("Open the applications"), Menu.KEYS),
    "finding.dismiss": Command(_("Dismiss…"), Menu.KEYS),
    "finding.undo": Command(_("Undo"), Menu.KEYS),
    "finding.restore": Command(_("List it again"), Menu.KEYS),
    "review.again": Command(_("Refresh"), Menu.KEYS),
    "leaver.export": Command(_("Export…"), Menu.KEYS),
    "key.test": Command(_("Test key"), Menu.KEYS),
    "key.reveal": Command(_("Reveal"), Menu.KEYS),
    "key.copy": Command(_("Copy"), Menu.KEYS),
    "key.compromised": Command(_("Compromised"), Menu.KEYS, destroys=True),
    "key.not_compromised": Command(_("Not compromised…"), Menu.KEYS),
    "key.rename": Command(_("Rename…"), Menu.KEYS, ("F2",)),
    "key.revoke": Command(_("Revoke now…"), Menu.KEYS, destroys=True),
    "key.last_test": Command(_("Its last test…"), Menu.KEYS),
    "key.diagnose": Command(_("Find out why"), Menu.KEYS),
    "key.erase_here": Command(_("Erase the value here…"), Menu.KEYS, destroys=True),
    "key.forget": Command(_("Forget"), Menu.KEYS, destroys=True),
    "sale.send": Command(_("Send the sale on the Bench"), Menu.SALE, ("Ctrl+Enter", "Ctrl+Return")),
    "sale.cancel": Command(_("Cancel on device"), Menu.SALE),
    "sale.look_up": Command(_("Look it up"), Menu.SALE),
    "sale.give_value": Command(_("Give it a value…"), Menu.SALE),
    "sale.check": Command(_("I have checked…"), Menu.SALE),
    "sale.again": Command(_("Send again with a new reference"), Menu.SALE),
    "sale.copy_reference": Command(_("Copy the reference"), Menu.SALE),
    "sale.copy_request": Command(_("Copy the payment request"), Menu.SALE),
    "exchange.copy_curl": Command(_("Copy as cURL"), Menu.SALE),
    "exchange.copy_powershell": Command(_("Copy as PowerShell"), Menu.SALE),
    "exchange.copy_request_body": Command(_("Copy the request's body"), Menu.SALE),
    "exchange.copy_answer_body": Command(_("Copy the answer's body"), Menu.SALE),
    "sale.show": Command(_("Show on the Bench"), Menu.SALE),
    "sale.copy_ticket": Command(_("Copy for the ticket"), Menu.SALE),
    "exchange.save": Command(_("Save as HAR…"), Menu.SALE),
    "devices.sell": Command(_("Sell on the selected devices…"), Menu.SALE),
    "device.register": Command(_("Register…"), Menu.SALE),
    "device.check": Command(_("Check it now"), Menu.SALE),
    "device.rename": Command(_("Rename…"), Menu.SALE),
    "device.deregister": Command(_("Deregister…"), Menu.SALE, destroys=True),
    "devices.refresh": Command(
        _("Ask the gateway for its devices again"), Menu.SALE, ("F5",), _Standard.Refresh
    ),
    "sale.diagnose": Command(_("Find out why"), Menu.SALE),
    "device.diagnose": Command(_("Diagnose"), Menu.SALE),
    "desk.open": Command(_("Make ready…"), Menu.PRACTICE),
    "time.day": Command(_("Move time on by a day"), Menu.PRACTICE),
    "time.week": Command(_("Move time on by a week"), Menu.PRACTICE),
    "amounts.handout": Command(_("Handout of the amounts…"), Menu.PRACTICE),
    "lesson.start": Command(_("Start"), Menu.PRACTICE),
    "lesson.reset": Command(_("Reset step"), Menu.PRACTICE),
    "lesson.again": Command(_("Start again"), Menu.PRACTICE),
    "class.serve": Command(_("Serve a class…"), Menu.PRACTICE),
    "class.reset_step": Command(_("Reset step"), Menu.PRACTICE),
    "class.reset": Command(_("Reset all…"), Menu.PRACTICE, destroys=True),
    "class.next_learner": Command(_("Next learner"), Menu.PRACTICE),
    "class.next_lesson": Command(_("Next lesson for all"), Menu.PRACTICE),
    "class.export": Command(_("Export results…"), Menu.PRACTICE),
    "class.merge": Command(_("Merge results…"), Menu.PRACTICE),
    "class.end": Command(_("End the class"), Menu.PRACTICE, destroys=True),
    "lesson.add": Command(_("Add a file…"), Menu.PRACTICE),
    "lesson.from_bundle": Command(_("From a support bundle…"), Menu.PRACTICE),
    "view.palette": Command(_("Command palette…"), Menu.VIEW, ("Ctrl+K",)),
    "notice.go": Command(_("Go to the notice"), Menu.VIEW, ("F6",)),
    "notices.list": Command(_("Notices…"), Menu.VIEW, ("Shift+F6",)),
    "window.environment": Command(_("Go to the environment chooser"), Menu.VIEW, ("Ctrl+E",)),
    "view.larger": Command(_("Larger text"), Menu.VIEW, ("Ctrl++", "Ctrl+="), _Standard.ZoomIn),
    "view.smaller": Command(_("Smaller text"), Menu.VIEW, ("Ctrl+-",), _Standard.ZoomOut),
    "view.normal": Command(_("Normal text size"), Menu.VIEW, ("Ctrl+0",)),
    "view.presentation": Command(_("Presentation size"), Menu.VIEW, ("Ctrl+Shift+P",)),
    "bundle.save": Command(_("Save support bundle…"), Menu.FILE),
    "sale.bundle": Command(_("Save support bundle…"), Menu.SALE),
    "diagnose.run": Command(_("Run diagnosis"), Menu.HELP, ("Ctrl+R",)),
    "diagnose.stop": Command(_("Stop"), Menu.HELP),
    "diagnose.copy": Command(_("Copy for the ticket"), Menu.HELP),
    "diagnose.bundle": Command(_("Save support bundle…"), Menu.HELP),
    "help.manual": Command(_("Manual"), Menu.HELP, ("F1",), _Standard.HelpContents),
    "help.shortcuts": Command(_("Keyboard shortcuts"), Menu.HELP, ("?",)),
    "help.tour": Command(_("Guided tour"), Menu.HELP),
    "help.changes": Command(_("What's new"), Menu.HELP),
    "help.log": Command(_("Log"), Menu.HELP),
    "help.about": Command(_("About Keybench"), Menu.HELP, role=QAction.MenuRole.AboutRole),
}


class Action(QAction):
    """Something a person can do in `owner`; the menu bar lists it while that is in sight.

    Its shortcut works while the keyboard is within `owner`, and for a window's own everywhere in it. `when`
    tells whether it can be done now, which `refresh` asks again; without it its owner enables it.
    """

    def __init__(
        self,
        owner: QWidget,
        command: str | Command,
        do: Callable[[], object],
        when: Callable[[], bool] | None = None,
    ) -> None:
        self.command = COMMANDS[command] if isinstance(command, str) else command
        self.group = command.partition(".")[0].removesuffix("s") if isinstance(command, str) else ""
        super().__init__(self.command.text, owner)
        self._do = do
        self._when = when
        self.setShortcuts(self.command.sequences())
        self.setAutoRepeat(False)  # keys held too long are one wish
        self.setMenuRole(self.command.role)
        if not owner.isWindow():
            self.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.triggered.connect(self._on_triggered)
        owner.addAction(self)
        self.refresh()

    def refresh(self) -> None:
        if self._when:
            self.setEnabled(self._when())

    def set_tip(self, text: str) -> None:
        self.setToolTip(literal(text))

    def _on_triggered(self) -> None:
        self._do()


class ActionButton(SteadyButton):
    """A button for an action; it says and allows what the action does.

    Its accessible name is the action's text, also where `text` shows less. `others` are what that text
    becomes for a while, such as ``Testing…``: room is kept for them, and the accessible name stays. One that
    `goes` is hidden while it can't be pressed, where something else says why.
    """

    def __init__(
        self,
        action: QAction,
        tone: str = "",
        *,
        text: str = "",
        others: Sequence[str] = (),
        goes: bool = False,
    ) -> None:
        super().__init__(action.text(), others)
        self._action = action
        self._goes = goes
        self._text = text
        self.setProperty("tone", tone)
        self.clicked.connect(action.trigger)
        action.changed.connect(self._on_changed)
        self._on_changed()

    def _on_changed(self) -> None:
        self.setText(self._text or self._action.text())
        self.setAccessibleName(self._texts[0] if self._texts else self._action.text())
        self.setEnabled(self._action.isEnabled())
        if not self._action.isVisible() or (self._goes and not self._action.isEnabled()):
            self.hide()
        elif self.parentWidget():  # without one it would be a window
            self.show()
        tip = self._action.toolTip()
        if tip == self._action.iconText():  # its text, when it has no tip of its own
            tip = ""
        set_tip(self, tip)
        self.setAccessibleDescription(tip)


def actions_in_sight(window: QMainWindow) -> list[Action]:
    """Return the actions of all that is in sight; each was asked anew whether it can be done now."""
    found = []
    for action in window.findChildren(Action):
        owner = action.parent()
        if isinstance(owner, QWidget) and owner.isVisibleTo(window):
            action.refresh()
            found.append(action)
    return found


class MenuBar(QMenuBar):
    """The menu bar of a window; its menus list the actions of all that is in sight there."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._menus = {menu: self.addMenu(menu.value) for menu in Menu}
        for menu in self._menus.values():
            menu.aboutToShow.connect(self.fill)
        self.fill()

    def menu(self, menu: Menu) -> QMenu:
        return self._menus[menu]

    def fill(self) -> None:
        for menu in self._menus.values():
            for listed in menu.actions():  # PySide6's clear() deletes what belongs to others, too
                menu.removeAction(listed)
                if listed.isSeparator():
                    listed.deleteLater()
        by_menu = {menu: list[Action]() for menu in self._menus}
        for action in actions_in_sight(self._window):
            by_menu[action.command.menu].append(action)
        for one, actions in by_menu.items():
            add_in_groups(self._menus[one], actions)


def add_in_groups(menu: QMenu, actions: Iterable[QAction]) -> None:
    """Add actions in groups; what takes something away comes last."""
    before: tuple[bool, str] | None = None
    by_danger = sorted(actions, key=lambda one: isinstance(one, Action) and one.command.destroys)
    for action in by_danger:
        group = (action.command.destroys, action.group) if isinstance(action, Action) else (False, "")
        if action.isVisible():
            if before not in {None, group}:
                menu.addSeparator()
            before = group
        menu.addAction(action)


def popup_below(menu: QMenu, widget: QWidget) -> None:
    """Open a menu below a widget, from the side where its text begins."""
    room = QRect(QPoint(0, widget.height()), menu.sizeHint())
    seen = QStyle.visualRect(widget.layoutDirection(), widget.rect(), room)
    menu.popup(widget.mapToGlobal(seen.topLeft()))


def key_names(keys: str) -> str:
    """Return keys such as ``Ctrl+N`` as menus name them: by the language, and by the system's signs."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
