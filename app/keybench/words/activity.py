"""What was done on this computer, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keybench.words.language import _
from keybench.words.reasons import sentences_of

if TYPE_CHECKING:  # the window comes first
    from keybench.core.ports import Activity

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
    "contradiction settled": _("Contradiction settled"),
    "key compromised": _("Key compromised"),
    "key not compromised": _("Key not compromised: a false alarm"),
    "unused key cleared": _("Unused key cleared"),
    "unused key may be left at the gateway": _("Unused key may be left at the gateway"),
    "value given": _("Value given"),
    "value erased here": _("Value erased at one desk"),
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
    "retention changed": _("Days to keep exchanges and sales changed (0: for ever)"),
    "older exchanges deleted": _("Older exchanges deleted"),
    "older sales deleted": _("Older sales deleted"),
    "text erased": _("Text erased"),
    "text not erased everywhere": _("Text not erased everywhere"),
}


def action_words(line: Activity) -> str:
    return ACTION_WORDS.get(line.action, line.action)


def result_words(line: Activity) -> str:
    return sentences_of(line.result).title or line.result


def who_words(line: Activity) -> str:
    return line.who or "–"


def spoken_line(line: Activity, environment: str) -> str:
    who = line.who or _("name not recorded")
    parts = (who, action_words(line), line.subject, environment, result_words(line))
    return ", ".join(part for part in parts if part)
