"""The sections of the Settings page that are a few lines each, and what all sections are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from keybench import __version__
from keybench.core.events import KeystoreChanged
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.combo import quiet_combo
from keybench.ui.kit.form import Field, error_text
from keybench.ui.kit.labels import Label, button, explain_button, label, prose, set_tip
from keybench.ui.kit.preferences import Choice
from keybench.ui.kit.segments import Segments
from keybench.ui.kit.theme import SCHEME, TEXT_SIZE, Scheme, keep_size, set_role, theme
from keybench.ui.shared.capture import SENTENCE
from keybench.ui.shared.choices import IDLE_MINUTES, PRIVACY, TELL
from keybench.ui.shared.keystore_command import TRY_AGAIN, CopyCommand
from keybench.ui.shared.requests import LockNow, ShowAbout
from keybench.ui.shared.session import Session
from keybench.words.language import _
from keybench.words.system import LOOKING

_SIZES_PX: Final = 200


class Section(QFrame):
    """A titled panel; `body` takes what belongs to it, `head` what stands beside the title."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.setAccessibleName(title)
        self.title = title
        self.head = in_row(label(title, "title"), None)
        self.body = in_column(self.head, within=self, margins=(16, 14, 16, 16), spacing=12)

    def found(self, text: str) -> tuple[int, QWidget | None]:
        """Return how well it fits the words of a search, 0 for not at all, and the control that is meant by them."""

        def fits(*texts: str) -> bool:
            return all(word in " ".join(texts).casefold() for word in text.casefold().split())

        if fits(self.title):
            return 4, None
        ranked = [
            (3 if fits(name) else 2 * fits(name, more), control) for name, more, control in self._controls()
        ]
        rank, control = max(ranked, key=lambda one: one[0], default=(0, None))
        if rank:
            return rank, control
        return int(fits(self.title, *(one.text() for one in self.findChildren(Label)))), None

    def _controls(self) -> Iterator[tuple[str, str, QWidget]]:
        """Return its fields and buttons as they are by now, each with its name and what else is said of it."""
        for field in self.findChildren(Field):
            if field.isVisibleTo(self):
                yield field.label.text(), f"{field.message.text()} {field.shown.text}", field.editor
        for one in self.findChildren(QPushButton):
            if one.isVisibleTo(self) and not one.property("segment"):
                yield (
                    one.accessibleName() or one.text(),
                    f"{one.toolTip()} {one.accessibleDescription()}",
                    one,
                )

    def add_setting(self, setting: Field) -> Field:
        """Add a setting, whose hint says what it does; its editor is as wide as what it takes."""
        setting.keep_narrow()
        self.body.addWidget(setting)
        return setting

    def add_choice(
        self, choice: Choice, shown: str, on_change: Callable[[str], None], sentence: str
    ) -> Segments:
        """Add a setting of a few values, at the value `shown`; `on_change` is called with any other after that."""
        segments = Segments(list(choice.options.items()), choice.label)
        segments.choose(shown)
        segments.changed.connect(on_change)
        self.add_setting(Field(choice.label, segments, sentence, lines=0))
        return segments


_OFF, _ON = "off", "on"


