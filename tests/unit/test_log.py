"""The program's log: nothing secret gets out of it, it has an end, and it tells what nobody expected."""

from __future__ import annotations

import io
import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.log import begun
from keybench.core.secret import Secret
from keybench.runtime.log import MOST_CHARACTERS, MOST_LINES, Log, redacted

pytestmark = pytest.mark.logs

VALUE = "ratherplainwordsasakey"  # by its form it is no key
UNTOUCHED = (
    "KeyError: 'name' of KB-7Q2M-X4T9-KD3F",
    "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    'File "/usr/lib/python3.12/asyncio/events.py", line 88',
)
LOGGER = logging.getLogger("keybench.test")
LIBRARY = logging.getLogger("some.library")


@pytest.fixture
def stderr(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Standard error."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


@pytest.fixture
def log(tmp_path: Path, stderr: io.StringIO) -> Iterator[Log]:
    """A log of its own in place of the program's, with a file."""
    assert not stderr.getvalue()
    with begun(Log(), tmp_path / "data" / "keybench.log") as log:
        yield log


def written(log: Log) -> str:
    assert log.path
    return log.path.read_text("utf-8")


def test_a_value_is_in_none_of_it_wherever_it_was_logged(log: Log, stderr: io.StringIO) -> None:
    value = Secret(VALUE)
    LOGGER.warning("it was %s", VALUE)
    LIBRARY.error("in %r", {"any": [VALUE.upper(), VALUE.encode().hex()]})
    error = ValueError(f"can't take {VALUE}")
    error.__cause__ = OSError(VALUE)
    LOGGER.error("it failed with %(any)s", {"any": VALUE}, exc_info=error)
    LIBRARY.critical("with the stack", stack_info=True, extra={"value": VALUE})
    told = written(log) + stderr.getvalue() + "".join(line.msg for line in log.lines)
    assert told.count("it was ••••••") == 3
    assert told.count("ValueError: can't take ••••••") == 3
    for form in (VALUE, VALUE.upper(), VALUE.encode().hex()):
        assert form not in told
    assert value


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("{'x-api-key': 'abc', 'accept': 'json'}", "{'x-api-key': '••••••', 'accept': 'json'}"),
        ('{"token":"a\\"bc", "ok": true', '{"token":"••••••", "ok": true'),
        ("Authorization: Bearer abc.def", "Authorization: ••••••"),
        ("Cookie: one=1; two=2", "Cookie: ••••••"),
        ("api_key='abc", "api_key='••••••'"),
        ("password=abc&user=x", "password=••••••&user=x"),
        ("postgresql://desk:abc@server/journal", "postgresql://••••••@server/journal"),
        ("got v4_secret_abcdefgh1 back", "got •••••• back"),
        ("got aB3dE6-gH1jK2-mN4pQ5-sT7vW8 back", "got •••••• back"),
        ("got 6457Thfj624V5r7WUwc5v6a68Zsd6YEm.", "got ••••••."),
        ("card 4111 1111 1111 1111 was", "card <card number> was"),
        ("mail anna@example.com", "mail \u2039e-mail\u203a"),
        ("GET https://gateway.example/x?who=1", "GET https://gateway.example/x?\u2039hidden\u203a"),
        *((text, text) for text in UNTOUCHED),
    ],
)  # fmt: skip
def test_secrets_are_known_by_what_stands_before_them_and_by_their_form(text: str, kept: str) -> None:
    assert redacted(text) == kept


def test_it_keeps_the_newest_lines_and_cuts_long_ones(log: Log) -> None:
    value = Secret(VALUE)
    for number in range(MOST_LINES + 5):
        LOGGER.info("line %s", number)
    LOGGER.info("%s", " " * (MOST_CHARACTERS - 5) + VALUE)
    assert len(log.lines) == MOST_LINES
    assert log.lines[0].msg == "line 6"
    assert len(log.lines[-1].msg) <= MOST_CHARACTERS + 2
    assert VALUE[:4] not in log.lines[-1].msg
    assert value
    LOGGER.warning("%s", "a word " * 2_000)
    for _line in range(80):
        LOGGER.warning("%s", "a word " * 2_000)
    assert log.path
    files = sorted(log.path.parent.iterdir())
    assert [one.name for one in files] == ["keybench.log", "keybench.log.1"]
    assert all(one.stat().st_size <= 500_000 for one in files)


def test_the_file_has_warnings_and_worse_and_libraries_say_no_less(log: Log) -> None:
    LOGGER.info("sale begun")
    LIBRARY.info("GET https://gateway.example/")
    LOGGER.warning("100% of it")
    assert [line.msg for line in log.lines] == ["sale begun", "100% of it"]
    assert written(log).endswith("WARNING keybench.test: 100% of it\n")
    assert "sale" not in written(log)


def test_a_file_that_cannot_be_written_is_passed_over(tmp_path: Path) -> None:
    with begun(Log(), tmp_path) as log:  # a folder stands there
        LOGGER.warning("something")
    assert log.lines[-1].msg == "something"


def fail() -> None:
    raise RuntimeError("unforeseen")


def raised() -> RuntimeError:
    try:
        fail()
    except RuntimeError as error:
        return error
    raise AssertionError


def test_what_nobody_catches_is_logged_once_wherever_it_was_raised(log: Log, stderr: io.StringIO) -> None:
    told: list[tuple[str, logging.LogRecord]] = []
    log.on_fault = lambda *fault: told.append(fault)
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    error = raised()
    sys.excepthook(RuntimeError, error, error.__traceback__)
    assert stderr.getvalue().count("RuntimeError: unforeseen") == 2
    for _more in range(6):
        LOGGER.error("again", exc_info=raised())
    assert [line for _place, line in told] == list(log.lines)
    assert len(told) == 4  # the 1st, 2nd, 4th and 8th time
    ((place, _line),) = {(place, log.counts[place]) for place, _line in told}
    assert log.counts[place] == 8


def test_what_somebody_dealt_with_is_no_fault(log: Log) -> None:
    LIBRARY.error("the connection went", exc_info=raised())
    LOGGER.warning("tried again", exc_info=raised())
    LOGGER.error("no exception")
    assert list(log.counts) == [""]
    assert len(log.lines) == 3
