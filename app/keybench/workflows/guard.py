"""Keeps keys' values out of every text: what a person enters is looked through before a use case begins."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

from keybench.core.input_errors import ValueMisplaced
from keybench.core.keys.key import SecurityKey
from keybench.core.secret import (
    SEARCHED,
    SHORTEST_SEARCHED,
    Secret,
    bits_of,
    bits_of_text,
    folded_fingerprint,
)
from keybench.workflows.world import World


class KeptValues:
    """The values that no text may contain."""

    def __init__(self, keys: Iterable[SecurityKey], added: Iterable[Secret] = ()) -> None:
        self._by_length: dict[int, set[bytes]] = {}
        #: Of values with few letters and figures, and of those that an older Keybench kept.
        self._as_written: set[bytes] = set()
        for words in (
            *(key.folded_fingerprint or key.fingerprint for key in keys),
            *map(folded_fingerprint, added),
        ):
            bits = bits_of(words) if words else b""
            if len(bits) > SEARCHED:
                length = int.from_bytes(bits[SEARCHED:])
                self._by_length.setdefault(length, set()).add(bits[:SEARCHED])
            elif bits:
                self._as_written.add(bits)

    def are_in(self, text: str) -> bool:
        """Tell whether whole words of a text are one of the values, whatever separates its parts."""
        words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
        longest = max(self._by_length, default=0)
        for start in range(len(words)):
            joined = ""
            for word in words[start:]:
                joined += word
                if len(joined) > longest:
                    break
                known = self._by_length.get(len(joined))
                if known and bits_of_text(joined, SEARCHED) in known:
                    return True
        long = [word for word in text.split() if len(word) >= SHORTEST_SEARCHED]
        forms = {bits_of_text(form) for word in long for form in (word, word.casefold())}
        return not self._as_written.isdisjoint(forms)


UseCase = TypeVar("UseCase", bound=type)

#: The parameter that a value belongs into.
VALUE: Final = "pasted"
#: What gathers what a person enters is called so; anything else was kept before.
DRAFT: Final = "Draft"


def guarded(use_case: UseCase) -> UseCase:
    """Make a class of use cases, which has a `_world`, refuse texts that contain a value of a key."""
    for name in dir(use_case):
        method = inspect.getattr_static(use_case, name)
        if not name.startswith("_") and inspect.iscoroutinefunction(method):
            setattr(use_case, name, _watched(method))
    return use_case


async def refuse_values(world: World, entered: Iterable[tuple[str, str]], *added: Secret) -> None:
    """Do nothing if no text contains a value of a key that is held or being added."""
    long = [(where, text) for where, text in entered if len(text) >= SHORTEST_SEARCHED]
    if long:
        held = KeptValues(await world.journal.all_keys(), added)
        for where, text in long:
            if held.are_in(text):
                raise ValueMisplaced(where)


def _watched(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    names = tuple(inspect.signature(method).parameters)[1:]

    @wraps(method)
    async def watched(use_case: Any, *args: Any, **named: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **named}
        pasted = given.pop(VALUE, "").strip()
        entered = [one for name, value in given.items() for one in _texts(name, value)]
        await refuse_values(use_case._world, entered, *([Secret(pasted)] if pasted else ()))  # noqa: SLF001 - ours
        return await method(use_case, *args, **named)

    return watched


def _texts(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Return what a person entered of an argument, each text with its field's name."""
    if name.endswith("_id") or name == "reference":
        return  # ours: to look through them would read all keys once more for each sale
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Path):
        yield "file name", value.name
    elif isinstance(value, Mapping):
        for key, text in value.items():
            yield from _texts(str(key), text)
    elif type(value).__name__.endswith(DRAFT):
        for field in fields(value):  # type: ignore[arg-type]  # drafts are dataclasses
            yield from _texts(field.name, getattr(value, field.name))
