"""A text that must never be shown by accident, such as a key's value, and fingerprints that stand for it."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import re
import secrets
import string
from typing import Final, NoReturn, SupportsIndex
from weakref import WeakValueDictionary

MASK: Final = "••••••"
#: As long is the part of a value that tells it from others, at least.
_LONG_RUN: Final = 8
_HEX: Final = re.compile(r"[0-9a-fA-F]+")


class Secret:
    """A secret text whose every ordinary rendering is a mask.

    It can't be pickled, copied, hashed, iterated or turned to JSON; only `reveal()` gives the text,
    and only the keystore, the gateway client and the reveal/copy control may call it.
    """

    __slots__ = ("__text", "__weakref__")

    def __init__(self, text: str) -> None:
        self.__text = text
        _LIVING[id(self)] = self

    def reveal(self) -> str:
        """Return the secret text itself; use it in one expression and keep no name for it."""
        return self.__text

    def matches(self, other: Secret) -> bool:
        """Tell whether both hold the same text, in a time that doesn't depend on where they differ."""
        return hmac.compare_digest(_encoded(self.__text), _encoded(other.__text))

    def keyed_hash(self, key: bytes) -> bytes:
        """Return the HMAC-SHA-256 of the text under `key`: 32 bytes that don't lead back to it."""
        return hmac.new(key, _encoded(self.__text), hashlib.sha256).digest()

    def proof(self, secret: Secret) -> str:
        """Return that hash under a team's secret, in hexadecimal: by it desks know who holds the same."""
        return self.keyed_hash(_encoded(secret.__text)).hex()

    def folded(self) -> Secret:
        """Return the text in the form in which two that differ only in the case of letters are equal."""
        return Secret(self.__text.casefold())

    def plain(self) -> Secret:
        """Return the text's letters and figures alone, in the same form."""
        return Secret(letters_and_figures(self.__text))

    def made_up(self) -> Secret:
        """Return another of the same form that nobody has: a figure for a figure, a letter for a letter.

        What stands before the last long run of letters and figures, such as a mark of the kind, stays.
        """
        runs = list(re.finditer(r"[0-9A-Za-z]+", self.__text))
        long = [run for run in runs if len(run[0]) >= _LONG_RUN]
        start, end = long[-1].span() if long else (0, len(self.__text))
        letters = "abcdef" if _HEX.fullmatch(self.__text, start, end) else string.ascii_lowercase
        drawn = "".join(_drawn(c, letters) for c in self.__text[start:end])
        return Secret(self.__text[:start] + drawn + self.__text[end:])

    def stand_in(self) -> str:
        """Return a text to show in its place; of it only the length, and where hyphens are."""
        letters = itertools.cycle(string.ascii_lowercase + string.digits)
        return "".join(c if c in "-_" else next(letters) for c in self.__text)

    def __len__(self) -> int:
        return len(self.__text)

    def __bool__(self) -> bool:
        return bool(self.__text)

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, format_spec: str) -> str:
        return format(MASK, format_spec)

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("Secrets are compared with matches(), so that no assertion prints them")

    __hash__ = None  # type: ignore[assignment]  # a hash would let a secret become a dictionary key

    def __copy__(self) -> NoReturn:
        raise TypeError("A secret can't be copied")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise TypeError("A secret can't be copied")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("A secret can't be pickled")

    def __getstate__(self) -> NoReturn:
        raise TypeError("A secret can't be pickled")


_LIVING: Final[WeakValueDictionary[int, Secret]] = WeakValueDictionary()


def living() -> list[Secret]:
    """Return every secret that somebody holds at this moment, which what is logged is searched for."""
    return [one for held in _LIVING.valuerefs() if (one := held()) is not None]


def _encoded(text: str) -> bytes:
    # An encoding that failed would raise an error with the whole text in it.
    return text.encode("utf-8", "surrogatepass")


# The same on every computer, or a fingerprint read out by telephone could not be compared. It separates this
# use of the hash from any other; what keeps a value from being guessed is its own randomness.
_DOMAIN: Final = b"keybench fingerprint 1"

