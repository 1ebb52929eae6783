"""The band on top: which environment this is, whether its gateway answers, where keys are kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QSizePolicy, QWidget

from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.team.desk import Desk
from keybench.ui.kit.boxes import in_column, in_row, mirrored
from keybench.ui.kit.choosers import ComboBox
from keybench.ui.kit.icons import mark_icon
from keybench.ui.kit.labels import ElidedLabel, Label, button, explain_button, label, set_tip
from keybench.ui.kit.theme import keep_size, scaled, set_role, theme, tokens
from keybench.ui.kit.tokens import Tone, tone_of_kind
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Case, Session
from keybench.words.language import _

if TYPE_CHECKING:
    from keybench.core import events
    from keybench.core.ports import KeystoreStatus

SENTENCES = {
    EnvironmentKind.PRACTICE: _("Built-in gateway. No account, no money moves."),
    EnvironmentKind.TEST: _("Test gateway. No money moves."),
    EnvironmentKind.LIVE: _("Real cards, real money."),
}


_IN_CLASS: Final = _("The class's gateway. No account, no money moves.")


def needs_live_word(environment: Environment) -> bool:
    """Tell whether the word LIVE must stand beside the environment's name, since the name isn't it."""
    return environment.is_live and environment.name.casefold() != "live"


def window_title(environment: Environment, desk: Desk | None = None) -> str:
    """Return the title; in a team's journal it names the desk, too."""
    live = _("LIVE · ") if needs_live_word(environment) else ""
    at = f" · {desk.name}" if desk else ""
    return _("Keybench – {live}{name}").format(live=live, name=environment.name.upper() + at)  # noqa: RUF001 - an en dash, as promised to others


_MEMORY_MEANS: Final = _(
    "Values that are made or typed from now on are kept in this session's memory only: they are gone when "
    "the window closes, or move into {name} if it can be used before. Values that are in {name} already stay "
    "there and can't be used until then. Live is off meanwhile."
)


#: The pause before a gateway that was down is asked once more, in seconds.
_AGAIN_S: Final = 15.0
#: What the sentence keeps, in pixels at 13 px text.
_LEAST_PX: Final = 110


