"""The language people read: every sentence of Keybench goes through gettext's functions, which stand here.

`_` marks and translates a sentence, `ngettext` one that counts, and fills in its ``{count}``. Both take whole
sentences with named places, so that a translator can put the parts in another order:
``_("“{name}” was saved.").format(name=name)``. Figures are filled in as `number` and `keybench.words.formats`
write them.

Catalogues are ``resources/languages/LANGUAGE/LC_MESSAGES/keybench.mo``, compiled from ``LANGUAGE.po`` by
``packaging/languages.py``. The language is the system's, as the environment variables LANGUAGE, LC_ALL,
LC_MESSAGES and LANG name it, or the one that `use` was given before anything was said. It is the same from then
to the program's end, so a sentence may stand in a constant.
"""

from __future__ import annotations

import gettext as _gettext
import os
import struct
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from keybench.runtime.data_folder import resource_path

if TYPE_CHECKING:
    from babel import Locale

DOMAIN: Final = "keybench"
#: The language of the sentences in the source, and what it is written like where no country is named.
SOURCE: Final = "en"
_SOURCE_AS: Final = "en_GB"
#: What stands for no language in the variables.
_NO_LANGUAGE: Final = {"", "C", "POSIX"}
_VARIABLES: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
#: Figures below have no separator in any language, and need no table of one.
_UNGROUPED: Final = 1_000


class _Language:
    """What is spoken: its catalogue, and the locale its figures and dates are written by."""

    def __init__(self) -> None:
        self.tag = SOURCE
        self.catalogue = _gettext.NullTranslations()
        #: What the environment asked for before a person's choice took its place.
        self.before = os.environ.get(_VARIABLES[0])


_spoken: Final = _Language()


def folder() -> str:
    """Return where the catalogues are."""
    return str(resource_path("languages"))


def languages() -> list[str]:
    """Return the languages there are catalogues for, by their codes, and the source's first."""
    found = resource_path("languages").glob(f"*/LC_MESSAGES/{DOMAIN}.mo")
    return [SOURCE, *sorted(path.parent.parent.name for path in found)]


def system_languages() -> list[str]:
    """Return the languages that the environment asks for, the most wanted first, such as ``de_CH``."""
    named = next((text for name in _VARIABLES if (text := os.environ.get(name))), "")
    return [_tag(one) for one in named.split(":")]


def use(wanted: Sequence[str]) -> None:
    """Speak the first of the languages that there is; the source's if there is none.

    What was said before stays as it is, so this is for the program's first lines. A language without a country
    is written as the system's country does, if that speaks it.
    """
    tag = next((one for one in wanted if _base(one) == SOURCE or _find(one)), SOURCE)
    countries = (_tag(os.environ.get(name, "")) for name in _VARIABLES[1:])
    _spoken.tag = next((one for one in countries if _base(one) == tag), tag)
    catalogue_of.cache_clear()
    locale.cache_clear()
    _spoken.catalogue = catalogue_of(DOMAIN)
    # For argparse, which asks for its own words, and in the language of the environment.
    _gettext.bindtextdomain(DOMAIN, folder())
    _gettext.textdomain("messages" if base_language() == SOURCE else DOMAIN)


def choose(tag: str) -> None:
    """Speak a language whatever the system's is, as do the programs that are started from here."""
    _spoken.before = os.environ.get(_VARIABLES[0])
    os.environ[_VARIABLES[0]] = tag
    use([tag])


def leave_choice() -> None:
    """Have the programs that are started from here choose anew."""
    if _spoken.before is None:
        os.environ.pop(_VARIABLES[0], None)
    else:
        os.environ[_VARIABLES[0]] = _spoken.before


def base_language() -> str:
    """Return the code of what is spoken without a country, such as ``de``."""
    return _base(_spoken.tag)


def language() -> str:
    """Return the code of what is spoken, such as ``de``, with its country where that is known: ``de_CH``."""
    return _spoken.tag


@cache
def catalogue_of(domain: str) -> _gettext.NullTranslations:
    """Return one of the catalogues of what is spoken, which is loaded once; an empty one in the source's language."""
    if _base(_spoken.tag) == SOURCE:
        return _gettext.NullTranslations()
    try:
        return _gettext.translation(domain, folder(), [_spoken.tag], fallback=True)
    except (OSError, ValueError, struct.error):  # it is damaged, and English can be read
        return _gettext.NullTranslations()


def language_name(code: str) -> str:
    """Return what a language calls itself, such as ``Deutsch``."""
    from babel import Locale  # noqa: PLC0415 - see `locale`

    name = Locale.parse(code).get_language_name() or code
    return name[:1].upper() + name[1:]


def locale_tag() -> str:
    """Return by which locale figures and dates are written, such as ``de_CH``."""
    return _SOURCE_AS if _spoken.tag == SOURCE else _spoken.tag


@cache
def locale() -> Locale:
    """Return how figures, dates and times are written in what is spoken."""
    from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - some 40 ms, needed by the first date

    for tag in (locale_tag(), base_language()):
        try:
            return Locale.parse(tag)
        except (UnknownLocaleError, ValueError):
            continue
    return Locale.parse(_SOURCE_AS)


def is_right_to_left() -> bool:
    """Return whether what is spoken is read from right to left."""
    return locale().text_direction == "rtl"


def _(message: str) -> str:
    """Return a sentence in what is spoken."""
    return _spoken.catalogue.gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the sentence for a count, with the count in it; its other places stay."""
    return _spoken.catalogue.ngettext(one, many, count).replace("{count}", number(count))


def number(value: int) -> str:
    """Return a whole number with its thousands apart."""
    if -_UNGROUPED < value < _UNGROUPED:
        return str(value)
    from babel.numbers import format_decimal  # noqa: PLC0415 - see `locale`

    return format_decimal(value, locale=locale())


def _tag(named: str) -> str:
    tag = named.partition(".")[0].partition("@")[0].replace("-", "_")
    return SOURCE if tag in _NO_LANGUAGE else tag


def _base(tag: str) -> str:
    return tag.partition("_")[0]


def _find(tag: str) -> str | None:
    return _gettext.find(DOMAIN, folder(), [tag])


use(system_languages())
