"""The composition root: the one place that knows every concrete class and puts them together."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
from urllib.parse import urlsplit

from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalAway, JournalForbidden, KeystoreError, ValueLost
from keybench.core.events import GatewayChanged, KeystoreChanged
from keybench.core.secret import Secret
from keybench.core.team.desk import Desk
from keybench.core.team.joining import PASSWORD_ENTRY
from keybench.gateway.practice_process import OnChange, PracticeProcess, class_process
from keybench.gateway.trust import Trust
from keybench.keystore.os_keystore import OsKeystore
from keybench.runtime.clock import SystemClock
from keybench.runtime.data_folder import DataFolder, person_name
from keybench.runtime.desk_file import read_desk, update_desk
from keybench.runtime.documents import UnreadableDocument
from keybench.runtime.events import Events
from keybench.runtime.log import log_failure
from keybench.runtime.owners import ProgramOwners
from keybench.runtime.supervisor import Supervisor
from keybench.runtime.worker import run_in_thread
from keybench.workflows.console import Console
from keybench.workflows.world import World

if TYPE_CHECKING:
    from keybench.gateway.classes import ClassPractice, HttpClasses
    from keybench.gateway.client import HttpGateway
    from keybench.gateway.contracts import Contracts
    from keybench.gateway.diagnosis.probing import HttpProbing
    from keybench.gateway.portal import HttpPortal
    from keybench.gateway.proxies import Proxies
    from keybench.journal import SqlJournal
    from keybench.journal.moving import SqlMoves

T = TypeVar("T")

#: Programs begin their polls at one of so many phases.
_PHASES: Final = 1000


@asynccontextmanager
async def open_console(folder: DataFolder, who: Callable[[], str] = person_name) -> AsyncIterator[Console]:
    """Open everything in `folder` for as long as the block lasts, and close it then, the last first."""
    clock, events = SystemClock(), Events()

    def practice_changed(up: bool | None, base_url: str) -> None:  # noqa: FBT001 - the callback's shape
        events.publish(GatewayChanged(PRACTICE_ID, up, urlsplit(base_url).netloc))

    async with AsyncExitStack() as closing:

        def keystore_of(desk: Desk) -> OsKeystore:
            keystore = OsKeystore(
                desk.installation,
                used=desk.used,
                on_change=lambda status: events.publish(KeystoreChanged(status)),
                on_use=partial(_note_keystore, folder),
            )
            closing.callback(keystore.close)
            closing.push_async_callback(keystore.finish)
            return keystore

        team = _desk_of_team(folder)
        keystore = keystore_of(team) if team else None
        password, trouble = await _team_password(keystore) if keystore else (None, None)
        journal = await run_in_thread("keybench imports", partial(_journal, folder, clock, team, password))
        closing.push_async_callback(journal.close)  # which ends its thread, too
        try:
            await journal.open()
        except JournalForbidden as error:  # perhaps for want of the password
            raise trouble or error from None
        owners = ProgramOwners(journal, clock, journal.desk.id, team.name if team else "")
        with suppress(JournalAway):  # the copy is there; its row is kept as soon as the server is
            await owners.begin()
        closing.push_async_callback(owners.end)
        keystore = keystore or keystore_of(journal.desk)
        trust = Trust()
        gateway, portal, probing = _speakers(folder, clock, keystore, trust)
        closing.push_async_callback(probing.close)
        closing.push_async_callback(portal.close)
        closing.push_async_callback(gateway.close)
        practice = _practice(folder, trust, practice_changed, clock)
        closing.push_async_callback(practice.stop)

        def class_gateway(host: str) -> PracticeProcess:
            served = class_process(folder.classroom, host, clock)
            closing.push_async_callback(served.stop)
            return served

        console = Console(
            World(
                clock=clock,
                journal=journal,
                keystore=keystore,
                gateway=gateway,
                portal=portal,
                practice=practice,
                probing=probing,
                owners=owners,
                events=events,
                classes=_lazily(_classes),
                who=who,
                desk=team,
                role=await _role(journal, team) if team else "",
                moves=_lazily(partial(_moves, journal, folder, clock)),
                class_gateway=class_gateway,
            ),
            first_phase=secrets.randbelow(_PHASES) / _PHASES,
        )
        closing.push_async_callback(console.log.close)
        await console.resume.take_kept()
        supervisor = Supervisor(log_failure)
        closing.push_async_callback(supervisor.close)
        supervisor.start("say that this program runs", owners.keep_renewed())
        if team:
            from keybench.workflows.team.fresh import keep_fresh  # noqa: PLC0415 - a desk of its own has none

            keep_fresh(console.world, supervisor)
        yield console


def _desk_of_team(folder: DataFolder) -> Desk | None:
    """Return the data folder's desk if its journal is a team's."""
    try:
        desk = read_desk(folder.root)
    except (OSError, UnreadableDocument):  # told when the journal is opened
        return None
    return desk if desk and desk.journal else None


async def _team_password(keystore: OsKeystore) -> tuple[Secret | None, KeystoreError | None]:
    """Return what the keystore has, or why it gives nothing: the server may let the role in without."""
    try:
        return await keystore.read(PASSWORD_ENTRY), None
    except ValueLost:
        return None, None
    except KeystoreError as error:
        return None, error


def _journal(
    folder: DataFolder, clock: SystemClock, team: Desk | None, password: Secret | None
) -> SqlJournal:
    if team:
        from keybench.journal.team_journal import TeamJournal  # noqa: PLC0415 - a desk of its own has none

        return TeamJournal(folder.journal, clock, desk=team, password=password)
    from keybench.journal import SqlJournal  # noqa: PLC0415 - slow, so it is imported off the window's thread

    return SqlJournal(folder.journal, clock)


async def _role(journal: SqlJournal, team: Desk) -> str:
    """Return as whom the server let this desk in; while it is away, as whom it is going to ask."""
    from keybench.journal.store import this_role  # noqa: PLC0415 - a desk of its own has none

    return await journal.run(this_role, writes=False) or urlsplit(team.journal).username or person_name()


def _moves(journal: SqlJournal, folder: DataFolder, clock: SystemClock) -> SqlMoves:
    from keybench.journal.moving import SqlMoves  # noqa: PLC0415 - few ever move a journal

    return SqlMoves(journal, folder.journal, clock)


def _practice(
    folder: DataFolder, trust: Trust, on_change: OnChange, clock: SystemClock
) -> PracticeProcess | ClassPractice:
    """Return the practice gateway's process, or what a class keeps for the folder's learner."""
    if not folder.seat.exists():
        return PracticeProcess(folder.root, on_change, clock=clock)
    from keybench.gateway.classes import ClassPractice  # noqa: PLC0415 - few folders have a seat
    from keybench.workflows.lessons.joining import read_seat  # noqa: PLC0415 - same

    return ClassPractice(read_seat(folder), trust, on_change, clock)


def _classes() -> HttpClasses:
    from keybench.gateway.classes import HttpClasses  # noqa: PLC0415 - few join one

    return HttpClasses()


async def _note_keystore(folder: DataFolder, name: str) -> None:
    """Remember a keystore that a value is in, so that one that is missing is told from none ever."""

    def noted(desk: Desk) -> Desk:
        return replace(desk, used=tuple(dict.fromkeys([name, *desk.used])))

    with suppress(OSError, UnreadableDocument):  # the value is kept all the same
        await run_in_thread("keybench desk", lambda: update_desk(folder.root, noted))


def _speakers(
    folder: DataFolder, clock: SystemClock, keystore: OsKeystore, trust: Trust
) -> tuple[HttpGateway, HttpPortal, HttpProbing]:
    """Return what speaks HTTP, by the same contracts; it is imported when one is first asked."""

    @cache
    def shared() -> tuple[Contracts, Proxies]:
        from keybench.core.environments.addresses import is_loopback  # noqa: PLC0415 - see above
        from keybench.gateway.contracts import Contracts  # noqa: PLC0415 - see above
        from keybench.gateway.proxies import Proxies  # noqa: PLC0415 - see above

        def is_near(host: str) -> bool:  # no proxy leads there
            return is_loopback(host) or (trust.pin is not None and trust.pin.place[0] == host)

        return Contracts(folder.contracts), Proxies(keystore.read, is_near)

    def gateway() -> HttpGateway:
        from keybench.gateway.client import HttpGateway  # noqa: PLC0415 - see above

        contracts, proxies = shared()
        return HttpGateway(clock, contracts=contracts, tls=trust, proxies=proxies)

    def portal() -> HttpPortal:
        from keybench.gateway.portal import HttpPortal  # noqa: PLC0415 - see above

        contracts, proxies = shared()
        return HttpPortal(clock, contracts=contracts, tls=trust, proxies=proxies)

    def probing() -> HttpProbing:
        from keybench.gateway.diagnosis.probing import HttpProbing  # noqa: PLC0415 - see above

        contracts, proxies = shared()
        return HttpProbing(clock, contracts=contracts, tls=trust, proxies=proxies)

    return _lazily(gateway), _lazily(portal), _lazily(probing)


class _Lazy:
    """An object that is made when something is first asked of it: what is slow to import can wait."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = self._make()
        return getattr(self._made, name)

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()


def _lazily(make: Callable[[], T]) -> T:
    """Return an object that stands for the one `make` returns; closing it makes nothing."""
    return cast("T", _Lazy(make))
