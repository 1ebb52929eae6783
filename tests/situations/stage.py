"""The stage of a situation: a gateway that can be broken, and a console of real parts that asks why.

Real are the journal (SQLite), everything that speaks to the network, the practice gateway and the other
servers. The keystore is a fake that loses, changes and withholds values as it is told.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import httpx

from fakes.classes import FakeClasses
from fakes.keystore import FakeKeystore
from fakes.world import FakeOwners
from keybench.core.environments.environment import NO_PROXY, PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.errors import ContractInvalid, GatewayError, JournalBusy, KeystoreError
from keybench.core.input_errors import InputInvalid
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.ports import entry_of
from keybench.core.sales.sale import Sale, SaleDraft
from keybench.core.secret import Secret
from keybench.gateway.client import HttpGateway
from keybench.gateway.contracts import Contracts
from keybench.gateway.diagnosis.probing import HttpProbing
from keybench.gateway.portal import HttpPortal
from keybench.gateway.proxies import Proxies
from keybench.journal import SqlJournal
from keybench.practice.server import PracticeServer
from keybench.practice.state import State
from keybench.runtime.clock import SystemClock
from keybench.runtime.events import Events
from keybench.workflows.console import Console
from keybench.workflows.diagnosis.checks import Question
from keybench.workflows.world import World
from situations.authorities import Authority
from situations.dialects import ABOUT, Dialect, Said
from situations.gateways import Held, SmallGateway
from situations.servers import Place, gateway_at, proxy_at

#: A name that only a proxy of ours knows.
HOST: Final = "pay.gateway.example"
#: The first parts of the paths of a small gateway's two environments.
FIRST: Final = "sandbox"
SECOND: Final = "live"
_PORTAL: Final = {"X-Practice-Portal": "1"}
_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
#: Devices of practice act so many times as fast.
_SPEED: Final = 400.0


@cache
def trusted() -> Authority:
    """Return the authority that this computer, and anybody else, trusts."""
    return Authority.made("Public Trust Services")


@cache
def stranger() -> Authority:
    """Return one that nobody trusts."""
    return Authority.made("Somebody")


@cache
def inspector() -> Authority:
    """Return a company's inspection, which this computer doesn't trust."""
    return Authority.made("Zscaler")


class Keyring(FakeKeystore):
    """A keystore that can hang, too."""

    hangs = False

    async def read(self, entry: str) -> Secret:
        if self.hangs:
            await asyncio.get_running_loop().create_future()
        return await super().read(entry)


class Journal(SqlJournal):
    """A journal that can't be written from a moment on, as on a full disk or beside one who holds it."""

    is_locked = False

    async def update_setting(self, *arguments: Any) -> str:
        if self.is_locked:
            raise JournalBusy
        return await super().update_setting(*arguments)


class _Practice(PracticeServer):
    """The practice gateway within this process; signals are its host's."""

    capture_signals = contextlib.nullcontext  # type: ignore[assignment]


