"""The practice gateway as a trainer has it at hand: the fault dial, who sells there, and its log."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from keybench.ui.kit.boxes import in_column, in_row, in_row_or_column
from keybench.ui.kit.combo import ComboBox
from keybench.ui.kit.form import Field, Hint
from keybench.ui.kit.labels import ElidedLabel, button, label, prose
from keybench.ui.kit.page_frame import PageFrame
from keybench.ui.kit.segments import Segments
from keybench.ui.kit.theme import keep_size, scaled, set_role
from keybench.ui.shared.practice import GatewayLog, SimulatedApplications, Watch
from keybench.ui.shared.session import Session
from keybench.words.language import _
from keybench.words.lessons.practice import (
    DIAL,
    FAULTS,
    moved_words,
    next_words,
    other_faults,
    weather_words,
)

_CALM: Final = "calm"
_HIGHEST_SEED: Final = 999_999_999
_SAME: Final = _("The same seed gives the same faults. None: one is made up.")
_BESIDE_PX: Final = 800
_EVERY_MS: Final = 2000


class GatewayView(QFrame):
    """What is so at the practice gateway now, and what a trainer can do there."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._practice = session.console.world.practice
        self._faults: Mapping[str, Any] = {}
        self._seed_shown = ""
        self.address, self.time = ElidedLabel("", "strong"), ElidedLabel("", "dim")
        self.others = prose()
        self.mend = button(
            _("Mend all"), self._mend, hint=_("Take every fault back: dial, single faults and the others")
        )
        self.dial = Segments([(value, name) for value, (name, _does) in DIAL.items()], _("Fault dial"))
        self.dial.changed.connect(self._on_dial)
        self.does = prose("", "dim")
        self.seed = Field(_("Seed"), QLineEdit(), _SAME, check=_check_seed, lines=1)
        self.set = button(_("Set"), self._set, tone="primary", name=_("Set the fault dial"))
        self.in_force = label("", "strong")
        self.single = ComboBox()
        for value, does in FAULTS.items():
            self.single.addItem(does, value)
        self.add = button(_("Add"), self._add, name=_("Add to the next requests"))
        self.waiting = prose("", "dim")
        self.applications = SimulatedApplications(session)
        self.log = GatewayLog(session)
        self.watch = Watch(
            session, self, "practice gateway's faults", self._read, self._show, every_ms=_EVERY_MS
        )
        self._lay_out()
        self._on_dial()

    async def _read(self) -> tuple[Mapping[str, Any], float]:
        faults = await self.watch.ask("GET", "/portal/faults")
        return faults, (await self.watch.ask("GET", "/portal/clock"))["moved_s"]

    def _show(self, told: tuple[Mapping[str, Any], float]) -> None:
        faults, moved_s = told
        self.address.setText(_("Practice gateway at {address}").format(address=self._address()))
        self.time.setText(moved_words(moved_s))
        others = other_faults(faults)
        in_force = _("Besides the dial: {faults}.").format(faults=", ".join(others))
        self.others.setText(in_force if others else _("Nothing is broken besides what the dial does."))
        set_role(self.others, "tone", "warning" if others else "dim")
        before, weather = self._faults.get("weather"), faults.get("weather", {})
        preset = str(weather.get("preset", _CALM))
        if weather != before:
            self.in_force.setText(weather_words(weather))
            set_role(self.in_force, "tone", "good" if preset == _CALM else "warning")
            if preset in DIAL:
                self.dial.choose(preset)
            if self.seed.text in {"", self._seed_shown}:  # else somebody is choosing another
                self._seed_shown = "" if preset == _CALM else str(weather.get("seed", ""))
                self.seed.reset(self._seed_shown)
        waiting = list(faults.get("next", ()))
        self.waiting.setText(next_words([FAULTS.get(one, one) for one in waiting]))
        self.mend.setEnabled(bool(others or waiting) or preset != _CALM)
        self._faults = faults

    def _address(self) -> str:
        return urlsplit(self._practice.base_url).netloc

    def _on_dial(self) -> None:
        self.does.setText(DIAL[self.dial.value][1])

    def _set(self) -> None:
        if self.seed.fault:
            self.seed.touch()
            return
        weather: dict[str, Any] = {"preset": self.dial.value}
        if seed := self.seed.text.strip():
            weather["seed"] = int(seed)
        self._seed_shown = self.seed.text
        self._faults = {**self._faults, "weather": None}  # what is set is shown, even the same again
        self.watch.do(partial(self._put, weather=weather))

    def _add(self) -> None:
        self.watch.do(partial(self._queue, self.single.currentData()))

    def _mend(self) -> None:
        self.watch.call("PUT", "/portal/faults", {})

    async def _put(self, **changed: Any) -> None:
        """Change some faults: what is left out of the call would be mended."""
        faults = await self.watch.ask("GET", "/portal/faults")
        await self.watch.ask("PUT", "/portal/faults", {**faults, **changed})

    async def _queue(self, fault: str) -> None:
        faults = await self.watch.ask("GET", "/portal/faults")
        await self._put(next=[*faults.get("next", ()), fault])

    def _lay_out(self) -> None:
        now, dial = QFrame(), QFrame()
        for frame in (now, dial):
            frame.setProperty("role", "well")
        margins = (14, 10, 14, 10)
        told = in_column(in_row(self.address, (self.time, 1), spacing=12), self.others, spacing=4)
        in_row((told, 1), self.mend, within=now, margins=margins, spacing=12)
        keep_size(self.seed, least_width=220)
        setting = in_column(
            in_row(label(_("Fault dial"), "strong"), self.in_force, None, spacing=12),
            in_row(self.dial, self.set, None, spacing=12),
            self.does,
            self.seed,
            None,
        )
        next_one = in_column(
            label(_("Next request"), "strong"),
            in_row(Field(_("What happens to it"), self.single, lines=0, beside=self.add), None),
            self.waiting,
            None,
        )
        in_row_or_column(
            (setting, 3),
            (next_one, 2),
            from_px=partial(scaled, _BESIDE_PX),
            within=dial,
            margins=margins,
            spacing=24,
        )
        inside, frame = QWidget(), PageFrame()
        in_column(now, dial, self.watch.message, self.applications, (self.log, 1), within=inside, spacing=12)
        frame.hold(inside)
        in_column(frame, within=self, margins=(16, 14, 16, 16))


def _check_seed(text: str) -> Hint | None:
    seed = text.strip()
    if not seed or (seed.isascii() and seed.isdecimal() and int(seed) <= _HIGHEST_SEED):
        return None
    return Hint(_("Enter a whole number up to {most:,}.").format(most=_HIGHEST_SEED), "bad")
