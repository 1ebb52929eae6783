"""The sections of the Settings page that are a few lines each, and what all sections are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QWidget

from keybench.core.events import KeystoreChanged
from keybench.core.keys.admin_settings import AdminSettings, parse_days, texts_of
from keybench.ui.kit.actions import key_names
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.choosers import ComboBox, Segments, quiet_combo
from keybench.ui.kit.form import Field, error_text
from keybench.ui.kit.labels import Label, label, prose
from keybench.ui.kit.preferences import Choice
from keybench.ui.kit.theme import SCHEME, TEXT_SIZE, Scheme, keep_size, set_role, theme
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

    def has(self, text: str) -> bool:
        """Tell whether all words of a search stand in it."""
        labels = (one.text() for one in self.findChildren(Label))
        return _has_words(text, self.title, *labels) or self.control(text) is not None

    def control(self, text: str) -> QWidget | None:
        """Return the first field or button whose name or explanation has all words of a search, if there are any."""
        if not text.strip():
            return None
        for field in self.findChildren(Field):
            if field.isVisibleTo(self) and _has_words(text, field.label.text(), field.message.text()):
                return field.editor
        buttons = (one for one in self.findChildren(QPushButton) if one.isVisibleTo(self))
        return next((one for one in buttons if _has_words(text, one.text(), one.toolTip())), None)

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


def _has_words(wanted: str, *texts: str) -> bool:
    return all(word in " ".join(texts).casefold() for word in wanted.casefold().split())


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
        self.sizes.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        keep_size(self.sizes, least_width=_SIZES_PX)
        self.sizes.activated.connect(self._on_size)
        self.add_setting(
            size := Field(
                TEXT_SIZE.label,
                self.sizes,
                _(
                    "The size of all text and controls. {larger} and {smaller} change it from anywhere."
                ).format(larger=key_names("Ctrl++"), smaller=key_names("Ctrl+-")),
                lines=0,
            )
        )
        size.keep_narrow()
        self.presentation = self.add_choice(
            Choice("", _("Presentation size"), {_OFF: _("Off"), _ON: _("On")}, _OFF),
            _OFF,
            lambda value: theme().present(presenting=value == _ON),
            _(
                "Shows everything half as large again, to be read from afar, the keys you press, and made-up "
                "values in place of real ones, until you turn it off ({keys}) or go to a live environment."
            ).format(keys=key_names("Ctrl+Shift+P")),
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


class KeystoreSection(Section):
    """Where values are kept, and why not elsewhere; the band has what can be done about it."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Where keys are kept"))
        self.location = prose("", "strong")
        self.explanation = prose("", "dim")
        self.body.addWidget(self.location)
        self.body.addWidget(self.explanation)
        session.subscribe(self, {KeystoreChanged: self._on_changed})
        self._on_changed(KeystoreChanged(session.console.keystore_status))

    def _on_changed(self, event: KeystoreChanged) -> None:
        status = event.status
        self.location.setText(
            _("Keys are kept in {name}.").format(name=status.name) if status.is_known else LOOKING
        )
        set_role(self.location, "tone", "warning" if status.trouble else "good")
        if not status.is_known:
            self.explanation.setText("")
        elif status.trouble:
            self.explanation.setText(error_text(status.trouble))
        elif status.durable:
            self.explanation.setText(_("One entry per key, separate for each environment."))
        else:
            self.explanation.setText(_("They are gone when the window closes, and live sales are off."))


#: What each number of days is called, and what it does, in the order shown.
LABELS: Final = {
    "age_live_days": (_("Age limit in live, days"), _("Older live keys are reported.")),
    "age_test_days": (_("Age limit in test, days"), _("Older test keys are reported.")),
    "age_practice_days": (_("Age limit in practice, days"), _("Older practice keys are reported.")),
    "idle_days": (_("Idle after days without use"), _("Keys that nobody used for longer are reported.")),
    "untested_days": (_("Untested for days"), _("Keys that weren't tested for longer are reported.")),
    "stalled_days": (
        _("Rotation half done after days"),
        _("A rotation without a step for longer is reported."),
    ),
    "overlap_days": (
        _("Old and new key overlap, days"),
        _("How long both keys are valid in a new rotation."),
    ),
}
_FIGURE_PX: Final = 88


class ReviewSection(Section):
    """The limits, each kept once it was entered."""

    def __init__(self, session: Session) -> None:
        super().__init__(_("Key review"))
        self._session = session
        self._kept: dict[str, str] = {}
        self.fields: dict[str, Field] = {}
        self.body.addWidget(
            prose(_("What the review on the Keys page reports. 0 days means no limit."), "dim")
        )
        for name, (title, sentence) in LABELS.items():
            edit = QLineEdit()
            keep_size(edit, width=_FIGURE_PX)
            edit.editingFinished.connect(self._on_entered)
            field = Field(title, edit, sentence, id=name, check=partial(parse_days, name), lines=0)
            self.fields[name] = self.add_setting(field)

    def showEvent(self, event: QShowEvent) -> None:
        """Read the limits when they are first seen; what is being entered stays."""
        super().showEvent(event)
        if not self._kept:
            self._session.run("settings.limits", self._read())

    @property
    def entered(self) -> dict[str, str]:
        """The text of each field, by the settings' names."""
        return {name: field.text for name, field in self.fields.items()}

    async def _read(self) -> None:
        before = self.entered
        self._show(await self._session.administration.settings.read(), before)

    def _show(self, settings: AdminSettings, before: dict[str, str]) -> None:
        """Show the settings, but for fields that hold something else by now than they did `before`."""
        self._kept = texts_of(settings)
        for name, field in self.fields.items():
            if field.text == before[name]:
                field.reset(self._kept[name])

    def _on_entered(self) -> None:
        if self._is_changed():
            self._session.run("keep limits", self._keep())

    async def _keep(self) -> None:
        while self._is_changed():  # another may be entered meanwhile
            entered = self.entered
            self._show(await self._session.administration.settings.save(entered), entered)

    def _is_changed(self) -> bool:
        is_sound = not any(field.fault for field in self.fields.values())
        return bool(self._kept) and is_sound and self.entered != self._kept
