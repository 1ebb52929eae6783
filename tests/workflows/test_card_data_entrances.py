"""Every entrance of the use cases refuses card data: nothing of it is kept, sent, or said back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from fakes.world import MADE_UP, Bench
from keybench.core.csv_lists import read_device_list
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.input_errors import CardDataRefused
from keybench.core.keys.key import KeyDraft, KeyKind

NUMBER = "4111 1111 1111 1111"
FIELDS = '{"expiry": "12/27", "cvv": "987"}'
Entrance = Callable[[Bench, str], Awaitable[object]]


async def _environment(bench: Bench, name: str, url: str, contract: str = "v5") -> object:
    return await bench.console.environments.add(name, EnvironmentKind.TEST, url, contract)


async def _keep(bench: Bench, value: str = MADE_UP, **fields: str) -> object:
    draft = replace(KeyDraft("Till", "mira", "Sale", KeyKind.PRIVATE), **fields)  # type: ignore[arg-type]  # texts
    return await bench.console.add_key.keep(await bench.practice_environment(), draft, value)


async def _sell(bench: Bench, **fields: str) -> object:
    draft = await bench.draft()
    return await bench.console.sell.note(replace(draft, **fields))  # type: ignore[arg-type]  # texts alone


async def _named_key(bench: Bench, name: str) -> object:
    return await bench.console.keys.named(await bench.practice_environment(), name)


async def _list(_bench: Bench, text: str) -> object:
    quoted = text.replace('"', '""')
    found = read_device_list(f'device,amount,note\ntill-1,10.00,"{quoted}"\n'.encode())
    if found.wrong:
        raise found.wrong[0].error
    return found


ENTRANCES: dict[str, Entrance] = {
    "environment name": lambda bench, text: _environment(bench, text, "https://gateway.example"),
    "base URL": lambda bench, text: _environment(bench, "SANDBOX", f"https://gateway.example/{text}"),
    "proxy": lambda bench, text: bench.console.environments.add(
        "SANDBOX", EnvironmentKind.TEST, "https://gateway.example", proxy=f"http://{text}@proxy.example:3128"
    ),
    "proxy password": lambda bench, text: bench.console.environments.add(
        "SANDBOX",
        EnvironmentKind.TEST,
        "https://gateway.example",
        proxy="http://anna@proxy.example:3128",
        proxy_password=text,
    ),
    "contract": lambda bench, text: _environment(bench, "SANDBOX", "https://gateway.example", text),
    "an environment's name looked for": lambda bench, text: bench.console.environments.named(text),
    "key name": lambda bench, text: _keep(bench, name=text),
    "username": lambda bench, text: _keep(bench, username=text),
    "permission": lambda bench, text: _keep(bench, permission=text),
    "purpose": lambda bench, text: _keep(bench, purpose=text),
    "key value": _keep,
    "a key's name looked for": _named_key,
    "device": lambda bench, text: _sell(bench, device=text),
    "amount": lambda bench, text: _sell(bench, amount=text),
    "currency": lambda bench, text: _sell(bench, currency=text),
    "list of devices": _list,
}


@pytest.mark.parametrize("text", [NUMBER, FIELDS], ids=["number", "fields"])
@pytest.mark.parametrize("entrance", ENTRANCES)
async def test_card_data_is_refused_and_leaves_nothing_behind(bench: Bench, entrance: str, text: str) -> None:
    with pytest.raises(CardDataRefused) as caught:
        await ENTRANCES[entrance](bench, text)
    said = f"{caught.value} {vars(caught.value)}"
    # Four figures alone would also stand in one random identifier of some thousands.
    kept = "".join(bench.journal.dump())
    for trace in ("4111 1111", "41111111", "12/27"):
        assert trace not in said
        assert trace not in kept
    assert not bench.gateway.posts