class AppearanceSection(Section):
    """Colours and the size of text, which the whole window takes on at once."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Appearance"))
        self._preferences = session.preferences
        self.schemes = self.add_choice(
            SCHEME,
            theme().scheme,
            self._on_scheme,
            _("High contrast has stronger text and borders, and is light or dark as your system is."),
        )
        self.sizes = quiet_combo(editable=False)
        for value, words in TEXT_SIZE.options.items():
            self.sizes.addItem(words, value)
        keep_size(self.sizes, width=_SIZES_PX)
        self.sizes.activated.connect(self._on_size)
        self.add_setting(
            Field(
                TEXT_SIZE.label,
                self.sizes,
                _("The size of all text and controls. Ctrl++ and Ctrl+- change it from anywhere."),
                lines=0,
            )
        )
        self.presentation = self.add_choice(
            Choice("", _("Presentation size"), {_OFF: _("Off"), _ON: _("On")}, _OFF),
            _OFF,
            self._on_presentation,
            _(
                "Shows everything half as large again, to be read from afar, until you turn it off (Ctrl+Shift+P)."
            ),
        )
        theme().changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        self.schemes.choose(theme().scheme)
        self.sizes.setCurrentIndex(self.sizes.findData(theme().text_size))
        self.presentation.choose(_ON if theme().presenting else _OFF)

    def _on_scheme(self, value: str) -> None:
        theme().choose(Scheme(value))
        SCHEME.write(self._preferences, value)

    def _on_size(self, row: int) -> None:
        size = str(self.sizes.itemData(row))
        theme().choose_text_size(size)
        TEXT_SIZE.write(self._preferences, size)

    def _on_presentation(self, value: str) -> None:
        theme().present(presenting=value == _ON)


class LockSection(Section):
    """When the window locks itself, a button to lock it now, and what a revealed value is safe from."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Privacy and locking"))
        self._session = session
        self.button = button(_("Lock now"), partial(session.ask, LockNow()))
        set_tip(self.button, _("Lock now (Ctrl+L)"))
        self.head.addWidget(self.button)
        self.idle = self.add_choice(
            IDLE_MINUTES,
            IDLE_MINUTES.read(session.preferences),
            self._on_idle,
            _("It locks itself when nobody has used it for so long."),
        )
        self.body.addWidget(
            prose(
                _(
                    "A revealed value hides after ten seconds, when you turn to another window, and when "
                    "Keybench locks."
                )
            )
        )
        self.body.addWidget(prose(PRIVACY))
        self.body.addWidget(prose(SENTENCE, "dim"))
        session.idle_lock_changed.connect(self._show)

    def _show(self) -> None:
        self.idle.choose(IDLE_MINUTES.read(self._session.preferences))

    def _on_idle(self, minutes: str) -> None:
        if minutes != IDLE_MINUTES.read(self._session.preferences):
            IDLE_MINUTES.write(self._session.preferences, minutes)
            self._session.idle_lock_changed.emit()


class NoticesSection(Section):
    """Whether other windows are told that a sale or a run has ended."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Notices"))
        self.tell = self.add_choice(
            TELL,
            TELL.read(session.preferences),
            partial(TELL.write, session.preferences),
            _(
                "When a sale or a run ends while you work in another window, the taskbar and a notification of "
                "your desktop say so. While Keybench is locked, they don't say what has ended."
            ),
        )


class KeystoreSection(Section):
    """Where values are kept, why not elsewhere, and one more try."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Where keys are kept"))
        self._session = session
        self.location = prose("", "strong")
        self.explanation = prose("", "dim")
        self.button = button(TRY_AGAIN, self._on_try, others=(_("Trying…"),))
        self.button.setAccessibleDescription(_("Looks at the keystore again"))
        self.copy = CopyCommand("plain")
        self.copy.attach(session)
        self.head.addWidget(self.copy)
        self.head.addWidget(self.button)
        self.body.addWidget(self.location)
        self.body.addWidget(self.explanation)
        session.subscribe(self, {KeystoreChanged: self._on_changed})
        self._on_changed(KeystoreChanged(session.console.keystore_status))

    def _on_changed(self, event: KeystoreChanged) -> None:
        status = event.status
        sound = status.trouble is None
        self.location.setText(
            _("Keys are kept in {name}.").format(name=status.name) if status.is_known else LOOKING
        )
        set_role(self.location, "tone", "good" if sound else "warning")
        if not status.is_known:
            self.explanation.setText("")
        elif status.trouble:
            self.explanation.setText(error_text(status.trouble))
        elif status.durable:
            self.explanation.setText(_("One entry per key, separate for each environment."))
        else:
            self.explanation.setText(_("They are gone when the window closes, and live sales are off."))
        self.button.setVisible(not sound)
        self.copy.show_status(status)

    def _on_try(self) -> None:
        self._session.run("settings.keystore", self._try())

    async def _try(self) -> None:
        self.button.setEnabled(False)
        self.button.setText(_("Trying…"))
        try:
            await self._session.console.look_at_keystore()
        finally:
            self.button.setText(TRY_AGAIN)
            self.button.setEnabled(True)


class AboutSection(Section):
    """The version, and the way to what else there is to know."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("About Keybench"))
        self.version = prose(_("Version {version}").format(version=__version__), "strong")
        self.button = button(_("Show all…"), partial(session.ask, ShowAbout()))
        explain_button(self.button, _("Which build this is, its data folder and log, and all licences"))
        self.head.addWidget(self.button)
        self.body.addWidget(self.version)
        self.body.addWidget(
            prose(_("Journal and window settings are in the data folder; values of keys never are."), "dim")
        )
