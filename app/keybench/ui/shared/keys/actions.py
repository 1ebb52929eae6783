"""What is asked and shown about one key: that an alarm was false, another name, what its last test came to."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.environments.environment import Environment
from keybench.core.keys.key import SecurityKey
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form, text_field
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shared.signature import Signature
from keybench.words.keys.states import key_state
from keybench.words.language import _


async def ask_not_compromised(parent: QWidget, session: Session, key: SecurityKey) -> None:
    """Ask why a key isn't compromised, and by whom that is said, until it is recorded or the person left it."""
    signature = Signature(session.preferences)
    reason = text_field(_("Reason"), id="reason", hint=_("How you know that nobody else has it"))
    dialog = Dialog(
        parent,
        title=_("Is “{name}” not compromised?").format(name=key.name),
        text=_(
            "It no longer counts as compromised, and nothing says any more that it has to be rotated at once. "
            "A rotation that was begun for that and has no new key yet is given up; a revocation that isn't "
            "done is taken back. The reason stays in the record."
        ),
        confirm=_("It is not compromised"),
        content=Form(reason, *signature.fields),
    )
    take_back = session.administration.rotations.not_compromised
    if await dialog.keep(lambda: take_back(key, signature.name, reason.text)):
        signature.remember()


async def ask_name(parent: QWidget, session: Session, key: SecurityKey) -> SecurityKey | None:
    """Ask for another name until the key has it; return the key then, or None if it was left as it is."""
    from keybench.ui.shared.keys.form import check_name  # noqa: PLC0415 - a start names nothing

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


_WIDTH_PX: Final = 620
_HEIGHT_PX: Final = 300


async def show_last_test(
    parent: QWidget, session: Session, environment: Environment, key: SecurityKey
) -> None:
    exchanges = await session.console.keys.last_test(key)
    if not exchanges:
        title = _("Nothing is kept of the last test of “{name}”.").format(name=key.name)
        text = _("It asked the gateway nothing, or was made by an earlier Keybench. Test the key again.")
        session.notify(Notice("info", title, text, "last test"))
        return
    from keybench.ui.shared.sales.exchanges import Exchanges  # noqa: PLC0415 - the list of keys comes first
    from keybench.words.sales.ticket import key_test_text  # noqa: PLC0415 - same

    views = Exchanges(session)
    keep_size(views, least_width=_WIDTH_PX, least_height=_HEIGHT_PX)
    views.show_sale("", exchanges, key.name)
    dialog = Dialog(
        parent,
        title=_("The last test of “{name}”").format(name=key.name),
        text=key_state(key).text,
        confirm=_("Copy for the ticket"),
        cancel=_("Close"),
        content=views,
    )
    if await dialog.answer():
        words = _("The test with its request and its answer, without the value.")
        session.copy(key_test_text(key, environment, exchanges), _("Copied for the ticket"), words)
