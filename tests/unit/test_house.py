"""The house's rules that no linter knows, read off the source itself."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2] / "app" / "keybench"
FILES = sorted(HOUSE.rglob("*.py"))
LONGEST = 450

# What never stands in the source, why, and the files that may have it all the same, each with its reason.
BANNED: dict[str, tuple[str, dict[str, str]]] = {
    r"\.exec\(": ("a nested Qt loop inside a coroutine loses tasks", {}),
    r"\.exec_\(": ("a nested Qt loop under its old name", {}),
    r"processEvents\(": ("a nested Qt loop in disguise", {}),
    r"\bQMessageBox\b|\bQInputDialog\b": ("their statics nest a loop", {}),
    r"QFileDialog\.get": ("these statics nest a loop", {}),
    r"\bQ(ComboBox|SpinBox|DoubleSpinBox|DateEdit|TimeEdit|DateTimeEdit)\(": (
        "the wheel would change it in passing: widgets.combo leaves it to the page",
        {"ui/kit/form.py": "tells editors apart by their class"},
    ),
    r"\bQLabel\(|\(QLabel\)": (
        "it takes what looks like markup for markup: widgets.labels has one that doesn't",
        {
            "ui/kit/labels.py": "is that",
        },
    ),
    r"\bsetToolTip\b|QToolTip\.|setWhatsThis|setStatusTip": (
        "Qt guesses whether it is markup: widgets.labels.set_tip doesn't let it",
        {
            "ui/kit/actions.py": "says it literally",
            "ui/kit/labels.py": "is that",
            "ui/shared/sales/timeline.py": "says it literally",
        },
    ),
    r"ToolTipRole": (
        "Qt guesses whether it is markup",
        {
            "ui/kit/tables/model.py": "says it literally, for all tables",
            "ui/shared/sales/fields.py": "says it literally",
        },
    ),
    r"RichText|MarkdownText|AutoText|setHtml|insertHtml|setMarkdown|QTextEdit\(": (
        "what people and gateways say isn't markup",
        {
            "ui/kit/labels.py": "asks Qt what it would take for markup",
            "ui/rotations/document_stage.py": "shows the record, whose words are escaped",
            "ui/shared/paper_pdf.py": "prints the same",
        },
    ),
    r"setRange\(0, 0\)|\bQ\w*Animation\b|\bQMovie\b|\bQTimeLine\b": (
        "what moves by itself draws some people's eyes away, and says no more than words do",
        {},
    ),
    r"QtNetwork|\bQ(Network|Tcp|Udp|Ssl|WebSocket)": (
        "the gateway's room is the one that speaks to a network",
        {"ui/shell/one_window.py": "speaks to the same person's other window, through a file"},
    ),
    r"able\.activated|\bitemActivated\b": ("one click does it on some desktops: Table.opened doesn't", {}),
    r"singleShot\([^,()]+, [^,()]+\)": ("without a context, it calls what is gone by then", {}),
    r"\btime\.sleep\b": ("a clock is moved, never slept on", {}),
    r"\basyncio\.(create_task|ensure_future|to_thread)\b": ("the supervisor and the worker do that", {}),
    r"\brun_in_executor\b": ("qasync's executor logs arguments", {}),
    r"\bkeyring\.(get|set|delete)_": ("the keystore chooses its backend", {}),
    r"\bos\.environ\[.*\] = ": (
        "nothing is handed on by environment variable",
        {
            "ui/shell/silent_bus.py": "Qt can be kept from a session bus in no other way",
            "runtime/data_folder.py": "gives back what a bundle's launcher changed",
            "loop.py": "qasync takes the binding's name in no other way",
            "words/language.py": "gettext and what is started from here take the language in no other way",
            "ui/shell/window.py": "Qt takes the token that lets a window come to the front in no other way",
        },
    ),
    r"\bTODO\b|\bFIXME\b|\bXXX\b|\bHACK\b": ("what is to be done is done", {}),
    r"except Exception\b|except:": (
        "foreign exceptions end at a room's edge, ours are named",
        {
            "runtime/events.py": "listeners are anybody's, and a use case must not hang on them",
            "gateway/connections.py": "the edge of the HTTP library",
            "keystore/translation.py": "the edge of the native keystores",
            "self_test.py": "a check of a broken installation may meet anything",
        },
    ),
    r"\.reveal\(\)": (
        "a value is shown by the keystore, the gateway and the one reveal/copy control",
        {
            "keystore/safe_write.py": "measures what a keystore can keep",
            "keystore/keyring_store.py": "writes it",
            "keystore/secret_service.py": "writes it",
            "gateway/client.py": "sends it",
            "core/text_search.py": "searches for it in what is kept",
            "core/support/masking.py": "searches for it in what is about to leave",
            "core/keys/key.py": "judges its form, of which one word is told",
            "gateway/connections.py": "gives a proxy's password to the proxy",
            "journal/postgres/engine.py": "gives a role's password to the team's server",
            "ui/shared/keys/value_line.py": "the reveal control",
            "ui/shared/clipboard.py": "the copy control",
        },
    ),
}


def place(path: Path) -> str:
    return path.relative_to(HOUSE).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def code_of(path: Path) -> str:
    """Return a file's source without comments' and docstrings' words, line by line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(lines)


def test_the_house_is_found() -> None:
    assert len(FILES) > 50


@pytest.mark.parametrize("pattern", BANNED)
def test_what_is_banned_stands_only_where_it_has_a_reason(pattern: str) -> None:
    reason, allowed = BANNED[pattern]
    found = {place(path) for path in FILES if re.search(pattern, code_of(path))}
    assert found - set(allowed) == set(), reason
    assert set(allowed) - found == set(), "an exception that nobody needs any more"


def test_every_file_says_first_what_it_is_for() -> None:
    silent = [place(path) for path in FILES if not ast.get_docstring(tree_of(path))]
    assert silent == []


def test_no_file_is_too_long_to_read() -> None:
    long = {place(path) for path in FILES if len(path.read_text("utf-8").splitlines()) > LONGEST}
    assert not long


def test_every_exception_made_to_a_tool_has_its_reason() -> None:
    bare = re.compile(r"#\s*(noqa|type:\s*ignore)(:\s*[A-Z0-9, ]+|\[[a-z, -]+\])?\s*$")
    found = [
        f"{place(path)}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if bare.search(line)
    ]
    assert found == []


def test_the_practice_gateway_imports_nothing_of_the_console() -> None:
    ours = r"\.practice|\.class_identity import| import __version__$"
    foreign = re.compile(rf"^\s*(?:from|import) keybench(?!{ours})[. ]", re.MULTILINE)
    both = HOUSE / "class_identity.py"  # what two ends of a class compare can't be two readings
    looked_at = [*(HOUSE / "practice").rglob("*.py"), both]
    assert [place(path) for path in looked_at if foreign.search(code_of(path))] == []
