"""A journal whose file goes, or whose disk fails for a moment: told as what it is, and not written around."""

from __future__ import annotations

import ctypes
import errno
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.journal_samples import an_environment
from journal.files import content_of, make, move, put, refusal, remove
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalGone, JournalUnwritable
from keybench.core.ports import Clock
from keybench.journal import SqlJournal
from keybench.runtime.data_folder import sign_of
from keybench.runtime.file_system import FileSystem

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps an open file where it is")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="SQLite's own calls are replaced by ctypes")


@posix_only
@pytest.mark.parametrize("is_replaced", [False, True])
@pytest.mark.parametrize("kind", ["ext4", "nfs4"])
async def test_nothing_is_written_to_a_file_that_nobody_finds(
    path: Path, clock: Clock, kind: str, *, is_replaced: bool
) -> None:
    found = FileSystem(kind, is_remote=kind == "nfs4")
    journal = SqlJournal(path, clock, file_system_of=lambda _folder: found)
    await journal.open()
    away = move(path, path.with_name("away"))
    if is_replaced:
        put(path, content_of(away))
    with pytest.raises(JournalGone) as raised:
        await journal.add_environment(an_environment())
    assert raised.value.is_open
    assert len(await journal.environments()) == 1
    move(away, path)
    await journal.add_environment(an_environment())
    assert len(await journal.environments()) == 2
    await journal.close()


async def test_a_folder_that_had_a_journal_asks_before_an_empty_one_is_made(path: Path, clock: Clock) -> None:
    first = await make(path, clock)
    remove(sign_of(path))  # an earlier Keybench left none
    assert await make(path, clock) == first
    backup = content_of(path)
    remove(path)
    error = await refusal(path, clock)
    assert isinstance(error, JournalGone)
    assert not error.is_open
    put(path, backup)
    assert await make(path, clock) == first, "a restored backup raised a question"
    remove(path)
    remove(sign_of(path))
    assert await make(path, clock) == first, "the desk, and what its keystore has, is the same"


class Reads:
    """SQLite's reads on this computer; those that `fails` says yes to fail as a disk does."""

    def __init__(self) -> None:
        self.fails: Callable[[], bool] = lambda: False
        library = ctypes.CDLL("libsqlite3.so.0")
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        self._vfs = library.sqlite3_vfs_find(None)
        self._before: dict[bytes, int] = {}
        self._kept: list[object] = []
        for name, *more in ((b"read",), (b"pread", ctypes.c_longlong), (b"pread64", ctypes.c_longlong)):
            self._replace(name, ctypes.c_size_t, *more)

    def _replace(self, name: bytes, *kinds: Any) -> None:
        self._before[name] = address = self._vfs.contents.get(self._vfs, name)
        if not address:  # it was built without
            return
        kind = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, *kinds, use_errno=True)
        real = kind(address)

        def read(*words: Any) -> int:
            if not self.fails():
                return int(real(*words))
            ctypes.set_errno(errno.EIO)
            return -1

        self._kept.append(replaced := kind(read))
        assert self._vfs.contents.set(self._vfs, name, ctypes.cast(replaced, ctypes.c_void_p)) == 0

    def restore(self) -> None:
        for name, address in self._before.items():
            self._vfs.contents.set(self._vfs, name, address)


class _Vfs(ctypes.Structure):
    """https://www.sqlite.org/c3ref/vfs.html"""


_Vfs._fields_ = [
    *(("version", ctypes.c_int), ("file", ctypes.c_int), ("longest", ctypes.c_int)),
    *(("next", ctypes.c_void_p), ("name", ctypes.c_char_p), ("data", ctypes.c_void_p)),
    *((f"call{number}", ctypes.c_void_p) for number in range(13)),
    ("set", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Vfs), ctypes.c_char_p, ctypes.c_void_p)),
    ("get", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Vfs), ctypes.c_char_p)),
]


@pytest.fixture
def reads() -> Iterator[Reads]:
    reads = Reads()
    yield reads
    reads.restore()


@linux_only
@pytest.mark.parametrize("lasts", [False, True])
async def test_a_read_that_fails_is_not_called_damage(
    path: Path, clock: Clock, reads: Reads, *, lasts: bool
) -> None:
    """At each read of opening and of a query, once or from there on; SQLite calls most of these malformed."""
    await make(path, clock)
    count = at = 0

    def is_failing() -> bool:
        nonlocal count
        count += 1
        return count >= at if lasts else count == at

    reads.fails = is_failing
    failed = []
    for at in range(1, 100):
        count = 0
        journal = SqlJournal(path, clock)
        try:
            await journal.open()
            assert [one.id for one in await journal.environments()] == [PRACTICE_ID]
        except JournalUnwritable as error:
            failed.append(error.reason)
        await journal.close()
        if count < at:
            break
    assert at > 10
    assert set(failed) == {JournalUnwritable.IO_FAILED}
    assert not lasts or len(failed) == at - 1