class Band(QWidget):
    """The band; before `attach` it shows the environment it was given and nothing to choose."""

    def __init__(self, shown: Environment) -> None:
        super().__init__()
        self._session: Session | None = None
        self._shown = shown
        self._gateways: dict[str, events.GatewayChanged] = {}
        self.environment_box = EnvironmentChooser(shown)
        self.environment_box.setEnabled(False)
        self.live_word = label("LIVE", "strong", tone="live")
        self.sentence = ElidedLabel()
        # What the chips say has the room first.
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        keep_size(self.sentence, least_width=_LEAST_PX)
        self.sentence.setObjectName("sentence")
        self.gateway_chip = Chip(_("Gateway"))
        self.why = button(
            _("Find out why"),
            hint=_("Looks at the way to the gateway, step by step. It sends no sale."),
        )
        self.gateway_chip.hold(self.why)
        self.why.hide()
        self.keystore_chip = Chip(_("Keystore"))
        self.lesson_chip, self.time_chip, self.class_chip = (
            Chip(_("Lesson")),
            Chip(_("Time")),
            Chip(_("Class served")),
        )
        for chip in (self.lesson_chip, self.time_chip, self.class_chip):
            chip.show_state("")
        self.strip = KeystoreStrip()
        self._lay_out()
        self.show_environment(shown)
        self.keystore_chip.show_state(_("Looking for your keyring…"))  # as `words.system` has it

    def attach(self, session: Session) -> None:
        from keybench.core import events  # noqa: PLC0415 - after the first frame

        self._session = session
        self.strip.attach(session)
        listing = Reading(
            session,
            "environments of the band",
            session.console.environments.all,
            partial(self._show_environments, session),
            wanted=lambda: None,
        )
        box = self.environment_box
        box.activated.connect(lambda row: session.choose_environment(box.environments[row]))
        self.why.clicked.connect(lambda: session.ask(Case(self._shown)))
        session.environment_changed.connect(self.show_environment)
        session.subscribe(
            self,
            {
                events.GatewayChanged: self._on_gateway,
                events.KeystoreChanged: lambda event: self._show_keystore(event.status),
                events.EnvironmentsChanged: lambda _event: listing.request(),
                events.TimeMoved: lambda _event: self._show_lesson(session),
                events.ClassServed: self._on_class,
            },
        )
        self.environment_box.setEnabled(True)
        self.show_environment(session.environment)
        self._show_keystore(session.console.keystore_status)
        listing.request()

    def show_environment(self, environment: Environment) -> None:
        self._shown = environment
        self.environment_box.show_environment(environment)
        self.live_word.setVisible(needs_live_word(environment))
        self.sentence.setText(SENTENCES[environment.kind])
        set_role(self._row, "tone", tone_of_kind(environment.kind))
        self._show_gateway()

    def _lay_out(self) -> None:
        self._row = QFrame()
        self._row.setObjectName("band")
        left = (self.live_word, self.environment_box, self.sentence)
        right = (self.lesson_chip, self.time_chip, self.class_chip, self.gateway_chip, self.keystore_chip)
        in_row(*left[:-1], (self.sentence, 1), *right, within=self._row, margins=(16, 10, 16, 10), spacing=12)
        in_column(self._row, self.strip, within=self, spacing=0)

    def _on_gateway(self, event: events.GatewayChanged) -> None:
        if event == self._gateways.get(event.environment_id):
            return  # each answered poll reports it again
        self._gateways[event.environment_id] = event
        self._show_gateway()

    def _show_gateway(self) -> None:
        seen = self._gateways.get(self._shown.id)
        if seen and seen.address and self._shown.id == PRACTICE_ID:
            near = seen.address.startswith("127.0.0.1:")  # where the built-in one always is
            self.sentence.setText(SENTENCES[self._shown.kind] if near else _IN_CLASS)
        host = self._shown.base_url.partition("://")[2].partition("/")[0]
        if seen is None or (host and seen.address != host):  # nothing was seen of it where it is now
            self.gateway_chip.show_state(host or _("Gateway not started yet"), "dim")
        elif seen.up is None:
            self.gateway_chip.show_state(_("Gateway starting…"), "warning")
        else:
            at = f" · {seen.address}" if seen.address else ""
            text = (_("Gateway up") if seen.up else _("Gateway down")) + at
            self.gateway_chip.show_state(
                text, "good" if seen.up else "bad", framed=None if seen.up else "bad"
            )
        is_down = seen is not None and seen.up is False and (not host or seen.address == host)
        self.why.setVisible(is_down and self._session is not None)
        if is_down and self._session:
            self._session.run("ask a gateway that is down", self._ask_again(self._session))

    async def _ask_again(self, session: Session) -> None:
        """Ask the gateway that is shown without a key and again, until it answers or another one is shown."""
        while not self.why.isHidden():
            await session.console.clock.sleep(_AGAIN_S)
            if not self.why.isHidden():
                with suppress(KeybenchError):  # it is still down
                    await session.console.environments.try_connection(self._shown)

    def _show_keystore(self, status: KeystoreStatus) -> None:
        from keybench.words.system import keystore_status  # noqa: PLC0415 - the first frame comes first

        self.keystore_chip.show_state(keystore_status(status), framed=None if status.is_sound else "warning")
        self.strip.show_status(status)

    def _show_lesson(self, session: Session) -> None:
        """Show which lesson the window plays, and by how much its time was moved on."""
        from keybench.words.lessons.progress import moved_words, place_words  # noqa: PLC0415 - few windows have one
        from keybench.workflows.lessons.files import lesson_files, lesson_id  # noqa: PLC0415 - as above

        if session.room:
            ids = [lesson_id(path) for path in lesson_files()]
            self.lesson_chip.show_state(place_words(session.room.lesson.id, ids))
            self.time_chip.show_state(moved_words(session.console.clock.moved_s), framed="warning")

    def _on_class(self, event: events.ClassServed) -> None:
        words = _("Serving {address} · TLS").format(address=event.address) if event.address else ""
        self.class_chip.show_state(words, "good")

    def _show_environments(self, session: Session, environments: Sequence[Environment]) -> None:
        by_id = {one.id: one for one in environments}
        # Nothing happens unless it was edited or removed, or a text in it erased.
        session.choose_environment(by_id.get(session.environment.id, by_id[PRACTICE_ID]))
        self.environment_box.show_environments(environments, session.environment)


_DOT_PX: Final = 8
_CHIP_PX: Final = 26


