"""A list with its detail: what a page is that reads rows, searches them, and shows the selected one below."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable, Sequence
from typing import Any, ClassVar, Final, Generic

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QStackedWidget, QToolButton, QWidget

from keybench.core.errors import KeybenchError
from keybench.ui.kit.boxes import PageFrame, Splitter, framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.labels import ElidedLabel, label
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.tables.model import Row, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled
from keybench.ui.shared.reading import READING, Reading
from keybench.ui.shared.session import Session
from keybench.words.language import _, ngettext

#: Many changes at once are read together.
_GATHER_MS: Final = 400
_SPACING: Final = 12
#: On a page lower than this, in pixels at 13 px text, rows need the room more than the detail.
_LOW_PX: Final = 480


def search_field(name: str, placeholder: str) -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(placeholder)
    field.setClearButtonEnabled(True)
    for inside in field.findChildren(QToolButton):
        inside.setAccessibleName(_("Clear"))
    return field


def find_in(page: QWidget, field: QLineEdit | Callable[[], QLineEdit]) -> None:
    def seek() -> None:
        wanted = field if isinstance(field, QLineEdit) else field()
        if wanted.isVisible():  # not where something else stands in the page's place
            wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
            wanted.selectAll()

    QShortcut(QKeySequence(QKeySequence.StandardKey.Find), page, seek)


def lead_to_rows(field: QLineEdit, table: Table[Any], *, enter: bool = True) -> None:
    """Have Down go from a search field to the rows below it, and Enter unless that searches.

    What was selected before the search is often not among the rows: the first is selected then.
    """

    def go() -> None:
        if table.model().rowCount():
            if table.selected is None:
                table.select_row(0)
            table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    down = QShortcut(QKeySequence(Qt.Key.Key_Down), field, go)
    down.setContext(Qt.ShortcutContext.WidgetShortcut)
    if enter:
        field.returnPressed.connect(go)


class ListPage(QFrame, Generic[Row]):
    """Reads rows when it comes into sight and when they may have changed, and keeps what is selected.

    A page makes its table and its detail and lays them out. `read` returns the rows, `show_row` shows the
    selected one, `summary` and `empty_words` say what there is.

    Args:
        session: What it reads from; events of `stale_after` have it read again, at once where it is in sight.
        page_id: Names what is remembered: the columns, and the edge between table and detail.
        search: The field that Ctrl+F goes to. It searches the rows, unless `searches_rows` says otherwise.

    Attributes:
        is_page: Whether it is a page of the window, with a margin around its panel, or part of one.
        page_size: So many rows are read at once, more when a person scrolls on; 0 reads all.
    """

    stale_after: ClassVar[tuple[type[Any], ...]] = ()
    is_page: ClassVar[bool] = False
    page_size: ClassVar[int] = 0
    searches_rows: ClassVar[bool] = True
    loading_text: ClassVar[str] = READING

    def __init__(
        self,
        session: Session,
        page_id: str,
        table: Table[Row],
        search: QLineEdit,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.table = table
        self.search = search
        self.status = ElidedLabel("", "dim")
        table.empty_text = self.loading_text
        table.columns.keep(session.preferences, f"{page_id} columns")
        self._content = QWidget()
        self._pages = QStackedWidget()
        self._pages.addWidget(self._content)
        panel: QFrame = self
        if self.is_page:
            self.setObjectName("page")
            panel = QFrame()
            self._panels = in_row((panel, 2), within=self, margins=(16, 16, 16, 16), spacing=16)
        panel.setProperty("role", "panel")
        in_column(self._pages, within=panel, margins=(16, 14, 16, 16), spacing=_SPACING)
        self._page_id = page_id
        self._is_stale = True
        self._wanted_row: Hashable = None
        self._below: QWidget | None = None
        self._first = Reading(
            session,
            page_id,
            self.read,
            self.show_rows,
            wanted=self.wanted,
            say=self._say,
            loading=self.loading_text,
            on_error=self.on_error,
        )
        self._next = Reading(
            session,
            f"{page_id}, next page",
            self._read_next,
            self._show_next,
            wanted=lambda: (self.shown, self.model.items[-1:]),
        )
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._connect()

    @property
    def model(self) -> TableModel[Row]:
        return self.table.model()

    @property
    def shown(self) -> object:
        """What `wanted` told of the rows that are shown; None while none were read."""
        return self._first.shown

    # --- what a page says of itself --------------------------------------------------------------

    async def read(self) -> Sequence[Row]:
        raise NotImplementedError

    async def read_after(self, last: Row) -> Sequence[Row]:
        raise NotImplementedError

    def field_to_find_in(self) -> QLineEdit:
        return self.search

    def show_row(self, row: Row | None) -> None:
        """Show a row's detail, or how to select one."""

    def show_low(self, *, low: bool) -> None:
        """Show less of the detail where the page is low."""

    def summary(self) -> str:
        count = self.model.rowCount()
        return ngettext("1 row", "{count} rows", count)

    def empty_words(self) -> str:
        return _("No row matches. Search for fewer words.") if self.model.items else _("Nothing yet.")

    def wanted(self) -> object:
        return None

    # --- what is done with the selected row ------------------------------------------------------

    def is_chosen(self) -> bool:
        return self.table.selected is not None

    def running(self, task: str, work: Callable[[Row], Coroutine[Any, Any, Any]]) -> Callable[[], None]:
        def run() -> None:
            if row := self.table.selected:
                self.session.run(task, work(row))

        return run

    # --- reading ---------------------------------------------------------------------------------

    def refresh(self) -> None:
        self._is_stale = False
        self._first.request()

    def look_again(self) -> None:
        if self.wanted() == self.shown:
            self.show_words()  # what is being read for another search is dropped
        else:
            self.refresh()

    def show_words(self) -> None:
        self.table.empty_text = self.empty_words()
        self.status.setText(self.summary())

    def _say(self, words: str) -> None:
        self.table.empty_text = words
        self.status.setText(words)

    def on_error(self, error: KeybenchError) -> None:
        """Tell why the rows couldn't be read."""
        self.session.failed.emit(error)

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.model.show(rows, has_more=bool(self.page_size) and len(rows) == self.page_size)
        self.show_words()
        self._select_wanted()

    def choose(self, key: Hashable) -> None:
        """Select a row by its key, as soon as it is listed."""
        self._wanted_row = key
        self._select_wanted()

    def _select_wanted(self) -> None:
        if self.model.number(self._wanted_row) >= 0:
            self.table.select(self._wanted_row)
            self._wanted_row = None

    async def _read_next(self) -> Sequence[Row] | None:
        known = self.model.items
        if not known or not self.model.has_more or self.shown != self.wanted():
            return None  # no more pages of this search, or another one is being typed
        return await self.read_after(known[-1])

    def _show_next(self, rows: Sequence[Row] | None) -> None:
        if rows is not None:
            self.model.show([*self.model.items, *rows], has_more=len(rows) == self.page_size)
            self.show_words()

    def on_event(self, _event: object) -> None:
        self._is_stale = True
        if self.isVisible() and not self._gather.isActive():
            self._gather.start()

    def _on_gathered(self) -> None:
        if self.isVisible():
            self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_low(low=self.height() < scaled(_LOW_PX))

    def _on_search(self, text: str) -> None:
        self.model.search(text)
        self.show_words()

    def _connect(self) -> None:
        self._gather.timeout.connect(self._on_gathered)
        self.session.ending.connect(self.table.columns.remember_now)
        self.model.more_wanted.connect(self._next.request)
        self.table.selection_changed.connect(lambda: self.show_row(self.table.selected))
        if self.searches_rows:
            self.search.textChanged.connect(self._on_search)
        find_in(self, self.field_to_find_in)
        lead_to_rows(self.search, self.table, enter=self.searches_rows)
        if self.stale_after:
            self.session.subscribe(self, dict.fromkeys(self.stale_after, self.on_event))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale or self._first.failed:
            self.refresh()

    # --- laying out ------------------------------------------------------------------------------

    def lay_out(
        self,
        *,
        title: str = "",
        actions: Sequence[QWidget] = (),
        tools: Sequence[QWidget] = (),
        below: Sequence[QWidget] = (),
        detail: QWidget | None = None,
        heights: tuple[int, int] | None = None,
        beside: QWidget | None = None,
        actions_first: bool = False,
    ) -> None:
        """Put the page together.

        Tab comes to what narrows the rows down first, then to the table and its detail, then to the actions,
        unless these are to come first.

        Args:
            title: Its heading; none for a part of a page that has one.
            tools: What narrows the rows down; the first gets the room that is left. If left out, the search
                field.
            heights: How high table and detail are at first; the detail as high as it needs if left out.
            beside: Stands at the right of the page's panel, in place of a detail in it that needs more room.
        """
        heading = label(title, "title")
        words, buttons = in_row(heading, (self.status, 1)), in_row(*actions, None)
        head = in_row_or_column(
            (words, 1),
            buttons,
            from_px=lambda: words.minimumSize().width() + 8 + buttons.minimumSize().width(),
        )
        narrowing, *others = tools or [self.search]
        listing = framed(in_column((self.table, 1), *below, spacing=_SPACING))
        first = [head] if actions_first else []
        layout = in_column(*first, in_row((narrowing, 1), *others), within=self._content, spacing=_SPACING)
        if detail:
            kept = self.session.preferences, f"{self._page_id} edge"
            self.edge = DetailEdge(listing, detail, heights, *kept)
            layout.addWidget(self.edge, 1)
        else:
            layout.addWidget(listing, 1)
        if beside:
            self._panels.addWidget(beside, 5)
        if not actions_first:
            layout.insertLayout(0, head)  # Tab follows the order in which widgets are added
        heading.setVisible(bool(title))

    def show_instead(self, widget: QWidget | None) -> None:
        if widget and self._pages.indexOf(widget) < 0:
            self._pages.addWidget(widget)
        self._pages.setCurrentWidget(widget or self._content)

    def show_below(self, widget: QWidget | None) -> None:
        """Show a widget in place of list and detail, below what narrows the rows down; None for them again."""
        if self._below is not None:
            self._below.hide()
        self._below = widget
        if widget is not None:
            layout = self._content.layout()
            if layout is not None and layout.indexOf(widget) < 0:
                layout.addWidget(widget)
            widget.show()
        self.edge.setVisible(widget is None)


