"""Why a sale wasn't sent, and why nobody can tell what became of one."""

from __future__ import annotations

from typing import Final

from keybench.core.outcome import Verdict
from keybench.words.contradictions import contradiction
from keybench.words.explain import Explanation
from keybench.words.reasons import reason_sentence, unreadable_sentence

_NOT_SENT: Final = {
    "KeystoreLocked": (
        "The keystore is locked, so the key's value couldn't be had.",
        "Unlock it, then send again.",
    ),
    "KeystoreDenied": (
        "Access to the keystore was refused.",
        "Send again, and allow it when your keystore asks.",
    ),
    "KeystoreSilent": (
        "The keystore gave no answer.",
        "Send again when it answers; if it goes on, restart the keystore program.",
    ),
    "KeystoreGone": (
        "The keystore that has the key's value isn't there.",
        "Start it, then send again.",
    ),
    "KeystoreMissing": ("There is no keystore to take the key from.", "Start one, then send again."),
    "KeystoreFailed": ("The keystore failed.", "Restart the keystore program, then send again."),
    "ValueLost": ("The keystore no longer has this key's value.", "Add the key again, then send again."),
    "ValueDiffers": (
        "The keystore has another value for this key than the one that was kept.",
        "Give the key its value anew, then send again.",
    ),
    "key forgotten": ("The key was forgotten before the sale was sent.", "Choose another key."),
    "not noted": (
        "The journal couldn't be written, so the sale wasn't sent.",
        "Make room, or close the program that holds the journal; then send it again.",
    ),
    "ended before it was sent": (
        "Keybench stopped before the sale was sent.",
        "Send it again if it is wanted.",
    ),
    "never received": (
        "The gateway never received this sale.",
        "Send it again with a new reference if it is wanted.",
    ),
}


def explain_not_sent(verdict: Verdict) -> Explanation:
    """Return why a sale wasn't sent, and what to do."""
    title, step = _NOT_SENT.get(
        verdict.reason, (reason_sentence(verdict.reason), "Check, then send it again.")
    )
    return Explanation(title, "Nothing reached the gateway, so nothing was sold.", verdict.message or step)


_UNKNOWN: Final = {
    "ended before the answer": "Keybench stopped before the gateway's answer was there.",
    "identifier given twice": "The gateway gave this sale an identifier that another sale has already.",
    "deadline": "No outcome came in the time a device may take.",
    "key forgotten": "The key was forgotten, so the outcome can't be asked for.",
    "KeystoreLocked": "The keystore is locked, so the outcome can't be asked for.",
    "KeystoreDenied": "Access to the keystore was refused, so the outcome can't be asked for.",
    "KeystoreSilent": "The keystore gave no answer, so the outcome can't be asked for.",
    "KeystoreGone": "The keystore that has the key's value isn't there, so the outcome can't be asked for.",
    "KeystoreMissing": "There is no keystore to take the key from, so the outcome can't be asked for.",
    "KeystoreFailed": "The keystore failed, so the outcome can't be asked for.",
    "ValueLost": "The key's value is gone, so the outcome can't be asked for.",
    "ValueDiffers": "The keystore has another value for the key than the one that sold, so the outcome can't be "
    "asked for.",
}


_REFUSED_LATER: Final = {
    401: "The gateway took the sale, and then refused the key when asked for the outcome (401).",
    403: "The gateway took the sale, and then didn't allow asking for its outcome (403).",
    404: "The gateway took the sale, and now knows no such payment request (404).",
}


def explain_unknown(verdict: Verdict, detail: str) -> Explanation:
    """Return why nobody can tell what became of a sale.

    Args:
        verdict: Unknown.
        detail: The gateway's own words.
    """
    if told := contradiction(verdict.reason):
        title = f"The gateway's answer is contradictory: {told}."
    elif verdict.reason == "refused while following":
        title = _REFUSED_LATER.get(verdict.status) or (
            f"The gateway took the sale and then refused to tell its outcome ({verdict.status})."
        )
    elif verdict.reason in _UNKNOWN:
        title = _UNKNOWN[verdict.reason]
    elif verdict.status >= 500 or verdict.status == 408:
        title = f"The gateway itself failed ({verdict.status})."
    elif verdict.status:
        title = unreadable_sentence(verdict.reason)
    else:
        title = reason_sentence(verdict.reason)
    return Explanation(
        title,
        "The sale may have gone through: nobody can tell yet.",
        "Look it up before anything is sent again.",
        detail,
    )
