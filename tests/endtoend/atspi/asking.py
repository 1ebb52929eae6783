"""Asks a program about its controls, many questions at a time: one after the other takes a millisecond each.

What `tree.py` does for one node is done here for all that is on screen, over the same bus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402 - the version is chosen first
from tree import STATES  # noqa: E402 - same

_ACCESSIBLE, _TEXT, _TABLE = (f"org.a11y.atspi.{name}" for name in ("Accessible", "Text", "Table"))
_REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
_BUS = "org.freedesktop.DBus"
_LIMIT_MS = 60_000
_BITS = {name: int(getattr(Atspi.StateType, name.upper())) for name in STATES}


@dataclass(slots=True)
class Seen:
    """A control as it was when it was asked, and what is below it."""

    path: str
    name: str = ""
    states: int = 0
    children: list[Seen] = field(default_factory=list)

    def has(self, state: str) -> bool:
        """Tell whether it is in a state."""
        return bool(self.states >> _BITS[state] & 1)


@dataclass(frozen=True, slots=True)
class Question:
    """A call to a node's method."""

    path: str
    interface: str
    method: str
    arguments: GLib.Variant | None = None


def _property(path: str, interface: str, name: str) -> Question:
    return Question(path, f"{_BUS}.Properties", "Get", GLib.Variant("(ss)", (interface, name)))


class Program:
    """The program with a process id, on the bus where programs tell about themselves."""

    def __init__(self, address: str, pid: int) -> None:
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self._bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
        self._pid = pid
        self._name = ""

    def all(self, *, hidden: bool) -> list[Seen]:
        """Return what is on screen in order, or all there is if `hidden`; nothing while it isn't there."""
        self._name = self._name or self._find()
        root = Seen(ROOT)
        level = [root] if self._name else []
        while level:
            answers = iter(self._ask(question for one in level for question in _about(one.path)))
            for one in level:
                states, name, children = next(answers), next(answers), next(answers)
                if not (states and name and children):
                    continue  # it went meanwhile
                low, high = states[0]
                one.states, one.name = low | high << 32, name[0]
                one.children = [Seen(path) for _bus, path in children[0]]
            if not hidden:
                for one in level:
                    one.children = one.children if one is root or one.has("showing") else []
            level = [child for one in level for child in one.children]
        shown = [one for one in _walk(root) if hidden or one is root or one.has("showing")]
        return shown if root.children else []

    def find(self, name: str, role: str, *, hidden: bool) -> list[Seen]:
        """Return the nodes of a name; any role if `role` is empty."""
        named = [one for one in self.all(hidden=hidden) if one.name == name]
        roles = self.roles(named) if role else []
        return [one for one, its in zip(named, roles, strict=True) if its == role] if role else named

    def again(self, path: str) -> Seen | None:
        """Return a node found before as it is now, if it is still there and on screen."""
        states, name, _children = self._ask(_about(path))
        if not states or not name:
            return None
        low, high = states[0]
        seen = Seen(path, name[0], low | high << 32)
        return seen if seen.has("showing") else None

    def roles(self, nodes: list[Seen]) -> list[str]:
        """Return the nodes' roles."""
        answers = self._ask(Question(one.path, _ACCESSIBLE, "GetRole") for one in nodes)
        return [Atspi.role_get_name(Atspi.Role(answer[0])) if answer else "" for answer in answers]

    def described(self, nodes: list[Seen]) -> list[dict[str, Any]]:
        """Return what is told of nodes."""
        descriptions = self._ask(_property(one.path, _ACCESSIBLE, "Description") for one in nodes)
        return [
            {
                "role": role,
                "name": one.name,
                "description": description[0] if description else "",
                "text": text,
                "states": [state for state in STATES if one.has(state)],
            }
            for one, role, description, text in zip(
                nodes, self.roles(nodes), descriptions, self._texts(nodes), strict=True
            )
        ]

    def rows(self, table: Seen) -> list[list[str]]:
        """Return the texts of a table's cells, row by row."""
        rows, columns = self._ask(_property(table.path, _TABLE, name) for name in ("NRows", "NColumns"))
        if not rows or not columns:
            return []
        cells = self._ask(
            Question(table.path, _TABLE, "GetAccessibleAt", GLib.Variant("(ii)", (row, column)))
            for row in range(rows[0])
            for column in range(columns[0])
        )
        names = self._ask(_property(cell[0][1] if cell else ROOT, _ACCESSIBLE, "Name") for cell in cells)
        texts = [name[0] if cell and name else "" for cell, name in zip(cells, names, strict=True)]
        return [texts[start : start + columns[0]] for start in range(0, len(texts), columns[0] or 1)]

    def _texts(self, nodes: list[Seen]) -> list[str]:
        interfaces = self._ask(Question(one.path, _ACCESSIBLE, "GetInterfaces") for one in nodes)
        have = [one for one, its in zip(nodes, interfaces, strict=True) if its and _TEXT in its[0]]
        whole = GLib.Variant("(ii)", (0, -1))
        told = self._ask(Question(one.path, _TEXT, "GetText", whole) for one in have)
        texts = {one.path: text[0] for one, text in zip(have, told, strict=True) if text}
        return [texts.get(one.path, "") for one in nodes]

    def _find(self) -> str:
        """Return the program's name on the bus; empty while it isn't there."""
        (programs,) = self._ask([Question(ROOT, _ACCESSIBLE, "GetChildren")], _REGISTRY)
        names = [name for name, _path in programs[0]] if programs else []
        asked = [
            Question(
                "/org/freedesktop/DBus", _BUS, "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,))
            )
            for name in names
        ]
        pids = self._ask(asked, _BUS)
        return next((name for name, pid in zip(names, pids, strict=True) if pid and pid[0] == self._pid), "")

    def _ask(self, questions: Iterable[Question], name: str = "") -> list[Any]:
        """Return the answers in their order; None for each that failed, because its node is gone."""
        answers: dict[int, Any] = {}

        def take(bus: Gio.DBusConnection, result: Gio.AsyncResult, number: int) -> None:
            try:
                answers[number] = bus.call_finish(result).unpack()
            except GLib.Error:
                answers[number] = None

        asked = list(questions)
        for number, one in enumerate(asked):
            whom = (name or self._name, one.path, one.interface, one.method, one.arguments)
            self._bus.call(*whom, None, Gio.DBusCallFlags.NONE, _LIMIT_MS, None, take, number)
        context = GLib.MainContext.default()
        while len(answers) < len(asked):
            context.iteration(may_block=True)
        return [answers[number] for number in range(len(asked))]


def _about(path: str) -> tuple[Question, Question, Question]:
    return (
        Question(path, _ACCESSIBLE, "GetState"),
        _property(path, _ACCESSIBLE, "Name"),
        Question(path, _ACCESSIBLE, "GetChildren"),
    )


def _walk(seen: Seen) -> Iterator[Seen]:
    yield seen
    for child in seen.children:
        yield from _walk(child)
