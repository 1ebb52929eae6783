"""Revoking a key, in words: what stops working, what happens to the key, and how it went."""

from __future__ import annotations

from typing import Final

from keybench.core.environments.environment import Environment, marking
from keybench.core.keys.key import SecurityKey
from keybench.words.formats import some
from keybench.words.language import _, ngettext
from keybench.words.rotations.progress import names_line
from keybench.workflows.keys.revocation import LATELY, Effects

_SOME: Final = 6
USUAL_REASON: Final = _("The key leaked")
IN_PORTAL: Final = _(
    "Keybench can't delete this key at its gateway. The next step is to delete it in the portal. Keybench then checks "
    "with the key until the gateway refuses it, and erases its value from this computer."
)
AT_GATEWAY: Final = _(
    "The gateway deletes it now. Keybench then checks with the key until the gateway refuses it, and erases its value "
    "from this computer. This can't be undone."
)
NOT_CONFIRMED: Final = _(
    "It is unknown whether the key still works: the gateway has not confirmed that it is gone. Go on with its rotation "
    "in the window, or revoke it again."
)


def revocation_title(key: SecurityKey) -> str:
    return _("Revoke “{name}” now?").format(name=key.name)


def revocation_text(key: SecurityKey, environment: Environment, effects: Effects) -> str:
    where = _("{environment} · fingerprint {fingerprint}").format(
        environment=marking(environment), fingerprint=key.fingerprint or _("not known")
    )
    return "\n\n".join((where, effects_text(effects), AT_GATEWAY if effects.by_gateway else IN_PORTAL))


def effects_text(effects: Effects) -> str:
    named = (
        (_("Keys here with the same value: {names}"), effects.keys),
        (_("Applications: {names}"), effects.applications),
        (_("Devices that sold with it in the last {days} days: {names}"), effects.devices),
    )
    lines = [words.format(days=LATELY.days, names=some(names, _SOME)) for words, names in named if names]
    if effects.sales:
        lines.append(
            ngettext(
                "{count} sale under way: its outcome may stay unknown here.",
                "{count} sales under way: their outcomes may stay unknown here.",
                effects.sales,
            )
        )
    lines += [
        _("The rotation {names}, whose new key it is").format(names=names_line(one))
        for one in effects.rotations
    ]
    if not lines:
        return _("Keybench knows of nothing that uses it. What uses it all the same stops working at once.")
    return _("These stop working at once, as does what Keybench doesn't know of:") + "".join(
        f"\n•  {line}" for line in lines
    )
