"""The trainer's calls, on loopback alone; all need the portal's header.

- `GET /class` -> `{"code", "join", "address", "words", "seats", "lesson": {"id", "title"} | null,
  "weather": {"preset", "seed"}, "answers_ms", "learners": [{"learner", "heard_s", "on_step_s", "standing"}],
  "results": [...]}`. `answers_ms` is what 99 % of the last 2,000 answers took at the most, in milliseconds,
  without what the fault dial made them wait; `heard_s` is how many seconds ago a learner's console was heard,
  null if not since the gateway began; `on_step_s` counts the time on the present step while it is heard.
- `PUT /class {"lesson"?: {"id", "title", "toml"}, "weather"?}`: `practice.weather` tells what that may be.
- `POST /class/learners` -> `{"learner"}` and `PUT /class/learners/{n}` with a standing: a class on one
  computer, whose learners have no console of their own.
- `POST /class/learners/{n}/reset`, `POST /class/reset`: another account, for one or for all. Their consoles
  set up anew where they are.
- `GET /class/learners/{n}/result` -> a file that `POST /class/results` of another class takes, and answers
  `{"learner", "signed_by"}`; 400 E_SIGNATURE if it was altered.
"""

import json
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from keybench import __version__
from keybench.practice.app import LOOPBACK_NAMES, SERVICE, host_of, wrong_host
from keybench.practice.body import Refusal, as_refusal, invalid, on_failure, read_object, required_text
from keybench.practice.classes.classroom import Classroom
from keybench.practice.classes.results import STANDING, sign, verified
from keybench.practice.classes.roster import ClassLesson, Learner
from keybench.practice.portal import PORTAL_HEADER
from keybench.practice.weather import read as read_weather

#: A lesson's file may be so long, in bytes of JSON.
_LONGEST: Final = 512 * 1024


class Board:
    """The trainer's side of a class as an ASGI application."""

    def __init__(self, classroom: Classroom) -> None:
        self._classroom = classroom
        self._app = application(classroom, ROUTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request to a loopback name."""
        if scope["type"] == "http":
            app = self._app if host_of(scope) in LOOPBACK_NAMES else wrong_host().response()
            await app(scope, receive, send)


def application(classroom: Classroom, routes: tuple[Route, ...]) -> Starlette:
    """Return the routes of one side of a class."""
    handlers = {Exception: on_failure, 404: _on_refusal, 405: _on_refusal, Refusal: _on_refusal}
    app = Starlette(routes=list(routes), exception_handlers=handlers)
    app.router.redirect_slashes = False
    app.state.classroom = classroom
    return app


async def _on_refusal(_request: Request, error: Exception) -> Response:
    return as_refusal(error).response()


def classroom_of(request: Request) -> Classroom:
    """Return the class to a call that no web page can make."""
    if request.headers.get(PORTAL_HEADER) != "1":
        raise Refusal(403, "E_PORTAL_HEADER", f"The class's calls need the header {PORTAL_HEADER}: 1")
    classroom: Classroom = request.app.state.classroom
    return classroom


def _learner(request: Request) -> Learner:
    learner = classroom_of(request).roster.learners.find(request.path_params["number"])
    if learner is None:
        raise Refusal(404, "E_LEARNER_NOT_FOUND", "There is no such learner")
    return learner


async def _health(request: Request) -> Response:
    instance = request.app.state.classroom.roster.id
    return JSONResponse({"service": SERVICE, "instance": instance, "version": __version__})


async def _show(request: Request) -> Response:
    return JSONResponse(classroom_of(request).board())


async def _change(request: Request) -> Response:
    classroom = classroom_of(request)
    fields = await read_object(request, {"lesson", "weather"}, _LONGEST)
    weather = read_weather(fields["weather"]) if "weather" in fields else None
    if "lesson" in fields:
        told = fields["lesson"]
        texts = ("id", "title", "toml")
        if not isinstance(told, dict) or not all(isinstance(told.get(name), str) for name in texts):
            raise invalid("lesson must have id, title and toml")
        await classroom.begin_lesson(ClassLesson(**{name: told[name] for name in texts}))
    if weather:
        classroom.set_weather(weather)
    return JSONResponse(classroom.board())


async def _add(request: Request) -> Response:
    learner = seated(classroom_of(request))
    return JSONResponse({"learner": learner.number}, 201)


def seated(classroom: Classroom) -> Learner:
    """Return a new learner, if there is a seat."""
    learner = classroom.roster.add()
    if learner is None:
        raise Refusal(409, "E_CLASS_FULL", "The class is full")
    return learner


async def _put(request: Request) -> Response:
    learner = _learner(request)
    classroom_of(request).hear(learner, await read_object(request, STANDING))
    return JSONResponse({"learner": learner.number})


async def _reset(request: Request) -> Response:
    await classroom_of(request).renew(_learner(request))
    return Response(status_code=204)


async def _reset_all(request: Request) -> Response:
    await classroom_of(request).renew_all()
    return Response(status_code=204)


async def _result(request: Request) -> Response:
    classroom, learner = classroom_of(request), _learner(request)
    own = [one for one in classroom.roster.standings.every() if not one.signed_by]
    mine = [one for one in own if one.learner == learner.number]
    return JSONResponse(sign(classroom.identity, classroom.roster.id, learner.number, mine))


async def _merge(request: Request) -> Response:
    classroom = classroom_of(request)
    # As it was signed: numbers are read here as there.
    file: dict[str, Any] = json.loads(json.dumps(await read_object(request), default=float))
    words, learner, standings = await run_in_threadpool(verified, file)  # the words take a while
    if file["class"] != classroom.roster.id:  # what is ours is here already
        for standing in standings:
            required_text(standing, "lesson", 100)
            classroom.roster.standings.put(learner, standing, signed_by=words)
    return JSONResponse({"learner": learner, "signed_by": words})


ROUTES: Final = (
    Route("/health", _health),
    Route("/class", _show),
    Route("/class", _change, methods=["PUT"]),
    Route("/class/learners", _add, methods=["POST"]),
    Route("/class/learners/{number}", _put, methods=["PUT"]),
    Route("/class/learners/{number}/reset", _reset, methods=["POST"]),
    Route("/class/learners/{number}/result", _result),
    Route("/class/reset", _reset_all, methods=["POST"]),
    Route("/class/results", _merge, methods=["POST"]),
)
