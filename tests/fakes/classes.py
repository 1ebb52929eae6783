"""A class in memory that everybody can meet and join."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from keybench.core.errors import GatewayError
from keybench.core.lessons.classes import ClassSeat, MetClass, parse_join_text


@dataclass
class FakeClasses:
    """Implements `core.ports.Classes`; the next call raises what is in `failure`."""

    words: str = "lantern-plum-quartz-fox"
    learner: str = "07"
    word: str = "amber-heron-58"
    lesson: str = "the-rate-limit"
    toml: str = ""
    failure: GatewayError | None = None
    joined: list[tuple[str, str]] = field(default_factory=list)

    async def meet(self, join_text: str) -> MetClass:
        code, address = parse_join_text(join_text)
        self._fail()
        return MetClass(address, code, "certificate", self.words)

    async def join(self, met: MetClass, word: str = "") -> ClassSeat:
        self._fail()
        self.joined.append((met.code, word))
        mine = word or self.word
        return ClassSeat(**asdict(met), learner=self.learner, word=mine, lesson=self.lesson, toml=self.toml)

    def _fail(self) -> None:
        failure, self.failure = self.failure, None
        if failure:
            raise failure
