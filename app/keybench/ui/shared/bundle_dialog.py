"""Saving a support bundle: every file of it and all that was taken out are seen first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from keybench.core.errors import KeybenchError
from keybench.core.exchange import Exchange
from keybench.core.support.bundle import PAGE, BundleFile
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.boxes import PageFrame, framed, in_column, in_row
from keybench.ui.kit.dialog import Dialog, ask_where
from keybench.ui.kit.labels import label, prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled
from keybench.ui.shared.preview import Preview
from keybench.ui.shared.session import Notice, Session
from keybench.words.explain import explain
from keybench.words.formats import path_words
from keybench.words.language import _, ngettext, number
from keybench.words.support.bundle import FILES, headline, readable, taken_out_words
from keybench.words.support.page import bundle_page
from keybench.workflows.support.bundles import Bundles, Prepared, usual_names

_TASK: Final = "prepare a support bundle"
_SAVE: Final = "save a support bundle"
#: The dialog's size, and the least of what is in it, for 13 px text.
_SIZE_PX: Final = (940, 640)
_LEAST_PX: Final = (400, 220)
_PROMISE: Final = _(
    "For a ticket: what happened, without values of keys, card numbers, and the names of this computer and its "
    "user. This is all that is in it."
)

_PREPARING: Final = _("Collecting, and searching for values…")

FILE_COLUMNS: Final = (
    Column[BundleFile](
        "name", _("File"), lambda file: file.name, width=PAGE, bold=True, hint=lambda file: FILES[file.name]
    ),
    Column[BundleFile]("what", _("What it is"), lambda file: FILES[file.name], stretch=True),
    Column[BundleFile](
        "size",
        _("Size"),
        lambda file: size_words(len(file.data)),
        right=True,
        sort=lambda file: len(file.data),
    ),
)
#: Of each thing that was left out its number, what it is, and where it would be or why it isn't.
LINE_COLUMNS: Final = (
    Column[tuple[int, str, str]](
        "what", _("Left out"), lambda line: line[1], bold=True, sort=lambda line: line[0]
    ),
    Column[tuple[int, str, str]]("where", _("Where, or why"), lambda line: line[2], stretch=True),
)


def size_words(size: int) -> str:
    return _("{size} KB").format(size=number(max(round(size / 1000), 1)))


class _Content(PageFrame):
    """Makes do with little room: it scrolls where the screen is too low for all of it."""

    def sizeHint(self) -> QSize:
        return QSize(*map(scaled, _LEAST_PX))


class BundleDialog(Dialog):
    """Prepares a bundle while it is open, shows all of it, and saves it.

    Args:
        reference: Of the sale it is about; empty for the newest sales.
        asked: What the diagnosis asked of the gateway.

    Attributes:
        prepared: The bundle; None until it is ready, and where it must not be saved.
    """

    def __init__(
        self,
        parent: QWidget,
        session: Session,
        reference: str = "",
        *,
        diagnosis: Mapping[str, Any] | None = None,
        asked: Sequence[Exchange] = (),
    ) -> None:
        self._session = session
        self._reference = reference
        self.prepared: Prepared | None = None
        person = session.preferences.person
        self._bundles = Bundles(session.console, bundle_page, lambda: usual_names(person))
        self.state = prose(_PREPARING, "strong")
        self.trouble = prose("", tone="bad", selectable=True)
        self.trouble.hide()
        self.files = Table(
            _("Files of the bundle"), TableModel(FILE_COLUMNS, lambda file: file.name), sortable=False
        )
        self.preview = Preview()
        self.taken_out = Table(_("Taken out"), TableModel(LINE_COLUMNS, lambda line: line[0]))
        title, content = _("Support bundle"), self._content()
        super().__init__(parent, title=title, text=_PROMISE, confirm=_("Save…"), content=content)
        self.setAccessibleName(_("Support bundle"))
        self.confirm_button.setAccessibleName(_("Save…"))
        self.confirm_button.setEnabled(False)
        self.make_sizable(*_SIZE_PX)
        self.files.selection_changed.connect(self._on_file)
        session.locking.connect(self.reject)
        session.ending.connect(self.reject)
        session.run(_TASK, self._prepare(diagnosis, asked), self._on_error, owner=self)

    def go_on(self) -> None:
        # It stays open until it is saved.
        if self.prepared:
            self._session.run(_SAVE, self._save(self.prepared))

    def done(self, result: int) -> None:
        self._session.supervisor.cancel(_TASK)
        super().done(result)

    async def _save(self, prepared: Prepared) -> None:
        name = f"keybench-{self._reference or 'support'}.zip"
        path = await ask_where(self, title=_("Save the support bundle"), name=name, kind=_("Support bundle"))
        if path is None:
            return
        await self._bundles.save(prepared, path)
        text = _("Checked: no key value appears here. {page} in it opens in any browser.").format(page=PAGE)
        title = _("Saved {path}").format(path=path_words(path))
        self._session.notify(Notice("good", title, text, topic="saved"))
        self.accept()

    async def _prepare(self, diagnosis: Mapping[str, Any] | None, asked: Sequence[Exchange]) -> None:
        self._show(await self._bundles.prepare(self._reference, diagnosis=diagnosis, asked=asked))

    def _show(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.files.model().show(prepared.files)
        lines = [(index, *line) for index, line in enumerate(taken_out_words(prepared.documents))]
        self.taken_out.model().show(lines)
        self.files.select_row(0)
        left_out = ngettext("1 thing left out", "{count} things left out", len(lines))
        self._end(" · ".join((headline(prepared.documents), size_words(len(prepared.data)), left_out)))
        self.confirm_button.setEnabled(True)
        self.confirm_button.setDefault(True)
        self.confirm_button.setFocus()

    def _on_error(self, error: KeybenchError) -> None:
        words = explain(error)
        self._end(words.title)
        self.trouble.show_text(words.text)
        for widget in (self.files, self.preview, self.taken_out):
            widget.hide()

    def _end(self, words: str) -> None:
        self.state.setText(words)
        announce(self.state, words)

    def _on_file(self) -> None:
        if file := self.files.selected:
            self.preview.show_text(readable(file.text) if file.name == PAGE else file.text)

    def _content(self) -> QWidget:
        content = in_column(
            self.state,
            self.trouble,
            (in_row((self.files, 1), (self.preview, 1)), 5),
            label(_("Left out"), "strong"),
            (self.taken_out, 3),
        )
        return _Content(content=framed(content))


async def save_bundle(
    parent: QWidget,
    session: Session,
    reference: str = "",
    *,
    diagnosis: Mapping[str, Any] | None = None,
    asked: Sequence[Exchange] = (),
) -> bool:
    return await BundleDialog(parent, session, reference, diagnosis=diagnosis, asked=asked).answer()
