"""Serves a class: its board on loopback, and its learners by TLS at an address of this computer."""

import asyncio
import contextlib
import json
import os
import secrets
import socket
import ssl
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives import serialization
from starlette.types import Scope

from keybench.class_identity import certificate_of, new_identity, words_of
from keybench.practice.classes.board import Board
from keybench.practice.classes.classroom import Classroom
from keybench.practice.classes.outside import Outside
from keybench.practice.classes.roster import ClassLesson
from keybench.practice.server import LOOPBACK, LocalServer, Options, bind, run, tell_people, tell_programs

PORT: Final = 8443
_NUMBERED: Final = "0123456789-"
#: How a certificate for this computer alone names it; it signs results.
_HERE: Final = "localhost"


def serve_class(options: Options, folder: Path, runtime_file: Path) -> None:
    """Serve the class in a folder until it is stopped."""
    identity = _read_identity() if options.identity_from_stdin else new_identity(options.host or _HERE)
    with contextlib.ExitStack() as closing:
        outer = closing.enter_context(bind(options.port, PORT, options.host)) if options.host else None
        listener = closing.enter_context(bind(0, 0))
        address = _address(outer, options.host) if outer else ""
        classroom = Classroom(folder, words_of(certificate_of(identity)), identity, address)
        if options.lesson and classroom.roster.lesson is None:
            classroom.roster.note("lesson", asdict(_lesson(options.lesson)))
        if options.weather:
            classroom.set_weather(options.weather)
        board_url = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        tasks = list[asyncio.Task[None]]()

        def announce() -> None:
            tell_programs(runtime_file, board_url, classroom.roster.id)
            tell_people(_announced(classroom, board_url, as_json=options.json))

        def make(drop: Callable[[Scope], None]) -> Outside:
            classroom.drop = drop
            return Outside(classroom)

        outside = _OutsideServer(make, announce, tls=tls_of(identity)) if outer else None

        def begin() -> None:
            classroom.open()
            if outside and outer:
                tasks.append(asyncio.get_running_loop().create_task(outside.serve(sockets=[outer])))
            else:
                announce()

        async def end() -> None:
            if outside:
                outside.stop()
            await asyncio.gather(*tasks)
            await classroom.close()

        server = LocalServer(lambda _drop: Board(classroom), begin, end, is_owned=options.until_stdin_closes)
        run(server, listener, runtime_file, is_owned=options.until_stdin_closes)


class _OutsideServer(LocalServer):
    """The learners' server, in the loop of the board's, which the signals are for."""

    capture_signals = contextlib.nullcontext  # type: ignore[assignment] # it takes nothing and does nothing


def _address(outer: socket.socket, host: str) -> str:
    port = outer.getsockname()[1]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _read_identity() -> str:
    """Return the identity that who started us gives in the first line of standard input."""
    return str(json.loads(sys.stdin.buffer.readline())["identity"])


def _lesson(path: Path) -> ClassLesson:
    toml = path.read_text(encoding="utf-8")
    title = str(tomllib.loads(toml).get("title", path.stem))
    return ClassLesson(path.stem.lstrip(_NUMBERED) or path.stem, title, toml)


def tls_of(identity: str) -> ssl.SSLContext:
    """Return what a server with an identity goes by, TLS 1.2 or later.

    OpenSSL reads a key from a file alone. On Linux that is one in memory; elsewhere one that is encrypted
    by a password that nobody else has, and gone at once.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create("identity"), "w", encoding="ascii") as file:
            file.write(identity)
            file.flush()
            context.load_cert_chain(f"/proc/self/fd/{file.fileno()}")
        return context
    password = secrets.token_bytes(32)
    key = serialization.load_pem_private_key(identity.encode("ascii"), None)
    encrypted = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(password),
    )
    with tempfile.TemporaryDirectory(prefix="keybench-class-") as folder:
        file_path = Path(folder) / "identity.pem"
        file_path.write_bytes(encrypted + certificate_of(identity).encode("ascii"))
        context.load_cert_chain(file_path, password=password)
    return context


def _announced(classroom: Classroom, board_url: str, *, as_json: bool) -> list[str]:
    """Return the announcement: the base URL first, then how to join and where the board is."""
    told = classroom.board()
    base_url = f"https://{classroom.address}" if classroom.address else board_url
    if as_json:
        where = {"base_url": base_url, "board_url": board_url}
        return [json.dumps({**where, "join": told["join"], "words": told["words"]})]
    if not classroom.address:
        return [base_url, "A class on this computer alone: --host ADDRESS lets others join."]
    return [
        base_url,
        f"Join with: {told['join']}",
        f"The certificate's words, the same on every screen: {told['words']}",
    ]
