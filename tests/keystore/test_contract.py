"""The keystore's contract, kept by the fake and by two native habits; by real ones elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from contracts.keystore_contract import KeystoreContract
from fakes.keystore import FakeKeystore
from keybench.keystore.os_keystore import OsKeystore
from keystore.native_fakes import (
    NOTHING,
    ScriptedStore,
    macos_like,
    through_macos,
    through_windows,
    windows_like,
)


class TestFake(KeystoreContract):
    @pytest.fixture
    def keystore(self) -> FakeKeystore:
        return FakeKeystore()


class TestScripted(KeystoreContract):
    @pytest.fixture
    def keystore(self, scripted: ScriptedStore) -> Iterator[OsKeystore]:
        yield from closed_after(OsKeystore("tests", scripted.system_store))


class TestNoneThere(KeystoreContract):
    @pytest.fixture
    def keystore(self) -> Iterator[OsKeystore]:
        yield from closed_after(OsKeystore("tests", NOTHING))


class TestWindowsLike(KeystoreContract):
    @pytest.fixture
    def keystore(self) -> Iterator[OsKeystore]:
        yield from closed_after(OsKeystore("tests", through_windows(windows_like())))


class TestMacOsLike(KeystoreContract):
    @pytest.fixture
    def keystore(self) -> Iterator[OsKeystore]:
        yield from closed_after(OsKeystore("tests", through_macos(macos_like())))


def closed_after(keystore: OsKeystore) -> Iterator[OsKeystore]:
    yield keystore
    keystore.close()
