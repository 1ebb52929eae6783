"""The `practice` command: its options, what it says of itself, one gateway per data folder, a clean end."""

import argparse
import contextlib
import io
import json
import logging
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import uvicorn
from filelock import FileLock, Timeout
from starlette.types import Scope

from keybench.practice import amounts, views
from keybench.practice.app import make_app
from keybench.practice.database import NewerStateError
from keybench.practice.gateway import BURST, PER_SECOND
from keybench.practice.process import (
    LOOPBACK,
    PracticeServer,
    base_url_in,
    bind,
    when_stdin_closes,
    write_runtime_file,
)
from keybench.practice.state import State, open_state


def _amount_rows() -> Iterator[dict[str, Any]]:
    yield {"amount": "under 1.00", "gives": amounts.SMALL.meaning}
    for cents, script in amounts.BY_CENTS.items():
        yield {"amount": amounts.money(cents), "gives": script.meaning}


def _device_rows(state: State, now: float) -> Iterator[dict[str, Any]]:
    for item in state.fleet.every():
        shown = views.device(item, None, now)
        yield {
            "device": item.id,
            "nickname": item.nickname,
            "connection_status": shown["connectionStatus"],
        }


def _user_rows(state: State) -> Iterator[dict[str, Any]]:
    for user in state.users.every():
        may = ", ".join(sorted(user.permissions))
        yield {"user": user.username, "full_name": user.full_name, "may": may, "enabled": user.enabled}


def _limits() -> dict[str, Any]:
    return {"requests_per_second": int(PER_SECOND), "burst": int(BURST)}


def as_json(base_url: str, state: State, now: float) -> list[str]:
    """Return the announcement as JSON lines: `base_url` first, then a row each, then the rate limit."""
    rows: Iterable[dict[str, Any]] = (
        {"base_url": base_url, "gateway_id": state.facts.gateway_id},
        *_amount_rows(),
        *_device_rows(state, now),
        *_user_rows(state),
        {"rate_limit": _limits()},
    )
    return [json.dumps(row) for row in rows]


def as_text(base_url: str, state: State, now: float) -> list[str]:
    """Return the announcement for people: the base URL alone on the first line, then readable tables."""
    limits = _limits()
    per_key = f"{limits['requests_per_second']} requests a second, {limits['burst']} at once"
    return [
        base_url,
        "",
        *_table("Amounts", [(row["amount"], row["gives"]) for row in _amount_rows()]),
        *_table(
            "Devices",
            [
                (row["device"], f"{row['nickname']} ({row['connection_status']})")
                for row in _device_rows(state, now)
            ],
        ),
        *_table(
            "Users",
            [
                (row["user"], row["may"] + ("" if row["enabled"] else " (disabled)"))
                for row in _user_rows(state)
            ],
        ),
        *_table("Also", [("rate limit", f"{per_key} for each key"), ("gateway id", state.facts.gateway_id)]),
    ]


def _table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    width = max((len(name) for name, _ in rows), default=0)
    return [title, *(f"  {name:<{width}}  {text}" for name, text in rows), ""]


# Below this the longest sale would outlast the five minutes that a device transaction may take.
SLOWEST: Final = 0.1
FASTEST: Final = 1000.0
_HIGHEST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asks for."""

    data_dir: Path
    port: int
    json: bool
    until_stdin_closes: bool
    speed: float


def main(argv: list[str]) -> int:
    """Serve the practice gateway until told to end; return the exit status.

    Returns:
        0 after a clean end; 1, with the reason on standard error, if it can't serve.

    Raises:
        SystemExit: 2 for wrong use, 0 for `--help`.
    """
    options = _parse(argv)
    folder = options.data_dir / "practice"
    runtime_file = folder / "gateway.json"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(folder / "gateway.lock", timeout=0):
            return _serve(options, folder, runtime_file)
    except Timeout:
        url = base_url_in(runtime_file) or "an address that it hasn't told yet"
        return _fail(f"a practice gateway already serves this data folder, at {url}")
    except NewerStateError:
        return _fail(f"the state in {folder} was written by a newer version of Keybench")
    except (OSError, sqlite3.Error) as error:
        return _fail(f"can't serve from {folder}: {error}")
    except KeyboardInterrupt:
        return 0


def _fail(message: str) -> int:
    sys.stderr.write(f"keybench practice: {message}\n")
    return 1


def _parse(argv: list[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="keybench practice", description="Serve the practice gateway on loopback."
    )
    parser.add_argument("--data-dir", type=Path, required=True, metavar="DIR", help="where its state lives")
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="default: the last one, or any")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end when standard input does")
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="X", help="devices act X times as fast")
    read = parser.parse_args(argv)
    return Options(read.data_dir, read.port, read.json, read.until_stdin_closes, read.speed)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > _HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to {_HIGHEST_PORT}")
    return int(text)


def _speed(text: str) -> float:
    message = f"must be a number from {SLOWEST} to {FASTEST:.0f}"
    try:
        speed = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(message) from None
    if not SLOWEST <= speed <= FASTEST:
        raise argparse.ArgumentTypeError(message)
    return speed


def _serve(options: Options, folder: Path, runtime_file: Path) -> int:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    state = open_state(folder / "state.sqlite3", time.time())
    with contextlib.closing(state), bind(options.port, state.facts.last_port) as listener:
        port = listener.getsockname()[1]
        base_url = f"http://{LOOPBACK}:{port}"

        def when_listening() -> None:
            state.facts.last_port = port
            write_runtime_file(runtime_file, base_url, state.facts.instance)
            _announce(options, base_url, state)

        server = _server(options, state, when_listening)
        if options.until_stdin_closes:
            when_stdin_closes(server.stop)
        try:
            server.run(sockets=[listener])
        finally:
            runtime_file.unlink(missing_ok=True)
    return 0


def _server(options: Options, state: State, when_listening: Callable[[], None]) -> PracticeServer:
    def drop(scope: Scope) -> None:
        server.drop(scope)

    app = make_app(state, drop, speed=options.speed)
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
    )
    server = PracticeServer(config, when_listening)
    return server


def _announce(options: Options, base_url: str, state: State) -> None:
    """Print the announcement; a reader who has gone away, or no standard output, is no reason to stop."""
    lines = (as_json if options.json else as_text)(base_url, state, time.time())
    if sys.stdout is None:
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A nickname may hold letters that the console's encoding lacks.
        sys.stdout.reconfigure(errors="replace")
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
