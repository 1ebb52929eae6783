"""The band on top: which environment this is, whether its gateway answers, where keys are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.ui.environment_box import EnvironmentBox
from keybench.ui.keystore_strip import USE_MEMORY, KeystoreStrip
from keybench.ui.sale.renewal import Renewal
from keybench.ui.session import Session
from keybench.ui.theme import set_role
from keybench.ui.tokens import tone_of_kind
from keybench.ui.widgets.chip import Chip
from keybench.ui.widgets.labels import ElidedLabel, label

if TYPE_CHECKING:  # announcements come after the first frame, and their import would hold it up
    from keybench.core.events import EnvironmentsChanged, GatewayChanged, KeystoreChanged

SENTENCES = {
    EnvironmentKind.PRACTICE: "Built-in gateway. No account, no money moves.",
    EnvironmentKind.TEST: "Test gateway. No money moves.",
    EnvironmentKind.LIVE: "Real cards, real money.",
}


def needs_live_word(environment: Environment) -> bool:
    """Tell whether the word LIVE must stand beside the environment's name, since the name isn't it."""
    return environment.is_live and environment.name.casefold() != "live"


_MEMORY_MEANS: Final = (
    "Values that are made or typed from now on are kept in this session's memory only: they are gone when "
    "the window closes, or move into {name} if it can be used before. Values that are in {name} already stay "
    "there and can't be used until then. Live is off meanwhile."
)


class Band(QWidget):
    """The band; before `attach` it shows the environment it was given and nothing to choose.

    Args:
        shown: The environment shown at first.
    """

    def __init__(self, shown: Environment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._shown = shown
        self._listing: Renewal | None = None
        self._gateways: dict[str, GatewayChanged] = {}
        self._unsubscribe: list[Callable[[], None]] = []
        self.environment_box = EnvironmentBox(shown)
        self.environment_box.setEnabled(False)
        self.environment_box.chosen.connect(self._on_chosen)
        self.live_word = label("LIVE", "strong", tone="live")
        self.sentence = ElidedLabel()
        self.sentence.setObjectName("sentence")
        self.gateway_chip = Chip("Gateway")
        self.keystore_chip = Chip("Keystore")
        self.strip = KeystoreStrip()
        self.strip.try_again.connect(self._on_try_again)
        self.strip.memory_asked.connect(self._on_memory)
        self.strip.stop_asked.connect(self._on_stop)
        self._lay_out()
        self.show_environment(shown)
        self.keystore_chip.show_state("Looking for your keyring…")

    def attach(self, session: Session) -> None:
        """Show the session's environment and follow it, its gateway and the keystore."""
        from keybench.core.events import (  # noqa: PLC0415 - after the first frame, see above
            EnvironmentsChanged,
            GatewayChanged,
            KeystoreChanged,
        )

        self._session = session
        self._listing = Renewal(session, "environments of the band", partial(self._list, session))
        session.environment_changed.connect(self.show_environment)
        events = session.console.events
        self._unsubscribe += [
            events.subscribe(GatewayChanged, self._on_gateway),
            events.subscribe(KeystoreChanged, self._on_keystore),
            events.subscribe(EnvironmentsChanged, self._on_environments),
        ]
        self.environment_box.setEnabled(True)
        self.show_environment(session.environment)
        self._on_keystore(KeystoreChanged(session.console.keystore_status))
        self._on_environments(EnvironmentsChanged())

    def close_down(self) -> None:
        """Stop listening; safe to call twice."""
        while self._unsubscribe:
            self._unsubscribe.pop()()

    def show_environment(self, environment: Environment) -> None:
        """Show another environment's mark, sentence and gateway."""
        self._shown = environment
        self.environment_box.show_environment(environment)
        self.live_word.setVisible(needs_live_word(environment))
        self.sentence.setText(SENTENCES[environment.kind])
        set_role(self._row, "tone", tone_of_kind(environment.kind))
        self._show_gateway()

    def _lay_out(self) -> None:
        self._row = QFrame()
        self._row.setObjectName("band")
        row = QHBoxLayout(self._row)
        row.setContentsMargins(16, 10, 16, 10)
        row.setSpacing(12)
        row.addWidget(self.live_word)
        row.addWidget(self.environment_box)
        row.addWidget(self.sentence)
        row.addStretch(1)
        row.addWidget(self.gateway_chip)
        row.addWidget(self.keystore_chip)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._row)
        column.addWidget(self.strip)

    def _on_chosen(self, environment: Environment) -> None:
        if self._session:
            self._session.choose_environment(environment)

    def _on_gateway(self, event: GatewayChanged) -> None:
        if event == self._gateways.get(event.environment_id):
            return  # each answered poll says it anew
        self._gateways[event.environment_id] = event
        self._show_gateway()

    def _show_gateway(self) -> None:
        seen = self._gateways.get(self._shown.id)
        if seen is None:
            host = self._shown.base_url.partition("://")[2].partition("/")[0]
            self.gateway_chip.show_state(host or "Gateway not started yet", "dim")
        elif seen.up is None:
            self.gateway_chip.show_state("Gateway starting…", "warning")
        elif seen.up:
            self.gateway_chip.show_state(f"Gateway up · {seen.address}".rstrip(" ·"), "good")
        else:
            self.gateway_chip.show_state(f"Gateway down · {seen.address}".rstrip(" ·"), "bad", framed="bad")

    def _on_keystore(self, event: KeystoreChanged) -> None:
        from keybench.words.keystore import keystore_place  # noqa: PLC0415 - after the first frame

        status = event.status
        sound = status.durable and status.trouble is None and not status.asking
        self.keystore_chip.show_state(keystore_place(status), framed=None if sound else "warning")
        self.strip.show_status(status)

    def _on_try_again(self) -> None:
        if self._session:
            self._session.run("keystore.probe", self._probe(self._session))

    async def _probe(self, session: Session) -> None:
        self.strip.show_trying(trying=True)
        try:
            await session.console.look_at_keystore()
        finally:
            self.strip.show_trying(trying=False)

    def _on_memory(self) -> None:
        if self._session:
            self._session.run("keystore.memory", self._use_memory(self._session))

    async def _use_memory(self, session: Session) -> None:
        from keybench.ui.widgets.dialog import confirm  # noqa: PLC0415 - after the first frame

        name = session.console.keystore_status.name
        text = _MEMORY_MEANS.format(name=name)
        if await confirm(self, title=f"{USE_MEMORY}?", text=text, confirm=USE_MEMORY):
            session.console.keep_in_memory()

    def _on_stop(self) -> None:
        if self._session:
            self._session.console.stop_asking()

    def _on_environments(self, _event: EnvironmentsChanged) -> None:
        if self._listing:
            self._listing.ask()

    async def _list(self, session: Session) -> None:
        environments = await session.console.environments.all()
        shown = next((e for e in environments if e.id == session.environment.id), None)
        if shown is None:
            session.choose_environment(next(e for e in environments if e.id == PRACTICE_ID))
        elif shown.name != session.environment.name:  # a text in it was erased
            session.choose_environment(shown)
        self.environment_box.show_environments(environments, session.environment)
