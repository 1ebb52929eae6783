"""The `practice` command: its options, what it prints, one gateway per data folder, a clean end."""

import argparse
import contextlib
import errno
import io
import ipaddress
import json
import logging
import os
import signal
import socket
import sqlite3
import ssl
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final

import uvicorn
from filelock import FileLock, Timeout
from starlette.types import ASGIApp, Scope

from keybench.practice import pages
from keybench.practice.app import make_app
from keybench.practice.database import NewerStateError
from keybench.practice.faults import Faults
from keybench.practice.gateway import BURST, PER_SECOND
from keybench.practice.replay import Recorded, UnreadableRecording, read_recording
from keybench.practice.state import State
from keybench.practice.weather import CALM, HIGHEST_SEED, PRESETS, Weather
from keybench.practice.weather import read as read_weather

LOOPBACK: Final = "127.0.0.1"
# Below this the longest sale would outlast the five minutes that a device transaction may take.
SLOWEST: Final = 0.1
FASTEST: Final = 1000.0
_HIGHEST_PORT: Final = 65_535
#: Those that ask to end besides uvicorn's own; Windows has neither.
_MORE_SIGNALS: Final = frozenset({"SIGHUP", "SIGQUIT"})


class Options(argparse.Namespace):
    """The command line's options."""

    data_dir: Path
    port: int
    json: bool
    until_stdin_closes: bool
    speed: float
    replay: Path | None
    faults: str | None
    seed: int | None
    klass: bool
    host: str
    lesson: Path | None
    identity_from_stdin: bool

    @property
    def weather(self) -> Weather | None:
        """Return the setting of the fault dial, if there is one."""
        if self.faults is None and self.seed is None:
            return None
        told = {"preset": self.faults, "seed": self.seed}
        return read_weather({name: value for name, value in told.items() if value is not None})


def main(argv: list[str]) -> int:
    """Serve the practice gateway until it is stopped; return the exit status."""
    options = _parse(argv)
    folder = options.data_dir / "practice"
    runtime_file = folder / "gateway.json"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        recording = read_recording(options.replay) if options.replay else []
        with FileLock(folder / "gateway.lock", timeout=0):
            return (_serve_class if options.klass else _serve)(options, folder, runtime_file, recording)
    except Timeout:
        url = _base_url_in(runtime_file) or "an address that it hasn't told yet"
        return _fail(f"a practice gateway already serves this data folder, at {url}")
    except UnreadableRecording as error:
        return _fail(f"can't play {options.replay} back: {error}")
    except NewerStateError:
        return _fail(f"the state in {folder} was written by a newer version of Keybench")
    except (OSError, ValueError, sqlite3.Error) as error:
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
    parser.add_argument("--replay", type=Path, metavar="FILE", help="play a support bundle's answers back")
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="X", help="devices act X times as fast")
    parser.add_argument("--faults", choices=[*PRESETS], metavar="WEATHER", help=", ".join(PRESETS))
    parser.add_argument("--seed", type=_seed, metavar="N", help="the same faults again; default: made up")
    parser.add_argument("--class", dest="klass", action="store_true", help="serve a class")
    parser.add_argument(
        "--host", type=_host, default="", metavar="ADDRESS", help="of this computer, for learners, by TLS"
    )
    parser.add_argument("--lesson", type=Path, metavar="FILE", help="what the class begins with")
    parser.add_argument(
        "--identity-from-stdin", action="store_true", help="a line of JSON has the certificate"
    )
    options = parser.parse_args(argv, Options())
    if options.host and not options.klass:
        parser.error("--host is for --class: outside loopback nothing is served without code and TLS")
    return options


def _host(text: str) -> str:
    """Return a name, or an address that learners can be told."""
    try:
        address = ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return text
    if address.is_unspecified or address.is_multicast:
        raise argparse.ArgumentTypeError("must be one address of this computer, as learners reach it")
    return str(address)


def _port(text: str) -> int:
    return _up_to(_HIGHEST_PORT, text)


