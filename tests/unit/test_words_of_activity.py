"""The words of what was done: every stable word that a use case keeps has its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import keybench.workflows
from keybench.core.ports import Activity
from keybench.words.activity import ACTION_WORDS, action_words

#: The calls that keep a line, and which of their arguments is its stable word.
NOTING = {"note_activity": 0, "line": 0, "_noted": 0, "_note": 0, "Activity": 1, "record": 2, "act": 3}


def literals(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.IfExp(body=body, orelse=otherwise):
            yield from literals(body)
            yield from literals(otherwise)
        case _:
            pass


def kept() -> Iterator[str]:
    for path in Path(keybench.workflows.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            number = NOTING.get(name, len(node.args))
            if number < len(node.args):
                yield from literals(node.args[number])


def test_every_kind_that_is_kept_has_words() -> None:
    found = set(kept())
    assert len(found) >= 20
    assert found <= set(ACTION_WORDS)


def test_a_kind_of_another_version_is_shown_as_it_is_kept() -> None:
    line = Activity(datetime(2026, 1, 1, tzinfo=UTC), "key polished", "", "Till", "")
    assert action_words(line) == "key polished"
