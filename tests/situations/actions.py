"""How things are broken on a stage; each action breaks one."""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from keybench.core.errors import KeystoreDenied, KeystoreLocked, KeystoreSilent
from keybench.core.keys.key import KeyKind
from keybench.core.secret import Secret
from situations.dialects import Said
from situations.servers import (
    gateway_at,
    is_silent,
    proxy_at,
    resets_a_request,
    resets_at_once,
    trickles,
)
from situations.stage import FIRST, HOST, SECOND, Stage, inspector, stranger, trusted

Work = Callable[[Stage], Awaitable[None]]


async def nothing(_stage: Stage) -> None:
    """Break nothing more."""


# --- this computer ---


async def lock_journal(stage: Stage) -> None:
    stage.journal.is_locked = True


async def lose_value(stage: Stage) -> None:
    stage.keyring.lose(stage.entry)


async def lock_keyring(stage: Stage) -> None:
    stage.keyring.failure = stage.chance.choice([KeystoreLocked(), KeystoreDenied()])


async def silence_keyring(stage: Stage) -> None:
    stage.keyring.failure = KeystoreSilent()


async def hang_keyring(stage: Stage) -> None:
    stage.keyring.hangs = True


async def change_value(stage: Stage) -> None:
    stage.keyring.change(stage.entry, Secret(stage.new_value()))


async def lose_contract(stage: Stage) -> None:
    await stage.move(contract="somewhere-else")


async def break_contract(stage: Stage) -> None:
    stage.contracts.mkdir(exist_ok=True)
    (stage.contracts / "own.toml").write_text('extends = "v5"\n[probe]\ncalls = 1\n', encoding="utf-8")
    await stage.move(contract="own")


async def other_contract(stage: Stage) -> None:
    stage.contracts.mkdir(exist_ok=True)
    text = 'extends = "v5"\ntitle = "Other"\n[probe]\ncall = "GET /v9/terminals"\n'
    (stage.contracts / "other.toml").write_text(text, encoding="utf-8")
    await stage.move(contract="other")


# --- the way ---


async def lose_name(stage: Stage) -> None:
    await stage.move(base_url=f"https://pay-{stage.chance.randrange(999)}.invalid")


async def refuse(stage: Stage) -> None:
    await stage.gateway.place.refuse()


async def swallow(stage: Stage) -> None:
    await stage.gateway.place.swallow()


async def be_silent(stage: Stage) -> None:
    await stage.gateway.place.serve(is_silent, tls_of(stage))


async def stall_tls(stage: Stage) -> None:
    await stage.gateway.place.serve(is_silent)


async def trickle(stage: Stage) -> None:
    await stage.gateway.place.serve(trickles, tls_of(stage))


async def reset(stage: Stage) -> None:
    await stage.gateway.place.serve(resets_at_once)


async def reset_requests(stage: Stage) -> None:
    await stage.gateway.place.serve(resets_a_request, tls_of(stage))


def tls_of(stage: Stage) -> ssl.SSLContext | None:
    return None if stage.way == "plain" else trusted().serving(HOST, "127.0.0.1")