class Chip(QFrame):
    """A dot (where there is something to tell by it) and a few words about what `name` says to screen readers."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("role", "chip")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._name = name
        self.dot = QFrame()
        self.dot.setProperty("role", "dot")
        self.dot.setFixedSize(_DOT_PX, _DOT_PX)
        self.words = ElidedLabel()
        self._row = in_row(self.dot, self.words, within=self, margins=(10, 4, 10, 4), spacing=6)

    def hold(self, widget: QWidget) -> None:
        self._row.setContentsMargins(*mirrored(10, 1, 6, 1))
        self._row.addWidget(widget)
        keep_size(self, least_height=_CHIP_PX)

    def show_state(self, text: str, tone: Tone | None = None, *, framed: Tone | None = None) -> None:
        """Show a fact, with a dot in a `tone` and a frame in one where it is a warning; no text hides the chip."""
        self.words.setText(text)
        self.words.setAccessibleName(f"{self._name}: {text}")
        self.dot.setVisible(tone is not None)
        set_role(self.dot, "tone", tone or "")
        set_role(self, "tone", framed or "")
        self.setVisible(bool(text))


MARK_PX = 11
_Key = Qt.Key
_OPENING = {_Key.Key_Down, _Key.Key_Up, _Key.Key_Space, _Key.Key_Return, _Key.Key_Enter, _Key.Key_F4}


class EnvironmentChooser(ComboBox):
    """A combo box of environments.

    Another is entered only by choosing it in the open list: closed, the box takes no key but those that open
    it, or one press of Down could lead into live.

    The names are shown in capitals and stay as they are for everything that reads them.
    """

    def __init__(self, shown: Environment) -> None:
        super().__init__()
        self.setObjectName("environment")
        self.setAccessibleName(_("Environment"))
        set_tip(self, _("The environment that keys, devices and sales belong to"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMaxVisibleItems(16)
        font = QFont(self.font())
        font.setCapitalization(QFont.Capitalization.AllUppercase)
        self.setFont(font)
        self.environments: tuple[Environment, ...] = ()
        theme().changed.connect(self._dress)
        self.show_environments([shown], shown)

    def show_environments(self, environments: Sequence[Environment], shown: Environment) -> None:
        """List `environments` and show the one with the id of `shown`; tells nobody."""
        self.environments = tuple(environments)
        self.clear()
        for environment in self.environments:
            self.addItem(environment.name)
        self._dress()
        self.show_environment(shown)

    def show_environment(self, shown: Environment) -> None:
        ids = [environment.id for environment in self.environments]
        if shown.id in ids:
            self.setCurrentIndex(ids.index(shown.id))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        others = event.modifiers() & ~(Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.KeypadModifier)
        if event.key() in _OPENING and not others:
            self.showPopup()
        else:
            event.ignore()

    def _dress(self) -> None:
        self.setIconSize(QSize(scaled(MARK_PX), scaled(MARK_PX)))
        for row, environment in enumerate(self.environments):
            self.setItemIcon(row, mark_icon(environment.kind, tokens(), scaled(MARK_PX)))
        self.setMinimumWidth(self.sizeHint().width())


TRY_AGAIN = _("Try again")
USE_MEMORY = _("Use this session's memory")
STOP_WAITING = _("Stop waiting")


class KeystoreStrip(QFrame):
    """Says where keys are kept for as long as that is a worry, with what can be done about it."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("strip")
        self._command = ""
        self.words = Label()
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.words.setWordWrap(True)
        self.button = button(TRY_AGAIN, tone="quiet", others=(_("Trying…"),))
        self.copy = button(_("Copy the command"), tone="quiet")
        self.memory = button(USE_MEMORY, tone="quiet")
        self.stop = button(STOP_WAITING, tone="quiet")
        self.stop.setAccessibleDescription(_("Takes back what the keystore asks you"))
        ways = (self.copy, self.memory, self.button, self.stop)
        in_row((self.words, 1), *ways, within=self, margins=(16, 4, 16, 4), spacing=12)
        self.hide()

    def attach(self, session: Session) -> None:
        run = session.run
        self.button.clicked.connect(lambda: run("keystore.probe", self._probe(session)))
        self.copy.clicked.connect(lambda: session.copy(self._command, _("Copied the command"), self._command))
        self.memory.clicked.connect(lambda: run("keystore.memory", self._use_memory(session)))
        self.stop.clicked.connect(session.console.stop_asking)

    def show_status(self, status: KeystoreStatus) -> None:
        from keybench.words.system import (  # noqa: PLC0415 - the first frame comes first
            keystore_command,
            keystore_sentence,
        )

        self.words.setText("" if status.is_sound else keystore_sentence(status))
        self.words.setAccessibleName(self.words.text())
        self._command = keystore_command(status)
        explain_button(self.copy, self._command)
        self.copy.setVisible(bool(self._command))
        self.memory.setVisible(status.durable and status.trouble is not None and not status.asking)
        self.button.setVisible(not status.asking)
        self.stop.setVisible(status.asking)
        self.setVisible(not status.is_sound)

    async def _probe(self, session: Session) -> None:
        self._show_trying(trying=True)
        try:
            await session.console.look_at_keystore()
        finally:
            self._show_trying(trying=False)

    def _show_trying(self, *, trying: bool) -> None:
        self.button.setEnabled(not trying)
        self.button.setText(_("Trying…") if trying else TRY_AGAIN)
        self.button.setAccessibleName(self.button.text())
        self.memory.setEnabled(not trying)

    async def _use_memory(self, session: Session) -> None:
        from keybench.ui.kit.dialog import confirm  # noqa: PLC0415 - the first frame comes first

        text = _MEMORY_MEANS.format(name=session.console.keystore_status.name)
        if await confirm(self, title=f"{USE_MEMORY}?", text=text, confirm=USE_MEMORY):
            session.console.keep_in_memory()
