"""Settings: colours, where keys are kept, and what this program is."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QWidget

from keybench import __version__
from keybench.core.events import KeystoreChanged
from keybench.ui.appearance import SCHEME
from keybench.ui.band import TRY_AGAIN
from keybench.ui.pages.sections import Section
from keybench.ui.preferences import Preferences
from keybench.ui.session import Session
from keybench.ui.theme import Scheme, set_role, theme
from keybench.ui.widgets.labels import button, label, prose
from keybench.ui.widgets.segments import Segments
from keybench.words.explain import explain

_SCHEMES = [(Scheme.SYSTEM, "As the system"), (Scheme.LIGHT, "Light"), (Scheme.DARK, "Dark")]


class AppearanceSection(Section):
    """Light or dark."""

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__("Appearance", parent)
        self._preferences = preferences
        self.schemes = Segments([(str(scheme), label) for scheme, label in _SCHEMES], "Colours")
        self._show_scheme()
        self.schemes.changed.connect(self._on_scheme)
        theme().changed.connect(self._show_scheme)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(label("Colours", "dim"))
        row.addWidget(self.schemes)
        row.addStretch(1)
        self.body.addLayout(row)

    def _show_scheme(self) -> None:
        self.schemes.choose(str(theme().scheme))

    def _on_scheme(self, value: str) -> None:
        theme().choose(Scheme(value))
        self._preferences.set_text(SCHEME, value)


class KeystoreSection(Section):
    """Where values are kept, why not elsewhere, and one more try."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Where keys are kept", parent)
        self._session = session
        self.place = prose("", "strong")
        self.explanation = prose("", "dim")
        self.button = button(TRY_AGAIN, self._on_try)
        self.button.setAccessibleDescription("Looks at the keystore again")
        self.head.addWidget(self.button)
        self.body.addWidget(self.place)
        self.body.addWidget(self.explanation)
        session.subscribe(self, {KeystoreChanged: self._on_changed})
        self._on_changed(KeystoreChanged(session.console.keystore_status))

    def _on_changed(self, event: KeystoreChanged) -> None:
        status = event.status
        sound = status.durable and status.trouble is None
        self.place.setText(f"Keys are kept in {status.name}.")
        set_role(self.place, "tone", "good" if sound else "warning")
        trouble = explain(status.trouble) if status.trouble else None
        if trouble:
            self.explanation.setText(f"{trouble.title} {trouble.text}".strip())
        elif status.durable:
            self.explanation.setText("One entry a key, apart for every environment, and nowhere else.")
        else:
            self.explanation.setText("They are gone when the window closes, and live sales are off.")
        self.button.setVisible(not sound)

    def _on_try(self) -> None:
        self._session.run("settings.keystore", self._try())

    async def _try(self) -> None:
        self.button.setEnabled(False)
        self.button.setText("Trying…")
        try:
            await self._session.console.look_at_keystore()
        finally:
            self.button.setText(TRY_AGAIN)
            self.button.setEnabled(True)


class AboutSection(Section):
    """The version, and the folder that holds everything but the values."""

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__("About Keybench", parent)
        self._folder = preferences.path.parent if preferences.path else None
        self.version = prose(f"Version {__version__}", "strong")
        self.folder = prose(str(self._folder or "Nothing is written in this run."), "mono")
        self.folder.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.folder.setAccessibleName("Data folder")
        self.button = button("Open the folder", self._on_open)
        self.button.setEnabled(self._folder is not None)
        self.head.addWidget(self.button)
        self.body.addWidget(self.version)
        self.body.addWidget(
            prose("Journal and window settings are in the data folder; values of keys never are.", "dim")
        )
        self.body.addWidget(self.folder)

    def _on_open(self) -> None:
        if self._folder:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))
