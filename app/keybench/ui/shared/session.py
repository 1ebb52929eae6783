"""What every part of the window shares: the use cases, the tasks, the chosen environment, requests and notices."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from keybench.core.errors import KeybenchError
from keybench.ui.kit.preferences import Preferences

if TYPE_CHECKING:  # the window is shown before these are imported
    from keybench.core.diagnosis.conclusion import Diagnosis
    from keybench.core.environments.environment import Environment
    from keybench.core.keys.key import SecurityKey
    from keybench.core.rotations.rotation import Rotation
    from keybench.core.sales.sale import Sale
    from keybench.runtime.supervisor import Supervisor
    from keybench.ui.shared.attention import Waiting
    from keybench.workflows.administration import Administration
    from keybench.workflows.console import Console
    from keybench.workflows.lessons.room import Room


@dataclass(frozen=True, slots=True)
class Place:
    """Go to a page by its id, in an environment to choose first, to a sale by its reference on the Bench."""

    page: str
    environment: Environment | None = None
    sale: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """Find out why something failed; key and device by their identifiers, if it is about one."""

    environment: Environment
    key_id: str = ""
    device: str = ""
    sale: Sale | None = None


@dataclass(frozen=True, slots=True)
class Rotate:
    """Begin or show a key's rotation, in the chosen environment."""

    key: SecurityKey
    compromised: bool = False


@dataclass(frozen=True, slots=True)
class Revoke:
    """Revoke a key at once."""

    key: SecurityKey


@dataclass(frozen=True, slots=True)
class ShowKeys:
    """Show a view of the Keys page by its id, with these keys; with all if there are none."""

    view: str
    keys: Sequence[SecurityKey] = ()


@dataclass(frozen=True, slots=True)
class EditEnvironment:
    """Edit an environment, or add one."""

    environment: Environment | None = None


@dataclass(frozen=True, slots=True)
class SaveBundle:
    """Save a support bundle, with a diagnosis if there is one."""

    diagnosis: Diagnosis | None = None


@dataclass(frozen=True, slots=True)
class LockNow:
    """Lock the window."""


@dataclass(frozen=True, slots=True)
class TakeTour:
    """Play the guided tour in a window of its own."""


@dataclass(frozen=True, slots=True)
class PlayLesson:
    """Play a lesson or a prepared desk in a window of its own; `again` from its beginning.

    It is named by its id or file; an empty name is the lesson of the class that was joined last.
    """

    name: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class OpenAgain:
    """Close the window, and open another on the same data folder."""


@dataclass(frozen=True, slots=True)
class Rehearse:
    """Make a rotation a lesson, and play it."""

    rotation: Rotation


Request = (
    Place
    | Case
    | Rotate
    | Revoke
    | ShowKeys
    | EditEnvironment
    | SaveBundle
    | LockNow
    | TakeTour
    | PlayLesson
    | Rehearse
    | OpenAgain
)


