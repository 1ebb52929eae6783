"""What a person names as a file: only an ordinary one is read or written, and never more than makes sense."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from keybench.cli.commands.bundle import _diagnosis
from keybench.core.errors import (
    ContractInvalid,
    DeviceListInvalid,
    DiagnosisInvalid,
    FileNotSaved,
    KeyListInvalid,
)
from keybench.gateway.contracts import Contracts
from keybench.practice.replay import UnreadableRecording, read_recording
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import save_here
from keybench.workflows.keys import importing as key_import
from keybench.workflows.sales.batch import read_device_file

#: Everything that reads a file which a person names, with its refusal.
READERS: list[tuple[Callable[[Path], object], type[Exception]]] = [
    (lambda path: read_device_file(path, "", "USD"), DeviceListInvalid),
    (key_import._read_file, KeyListInvalid),
    (lambda path: _diagnosis(str(path)), DiagnosisInvalid),
    (lambda path: Contracts().checked(path), ContractInvalid),
    (read_recording, UnreadableRecording),
]
KINDS = ["folder"] if sys.platform == "win32" else ["folder", "pipe", "device", "socket", "link to a device"]


@pytest.fixture(params=KINDS)
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "named.csv"
    match request.param:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path = Path("/dev/zero")
        case "link to a device":
            path.symlink_to("/dev/zero")
        case _:
            with socket.socket(socket.AF_UNIX) as bound, pytest.MonkeyPatch.context() as patch:
                patch.chdir(tmp_path)  # a socket's path is short
                bound.bind(path.name)
                yield path
                return
    yield path


@pytest.mark.timeout(10)
@pytest.mark.parametrize(("reader", "refusal"), READERS)
def test_what_is_no_ordinary_file_is_refused_at_once(
    odd: Path, reader: Callable[[Path], object], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        reader(odd)


@pytest.mark.timeout(10)
def test_nothing_is_saved_over_what_is_no_ordinary_file(odd: Path) -> None:
    if odd.is_dir():
        return  # another test's
    before = set(odd.parent.iterdir())
    with pytest.raises(FileNotSaved, match="not an ordinary file"):
        save_here(odd, "text")
    assert set(odd.parent.iterdir()) == before


def test_no_more_is_read_than_tells_that_it_is_too_much(tmp_path: Path) -> None:
    endless = tmp_path / "endless"
    with endless.open("wb") as file:
        file.truncate(1 << 40)
    assert read_file(endless, 1000) == bytes(1001)
