"""Every sentence a person reads goes through gettext's functions, whole and with named places."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from babel.messages.extract import extract_from_dir

APP: Final = Path(__file__).resolve().parents[2] / "app" / "keybench"
ROOMS: Final = ("cli", "ui", "words")
FILES: Final = sorted(path for room in ROOMS for path in (APP / room).rglob("*.py"))
MARKS: Final = {"_", "ngettext"}
#: A capital, then small letters, then a space or what ends a sentence: what nobody but a person reads.
SENTENCE: Final = re.compile(r"[“(]?[A-Z][a-z']+([ ,].*[a-z]|.*[.…?!]$)", re.DOTALL)
#: Markup, places, and the codes of `strftime` and `logging`: what a translator must leave as it is.
NO_WORDS: Final = re.compile(r"<[^>]*>|\{[^}]*\}|%\(\w+\)|%-?[A-Za-z]")
#: Files whose sentences no one reads in the window or at the command line, each with its reason.
FOR_NOBODY: Final = {
    "ui/kit/tokens.py": "names of colours",
    "ui/kit/stylesheet.py": "a style sheet",
    "ui/tour/driver.py": "tells a programmer what a scene waited for",
    "ui/shell/application.py": "knows Qt's own messages",
}


def calls_of(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Give each call of a function or method by its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    yield name, node


@cache
def trees() -> dict[str, ast.Module]:
    return {path.relative_to(APP).as_posix(): ast.parse(path.read_text("utf-8")) for path in FILES}


@cache
def calls() -> list[tuple[str, str, ast.Call]]:
    return [(path, name, call) for path, tree in trees().items() for name, call in calls_of(tree)]


def texts_of(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Give each text, an f-string with a letter for each of its places, and no docstring."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            inside.update(id(part) for part in ast.walk(node.value) if isinstance(node.value, ast.Constant))
        if isinstance(node, ast.JoinedStr):
            inside.update(id(part) for part in node.values)
            parts = (part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
            yield node, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node, node.value


def marked_in(tree: ast.AST) -> set[int]:
    """Return what stands in a call that marks it, or in an error that a programmer reads."""
    inside = [call for name, call in calls_of(tree) if name in MARKS or name.endswith("Error")]
    return {id(part) for call in inside for part in ast.walk(call)}


def test_every_sentence_is_marked() -> None:
    assert [
        f"{path}:{node.lineno}: {text}"
        for path, tree in trees().items()
        if path not in FOR_NOBODY
        for marked in [marked_in(tree)]
        for node, text in texts_of(tree)
        if id(node) not in marked and SENTENCE.match(text.strip())
    ] == []


def test_what_is_marked_is_a_text() -> None:
    for path, name, call in calls():
        if name == "_" and isinstance(call.func, ast.Name):
            assert isinstance(call.args[0], ast.Constant), f"{path}:{call.lineno}"
        if name == "ngettext" and isinstance(call.func, ast.Name):
            assert {type(form) for form in call.args[:2]} == {ast.Constant}, f"{path}:{call.lineno}"


def test_all_places_of_what_is_marked_are_filled() -> None:
    for path, name, call in calls():
        if name != "format" or not isinstance(call.func, ast.Attribute):
            continue
        match call.func.value:
            case ast.Call(func=ast.Name(id="_"), args=[ast.Constant(value=str(text))]):
                places = {field for _text, field, _spec, _how in string.Formatter().parse(text) if field}
                assert places == {keyword.arg for keyword in call.keywords}, f"{path}:{call.lineno}"


def test_what_is_marked_has_words_to_translate() -> None:
    assert [
        f"{path}:{call.lineno}: {text}"
        for path, name, call in calls()
        if name in MARKS and isinstance(call.func, ast.Name)
        for _node, text in texts_of(call)
        if not re.search("[A-Za-z“]", NO_WORDS.sub("", text))
    ] == []


def test_figures_are_written_by_the_locale_and_not_by_the_sentence() -> None:
    specs = [
        f"{path}:{call.lineno}: {text}"
        for path, name, call in calls()
        if name in MARKS and isinstance(call.func, ast.Name)
        for _node, text in texts_of(call)
        if any(spec for _text, _field, spec, _how in string.Formatter().parse(text))
    ]
    assert specs == []
    for room in ROOMS:
        for path in (APP / room).rglob("*.py"):
            assert not re.search(r"\{[^{}]*:[0-9]*,[.0-9f]*\}", path.read_text("utf-8")), path


def test_of_two_texts_both_are_marked_or_none() -> None:
    for path, tree in trees().items():
        for choice in (node for node in ast.walk(tree) if isinstance(node, ast.IfExp)):
            for one, other in ((choice.body, choice.orelse), (choice.orelse, choice.body)):
                if marked_in(one) and isinstance(other, ast.Constant) and isinstance(other.value, str):
                    assert not re.search("[a-z]", other.value), f"{path}:{other.lineno}"


def test_ids_are_the_same_in_every_language() -> None:
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and any(getattr(one, "id", "") == "id" for one in node.targets):
                assert isinstance(node.value, ast.Constant), f"{path}:{node.lineno}"
            if isinstance(node, ast.ClassDef) and "enum.StrEnum" in map(ast.unparse, node.bases):
                for member in node.body:
                    if isinstance(member, ast.Assign):
                        assert isinstance(member.value, ast.Constant), f"{path}:{member.lineno}"


def test_one_extractor_finds_them() -> None:
    found = {message for _file, _line, message, _comments, _context in extract_from_dir(APP)}
    wanted = {
        str(call.args[0].value)
        for _path, name, call in calls()
        if name == "_" and isinstance(call.func, ast.Name) and isinstance(call.args[0], ast.Constant)
    }
    assert wanted
    assert wanted <= {one if isinstance(one, str) else one[0] for one in found}
