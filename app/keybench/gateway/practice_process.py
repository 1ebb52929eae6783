"""The practice gateway's process as the console sees it: found or started, watched, brought back, stopped."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import logging
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

from keybench import __version__
from keybench.core.errors import AnswerLost, GatewayError, NotSent, PracticeUnavailable, Refused
from keybench.core.ports import Clock, drop_exchange
from keybench.core.reasons import Reason
from keybench.gateway.json_paths import document_in, find_text, parse, plain
from keybench.gateway.messages import LIST_LIMIT, Answer, ConnectionUse, Limits, Request
from keybench.gateway.transport import Transport
from keybench.runtime.clock import SystemClock
from keybench.runtime.data_folder import own_command
from keybench.runtime.supervisor import Supervisor
from keybench.runtime.worker import DaemonWorker, run_in_thread

OnChange = Callable[[bool | None, str], None]

_LOG: Final = logging.getLogger(__name__)
#: What the trainer's calls need, and no web page can send.
_TRAINER: Final = {"X-Practice-Portal": "1"}
_WATCH: Final = "practice-watch"
#: What a gateway writes before it ends because another one serves the data folder.
_TAKEN: Final = "already serves this data folder"
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_HEALTH_LIMITS: Final = Limits(connect_s=1.0, write_s=1.0, read_s=2.0, total_s=3.0)
#: The most of the child's last line that is shown, in characters.
_LINE_LIMIT: Final = 300
#: From closing the child's standard input to its end, in seconds.
_STOP_S: Final = 2.0
#: How often a question is asked again; on a busy computer a killed gateway takes a moment to end.
_MORE_TIMES: Final = 10
#: Up for so many seconds, earlier falls are forgotten.
_STEADY_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long things may take, in seconds.

    Attributes:
        start_s: From the start to the first line.
        check_s: Between two looks at a gateway that another program started.
        race_s: Between two looks for the gateway that another program is just starting.
        backoff_s: Before each attempt to bring it back; after the last one it stays down until `ensure`.
    """

    start_s: float = 15.0
    check_s: float = 2.0
    race_s: float = 0.2
    backoff_s: tuple[float, ...] = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)


