"""Stage 1: make the replacement or bring it from the portal, and compare what both keys may do."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame

from keybench.core import rotation_stages as stages
from keybench.core.rotation import Rotation
from keybench.ui.keys.form import ValueField
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.parts import WhyNot, WrappingRow, column
from keybench.ui.rotations.plan_form import ask_plan
from keybench.ui.rotations.stage_body import StageBody
from keybench.ui.rotations.tables import FactsTable, ProofTable
from keybench.ui.widgets.dialog import ask_text
from keybench.ui.widgets.labels import button, label, prose
from keybench.words.rotations import CREATE_IN_PORTAL, WAIVE_TEXT, left_over_line, proof_line


class CreateBody(StageBody):
    """Both keys beside each other, the ways to the new one, and the proof below."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.facts = FactsTable()
        self.create_button = button("Create the replacement", self._create, tone="primary")
        self.change_button = button("Change what is made…", self._change)
        self.withdraw_button = button(
            "Take the replacement back", self._withdraw, hint="While no application uses it yet"
        )
        self.compare_button = button("Compare permissions", self._compare, tone="primary")
        self.waive_button = button("Go on without…", self._waive)
        self.portal_button = button("Open the portal", self.open_portal)
        self.keep_button = button("Keep the key", self._keep, tone="primary")
        self.value = ValueField()
        self.value.line.returnPressed.connect(self._keep)
        self.proof = ProofTable()
        self.proof_line = prose(role="dim")
        self._paste = self._paste_box()
        self.clear_button = button("Clear it away", self._clear)
        self.left_over = WhyNot("A key that nobody wants is left over.", self.clear_button)
        self._lay_out()

    def show_rotation(self, rotation: Rotation) -> None:
        """Show both keys, what is left to do, and the proof."""
        self.facts.show_rotation(rotation)
        made, is_open = rotation.replacement is not None, rotation.is_open
        by_gateway = self.desk.rotations.can_create(self.desk.environment)
        kind = rotation.making.draft.kind if rotation.making else rotation.old.kind
        self.value.show_kind(kind)
        self._paste.setVisible(is_open and not made and not by_gateway)
        if made:
            self.value.reset()
        self.offer(self.create_button, shown=is_open and not made and by_gateway)
        self.offer(self.keep_button)
        self.offer(self.change_button, shown=is_open and not made)
        self.offer(self.withdraw_button, shown=stages.can_undo_replacement(rotation))
        self.offer(self.compare_button, shown=is_open and made, enabled=rotation.deletion is None)
        self.offer(self.waive_button, shown=is_open and made and not stages.proof_settled(rotation))
        self.left_over.show_reason(left_over_line(rotation))
        self.offer(self.clear_button)
        self.proof.show_rotation(rotation)
        self.proof_line.setText(proof_line(rotation, self.desk.session.console.clock.now()))

    def clear_value(self) -> None:
        """Empty the value field and its history."""
        self.value.reset()

    def _create(self) -> None:
        self.desk.step("Creating…", self.desk.rotations.create, said="The replacement is made and kept.")

    def _keep(self) -> None:
        self.value.touch()
        if self.value.fault or not self.keep_button.isEnabled():
            self.value.line.setFocus()
            return
        said = "The replacement's value is kept."
        self.desk.step("Keeping…", self.desk.rotations.keep, self.value.text, said=said)

    def _clear(self) -> None:
        said = "What could be cleared away is gone."
        self.desk.step("Clearing away…", self.desk.rotations.resume, said=said)

    def _withdraw(self) -> None:
        if self.desk.signed():
            said = "The replacement was taken back."
            withdraw = self.desk.rotations.withdraw_replacement
            self.desk.step("Taking it back…", withdraw, self.desk.person, said=said)

    def _compare(self) -> None:
        self.desk.step("Comparing…", self.desk.rotations.prove)

    def _waive(self) -> None:
        if self.desk.signed():
            self.desk.run("question", self._ask_to_waive(self.desk.rotation))

    async def _ask_to_waive(self, asked: Rotation) -> None:
        reason = await ask_text(
            self,
            title="Go on without the proof?",
            text=WAIVE_TEXT,
            label="Reason",
            confirm="Go on without it",
        )
        if reason:
            use_case = self.desk.rotations.waive_proof
            await self.desk.agreed(asked, "Noting…", use_case, reason, self.desk.person)

    def _change(self) -> None:
        if self.desk.signed():
            self.desk.run("question", self._ask_for_plan(self.desk.rotation))

    async def _ask_for_plan(self, asked: Rotation) -> None:
        draft = await ask_plan(self, self.desk, asked)
        if draft:
            await self.desk.agreed(asked, "Noting…", self.desk.rotations.replan, draft, self.desk.person)

    def _paste_box(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "well")
        layout = column(box, margins=(14, 10, 14, 10))
        keystore = self.desk.session.console.keystore_status.name
        layout.addWidget(prose(CREATE_IN_PORTAL.format(keystore=keystore)))
        layout.addWidget(self.value)
        layout.addWidget(WrappingRow((self.portal_button, self.keep_button)))
        return box

    def _lay_out(self) -> None:
        layout = column(self)
        layout.addWidget(label("Both keys", "heading"))
        layout.addWidget(self.facts)
        layout.addWidget(self.left_over)
        layout.addWidget(self._paste)
        layout.addWidget(WrappingRow((self.create_button, self.change_button, self.withdraw_button)))
        layout.addSpacing(8)
        layout.addWidget(label("Same permission?", "heading"))
        layout.addWidget(self.proof)
        layout.addWidget(self.proof_line)
        layout.addWidget(WrappingRow((self.compare_button, self.waive_button)))
        layout.addStretch(1)
