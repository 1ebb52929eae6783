"""The server's place in the system: its socket, its runtime file, its signals, its parent's pipe."""

import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn
from starlette.types import Scope

LOOPBACK: Final = "127.0.0.1"


class PracticeServer(uvicorn.Server):
    """A server that says when it listens and ends at once, whoever is still connected."""

    def __init__(self, config: uvicorn.Config, when_listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._when_listening = when_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening and say so."""
        await super().startup(sockets)
        if self.started:
            self._when_listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close every connection first: a held sale would keep the process for minutes."""
        for connection in list(self.server_state.connections):
            connection.transport.close()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the base class's signature
        """End at a signal, without raising it again: being told to stop is a clean end."""
        self.stop()

    def stop(self) -> None:
        """Ask the server to end; may be called from any thread."""
        self.force_exit = True
        self.should_exit = True

    def drop(self, scope: Scope) -> None:
        """Close the connection that a scope came by, without an answer."""
        for connection in list(self.server_state.connections):
            if connection.transport.get_extra_info("peername")[:2] == tuple(scope["client"]):
                connection.transport.close()


def bind(port: int, remembered: int) -> socket.socket:
    """Return a socket bound to loopback.

    Args:
        port: the port asked for, or 0 for any.
        remembered: with 0, the port to try first, or 0.

    Raises:
        OSError: the port that was asked for can't be had.
    """
    if port == 0 and remembered:
        try:
            return _bound(remembered)
        except OSError:
            pass  # somebody else has it by now: any free port will do
    return _bound(port)


def _bound(port: int) -> socket.socket:
    # asyncio turns Nagle's delay off only where TCP is named outright; with it an answer takes 40 ms more.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            # There, reuse would let another program listen on the same port at the same time.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((LOOPBACK, port))
    except OSError as error:
        bound.close()
        raise OSError(error.errno, f"port {port} on {LOOPBACK} can't be had: {error.strerror}") from error
    return bound


def write_runtime_file(path: Path, base_url: str, instance: str) -> None:
    """Say where this gateway listens, for other programs to read; they see the whole file or the old one."""
    partial = path.with_suffix(".partial")
    told = {"base_url": base_url, "pid": os.getpid(), "instance": instance}
    partial.write_text(json.dumps(told), encoding="utf-8")
    partial.replace(path)


def base_url_in(path: Path) -> str | None:
    """Return the base URL that a runtime file tells, or None if it tells none."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    url = told.get("base_url") if isinstance(told, dict) else None
    return url if isinstance(url, str) else None


def when_stdin_closes(then: Callable[[], None]) -> None:
    """Call `then` from a thread of its own once standard input ends; works for pipes on every system."""
    threading.Thread(target=_read_to_end, args=(then,), name="stdin-watch", daemon=True).start()


def _read_to_end(then: Callable[[], None]) -> None:
    # Reading the descriptor, not sys.stdin: a daemon thread inside sys.stdin holds a lock that the
    # interpreter wants at exit.
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass  # no standard input at all is a closed one
    then()