#: 256 words, one a byte; their order is part of the fingerprint and never changes.
WORDS: Final = tuple(
    """
    acorn alarm album alley amber anchor angle apple apron arrow aspen atlas attic autumn badge
    baker balcony bamboo banana banjo barley barn basil basket beach beacon beetle bell berry
    bicycle birch biscuit blanket blossom bonfire book boot border bottle boulder bracket branch
    brass bread breeze brick bridge broom brush bucket buffalo bugle butter button cabin cactus
    camel candle canoe canvas captain carbon carpet carrot castle cedar cello chalk cherry chess
    chimney cinema circle cliff clock cloud clover coast cobalt coconut comet compass copper coral
    corner cotton cradle crane crater cricket crimson crystal curtain daisy desert diamond dolphin
    donkey dragon drum eagle easel echo eleven ember engine falcon feather fern ferry fiddle field
    finger flannel flute forest fossil fountain fox garden garlic gentle ginger giraffe glacier
    globe goblet golden granite grape gravel guitar hammer harbor harvest hazel helmet heron hickory
    hollow honey horizon hotel island ivory jacket jasmine jelly jersey jigsaw jungle juniper kettle
    kitchen kite ladder lagoon lantern lavender lemon lentil library lilac lime linen lion lizard
    lobster lotus magnet magpie mango maple marble market meadow melon mirror mitten monkey morning
    mountain mustard napkin nectar needle nickel nine north nutmeg oak oasis ocean olive onion opal
    orange orbit orchard otter oyster paddle palace panda paper parrot pebble pelican pencil pepper
    piano pigeon pillow pine planet plum pocket pond poplar potato prairie pumpkin puzzle quartz
    quiet rabbit radish raven ribbon river robin rocket saddle saffron salmon scarlet seven silver
    spoon sunset tiger tulip velvet violet wagon walnut waterfall whistle willow window winter wren
    yellow zebra zinnia zither
    """.split()  # noqa: SIM905 - a paragraph of words reads better than 256 quoted ones
)


_INDEXES: Final = {word: index for index, word in enumerate(WORDS)}
#: How many bytes of the hash it shows.
_LENGTH: Final = 4
#: So many of them keep two texts apart for good, however many are compared.
SEARCHED: Final = 8
#: Shorter values aren't searched for in texts: everyday words are as long.
SHORTEST_SEARCHED: Final = 16


def fingerprint(value: Secret) -> str:
    """Return four words joined by hyphens: the first 32 bits of a keyed hash (HMAC-SHA-256) of `value`."""
    return "-".join(WORDS[byte] for byte in value.keyed_hash(_DOMAIN)[:_LENGTH])


def folded_fingerprint(value: Secret) -> str:
    """Return the words by which `value` is searched for in texts, which are longer than its fingerprint.

    They stand for `SEARCHED` bytes of a hash of its letters and figures in any case, and for how many these
    are. A value that has few of them is searched for as it is written, by the fingerprint of its small form.
    """
    plain = value.plain()
    if len(plain) < SHORTEST_SEARCHED:
        return fingerprint(value.folded())
    return "-".join(WORDS[byte] for byte in plain.keyed_hash(_DOMAIN)[:SEARCHED] + len(plain).to_bytes(2))


def letters_and_figures(text: str) -> str:
    """Return a text without anything that may stand between the parts of a value, in any case of letters."""
    return "".join(filter(str.isalnum, text.casefold()))


def bits_of(words: str) -> bytes:
    """Return the bits that a fingerprint's words stand for."""
    return bytes(_INDEXES[word] for word in words.split("-"))


def bits_of_text(text: str, length: int = _LENGTH) -> bytes:
    """Return so many bytes of the hash that a value of this text has; for texts that are looked through."""
    return hmac.digest(_DOMAIN, text.encode("utf-8", "surrogatepass"), "sha256")[:length]


def _drawn(character: str, letters: str) -> str:
    """Return another of a character's kind, by chance; what is neither figure nor letter stays."""
    if character in string.digits:
        return secrets.choice(string.digits)
    if character in string.ascii_lowercase:
        return secrets.choice(letters)
    return secrets.choice(letters.upper()) if character in string.ascii_uppercase else character
