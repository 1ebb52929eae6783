"""The command palette: every command, page, key, device and sale, found by a few words of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final, NamedTuple
from unicodedata import combining, normalize

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QApplication, QFrame, QWidget
from shiboken6 import isValid

from keybench.core.sales.history import SaleFilter
from keybench.ui.keys.page import VIEWS as KEYS
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.actions import COMMANDS, Menu, actions_in_sight
from keybench.ui.kit.boxes import framed, in_column, in_row
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size, scaled
from keybench.ui.lessons.page import VIEWS as LESSONS
from keybench.ui.shared.environment_cells import name_of
from keybench.ui.shared.list_page import search_field
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Place, Session, ShowKeys
from keybench.ui.shell.window import MainWindow
from keybench.words.language import _

_WIDTH_PX, _HEIGHT_PX, _MARGIN_PX = 640, 420, 16
#: So many sales are listed, once a person pauses so long behind what may begin a reference.
_MOST_SALES, _PAUSE_MS = 8, 150
_REFERENCE: Final = re.compile(r"(?=.*\d|KB-)\S{3,}", re.IGNORECASE)
#: Where the commands of a group are found while they aren't in sight.
_PAGES: Final = {
    **dict.fromkeys(("key", "keys", "application", "finding", "review", "leaver"), "keys"),
    **dict.fromkeys(("device", "devices"), "devices"),
    **dict.fromkeys(("sale", "exchange"), "history"),
    **dict.fromkeys(("lesson", "class"), "lessons"),
    "diagnose": "diagnose",
    "environment": "settings",
}
_MOVES: Final = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}
_Reason = Qt.FocusReason
_STAYS: Final = {_Reason.ActiveWindowFocusReason, _Reason.PopupFocusReason, _Reason.MenuBarFocusReason}


class PaletteEntry(NamedTuple):
    """What is found by its name, by what or where it is, or by `also`; `do` is None while it can't be done."""

    id: str
    name: str
    place: str
    do: Callable[[], object] | None
    keys: str = ""
    also: str = ""


COLUMNS: Final = (
    Column[PaletteEntry](
        "name", _("Name"), lambda e: e.name, stretch=True, ink=lambda e: "" if e.do else "faint"
    ),
    Column[PaletteEntry]("place", _("What it is"), lambda e: e.place, ink=lambda _e: "dim"),
    # Isolated, or Ctrl+, would be mixed up where text is read from right to left.
    Column[PaletteEntry](
        "keys", _("Shortcut"), lambda e: f"\u2066{e.keys}\u2069", right=True, ink=lambda _e: "dim"
    ),
)


def folded(text: str) -> str:
    """Return a text as it is compared: ``Größe`` and ``GROSSE`` are alike."""
    plain = normalize("NFKD", normalize("NFKD", text).casefold())
    return "".join(letter for letter in plain if not combining(letter))


def found(entries: Iterable[PaletteEntry], text: str) -> list[PaletteEntry]:
    """Return the entries that have every word of a text; first those where they begin words of the name, then any."""
    words = folded(text).split()
    begins = [re.compile(rf"(?<![^\W_]){re.escape(word)}") for word in words]
    ranks: tuple[list[PaletteEntry], list[PaletteEntry], list[PaletteEntry]] = ([], [], [])
    for entry in entries:
        texts = folded(entry.name), folded(f"{entry.name}\n{entry.place}\n{entry.also}")
        if all(word in texts[1] for word in words):
            ranks[[all(one.search(each) for one in begins) for each in texts].count(False)].append(entry)
    return [entry for rank in ranks for entry in rank]