def proxy(mode: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.proxy.serve(proxy_at(mode, lambda _target: stage.gateway.place.port))

    return apply


async def end_proxy(stage: Stage) -> None:
    await stage.proxy.refuse()


async def swallow_proxy(stage: Stage) -> None:
    await stage.proxy.swallow()


async def misname_proxy(stage: Stage) -> None:
    await stage.move(proxy="http://proxy-of-yesterday.invalid:3128")


async def end_behind_proxy(stage: Stage) -> None:
    await stage.gateway.place.refuse()


# --- TLS ---


def certified(starts: int = -30, ends: int = 200, by: str = "trusted", host: str = "") -> Work:
    async def apply(stage: Stage) -> None:
        authority = {"trusted": trusted, "stranger": stranger, "inspector": inspector}[by]()
        hosts = (host,) if host else (HOST, "127.0.0.1")
        assert stage.gateway.small
        context = authority.serving(*hosts, starts=starts, ends=ends)
        await stage.gateway.place.serve(gateway_at(stage.gateway.small), context)

    return apply


async def speak_plainly(stage: Stage) -> None:
    assert stage.gateway.small
    await stage.gateway.place.serve(gateway_at(stage.gateway.small))


# --- the answer ---


def path(path: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.move(base_url=stage.environment.base_url + path)

    return apply


async def plain_http(stage: Stage) -> None:
    await stage.move(base_url=stage.environment.base_url.replace("https:", "http:"))


SIGN_IN: Final = "<!DOCTYPE html><html><title>Welcome</title><form>Sign in</form></html>"


def instead(said: Said, **faults: object) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.gateway.answer_instead(said, **faults)

    return apply


def failing(status: int, body: str = "{}", kind: str = "application/json") -> Work:
    return instead(Said(status, body, kind), status=status)


def clock(off_s: float) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.gateway.set_clock(off_s)

    return apply


# --- the key ---


async def mistype(stage: Stage) -> None:
    place = stage.chance.randrange(len(stage.value))
    stage.value = stage.value[:place] + ("7" if stage.value[place] != "7" else "3") + stage.value[place + 1 :]


async def foreign(stage: Stage) -> None:
    """Take a key of an environment that this console doesn't know."""
    stage.value = stage.new_value()


async def sibling(stage: Stage) -> None:
    """Take a key of this console's other environment of the same gateway, which may be asked."""
    assert stage.gateway.small
    stage.value = await stage.gateway.new_key(stage.new_value(), stage.user, KeyKind.PRIVATE, SECOND)
    base_url = stage.environment.base_url.replace(f"/{FIRST}", f"/{SECOND}")
    other = replace(stage.environment, id="e2", name="Live shop", base_url=base_url)
    await stage.journal.add_environment(other)
    stage.elsewhere = (other,)


def spoilt(spoil: Callable[[str], str]) -> Work:
    async def prepare(stage: Stage) -> None:
        stage.value = spoil(stage.value)

    return prepare


async def public(stage: Stage) -> None:
    parts = ["".join(stage.chance.choice("abcdefghABCDEFGH234567") for _ in range(6)) for _ in range(4)]
    stage.value = await stage.gateway.new_key("-".join(parts), stage.user, KeyKind.PUBLIC)


async def partner(stage: Stage) -> None:
    stage.value = await stage.gateway.new_key(f"v4_secret_{stage.new_value()}", stage.user, KeyKind.PUBLIC)


def ended(how: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.gateway.end_key(stage.value, how)

    return apply


async def disable(stage: Stage) -> None:
    await stage.gateway.disable(stage.user)


async def bar(stage: Stage) -> None:
    await stage.gateway.bar(stage.user)


async def restrict(stage: Stage) -> None:
    await stage.gateway.restrict()


async def limit(stage: Stage) -> None:
    await stage.gateway.limit(0)


def header(form: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.gateway.want_header(form)

    return apply


# --- the device, and a sale's own end ---


async def unknown_device(stage: Stage) -> None:
    stage.device = "till-9"


def device(state: str) -> Work:
    async def apply(stage: Stage) -> None:
        stage.device = stage.device or "till-1"
        await stage.gateway.set_device(stage.device, state)

    return apply


def sold(amount: str) -> Work:
    async def apply(stage: Stage) -> None:
        await stage.sell(amount)

    return apply


def ending(ends: Mapping[str, Any], amount: str = "25.00") -> Work:
    async def apply(stage: Stage) -> None:
        assert stage.gateway.small
        stage.gateway.small.ends = ends
        await stage.sell(amount)

    return apply


def not_begun(said: Said, device: str = "") -> Work:
    async def apply(stage: Stage) -> None:
        assert stage.gateway.small
        stage.device = device or stage.device
        stage.gateway.small.begins = said
        await stage.sell("10.00")

    return apply


async def deleted_where_any_may_list(stage: Stage) -> None:
    assert stage.gateway.small
    stage.gateway.small.is_open = True
    await stage.gateway.end_key(stage.value, "key_deleted")
    await stage.sell("10.00")
