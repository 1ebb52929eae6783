"""Asks what the replacement shall be, where a plan that was made doesn't do."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from keybench.core.rotation import Rotation
from keybench.core.security_key import KeyDraft
from keybench.ui.rotations.asking import FormQuestion, answered
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.plan_form import PlanForm
from keybench.ui.theme import scaled


async def ask_plan(parent: QWidget, desk: Desk, rotation: Rotation) -> KeyDraft | None:
    """Ask for another plan for a rotation's replacement and return it, or None if that was left."""
    keys = await desk.session.console.keys.listed(desk.environment)
    question = FormQuestion(parent, title="Change what is made", text="", confirm="Change it")
    form = PlanForm(desk, keys)
    form.setMinimumWidth(scaled(400))
    question.add(form)
    question.check = form.is_right
    if rotation.making:
        form.load(rotation.old, rotation.making.draft)
    return form.draft if await answered(question) else None
