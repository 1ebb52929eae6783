"""An office's network in small: a real proxy (mitmproxy), and gateways that only the proxy can find.

`NAME` is known to nobody but the proxy, so what reaches a gateway by it came through there.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

NAME = "gateway.example"
#: Leads every name to this computer, as an office's own name server might.
_ADDON = """
def server_connect(data):
    data.server.address = ("127.0.0.1", data.server.address[1])
"""
_LISTENS = re.compile(rb"listening at \S*?:(\d+)")


@dataclass
class Office:
    """A proxy that runs.

    Attributes:
        address: Where, for an environment's setting.
        authority: The certificate of the authority that signs what it shows in a gateway's place.
    """

    address: str
    authority: Path
    _process: asyncio.subprocess.Process

    async def end(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    def signed(self, user: str) -> str:
        return self.address.replace("://", f"://{user}@")


@asynccontextmanager
async def office(folder: Path, *options: str, inspects: bool, trusts: Path) -> AsyncIterator[Office]:
    """Run a proxy.

    Args:
        folder: A place for its files.
        options: More for its command line.
        inspects: Whether it opens TLS connections and shows a certificate of its own.
        trusts: The gateway's certificate, which it checks where it inspects.
    """
    addon = _addon(folder)
    program = shutil.which("mitmdump")
    assert program
    tunnels: Sequence[str] = () if inspects else ("--ignore-hosts", ".*")
    process = await asyncio.create_subprocess_exec(
        *(program, "--listen-host", "127.0.0.1", "--listen-port", "0", "-s", str(addon)),
        *("--set", f"confdir={folder}", "--set", f"ssl_verify_upstream_trusted_ca={trusts}"),
        *(*tunnels, *options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={"PYTHONUNBUFFERED": "1", "HOME": str(folder), "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    assert process.stdout
    said = b""
    while not (found := _LISTENS.search(said)):
        line = await process.stdout.readline()
        assert line, f"the proxy didn't start: {said.decode()}"
        said += line
    running = Office(f"http://127.0.0.1:{int(found[1])}", folder / "mitmproxy-ca-cert.pem", process)
    listening = asyncio.get_running_loop().create_task(_drain(process.stdout))
    try:
        yield running
    finally:
        await running.end()
        await listening


def _addon(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    addon = folder / "names.py"
    addon.write_text(_ADDON, encoding="utf-8")
    return addon


async def _drain(said: asyncio.StreamReader) -> None:
    while await said.read(4096):
        pass
