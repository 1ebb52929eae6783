"""One connection for questions: a request goes out, its answer is read as it comes, and the next may follow.

It speaks HTTP/1.1 with h11 right on the event loop's transport. All the layers that usually stand between
take several times as long for a poll as the poll itself.
"""

from __future__ import annotations

import asyncio
import select
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, cast

import h11
import httpx

from keybench.gateway.messages import Answer

#: How much is taken off the socket at a time. A server that sends its answer in the smallest of chunks can
#: keep the parser busy for some milliseconds with so much, and then others have their turn.
PIECE: Final = 4 * 1024
#: The longest head of an answer, in bytes; httpcore's own figure.
_HEAD_LIMIT: Final = 100 * 1024


@dataclass(frozen=True, slots=True)
class Question:
    """A request on its way, and where its answer goes.

    Attributes:
        head: Method, target and headers.
        content: The body; empty if there is none.
        most: How much of the answer's body is read, in bytes.
        mark: Called with the names of the phases as they are reached; see `Stopwatch`.
        answer: Gets status and headers as soon as they are there.
        body: Gets the answer's body, as far as it comes.
    """

    head: h11.Request = field(repr=False)
    content: bytes = field(repr=False)
    most: int
    mark: Callable[[str], None]
    answer: Answer
    body: bytearray

    def begin(self, response: h11.Response) -> None:
        """Note the head of the answer."""
        self.mark("http11.receive_response_headers.complete")
        self.answer.status = response.status_code
        self.answer.headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers
        )


class Wire(asyncio.BufferedProtocol):
    """A connection that carries one question at a time.

    Args:
        read_s: The most time between two pieces of an answer, in seconds.
    """

    def __init__(self, read_s: float) -> None:
        self._read_s = read_s
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray(PIECE)
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_LIMIT)
        self._transport: asyncio.WriteTransport | None = None
        self._question: Question | None = None
        self._answered: asyncio.Future[None] | None = None
        self._ends_at = self.due_at = 0.0
        self.idle_since = 0.0

    @property
    def transport(self) -> asyncio.WriteTransport | None:
        """What the bytes go through; None before it is connected and after it was lost."""
        return self._transport

    @property
    def is_usable(self) -> bool:
        """Whether the next question can be asked here, as far as is known."""
        return self._transport is not None and self._http.our_state is h11.IDLE

    @property
    def has_news(self) -> bool:
        """Whether something came while nobody asked, which can only be the end; the loop may not know yet."""
        return self._transport is None or _is_readable(self._transport.get_extra_info("socket").fileno())

    async def ask(self, question: Question, ends_at: float) -> None:
        """Send a question and read its answer into it; afterwards it tells whether it `is_usable` again.

        Args:
            question: What is asked.
            ends_at: When the answer must be there, on the loop's clock; `expire` keeps to it.

        Raises:
            httpx.HTTPError: As httpx itself does.
        """
        if self._transport is None:
            raise httpx.ConnectError("closed before it was used")
        self._question, self._ends_at = question, ends_at
        self._answered = self._loop.create_future()
        try:
            self._send(self._transport, question)
            await self._answered
        finally:
            self._question = self._answered = None
            self._rest()

    def expire(self) -> None:
        """End the question under way, because its time is over."""
        self._fail(httpx.ReadTimeout("no answer in time"))

    def close(self) -> None:
        """Hang up."""
        if self._transport:
            self._transport.abort()
            self._transport = None

    async def aclose(self) -> None:
        """Hang up; for those who have to wait for such things with other connections."""
        self.close()

    def upgrade(self, transport: asyncio.WriteTransport) -> None:
        """Go on over another transport, once TLS stands."""
        self._transport = transport

    def _send(self, transport: asyncio.WriteTransport, question: Question) -> None:
        try:
            parts = [self._http.send(question.head)]
            if question.content:
                parts.append(self._http.send(h11.Data(question.content)))
            parts.append(self._http.send(h11.EndOfMessage()))
        except h11.LocalProtocolError as error:
            raise httpx.LocalProtocolError(str(error)) from error
        question.mark("http11.send_request_headers.started")
        self._wait_on()
        transport.write(b"".join(part for part in parts if part))
        question.mark("http11.send_request_body.complete")

    def _wait_on(self) -> None:
        self.due_at = min(self._ends_at, self._loop.time() + self._read_s)

    def _rest(self) -> None:
        """Get ready for the next question, or hang up if this connection can't take one."""
        done = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if done and not self._http.trailing_data[0]:
            self._http.start_next_cycle()
            self.idle_since = self._loop.time()
        else:
            self.close()

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way out."""
        self._transport = cast("asyncio.WriteTransport", transport)  # TCP's always is one

    def get_buffer(self, _sizehint: int) -> bytearray:
        """Offer the place for the next piece."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Read a piece of an answer; one that nobody asked for ends the connection."""
        if self._question is None:
            self.close()
            return
        self._wait_on()
        self._read(self._question, bytes(memoryview(self._buffer)[:nbytes]))

    def eof_received(self) -> None:
        """Take the other side's hanging up, which is how some answers end."""
        if self._question is None:
            self.close()
        elif self._http.their_state is h11.SEND_RESPONSE:
            self._fail(httpx.RemoteProtocolError("disconnected without an answer"))
        else:
            self._read(self._question, b"")

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the question under way with what broke the connection."""
        self._transport = None
        error: httpx.HTTPError = httpx.RemoteProtocolError("closed")
        if exc:
            error = httpx.ReadError(str(exc))
            error.__cause__ = exc
        self._fail(error)

    def _read(self, question: Question, piece: bytes) -> None:
        try:
            self._http.receive_data(piece)
            while self._takes(question, self._http.next_event()):
                pass
        except h11.RemoteProtocolError as error:
            wrapped = httpx.RemoteProtocolError(str(error))
            wrapped.__cause__ = error
            self._fail(wrapped)

    def _takes(self, question: Question, event: h11.Event | type[h11.NEED_DATA | h11.PAUSED]) -> bool:
        """Take a part of the answer, and tell whether there may be more of it at hand."""
        match event:
            case h11.Response():
                question.begin(event)
            case h11.Data():
                question.body.extend(event.data)
                if len(question.body) > question.most:
                    self._settle()
                    self.close()
                    return False
            case h11.EndOfMessage():
                self._settle()
                return False
            case _:
                return isinstance(event, h11.InformationalResponse)
        return True

    def _settle(self) -> None:
        if self._answered and not self._answered.done():
            self._answered.set_result(None)

    def _fail(self, error: httpx.HTTPError) -> None:
        if self._answered and not self._answered.done():
            self._answered.set_exception(error)


def _is_readable(descriptor: int) -> bool:
    if sys.platform == "win32":
        return bool(select.select([descriptor], [], [], 0)[0])
    looking = select.poll()  # unlike select, it takes any descriptor
    looking.register(descriptor, select.POLLIN)
    return bool(looking.poll(0))
