"""GNOME Keyring, KeePassXC and KDE Wallet as they are: open, locked, asking, denied, killed, hung, back."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator
from typing import cast

import pytest

from contracts.keystore_contract import ENTRY, MADE_UP, OTHER, KeystoreContract, holds
from fakes.waiting import until
from keybench.core.errors import (
    KeystoreDenied,
    KeystoreError,
    KeystoreGone,
    KeystoreLocked,
    KeystoreSilent,
    ValueLost,
)
from keybench.core.ports import KeystoreStatus
from keybench.core.secret import Secret
from keybench.keystore.calls import Attempt
from keybench.keystore.native import SECRET_SERVICE, SystemStore
from keybench.keystore.os_keystore import OsKeystore
from keybench.keystore.secret_service import SecretServiceStore
from keystore.daemons import Daemon, GnomeKeyring, KdeWallet, KeePassXC, Start, private_desk
from sweeps import ALL

#: Shorter than a question takes in these tests, and long enough for a busy machine to answer a call.
LIMIT_S = 2.0
#: With an encrypted session each, 8 in 1,500 reads of KDE's wallet gave nothing.
SESSIONS = 100 if ALL else 10
Make = Callable[[], OsKeystore]


@pytest.fixture(scope="module")
def desk() -> Iterator[Start]:
    """Start each keystore once, on a bus of its own."""
    with private_desk() as start:
        yield start


@pytest.fixture(params=[GnomeKeyring, KeePassXC, KdeWallet], ids=lambda kind: kind.name)
def daemon(
    request: pytest.FixtureRequest,
    desk: Start,
    monkeypatch: pytest.MonkeyPatch,
) -> Daemon:
    """Each keystore in turn, open and well, and the test on its bus."""
    return _on_bus_of(desk(request.param), monkeypatch)


@pytest.fixture
def keepassxc(desk: Start, monkeypatch: pytest.MonkeyPatch) -> KeePassXC:
    return cast("KeePassXC", _on_bus_of(desk(KeePassXC), monkeypatch))


@pytest.fixture
def kde_wallet(desk: Start, monkeypatch: pytest.MonkeyPatch) -> KdeWallet:
    return cast("KdeWallet", _on_bus_of(desk(KdeWallet), monkeypatch))


@pytest.fixture
def told() -> list[KeystoreStatus]:
    """Every status that the keystores of the test announced."""
    return []


@pytest.fixture
def make(told: list[KeystoreStatus]) -> Iterator[Make]:
    """Make keystores of one installation, as its programs have them one after another."""
    namespace = uuid.uuid4().hex
    made: list[OsKeystore] = []

    def another() -> OsKeystore:
        made.append(OsKeystore(namespace, limit_s=LIMIT_S, on_change=told.append))
        return made[-1]

    yield another
    for one in made:
        one.close()


@pytest.fixture
async def keystore(daemon: Daemon, make: Make) -> OsKeystore:
    """A keystore that has made a value of its own, so that no question is about it."""
    found = make()
    await found.write(ENTRY, Secret(MADE_UP))
    return found


class TestContract(KeystoreContract):
    @pytest.fixture
    def keystore(self, daemon: Daemon, make: Make) -> OsKeystore:
        return make()

    async def test_it_is_the_real_one(self, keystore: OsKeystore, daemon: Daemon) -> None:
        status = await keystore.probe()
        assert (status.name, status.durable, status.trouble) == (daemon.name, True, None)


async def test_unlocking_from_outside_is_seen(keystore: OsKeystore, daemon: Daemon) -> None:
    daemon.lock()
    assert isinstance((await keystore.refresh()).trouble, KeystoreLocked)
    daemon.unlock()
    assert (await keystore.refresh()).trouble is None
    assert await holds(keystore, ENTRY, MADE_UP)


@pytest.mark.thin(3)
async def test_a_question_is_waited_for_as_long_as_a_person_needs(
    keystore: OsKeystore, daemon: Daemon, told: list[KeystoreStatus]
) -> None:
    daemon.lock()
    reading = asyncio.get_running_loop().create_task(holds(keystore, ENTRY, MADE_UP))
    await until(lambda: keystore.status.asking)
    asked_at = asyncio.get_running_loop().time()
    await until(lambda: asyncio.get_running_loop().time() > asked_at + 2 * LIMIT_S)
    assert not reading.done()
    daemon.allow()
    assert await reading
    assert [status.asking for status in told if status.trouble is None][-1] is False
    assert (keystore.status.asking, keystore.status.trouble) == (False, None)


async def test_a_dismissed_question_is_a_refusal(keystore: OsKeystore, daemon: Daemon) -> None:
    daemon.lock()
    try:
        reading = asyncio.get_running_loop().create_task(keystore.read(ENTRY))
        await until(lambda: keystore.status.asking)
        daemon.dismiss()
        with pytest.raises(KeystoreDenied):
            await reading
        assert not keystore.status.asking
    finally:
        daemon.unlock()


@pytest.mark.parametrize("stop", [OsKeystore.stop_asking, None], ids=["stopped", "cancelled"])
async def test_a_write_whose_question_is_taken_back_keeps_nothing(
    keystore: OsKeystore, daemon: Daemon, make: Make, stop: Callable[[OsKeystore], None] | None
) -> None:
    daemon.lock()
    writing = asyncio.get_running_loop().create_task(keystore.write("environment-1/key-2", Secret(OTHER)))
    await until(lambda: keystore.status.asking)
    if stop:
        stop(keystore)
        with pytest.raises(KeystoreDenied):
            await writing
    else:
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
    assert not keystore.status.asking
    await keystore.finish()
    if not isinstance(daemon, GnomeKeyring):  # they leave their dialogs there
        daemon.dismiss()
    daemon.unlock()
    with pytest.raises(ValueLost):
        await make().read("environment-1/key-2")


async def test_one_that_is_killed_is_missed_and_found_again(keystore: OsKeystore, daemon: Daemon) -> None:
    daemon.kill()
    status = await keystore.refresh()
    assert (status.name, status.durable, type(status.trouble)) == (daemon.name, True, KeystoreGone)
    with pytest.raises(KeystoreGone):
        await keystore.write("environment-1/key-2", Secret(OTHER))
    daemon.start()
    assert (await keystore.refresh()).trouble is None
    # KeePassXC and KDE Wallet save a moment later, so what was written last may have gone with them.
    await keystore.write("environment-1/key-2", Secret(OTHER))
    assert await holds(keystore, "environment-1/key-2", OTHER)


@pytest.mark.sweep
async def test_one_that_is_killed_while_it_asks_is_missed(keystore: OsKeystore, daemon: Daemon) -> None:
    daemon.lock()
    reading = asyncio.get_running_loop().create_task(keystore.read(ENTRY))
    await until(lambda: keystore.status.asking)
    daemon.kill()
    with pytest.raises(KeystoreGone):
        await reading
    daemon.start()


@pytest.mark.sweep
async def test_one_that_answers_nothing_is_silent_until_it_does(keystore: OsKeystore, daemon: Daemon) -> None:
    daemon.freeze()
    try:
        with pytest.raises(KeystoreSilent):
            await keystore.read(ENTRY)
        assert isinstance(keystore.status.trouble, KeystoreSilent)
        assert isinstance((await keystore.refresh()).trouble, KeystoreSilent)
    finally:
        daemon.thaw()
    assert await holds(keystore, ENTRY, MADE_UP), "it looks again when it is used"
    assert keystore.status.trouble is None


async def test_a_new_bus_is_found(
    keystore: OsKeystore, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
        keystore._built._connection._hang_up()  # type: ignore[attr-defined]  # the old bus has gone
        assert isinstance((await keystore.refresh()).trouble, KeystoreGone)
    assert (await keystore.refresh()).trouble is None


class Interrupted(SecretServiceStore):
    """A store to which something happens between a write's first and second call, and between the others.

    Attributes:
        before_put, after_put: What happens.
    """

    before_put: Callable[[], None] = staticmethod(lambda: None)
    after_put: Callable[[], None] = staticmethod(lambda: None)

    def put(self, entry: str, value: Secret, attempt: Attempt) -> None:
        self.before_put()
        super().put(entry, value, attempt)
        self.after_put()


@pytest.mark.thin(3)
@pytest.mark.parametrize(
    ("befall", "mend", "trouble"),
    [("freeze", "thaw", KeystoreSilent), ("lock", "unlock", KeystoreDenied)],
    ids=["frozen", "locked"],
)
@pytest.mark.parametrize("moment", ["before_put", "after_put"])
async def test_what_a_failed_write_left_behind_is_undone_when_it_is_back(
    daemon: Daemon, make: Make, moment: str, befall: str, mend: str, trouble: type[KeystoreError]
) -> None:
    namespace = uuid.uuid4().hex
    store = Interrupted(namespace, prompts_visible=True)
    setattr(store, moment, getattr(daemon, befall))
    system = SystemStore(SECRET_SERVICE, lambda _namespace: store)
    # Locking KeePassXC takes its time, and it is done on the keystore's thread here.
    limit_s = LIMIT_S if trouble is KeystoreSilent else 10 * LIMIT_S
    keystore = OsKeystore(namespace, system, limit_s=limit_s)
    writing = asyncio.get_running_loop().create_task(keystore.write(ENTRY, Secret(MADE_UP)))
    if trouble is KeystoreDenied:
        await until(lambda: keystore.status.asking or writing.done())
        keystore.stop_asking()
    with pytest.raises(trouble):
        await writing
    setattr(store, moment, lambda: None)
    if trouble is KeystoreDenied and not isinstance(daemon, GnomeKeyring):
        daemon.dismiss()
    getattr(daemon, mend)()
    assert (await keystore.refresh()).trouble is None
    other = OsKeystore(namespace, limit_s=LIMIT_S)
    with pytest.raises(ValueLost):
        await other.read(ENTRY)
    for one in (keystore, other):
        one.close()


async def test_keepassxc_asks_once_about_a_foreign_entry(keepassxc: KeePassXC, make: Make) -> None:
    await make().write(ENTRY, Secret(MADE_UP))
    later = make()
    reading = asyncio.get_running_loop().create_task(holds(later, ENTRY, MADE_UP))
    await until(lambda: later.status.asking)
    keepassxc.allow_entry()
    assert await reading
    assert await holds(later, ENTRY, MADE_UP), "it isn't asked again"


async def test_keepassxc_may_be_refused_an_entry(keepassxc: KeePassXC, make: Make) -> None:
    await make().write(ENTRY, Secret(MADE_UP))
    later = make()
    writing = asyncio.get_running_loop().create_task(later.write(ENTRY, Secret(OTHER)))
    await until(lambda: later.status.asking)
    keepassxc.refuse_entry()
    with pytest.raises(KeystoreDenied):
        await writing
    reading = asyncio.get_running_loop().create_task(holds(later, ENTRY, MADE_UP))
    await until(lambda: later.status.asking)
    keepassxc.allow_entry()
    assert await reading, "it is as it was"


async def test_an_open_kde_wallet_is_not_locked(
    kde_wallet: KdeWallet, make: Make, told: list[KeystoreStatus]
) -> None:
    kde_wallet.lock()
    kde_wallet.unlock()  # its collection still says that it is locked
    keystore = make()
    assert (await keystore.probe()).trouble is None
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert not any(status.asking or status.trouble for status in told)


async def test_kde_wallet_hands_out_a_value_each_time(kde_wallet: KdeWallet, make: Make) -> None:
    keystore = make()
    await keystore.write(ENTRY, Secret(MADE_UP))
    line = keystore._built._connection  # type: ignore[attr-defined]  # what it speaks over
    for _ in range(SESSIONS):
        line.hang_up_session()  # the next read has another
        assert await holds(keystore, ENTRY, MADE_UP)
    assert not line.session.encrypted


def _on_bus_of(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> Daemon:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", daemon.bus.address)
    monkeypatch.setenv("DISPLAY", daemon.bus.screen)
    return daemon
