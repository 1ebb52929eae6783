"""Applications: which programs and tills use a key, where it is set there, and who looks after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from keybench.core.rotations.rotation import THIS_CONSOLE


@dataclass(frozen=True, slots=True)
class Application:
    """One application and the key it uses; with two keys it is entered twice.

    Its name is unique for each key; `place` is where the key is set (``PAYMENT_KEY on web-1``),
    `instructions` how to change it there. `seen_at` and `seen_by` are who noted it as working with its key;
    earlier this console did, too, for its own calls: those were no sight of the application, see
    `seen_working_at`.
    """

    id: str
    environment_id: str
    key_id: str
    name: str
    owner: str = ""
    contact: str = ""
    place: str = ""
    instructions: str = ""
    changed_at: datetime | None = None
    changed_by: str = ""
    seen_at: datetime | None = None
    seen_by: str = ""

    @property
    def seen_working_at(self) -> datetime | None:
        """When a person last saw it working with the key it uses, UTC; None if never."""
        return None if self.seen_by == THIS_CONSOLE else self.seen_at

    def using(self, key_id: str, changed_at: datetime | None = None, changed_by: str = "") -> Application:
        """Return it with another key, with which nobody has seen it working yet; itself with the same key."""
        if key_id == self.key_id:
            return self
        return replace(
            self, key_id=key_id, changed_at=changed_at, changed_by=changed_by, seen_at=None, seen_by=""
        )


#: A pure change of an application, applied to what is stored.
ApplicationMove = Callable[[Application], Application]
