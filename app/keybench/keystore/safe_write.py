"""How a value gets into a native keystore: written, read back, compared, and undone when that fails.

Everything here runs on the keystore's thread, and every native call passes the edge. On macOS and Windows a
write removes the old value first, so one that fails has lost it and it is put back.
"""

from __future__ import annotations

from dataclasses import dataclass

from keybench.core.errors import (
    KeystoreDenied,
    KeystoreError,
    KeystoreFailed,
    KeystoreSilent,
    ValueLost,
    ValueTooLong,
)
from keybench.core.keys.key import VALUE_LIMIT
from keybench.core.secret import Secret
from keybench.keystore.calls import Attempt
from keybench.keystore.native import NativeStore
from keybench.keystore.translation import bare, guarded


@dataclass(frozen=True, slots=True)
class Undo:
    """What is still to be put right under an entry.

    Attributes:
        previous: What was there before, or None.
        over: Only this value is undone, for another may have been written since; any value if None.
    """

    previous: Secret | None
    over: Secret | None = None


#: What couldn't be put right yet, by entry; shared by the keystore and its thread.
Undone = dict[str, Undo]


def check_fits(value: Secret) -> None:
    """Refuse a value that some keystore couldn't keep, before anything is touched.

    It is measured in UTF-16 code units, as Windows does, whose limit is the lowest (2,560 bytes, which is
    CRED_MAX_CREDENTIAL_BLOB_SIZE) and holds everywhere, so that a key kept on one system can be kept on every
    other. For the letters keys are made of these are characters.
    """
    units = _utf16_units(value)
    if units is None:
        raise KeystoreFailed("unencodable characters")
    if units > VALUE_LIMIT:
        raise ValueTooLong(VALUE_LIMIT)


def _utf16_units(value: Secret) -> int | None:
    try:
        return len(value.reveal().encode("utf-16-le")) // 2
    except UnicodeEncodeError:  # it holds the value, so it must not become anything's context
        return None


def write(store: NativeStore, attempt: Attempt, entry: str, value: Secret, undone: Undone) -> None:
    """Keep `value` under `entry`; on failure, or when nobody waits any more, put back what was there.

    What can't be put back now is left in `undone`.

    Raises:
        KeystoreError: Why it isn't kept; `ValueLost` if the store gave back something else.
    """
    before = undone.get(entry)
    previous = before.previous if before else guarded(store.get, entry, attempt)
    if attempt.given_up.is_set():
        return
    failure = _put_and_compare(store, entry, value, attempt)
    if failure is None and not attempt.given_up.is_set():
        undone.pop(entry, None)
        return
    silent = isinstance(failure, KeystoreSilent)  # then it may yet do it
    undone[entry] = Undo(previous, value if silent or attempt.given_up.is_set() else None)
    if not silent:
        settle(store, entry, attempt, undone)
    if failure is not None:
        raise failure


def erase(store: NativeStore, attempt: Attempt, entry: str) -> bool:
    """Remove what is under `entry`, look whether it is gone, and return whether anything was there."""
    if not guarded(store.has, entry, attempt) or attempt.given_up.is_set():
        return False
    guarded(store.erase, entry, attempt)
    if guarded(store.has, entry, attempt):
        raise KeystoreFailed("the value is still there")
    return True


def settle(store: NativeStore, entry: str, attempt: Attempt, undone: Undone) -> bool:
    """Put right what is left to be put right under `entry`, and return whether nothing is left.

    A person who refuses that when they are asked for it is taken at their word.
    """
    undo, unasked = undone[entry], attempt.withdrawn.is_set()
    try:
        _put_right(store, entry, undo, attempt)
    except KeystoreDenied:
        if unasked or attempt.given_up.is_set():
            return False
    except KeystoreError:
        return False
    if undone.get(entry) is undo:
        del undone[entry]
    return True


def settle_all(store: NativeStore, attempt: Attempt, undone: Undone) -> None:
    """Put right what is left, entry by entry, until the store doesn't let us."""
    for entry in tuple(undone):
        if not settle(store, entry, attempt, undone):
            return


def _put_and_compare(store: NativeStore, entry: str, value: Secret, attempt: Attempt) -> KeystoreError | None:
    try:
        guarded(store.put, entry, value, attempt)
        stored = guarded(store.get, entry, attempt)
        same = _same(stored, value)
    except KeystoreError as error:
        return bare(error)
    if stored is None:
        return ValueLost("the keystore did not keep the value")
    return None if same else ValueLost("the keystore gave back another value")


def _same(stored: Secret | None, value: Secret) -> bool:
    """Compare, at the edge: what a store gives back may not even be encodable."""
    return stored is not None and guarded(stored.matches, value)


def _put_right(store: NativeStore, entry: str, undo: Undo, attempt: Attempt) -> None:
    if undo.over is None and undo.previous is None:
        erase(store, attempt, entry)
        return
    current = guarded(store.get, entry, attempt)
    if undo.over is not None and not _same(current, undo.over):
        return
    if undo.previous is None:
        guarded(store.erase, entry, attempt)
    elif not _same(current, undo.previous):
        guarded(store.put, entry, undo.previous, attempt)
