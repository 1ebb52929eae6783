"""How far a learner has come: read strictly, listed, and signed to be carried to another class."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from keybench.class_identity import certificate_of, words_of
from keybench.practice.body import Refusal, invalid, number, refuse_extras, whole
from keybench.practice.classes.roster import ClassStanding
from keybench.practice.keys import mentions_value

_MOST: Final = 1_000_000
#: The texts of a standing with their most characters, and its counts.
_TEXTS: Final = {"lesson": 100, "step": 200, "event": 100, "broken": 500}
_COUNTS: Final = ("done", "steps", "hints", "misses")
#: What tells of this moment, and isn't a result.
_NOW: Final = frozenset({"event", "fields", "broken"})
STANDING: Final = frozenset({*_TEXTS, *_COUNTS, *_NOW, "missed", "seconds"})
_MOST_LESSONS: Final = 100
_SIGNED: Final = ("class", "learner", "lessons", "certificate")
_HOW: Final = ec.ECDSA(hashes.SHA256())


def read_standing(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return a standing as it is kept; what is left out is empty or 0."""
    refuse_extras(dict(told), STANDING)
    return {
        **{name: _text(told.get(name, ""), name, most) for name, most in _TEXTS.items()},
        **{name: whole(told.get(name, 0), name, 0, _MOST) for name in _COUNTS},
        "seconds": number(told.get("seconds", 0), "seconds", 0, _MOST),
        "missed": {
            _text(step, "missed", 3): whole(times, "missed", 0, _MOST)
            for step, times in _object(told.get("missed", {}), "missed").items()
        },
        "fields": {
            _text(name, "fields", 20): _text(value, "fields", 100)
            for name, value in _object(told.get("fields", {}), "fields").items()
        },
    }


def _text(value: Any, name: str, most: int) -> str:
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        raise invalid(f"{name} must be a printable text of at most {most} characters")
    return "(withheld)" if mentions_value(value) else value


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > _MOST_LESSONS:
        raise invalid(f"{name} must be a small object")
    return value


def result_of(standing: ClassStanding) -> dict[str, Any]:
    """Return a learner's result in a lesson as it is listed."""
    told = {name: value for name, value in standing.told.items() if name not in _NOW}
    return {**told, "learner": standing.learner, "signed_by": standing.signed_by}


def sign(identity: str, class_id: str, learner: str, standings: list[ClassStanding]) -> dict[str, Any]:
    """Return a learner's results as the file that is signed by a class's certificate."""
    lessons = [{name: asdict(one)["told"][name] for name in STANDING - _NOW} for one in standings]
    content = {
        "class": class_id,
        "learner": learner,
        "lessons": lessons,
        "certificate": certificate_of(identity),
    }
    key = serialization.load_pem_private_key(identity.encode("ascii"), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)  # noqa: S101 - `class_identity` makes no other
    signature = key.sign(_bytes(content), _HOW)
    return {**content, "signature": base64.b64encode(signature).decode("ascii")}


def verified(file: Mapping[str, Any]) -> tuple[str, str, list[dict[str, Any]]]:
    """Return who signed a file (the certificate's words), whose it is, and the standings in it.

    Raises:
        Refusal: It was altered after it was signed, or is none of a class's.
    """
    try:
        content = {name: file[name] for name in _SIGNED}
        key: Any = x509.load_pem_x509_certificate(content["certificate"].encode("ascii")).public_key()
        # A key of another kind takes other arguments, which is a TypeError.
        key.verify(base64.b64decode(file["signature"], validate=True), _bytes(content), _HOW)
        words = words_of(content["certificate"])
    except (LookupError, TypeError, ValueError, AttributeError, binascii.Error, InvalidSignature):
        message = "The file is no result of a class, or was altered after it was signed"
        raise Refusal(400, "E_SIGNATURE", message) from None
    learner, lessons = _text(content["learner"], "learner", 10), content["lessons"]
    if not isinstance(lessons, list) or len(lessons) > _MOST_LESSONS:
        raise invalid("lessons must be a list")
    return words, learner, [read_standing(_object(one, "lessons")) for one in lessons]


def _bytes(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), default=float).encode()
