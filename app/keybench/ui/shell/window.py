"""The main window: band, rail and pages. It is on screen before there is anything to show in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from logging import LogRecord
from typing import TYPE_CHECKING, Final, TypeVar, assert_never

from PySide6.QtCore import QProcess, QSize, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.runtime.data_folder import own_command
from keybench.ui.bench.page import BenchPage, StartingPage
from keybench.ui.kit.actions import Action, Command, Menu, MenuBar
from keybench.ui.kit.boxes import PageFrame, in_column, in_row
from keybench.ui.kit.keyboard import Keyboard
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import AS_THE_SYSTEM, TEXT_SIZE, theme
from keybench.ui.shared.session import (
    Case,
    EditEnvironment,
    LockNow,
    Notice,
    OpenAgain,
    Place,
    PlayLesson,
    Rehearse,
    Request,
    Revoke,
    Rotate,
    SaveBundle,
    Session,
    ShowKeys,
    TakeTour,
)
from keybench.ui.shared.views_page import later
from keybench.ui.shell.band import Band, window_title
from keybench.ui.shell.notices.bar import NoticeBar
from keybench.ui.shell.rail import PageSpec, Rail
from keybench.words.language import _

if TYPE_CHECKING:
    from keybench.core.diagnosis.conclusion import Diagnosis
    from keybench.ui.shell.manual import ManualWindow

_Page = TypeVar("_Page", bound=QWidget)

#: What the window can be made to; what doesn't fit then scrolls.
SMALLEST: Final = QSize(560, 380)
USUAL: Final = QSize(1440, 900)
#: What the desktop puts around a window, about: its size is not known before the window is shown.
FRAME: Final = QSize(12, 44)
_GEOMETRY: Final = "window/geometry"


PAGES: Final = (
    PageSpec("bench", _("Bench"), "bench", BenchPage),
    PageSpec("keys", _("Keys"), "key", later("keys.page", "KeysPage")),
    PageSpec("rotations", _("Rotations"), "rotations", later("rotations.page", "RotationsPage")),
    PageSpec("devices", _("Devices"), "devices", later("devices.page", "DevicesPage")),
    PageSpec("history", _("History"), "history", later("history.page", "HistoryPage")),
    PageSpec("diagnose", _("Diagnose"), "diagnose", later("diagnose.page", "DiagnosePage")),
    PageSpec("lessons", _("Lessons"), "lessons", later("lessons.page", "LessonsPage")),
    PageSpec("settings", _("Settings"), "settings", later("settings.page", "SettingsPage"), at_end=True),
)


class MainWindow(QMainWindow):
    """The window. Shown at once; `attach` brings it to life.

    Args:
        preferences: What it remembers between runs.
        pages: The pages, the first of which is shown.

    Attributes:
        close_hook: Called when a person wants to close; it ends with `finish_close` or `stay_open`.
            None closes at once.
        manual: The manual's window; None until it was asked for.
        ends: Whether it is about to go, whatever comes: nobody is told any more that it was shown.
    """

    def __init__(self, preferences: Preferences | None = None, pages: Sequence[PageSpec] = PAGES) -> None:
        super().__init__()
        self.close_hook: Callable[[], None] | None = None
        self.session: Session | None = None
        self.manual: ManualWindow | None = None
        self.ends = False
        self._closing = False
        self._may_close = False
        self._preferences = preferences or Preferences()
        self._specs = {page.id: page for page in pages}
        self._pages: dict[str, QWidget] = {}
        self._frames: dict[str, PageFrame] = {}
        practice = Environment(
            PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", datetime.now(UTC)
        )
        self.band = Band(practice)
        self.rail = Rail(pages)
        self.rail.chosen.connect(self._on_page)
        self.starting = StartingPage()
        self.stack = QStackedWidget()
        self.stack.addWidget(self.starting)
        self.notice_bar = NoticeBar()
        self.notice_bar.list_wanted.connect(self._on_list_notices)
        self._lay_out()
        self.setWindowTitle(window_title(practice))
        self._add_actions()

    def attach(self, session: Session) -> None:
        self.session = session
        self.notice_bar.attach(session)
        session.requested.connect(self._on_requested)
        session.waiting_changed.connect(self._on_waiting)
        session.environment_changed.connect(self._on_environment)
        self.band.attach(session)
        self._on_environment(session.environment)
        self.show_page(self.page_id)

    def show_instead(self, widget: QWidget | None) -> None:
        """Show `widget` while there is no session, and nothing beside it that waits; None waits again."""
        if widget:
            self.stack.addWidget(widget)
        self.stack.setCurrentWidget(widget or self.starting)
        for waiting in (self.rail, self.band.gateway_chip, self.band.keystore_chip):
            waiting.setVisible(widget is None)

    @property
    def page_id(self) -> str:
        """The id of the page that the rail shows as chosen."""
        return next(page_id for page_id, button in self.rail.buttons.items() if button.isChecked())

    def show_page(self, page_id: str) -> None:
        self.rail.choose(page_id)
        self._on_page(page_id)

    def show_place(self, place: Place) -> None:
        if self.session is None:
            return
        if place.environment:
            self.session.choose_environment(place.environment)
        self.show_page(place.page)
        if place.sale:
            self._visit("bench", BenchPage).sale.show_sale(place.sale)

    def show_below(self, widget: QWidget) -> None:
        self._column.addWidget(widget)

    def show_beside(self, widget: QWidget) -> None:
        """Show a widget at the right edge, whichever page is in sight."""
        self._body.addWidget(widget)

    def page(self, page_id: str) -> QWidget | None:
        return self._pages.get(page_id)

    def come_to_front(self, token: str = "") -> bool:
        """Show the window over all others, by a token that allows it on Wayland; False if it goes or is hidden."""
        if self.ends or self.isHidden():
            return False
        if token:
            os.environ["XDG_ACTIVATION_TOKEN"] = token  # Qt takes it from there
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        return True

    def finish_close(self) -> None:
        self._may_close = True
        self.close()

    def stay_open(self) -> None:
        self._closing = False

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._may_close or self.close_hook is None:
            self._put_away()
            event.accept()
            return
        event.ignore()
        if not self._closing:
            self._closing = True
            self.close_hook()

    def focusNextPrevChild(self, following: bool) -> bool:  # noqa: FBT001 - Qt's own form
        """Move the focus on for a person, and not because a control can't be used for a while."""
        self.notice_bar.come_last()
        return self._keyboard.stays() or super().focusNextPrevChild(following)

    def _put_away(self) -> None:
        self._preferences.set_state(_GEOMETRY, self.saveGeometry())
        if self.manual:
            self.manual.close()
        if self.session:
            self.session.end()
        self._preferences.save()

    def _lay_out(self) -> None:
        self._body = in_row(self.rail, (self.stack, 1), spacing=0)
        centre = QWidget()
        self._column = in_column(self.band, (self._body, 1), self.notice_bar, within=centre, spacing=0)
        self.setCentralWidget(centre)
        centre.setFocus()  # no control is marked before a person uses the keyboard
        room = self.screen().availableSize() - FRAME
        self.setMinimumSize(SMALLEST.boundedTo(room))
        self.resize(USUAL.boundedTo(room))
        self.restoreGeometry(self._preferences.state(_GEOMETRY))

    def _add_actions(self) -> None:
        to_environment = partial(self.band.environment_box.setFocus, Qt.FocusReason.ShortcutFocusReason)
        done: dict[str, Callable[[], object]] = {
            "window.settings": partial(self.show_page, "settings"),
            "bundle.save": self._on_save_bundle,
            "window.lock": self._on_lock,
            "window.close": self.close,
            "key.add": partial(self._on_bench, BenchPage.add_new_key),
            "sale.send": self._on_send,
            "devices.refresh": partial(self._on_bench, BenchPage.refresh_devices),
            "desk.open": partial(self._on_practice, "open_desk"),
            "time.day": partial(self._on_practice, "move_time", 1),
            "time.week": partial(self._on_practice, "move_time", 7),
            "amounts.handout": partial(self._on_practice, "save_handout"),
            "view.palette": self._on_palette,
            "window.environment": to_environment,
            "notice.go": self.notice_bar.go,
            "notices.list": self._on_list_notices,
            "view.larger": partial(self._on_text_size, 1),
            "view.smaller": partial(self._on_text_size, -1),
            "view.normal": self._on_normal_size,
            "view.presentation": lambda: theme().present(presenting=not theme().presenting),
            "help.manual": self._on_manual,
            "help.shortcuts": partial(self.show_manual, "shortcuts"),
            "help.tour": self._on_tour,
            "help.changes": partial(self.show_manual, "changes"),
            "help.log": self.show_log,
            "help.about": self._on_about,
        }
        when = dict.fromkeys(("time.day", "time.week"), self._is_lesson)
        by_id = {command: Action(self, command, do, when.get(command)) for command, do in done.items()}
        self.commands = list(by_id.values())
        self._presentation = by_id["view.presentation"]
        self._presentation.setCheckable(True)
        theme().changed.connect(self._on_theme)
        self._on_theme()
        for number, page in enumerate(self._specs.values(), start=1):
            go_there = Command(page.title, Menu.VIEW, (f"Ctrl+{number}",))
            self.commands.append(Action(self, go_there, self.rail.buttons[page.id].click))
        self.setMenuBar(MenuBar(self))
        self._keyboard = Keyboard(self, self.commands)

    def _on_environment(self, environment: Environment) -> None:
        desk = self.session.console.world.desk if self.session else None
        self.setWindowTitle(window_title(environment, desk))
        self.rail.show_kind(environment.kind)

    def _on_waiting(self) -> None:
        if self.session and self.session.waiting:
            self.rail.show_counts(self.session.waiting.counts)

    def _on_page(self, page_id: str) -> None:
        if self.session is None:
            return
        if page_id not in self._frames:
            frame = self._frames[page_id] = PageFrame(self.stack)
            self._pages[page_id] = self._specs[page_id].factory(self.session, frame.viewport())
            frame.hold(self._pages[page_id])
            self.stack.addWidget(frame)
        frame = self._frames[page_id]
        at: QWidget | None = self.focusWidget()
        self.stack.setCurrentWidget(frame)
        if at is None or not (self.rail.isAncestorOf(at) or frame.isAncestorOf(at)):
            # From there Tab comes to the page's first control.
            frame.setFocus(Qt.FocusReason.OtherFocusReason)

    def _visit(self, page_id: str, kind: type[_Page]) -> _Page:
        """Go to a page, and return it as what `PAGES` makes it."""
        self.show_page(page_id)
        page = self._pages[page_id]
        assert isinstance(page, kind)  # noqa: S101 - PAGES says so
        return page

    def _on_requested(self, request: Request) -> None:
        match request:
            case Place():
                self.show_place(request)
            case Rotate() | Revoke():
                self._on_rotation(request)
            case ShowKeys():
                from keybench.ui.keys.page import KeysPage  # noqa: PLC0415 - it is imported when it is visited

                self._visit("keys", KeysPage).show_view(request.view, request.keys)
            case Case():
                from keybench.ui.diagnose.page import DiagnosePage  # noqa: PLC0415 - as above

                self._visit("diagnose", DiagnosePage).diagnose(request)
            case EditEnvironment():
                self._on_edit_environment(request.environment)
            case SaveBundle():
                self._on_save_bundle(request.diagnosis)
            case TakeTour():
                self._on_tour()
            case PlayLesson() | Rehearse():
                self._on_lesson(request)
            case LockNow() | OpenAgain():
                pass  # the lock hears the one, the window's life the other
            case _:
                assert_never(request)

    def _on_edit_environment(self, environment: Environment | None) -> None:
        from keybench.ui.settings.page import SettingsPage  # noqa: PLC0415 - as above

        page = self._visit("settings", SettingsPage)
        if environment:
            page.edit_environment(environment)
        else:
            page.add_environment()

    def _on_rotation(self, request: Rotate | Revoke) -> None:
        from keybench.ui.rotations.page import RotationsPage  # noqa: PLC0415 - as above

        page = self._visit("rotations", RotationsPage)
        if isinstance(request, Revoke):
            page.revoke(request.key)
        elif request.compromised:
            page.take_as_compromised(request.key)
        else:
            page.rotate(request.key)

    def _on_bench(self, do: Callable[[BenchPage], object]) -> None:
        if self.session:
            do(self._visit("bench", BenchPage))

    def _on_send(self) -> None:
        page = self._pages.get("bench")
        if isinstance(page, BenchPage) and page.isVisible():
            page.send()

    def _on_lock(self) -> None:
        if self.session:
            self.session.ask(LockNow())

    def _on_list_notices(self) -> None:
        from keybench.ui.shell.notices.listing import show_notices  # noqa: PLC0415 - the first frame comes first

        if self.session:
            self.session.run("list of notices", show_notices(self, self.notice_bar))

    def _on_palette(self) -> None:
        from keybench.ui.shell.palette import Palette  # noqa: PLC0415 - as above

        if self.session:
            (self.findChild(Palette) or Palette(self, self.session)).open()

    def _on_save_bundle(self, diagnosis: Diagnosis | None = None) -> None:
        from keybench.ui.shared.bundle_dialog import save_bundle  # noqa: PLC0415 - as above
        from keybench.words.support.bundle import bundled_diagnosis  # noqa: PLC0415 - as above

        if not self.session:
            return
        if diagnosis:
            told, asked = bundled_diagnosis(diagnosis), diagnosis.exchanges
            work = save_bundle(self, self.session, diagnosis.reference, diagnosis=told, asked=asked)
        else:
            work = save_bundle(self, self.session)
        self.session.run("support bundle", work)

    def _on_text_size(self, by: int) -> None:
        size = theme().next_text_size(by)
        theme().choose_text_size(size)
        TEXT_SIZE.write(self._preferences, size)

    def _on_normal_size(self) -> None:
        theme().show_normal()
        TEXT_SIZE.write(self._preferences, AS_THE_SYSTEM)

    def _on_theme(self) -> None:
        self._presentation.setChecked(theme().presenting)

    def _on_tour(self) -> None:
        if self.session is None:
            return
        shown = ["--look", "dark" if theme().tokens.dark else "light", *theme().size_options()]
        self._start_window(_("The tour"), "tour", "--stay", *shown)

    def _on_lesson(self, wanted: PlayLesson | Rehearse) -> None:
        if self.session is None:
            return
        if isinstance(wanted, Rehearse):
            self._on_practice("rehearse", wanted.rotation)
            return
        folder = self.session.console.world.journal.place.folder
        words = ["play", wanted.name, *(["--again"] if wanted.again else [])] if wanted.name else ["join"]
        self._start_window(_("The lesson"), "--data-dir", folder, "lesson", *words)

    def _on_practice(self, what: str, *given: object) -> None:
        """Do what the menu Practice offers, by its name in `ui.lessons.practice`."""
        if self.session:
            practice = import_module("keybench.ui.lessons.practice")
            self.session.run(f"practice {what}", getattr(practice, what)(self, self.session, *given))

    def _is_lesson(self) -> bool:
        return self.session is not None and self.session.room is not None

    def _start_window(self, what: str, *words: str) -> None:
        """Start the program once more, for something with keys and sales of its own; `what` begins a sentence."""
        program, *arguments = own_command(*words)
        if QProcess.startDetached(program, arguments, "")[0]:
            title = _("{what} opens in a window of its own.").format(what=what)
            notice = Notice(
                "good", title, _("It has keys and sales of its own. Nothing here changes."), "window"
            )
        else:
            notice = Notice("bad", _("{what} couldn't be started.").format(what=what), topic="window")
        if self.session:
            self.session.notify(notice)

    def show_manual(self, page: str) -> None:
        from keybench.ui.shell.manual import ManualWindow  # noqa: PLC0415 - as above

        if self.manual is None:
            self.manual = ManualWindow()
        self.manual.open(page)

    def _on_manual(self) -> None:
        """Show what the manual says of the page that is in sight."""
        from keybench.ui.shell.manual import ABOUT  # noqa: PLC0415 - as above

        bench = self._pages.get(self.page_id)
        sold = isinstance(bench, BenchPage) and bench.sale.selection.reference
        page = "sales" if sold else ABOUT[self.page_id]
        self.show_manual(page if self.session else "trouble")

    def show_log(self, fault: LogRecord | None = None) -> None:
        """Show the log, and in it the line of something unexpected."""
        from keybench.ui.shell.log import LogDialog  # noqa: PLC0415 - as above

        LogDialog(self, self._preferences.person, fault).open()

    def _on_about(self) -> None:
        from keybench.ui.shell.about import show_about  # noqa: PLC0415 - as above

        if self.session:
            self.session.run("about", show_about(self, self.session))
