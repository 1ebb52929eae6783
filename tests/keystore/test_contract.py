"""The keystore's contract, kept by the fake, by two native habits and by a real keyring."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from contracts.keystore_contract import KeystoreContract
from fakes.keystore import FakeKeystore
from keybench.keystore.os_keystore import OsKeystore
from keystore.native_fakes import ScriptedStore, macos_like, through_macos, through_windows, windows_like


class TestFake(KeystoreContract):
    @pytest.fixture
    def keystore(self) -> FakeKeystore:
        return FakeKeystore()


class TestScripted(KeystoreContract):
    @pytest.fixture
    def keystore(self, scripted: ScriptedStore) -> Iterator[OsKeystore]:
        yield from closed_after(OsKeystore("tests", [scripted.candidate]))


class TestNoneThere(KeystoreContract):
    @pytest.fixture
    def keystore(self) -> Iterator[OsKeystore]:
        yield from closed_after(OsKeystore("tests", []))


class TestWindowsLike(KeystoreContract):
    @pytest.fixture
    def keystore(self) -> Iterator[OsKeystore]:
        yield from closed_after(OsKeystore("tests", [through_windows(windows_like())]))


class TestMacOsLike(KeystoreContract):
    @pytest.fixture
    def keystore(self) -> Iterator[OsKeystore]:
        yield from closed_after(OsKeystore("tests", [through_macos(macos_like())]))


@pytest.mark.usefixtures("on_open_keyring")
class TestRealSecretService(KeystoreContract):
    @pytest.fixture
    def keystore(self) -> Iterator[OsKeystore]:
        yield from closed_after(OsKeystore(uuid.uuid4().hex))

    async def test_it_is_the_real_one(self, keystore: OsKeystore) -> None:
        status = await keystore.probe()
        assert (status.name, status.durable, status.trouble) == ("GNOME Keyring", True, None)


def closed_after(keystore: OsKeystore) -> Iterator[OsKeystore]:
    yield keystore
    keystore.close()
