"""The keystore's check, on keystores with troubles that no real one can be given."""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from keybench import self_test
from keybench.core.errors import KeystoreDenied, KeystoreFailed, KeystoreLocked, ValueLost
from keybench.keystore.native import NativeStore, Sighting, SystemStore
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.console import Console
from keystore.native_fakes import ScriptedStore, raising


def closed(_folder: DataFolder) -> AbstractAsyncContextManager[Console]:
    raise AssertionError("this check opens no program")


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> ScriptedStore:
    store = ScriptedStore()
    use(monkeypatch, store.system_store)
    return store


def use(monkeypatch: pytest.MonkeyPatch, system: SystemStore) -> None:
    for room in ("native", "os_keystore"):
        monkeypatch.setattr(f"keybench.keystore.{room}.system_store", lambda _platform: system)


async def test_a_probe_is_written_read_and_deleted(tmp_path: Path, scripted: ScriptedStore) -> None:
    assert (await self_test.keystore(tmp_path, closed)).startswith("Scripted Keyring: ")
    assert {"put", "get", "erase"} <= set(scripted.asked)
    assert scripted.values == {}


async def test_a_keystore_that_cannot_be_read_from_is_left_as_it_was(
    tmp_path: Path, scripted: ScriptedStore
) -> None:
    scripted.after_put = lambda: scripted.misbehave(raising(OSError("no")), "get")
    with pytest.raises(KeystoreFailed):
        await self_test.keystore(tmp_path, closed)
    assert scripted.values == {}


@pytest.mark.parametrize("kept", ["another value", None])
async def test_one_that_keeps_something_else_has_failed(
    tmp_path: Path, scripted: ScriptedStore, kept: str | None
) -> None:
    scripted.tamper = lambda _text: kept
    with pytest.raises(ValueLost):
        await self_test.keystore(tmp_path, closed)
    assert scripted.values == {}


async def test_a_locked_one_is_not_asked_for_anything(tmp_path: Path, scripted: ScriptedStore) -> None:
    scripted.sighting = Sighting("Scripted Keyring", KeystoreLocked("locked"))
    with pytest.raises(KeystoreLocked):
        await self_test.keystore(tmp_path, closed)
    assert scripted.asked == ["look"]


async def test_a_person_who_does_not_answer_is_told_and_not_waited_for(
    tmp_path: Path,
    scripted: ScriptedStore,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(self_test, "_ANSWER_S", 0.05)

    def ask() -> None:
        with scripted.attempt.prompt():
            scripted.attempt.withdrawn.wait()
            raise KeystoreDenied("the prompt was taken back")

    scripted.misbehave(ask, "put")
    with pytest.raises(KeystoreDenied):
        await self_test.keystore(tmp_path, closed)
    assert json.loads(capsys.readouterr().out)["say"].startswith("Scripted Keyring")


async def test_a_person_who_refuses_has_answered(tmp_path: Path, scripted: ScriptedStore) -> None:
    def refuse() -> None:
        with scripted.attempt.prompt():
            raise KeystoreDenied("the prompt was dismissed")

    scripted.misbehave(refuse, "put")
    with pytest.raises(KeystoreDenied):
        await self_test.keystore(tmp_path, closed)


async def test_a_library_that_is_missing_is_no_missing_keystore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(_namespace: str) -> NativeStore:
        raise ModuleNotFoundError("No module named 'secretstorage'", name="secretstorage")

    use(monkeypatch, SystemStore("Scripted Keyring", build))
    with pytest.raises(ModuleNotFoundError):
        await self_test.keystore(tmp_path, closed)
