"""What one page asks of another: typed requests, which the window answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the window is shown before these are imported
    from keybench.core.diagnosis.conclusion import Diagnosis
    from keybench.core.environments.environment import Environment
    from keybench.core.keys.key import SecurityKey
    from keybench.core.rotations.rotation import Rotation
    from keybench.core.sales.sale import Sale


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
)
