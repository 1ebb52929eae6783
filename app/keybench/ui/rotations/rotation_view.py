"""One rotation: its head, the five stages as cards, the chosen stage, and the lower end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.key import SecurityKey
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import STAGES, Stage
from keybench.core.team.desk import TeamDesk
from keybench.ui.kit.boxes import PageFrame, bring_into_sight, framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.labels import ElidedLabel, Pill, button, label, prose
from keybench.ui.kit.theme import scaled, set_role
from keybench.ui.rotations.application_stages import ReplaceStage, TestStage
from keybench.ui.rotations.compromise_stage import CompromiseStage
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.create_stage import CreateStage
from keybench.ui.rotations.delete_stage import DeleteStage
from keybench.ui.rotations.document_stage import DocumentStage
from keybench.ui.rotations.footer import Footer
from keybench.ui.rotations.stage_view import StageView
from keybench.ui.shared.at_work import AtWork
from keybench.ui.shared.practice import GatewayLog, SimulatedApplications
from keybench.ui.shared.session import Session
from keybench.words.language import _
from keybench.words.rotations.progress import leak_line, names_line, open_at, overlap_line
from keybench.words.rotations.stages import STAGE_TITLES, stage_line, stage_number
from keybench.workflows.team.leases import rotation_work, works_on

#: From this width on, at 13 px text, a stage's card has room for its words.
_WORDS_PX: Final = 148


class StageCard(QPushButton):
    """A push button with several lines in it, and a radio button to screen readers."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setAutoDefault(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.pill, self.title, self.line = Pill(), label("", "strong"), label("", "dim")
        for each in (self.title, self.line):
            each.setWordWrap(True)
            each.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        for each in (self.pill, self.title, self.line):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        head = in_row((self.pill, 0), (self.title, 1), spacing=6)
        head.setAlignment(self.pill, Qt.AlignmentFlag.AlignTop)
        self._layout = in_column(head, self.line, None, within=self, margins=(12, 10, 12, 10), spacing=4)

    def show_words(self, *, shown: bool) -> None:
        """Show the card's words, or its pill alone where there is little room; readers are told anyway."""
        self.title.setVisible(shown)
        self.line.setVisible(shown)

    # A push button measures its own text alone.
    def sizeHint(self) -> QSize:
        return self._layout.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._layout.minimumSize()


class StageCards(QWidget):
    """Cards 1 to 5; the arrow keys go along them.

    Signals:
        chosen: A person wants to look at a stage (a `Stage`).
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("Stages"))
        self._cards = {stage: StageCard() for stage in STAGES}
        self._chosen: Stage | None = None
        self._words = prose(role="strong")
        for stage, card in self._cards.items():
            card.clicked.connect(partial(self.chosen.emit, stage))
        cards = framed(in_row(*((card, 1) for card in self._cards.values())))
        layout = in_row_or_column(
            (cards, 1), self._words, from_px=lambda: scaled(_WORDS_PX) * len(STAGES), within=self
        )
        layout.turned.connect(self._on_turned)

    def card(self, stage: Stage) -> StageCard:
        return self._cards[stage]

    def show_rotation(self, rotation: Rotation) -> None:
        due = stages.stage_of(rotation) if rotation.is_open else None
        for stage, card in self._cards.items():
            number, title, line = stage_number(stage), STAGE_TITLES[stage], stage_line(rotation, stage)
            # A list with nothing in it is complete, but nothing to be at ease about.
            is_listed = stage is not Stage.REPLACE or bool(rotation.applications)
            done = is_listed and stages.is_done(rotation, stage)
            tone = "good" if done else "accent" if stage is due else "dim"
            card.pill.show_state(f"✓ {number}" if done else str(number), tone)
            card.title.setText(title)
            card.line.setText(line)
            set_role(card, "done", "true" if done else "false")  # on its edge; its words say so, too
            words = _("done") if done else _("due now") if stage is due else _("not done")
            name = _("Stage {number}: {title}").format(number=number, title=title)
            card.setAccessibleName(name)  # its button has the bare words
            said = _("Stage {number} of {count}, {words}: {text}")
            card.setAccessibleDescription(
                said.format(number=number, count=len(STAGES), words=words, text=line)
            )
        self._show_chosen()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _on_turned(self, is_row: bool) -> None:  # noqa: FBT001 - the signal's own shape
        """Leave the cards' words out or bring them back; those of the chosen one stand below then."""
        for card in self._cards.values():
            card.show_words(shown=is_row)
        self._words.setVisible(not is_row)

    def _show_chosen(self) -> None:
        if self._chosen:
            card = self._cards[self._chosen]
            self._words.setText(f"{stage_number(self._chosen)} {card.title.text()}: {card.line.text()}")
        else:
            self._words.clear()

    def choose(self, chosen: Stage | None) -> None:
        """Mark the stage that is looked at, or none; Tab comes to it, and the arrow keys go on from there."""
        self._chosen = chosen
        self._show_chosen()
        for stage, card in self._cards.items():
            card.setAutoExclusive(False)  # or Qt wouldn't let go of the only marked one
            card.setChecked(stage is chosen)
            is_reached = stage is (chosen or STAGES[0])
            card.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_reached else Qt.FocusPolicy.ClickFocus)
        for card in self._cards.values():
            card.setAutoExclusive(True)


