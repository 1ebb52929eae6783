"""A class that another computer serves: met without trust, then spoken to by one certificate and a ticket."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from keybench.class_identity import words_of
from keybench.core.errors import AnswerUnreadable, GatewayError, NotSent, Refused
from keybench.core.lessons.classes import ClassSeat, MetClass, parse_join_text
from keybench.core.ports import Clock, drop_exchange
from keybench.core.reasons import Reason
from keybench.core.secret import Secret
from keybench.gateway.json_paths import document_in, find_text, plain
from keybench.gateway.messages import LIST_LIMIT, ConnectionUse, Limits, Request
from keybench.gateway.transport import Transport
from keybench.gateway.trust import Pin, Trust, only
from keybench.runtime.clock import within
from keybench.runtime.worker import run_in_thread

_LEARNER: Final = {"X-Practice-Portal": "1"}
_LIMITS: Final = Limits(write_s=5.0, read_s=15.0, total_s=20.0)
_REFUSED: Final = {
    "E_CODE": Reason.CLASS_CODE,
    "E_WORD": Reason.CLASS_WORD,
    "E_CLASS_FULL": Reason.CLASS_FULL,
    "E_TOO_MANY": Reason.CLASS_TOO_MANY,
    "E_TICKET": Reason.CLASS_TICKET,
}
#: These do no harm on a connection that may have died since; a handshake each second would.
_REPEATABLE: Final = frozenset({"GET", "PUT"})


class HttpClasses:
    """Implements `core.ports.Classes`."""

    async def meet(self, join_text: str) -> MetClass:
        """Look at a class; nothing is sent but TLS's own greeting."""
        code, address = parse_join_text(join_text)
        try:
            async with within(_LIMITS.total_s):
                return MetClass(address, code, *await run_in_thread("class", lambda: _shown_at(address)))
        except TimeoutError:
            raise NotSent(Reason.CONNECT_TIMEOUT) from None

    async def join(self, met: MetClass, word: str = "") -> ClassSeat:
        """Take a seat, and return it with the class's lesson."""
        seat = ClassSeat(**asdict(met), word=word)
        joined = ClassPractice(seat, Trust(), lambda _up, _base_url: None)
        try:
            lesson = (await joined.ask("GET", "/class/seat"))["lesson"] or {"id": "", "toml": ""}
        finally:
            await joined.stop()
        return replace(joined.seat, lesson=lesson["id"], toml=lesson["toml"])


def _shown_at(address: str) -> tuple[str, str]:
    """Return the certificate that is shown at an address, and its words; it blocks."""
    from keybench.gateway.failures import reason_of  # noqa: PLC0415 - the HTTP library is slow to import

    parts = urlsplit(f"https://{address}")
    try:
        place = parts.hostname or "", parts.port or 0
        certificate = ssl.get_server_certificate(place, timeout=_LIMITS.connect_s)
    except (OSError, UnicodeError) as error:
        raise error if isinstance(error, TimeoutError) else NotSent(reason_of(error)) from None
    return certificate, words_of(certificate)


class ClassPractice:
    """Implements `core.ports.Practice` by a seat in a class.

    It joins when it is first asked, and again only after `stop`: each ticket ends the one before, and two
    consoles must not take a seat from each other in turns. The ticket is in memory only, on the pin that
    this puts on `trust`.

    Attributes:
        version: Empty, as it isn't known.
        seat: The seat, in the class's own words once it was joined.
    """

    def __init__(
        self,
        seat: ClassSeat,
        trust: Trust,
        on_change: Callable[[bool | None, str], None],
        clock: Clock | None = None,
    ) -> None:
        self.seat, self.base_url, self.version = seat, f"https://{seat.address}", ""
        parts = urlsplit(self.base_url)
        self._pin = trust.pin = Pin((parts.hostname, parts.port), only(seat.certificate))
        self._transport = Transport(clock, _LIMITS, trust)
        self._on_change = on_change
        self._joining = asyncio.Lock()
        self._is_taken = False

    async def ensure(self) -> str:
        """Return the class's base URL, joining it if this hasn't yet."""
        async with self._joining:
            if self._is_taken:
                raise Refused(Reason.CLASS_TICKET, status=HTTPStatus.UNAUTHORIZED)
            if not self._pin.ticket:
                word = {"word": self.seat.word} if self.seat.word else {}
                told = await self._told("POST", "/class/join", {"code": self.seat.code, **word})
                if not find_text(told, ("ticket",)):
                    raise AnswerUnreadable(Reason.NOT_THE_GATEWAYS)
                self.seat = replace(self.seat, learner=told["learner"], word=told["word"])
                self._pin.ticket = Secret(told["ticket"])
        return self.base_url

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Make a call of the learner's own account or seat and return its answer's JSON."""
        await self.ensure()
        return await self._told(method, path, body)

    async def stop(self) -> None:
        """Hang up, and forget the ticket; safe to call twice."""
        self._pin.ticket, self._is_taken = None, False
        await self._transport.close()

    async def _told(self, method: str, path: str, body: Any) -> Any:
        use = ConnectionUse.SHARED if method in _REPEATABLE else ConnectionUse.ALONE
        url, ticket = self.base_url + path, self._pin.ticket
        request = Request(None, method, url, _LEARNER, body, (), drop_exchange, most=LIST_LIMIT)
        try:
            answer = await self._transport.send(request, use)
        except GatewayError:
            self._on_change(False, self.base_url)
            raise
        self._on_change(True, self.base_url)
        if answer.status >= HTTPStatus.BAD_REQUEST:
            said, wait = document_in(answer), answer.header("Retry-After")
            reason = _REFUSED.get(find_text(said, ("error_code",)), Reason.REFUSED)
            if ticket and reason is Reason.CLASS_TICKET:
                self._is_taken = ticket is self._pin.ticket
            words = find_text(said, ("message",)) if reason is Reason.REFUSED else ""
            wait_s = float(wait) if wait.isdecimal() else None
            raise Refused(reason, message=words, status=answer.status, retry_after_s=wait_s)
        return plain(answer)
