"""What learners reach over the network, by TLS: joining with the code, and then an account of their own.

All take and give JSON; calls to /class need the portal's header, and none with an `Origin` is answered.

- `POST /class/join {"code", "word"?}` -> `{"learner", "word", "ticket"}`. Without `word` a new learner, with
  it the one whose word it is. The ticket goes in the header `X-Class-Ticket` of every other call; the one
  before ends. 403 E_CODE and E_WORD, 409 E_CLASS_FULL; after wrong ones 429 E_TOO_MANY with `Retry-After`.
- `GET /class/seat` -> `{"learner", "lesson": {"id", "title", "toml"} | null, "account", "standing" | null}`.
- `POST /class/account` -> `{"account"}`: another account, as new as a first one.
- `PUT /class/standing`, a standing as in `results` -> `{"account"}`. Another one than before means that the
  trainer wants the step, or another lesson, to be begun anew.
- Every other path is the learner's own practice gateway. Nothing is told without a ticket (401 E_TICKET).
"""

import hmac
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from keybench.practice.app import host_of, wrong_host
from keybench.practice.body import Refusal, read_object, required_text
from keybench.practice.classes.board import application, classroom_of, seated
from keybench.practice.classes.classroom import Classroom
from keybench.practice.classes.results import STANDING
from keybench.practice.classes.roster import Learner

_TICKET: Final = "x-class-ticket"
#: What browsers send of their own accord with a call that a page makes.
_OF_PAGES: Final = ("origin", "sec-fetch-site")
_JOIN: Final = "/class/join"
_OK: Final = 200


class Outside:
    """A class as its learners see it, an ASGI application."""

    def __init__(self, classroom: Classroom, clock: Callable[[], float] = time.monotonic) -> None:
        self._classroom = classroom
        self._clock = clock
        self._app = application(classroom, ROUTES)
        self._app.state.throttle = Throttle(clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        if scope["type"] != "http":
            return
        began, state = self._clock(), scope.setdefault("state", {})

        async def send_timed(message: Message) -> None:
            if message.get("status") == _OK and scope["method"] == "GET":  # no sale that is held
                self._classroom.note_answer(self._clock() - began - state.get("paused_s", 0.0))
            await send(message)

        await self._answering(scope, state)(scope, receive, send_timed)

    def _answering(self, scope: Scope, state: dict[str, Any]) -> ASGIApp:
        """Return what answers a request."""
        headers = Headers(scope=scope)
        if host_of(scope) != self._classroom.host:
            return wrong_host().response()
        if any(name in headers for name in _OF_PAGES):
            return Refusal(403, "E_ORIGIN", "A web page can't use a class").response()
        if scope["path"] == _JOIN and scope["method"] == "POST":
            return self._app
        learner = self._classroom.roster.learners.by_ticket(headers.get(_TICKET, ""))
        if learner is None:
            return Refusal(401, "E_TICKET", "Join the class first").response()
        state["learner"] = learner
        return self._app if scope["path"].startswith("/class/") else self._classroom.account(learner)


class Throttle:
    """Slows guessing: after five wrong tries in a minute an address has to wait after each further one."""

    _free: Final = 5
    _minute_s: Final = 60.0
    _pause_s: Final = 10.0
    _addresses: Final = 1000

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_s(self, address: str) -> float:
        """Return for how many seconds an address has to wait before its next try; 0 if it hasn't."""
        tries = [at for at in self._wrong.get(address, ()) if self._clock() - at < self._minute_s]
        return max(tries[-1] + self._pause_s - self._clock(), 0.0) if len(tries) >= self._free else 0.0

    def note_wrong(self, address: str) -> None:
        """Count a wrong try."""
        self._wrong.setdefault(address, deque(maxlen=self._free)).append(self._clock())
        self._wrong.move_to_end(address)
        if len(self._wrong) > self._addresses:
            self._wrong.popitem(last=False)


async def _join(request: Request) -> Response:
    classroom, throttle = classroom_of(request), request.app.state.throttle
    fields = await read_object(request, {"code", "word"})
    code = required_text(fields, "code", 100).strip().lower()
    address = request.client.host if request.client else ""
    if wait_s := throttle.wait_s(address):
        headers = {"Retry-After": str(int(wait_s) + 1)}
        raise Refusal(429, "E_TOO_MANY", "Too many wrong codes or words; wait a little", headers=headers)
    if not hmac.compare_digest(code.encode(), classroom.roster.code.encode()):
        throttle.note_wrong(address)
        raise Refusal(403, "E_CODE", "This isn't the class's code")
    if "word" in fields:
        learner = classroom.roster.learners.by_word(required_text(fields, "word", 100).strip().lower())
        if learner is None:
            throttle.note_wrong(address)
            raise Refusal(403, "E_WORD", "Nobody in this class has this word")
    else:
        learner = seated(classroom)
    told = {"learner": learner.number, "word": learner.word, "ticket": classroom.roster.new_ticket(learner)}
    return JSONResponse(told, headers={"Cache-Control": "no-store"})


def _learner(request: Request) -> Learner:
    learner: Learner = request.state.learner
    return learner


async def _seat(request: Request) -> Response:
    classroom, learner = classroom_of(request), _learner(request)
    lesson = classroom.roster.lesson
    standing = classroom.roster.standings.of(learner.number, lesson.id) if lesson else None
    return JSONResponse(
        {
            "learner": learner.number,
            "lesson": asdict(lesson) if lesson else None,
            "account": learner.account,
            "standing": standing.told if standing else None,
        }
    )


async def _account(request: Request) -> Response:
    return JSONResponse({"account": await classroom_of(request).renew(_learner(request))})


async def _standing(request: Request) -> Response:
    classroom_of(request).hear(_learner(request), await read_object(request, STANDING))
    return JSONResponse({"account": _learner(request).account})


ROUTES: Final = (
    Route(_JOIN, _join, methods=["POST"]),
    Route("/class/seat", _seat),
    Route("/class/account", _account, methods=["POST"]),
    Route("/class/standing", _standing, methods=["PUT"]),
)