_MINUTE_MS: Final = 60_000


_SHOWN_AT: Final = frozenset({Stage.REPLACE, Stage.TEST, Stage.DELETE, Stage.DOCUMENT})


class PracticePart(QWidget):
    """Simulated applications and the gateway's log; hidden where there are no such applications.

    Args:
        sight: The view that this is part of.
    """

    def __init__(self, session: Session, sight: QWidget) -> None:
        super().__init__()
        self._session = session
        self._stage: Stage | None = None
        self.applications = SimulatedApplications(session, sight=sight, wanted=self._is_wanted)
        self.log = GatewayLog(session, height_in_rows=(2, 6))
        in_column(self.applications, self.log, within=self, spacing=12)
        self.applications.told.connect(self._appear)
        self.hide()

    def show_rotation(self, rotation: Rotation, stage: Stage | None) -> None:
        new = rotation.replacement
        self._stage = stage
        self.log.show_keys(rotation.old.gateway_id, new.gateway_id if new else "")
        self._appear()
        self.applications.watch.refresh()

    def _is_wanted(self) -> bool:
        return self._session.environment.kind is EnvironmentKind.PRACTICE and self._stage in _SHOWN_AT

    def _appear(self) -> None:
        self.setVisible(self._is_wanted() and bool(self.applications.table.model().rows))


class _Head(QWidget):
    """Both keys' names, the overlap below them, and the red strip of a compromised key."""

    def __init__(self, controller: RotationController, open_checklist: Callable[[], None]) -> None:
        super().__init__()
        self._controller = controller
        self.names = ElidedLabel("", "title")
        self.pill = Pill()
        self.overlap = prose(role="dim")
        self._leak_text = prose(tone="bad")
        self._leak_text.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        checklist = button(_("Checklist"), open_checklist)
        leak = in_row((self._leak_text, 1), checklist, margins=(14, 8, 8, 8), spacing=12)
        self._leak = framed(leak, "bar")
        self._leak.setProperty("tone", "bad")
        names = in_row(self.names, self.pill, (label(""), 1))
        in_column(names, self.overlap, self._leak, within=self, spacing=4)

    def show_rotation(self, rotation: Rotation) -> None:
        leaked = stages.is_leaked(rotation)
        self.names.setText(names_line(rotation))
        self.overlap.setText(overlap_line(rotation, self._controller.session.console.clock.now()))
        self.pill.show_state(_("Compromised") if leaked else _("Was compromised"), "bad" if leaked else "dim")
        self.pill.setVisible(rotation.compromised)
        self._leak.setVisible(rotation.compromised)
        self._leak_text.setText(leak_line(rotation))


