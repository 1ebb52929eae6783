"""The program's log: nothing secret gets out of it, it has an end, and it tells what nobody expected."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from keybench.core.secret import Secret
from keybench.runtime.log import MOST_CHARACTERS, MOST_LINES, Fault, Log, log_to_stderr, redacted

pytestmark = pytest.mark.logs

VALUE = "ratherplainwordsasakey"  # by its form it is no key
LOGGER = logging.getLogger("keybench.test")
LIBRARY = logging.getLogger("some.library")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    """A log of its own in place of the program's, with a file."""
    for module, name in ((sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook")):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(logging, "raiseExceptions", True)
    level = logging.getLogger("keybench").level
    log = Log()
    log.begin(tmp_path / "data" / "keybench.log")
    yield log
    logging.getLogger().removeHandler(log)
    log.close()
    logging.getLogger("keybench").setLevel(level)


def written(log: Log) -> str:
    assert log.path
    return log.path.read_text("utf-8")


def test_a_value_is_in_none_of_it_wherever_it_was_logged(
    log: Log, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.begin(tmp_path / "keybench.log")  # with the test's own standard error
    value = Secret(VALUE)
    LOGGER.warning("it was %s", VALUE)
    LIBRARY.error("in %r", {"any": [VALUE.upper(), VALUE.encode().hex()]})
    try:
        raise ValueError(f"can't take {VALUE}") from OSError(VALUE)
    except ValueError:
        LOGGER.exception("it failed with %(any)s", {"any": VALUE})
    LIBRARY.critical("with the stack", stack_info=True, extra={"value": VALUE})
    told = written(log) + capsys.readouterr().err + "".join(line.text for line in log.lines)
    assert told.count("it was ••••••") == 3
    assert told.count("ValueError: can't take ••••••") == 3
    for form in (VALUE, VALUE.upper(), VALUE.encode().hex()):
        assert form not in told
    assert value


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("headers={'x-api-key': 'abc', 'accept': 'json'}", "headers={'x-api-key': '••••••', 'accept': 'json'}"),
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
        ("mail anna@example.com", "mail ‹e-mail›"),
        ("GET https://gateway.example/x?who=1", "GET https://gateway.example/x?‹hidden›"),
        ("KeyError: 'name' of KB-7Q2M-X4T9-KD3F", "KeyError: 'name' of KB-7Q2M-X4T9-KD3F"),
        ("id 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301"),
        ('File "/usr/lib/python3.12/asyncio/events.py", line 88', 'File "/usr/lib/python3.12/asyncio/events.py", line 88'),
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
    assert log.lines[0].text == "line 6"
    assert len(log.lines[-1].text) <= MOST_CHARACTERS + 2
    assert VALUE[:4] not in log.lines[-1].text
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
    assert [line.text for line in log.lines] == ["sale begun", "100% of it"]
    assert written(log).endswith("WARNING keybench.test: 100% of it\n")
    assert "sale" not in written(log)


def test_a_file_that_cannot_be_written_is_told_and_the_lines_are_there(
    log: Log, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.begin(tmp_path)  # a folder stands there
    assert not log.trouble
    LOGGER.warning("something")
    assert log.trouble == "Is a directory"
    assert log.lines[-1].text == "something"
    assert capsys.readouterr().err.endswith("WARNING keybench.test: something\n")


def fail() -> None:
    raise RuntimeError("unforeseen")


def raised() -> RuntimeError:
    try:
        fail()
    except RuntimeError as error:
        return error
    raise AssertionError


def test_what_nobody_catches_is_logged_once_wherever_it_was_raised(
    log: Log, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.begin(tmp_path / "keybench.log")
    told: list[tuple[str, int]] = []
    log.on_fault = lambda fault: told.append((fault.place, fault.count))
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    error = raised()
    sys.excepthook(RuntimeError, error, error.__traceback__)
    (fault,) = log.faults.values()
    assert told == [(fault.place, 1), (fault.place, 2)]
    assert capsys.readouterr().err.count("RuntimeError: unforeseen") == 2
    for _more in range(6):
        LOGGER.error("again", exc_info=raised())
    assert fault.count == 8
    assert [count for _place, count in told] == [1, 2, 4, 8]
    assert len(log.lines) == 4
    assert fault == Fault(fault.place, 8, log.lines[-1])


def test_what_somebody_dealt_with_is_no_fault(log: Log) -> None:
    LIBRARY.error("the connection went", exc_info=raised())
    LOGGER.warning("tried again", exc_info=raised())
    LOGGER.error("no exception")
    assert not log.faults
    assert len(log.lines) == 3


def test_commands_have_nothing_secret_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    log_to_stderr("keybench: %(message)s")
    LIBRARY.warning("apikey=%s", "abc")
    assert capsys.readouterr().err == "keybench: apikey=••••••\n"
