"""The dialog that dismisses findings for a while, for a written reason."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form
from keybench.ui.kit.segments import Segments
from keybench.ui.shared.signature import Signature
from keybench.words.language import _, ngettext

_SPANS: Final = [("30", _("30 days")), ("90", _("90 days")), ("365", _("A year"))]


class DismissalDialog(Dialog):
    """Asks for reason and days, and for the name of who dismisses if that isn't known."""

    def __init__(self, parent: QWidget, title: str, count: int, signature: Signature) -> None:
        reason = partial(clean_text, "reason", limit=PURPOSE_LIMIT)
        self.signature = signature
        self.reason = QLineEdit()
        self.reason.setMaxLength(PURPOSE_LIMIT)
        self.days = Segments(_SPANS, _("Dismiss for"))
        self.reason_field = Field(_("Reason"), self.reason, id="reason", check=reason)
        text = ngettext(
            "It is listed again after that time, or as soon as you want it.",
            "All {count:,} are dismissed for one reason. They are listed again after that time, or as soon as you want it.",
            count,
        )
        super().__init__(
            parent,
            title=_("Dismiss “{title}”").format(title=title),
            text=text.format(count=count),
            confirm=ngettext("Dismiss it", "Dismiss all {count:,}", count).format(count=count),
            content=Form(self.reason_field, self.days, *signature.fields),
        )
        self.setWindowTitle(ngettext("Dismiss a finding", "Dismiss findings", count))
