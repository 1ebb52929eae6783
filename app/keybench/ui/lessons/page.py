"""The Lessons page: the program's lessons, a person's own, a class, and the practice gateway as a trainer has it at hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from keybench.ui.kit.boxes import PageFrame, framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.choosers import ComboBox, Segments
from keybench.ui.kit.form import Field
from keybench.ui.kit.labels import button, label, prose
from keybench.ui.kit.theme import scaled
from keybench.ui.lessons.class_view import ClassView
from keybench.ui.lessons.listing import LessonsView
from keybench.ui.shared.practice import GatewayLog, SimulatedApplications, Watch
from keybench.ui.shared.session import Session
from keybench.ui.shared.views_page import Views, ViewsPage
from keybench.words.language import _
from keybench.words.lessons.practice import DIAL, FAULTS

_HIGHEST_SEED: Final = 999_999_999
_BESIDE_PX: Final = 800


class GatewayView(QFrame):
    """What is so at the practice gateway now, and what a trainer can do there."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.dial = Segments([(value, name) for value, (name, _does) in DIAL.items()], _("Fault dial"))
        self.does = prose("", "dim")
        self.dial.changed.connect(lambda value: self.does.setText(DIAL[value][1]))
        self.dial.changed.emit(self.dial.value)
        self.seed = QLineEdit(placeholderText=_("made up"))
        self.seed.setValidator(QIntValidator(0, _HIGHEST_SEED, self))
        self.set = button(_("Set"), self._set, tone="primary", name=_("Set the fault dial"))
        self.in_force = label("", "strong")
        self.single = ComboBox()
        for value, does in FAULTS.items():
            self.single.addItem(does, value)
        self.add = button(_("Add"), self._add, name=_("Add to the next requests"))
        self.waiting = prose("", "dim")
        self.applications = SimulatedApplications(session)
        self.log = GatewayLog(session)
        practice = session.console.world.practice
        self.watch = Watch(session, self, partial(practice.ask, "GET", "/portal/faults"), self._show)
        self.mend = button(
            _("Mend all"),
            partial(self.watch.do, self.watch.ask, "PUT", "/portal/faults", {}),
            hint=_("Take every fault back: the dial, single faults, and what lessons and programs set"),
        )
        self._lay_out()

    def _show(self, faults: Mapping[str, Any]) -> None:
        weather = faults["weather"]
        in_force = (
            _("In force: {name}") if weather["preset"] == "calm" else _("In force: {name}, seed {seed}")
        )
        name = DIAL[weather["preset"]][0]
        self.in_force.setText(in_force.format(name=name, seed=weather.get("seed")))
        waiting = [FAULTS.get(one, one) for one in faults["next"]]
        self.waiting.setText(_("Waiting: {faults}").format(faults=", ".join(waiting)) if waiting else "")

    def _set(self) -> None:
        seed = {"seed": int(self.seed.text())} if self.seed.hasAcceptableInput() else {}
        self.watch.do(self._put, "weather", {"preset": self.dial.value, **seed})

    def _add(self) -> None:
        self.watch.do(self._put, "next", self.single.currentData())

    async def _put(self, name: str, value: Any) -> None:
        """Change one of the faults: what is left out of the call would be mended."""
        faults = await self.watch.ask("GET", "/portal/faults")
        faults[name] = [*faults["next"], value] if name == "next" else value
        await self.watch.ask("PUT", "/portal/faults", faults)

    def _lay_out(self) -> None:
        seed = Field(_("Seed"), self.seed, _("Same seed, same faults."), beside=self.set)
        setting = in_column(
            label(_("Fault dial"), "strong"),
            in_row(self.dial, None),
            self.does,
            in_row(seed, None),
            in_row(self.in_force, self.mend, None, spacing=12),
            None,
        )
        what = Field(_("What happens to it"), self.single, lines=0)
        what.keep_narrow()
        add = in_row_or_column(what, self.add, None, from_px=lambda: 0, spacing=4)
        add.setAlignment(self.add, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft)
        next_one = in_column(
            label(_("Next request"), "strong"),
            add,
            self.waiting,
            None,
        )
        both, beside = ((setting, 1), (next_one, 1)), partial(scaled, _BESIDE_PX)
        dial = framed(in_row_or_column(*both, from_px=beside, margins=(14, 10, 14, 10), spacing=24), "well")
        inside = in_column(dial, self.watch.message, self.applications, (self.log, 1), spacing=12)
        in_column(PageFrame(content=framed(inside)), within=self, margins=(16, 14, 16, 16))


VIEWS: Final[Views] = {
    "lessons": (_("Lessons"), partial(LessonsView, own=False)),
    "mine": (_("Mine"), partial(LessonsView, own=True)),
    "class": (_("Class"), ClassView),
    "gateway": (_("Practice gateway"), GatewayView),
}


class LessonsPage(ViewsPage):
    """All views, one at a time."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, VIEWS, title=_("Lessons"), choice=_("View of lessons"), parent=parent)
        self.show_view(self.segments.value)
