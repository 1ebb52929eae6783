"""What every test keeps to: a clean environment, no unexpected warning logged, no thread of ours left."""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import settings
from pytest_timeout import Settings

from sweeps import examples

# Two rooms use it, whichever is collected first.
pytest.register_assert_rewrite("contracts.probing_contract", "contracts.retention_contract")

# Shared machines stall; a law that takes long is the time limit's to find, and a failure must come again.
settings.register_profile(
    "keybench", max_examples=examples(100), deadline=None, derandomize=True, print_blob=True
)
settings.load_profile("keybench")

# As the window does: garbage with widgets in it may not be collected on another thread.
gc.disable()
#: Thousands of tests make a lot that stays.
_GARBAGE = 20_000

# A shell starts what runs in the background with these ignored, and a test's own programs would inherit that.
for _name in ("SIGINT", "SIGQUIT", "SIGHUP"):
    _number = getattr(signal, _name, None)
    if _number and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL)

_stderr = pytest.StashKey[int]()

_STRAY_VARIABLES = (
    "KEYBENCH_DATA_DIR",
    "PYTHON_KEYRING_BACKEND",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SSLKEYLOGFILE",
)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_PATIENCE_S = 60.0
# The keystore leaves a native call that hangs to itself with its thread, and its tests make calls hang.
_LEFT_ON_PURPOSE = "keybench keystore"


def pytest_runtest_logfinish() -> None:
    """Collect between tests what one has left; what is still there then is looked through no more."""
    if gc.get_count()[0] > _GARBAGE:
        gc.collect()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before those are left out that are marked as sweeps
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases: Counter[str] = Counter()
    for item in items:
        if thin := item.get_closest_marker("thin"):
            test = item.nodeid.partition("[")[0]
            if cases[test] % thin.args[0]:
                item.add_marker("sweep")
            cases[test] += 1


def pytest_collection_finish() -> None:
    """Spare each full collection of garbage the tests themselves, thousands of objects that stay."""
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_stderr] = os.dup(2)  # while a test runs, pytest has its own there


def pytest_timeout_set_timer(item: pytest.Item, settings: Settings) -> None:
    """Besides, end the process with a stack after twice the limit: a failed test may wait for a child."""
    faulthandler.dump_traceback_later(2 * settings.timeout, exit=True, file=item.config.stash[_stderr])


def pytest_timeout_cancel_timer(item: pytest.Item) -> None:
    """The test has ended."""
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session")
def qapp() -> None:
    """Fail: the one application that a process can have is the program's own, which tests/ui makes."""
    pytest.fail("a test that wants an application belongs in tests/ui")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _STRAY_VARIABLES + _PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(autouse=True)
def _quiet_log(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    if request.node.get_closest_marker("logs"):
        return
    heard = caplog.get_records("setup") + caplog.get_records("call")
    loud = [f"{one.name}: {one.getMessage()}" for one in heard if one.levelno >= logging.WARNING]
    assert not loud, "a test that is meant to log is marked: @pytest.mark.logs"


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    new = set(threading.enumerate()) - before
    ours = [one for one in new if one.name.startswith("keybench") and one.name != _LEFT_ON_PURPOSE]
    for thread in ours:
        thread.join(_PATIENCE_S)
    assert not [thread.name for thread in ours if thread.is_alive()], "a worker was not stopped"
