"""A running class: what it remembers, each learner's account, who was heard when, and how fast it answers."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from starlette.types import Receive, Scope, Send

from keybench.practice.app import LOOPBACK_NAMES, make_app
from keybench.practice.classes.results import read_standing, result_of
from keybench.practice.classes.roster import SEATS, ClassLesson, Learner, Roster, new_account
from keybench.practice.state import State
from keybench.practice.weather import CALM, Weather
from keybench.practice.weather import read as read_weather

#: Of so many answers the slowest are told.
_ANSWERS: Final = 2000
_SHARE: Final = 0.99
#: Who was silent for longer was away, and that time isn't on the step.
_AWAY_S: Final = 10.0


class LearnerAccount:
    """A learner's own practice gateway, in a file of its own."""

    def __init__(self, path: Path, host: str, drop: Callable[[Scope], None]) -> None:
        self._path = path
        self._state = State(path, time.time())
        self.edge = make_app(self._state, drop, names=LOOPBACK_NAMES | {host})
        self.edge.gateway.applications.start()
        self._under_way = 0
        self._is_over = self._forget = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; one that is under way when the account ends is answered by it."""
        self._under_way += 1
        try:
            await self.edge(scope, receive, send)
        finally:
            self._under_way -= 1
            self._close_if_over()

    async def end(self, *, forget: bool) -> None:
        """Let nobody sell here any more, and close the file once nobody waits; `forget` removes it."""
        await self.edge.gateway.applications.stop()
        self._is_over, self._forget = True, forget
        self._close_if_over()

    def _close_if_over(self) -> None:
        if self._is_over and not self._under_way:
            self._state.close()
            if self._forget:
                _remove(self._path)


def _remove(database: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


class Classroom:
    """The class of a folder; its accounts are opened inside a loop.

    Args:
        words: The words of its certificate.
        identity: The certificate with its key, in PEM.
        address: Where learners reach it, such as ``192.0.2.10:8443``; empty for this computer alone.

    Attributes:
        drop: Closes the connection that a scope came by; whoever serves sets it.
    """

    def __init__(
        self,
        folder: Path,
        words: str,
        identity: str,
        address: str = "",
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder / "learners"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.roster = Roster(folder / "class.sqlite3")
        self.words, self.identity, self.address = words, identity, address
        self.host = address.rpartition(":")[0].lower()
        self.drop: Callable[[Scope], None] = lambda _scope: None
        self._monotonic = monotonic
        self._accounts: dict[str, LearnerAccount] = {}
        self._heard: dict[str, float] = {}
        self._answers_s: deque[float] = deque(maxlen=_ANSWERS)
        self.weather = read_weather(self.roster.fact("weather") or asdict(CALM))

    # --- accounts ------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Open the accounts of all who have joined, so that their applications sell; remove what was left."""
        learners = self.roster.learners.every()
        kept = {self._path(one).name for one in learners}
        for path in self._folder.glob("*.sqlite3"):
            if path.name not in kept:
                _remove(path)
        for learner in learners:
            if self._path(learner).exists():
                self.account(learner)

    async def close(self) -> None:
        """Close all accounts and the class's file."""
        for account in self._accounts.values():
            await account.end(forget=False)
        self.roster.close()

    def account(self, learner: Learner) -> LearnerAccount:
        """Return a learner's account, opening it if it isn't."""
        account = self._accounts.get(learner.number)
        if account is None:
            account = self._accounts[learner.number] = LearnerAccount(
                self._path(learner), self.host, self.drop
            )
            account.edge.gateway.class_weather = self.weather
        return account

    async def renew(self, learner: Learner) -> str:
        """Give a learner another account, as new as a first one, and return its name."""
        name = new_account()
        self.roster.learners.change(learner.number, account=name)
        if (account := self._accounts.pop(learner.number, None)) is not None:
            await account.end(forget=True)
        else:
            _remove(self._path(learner))
        return name

    def _path(self, learner: Learner) -> Path:
        return self._folder / f"{learner.number}-{learner.account}.sqlite3"

    # --- for all -------------------------------------------------------------------------------------------

    async def begin_lesson(self, lesson: ClassLesson) -> None:
        """Have everybody begin a lesson, in a new account."""
        self.roster.note("lesson", asdict(lesson))
        self.roster.standings.forget(lesson.id)
        await self.renew_all()

    async def renew_all(self) -> None:
        """Give everybody another account: each sets up anew where they are."""
        for learner in self.roster.learners.every():
            await self.renew(learner)

    def set_weather(self, weather: Weather) -> None:
        """Have calls of all come through as in a weather, from now on."""
        self.weather = weather
        self.roster.note("weather", asdict(weather))
        for account in self._accounts.values():
            account.edge.gateway.class_weather = weather

    # --- watching ------------------------------------------------------------------------------------------

    def hear(self, learner: Learner, told: dict[str, Any]) -> None:
        """Take down how far a learner has come in the class's lesson, or in one that was its."""
        standing, lesson = read_standing(told), self.roster.lesson
        now = self._monotonic()
        silent_s = now - self._heard.get(learner.number, now)
        self._heard[learner.number] = now
        before = self.roster.standings.of(learner.number, standing["lesson"])
        if before is None and not (lesson and lesson.id == standing["lesson"]):
            return
        goes_on = before is not None and before.told["done"] == standing["done"]
        on_step_s = before.on_step_s + min(silent_s, _AWAY_S) if before and goes_on else 0.0
        self.roster.standings.put(learner.number, standing, on_step_s)

    def note_answer(self, seconds: float) -> None:
        """Count how long an answer took."""
        self._answers_s.append(seconds)

    def board(self) -> dict[str, Any]:
        """Return what the trainer sees; `board` has its form."""
        lesson, slowest = self.roster.lesson, sorted(self._answers_s)
        now, learners = self._monotonic(), list[dict[str, Any]]()
        for learner in self.roster.learners.every():
            standing = self.roster.standings.of(learner.number, lesson.id) if lesson else None
            heard = self._heard.get(learner.number)
            learners.append(
                {
                    "learner": learner.number,
                    "heard_s": None if heard is None else round(now - heard, 1),
                    "on_step_s": standing.on_step_s if standing else 0.0,
                    "standing": standing.told if standing else None,
                }
            )
        return {
            "code": self.roster.code if self.address else "",
            "join": f"{self.roster.code}@{self.address}" if self.address else "",
            "address": self.address,
            "words": self.words,
            "seats": SEATS,
            "lesson": {"id": lesson.id, "title": lesson.title} if lesson else None,
            "weather": {"preset": self.weather.preset, "seed": self.weather.seed},
            "answers_ms": round(slowest[int(len(slowest) * _SHARE)] * 1000, 1) if slowest else None,
            "learners": learners,
            "results": [result_of(one) for one in self.roster.standings.every()],
        }
