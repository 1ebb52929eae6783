"""What assistive technology is told of a program: its controls by name and role, its tables, its words.

Many questions are asked at a time: one after the other takes a millisecond each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402 - the version is chosen first

#: What is told of a control's states.
STATES = ("showing", "enabled", "focusable", "focused", "checked", "editable", "selected", "active")
#: What a combo box offers, one by one.
_LIST_ITEM = "list item"

_INTERFACES = ("Accessible", "Text", "Table", "Action", "EditableText", "Component", "Collection")
_ACCESSIBLE, _TEXT, _TABLE, _ACTION, _EDITABLE, _COMPONENT, _COLLECTION = (
    f"org.a11y.atspi.{name}" for name in _INTERFACES
)
_REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
#: How Qt calls that interface in a question for controls.
_WITH_TEXT = "Text"
#: What is a path, and has no control.
_NOWHERE = "/org/a11y/atspi/null"
_BUS = "org.freedesktop.DBus"
_LIMIT_MS = 60_000
_BITS = {name: int(getattr(Atspi.StateType, name.upper())) for name in STATES}
_ROLES = {Atspi.role_get_name(Atspi.Role(one)): one for one in range(int(Atspi.Role.LAST_DEFINED))}
#: A question for controls: states, attributes, roles and interfaces, each with how they are to match; then
#: the order, how many (all), and whether to look below what matches.
_RULE = "((aiia{ss}iaiiasib)uib)"
_ALL, _ANY = int(Atspi.CollectionMatchType.ALL), int(Atspi.CollectionMatchType.ANY)
_WORD_BITS = 32


@dataclass(frozen=True, slots=True)
class Sign:
    """A control as it was when it was asked; without a name and in no state if it was gone."""

    path: str
    name: str = ""
    states: int = 0

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

    def all(self, *, hidden: bool) -> list[Sign]:
        """Return what is on screen in order, or all there is if `hidden`; nothing while it isn't there."""
        return self.now(self._everything(hidden=hidden))

    def find(self, name: str, role: str, *, hidden: bool) -> list[Sign]:
        """Return the controls of a name; any role if `role` is empty."""
        paths = self._below_root(role, hidden=hidden)
        named = [path for path, its in zip(paths, self._names(paths), strict=True) if its == name]
        return self.now([path for path in named if hidden or self._is_in_sight(path)])

    def words(self, *, hidden: bool) -> list[str]:
        """Return all names, descriptions and texts of what is on screen, or of all there is."""
        paths = self._everything(hidden=hidden)
        texts = self._texts(paths)
        told = zip(self._names(paths), self._descriptions(paths), paths, strict=True)
        return [words for name, of, path in told for words in (name, of, texts.get(path, "")) if words]

    def saying(self, part: str) -> str:
        """Return what is said on screen with this in it; empty if nothing is."""
        paths = self._everything(hidden=False)
        for ask in (self._names, self._descriptions, lambda shown: list(self._texts(shown).values())):
            if found := next((words for words in ask(paths) if part in words), ""):
                return found
        return ""

    def offers(self, box: Sign) -> list[str]:
        """Return what a combo box offers, open or closed."""
        return self._names(self._matching(box.path, _LIST_ITEM, hidden=True))

    def has_active_window(self) -> bool:
        """Tell whether one of its windows has the keyboard."""
        self._name = self._name or self._find()
        (windows,) = self._ask([Question(ROOT, _ACCESSIBLE, "GetChildren")]) if self._name else [None]
        return any(
            one.has("active") for one in self.now([path for _bus, path in windows[0]] if windows else [])
        )

    def press(self, seen: Sign) -> bool:
        """Do what a control does when it is pressed, and tell whether that could be done."""
        return self._do(seen, _ACTION, "DoAction", GLib.Variant("(i)", (0,)))

    def fill(self, seen: Sign, text: str) -> bool:
        """Replace what a text field holds."""
        return self._do(seen, _EDITABLE, "SetTextContents", GLib.Variant("(s)", (text,)))

    def select_all(self, table: Sign) -> bool:
        """Select all rows of a table; tell whether it has some and took all."""
        (count,) = self._ask([_property(table.path, _TABLE, "NRows")])
        rows = range(count[0] if count else 0)
        done = [self._do(table, _TABLE, "AddRowSelection", GLib.Variant("(i)", (row,))) for row in rows]
        return bool(done) and all(done)

    def place(self, seen: Sign) -> tuple[int, int, int, int]:
        """Return where a control is on the screen: left, top, width, height; all 0 if it is gone."""
        on_screen = GLib.Variant("(u)", (int(Atspi.CoordType.SCREEN),))
        (box,) = self._ask([Question(seen.path, _COMPONENT, "GetExtents", on_screen)])
        return box[0] if box else (0, 0, 0, 0)

    def now(self, paths: list[str]) -> list[Sign]:
        """Return controls as they are now."""
        states = self._ask(_state(path) for path in paths)
        names = self._names(paths)
        return [
            Sign(path, name, state[0][0] | state[0][1] << _WORD_BITS if state else 0)
            for path, name, state in zip(paths, names, states, strict=True)
        ]

    def roles(self, nodes: list[Sign]) -> list[str]:
        """Return the nodes' roles."""
        answers = self._ask(Question(one.path, _ACCESSIBLE, "GetRole") for one in nodes)
        return [Atspi.role_get_name(Atspi.Role(answer[0])) if answer else "" for answer in answers]

    def described(self, nodes: list[Sign]) -> list[dict[str, Any]]:
        """Return what is told of nodes."""
        paths = [one.path for one in nodes]
        texts = self._texts(paths)
        return [
            {
                "role": role,
                "name": one.name,
                "description": description,
                "text": texts.get(one.path, ""),
                "states": [state for state in STATES if one.has(state)],
            }
            for one, role, description in zip(
                nodes, self.roles(nodes), self._descriptions(paths), strict=True
            )
        ]

    def rows(self, table: Sign) -> list[list[str]]:
        """Return the texts of a table's cells, row by row; none if one was gone before it could be read."""
        rows, columns = self._ask(_property(table.path, _TABLE, name) for name in ("NRows", "NColumns"))
        if not rows or not columns:
            return []
        cells = self._ask(
            Question(table.path, _TABLE, "GetAccessibleAt", GLib.Variant("(ii)", (row, column)))
            for row in range(rows[0])
            for column in range(columns[0])
        )
        paths = [cell[0][1] if cell else _NOWHERE for cell in cells]
        names = self._ask(_property(path, _ACCESSIBLE, "Name") for path in paths)
        if None in names:
            return []
        texts = [name[0] for name in names]
        return [texts[start : start + columns[0]] for start in range(0, len(texts), columns[0] or 1)]

    def _names(self, paths: list[str]) -> list[str]:
        names = self._ask(_property(path, _ACCESSIBLE, "Name") for path in paths)
        return [name[0] if name else "" for name in names]

    def _descriptions(self, paths: list[str]) -> list[str]:
        told = self._ask(_property(path, _ACCESSIBLE, "Description") for path in paths)
        return [one[0] if one else "" for one in told]

    def _texts(self, paths: list[str]) -> dict[str, str]:
        """Return the texts inside those controls that have one, by their paths."""
        if not paths:
            return {}
        have = set(paths).intersection(self._matching(ROOT, "", hidden=True, interface=_WITH_TEXT))
        whole = GLib.Variant("(ii)", (0, -1))
        told = self._ask(Question(path, _TEXT, "GetText", whole) for path in have)
        return {path: text[0] for path, text in zip(have, told, strict=True) if text}

    def _everything(self, *, hidden: bool) -> list[str]:
        """Return the paths of all that is on screen, in order, or of all there is if `hidden`.

        What lies in a closed list or on a hidden page may say that it is shown.
        """
        paths = self._below_root("", hidden=hidden)
        if hidden:
            return paths
        parents = self._ask(_property(path, _ACCESSIBLE, "Parent") for path in paths)
        shown: dict[str, None] = {}
        for path, parent in zip(paths, parents, strict=True):
            if path == ROOT or (parent and parent[0][1] in shown):
                shown[path] = None
        return list(shown)

    def _below_root(self, role: str, *, hidden: bool) -> list[str]:
        """Return the paths of all that is of a role, or of any: shown, or not if `hidden`."""
        self._name = self._name or self._find()
        if not self._name:
            return []
        itself = [ROOT] if role in {"", "application"} else []
        return itself + self._matching(ROOT, role, hidden=hidden)

    def _matching(self, path: str, role: str, *, hidden: bool, interface: str = "") -> list[str]:
        """Return the paths of what is below one, in order; of a role and an interface if they are given."""
        states, roles = [0, 0], [0] * 4
        if not hidden:
            states[0] = 1 << _BITS["showing"]
        if role:
            word, bit = divmod(_ROLES[role], _WORD_BITS)
            roles[word] = _signed(1 << bit)
        rule = (
            states,
            _ALL,
            {},
            _ALL,
            roles,
            _ANY if role else _ALL,
            [interface] if interface else [],
            _ALL,
            False,
        )
        asked = GLib.Variant(_RULE, (rule, int(Atspi.CollectionSortOrder.CANONICAL), 0, True))
        (found,) = self._ask([Question(path, _COLLECTION, "GetMatches", asked)])
        return [path for _bus, path in found[0]] if found else []

    def _is_in_sight(self, path: str) -> bool:
        """Tell whether what is around a control is shown."""
        while path != ROOT:
            state, parent = self._ask([_state(path), _property(path, _ACCESSIBLE, "Parent")])
            if not (state and parent and state[0][0] >> _BITS["showing"] & 1):
                return False
            path = parent[0][1]
        return True

    def _do(self, seen: Sign, interface: str, method: str, arguments: GLib.Variant) -> bool:
        (done,) = self._ask([Question(seen.path, interface, method, arguments)])
        return bool(done) and bool(done[0])

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


def _signed(word: int) -> int:
    """Return 32 bits as the number with a sign that they are on the bus."""
    return word - (1 << _WORD_BITS) if word >> (_WORD_BITS - 1) else word


def _state(path: str) -> Question:
    return Question(path, _ACCESSIBLE, "GetState")
