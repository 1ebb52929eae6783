"""Where keys are kept and what is wrong there, in the words of the band, its strip and the command line."""

from __future__ import annotations

from typing import Final

from keybench.core import errors as e
from keybench.core.ports import KeystoreStatus
from keybench.words.explain import explain

# The dash is typographic, as everywhere on screen.
IN_MEMORY: Final = "Keys are kept in this session's memory only – they are gone when the window closes"


def keystore_place(status: KeystoreStatus) -> str:
    """Return the few words of the band: where keys are kept, or why they can't be reached there."""
    if status.asking:
        return f"{status.name} asks you"
    if not status.durable:
        return "Keys in memory only"
    match status.trouble:
        case None:
            return f"Keys kept in {status.name}"
        case e.KeystoreLocked():
            return f"{status.name} is locked"
        case e.KeystoreSilent():
            return f"{status.name} gives no answer"
        case e.KeystoreMissing():
            return f"{status.name} isn't there"
        case _:
            return f"{status.name} can't be used"


def keystore_sentence(status: KeystoreStatus) -> str:
    """Return what is the matter with where keys are kept and what to do, or nothing while all is well."""
    if status.asking:
        return asking_sentence(status)
    if not status.durable:
        return f"{IN_MEMORY}. {explain(status.trouble).title if status.trouble else ''}".strip()
    name = status.name
    match status.trouble:
        case None:
            return ""
        case e.KeystoreLocked():
            return (
                f"{name} is locked. Unlock it, and Keybench goes on; it also asks you when a key is needed."
            )
        case e.KeystoreSilent():
            return f"{name} gives no answer. Keybench goes on as soon as it does."
        case e.KeystoreMissing():
            return f"{name} isn't there, and this installation keeps its keys in it. Start it, and Keybench goes on."
        case e.KeystoreDenied():
            return f"{name} refused access. Allow Keybench there, then try again."
        case _:
            return f"{name} failed. Restart it, and Keybench goes on."


def asking_sentence(status: KeystoreStatus) -> str:
    """Return that the keystore waits for a person's answer, and where to give it."""
    return f"{status.name} asks for your permission. Answer in its own window; it may be behind others."
