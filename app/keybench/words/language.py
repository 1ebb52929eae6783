"""The language people read: every sentence of Keybench goes through gettext's functions, which stand here.

`_` marks and translates a sentence, `ngettext` one that counts, and fills in its ``{count:,}``. Both take whole
sentences with named places, so that a translator can put the parts in another order:
``_("“{name}” was saved.").format(name=name)``.

Catalogues are ``resources/languages/LANGUAGE/LC_MESSAGES/keybench.mo``. The language is the system's, as the
environment variables LANGUAGE, LC_ALL, LC_MESSAGES and LANG name it, and English without a catalogue. It is
the same from the program's first import to its end, so a sentence may stand in a constant.
"""

from __future__ import annotations

import gettext as _gettext
from typing import Final

from keybench.runtime.data_folder import resource_path

_DOMAIN: Final = "keybench"
_catalogue: Final = _gettext.translation(_DOMAIN, resource_path("languages"), fallback=True)

_ = _catalogue.gettext
pgettext = _catalogue.pgettext


def ngettext(one: str, many: str, count: int) -> str:
    """Return the sentence for a count, with the count in it; its other places stay."""
    return _catalogue.ngettext(one, many, count).replace("{count:,}", f"{count:,}")