NoticeTone = Literal["good", "warning", "bad", "info"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell the person: what happened in a few words, what it means and what to do next.

    Good news and information go once they could be read; a warning and bad news stay until their cause ends
    (`Session.end_notice`) or a person closes them.

    Attributes:
        topic: What it is about; a newer notice on the same topic takes its place. Empty for none.
        environment: The name of the environment it concerns; empty for the one that is shown.
        ends: Whether a sale or a run has ended, which a person may wait for in another window.
        show: Shows what happened, where that isn't a place.
    """

    tone: NoticeTone
    title: str
    text: str = ""
    topic: str = ""
    environment: str = ""
    place: Place | None = None
    ends: bool = False
    show: Callable[[], object] | None = None

    @property
    def stays(self) -> bool:
        """Whether it stays until its cause ends or a person closes it."""
        return self.tone in {"bad", "warning"}


class Session(QObject):
    """The window's shared state. Panels read it, and listen to its signals and to `console.events`.

    Attributes:
        sales_in_runs: The references of sales whose ends a run tells together, not each by itself.
        waiting: What waits for a person in all environments; None until it was counted.
        is_attended: Tells whether a person is at the window; as long as nobody knows otherwise, one is.
        room: What the window's lesson is played in; None in a person's own windows.
        sales_waiting: How many sales of the run that goes on have not been sent yet.

    Signals:
        environment_changed: The `Environment` that was chosen.
        notified: A `Notice`.
        notice_ended: The topic of notices that are over.
        requested: A `Request`, which the window answers; see `ask`.
        failed: A `KeybenchError` of a task that no panel took.
        locking: The window is being locked; who lends a value out takes it back.
        ending: The window is closing for good; the same holds.
        idle_lock_changed: Another time without use was chosen after which the window locks itself.
    """

    environment_changed = Signal(object)
    notified = Signal(object)
    notice_ended = Signal(str)
    waiting_changed = Signal()
    requested = Signal(object)
    failed = Signal(object)
    locking = Signal()
    ending = Signal()
    idle_lock_changed = Signal()

    def __init__(
        self,
        console: Console,
        supervisor: Supervisor,
        environment: Environment,
        parent: QObject | None = None,
        preferences: Preferences | None = None,
    ) -> None:
        super().__init__(parent)
        self.console = console
        self.preferences = preferences or Preferences()
        self.preferences.role = console.world.role
        self.supervisor = supervisor
        self.environment = environment
        self._administration: Administration | None = None
        self._stops: set[Callable[[], None]] = set()
        self.sales_in_runs: set[str] = set()
        self.sales_waiting = 0
        self.is_attended: Callable[[], bool] = lambda: True
        self.waiting: Waiting | None = None
        self.room: Room | None = None

    @property
    def administration(self) -> Administration:
        """What administering keys needs, imported when it is first wanted."""
        if self._administration is None:
            from keybench.workflows.administration import Administration  # noqa: PLC0415 - the window comes first

            self._administration = Administration(self.console)
        return self._administration

    def choose_environment(self, environment: Environment) -> None:
        if environment != self.environment:
            self.environment = environment
            self.environment_changed.emit(environment)

    def show_rotation(self, environment: Environment, key: SecurityKey, *, compromised: bool = False) -> None:
        """Begin or show a key's rotation; the Rotations page shows those of the chosen environment."""
        self.choose_environment(environment)
        self.ask(Rotate(key, compromised))

    def ask(self, request: Request) -> None:
        """Ask the window for what another page does."""
        self.requested.emit(request)

    def notify(self, notice: Notice) -> None:
        self.notified.emit(notice)

    def copy(self, text: str, title: str, meaning: str = "", tone: NoticeTone = "info") -> None:
        """Put a text on the clipboard, and say that it is there."""
        QGuiApplication.clipboard().setText(text)
        self.notify(Notice(tone, title, meaning, topic="copied"))

    def show_waiting(self, waiting: Waiting) -> None:
        if waiting != self.waiting:
            self.waiting = waiting
            self.waiting_changed.emit()

    def end_notice(self, topic: str) -> None:
        self.notice_ended.emit(topic)

    def subscribe(self, owner: QObject, listeners: Mapping[type[Any], Callable[[Any], None]]) -> None:
        """Call `listeners` with the events of their types until `owner` is deleted or the session ends."""
        stops = [self.console.events.subscribe(kind, listener) for kind, listener in listeners.items()]

        def stop(*_owner: QObject) -> None:
            self._stops.discard(stop)  # or what is gone would be kept as long as the session
            for one in stops:
                one()

        self._stops.add(stop)
        owner.destroyed.connect(stop)

    def end(self) -> None:
        """Have every subscription end, and every value that was lent out taken back; safe to call twice."""
        for stop in tuple(self._stops):
            stop()
        self.ending.emit()

    def run(
        self,
        name: str,
        work: Coroutine[Any, Any, Any],
        on_error: Callable[[KeybenchError], None] | None = None,
        owner: QObject | None = None,
    ) -> bool:
        """Start `work` under `name`, and return whether it was started: there is one of a name at a time.

        Args:
            on_error: Given what it raises if that is one of ours; else `failed` tells it. Anything else
                goes the supervisor's way, as a fault of the program.
            owner: What it reads for, such as a form that is closed again. Once that is gone, so is the work,
                and nobody is told. Only for what does nothing but read: half of anything else would be done.
                The name must be the owner's own.
        """

        def failed(task: str, error: BaseException) -> None:
            if not isinstance(error, KeybenchError):
                self.supervisor.report(task, error)
            elif on_error:
                on_error(error)
            else:
                self.failed.emit(error)

        def gone(*_owner: QObject) -> None:
            self.supervisor.cancel(name)

        if owner is None:
            return self.supervisor.start(name, work, on_failure=failed)
        forget = partial(QObject.disconnect, owner.destroyed.connect(gone))
        is_started = self.supervisor.start(name, work, on_failure=failed, on_end=forget)
        if not is_started:
            forget()
        return is_started
