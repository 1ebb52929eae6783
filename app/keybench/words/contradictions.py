"""What contradicts in an answer about a sale, in words."""

from __future__ import annotations

from typing import Final

from keybench.core.outcome import contradictions

#: What contradicts, by where it stands; ``{}`` is what it says.
_CLAIMS: Final = {
    "status": "the status says {}",
    "flag": "the success flag says {}",
    "response": "the response says {}",
    "code": "the response code says {}",
    "text": "the text says {}",
    "authorisation": "there is an authorisation ({})",
    "amount": "the amount is {}",
    "currency": "the currency is {}",
    "device": "the device is {}",
    "reference": "the reference is {}",
    "request": "the payment request is {}",
    "http": "the HTTP status is {}",
    "found": "a sale with this reference is {}",
}
#: The same where the word that stands there isn't one that people say.
_SAYINGS: Final = {
    ("status", "by success"): "the status says that it is over",
    ("status", "goes on"): "the status says that it goes on",
    ("code", "goes on"): "the response code says that it goes on",
    ("response", "by code"): "the response says that it failed",
    ("code", "unknown"): "the response code says that nobody knows",
    ("flag", "missing"): "the success flag is missing",
    ("flag", "unclear"): "the success flag is neither true nor false",
}


def contradiction(reason: str) -> str:
    """Return what contradicts in an answer, as the rest of a sentence; nothing for another reason."""
    told = [
        _SAYINGS.get((where, what)) or _CLAIMS.get(where, f"{where} is {{}}").replace("{}", what)
        for where, what in contradictions(reason)
    ]
    return ", ".join(told)
