"""About Keybench: which build this is, what it runs on, where its data is, and the licences of what is shipped."""

from __future__ import annotations

import platform
import sqlite3
import ssl
from typing import Final

import PySide6
from PySide6.QtCore import QSize, Qt, QUrl, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QGridLayout, QStackedWidget, QWidget

from keybench import __version__
from keybench.runtime.build import Build, this_build
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.identity import system_name
from keybench.runtime.licences import licences
from keybench.runtime.worker import run_in_thread
from keybench.ui.about.licences import LicencesView
from keybench.ui.session import Session
from keybench.ui.theme import keep_size, scaled, theme
from keybench.ui.widgets.boxes import in_column, in_row
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.labels import Identifier, Label, MessageLabel, button, label, prose
from keybench.ui.widgets.segments import Segments
from keybench.ui.widgets.wrapping_row import WrappingRow
from keybench.words.about import TAGLINE, Surroundings, about_facts, about_text
from keybench.words.language import _

_ICON_PX: Final = 48
_WIDTH_PX: Final = 620
_THIS, _LICENCES = "this", "licences"


class AboutDialog(Dialog):
    """The dialog; what takes a moment to be known comes into it while it is open."""

    def __init__(self, parent: QWidget, session: Session) -> None:
        self._session = session
        path = session.preferences.path
        self._folder = DataFolder(path.parent) if path else None
        self._build: Build | None = None
        self._screen_scale = parent.devicePixelRatioF()
        self.views = Segments([(_THIS, _("This installation")), (_LICENCES, _("Licences"))], _("View"))
        self.licences = LicencesView()
        self.message = MessageLabel(1)
        self._grid = QGridLayout()
        self._values: list[Identifier | Label] = []
        self._pages = QStackedWidget()
        super().__init__(
            parent, title=_("About Keybench"), confirm=_("Close"), cancel="", content=self._content()
        )
        self.views.changed.connect(self._on_view)
        session.locking.connect(self.reject)
        session.ending.connect(self.reject)
        session.run(f"about {id(self)}", self._look(), owner=self)

    @property
    def text(self) -> str:
        return about_text(__version__, about_facts(self._build, self._around()))

    async def _look(self) -> None:
        """Find out what isn't known at once: git is asked in a checkout, and many files are read."""
        self._build, found = await run_in_thread("keybench about", lambda: (this_build(), licences()))
        self._show_facts()
        self.licences.show_licences(found)

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
            log=str(self._folder.log) if self._folder else "",
            keystore=self._session.console.keystore_status,
        )

    def _show_facts(self) -> None:
        for row, fact in enumerate(about_facts(self._build, self._around())):
            if row == len(self._values):
                self._values.append(Identifier(fact.name) if fact.is_identifier else prose(selectable=True))
                middle = Qt.AlignmentFlag.AlignVCenter if fact.is_identifier else Qt.AlignmentFlag.AlignTop
                self._grid.addWidget(label(fact.name, "dim"), row, 0, middle)
                self._grid.addWidget(self._values[row], row, 1)
            value = self._values[row]
            if isinstance(value, Identifier):
                value.show_identifier(fact.text)
            else:
                value.setText(fact.text)

    def _on_view(self, view: str) -> None:
        self._pages.setCurrentIndex((_THIS, _LICENCES).index(view))

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
        content = QWidget()
        in_column(head, in_row(self.views, None), (self._pages, 1), within=content, spacing=12)
        self._pages.addWidget(self._facts_page())
        self._pages.addWidget(self.licences)
        keep_size(content, width=_WIDTH_PX)
        return content

    def _facts_page(self) -> QWidget:
        self.copy_button = button(
            _("Copy"), self._on_copy, hint=_("Copies all of this as text. No key value appears in it.")
        )
        self.open_button = button(_("Open the folder"), self._on_open)
        self.open_button.setEnabled(self._folder is not None)
        page = QWidget()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._show_facts()
        below = WrappingRow([self.copy_button, self.open_button, self.message])
        in_column(self._grid, below, None, within=page, spacing=12)
        return page


async def show_about(parent: QWidget, session: Session) -> None:
    await AboutDialog(parent, session).answer()
