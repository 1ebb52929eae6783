"""The command line in an office: everything goes through its inspecting proxy, which wants a password."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from endtoend.conftest import Keybench, OtherGateway, Ran, places_with
from gateway.certificates import certificate
from gateway.office import NAME, Office, office, tls_front

WORD = "made-up-word-of-the-proxy"
KEY = ("--name", "till", "--username", "counter1", "--permission", "API", "--kind", "private")
SALE = ("sale", "--environment", "Shop", "--key", "till", "--device", "till-1", "--amount", "10.00")


async def run(keybench: Keybench, authorities: Path, *words: str, stdin: str = "", **variables: str) -> Ran:
    """Run a command beside the proxy and the gateway, which this loop serves."""
    script = str(Path(__file__).with_name("in_office.py"))
    _python, _m, _keybench, *arguments = keybench.arguments(*words)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, script, str(authorities), *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **variables},
    )
    out, err = await process.communicate(stdin.encode())
    keybench.transcript += [out.decode(), err.decode()]
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


@pytest.mark.sweep
async def test_a_sale_is_made_through_the_offices_proxy(
    keybench: Keybench, other_gateway: OtherGateway, tmp_path: Path
) -> None:
    made = certificate(tmp_path / "gateway", name=NAME)
    signed = ("--proxyauth", f"anna:{WORD}")
    async with (
        tls_front(other_gateway.base_url, made) as base_url,
        office(tmp_path / "proxy", *signed, inspects=True, trusts=made) as proxy,
    ):
        trusted = proxy.authority
        added = await run(
            *(keybench, trusted, "environment", "add", "Shop", "--kind", "test", "--contract", "practice"),
            *("--base-url", base_url, "--proxy", proxy.signed("anna")),
            stdin=WORD,
        )
        assert (added.status, added.last["proxy"]) == (0, proxy.signed("anna")), added.err
        kept = await run(keybench, trusted, "key", "add", "--environment", "Shop", *KEY)
        assert kept.status == 0, kept.err
        sold = await run(keybench, trusted, *SALE)
        assert (sold.status, sold.last["state"]) == (0, "approved"), sold.err
        assert sold.last["polls"] > 0

        await says_what_is_wrong(keybench, proxy, made)
    written = "".join(keybench.transcript)
    shown = WORD in written
    assert not shown
    assert places_with(WORD, keybench.folder) == []


async def says_what_is_wrong(keybench: Keybench, proxy: Office, made: Path) -> None:
    """Take away, one after another, what a sale needs in this office."""
    trusted = proxy.authority
    unknown = await run(keybench, made, *SALE)
    assert (unknown.status, unknown.last["state"]) == (21, "not_sent")
    assert "has to trust its authority" in unknown.last["meaning"]

    changed = await run(
        keybench, trusted, "environment", "proxy", "Shop", proxy.signed("anna"), stdin="another"
    )
    assert changed.status == 0, changed.err
    refused = await run(keybench, trusted, *SALE)
    assert (refused.status, refused.last["state"]) == (21, "not_sent")
    assert "doesn't accept the user name or the password" in refused.last["meaning"]

    assert (await run(keybench, trusted, "environment", "proxy", "Shop", "none")).status == 0
    straight = await run(keybench, trusted, *SALE)
    assert (straight.status, straight.last["state"]) == (21, "not_sent")
    assert "host name isn't known" in straight.last["meaning"]

    assert (await run(keybench, trusted, "environment", "proxy", "Shop", "system")).status == 0
    address = proxy.signed(f"anna:{WORD}")
    sold = await run(keybench, trusted, *SALE, HTTPS_PROXY=address)
    assert (sold.status, sold.last["state"]) == (0, "approved"), sold.err
    await proxy.end()
    gone = await run(keybench, trusted, *SALE, HTTPS_PROXY=address)
    assert (gone.status, gone.last["state"]) == (21, "not_sent")
    assert "Nothing answers at the proxy's address" in gone.last["meaning"]