class Palette(QFrame):
    """Covers its window while it is open: a field, and the list of what has its words below it.

    It is no window of its own, so it stands in its place on every desktop. It goes once another control takes
    the keyboard, and when the window gets another size or is locked.
    """

    def __init__(self, window: MainWindow, session: Session) -> None:
        super().__init__(window)
        self.setObjectName("palette")
        self.setAccessibleName(_("Command palette"))
        self._window, self._session = window, session
        self._before: QWidget | None = None
        self._entries: dict[str, Sequence[PaletteEntry]] = {}
        self.field = search_field(_("Find a command"), _("Find a command, page, key, device or reference"))
        self.table = Table(_("Commands"), TableModel(COLUMNS, lambda entry: entry.id), sortable=False)
        self.table.empty_text = _("Nothing has these words. A sale is found by its reference.")
        self.table.horizontalHeader().hide()
        self.table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._panel = framed(in_column(self.field, (self.table, 1), margins=(12, 12, 12, 12)), "panel")
        keep_size(self._panel, most_width=_WIDTH_PX)
        in_column(in_row(None, (self._panel, 1000), None), None, within=self, margins=(_MARGIN_PX,) * 4)
        self._reading = Reading(session, "palette", self._read, self._show_read, wanted=self._reference)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._reading.request)
        self.field.installEventFilter(self)
        window.installEventFilter(self)
        self.field.textChanged.connect(self._on_text)
        self.field.returnPressed.connect(self._on_chosen)
        self.table.clicked.connect(self._on_chosen)
        self.table.selection_changed.connect(self._on_selection)
        session.locking.connect(self.leave)

    def open(self) -> None:
        self.leave()
        self._before = self._window.focusWidget()
        commands = [*self._of_actions(), *self._of_views()]
        elsewhere = list(self._of_elsewhere({one.name for one in commands}))
        self._entries = {"commands": commands, "elsewhere": elsewhere}
        self._panel.setFixedHeight(min(scaled(_HEIGHT_PX), self._window.height() - 2 * _MARGIN_PX))
        self.setGeometry(self._window.rect())
        self.show()
        self.raise_()
        self.field.clear()
        self._on_text()
        self.field.setFocus(_Reason.PopupFocusReason)

    def leave(self) -> None:
        """Give the keyboard back to where it was, unless it is elsewhere by now, and keep nothing."""
        before, self._before = self._before, None
        is_there = before and isValid(before) and before.isVisible()
        back = before if is_there else self._window.centralWidget()
        if back and self.isVisible() and self._window.focusWidget() is self.field:
            back.setFocus(_Reason.PopupFocusReason)
        self.hide()
        self._pause.stop()
        self._entries = {}
        self.table.model().show(())

    def _of_actions(self) -> Iterator[PaletteEntry]:
        order = {id(command): number for number, command in enumerate(COMMANDS.values())}
        for one in sorted(actions_in_sight(self._window), key=lambda e: order.get(id(e.command), len(order))):
            menu = one.command.menu  # of View, those that aren't in the registry each go to a page
            place = _("Page") if menu is Menu.VIEW and not one.group else menu.value.replace("&", "")
            do = one.trigger if one.isEnabled() else None
            place = place if do else _("{menu} · not possible now").format(menu=place)
            keys = one.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            if one.isVisible() and one.command is not COMMANDS["view.palette"]:
                yield PaletteEntry(f"command {id(one)}", one.text(), place, do, keys)

    def _of_elsewhere(self, here: Collection[str]) -> Iterator[PaletteEntry]:
        """Give the commands of other pages; each goes to its page, where what it is done to is chosen first."""
        elsewhere = {(one.text, _PAGES.get(name.partition(".")[0], "")) for name, one in COMMANDS.items()}
        for text, page in sorted(elsewhere):
            if page and text not in here:
                place = _("on the page {page}").format(page=self._window.rail.buttons[page].accessibleName())
                yield PaletteEntry(f"{page} {text}", text, place, partial(self._window.show_page, page))

    def _of_views(self) -> Iterator[PaletteEntry]:
        for page, views in (("keys", KEYS), ("lessons", LESSONS)):
            place = f"{_('Page')} · {self._window.rail.buttons[page].accessibleName()}"
            for view, (name, _make) in views.items():
                yield PaletteEntry(f"{page} {view}", name, place, partial(self._go, page, "show_view", view))

    def _reference(self) -> str:
        """Return what sales are looked for by; empty if what was typed begins no reference."""
        text = self.field.text().strip()
        return text if _REFERENCE.fullmatch(text) else ""

    async def _read(self) -> dict[str, Sequence[PaletteEntry]]:
        """Return keys and devices, read once while it is open, and sales but for those of removed environments."""
        console, here, ask = self._session.console, self._session.environment, self._session.ask
        things, sales = list(self._entries.get("things", ())), list[PaletteEntry]()
        wanted = SaleFilter(self._reference())
        places = {one.id: one for one in await console.environments.all()}
        if not things:
            for key in filter(lambda e: e.environment_id in places, await console.world.journal.all_keys()):
                place = f"{_('Key')} · {name_of(places[key.environment_id])}"
                things.append(
                    PaletteEntry(key.id, key.name, place, partial(ask, ShowKeys("inventory", (key,))))
                )
            for one in await console.devices.listed(here):
                do = partial(self._go, "devices", "show_device", one.id)
                place = f"{_('Device')} · {name_of(here)}"
                things.append(
                    PaletteEntry(f"device {one.id}", one.nickname or one.id, place, do, also=one.id)
                )
        for sale in await console.history.page(wanted) if wanted.text else ():
            begins = sale.reference.startswith(wanted.reference_starts)
            begins = begins or sale.request_id.startswith(wanted.identifier_starts)
            if begins and (where := places.get(sale.environment_id)):
                go, place = Place("bench", where, sale.reference), f"{_('Sale')} · {name_of(where)}"
                sales.append(
                    PaletteEntry(sale.reference, sale.reference, place, partial(ask, go), also=wanted.text)
                )
        return {"things": things, "sales": sales[:_MOST_SALES]}

    def _show_read(self, entries: dict[str, Sequence[PaletteEntry]]) -> None:
        if self.isVisible():
            self._entries |= entries
            self._show()

    def _on_text(self) -> None:
        self._pause.start()
        self.table.select_row(-1)
        self._show()

    def _show(self) -> None:
        """List what has the words, all commands if there are none; what can't be done now comes last."""
        text = self.field.text()
        entries = chain(*self._entries.values()) if text.strip() else self._entries.get("commands", ())
        self.table.model().show(sorted(found(entries, text), key=lambda one: one.do is None))
        if self.table.selected is None:  # else it stays where it is while sales come
            self.table.select_row(0 if self.table.model().rows else -1)

    def _on_selection(self) -> None:
        """Tell a screen reader, which is at the field, what Enter does."""
        one, rows = self.table.selected, self.table.model().rows
        words = f"{one.name}, {one.place}, {one.keys}" if one else "" if rows else self.table.empty_text
        if self.isVisible() and words not in {"", self.field.accessibleDescription()}:
            announce(self.field, words)

    def _on_chosen(self) -> None:
        if (entry := self.table.selected) and entry.do:
            self.leave()  # first: what is done may depend on where the keyboard is
            entry.do()

    def _go(self, page_id: str, do: str, what: str) -> None:
        self._window.show_page(page_id)
        getattr(self._window.page(page_id), do)(what)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_field, kind = watched is self.field, event.type()
        is_left = isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in _STAYS
        is_press = is_field and kind is QEvent.Type.KeyPress
        key = event.key() if is_press and isinstance(event, QKeyEvent) else None
        if key == Qt.Key.Key_Escape or (is_left if is_field else kind is QEvent.Type.Resize):
            self.leave()
        elif key in _MOVES:
            QApplication.sendEvent(self.table, event)
        return key in {Qt.Key.Key_Escape, *_MOVES} or super().eventFilter(watched, event)

    def focusNextPrevChild(self, _following: bool) -> bool:  # noqa: FBT001 - Qt's own form
        return True  # Tab stays in the field

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._panel.geometry().contains(event.position().toPoint()):
            self.leave()