def _seed(text: str) -> int:
    return _up_to(HIGHEST_SEED, text)


def _up_to(most: int, text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > most:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to {most}")
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


def _serve_class(
    options: Options, folder: Path, runtime_file: Path, _recording: Sequence[Sequence[Recorded]]
) -> int:
    from keybench.practice.classes.serving import serve_class  # noqa: PLC0415 - few serve one

    serve_class(options, folder, runtime_file)
    return 0


def _serve(
    options: Options, folder: Path, runtime_file: Path, recording: Sequence[Sequence[Recorded]]
) -> int:
    state = State(folder / "state.sqlite3", time.time())
    weather = options.weather
    with contextlib.closing(state), bind(options.port, int(state.facts.number("last_port"))) as listener:
        port = listener.getsockname()[1]
        base_url = f"http://{LOOPBACK}:{port}"

        def when_listening() -> None:
            state.facts.note("last_port", port)
            tell_programs(runtime_file, base_url, state.facts.instance)
            tell_people(as_json(base_url, state, weather) if options.json else as_text(base_url, weather))

        server = PracticeServer(
            state,
            options.speed,
            when_listening,
            recording,
            is_owned=options.until_stdin_closes,
            faults=Faults(weather=weather or CALM),
        )
        run(server, listener, runtime_file, is_owned=options.until_stdin_closes)
    return 0


def tell_programs(runtime_file: Path, base_url: str, instance: str) -> None:
    """Write where the gateway is; other programs find the file whole or not at all."""
    partial = runtime_file.with_suffix(".partial")
    where = {"base_url": base_url, "pid": os.getpid(), "instance": instance}
    partial.write_text(json.dumps(where), encoding="utf-8")
    partial.replace(runtime_file)


def run(server: "LocalServer", listener: socket.socket, runtime_file: Path, *, is_owned: bool) -> None:
    """Serve until a signal, or the end of standard input where that `is_owned` by who started it."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    for name in _MORE_SIGNALS & signal.Signals.__members__.keys():
        if signal.getsignal(number := signal.Signals[name]) is not signal.SIG_IGN:
            signal.signal(number, server.handle_exit)
    if is_owned:
        threading.Thread(target=_read_to_end, args=(server.stop,), name="stdin-watch", daemon=True).start()
    try:
        server.run(sockets=[listener])
    finally:
        runtime_file.unlink(missing_ok=True)


class LocalServer(uvicorn.Server):
    """A server that reports when it listens and ends at once, whoever is still connected.

    Args:
        make: Returns the application, given what closes the connection that a scope came by.
        when_listening: Called once, in the loop.
        before_end: What the application ends with.
        is_owned: Whether who started it ends it, and not a signal.
        tls: What HTTPS goes by; None is plain HTTP.
    """

    def __init__(
        self,
        make: Callable[[Callable[[Scope], None]], ASGIApp],
        when_listening: Callable[[], object],
        before_end: Callable[[], Awaitable[object]] | None = None,
        *,
        is_owned: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        config = uvicorn.Config(
            make(self._drop),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level=logging.WARNING,
            access_log=False,
            proxy_headers=False,  # or a caller could say that it is somebody else
            server_header=False,
            date_header=False,  # the edge's, which faults can set
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
            ssl_context_factory=(lambda _config, _default: tls) if tls else None,
        )
        super().__init__(config)
        self._when_listening = when_listening
        self._before_end = before_end
        self._is_owned = is_owned

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening and report it."""
        await super().startup(sockets)
        if self.started:
            self._when_listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close every connection first: a held sale would keep the process for minutes."""
        if self._before_end:
            await self._before_end()
        for connection in list(self.server_state.connections):
            connection.transport.close()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the base class's signature
        """End at a signal, without raising it again: being stopped is a clean end.

        A terminal and a service manager signal the window or command that started us, too: it still waits
        for answers then, and ends us itself.
        """
        if not self._is_owned:
            self.stop()

    def stop(self) -> None:
        """Ask the server to end; may be called from any thread."""
        self.force_exit = True
        self.should_exit = True

    def _drop(self, scope: Scope) -> None:
        """Close the connection that a scope came by, without an answer."""
        for connection in list(self.server_state.connections):
            if connection.transport.get_extra_info("peername")[:2] == tuple(scope["client"]):
                connection.transport.close()


class PracticeServer(LocalServer):
    """Serves one practice gateway, whose applications sell meanwhile."""

    def __init__(
        self,
        state: State,
        speed: float,
        when_listening: Callable[[], None],
        recording: Sequence[Sequence[Recorded]] = (),
        *,
        is_owned: bool = False,
        faults: Faults | None = None,
    ) -> None:
        def make(drop: Callable[[Scope], None]) -> ASGIApp:
            self._edge = make_app(state, drop, speed=speed, recording=recording, faults=faults)
            return self._edge

        def begin() -> None:
            self._edge.gateway.applications.start()
            when_listening()

        async def end() -> None:
            await self._edge.gateway.applications.stop()

        super().__init__(make, begin, end, is_owned=is_owned)


def bind(port: int, remembered: int, host: str = LOOPBACK) -> socket.socket:
    """Return a socket bound to an address of this computer."""
    if port == 0 and remembered:
        try:
            return _bound(remembered, host)
        except OSError:
            pass  # somebody else has it by now: any free port will do
    return _bound(port, host)


def _bound(port: int, host: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's delay off only where TCP is named outright; with it an answer takes 40 ms more.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform == "win32":
            # There, reuse would let another program listen on the same port at the same time.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen()  # until then another program could bind it, too
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise OSError(error.errno, f"{host} is no address of this computer") from error
        raise OSError(error.errno, f"port {port} on {host} can't be had: {error.strerror}") from error
    return bound


def _base_url_in(runtime_file: Path) -> str | None:
    """Return the base URL that a runtime file gives, or None if it gives none."""
    try:
        url = json.loads(runtime_file.read_text(encoding="utf-8"))["base_url"]
    except (OSError, ValueError, TypeError, LookupError):
        return None
    return url if isinstance(url, str) else None


def _read_to_end(then: Callable[[], None]) -> None:
    """Call `then` once standard input ends; works for pipes on every system."""
    # Reading the descriptor, not sys.stdin: a daemon thread inside sys.stdin holds a lock that the
    # interpreter wants at exit.
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass  # no standard input at all is a closed one
    then()


def as_json(base_url: str, state: State, weather: Weather | None) -> list[str]:
    """Return the announcement as JSON lines: `base_url` first, then a row each, then the rate limit.

    `weather` is the fault dial's, if it is set.
    """
    rows: tuple[dict[str, Any], ...] = (
        {"base_url": base_url},
        *({"amount": amount, "gives": meaning} for amount, meaning in pages.amounts_listed()),
        *(
            {"device": item.id, "nickname": item.nickname, "connection_status": item.connection_status}
            for item in state.fleet.every()
        ),
        *(
            {"user": one.username, "full_name": one.full_name, "may": one.may, "enabled": one.enabled}
            for one in state.users.every()
        ),
        {"rate_limit": {"requests_per_second": int(PER_SECOND), "burst": int(BURST)}},
        *([{"faults": {"preset": weather.preset, "seed": weather.seed}}] if weather else []),
    )
    return [json.dumps(row) for row in rows]


def as_text(base_url: str, weather: Weather | None) -> list[str]:
    """Return the announcement for people: the base URL alone on the first line, and where to read more."""
    pointer = "Open this address in a browser: it lists the amounts, the devices, the users and the calls."
    return [base_url, pointer, *([f"Faults: {weather.preset}, seed {weather.seed}"] if weather else [])]


def tell_people(lines: list[str]) -> None:
    """Print the announcement; a reader who has gone away, or no standard output, is no reason to stop."""
    if sys.stdout is None:
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A nickname may hold letters that the console's encoding lacks.
        sys.stdout.reconfigure(errors="replace")
    with contextlib.suppress(OSError):  # on Windows mostly not a BrokenPipeError
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
