"""Native trouble, told apart: none, locked, denied, no answer, too long, lost, and whatever else."""

from __future__ import annotations

import threading
from typing import ClassVar

import pytest
from keyring.errors import InitError, KeyringLocked, NoKeyringError, PasswordSetError
from secretstorage.exceptions import (
    ItemNotFoundException,
    LockedException,
    PromptDismissedException,
    SecretServiceNotAvailableException,
    SecretStorageException,
)

from contracts.keystore_contract import ENTRY, MADE_UP, OTHER, holds, rendered, tells
from keybench.core.errors import (
    KeystoreDenied,
    KeystoreError,
    KeystoreFailed,
    KeystoreGone,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    ValueLost,
    ValueTooLong,
)
from keybench.core.secret import Secret
from keybench.keystore.native import Sighting
from keybench.keystore.os_keystore import OsKeystore
from keystore.native_fakes import MacError, ScriptedStore, Win32Error, hanging, impatient, raising


class DBusErrorResponse(Exception):
    """Looks like jeepney's answer that is an error."""

    def __init__(self, name: str) -> None:
        super().__init__(name, (MADE_UP,))
        self.name = name


class DBusException(Exception):
    """Looks like dbus-python's error."""

    _dbus_error_name: ClassVar[str] = "org.freedesktop.DBus.Error.ServiceUnknown"


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


NATIVE: list[tuple[Exception, type[KeystoreError]]] = [
    (SecretServiceNotAvailableException(MADE_UP), KeystoreMissing),
    (LockedException(MADE_UP), KeystoreLocked),
    (PromptDismissedException(MADE_UP), KeystoreDenied),
    (ItemNotFoundException(MADE_UP), ValueLost),
    (SecretStorageException(MADE_UP), KeystoreFailed),
    (KeyringLocked(MADE_UP), KeystoreLocked),
    (NoKeyringError(MADE_UP), KeystoreMissing),
    (InitError(MADE_UP), KeystoreMissing),
    (PasswordSetError(MADE_UP), KeystoreFailed),
    (caused(InitError(MADE_UP), DBusErrorResponse("org.freedesktop.DBus.Error.NoReply")), KeystoreSilent),
    (
        caused(SecretServiceNotAvailableException(), DBusErrorResponse("org.freedesktop.DBus.Error.NoReply")),
        KeystoreSilent,
    ),
    (DBusErrorResponse("org.freedesktop.DBus.Error.AccessDenied"), KeystoreDenied),
    (DBusErrorResponse("org.freedesktop.DBus.Error.Spawn.ChildExited"), KeystoreMissing),
    (DBusErrorResponse("org.freedesktop.Secret.Error.IsLocked"), KeystoreLocked),
    (DBusErrorResponse("org.example.Odd"), KeystoreFailed),
    (DBusException(MADE_UP), KeystoreMissing),
    (caused(KeyringLocked(MADE_UP), MacError(-128, MADE_UP)), KeystoreDenied),
    (caused(PasswordSetError(MADE_UP), MacError(-25308, MADE_UP)), KeystoreLocked),
    (caused(PasswordSetError(MADE_UP), MacError(-1, MADE_UP)), KeystoreFailed),
    (Win32Error(5, "CredRead", MADE_UP), KeystoreDenied),
    (Win32Error(1312, "CredWrite", MADE_UP), KeystoreMissing),
    (Win32Error(1783, "CredWrite", MADE_UP), ValueTooLong),
    (Win32Error(31, "CredWrite", MADE_UP), KeystoreFailed),
    (PermissionError(13, MADE_UP), KeystoreDenied),
    (TimeoutError(MADE_UP), KeystoreSilent),
    (ConnectionResetError(104, MADE_UP), KeystoreMissing),
    (OSError(5, MADE_UP), KeystoreFailed),
    (UnicodeEncodeError("utf-8", MADE_UP, 0, 1, "odd"), KeystoreFailed),
    (ModuleNotFoundError(MADE_UP, name=MADE_UP), KeystoreMissing),
    (AssertionError(MADE_UP), KeystoreFailed),
]