@dataclass
class Gateway:
    """A gateway of a situation, the practice gateway or a small one, and what can be broken there.

    Attributes:
        place: Where it is.
        small: The small gateway; None for the practice gateway.
        faults: What is broken at the practice gateway.
    """

    place: Place
    dialect: Dialect
    small: SmallGateway | None = None
    faults: dict[str, Any] = field(default_factory=dict)
    practice_url: str = ""
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def is_practice(self) -> bool:
        return self.small is None

    async def new_key(self, value: str, user: str, kind: KeyKind, environment: str = FIRST) -> str:
        """Have the gateway know a key, and return its value."""
        if self.small is not None:
            self.small.keys[environment, value] = Held(user, kind.value)
            return value
        permission = "API" if kind is KeyKind.PRIVATE else "Tokenization"
        asked = {"name": f"k{len(self.ids)}", "username": user, "permission": permission, "kind": kind.value}
        made = await self._portal("POST", "/portal/keys", asked)
        value: str = made["value"]
        self.ids[value] = made["id"]
        return value

    async def end_key(self, value: str, how: str, environment: str = FIRST) -> None:
        """Delete a key (`key_deleted`) or let it expire (`key_expired`)."""
        if self.small is not None:
            self.small.keys[environment, value].ended = how
        elif how == "key_deleted":
            await self._portal("DELETE", f"/portal/keys/{self.ids[value]}")
        else:
            await self.broken(expired_keys=[self.ids[value]])

    async def disable(self, user: str) -> None:
        if self.small is not None:
            self.small.off_users.add(user)
        else:
            await self._portal("PATCH", f"/portal/users/{user}", {"enabled": False})

    async def bar(self, user: str) -> None:
        """Take a user's permissions away."""
        if self.small is not None:
            self.small.barred_users.add(user)
        else:
            await self.broken(users={user: []})

    async def restrict(self) -> None:
        if self.small is not None:
            self.small.restricted = True
        else:
            await self.broken(restricted=True)

    async def limit(self, requests: int) -> None:
        if self.small is not None:
            self.small.requests_left = requests
        else:
            await self.broken(requests_left=requests)

    async def want_header(self, form: str) -> None:
        if self.small is not None:
            self.small.header = form
        else:
            await self.broken(header=form)

    async def set_device(self, device: str, state: str) -> None:
        if self.small is not None:
            self.small.devices[device] = state
        else:
            await self.broken(devices={device: state})

    async def set_clock(self, off_s: float) -> None:
        if self.small is not None:
            self.small.clock_off_s = off_s
        else:
            await self.broken(clock_off_s=off_s)

    async def answer_instead(self, said: Said, **faults: Any) -> None:
        """Answer every call so; the practice gateway has faults of its own for it."""
        if self.small is not None:
            self.small.instead = said
        else:
            await self.broken(**faults)

    async def broken(self, **faults: Any) -> None:
        """Add faults of the practice gateway."""
        self.faults |= faults
        await self._portal("PUT", "/portal/faults", self.faults)

    async def speak(self) -> None:
        """Have the practice gateway speak a dialect."""
        if self.small is not None or self.dialect.name == "practice":
            return
        by_about: dict[str, dict[str, Any]] = {}
        for about in ABOUT:
            said = self.dialect.says(about)
            words = httpx.Response(200, text=said.body).json() if said.body.startswith("{") else {}
            fits = {
                name: words[name]
                for name in ("type", "error_code", "message")
                if isinstance(words.get(name), str)
            }
            by_about[about] = {"status": said.status, "type": "", "error_code": "", "message": "", **fits}
        body = "json" if self.dialect.says("missing").body else "none"
        await self.broken(answers=by_about, body=body)

    async def _portal(self, method: str, path: str, fields: Mapping[str, Any] | None = None) -> Any:
        async with httpx.AsyncClient(base_url=self.practice_url, headers=_PORTAL, trust_env=False) as client:
            answer = await client.request(method, path, json=fields)
        answer.raise_for_status()
        return answer.json() if answer.content else None


@dataclass
class Stage:
    """Everything of one situation.

    Attributes:
        way: `plain`, `tls` or `proxy`.
        typed: What was entered for the key's value, where that isn't what the gateway gave.
        sibling: The environment with the same gateway, if there is one.
        question: Filled in as the situation is set up.
    """

    chance: random.Random
    gateway: Gateway
    console: Console
    journal: Journal
    keyring: Keyring
    way: str
    proxy: Place
    environment: Environment
    contracts: Path
    key: SecurityKey | None = None
    value: str = ""
    user: str = ""
    device: str = ""
    sale: Sale | None = None
    elsewhere: tuple[Environment, ...] = ()
    others: list[SecurityKey] = field(default_factory=list)

    def new_value(self) -> str:
        return "".join(self.chance.choice(_LETTERS) for _ in range(32))

    async def keep(self, name: str, value: str, user: str, kind: KeyKind = KeyKind.PRIVATE) -> SecurityKey:
        """Keep a key in the console, as a person enters it."""
        draft = KeyDraft(name, user, "API" if kind is KeyKind.PRIVATE else "Tokenization", kind)
        return (await self.console.add_key.keep(self.environment, draft, value)).key

    async def test(self, key: SecurityKey) -> None:
        """Test a key; what comes of it is in the journal."""
        with suppress(GatewayError, KeystoreError):
            await self.console.keys.test(self.environment, key)

    async def sell(self, amount: str) -> None:
        """Make a sale with the key; it is what the diagnosis is about."""
        assert self.key
        device = self.device or "till-1"
        is_live = self.environment.kind is EnvironmentKind.LIVE
        draft = SaleDraft(self.environment.id, self.key.id, device, amount, "USD", confirmed=is_live)
        noted = await self.console.sell.note(draft)
        self.sale = await self.console.sell.carry_out(noted)
        if not self.sale.verdict:
            self.sale = await self.console.follow.follow(self.sale.reference)

    async def move(self, **changes: Any) -> None:
        """Change the environment, as a person edits it; what can't be entered got there by other means."""
        try:
            self.environment = await self.console.environments.edit(
                self.environment, confirmed=True, **changes
            )
        except (InputInvalid, ContractInvalid):
            self.environment = await self.journal.update_environment(
                self.environment.id, lambda stored: replace(stored, **changes)
            )

    @property
    def entry(self) -> str:
        assert self.key
        return entry_of(self.key)

    async def question(self) -> Question:
        """Return what is asked."""
        environment, key = self.environment, self.key
        if key is not None:
            key = next(one for one in await self.journal.keys(environment.id) if one.id == key.id)
        return Question(environment, key, self.device, self.sale, self.elsewhere)


