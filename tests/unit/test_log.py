"""The program's log: nothing secret gets out of it, it has an end, and it tells what nobody expected."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.log import begun
from keybench.core.secret import Secret
from keybench.runtime.log import MOST_CHARACTERS, MOST_LINES, Log
from keybench.runtime.redaction import redacted

pytestmark = pytest.mark.logs

VALUE = "ratherplainwordsasakey"  # by its form it is no key
HELD = Secret(VALUE)
LOGGER = logging.getLogger("keybench.test")
LIBRARY = logging.getLogger("some.library")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    """A log of its own in place of the program's."""
    with begun(tmp_path / "keybench.log") as log:
        yield log


def test_a_value_is_in_none_of_it_wherever_it_was_logged(log: Log, tmp_path: Path) -> None:
    LIBRARY.error("it was %s in %r", VALUE, {"any": [VALUE.upper(), VALUE.encode().hex()]})
    error = ValueError(f"can't take {VALUE}")
    error.__cause__ = OSError(VALUE)
    LOGGER.error("it failed with %(any)s", {"any": VALUE}, exc_info=error)
    LIBRARY.critical("with the stack", stack_info=True, extra={"value": VALUE})
    written = (tmp_path / "keybench.log").read_text("utf-8")
    for told in (written, "\n".join(line.msg for line in log.lines)):
        assert "it was •••••• in {'any': ['••••••', '••••••']}" in told
        assert "OSError: ••••••\n" in told
        assert "ValueError: can't take ••••••" in told
        assert VALUE not in told


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
        ("KeyError: 'name' of KB-7Q2M-X4T9-KD3F", ""),
        ("id 3f2504e0-4f89-11d3-9a0c-0305e82c3301", ""),
        ('File "/usr/lib/python3.12/asyncio/events.py", line 88', ""),
    ],
)
def test_secrets_are_known_by_what_stands_before_them_and_by_their_form(text: str, kept: str) -> None:
    assert redacted(text) == (kept or text)


def test_it_keeps_the_newest_lines_cuts_long_ones_and_its_file(log: Log, tmp_path: Path) -> None:
    for number in range(MOST_LINES + 5):
        LOGGER.info("line %s", number)
    LOGGER.info("%s", " " * (MOST_CHARACTERS - 5) + VALUE)
    LIBRARY.info("GET https://gateway.example/")
    assert len(log.lines) == MOST_LINES
    assert log.lines[0].msg == "line 6"
    assert len(log.lines[-1].msg) <= MOST_CHARACTERS + 2
    assert VALUE[:4] not in log.lines[-1].msg
    assert not (tmp_path / "keybench.log").exists()  # it has warnings and worse
    for _line in range(80):
        LOGGER.warning("%s", "a word " * 2_000)
    files = sorted(tmp_path.iterdir())
    assert [one.name for one in files] == ["keybench.log", "keybench.log.1"]
    assert all(one.stat().st_size <= 500_000 for one in files)


def test_a_file_that_cannot_be_written_and_a_line_that_fits_nothing_are_passed_over(tmp_path: Path) -> None:
    with begun(tmp_path) as log:  # a folder stands there
        LOGGER.warning("100% of it")
        LOGGER.warning("%d", VALUE)
    assert log.lines[0].msg == "100% of it"
    assert log.lines[1].msg.startswith("a line that can't be formatted: ")


def fail() -> None:
    raise RuntimeError("unforeseen")


def test_what_nobody_catches_is_logged_at_its_1st_2nd_4th_and_8th_time(log: Log) -> None:
    told: list[tuple[str, logging.LogRecord]] = []
    log.on_fault = lambda *fault: told.append(fault)
    LIBRARY.error("the connection went", exc_info=OSError())  # somebody dealt with it
    for count in range(1, 9):
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        assert len(log.lines) == 1 + count.bit_length()
    assert [line for _place, line in told] == list(log.lines)[1:]
    assert [log.counts[place] for place, _line in told] == [8] * 4
