"""Desks of a team at once, and what is left when one of them, the server or the network breaks off."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from itertools import chain

import pytest
from sqlalchemy import Connection, func, select

from contracts.journal_samples import NOW, a_key, a_point, a_sale
from contracts.register_samples import STARTED, a_rotation
from journal.postgres import Server, a_store, server_here
from journal.proxy import Proxy
from keybench.core.devices.state import DeviceState
from keybench.core.errors import JournalAway
from keybench.core.input_errors import InputInvalid, NameTaken, RotationUnderWay
from keybench.core.ports import Device
from keybench.core.sales.sale import RequestIdTaken, SaleStage
from keybench.journal import environments, installation, keys, rotations, sales, tables
from keybench.journal.postgres.engine import TeamStore, connector

# Servers are killed and networks cut.
pytestmark = pytest.mark.sweep

ROUNDS = 12
#: As it is sent, apart from "READ COMMITTED".
COMMIT = b"COMMIT\0"


def count(connection: Connection) -> int:
    """Count one move, in a row that all have in common."""
    return int(installation.update_setting(connection, "count", lambda n: str(int(n or 0) + 1)))


def counted(store: TeamStore) -> int:
    return int(store.run(lambda c: installation.setting(c, "count"), writes=False) or 0)


# --- two desks at once -------------------------------------------------------------------------------


def _accept(connection: Connection, desk: int, round_: int) -> None:
    reference = f"KB-{desk}-{round_}"
    stored = sales.sale(connection, reference)
    moved = replace(stored, stage=SaleStage.ACCEPTED, request_id=f"R-{round_}", accepted_at=NOW)
    sales.advance_sale(connection, reference, lambda _: moved)


def _note(connection: Connection, desk: int, round_: int) -> None:
    sale = replace(a_sale(f"KB-{desk}-{round_}"), device=f"till {round_}")
    sales.note_sale(connection, sale, a_point(sale))


def _state(connection: Connection, desk: int, round_: int) -> None:
    state = DeviceState(f"D-{round_}", NOW, "", True, "", None, "", None, None, False, "")
    environments.keep_device_states(connection, "practice", [replace(state, nickname=f"by {desk}")])


def _devices(connection: Connection, desk: int, round_: int) -> None:
    listed = [Device(f"D-{number}", f"by {desk}") for number in range(round_ + 1)]
    environments.remember_devices(connection, "practice", listed[:: 1 if desk else -1])


#: What two desks do at once, and what the second is told; None where both do it.
RACES: dict[str, tuple[Callable[[Connection, int, int], object], type[Exception] | None]] = {
    "a request id": (_accept, RequestIdTaken),
    "a name": (lambda c, desk, n: keys.KEYS.add(c, a_key(f"Key {n}", identifier=f"{desk}-{n}")), NameTaken),
    "a rotation": (
        lambda c, desk, n: rotations.start_rotation(
            c, replace(a_rotation(f"R-{desk}-{n}"), old=replace(a_rotation().old, key_id=f"K-{n}")), STARTED
        ),
        RotationUnderWay,
    ),
    "a group": (_note, None),
    "devices": (_devices, None),
    "a device's state": (_state, None),
    "a setting": (lambda c, _desk, n: installation.update_setting(c, f"s{n}", lambda v: f"{v}i"), None),
    "a key's exchanges": (lambda c, _desk, _n: keys.keep_key_exchanges(c, a_key().id, []), None),
}


@pytest.mark.parametrize("race", RACES)
def test_two_desks_at_once_are_told_apart(server: Server, database: str, race: str) -> None:
    call, refusal = RACES[race]
    start = threading.Barrier(2, timeout=60)
    with ExitStack() as opened, ThreadPoolExecutor(2) as desks:
        stores = [opened.enter_context(closing(a_store(server.url(database), name))) for name in "ab"]
        stores[0].run(lambda c: keys.KEYS.add(c, a_key()), writes=True)
        if call is _accept:
            for desk, round_ in ((d, n) for d in range(2) for n in range(ROUNDS)):
                stores[0].run(lambda c, d=desk, n=round_: _note(c, d, n), writes=True)  # type: ignore[misc]  # mypy can't tell a lambda's defaults

        def go(desk: int) -> list[type[Exception]]:
            told: list[type[Exception]] = []
            for round_ in range(ROUNDS):
                start.wait()
                try:
                    stores[desk].run(lambda c, n=round_: call(c, desk, n), writes=True)  # type: ignore[misc]  # as above
                except (InputInvalid, RequestIdTaken) as error:
                    told.append(type(error))
            return told

        told = list(chain(*desks.map(go, range(2))))
        assert told == ([refusal] * ROUNDS if refusal else [])
        groups = stores[0].run(
            lambda c: c.execute(select(func.count()).select_from(tables.sale_groups)).scalar_one(),
            writes=False,
        )
        assert groups == (ROUNDS if call in {_note, _accept} else 0)


def test_who_deadlocks_tries_again(server: Server, database: str) -> None:
    met, tries = threading.Barrier(2, timeout=60), [0, 0]
    with ExitStack() as opened, ThreadPoolExecutor(2) as desks:
        stores = [opened.enter_context(closing(a_store(server.url(database), name))) for name in "ab"]
        for name in "ab":
            stores[0].run(lambda c, n=name: keys.KEYS.add(c, a_key(n)), writes=True)  # type: ignore[misc]  # as above

        def cross(desk: int) -> None:
            def move(connection: Connection) -> None:
                tries[desk] += 1
                for name in "ab"[:: 1 if desk else -1]:
                    keys.KEYS.update(
                        connection, f"id-of-{name}", lambda key: replace(key, owner=f"{key.owner}i")
                    )
                    if tries[desk] == 1 and name == "ba"[desk]:
                        met.wait()

            stores[desk].run(move, writes=True)

        assert list(desks.map(cross, range(2))) == [None, None]
        assert sum(tries) > 2
        assert {key.owner for key in stores[0].run(keys.all_keys, writes=False)} == {"ii"}


# --- a client, a server, a network that breaks off -----------------------------------------------------

_MOVE_AND_DIE = """
import os, signal, sys
from journal.postgres import a_store
from journal.test_team_troubles import count
store = a_store(sys.argv[1], "stock room")
for _ in range(20):
    store.run(count, writes=True)
