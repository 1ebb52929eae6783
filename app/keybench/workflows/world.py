"""The ports a use case speaks to, gathered so that the composition root and the tests build them alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.core.errors import ContractInvalid, PracticeUnavailable
from keybench.core.events import ActivityRecorded, ApplicationsChanged, DevicesChanged, KeysChanged
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import alike
from keybench.core.personal_data import reduced
from keybench.core.ports import (
    Activity,
    Classes,
    Clock,
    ContractFacts,
    Gateway,
    Journal,
    JournalMoves,
    Keystore,
    Owners,
    Portal,
    Practice,
    Probing,
)
from keybench.core.reasons import Reason
from keybench.core.team.desk import Desk
from keybench.core.team.edits import Edit, Edited
from keybench.runtime.data_folder import person_name
from keybench.runtime.events import Events
from keybench.runtime.worker import run_in_thread

#: So many characters of bodies are looked through at once; more would make the window wait.
_SMALL: Final = 8 * 1024

#: What tells that records of a kind aren't what they were.
CHANGED: Final[Mapping[Edited, type[KeysChanged | ApplicationsChanged | DevicesChanged]]] = {
    Edited.KEY: KeysChanged,
    Edited.APPLICATION: ApplicationsChanged,
    Edited.DEVICE: DevicesChanged,
}


def _no_class(_host: str) -> Practice:
    raise PracticeUnavailable(Reason.PRACTICE_NOT_RUN)


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside: each field is a port, but for the announcements.

    Attributes:
        who: Tells who works here; lines of the activity carry it.
        desk: The desk where this runs, if its journal is a team's.
        role: As whom everybody here works in a team's journal, whatever name is given; empty without one.
        moves: Where the journal may move; tests mostly have none.
        class_gateway: Returns what serves a class at an address, or on this computer alone for an empty one.
    """

    clock: Clock
    journal: Journal
    keystore: Keystore
    gateway: Gateway
    portal: Portal
    practice: Practice
    probing: Probing
    owners: Owners
    events: Events
    classes: Classes
    who: Callable[[], str] = person_name
    desk: Desk | None = None
    role: str = ""
    moves: JournalMoves | None = None
    class_gateway: Callable[[str], Practice] = _no_class

    def line(
        self,
        action: str,
        environment_id: str,
        subject: str,
        result: str = "",
        *,
        by: str = "",
        at: datetime | None = None,
        fingerprint: str = "",
    ) -> Activity:
        """Return a line of the activity; see `note_activity`."""
        when, who = at or self.clock.now(), self.role or by or self.who()
        return Activity(when, action, environment_id, subject, result, who, fingerprint=fingerprint)

    def facts(self, contract: str) -> ContractFacts:
        """Return what a gateway can do by its contract; nothing if that can't be used.

        The window has to open, and following has to go on, while a person corrects the file; what is then
        asked of the gateway tells why it can't be done.
        """
        try:
            return self.gateway.facts(contract)
        except (ContractInvalid, NotFound):
            return ContractFacts(contract)

    async def find_environment(self, environment_id: str) -> Environment | None:
        """Return an environment by id; None if there is no such environment any more."""
        environments = await self.journal.environments()
        return next((one for one in environments if one.id == environment_id), None)

    async def stored(self, environment: Environment) -> Environment:
        """Return an environment as it is kept now."""
        found = await self.find_environment(environment.id)
        if found is None:
            raise NotFound("environment", environment.name)
        return found

    async def alike(self, environment_id: str, key_id: str) -> frozenset[str]:
        """Return the ids of all keys that are one key to their gateway with the one given, see `alike`."""
        return alike(await self.journal.keys(environment_id)).get(key_id, frozenset({key_id}))

    async def environment_names(self, ids: Iterable[str] = ()) -> dict[str, str]:
        """Return what all environments are called, by id, and what those of `ids` were that are gone."""
        names = {one.id: one.name for one in await self.journal.environments()}
        gone = {one for one in ids if one and one not in names}
        return {**names, **(await self.journal.removed_environments(gone) if gone else {})}

    async def as_recorded(self, exchanges: Sequence[Exchange], environment_id: str) -> list[Exchange]:
        """Return stored exchanges with what is recorded of a body now; older ones may hold more."""
        here = await self.find_environment(environment_id) if exchanges else None
        names = self.facts(here.contract).kept_names if here else frozenset[str]()

        def work() -> list[Exchange]:
            return [
                replace(
                    one,
                    request_body=reduced(one.request_body, names),
                    response_body=reduced(one.response_body, names),
                )
                for one in exchanges
            ]

        size = sum(len(one.request_body) + len(one.response_body) for one in exchanges)
        return work() if size <= _SMALL else await run_in_thread("keybench exchanges", work)

    async def edit(self, edit: Edit) -> None:
        """Keep a person's edit with its line, and announce it."""
        await self.journal.edit(edit)
        self.events.publish(ActivityRecorded())
        if edit.what:
            self.events.publish(CHANGED[edit.what](edit.environment_id))

    async def note_activity(
        self,
        action: str,
        environment_id: str,
        subject: str,
        result: str = "",
        *,
        by: str = "",
        fingerprint: str = "",
    ) -> None:
        """Append a line to the activity and announce it.

        `action` is a stable phrase, `result` short: the name of one of our errors where it failed;
        for `fingerprint` see `Activity`.
        """
        line = self.line(action, environment_id, subject, result, by=by, fingerprint=fingerprint)
        await self.journal.record_activity(line)
        self.events.publish(ActivityRecorded())
