"""About Keybench: which build this is, what it runs on, where its data is, and the licences of what is shipped."""

from __future__ import annotations

import platform
import sqlite3
import ssl
from typing import Final

import PySide6
from PySide6.QtCore import QSize, QUrl, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from keybench import __version__
from keybench.runtime.build import Build, this_build
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.identity import system_name
from keybench.runtime.licences import Component, Licences, licences
from keybench.runtime.worker import run_in_thread
from keybench.ui.kit.boxes import WrappingRow, framed, in_column, in_row
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.labels import Label, MessageLabel, button, label, prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size, scaled, theme
from keybench.ui.shared.preview import Preview
from keybench.ui.shared.session import Session
from keybench.words.about import TAGLINE, Surroundings, about_facts, about_text
from keybench.words.language import _

_ICON_PX: Final = 48
_WIDTH_PX: Final = 620
_NONE: Final = "\N{EN DASH}"
_ROWS: Final = (3, 3)
_TEXT_PX: Final = 220
_COLUMNS: Final = (
    Column[Component]("name", _("Name"), lambda one: one.name, stretch=True, bold=True),
    Column[Component]("version", _("Version"), lambda one: one.version or _NONE),
    Column[Component]("licence", _("Licence"), lambda one: one.licence or _NONE),
)


class AboutDialog(Dialog):
    """This installation and all that is shipped with it, in a table, and what is told of the chosen one below.

    What takes a moment to be known comes into it while it is open.
    """

    def __init__(self, parent: QWidget, session: Session) -> None:
        self._session = session
        path = session.preferences.path
        self._folder = DataFolder(path.parent) if path else None
        self._build: Build | None = None
        self._screen_scale = parent.devicePixelRatioF()
        self.words = prose(_("Looking…"), "dim")
        self.table = Table(_("Licences"), TableModel(_COLUMNS), height_in_rows=_ROWS)
        self.preview = Preview()
        self.preview.setAccessibleName(_("About the chosen one"))
        self.preview.setLineWrapMode(Preview.LineWrapMode.WidgetWidth)
        keep_size(self.preview, least_height=_TEXT_PX)
        self.copy_button = button(
            _("Copy"),
            self._on_copy,
            hint=_("Copies what is told of this installation. No key value is in it."),
        )
        self.open_button = button(_("Open the folder"), self._on_open)
        self.open_button.setEnabled(self._folder is not None)
        self.message = MessageLabel(1)
        super().__init__(
            parent, title=_("About Keybench"), confirm=_("Close"), cancel="", content=self._content()
        )
        self.table.selection_changed.connect(self._on_selected)
        self.table.model().show([self._itself()])
        self.table.select_row(0)
        session.locking.connect(self.reject)
        session.ending.connect(self.reject)
        session.run(f"about {id(self)}", self._look(), owner=self)

    @property
    def text(self) -> str:
        return about_text(__version__, about_facts(self._build, self._around()))

    def show_licences(self, found: Licences) -> None:
        self.words.setText(
            _("Keybench ships all of this. Qt's notice and offer come first.")
            if found.components
            else _("There is no list of what is shipped, as in a checkout of the source.")
        )
        offer = Component(_("Qt: notice and offer"), "", "LGPL-3.0", found.qt_notice)
        first = [self._itself(), offer] if found.qt_notice else [self._itself()]
        self.table.model().show([*first, *found.components])

    async def _look(self) -> None:
        """Find out what isn't known at once: git is asked in a checkout, and many files are read."""
        self._build, found = await run_in_thread("keybench about", lambda: (this_build(), licences()))
        self.show_licences(found)

    def _itself(self) -> Component:
        return Component("Keybench", __version__, "", self.text)

    def _around(self) -> Surroundings:
        return Surroundings(
            python=platform.python_version(),
            qt=qVersion() or "",
            pyside=PySide6.__version__,
            openssl=ssl.OPENSSL_VERSION.removeprefix("OpenSSL "),
            sqlite=sqlite3.sqlite_version,
            platform=QGuiApplication.platformName(),
            screen_scale=self._screen_scale,
            text_scale=theme().scale,
            system=system_name(),
            data_folder=str(self._folder.root) if self._folder else "",
            keystore=self._session.console.keystore_status,
        )

    def _on_selected(self) -> None:
        one = self.table.selected
        self.preview.show_text((one.text or _("The text isn't here.")) if one else "")

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self.message.say(_("Copied."), "good")

    def _on_open(self) -> None:
        folder = self._folder
        if folder and not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder.root))):
            self.message.say(_("No program here opens folders. The path is above."), "warning")

    def _content(self) -> QWidget:
        icon = Label()
        icon.setPixmap(QApplication.windowIcon().pixmap(QSize(scaled(_ICON_PX), scaled(_ICON_PX))))
        icon.setAccessibleName("")
        version = label(_("Keybench {version}").format(version=__version__), "strong")
        head = in_row(icon, (in_column(version, prose(TAGLINE, "dim"), spacing=2), 1), spacing=16)
        below = WrappingRow([self.copy_button, self.open_button, self.message])
        content = framed(in_column(head, self.words, self.table, (self.preview, 1), below, spacing=12))
        keep_size(content, width=_WIDTH_PX)
        return content


async def show_about(parent: QWidget, session: Session) -> None:
    await AboutDialog(parent, session).answer()