def die(connection):
    count(connection)
    os.kill(os.getpid(), signal.SIGKILL)
store.run(die, writes=True)
"""


def test_a_client_that_is_killed_in_a_move_leaves_nothing_of_it_and_holds_up_nobody(
    server: Server, database: str
) -> None:
    died = subprocess.run(
        [sys.executable, "-c", _MOVE_AND_DIE, server.url(database)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert died.returncode == -9, died.stderr
    with closing(a_store(server.url(database))) as store:
        assert store.run(count, writes=True) == 21


@pytest.fixture
def mortal() -> Iterator[Server]:
    """A server of its own that keeps what it commits."""
    server = server_here(is_durable=True)
    yield server
    server.stop()


def test_a_killed_server_loses_no_move_and_makes_none_twice(mortal: Server) -> None:
    desks, kills, each, is_over = 6, 3, 30, threading.Event()
    made = threading.Semaphore(0)
    with ExitStack() as opened, ThreadPoolExecutor(desks) as threads:
        url = mortal.url(mortal.database())
        stores = [opened.enter_context(closing(a_store(url, name, wait_s=60.0))) for name in "abcdef"]

        def work(store: TeamStore) -> int:
            done = 0
            while not is_over.wait(0.01):
                with suppress(JournalAway):
                    store.run(count, writes=True)
                    done += 1
                    made.release()
            return done

        working = [threads.submit(work, store) for store in stores]
        try:
            for _ in range(kills):
                assert all(made.acquire(timeout=60) for _ in range(each))
                mortal.kill()
                mortal.start()
            assert all(made.acquire(timeout=60) for _ in range(each))
        finally:
            is_over.set()
        assert sum(one.result() for one in working) == counted(stores[0]) >= each * kills


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    opened = Proxy(server.port)
    yield opened
    opened.close()


def through(proxy: Proxy, database: str) -> str:
    return f"postgresql://owner@127.0.0.1:{proxy.port}/{database}"


def test_a_commit_whose_answer_is_lost_is_found_to_be_made(
    server: Server, database: str, proxy: Proxy
) -> None:
    with closing(a_store(through(proxy, database))) as store:
        for number in range(1, 6):
            proxy.loses = COMMIT
            assert store.run(count, writes=True) == number
            assert not proxy.loses
        assert counted(store) == 5


def test_a_commit_that_never_arrived_is_found_not_to_be_made(
    server: Server, database: str, proxy: Proxy
) -> None:
    with closing(a_store(through(proxy, database))) as store:
        proxy.loses, proxy.arrives = COMMIT, False
        with pytest.raises(JournalAway):
            store.run(count, writes=True)
        assert counted(store) == 0


def test_a_cut_network_is_told_and_what_was_under_way_is_not_kept(
    server: Server, database: str, proxy: Proxy
) -> None:
    url = f"{through(proxy, database)}?connect_timeout=2"
    with (
        closing(TeamStore(url, connector(url, None, 5.0, limit_s=0.5))) as store,
        closing(a_store(server.url(database))) as other,
    ):

        def cut(connection: Connection) -> int:
            proxy.is_cut = True
            return count(connection)

        with pytest.raises(JournalAway):
            store.run(cut, writes=True)
        proxy.is_cut = False
        assert store.run(count, writes=True) == 1
        assert counted(other) == 1