class RotationView(QFrame):
    """Shows the controller's rotation. The stage shown follows the due one until a person looks elsewhere.

    Args:
        compromise: Asks whether a key is compromised.
        revoke: Asks whether to revoke a key.
    """

    def __init__(
        self,
        controller: RotationController,
        compromise: Callable[[SecurityKey], object],
        revoke: Callable[[SecurityKey], object],
    ) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._controller = controller
        self._had_focus: QWidget | None = None
        self._led: QWidget | None = None
        self.head = _Head(controller, partial(self.look_at, None))
        self.at_work = AtWork(
            controller.session,
            "who has the rotation open",
            self._read_others,
            open_at,
            (_("Take over"), partial(self._work, take_over=True)),
            lambda: controller.id,
        )
        self.cards = StageCards()
        self.cards.chosen.connect(self.look_at)
        self._create = CreateStage(controller)
        self.deletion = deletion = DeleteStage(controller)
        self._stages: dict[Stage | None, StageView] = {
            Stage.CREATE: self._create,
            Stage.REPLACE: ReplaceStage(controller),
            Stage.TEST: TestStage(controller),
            Stage.DELETE: deletion,
            Stage.DOCUMENT: DocumentStage(controller),
            None: CompromiseStage(controller, revoke),
        }
        self.practice = PracticePart(controller.session, self)
        self.footer = Footer(controller, deletion.delete, compromise)
        self.stage: Stage | None = Stage.CREATE
        self._due: tuple[str, Stage] | None = None
        self._works = 0
        self._scroll = PageFrame(sideways=False)
        self._lay_out()
        minutes = QTimer(self, interval=_MINUTE_MS)
        minutes.timeout.connect(self._refresh_times)
        minutes.start()
        controller.session.locking.connect(self.clear_value)
        controller.session.ending.connect(self.clear_value)
        controller.busy_changed.connect(self._on_busy)
        controller.shown_changed.connect(self._on_rotation)

    @property
    def body(self) -> StageView:
        return self._stages[self.stage]

    def look_at(self, stage: Stage | None) -> None:
        self.stage = stage
        self.cards.choose(stage)
        self._show_stage(self._controller.rotation)
        for each in self._stages.values():
            each.setVisible(each is self.body)
        self._scroll.verticalScrollBar().setValue(0)
        self._led = None
        self._lead()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._work()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._work()

    def _work(self, *, take_over: bool = False) -> None:
        """Tell the team's other desks which rotation is open here, and read what is open there."""
        session, shown = self._controller.session, self._controller.id if self.isVisible() else ""
        if session.console.world.desk:
            work = session.console.world.owners.work_on(shown and rotation_work(shown), take_over=take_over)
            self._works += 1
            session.run(f"tell what is open #{self._works}", work)
            self.at_work.refresh()

    async def _read_others(self) -> Sequence[TeamDesk]:
        shown = self._controller.id
        return await works_on(self._controller.session.console.world, rotation_work(shown)) if shown else ()

    def begin(self) -> None:
        if self.isVisible() and not self.body.begin() and self.stage:
            self.cards.card(self.stage).setFocus(Qt.FocusReason.OtherFocusReason)

    def clear_value(self) -> None:
        self._create.value.reset()

    def _refresh_times(self) -> None:
        if self._controller.id:
            self.head.show_rotation(self._controller.rotation)

    def _on_rotation(self, rotation: Rotation | None) -> None:
        if rotation is None or rotation.id != (self._due and self._due[0]):
            self._work()
        if rotation is None:
            self.clear_value()
            return
        before, self._due = self._due, (rotation.id, stages.stage_of(rotation))
        moved = before != self._due
        if moved:
            self.clear_value()
            is_other = before is None or before[0] != rotation.id
            moved = is_other or before == (rotation.id, self.stage)
        at = self._focused()
        self.head.show_rotation(rotation)
        self.cards.show_rotation(rotation)
        if moved:
            self.look_at(self._due[1])
            self._had_focus = None
        else:
            self._show_stage(rotation)
            self._lead()
        if at is not None and (moved or not (at.isVisible() and at.isEnabled())):
            self._keep_focus()

    def _show_stage(self, rotation: Rotation) -> None:
        self.body.show_rotation(rotation)
        self.footer.stage = self.stage
        self.footer.show_rotation(rotation)
        self.practice.show_rotation(rotation, self.stage)

    def _on_busy(self, doing: str) -> None:
        """Hold the buttons while a step is under way; what had the keyboard gets it back."""
        if doing and (at := self._focused()) not in {None, self}:
            self._had_focus = at
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.body.refresh()
        self.footer.show_busy(doing)
        self._lead()
        if not doing and self._focused() is self:
            self._keep_focus()

    def _focused(self) -> QWidget | None:
        """Return what has the keyboard here, itself included; None while it is elsewhere."""
        at: QWidget | None = self.window().focusWidget()
        return self if at is None else at if at is self or self.isAncestorOf(at) else None

    def _keep_focus(self) -> None:
        """Have the keyboard until all is laid out, or Qt would give it to what comes next in Tab's order."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, self, self._focus)

    def _focus(self) -> None:
        before, self._had_focus = self._had_focus, None
        if self._focused() is not self:
            return  # the person went elsewhere meanwhile
        if before is not None and before.isVisible() and before.isEnabled():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.begin()

    def _lead(self) -> None:
        """Bring what leads on into sight where it is another button than before; a person may have scrolled."""
        step = self.body.next_step
        if step and step is not self._led:
            self._led = step
            bring_into_sight(step)

    def _lay_out(self) -> None:
        inside = QWidget()
        pages = in_column(
            self.head, self.at_work, self.cards, within=inside, margins=(0, 0, 4, 0), spacing=12
        )
        for each in self._stages.values():
            each.hide()
            pages.addWidget(each, 1)  # all before the footer is: Tab goes by the order in which they come
        pages.addWidget(self.practice)
        pages.addWidget(self.footer.why_not)
        self._scroll.hold(inside)
        in_column((self._scroll, 1), self.footer, within=self, margins=(16, 14, 16, 12), spacing=12)
