"""A class that another computer serves: met without trust, then spoken to by one certificate and a ticket."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from keybench.class_identity import words_of
from keybench.core.errors import AnswerLost, AnswerUnreadable, GatewayError, NotSent, Refused
from keybench.core.lessons.classes import ClassSeat, MetClass, parse_join_text
from keybench.core.ports import Clock, drop_exchange
from keybench.core.reasons import Reason
from keybench.core.secret import Secret
from keybench.gateway.json_paths import document_in, find_text, whole
from keybench.gateway.messages import LIST_LIMIT, Answer, ConnectionUse, Limits, Request
from keybench.gateway.transport import Transport
from keybench.gateway.trust import Pin, Trust, only
from keybench.runtime.clock import SystemClock, within
from keybench.runtime.worker import run_in_thread

_LEARNER: Final = {"X-Practice-Portal": "1"}
_LIMITS: Final = Limits(connect_s=5.0, write_s=5.0, read_s=15.0, total_s=20.0)
_PAUSE_S: Final = 0.2
_REFUSED: Final = {
    "E_CODE": Reason.CLASS_CODE,
    "E_WORD": Reason.CLASS_WORD,
    "E_CLASS_FULL": Reason.CLASS_FULL,
    "E_TOO_MANY": Reason.CLASS_TOO_MANY,
    "E_TICKET": Reason.CLASS_TICKET,
}
#: Made twice, these come to the same as made once.
_REPEATABLE: Final = frozenset({"GET", "PUT"})


class HttpClasses:
    """Implements `core.ports.Classes`."""

    def __init__(self, clock: Clock | None = None, limits: Limits = _LIMITS) -> None:
        self._clock = clock or SystemClock()
        self._limits = limits

    async def meet(self, join_text: str) -> MetClass:
        """Look at a class and return what it shows; nothing is sent but TLS's own greeting."""
        code, address = parse_join_text(join_text)
        try:
            async with within(self._limits.total_s):
                shown = await run_in_thread("class certificate", lambda: self._shown(address))
        except TimeoutError:
            raise NotSent(Reason.CONNECT_TIMEOUT) from None
        return MetClass(address, code, *shown)

    async def join(self, met: MetClass, word: str = "") -> ClassSeat:
        """Take a seat, and return it with the class's lesson."""
        seat = ClassSeat(met.address, met.code, met.certificate, word=word)
        joined = ClassPractice(seat, Trust(), lambda _up, _base_url: None, self._clock, self._limits)
        try:
            await joined.ensure()
            lesson = (await joined.ask("GET", "/class/seat"))["lesson"] or {"id": "", "toml": ""}
        finally:
            await joined.stop()
        return replace(joined.seat, lesson=lesson["id"], toml=lesson["toml"])

    def _shown(self, address: str) -> tuple[str, str]:
        from keybench.gateway.failures import reason_of  # noqa: PLC0415 - the HTTP library is slow to import

        parts = urlsplit(f"https://{address}")
        try:
            place = parts.hostname or "", parts.port or 0
            certificate = ssl.get_server_certificate(place, timeout=self._limits.connect_s)
        except TimeoutError:
            raise NotSent(Reason.CONNECT_TIMEOUT) from None
        except (OSError, UnicodeError) as error:
            raise NotSent(reason_of(error)) from None
        return certificate, words_of(certificate)


class ClassPractice:
    """Implements `core.ports.Practice` by a seat in a class: what the class keeps for the learner.

    It joins when it is first asked, and again only after `stop`: the ticket that another computer has is
    ended by that, and two consoles must not take the seat from each other in turns. The ticket is in memory
    only, on the pin that this puts on `trust`.

    Attributes:
        base_url: Where the class is; empty until it was joined.
        version: Always empty: the class tells none.
        seat: The seat, by the class's own words once it was joined.
    """

    def __init__(
        self,
        seat: ClassSeat,
        trust: Trust,
        on_change: Callable[[bool | None, str], None],
        clock: Clock | None = None,
        limits: Limits = _LIMITS,
    ) -> None:
        self.seat = seat
        self.base_url = self.version = ""
        self._address = urlsplit(f"https://{seat.address}")
        self._pin = trust.pin = Pin(
            self._address.hostname or "", self._address.port or 0, only(seat.certificate)
        )
        self._clock = clock or SystemClock()
        self._new_transport = partial(Transport, self._clock, limits, trust)
        self._transport = self._new_transport()
        self._on_change = on_change
        self._lock = asyncio.Lock()
        self._is_taken = False

    async def ensure(self) -> str:
        """Return the class's base URL, joining it if this hasn't yet."""
        async with self._lock:
            if self._is_taken:
                raise Refused(Reason.CLASS_TICKET, status=HTTPStatus.UNAUTHORIZED)
            if not self._pin.ticket:
                self._on_change(None, "")
                word = {"word": self.seat.word} if self.seat.word else {}
                told = await self._told("POST", "/class/join", {"code": self.seat.code, **word})
                if not (ticket := find_text(told, ("ticket",))):
                    raise AnswerUnreadable(Reason.NOT_THE_GATEWAYS)
                learner, word_told = find_text(told, ("learner",)), find_text(told, ("word",))
                self.seat = replace(self.seat, learner=learner, word=word_told)
                self._pin.ticket, self.base_url = Secret(ticket), self._address.geturl()
        return self.base_url

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Make a call of the learner's own account or seat and return its answer's JSON."""
        await self.ensure()
        if method not in _REPEATABLE:
            return await self._told(method, path, body)
        try:
            return await self._told(method, path, body, ConnectionUse.SHARED)
        except (NotSent, AnswerLost):  # perhaps a connection that was kept, and died since
            await self._clock.sleep(_PAUSE_S)
            return await self._told(method, path, body)

    async def stop(self) -> None:
        """Hang up, and forget the ticket; safe to call twice. Then it may join again."""
        self._pin.ticket, self._is_taken, self.base_url = None, False, ""
        closed, self._transport = self._transport, self._new_transport()
        await closed.close()

    async def _told(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        use: ConnectionUse = ConnectionUse.ALONE,
    ) -> Any:
        base_url, ticket = self._address.geturl(), self._pin.ticket
        request = Request(None, method, base_url + path, _LEARNER, body, (), drop_exchange, most=LIST_LIMIT)
        try:
            answer = await self._transport.send(request, use)
        except GatewayError:
            self._on_change(False, base_url)
            raise
        self._on_change(True, base_url)
        if answer.status >= HTTPStatus.BAD_REQUEST:
            refused = _refusal(answer)
            if ticket and refused.reason == Reason.CLASS_TICKET:
                self._is_taken = ticket is self._pin.ticket
            raise refused
        if not answer.text:
            return None
        whole(answer)  # or it says what is the matter; numbers are texts in it
        return json.loads(answer.text)


def _refusal(answer: Answer) -> Refused:
    told = document_in(answer)
    reason = _REFUSED.get(find_text(told, ("error_code",)), Reason.REFUSED)
    with suppress(ValueError):
        wait_s = float(answer.header("Retry-After"))
        return Refused(reason, status=answer.status, retry_after_s=wait_s)
    words = "" if reason != Reason.REFUSED else find_text(told, ("message",))
    return Refused(reason, message=words, status=answer.status)
