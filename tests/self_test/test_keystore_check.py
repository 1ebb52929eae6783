"""The keystore's check, on keystores with troubles that no real one can be given."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from keybench.core.errors import KeystoreDenied, KeystoreFailed, KeystoreLocked, ValueLost
from keybench.core.ports import KeystoreStatus
from keybench.core.self_test import Result
from keybench.keystore.native import Candidate, NativeStore, Sighting
from keybench.runtime.data_folder import DataFolder
from keybench.self_test import program
from keybench.self_test.place import NotOk, Place
from keybench.workflows.console import Console
from keystore.native_fakes import ScriptedStore, raising


@asynccontextmanager
async def closed(_folder: DataFolder) -> AsyncIterator[Console]:
    raise AssertionError("this check opens no program")
    yield


@pytest.fixture
def asked() -> list[KeystoreStatus]:
    return []


@pytest.fixture
def place(tmp_path: Path, asked: list[KeystoreStatus]) -> Place:
    return Place(tmp_path / "1", closed, asked.append)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> ScriptedStore:
    store = ScriptedStore()
    use(monkeypatch, store.candidate)
    return store


def use(monkeypatch: pytest.MonkeyPatch, candidate: Candidate) -> None:
    for room in ("native", "os_keystore"):
        monkeypatch.setattr(f"keybench.keystore.{room}.candidates_for", lambda _platform: (candidate,))


def test_a_probe_is_written_read_and_deleted(place: Place, scripted: ScriptedStore) -> None:
    assert program.keystore(place).startswith("Scripted Keyring: ")
    assert {"put", "get", "erase"} <= set(scripted.asked)
    assert scripted.values == {}


def test_two_runs_do_not_meet(tmp_path: Path) -> None:
    one, other = (Place(tmp_path / name / "1", closed, lambda _status: None) for name in ("a", "b"))
    assert one.name != other.name


def test_a_keystore_that_cannot_be_read_from_is_left_as_it_was(place: Place, scripted: ScriptedStore) -> None:
    scripted.after_put = lambda: scripted.misbehave(raising(OSError("no")), "get")
    with pytest.raises(KeystoreFailed):
        program.keystore(place)
    assert (scripted.values, place.left_behind) == ({}, False)


@pytest.mark.parametrize("kept", ["another value", None])
def test_one_that_keeps_something_else_has_failed(
    place: Place, scripted: ScriptedStore, kept: str | None
) -> None:
    scripted.tamper = lambda _text: kept
    with pytest.raises(ValueLost):
        program.keystore(place)
    assert scripted.values == {}


def test_an_entry_that_cannot_be_deleted_is_remembered(place: Place, scripted: ScriptedStore) -> None:
    scripted.misbehave(raising(OSError("no")), "erase")
    with pytest.raises(KeystoreFailed):
        program.keystore(place)
    assert place.left_behind


def test_a_locked_one_is_not_asked_for_anything(place: Place, scripted: ScriptedStore) -> None:
    scripted.sighting = Sighting("Scripted Keyring", KeystoreLocked("locked"))
    with pytest.raises(KeystoreLocked):
        program.keystore(place)
    assert scripted.asked == ["look"]


def test_a_person_who_does_not_answer_is_told_and_not_waited_for(
    place: Place, scripted: ScriptedStore, asked: list[KeystoreStatus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_ANSWER_S", 0.05)

    def ask() -> None:
        with scripted.attempt.prompt():
            scripted.attempt._withdrawn.wait()
            raise KeystoreDenied("the prompt was taken back")

    scripted.misbehave(ask, "put")
    with pytest.raises(NotOk, match="nobody answered") as told:
        program.keystore(place)
    assert (told.value.result, told.value.no_keystore) == (Result.COULD_NOT_TELL, True)
    assert [status.asking for status in asked] == [True]


def test_a_person_who_refuses_has_answered(place: Place, scripted: ScriptedStore) -> None:
    def refuse() -> None:
        with scripted.attempt.prompt():
            raise KeystoreDenied("the prompt was dismissed")

    scripted.misbehave(refuse, "put")
    with pytest.raises(KeystoreDenied):
        program.keystore(place)


def test_a_library_that_is_missing_is_no_missing_keystore(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(_namespace: str) -> NativeStore:
        raise ModuleNotFoundError("No module named 'secretstorage'", name="secretstorage")

    use(monkeypatch, Candidate("Scripted Keyring", build))
    with pytest.raises(ModuleNotFoundError):
        program.keystore(place)
