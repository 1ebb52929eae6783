"""The documents of the source: short where people begin, and their links and names lead somewhere."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
FRONT_PAGE_LINES: Final = 150
DOCUMENTS: Final = (
    "README.md",
    "app/keybench/README.md",
    "app/keybench/DECISIONS.md",
    "tests/benchmarks/README.md",
)
_LINK: Final = re.compile(r"\]\(([^)#]+)\)")
_FILE: Final = re.compile(r"`((?:\w+/)+[\w.-]*)`")
_NAME: Final = re.compile(r"`((?:ui|cli|core|words|gateway)(?:\.[a-z_]+)+)\.([A-Z]\w+)`")


def test_the_front_page_is_read_in_one_go() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= FRONT_PAGE_LINES
    assert text.count("![") == 2


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_and_files_of_a_document_lead_somewhere(name: str) -> None:
    document = ROOT / name
    text = document.read_text("utf-8")
    linked = {(document.parent / link).resolve() for link in _LINK.findall(text)}
    assert {path for path in linked if not path.exists()} == set()
    inside = ROOT / "app" / "keybench"
    missing = [one for one in _FILE.findall(text) if not any((top / one).exists() for top in (ROOT, inside))]
    assert [one for one in missing if not one.startswith(("build/", "dist/"))] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_document_names_of_the_program_is_there(name: str) -> None:
    for module, what in _NAME.findall((ROOT / name).read_text("utf-8")):
        assert hasattr(import_module(f"keybench.{module}"), what), f"{module}.{what}"


def test_the_map_names_each_folder_and_says_of_it_what_it_says_itself() -> None:
    rooms = ROOT / "app" / "keybench"
    listed = dict(
        re.findall(r"^\| `([a-z_/]+)/` \| (.+) \|$", (rooms / "README.md").read_text("utf-8"), re.MULTILINE)
    )
    there = {}
    for path in rooms.rglob("__init__.py"):
        if path.parent != rooms:
            words = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
            there[path.parent.relative_to(rooms).as_posix()] = words.partition("\n")[0]
    assert listed == there
