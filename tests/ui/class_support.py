"""A gateway that serves a class, as its board sees it, and scripted by a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keybench.core.errors import Refused
from keybench.core.reasons import Reason
from keybench.workflows.lessons.files import lesson_files, lesson_id

IDS = [lesson_id(path) for path in lesson_files()]


class FakeClassGateway:
    """Implements `core.ports.Practice` for a class of learners whose consoles a test plays."""

    def __init__(self, host: str) -> None:
        self.host, self.base_url, self.version = host, "", ""
        self.lesson: dict[str, str] | None = None
        self.weather: dict[str, Any] = {"preset": "calm"}
        self.learners: dict[str, dict[str, Any]] = {}
        self.merged: list[dict[str, Any]] = []
        self.calls: list[str] = []

    async def ensure(self) -> str:
        self.base_url = "http://127.0.0.1:4999"
        return self.base_url

    async def stop(self) -> None:
        self.base_url = ""

    def put(self, number: str, *, on_step_s: float = 0.0, heard_s: float = 1.0, **standing: Any) -> None:
        """Have a learner's console tell how far they are."""
        told = {"lesson": IDS[0], "done": 0, "steps": 5, "step": "", "hints": 0, "misses": 0, "missed": {}}
        told |= {"seconds": 60.0, "event": "", "fields": {}, "broken": "", **standing}
        self.learners[number] = {
            "learner": number,
            "heard_s": heard_s,
            "on_step_s": on_step_s,
            "standing": told,
        }

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        await self.ensure()
        self.calls.append(f"{method} {path}")
        match method, path.split("/")[2:], body:
            case "GET", [], _:
                return self._told()
            case "PUT", [], {**told}:
                self.lesson, self.weather = told.get("lesson", self.lesson), told.get("weather", self.weather)
            case "POST", ["learners"], _:
                number = f"{len(self.learners) + 1:02}"
                empty = {"learner": number, "heard_s": None, "on_step_s": 0.0, "standing": None}
                self.learners[number] = empty
                return {"learner": number}
            case "PUT", ["learners", number], {**told}:
                self.put(number, **told)
            case "GET", ["learners", number, "result"], _:
                return {"learner": number, "signature": "s"}
            case "POST", ["results"], {"signature": "s", **told}:
                self.merged.append({**told, "signed_by": "lantern-plum-quartz-fox"})
            case "POST", ["results"], _:
                raise Refused(Reason.REFUSED, message="altered", status=400)
        return {}

    def _told(self) -> dict[str, Any]:
        there = bool(self.host)
        own = [
            {"learner": one["learner"], "signed_by": "", **one["standing"]}
            for one in self.learners.values()
            if one["standing"]
        ]
        return {
            "code": "otter-maple-42" if there else "",
            "join": f"otter-maple-42@{self.host}:8443" if there else "",
            "address": f"{self.host}:8443" if there else "",
            "words": "lantern-plum-quartz-fox" if there else "",
            "seats": 30,
            "lesson": self.lesson and {name: self.lesson[name] for name in ("id", "title")},
            "weather": {"seed": None, **self.weather},
            "answers_ms": 21.3,
            "learners": list(self.learners.values()),
            "results": [*own, *self.merged],
        }
