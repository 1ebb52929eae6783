"""Stage 3: the new key itself is tried, and people see each application working after its change."""

from __future__ import annotations

from functools import partial

from keybench.core.environment import Environment
from keybench.core.rotation import ApplicationStep, Rotation
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.dialogs import ask_sale
from keybench.ui.rotations.parts import WrappingRow, column
from keybench.ui.rotations.stage_body import StageBody
from keybench.ui.rotations.tables import ApplicationsTable, ProofTable
from keybench.ui.widgets.dialog import ask_text
from keybench.ui.widgets.labels import button, label, prose
from keybench.words.rotations import ACCEPTED_TEXT, SEEN_TEXT, key_test_line


class TestBody(StageBody):
    """The key's own test, the applications, and the proof from stage 1."""

    __test__ = False  # pytest takes a class of this name for one of its own

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.key_line = prose()
        self.test_button = button("Test the new key", self._test_key, tone="primary")
        self.sale_button = button("Test sale…", self._sale, hint="Optional: a small sale with the new key")
        self.table = ApplicationsTable()
        self.table.selection_changed.connect(self._on_picked)
        self.now_button = button(
            "Test now",
            self._test_now,
            hint="Calls the gateway with the new key from here. That shows that the key is accepted, "
            "not that the application works",
        )
        self.seen_button = button("Record who saw it…", self._record)
        self.unseen_button = button("Not seen after all", self._unseen)
        self.proof = ProofTable()
        self._proof_head = label("Same permission?", "heading")
        self._lay_out()

    def show_rotation(self, rotation: Rotation) -> None:
        """Show what was tried and what was seen."""
        ready = rotation.is_open and rotation.replacement is not None
        self.key_line.setText(key_test_line(rotation))
        before = rotation.deletion is None
        self.offer(self.test_button, shown=rotation.is_open, enabled=ready)
        self.offer(self.sale_button, shown=rotation.is_open, enabled=ready and rotation.old.kind == "private")
        self.table.show_rotation(rotation)
        self.offer(self.unseen_button, shown=False)
        self._on_picked()
        has_proof = rotation.proof is not None
        self.proof.show_rotation(rotation)
        self.proof.setVisible(has_proof and before)
        self._proof_head.setVisible(has_proof and before)

    def begin(self) -> bool:
        """Give the keyboard to what is to be done first."""
        first = self.test_button if self.desk.rotation.test is None else self.table
        first.setFocus()
        return True

    def _on_picked(self) -> None:
        step = self.table.selected
        rotation = self.desk.rotation
        ready = rotation.is_open and rotation.replacement is not None
        changed = step is not None and step.changed_at is not None
        seen = step is not None and step.is_seen_working
        shown = rotation.is_open and bool(rotation.applications)
        self.offer(self.now_button, shown=shown, enabled=ready and changed)
        self.offer(self.seen_button, shown=shown, enabled=ready and changed)
        self.offer(self.unseen_button, shown=shown and seen, enabled=ready)

    def _test_key(self) -> None:
        self.desk.step("Testing…", self.desk.rotations.test_key)

    def _test_now(self) -> None:
        step = self.table.selected
        if step:
            said = ACCEPTED_TEXT.format(name=step.name)
            use_case = self.desk.rotations.test_application
            self.desk.step("Testing…", use_case, step.application_id, said=said)

    def _unseen(self) -> None:
        step = self.table.selected
        if step and self.desk.signed():
            use_case = self.desk.rotations.application_not_seen
            self.desk.step("Noting…", use_case, step.application_id, self.desk.person)

    def _record(self) -> None:
        step = self.table.selected
        if step and self.desk.signed():
            self.desk.run("question", self._ask_who(self.desk.rotation, step, self.desk.person))

    async def _ask_who(self, asked: Rotation, step: ApplicationStep, by: str) -> None:
        how = await ask_text(
            self,
            title=f"{step.name} was seen working",
            text=f"{SEEN_TEXT} It is recorded as seen by {by}.",
            label="What was seen",
            lines=1,
            confirm="Record it",
        )
        if how:
            use_case = self.desk.rotations.application_seen
            await self.desk.agreed(asked, "Noting…", use_case, step.application_id, by, how)

    def _sale(self) -> None:
        self.desk.run("question", self._ask_for_sale(self.desk.rotation, self.desk.environment))

    async def _ask_for_sale(self, asked: Rotation, environment: Environment) -> None:
        order = await ask_sale(self, self.desk.session, environment)
        if order:
            use_case = partial(self.desk.rotations.test_sale, confirmed=True)
            said = "The test sale is over; History has it."
            await self.desk.agreed(asked, "Selling: follow the device…", use_case, *order, said=said)

    def _lay_out(self) -> None:
        layout = column(self)
        layout.addWidget(label("The new key itself", "heading"))
        layout.addWidget(self.key_line)
        layout.addWidget(WrappingRow((self.test_button, self.sale_button)))
        layout.addSpacing(8)
        layout.addWidget(label("Applications that use this key", "heading"))
        layout.addWidget(self.table)
        layout.addWidget(WrappingRow((self.now_button, self.seen_button, self.unseen_button)))
        layout.addSpacing(8)
        layout.addWidget(self._proof_head)
        layout.addWidget(self.proof)
        layout.addStretch(1)