class PracticeProcess:
    """Implements `core.ports.Practice`.

    One practice gateway serves a data folder, whichever program started it. `on_change` is given None while
    it is being started. `feed` returns what each child reads first on its standard input, and may block.

    Attributes:
        version: The version of the Keybench that serves it; empty while that isn't known.
    """

    def __init__(
        self,
        data_dir: Path,
        on_change: OnChange,
        *,
        command: Sequence[str] | None = None,
        clock: Clock | None = None,
        patience: Patience | None = None,
        feed: Callable[[], bytes] = bytes,
    ) -> None:
        self._runtime_file = data_dir / "practice" / "gateway.json"
        self._command = list(command) if command is not None else practice_command(data_dir)
        self._feed = feed
        self._supervisor = Supervisor(self._watch_failed)
        self._clock = clock or SystemClock()
        self._patience = patience or Patience()
        self._on_change = on_change
        self._transport = Transport(self._clock, _HEALTH_LIMITS)
        self._starter = DaemonWorker("practice-start")
        self._lock = asyncio.Lock()
        self._child: Child | None = None
        self._seen: tuple[bool | None, str] = (False, "")
        self._stopping = threading.Event()
        self.version = ""

    @property
    def base_url(self) -> str:
        """Where it is; empty while it isn't up."""
        return self._seen[1]

    async def ensure(self) -> str:
        """Return its base URL, starting it if it isn't up; called several times at once, it starts one."""
        async with self._lock:
            self._stopping.clear()
            base_url = await self._still_up() or await self._bring_up()
            self._report(up=True, base_url=base_url)
        self._supervisor.start(_WATCH, self._watch())
        return base_url

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Make one of the trainer's calls and return its answer's JSON, or None if it has none."""
        answer = await self._answered(method, path, body)
        if answer.status >= HTTPStatus.BAD_REQUEST:
            words = find_text(document_in(answer), ("message",))
            raise Refused(Reason.REFUSED, message=words, status=answer.status)
        return plain(answer)

    async def stop(self) -> None:
        """Stop the process if this program started it; safe to call twice."""
        self._stopping.set()
        watchers, self._supervisor = self._supervisor, Supervisor(self._watch_failed)
        await watchers.close()
        child = self._child
        if child is not None:
            await run_in_thread("practice-stop", lambda: child.stop(_STOP_S))
            self._child = None
        self._report(up=False)
        await self._transport.close()
        self._starter.replace()

    async def _answered(self, method: str, path: str, body: Mapping[str, Any] | None) -> Answer:
        """Ask until there is an answer: a gateway that ends, or is just being brought back, gives none."""
        for _ in range(_MORE_TIMES if method == "GET" else 0):
            with contextlib.suppress(NotSent, AnswerLost):
                return await self._ask(method, path, body)
            await self._clock.sleep(self._patience.race_s)
        return await self._ask(method, path, body)

    async def _ask(self, method: str, path: str, body: Mapping[str, Any] | None) -> Answer:
        url = f"{await self.ensure()}{path}"
        request = Request(None, method, url, _TRAINER, body, (), drop_exchange, most=LIST_LIMIT)
        return await self._transport.send(request, ConnectionUse.ALONE)

    def _report(self, *, up: bool | None, base_url: str = "") -> None:
        if (up, base_url) != self._seen:
            self._seen = (up, base_url)
            self._on_change(up, base_url)

    async def _still_up(self) -> str:
        if self._child is not None:
            return self._child.base_url if self._child.is_running else ""
        return self.base_url if self.base_url and await self._elsewhere() == self.base_url else ""

    async def _bring_up(self) -> str:
        self._report(up=None)
        try:
            await self._starter.run(self._bury)
            return await self._elsewhere() or await self._start()
        except BaseException:
            self._report(up=False)
            raise

    def _bury(self) -> None:
        if self._child is not None and not self._child.is_running:
            self._child.stop(0.0)
            self._child = None

    async def _start(self) -> str:
        try:
            return await self._starter.run(self._launch)
        except PracticeUnavailable as error:
            failure = error
        # Another program was quicker and may still be starting its own; any other end is reported at once.
        limit_s = self._patience.start_s if _TAKEN in failure.message else 0.0
        end = self._clock.monotonic() + limit_s
        while not self._stopping.is_set():
            if base_url := await self._elsewhere():
                return base_url
            if self._clock.monotonic() >= end:
                break
            await self._clock.sleep(self._patience.race_s)
        raise failure

    def _launch(self) -> str:
        """Start a child and wait for its first line, on the worker; a caller who left finds it next time."""
        if self._child is not None and self._child.is_running and self._child.base_url:
            return self._child.base_url
        if self._stopping.is_set():
            raise PracticeUnavailable(Reason.PRACTICE_STOPPING)
        child = self._child = Child(self._command, self._feed())
        self.version = __version__
        try:
            if self._stopping.is_set():  # `stop` may have looked before there was a child
                child.stop(0.0)
            return child.wait_for_base_url(self._patience.start_s)
        except PracticeUnavailable:
            self._child = None
            raise

    async def _elsewhere(self) -> str:
        written = _read_runtime_file(self._runtime_file)
        base_url, instance = find_text(written, ("base_url",)), find_text(written, ("instance",))
        if not instance or not _is_loopback(base_url):
            return ""
        request = Request(None, "GET", f"{base_url}/health", {}, None, (), drop_exchange)
        try:
            told = parse((await self._transport.send(request, ConnectionUse.ALONE)).text)
            self.version = find_text(told, ("version",))
            return base_url if find_text(told, ("instance",)) == instance else ""
        except (GatewayError, ValueError):
            return ""

    def _watch_failed(self, _name: str, error: BaseException) -> None:
        """Take a fault of the watcher itself: nobody watches any more, and the next `ensure` looks again."""
        _LOG.error("the practice gateway's watcher failed: %s", type(error).__name__)
        self._report(up=False)

    async def _watch(self) -> None:
        """Bring the gateway back whenever it goes, until that fails for good."""
        pauses_s = iter(self._patience.backoff_s)
        while True:
            up_since = self._clock.monotonic()
            await self._until_gone()
            if self._clock.monotonic() - up_since >= _STEADY_S:
                pauses_s = iter(self._patience.backoff_s)
            if not await self._brought_back(pauses_s):
                self._report(up=False)
                return

    async def _until_gone(self) -> None:
        if child := self._child:
            await run_in_thread("practice-wait", child.wait)
            return
        while await self._elsewhere() == self.base_url != "":
            await self._clock.sleep(self._patience.check_s)

    async def _brought_back(self, pauses_s: Iterator[float]) -> bool:
        """Try to bring it up after each of the pauses; return whether it is."""
        for pause_s in pauses_s:
            self._report(up=None)
            await self._clock.sleep(pause_s)
            try:
                async with self._lock:
                    self._report(up=True, base_url=await self._still_up() or await self._bring_up())
            except PracticeUnavailable:
                continue
            return True
        return False


def _read_runtime_file(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _is_loopback(base_url: str) -> bool:
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return False
    return parts.scheme == "http" and parts.hostname in _LOOPBACK


def practice_command(data_dir: Path) -> list[str]:
    """Return the arguments that serve the practice gateway."""
    return own_command("practice", "--data-dir", str(data_dir), "--json", "--until-stdin-closes")


def class_process(data_dir: Path, host: str, clock: Clock) -> PracticeProcess:
    """Return what serves a class at an address, or on this computer alone, always by the same certificate."""

    @cache
    def identity() -> bytes:
        from keybench.class_identity import new_identity  # noqa: PLC0415 - few hold a class

        return json.dumps({"identity": new_identity(host or "localhost")}).encode() + b"\n"

    there = ("--host", host) if host else ()
    command = [*practice_command(data_dir), "--class", "--identity-from-stdin", *there]
    return PracticeProcess(data_dir, lambda _up, _url: None, command=command, clock=clock, feed=identity)


class Child:
    """A running child. All its methods block: call them on a worker thread.

    Its standard input is a pipe that only we hold open, so it notices when we are gone, however we went. It
    is given `feed` there.

    Attributes:
        base_url: What it announced; empty until then.
    """

    def __init__(self, command: Sequence[str], feed: bytes = b"") -> None:
        try:
            # The caller's own program and arguments; nothing a person typed is among them.
            self._process = subprocess.Popen(  # noqa: S603 - see above
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise PracticeUnavailable(Reason.PRACTICE_NOT_RUN, message=error.strerror or "") from None
        self._first: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._last_lines: collections.deque[bytes] = collections.deque(maxlen=20)
        self._readers: list[threading.Thread] = []
        if self._process.stdout and self._process.stderr:
            self._readers.append(_reader(self._process.stdout, self._first.put, only_first=True))
            self._readers.append(_reader(self._process.stderr, self._last_lines.append, only_first=False))
        if feed and self._process.stdin:
            with contextlib.suppress(OSError):  # it has ended, which its first line tells
                self._process.stdin.write(feed)
                self._process.stdin.flush()
        self.base_url = ""

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def wait_for_base_url(self, limit_s: float) -> str:
        """Return the base URL it announces in its first line, waiting up to `limit_s` seconds."""
        try:
            line = self._first.get(timeout=limit_s)
        except queue.Empty:
            self.stop(0.0)
            raise PracticeUnavailable(Reason.PRACTICE_SILENT, message=self._last_line()) from None
        base_url = _base_url_in(line)
        if not base_url:
            self.stop(0.0 if line else limit_s)
            reason = Reason.PRACTICE_STRANGE if line else Reason.PRACTICE_ENDED
            raise PracticeUnavailable(reason, message=self._last_line())
        self.base_url = base_url
        return base_url

    def wait(self) -> None:
        """Wait until it has ended."""
        self._process.wait()

    def stop(self, patience_s: float) -> None:
        """Close its standard input, give it `patience_s` seconds to end, then end it; safe to call twice."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        if not self._ends_within(patience_s):
            self._process.terminate()
            if not self._ends_within(1.0):
                self._process.kill()
                self._process.wait()
        for reader in self._readers:
            reader.join(1.0)

    def _ends_within(self, limit_s: float) -> bool:
        try:
            self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _last_line(self) -> str:
        lines = [line.decode("utf-8", "replace").strip() for line in self._last_lines]
        return next((line for line in reversed(lines) if line), "")[:_LINE_LIMIT]


def _reader(stream: IO[bytes], take: Callable[[bytes], None], *, only_first: bool) -> threading.Thread:
    """Read a pipe to its end on a thread of its own, so that the child never blocks on a full one."""

    def read() -> None:
        with stream:
            if only_first:
                take(stream.readline())
            for line in stream:
                if not only_first:
                    take(line)

    thread = threading.Thread(target=read, name="practice-pipe", daemon=True)
    thread.start()
    return thread


def _base_url_in(line: bytes) -> str:
    try:
        told = json.loads(line)
        base_url = told.get("board_url") or told["base_url"]  # a class has learners at the latter
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ""
    return base_url if isinstance(base_url, str) else ""
