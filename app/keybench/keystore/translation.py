"""The edge where native exceptions become Keybench's own, carrying nothing over but a class name.

Classes are recognised by name, so that no native library has to be imported to tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, ParamSpec, TypeVar

from keybench.core.errors import (
    KeystoreDenied,
    KeystoreError,
    KeystoreFailed,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    ValueLost,
    ValueTooLong,
)
from keybench.core.keys.key import VALUE_LIMIT

P = ParamSpec("P")
T = TypeVar("T")

_BY_CLASS: Final[dict[str, type[KeystoreError]]] = {
    "secretstorage.exceptions.PromptDismissedException": KeystoreDenied,
    "secretstorage.exceptions.LockedException": KeystoreLocked,
    "secretstorage.exceptions.SecretServiceNotAvailableException": KeystoreMissing,
    "secretstorage.exceptions.ItemNotFoundException": ValueLost,
    "keyring.errors.KeyringLocked": KeystoreLocked,
    "keyring.errors.NoKeyringError": KeystoreMissing,
    "keyring.errors.InitError": KeystoreMissing,
    "keyring.backends.macOS.api.KeychainDenied": KeystoreDenied,
    "keyring.backends.macOS.api.SecAuthFailure": KeystoreDenied,
    "builtins.PermissionError": KeystoreDenied,
    "builtins.TimeoutError": KeystoreSilent,
    "builtins.ConnectionError": KeystoreMissing,
    "builtins.ImportError": KeystoreMissing,
}

# Names from the D-Bus specification and the Secret Service API draft 0.2.
_BY_DBUS_NAME: Final[dict[str, type[KeystoreError]]] = {
    "org.freedesktop.DBus.Error.ServiceUnknown": KeystoreMissing,
    "org.freedesktop.DBus.Error.NameHasNoOwner": KeystoreMissing,
    "org.freedesktop.DBus.Error.NoServer": KeystoreMissing,
    "org.freedesktop.DBus.Error.Disconnected": KeystoreMissing,
    "org.freedesktop.DBus.Error.NoReply": KeystoreSilent,
    "org.freedesktop.DBus.Error.Timeout": KeystoreSilent,
    "org.freedesktop.DBus.Error.TimedOut": KeystoreSilent,
    "org.freedesktop.DBus.Error.AccessDenied": KeystoreDenied,
    "org.freedesktop.DBus.Error.AuthFailed": KeystoreDenied,
    "org.freedesktop.Secret.Error.IsLocked": KeystoreLocked,
    "org.freedesktop.Secret.Error.NoSuchObject": ValueLost,
}
_DBUS_SPAWN: Final = "org.freedesktop.DBus.Error.Spawn."

# Apple's SecBase.h.
_BY_MACOS_STATUS: Final[dict[object, type[KeystoreError]]] = {
    -128: KeystoreDenied,  # errSecUserCanceled
    -25293: KeystoreDenied,  # errSecAuthFailed
    -25308: KeystoreLocked,  # errSecInteractionNotAllowed: locked, and nobody can be asked
    -25291: KeystoreMissing,  # errSecNotAvailable
    -25294: KeystoreMissing,  # errSecNoSuchKeychain
    -25307: KeystoreMissing,  # errSecNoDefaultKeychain
}

# Microsoft's winerror.h.
_BY_WINDOWS_CODE: Final[dict[object, type[KeystoreError]]] = {
    5: KeystoreDenied,  # ERROR_ACCESS_DENIED
    1168: ValueLost,  # ERROR_NOT_FOUND
    1312: KeystoreMissing,  # ERROR_NO_SUCH_LOGON_SESSION: a service or SSH log-on without a credential set
    1783: ValueTooLong,  # RPC_X_BAD_STUB_DATA: what CredWrite answers to a blob that is too large
}


def guarded(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `call` returns; raise what it raises as a KeystoreError without a past.

    The error is raised after the handler has ended: `from None` alone would keep the native exception,
    with the frames that hold the value, as its context.
    """
    try:
        return call(*args, **kwargs)
    except KeystoreError as error:
        failure = bare(error)
    except Exception as error:  # noqa: BLE001 - an edge: native libraries raise what they like
        failure = translate(error)
    raise failure


def bare(error: KeystoreError) -> KeystoreError:
    """Return an equal error without traceback or context, for raising or keeping."""
    if isinstance(error, ValueTooLong):
        return ValueTooLong(error.limit)
    return type(error)(*error.args)


def translate(error: BaseException) -> KeystoreError:
    """Return the KeystoreError for what `error` means."""
    name = type(error).__name__
    kind = _kind(error)
    if kind is ValueTooLong:
        return ValueTooLong(VALUE_LIMIT)
    return kind(name)


def _kind(error: BaseException) -> type[KeystoreError]:
    chain = list(_chain(error))
    for each in chain:  # a code is more exact than the class that was wrapped around it
        if (kind := _by_code(each)) is not None:
            return kind
    for each in chain:
        for cls in type(each).__mro__:
            if (kind := _BY_CLASS.get(f"{cls.__module__}.{cls.__qualname__}")) is not None:
                return kind
    return KeystoreFailed


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__


def _by_code(error: BaseException) -> type[KeystoreError] | None:
    dbus_name = _dbus_name(error)
    if dbus_name.startswith(_DBUS_SPAWN):
        return KeystoreMissing
    if dbus_name in _BY_DBUS_NAME:
        return _BY_DBUS_NAME[dbus_name]
    if type(error).__module__.endswith(".macOS.api") and error.args:
        return _BY_MACOS_STATUS.get(error.args[0])
    return _BY_WINDOWS_CODE.get(getattr(error, "winerror", None))


def _dbus_name(error: BaseException) -> str:
    """Return the D-Bus name in an exception of jeepney's or dbus-python's, or nothing."""
    kind = type(error).__name__
    if kind == "DBusErrorResponse":
        return str(getattr(error, "name", ""))
    if kind == "DBusException":
        return str(getattr(error, "_dbus_error_name", ""))
    return ""