class DetailEdge(Splitter):
    """A list above the detail of what is selected in it, with an edge between them that can be moved.

    Args:
        detail: The detail; it scrolls where it is higher than its room.
        heights: How high both are at first, in pixels. If left out the detail is as high as it needs until
            a person moves the edge.
        edge_id: By which the preferences know where a person left the edge.
    """

    def __init__(
        self,
        listing: QWidget,
        detail: QWidget,
        heights: tuple[int, int] | None,
        preferences: Preferences,
        edge_id: str,
    ) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._detail = detail
        self._fits = heights is None
        self._moved = False
        self._preferences, self._edge_id = preferences, edge_id
        self._below = PageFrame(content=detail, sideways=False)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(_SPACING)
        self.addWidget(listing)
        self.addWidget(self._below)
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 0 if self._fits else 2)
        if heights:
            self.setSizes(list(heights))
        detail.installEventFilter(self)
        self.splitterMoved.connect(self._on_moved)
        state = preferences.state(edge_id)
        if not state.isEmpty() and self.restoreState(state):
            self._fits = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._moved:
            self._preferences.set_state(self._edge_id, self.saveState())

    def _fit(self) -> None:
        bar = self._below.verticalScrollBar().sizeHint().width()
        self._below.setMinimumWidth(self._detail.minimumSizeHint().width() + bar)
        if self._fits:
            # What wraps is higher than its size hint where there is little room.
            wrapped = self._detail.heightForWidth(self._below.viewport().width())
            height = max(self._detail.sizeHint().height(), wrapped)
            self.setSizes([max(self.height() - height - self.handleWidth(), 0), height])

    def _on_moved(self) -> None:
        self._fits, self._moved = False, True
