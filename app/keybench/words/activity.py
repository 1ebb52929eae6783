"""What was done on this computer, and erasing a text from it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keybench.core.erasing import SHORTEST, Erasure
from keybench.core.input_errors import TextNotErasable
from keybench.words.language import _, ngettext
from keybench.words.reasons import sentences_of

if TYPE_CHECKING:  # the window comes first
    from keybench.core.ports import Activity

ABOUT: Final = _(
    "A mark replaces the text wherever it appears in the journal: names, notes, sales, exchanges, rotations, activity. "
    "It is found in any case of letters and in other spellings. This can't be undone. What a gateway or an "
    "exported file has of it stays there, so a key that was written down anywhere should be rotated."
)

#: What was done, by the stable word the journal keeps of it.
ACTION_WORDS: Final = {
    "environment added": _("Environment added"),
    "environment edited": _("Environment edited"),
    "environment removed": _("Environment removed"),
    "amount limit set": _("Amount limit set"),
    "proxy set": _("Proxy set"),
    "key limit set": _("Key limit set"),
    "key added": _("Key added"),
    "key imported": _("Key imported"),
    "key edited": _("Key edited"),
    "key renamed": _("Key renamed"),
    "key tested": _("Key tested"),
    "key forgotten": _("Key forgotten"),
    "key compromised": _("Key compromised"),
    "key not compromised": _("Key not compromised: a false alarm"),
    "unused key cleared": _("Unused key cleared"),
    "unused key may be left at the gateway": _("Unused key may be left at the gateway"),
    "value given": _("Value given"),
    "value revealed": _("Value revealed"),
    "value copied": _("Value copied"),
    "value not revealed": _("Value not revealed"),
    "value not copied": _("Value not copied"),
    "application added": _("Application added"),
    "application edited": _("Application edited"),
    "application changed": _("Application changed"),
    "application changed back": _("Application changed back"),
    "application seen working": _("Application seen working"),
    "application not seen working": _("Application not seen working"),
    "application removed": _("Application removed"),
    "application put back": _("Application put back"),
    "rotation started": _("Rotation started"),
    "documentation updated": _("Documentation updated"),
    "replacement planned": _("Replacement planned"),
    "replacement withdrawn": _("Replacement withdrawn"),
    "replacement created": _("Replacement created"),
    "permissions compared": _("Permissions compared"),
    "permissions not proven the same": _("Permissions not proven the same"),
    "new key tested": _("New key tested"),
    "new key accepted from here": _("New key accepted from here"),
    "planned end moved": _("Planned end moved"),
    "revocation asked for": _("Revocation requested"),
    "new key revoked": _("New key revoked"),
    "new key not revoked after all": _("Revocation of the new key called off"),
    "deletion asked for": _("Deletion requested"),
    "deletion taken back": _("Deletion called off"),
    "old key deleted": _("Old key deleted"),
    "old key refused": _("Old key refused"),
    "old value erased": _("Old value erased"),
    "rotation abandoned": _("Rotation abandoned"),
    "leak checked": _("Leak checked"),
    "leak noted": _("Leak recorded"),
    "sale checked": _("Sale checked"),
    "device registered": _("Device registered"),
    "device renamed": _("Device renamed"),
    "device deregistered": _("Device deregistered"),
    "support bundle saved": _("Support bundle saved"),
    "finding dismissed": _("Finding dismissed"),
    "finding restored": _("Finding restored"),
    "leaver checked": _("Leaver checked"),
    "text erased": _("Text erased"),
    "text not erased everywhere": _("Text not erased everywhere"),
}

_THINGS: Final = {
    "security_keys": _("a key"),
    "sales": _("a sale"),
    "rotations": _("a rotation"),
    "applications": _("an application"),
    "activities": _("the activity"),
    "exchanges": _("an exchange"),
}

_SENTENCES: Final = {
    TextNotErasable.TOO_SHORT: _(
        "Enter {SHORTEST} characters at least: a shorter text would be found in ordinary words."
    ).format(SHORTEST=SHORTEST),
    TextNotErasable.OWN_WORD: _("This is one of Keybench's own words, which it can't do without."),
    TextNotErasable.KEY_PLAN: _("It is in a key that is just being added. Erase it once that is done."),
    TextNotErasable.SETTING: _("It is in the settings. Change it there first."),
}


def action_words(line: Activity) -> str:
    return ACTION_WORDS.get(line.action, line.action)


def result_words(line: Activity) -> str:
    return sentences_of(line.result).activity or line.result


def who_words(line: Activity) -> str:
    """Return who did it; a dash for a line of before names were recorded."""
    return line.who or "–"


def spoken_line(line: Activity, environment: str) -> str:
    who = line.who or _("name not recorded")
    parts = (who, action_words(line), line.subject, environment, result_words(line))
    return ", ".join(part for part in parts if part)


def not_erasable_sentence(error: TextNotErasable) -> str:
    match error.reason:
        case TextNotErasable.SALE:
            return _("The sale {where} needs it until its outcome is known. Nothing was erased.").format(
                where=error.where
            )
        case TextNotErasable.ROTATION:
            return _("The open rotation {where} needs it. Finish it or abandon it first.").format(
                where=error.where
            )
        case TextNotErasable.ENVIRONMENT:
            return _(
                "The environment “{where}” needs it to reach its gateway. Edit or remove it first."
            ).format(where=error.where)
        case TextNotErasable.IDENTIFIER:
            thing = _THINGS.get(error.where, _("what is kept"))
            return _("It is part of what {thing} is found by, which stays. Nothing was erased.").format(
                thing=thing
            )
        case _:
            return _SENTENCES[error.reason]


def found_sentence(found: Erasure) -> str:
    copies = ngettext(
        "The copy of the journal from before an upgrade would go, too.",
        "{count:,} copies of the journal from before an upgrade would go, too.",
        found.copies,
    ).format(count=found.copies)
    return f"{_occurrences(found.occurrences)} {copies}" if found.copies else _occurrences(found.occurrences)


def erased_title(erasure: Erasure) -> str:
    return ngettext("Erased in 1 place", "Erased in {count:,} places", erasure.occurrences).format(
        count=erasure.occurrences
    )


def erased_sentence(erasure: Erasure) -> str:
    left = (
        ""
        if erasure.is_swept
        else _(
            "What is left of it in unused parts of the journal's files isn't cleared yet: another program has the "
            "journal open, sales are under way, or the disk is full. It is tried again when Keybench starts. "
        )
    )
    copies = ngettext(
        "The copy of the journal from before an upgrade went, too. ",
        "{count:,} copies of the journal from before an upgrade went, too. ",
        erasure.copies,
    ).format(count=erasure.copies)
    rest = left or (copies if erasure.copies else "")
    return _("{rest}If it was a key's value, rotate the key.").format(rest=rest)


def _occurrences(count: int) -> str:
    if not count:
        return _("It isn't anywhere in the journal. Erasing clears what may be left of it in the file.")
    return ngettext("It is in 1 place.", "It is in {count:,} places.", count).format(count=count)