@pytest.mark.parametrize(("native", "expected"), NATIVE, ids=lambda each: getattr(each, "__name__", None))
@pytest.mark.parametrize("call", ["get", "put"])
async def test_a_native_error_is_told_and_carries_nothing_over(
    scripted: ScriptedStore,
    native: Exception,
    expected: type[KeystoreError],
    call: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    scripted.values[ENTRY] = OTHER
    scripted.misbehave(raising(native), call)
    keystore = OsKeystore("tests", scripted.system_store)
    with pytest.raises(KeystoreError) as caught:
        await keystore.write(ENTRY, Secret(MADE_UP))
    assert type(caught.value) is (KeystoreGone if expected is KeystoreMissing else expected)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert not tells(rendered(caught.value) + caplog.text, MADE_UP, OTHER)
    scripted.behave()
    await keystore.probe()
    assert await holds(keystore, ENTRY, OTHER)


async def test_a_failure_names_the_native_class(scripted: ScriptedStore) -> None:
    scripted.misbehave(raising(ZeroDivisionError(MADE_UP)))
    with pytest.raises(KeystoreFailed, match=r"^ZeroDivisionError$"):
        await OsKeystore("tests", scripted.system_store).read(ENTRY)


async def test_locked_at_the_look_is_durable_and_raised(scripted: ScriptedStore) -> None:
    scripted.sighting = Sighting("Scripted Keyring", KeystoreLocked("locked"))
    scripted.misbehave(raising(LockedException()))
    keystore = OsKeystore("tests", scripted.system_store)
    status = await keystore.probe()
    assert (status.name, status.durable, type(status.trouble)) == ("Scripted Keyring", True, KeystoreLocked)
    with pytest.raises(KeystoreLocked):
        await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.behave()  # the person unlocks it when asked
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert keystore.status.trouble is None


@pytest.mark.parametrize(
    ("native", "expected"),
    [(PermissionError(), KeystoreDenied), (TimeoutError(), KeystoreSilent), (OSError(), KeystoreFailed)],
    ids=["denied", "silent", "failed"],
)
async def test_trouble_at_the_look_is_no_reason_for_memory(
    scripted: ScriptedStore, native: Exception, expected: type[KeystoreError]
) -> None:
    scripted.misbehave(raising(native), "look")
    keystore = OsKeystore("tests", scripted.system_store)
    status = await keystore.probe()
    assert (status.name, status.durable, type(status.trouble)) == ("Secret Service", True, expected)
    with pytest.raises(expected):
        await keystore.write(ENTRY, Secret(MADE_UP))
    scripted.behave()
    assert (await keystore.probe()).trouble is None


async def test_a_silent_keystore_is_left_and_tried_again(
    scripted: ScriptedStore, end_of_test: threading.Event
) -> None:
    keystore = OsKeystore("tests", scripted.system_store)
    await keystore.write(ENTRY, Secret(OTHER))
    scripted.misbehave(hanging(end_of_test), "get")
    with impatient(keystore), pytest.raises(KeystoreSilent) as caught:
        await keystore.write(ENTRY, Secret(MADE_UP))
    assert not tells(rendered(caught.value), MADE_UP)
    assert isinstance(keystore.status.trouble, KeystoreSilent)
    scripted.behave()
    assert (await keystore.probe()).trouble is None
    assert await holds(keystore, ENTRY, OTHER)


async def test_a_look_that_hangs_is_silence(scripted: ScriptedStore, end_of_test: threading.Event) -> None:
    scripted.misbehave(hanging(end_of_test), "look")
    keystore = OsKeystore("tests", scripted.system_store)
    with impatient(keystore):
        assert isinstance((await keystore.probe()).trouble, KeystoreSilent)
    with pytest.raises(KeystoreSilent):
        await keystore.erase(ENTRY)
