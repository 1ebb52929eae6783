"""How a value gets into a native keystore: written, read back, compared, and undone when that fails.

Everything here runs on the keystore's thread, and every native call passes the edge.
"""

from __future__ import annotations

import threading
from functools import partial

from keybench.core.errors import KeystoreError, KeystoreFailed, ValueLost, ValueTooLong
from keybench.core.secret import Secret
from keybench.keystore.native import NativeStore
from keybench.keystore.translation import anew, guarded


class Attempt:
    """Whether anybody still waits for a call; one that hung must not take effect later."""

    def __init__(self) -> None:
        self._given_up = threading.Event()

    def given_up(self) -> bool:
        """Tell whether the caller has gone."""
        return self._given_up.is_set()

    def give_up(self) -> None:
        """Say that nobody waits any more; harmless once the call is over."""
        self._given_up.set()


def check_fits(value: Secret, limit: int) -> None:
    """Refuse a value that some keystore couldn't keep, before anything is touched.

    Args:
        value: The value.
        limit: In UTF-16 code units, as Windows counts; for the letters keys are made of these are characters.

    Raises:
        ValueTooLong: It is longer.
        KeystoreFailed: It has characters that can't be encoded at all.
    """
    units = _utf16_units(value)
    if units is None:
        raise KeystoreFailed("unencodable characters")
    if units > limit:
        raise ValueTooLong(limit)


def _utf16_units(value: Secret) -> int | None:
    try:
        return len(value.reveal().encode("utf-16-le")) // 2
    except UnicodeEncodeError:  # it holds the value, so it must not become anything's context
        return None


def write(store: NativeStore, entry: str, value: Secret, attempt: Attempt) -> None:
    """Keep `value` under `entry`; on failure, or when nobody waits any more, put back what was there.

    Raises:
        KeystoreError: Why it isn't kept; `ValueLost` if the store gave back something else.
    """
    previous = guarded(partial(store.get, entry))
    if attempt.given_up():
        return
    failure = _put_and_compare(store, entry, value)
    if failure is None and not attempt.given_up():
        return
    _restore(store, entry, previous, only_over=value if attempt.given_up() else None)
    if failure is not None:
        raise failure


def erase(store: NativeStore, entry: str, attempt: Attempt) -> None:
    """Remove what is under `entry` and look whether it is gone.

    Raises:
        KeystoreError: Why it isn't; `KeystoreFailed` if the store said yes and still has it.
    """
    if guarded(partial(store.get, entry)) is None or attempt.given_up():
        return
    guarded(partial(store.erase, entry))
    if guarded(partial(store.get, entry)) is not None:
        raise KeystoreFailed("the value is still there")


def _put_and_compare(store: NativeStore, entry: str, value: Secret) -> KeystoreError | None:
    try:
        guarded(partial(store.put, entry, value))
        stored = guarded(partial(store.get, entry))
        same = _same(stored, value)
    except KeystoreError as error:
        return anew(error)
    if stored is None:
        return ValueLost("the keystore did not keep the value")
    return None if same else ValueLost("the keystore gave back another value")


def _same(stored: Secret | None, value: Secret) -> bool:
    """Compare, at the edge: what a store gives back may not even be encodable."""
    return stored is not None and guarded(partial(stored.matches, value))


def _restore(store: NativeStore, entry: str, previous: Secret | None, *, only_over: Secret | None) -> None:
    """Put back what was under `entry`, as well as the store lets us.

    Args:
        store: Where.
        entry: Which.
        previous: What was there, or None.
        only_over: Given when a later call may have written meanwhile: only this value is undone.
    """
    try:
        current = guarded(partial(store.get, entry))
        if only_over is not None and not _same(current, only_over):
            return
        if previous is None:
            guarded(partial(store.erase, entry))
        elif not _same(current, previous):
            guarded(partial(store.put, entry, previous))
    except KeystoreError:
        return  # what made the write fail is what the person is told
