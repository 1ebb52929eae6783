"""What was done on this computer, and erasing a text from it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keybench.core.erasing import SHORTEST, Erasure
from keybench.core.input_errors import TextNotErasable
from keybench.words.formats import plural
from keybench.words.reasons import sentences_of

if TYPE_CHECKING:  # the window comes first
    from keybench.core.ports import Activity

ABOUT: Final = (
    "A mark replaces the text wherever it appears in the journal: names, notes, sales, exchanges, rotations, activity. "
    "It is found in any case of letters and in other spellings. This can't be undone. What a gateway or an "
    "exported file has of it stays there, so a key that was written down anywhere should be rotated."
)

#: What was done, by the stable word the journal keeps of it.
ACTION_WORDS: Final = {
    "environment added": "Environment added",
    "environment removed": "Environment removed",
    "amount limit set": "Amount limit set",
    "proxy set": "Proxy set",
    "key limit set": "Key limit set",
    "key added": "Key added",
    "key imported": "Key imported",
    "key edited": "Key edited",
    "key tested": "Key tested",
    "key forgotten": "Key forgotten",
    "key compromised": "Key compromised",
    "unused key cleared": "Unused key cleared",
    "unused key may be left at the gateway": "Unused key may be left at the gateway",
    "value given": "Value given",
    "value revealed": "Value revealed",
    "value copied": "Value copied",
    "value not revealed": "Value not revealed",
    "value not copied": "Value not copied",
    "application added": "Application added",
    "application edited": "Application edited",
    "application changed": "Application changed",
    "application changed back": "Application changed back",
    "application seen working": "Application seen working",
    "application not seen working": "Application not seen working",
    "application removed": "Application removed",
    "application put back": "Application put back",
    "rotation started": "Rotation started",
    "documentation updated": "Documentation updated",
    "replacement planned": "Replacement planned",
    "replacement withdrawn": "Replacement withdrawn",
    "replacement created": "Replacement created",
    "permissions compared": "Permissions compared",
    "permissions not proven the same": "Permissions not proven the same",
    "new key tested": "New key tested",
    "new key accepted from here": "New key accepted from here",
    "planned end moved": "Planned end moved",
    "deletion asked for": "Deletion asked for",
    "deletion taken back": "Deletion taken back",
    "old key deleted": "Old key deleted",
    "old key refused": "Old key refused",
    "old value erased": "Old value erased",
    "rotation abandoned": "Rotation abandoned",
    "leak checked": "Leak checked",
    "leak noted": "Leak noted",
    "sale checked": "Sale checked",
    "finding dismissed": "Finding dismissed",
    "finding restored": "Finding restored",
    "leaver checked": "Leaver checked",
    "text erased": "Text erased",
}

_THINGS: Final = {
    "security_keys": "a key",
    "sales": "a sale",
    "rotations": "a rotation",
    "applications": "an application",
    "activities": "the activity",
    "exchanges": "an exchange",
}

_SENTENCES: Final = {
    TextNotErasable.TOO_SHORT: f"Enter {SHORTEST} characters at least: a shorter text would be found in ordinary words.",
    TextNotErasable.OWN_WORD: "This is one of Keybench's own words, which it can't do without.",
    TextNotErasable.KEY_PLAN: "It is in a key that is just being added. Erase it once that is done.",
    TextNotErasable.SETTING: "It is in the settings. Change it there first.",
}


def action_words(line: Activity) -> str:
    """Return what was done, such as ``Key added``; a word of another version of Keybench as it is kept."""
    return ACTION_WORDS.get(line.action, line.action)


def result_words(line: Activity) -> str:
    """Return how it went; a keystore's reason is put in words."""
    return sentences_of(line.result).activity or line.result


def spoken_line(line: Activity, environment: str) -> str:
    """Return a line as it is read aloud: what, to which, where, with which result."""
    return ", ".join(
        part for part in (action_words(line), line.subject, environment, result_words(line)) if part
    )


def not_erasable_sentence(error: TextNotErasable) -> str:
    """Return why a text can't be erased, and what to do first."""
    match error.reason:
        case TextNotErasable.SALE:
            return f"The sale {error.where} needs it until its outcome is known. Nothing was erased."
        case TextNotErasable.ROTATION:
            return f"The open rotation {error.where} needs it. Finish it or abandon it first."
        case TextNotErasable.ENVIRONMENT:
            return f"The environment “{error.where}” needs it to reach its gateway. Change its proxy, or remove it, first."
        case TextNotErasable.IDENTIFIER:
            thing = _THINGS.get(error.where, "what is kept")
            return f"It is part of what {thing} is found by, which stays. Nothing was erased."
        case _:
            return _SENTENCES[error.reason]


def found_sentence(found: Erasure) -> str:
    """Return in how many places a text stands, and what else goes."""
    copies = plural(
        found.copies,
        "The copy of the journal from before an upgrade would go, too.",
        "{} copies of the journal from before an upgrade would go, too.",
    )
    return f"{_occurrences(found.occurrences)} {copies}" if found.copies else _occurrences(found.occurrences)


def erased_title(erasure: Erasure) -> str:
    """Return what was done, in a few words."""
    return plural(erasure.occurrences, "Erased in 1 place", "Erased in {} places")


def erased_sentence(erasure: Erasure) -> str:
    """Return what that means, and what to do next."""
    left = (
        ""
        if erasure.is_swept
        else "What is left of it in unused parts of the journal's files couldn't be cleared: another program has "
        "the journal open, or the disk is full. It is tried again when Keybench starts. "
    )
    copies = plural(
        erasure.copies,
        "The copy of the journal from before an upgrade went, too. ",
        "{} copies of the journal from before an upgrade went, too. ",
    )
    rest = left or (copies if erasure.copies else "")
    return f"{rest}If it was a key's value, rotate the key."


def _occurrences(count: int) -> str:
    if not count:
        return "It isn't anywhere in the journal. Erasing clears what may be left of it in the file."
    return plural(count, "It is in 1 place.", "It is in {} places.")
