"""The dialog that asks for another name of a key."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.security_key import SecurityKey
from keybench.ui.keys.form import check_name
from keybench.ui.session import Session
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Field, Form
from keybench.words.language import _


async def ask_name(parent: QWidget, session: Session, key: SecurityKey) -> SecurityKey | None:
    """Ask for another name until the key has it; return the key then, or None if it was left as it is."""
    others = await session.console.world.journal.keys(key.environment_id)
    taken = frozenset(one.name for one in others if one.id != key.id)
    edit = QLineEdit(key.name)
    edit.setAccessibleName(_("Key Name"))
    edit.selectAll()
    name = Field(_("Key Name"), edit, id="key name", check=lambda text: check_name(text, taken))
    dialog = Dialog(
        parent,
        title=_("Rename “{name}”").format(name=key.name),
        text=_(
            "The new name is used in Keybench: in its lists, its open rotations and new sales. Past sales and "
            "the activity keep the old one. The gateway and its portal aren't told; there the key keeps the "
            "name it has."
        ),
        confirm=_("Rename"),
        content=Form(name),
    )
    renamed = await dialog.keep(lambda: session.console.keys.rename(key, name.text))
    return renamed if renamed and renamed.name != key.name else None