class _Up:
    """The practice gateway, which is up already."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url

    async def ensure(self) -> str:
        return self.base_url

    async def stop(self) -> None:
        pass


@asynccontextmanager
async def staged(
    folder: Path,
    chance: random.Random,
    dialect: Dialect,
    way: str,
    kind: EnvironmentKind = EnvironmentKind.TEST,
) -> AsyncIterator[Stage]:
    """Set a stage on which everything works, and take it down.

    Args:
        folder: For its files; new.
        chance: Decides what isn't asked for.
        dialect: How the gateway says no; one named ``practice`` is the practice gateway's own.
        way: How it is reached: `practice` (its own environment), `plain`, `tls`, or `proxy` (and TLS).
        kind: The environment's, where it isn't practice.
    """
    async with AsyncExitStack() as closing:
        place, proxy = Place(), Place()
        closing.push_async_callback(place.close)
        closing.push_async_callback(proxy.close)
        gateway = Gateway(place, dialect)
        if way == "practice":
            gateway.practice_url = await closing.enter_async_context(_practice())
            await gateway.speak()
        else:
            gateway.small = SmallGateway(dialect, environments=(FIRST, SECOND))
            tls = None if way == "plain" else trusted().serving(HOST, "127.0.0.1")
            await place.serve(gateway_at(gateway.small), tls)
        await proxy.serve(proxy_at("passes", lambda _target: place.port))
        journal = Journal(folder / "journal.sqlite3", SystemClock())
        await journal.open()
        closing.push_async_callback(journal.close)
        keyring = Keyring()
        world = _world(closing, folder, journal, keyring, gateway.practice_url)
        console = Console(world)
        closing.push_async_callback(console.log.close)
        environment = await _environment(journal, gateway, way, proxy, kind)
        yield Stage(chance, gateway, console, journal, keyring, way, proxy, environment, folder / "contracts")


def _world(
    closing: AsyncExitStack, folder: Path, journal: Journal, keyring: Keyring, practice_url: str
) -> World:
    clock, contracts, context = SystemClock(), Contracts(folder / "contracts"), trusted().trusting()
    proxies = Proxies(keyring.read)
    gateway = HttpGateway(clock, contracts=contracts, tls=context, proxies=proxies)
    portal = HttpPortal(clock, contracts=contracts, tls=context, proxies=proxies)
    probing = HttpProbing(clock, contracts=contracts, tls=context, public=context, proxies=proxies)
    for one in (gateway, portal, probing):
        closing.push_async_callback(one.close)
    return World(
        clock=clock,
        journal=journal,
        keystore=keyring,
        gateway=gateway,
        portal=portal,
        practice=_Up(practice_url),
        owners=FakeOwners(),
        events=Events(),
        classes=FakeClasses(),
        probing=probing,
        who=lambda: "Ann",
    )


async def _environment(
    journal: Journal, gateway: Gateway, way: str, proxy: Place, kind: EnvironmentKind
) -> Environment:
    if way == "practice":
        return next(one for one in await journal.environments() if one.id == PRACTICE_ID)
    host, scheme, by = "127.0.0.1", "http" if way == "plain" else "https", NO_PROXY
    if way == "proxy":
        host, by = HOST, f"http://127.0.0.1:{proxy.port}"
    base_url = f"{scheme}://{host}:{gateway.place.port}/{FIRST}"
    made = datetime.now(UTC)
    environment = Environment("e1", "Shop", kind, base_url, "v5", made, proxy=by)
    await journal.add_environment(environment)
    return environment


@asynccontextmanager
async def _practice() -> AsyncIterator[str]:
    place = Place()
    state = State(":memory:", datetime.now(UTC).timestamp())
    listening = asyncio.Event()
    server = _Practice(state, _SPEED, listening.set)
    task = asyncio.get_running_loop().create_task(server.serve(sockets=[place.listening()]))
    try:
        await listening.wait()
        yield f"http://127.0.0.1:{place.port}"
    finally:
        server.stop()
        await task
        await place.close()
        state.close()
