"""Stages 2 and 3: the new key is set in every application, and each is seen working with it."""

from __future__ import annotations

from functools import partial

from keybench.core.rotations import stages
from keybench.core.rotations.rotation import ApplicationStep, Rotation
from keybench.ui.kit.dialog import ask_text
from keybench.ui.rotations.controller import RotationController, UseCase
from keybench.ui.rotations.stage_view import (
    Button,
    Content,
    StageText,
    StageView,
    Well,
    is_made,
    is_open,
)
from keybench.ui.rotations.tables import ApplicationsTable, ProofTable
from keybench.ui.shared.clipboard import KeyCopy
from keybench.ui.shared.keys.dialogs import ApplicationDialog
from keybench.words.language import _
from keybench.words.rotations.stages import application_words, key_test_line
from keybench.words.team.holdings import still_held
from keybench.workflows.rotations.steps import key_of


def _goes_on(rotation: Rotation) -> bool:
    return rotation.is_open and not stages.is_deleted(rotation.deletion)


def _is_under_way(rotation: Rotation) -> bool:
    return _goes_on(rotation) or (rotation.is_open and stages.is_revoked(rotation))


def _has_proof(rotation: Rotation) -> bool:
    return rotation.proof is not None and rotation.deletion is None


class _ApplicationStage(StageView):
    """A stage with a table of the applications; its buttons are about the selected one."""

    def __init__(self, controller: RotationController) -> None:
        super().__init__(controller)
        self.table = ApplicationsTable()
        preferences = controller.session.preferences
        self.table.columns.keep(preferences, "rotations/applications columns")
        self.table.selection_changed.connect(self.refresh)

    def is_changed(self, _rotation: Rotation) -> bool:
        step = self.table.selected
        return step is not None and step.changed_at is not None

    def note(self, use_case: UseCase) -> None:
        step = self.table.selected
        if step:
            self.controller.step(_("Recording…"), use_case, step.application_id, self.controller.person)


class ReplaceStage(_ApplicationStage):
    """The list with its ticks; below it what is known of the selected application."""

    def __init__(self, controller: RotationController) -> None:
        super().__init__(controller)
        c, use, table = controller, controller.rotations, self.table
        self.copying = KeyCopy(c.session, self)
        self.copying.told.connect(self._on_copy_told)
        self._said = ""
        self._copied_of = ""
        table.opened.connect(self._toggle)
        copy = Button(
            _("Copy the new key"),
            self._on_copy,
            shown=_is_under_way,
            enabled=lambda rotation: is_made(rotation) and table.selected is not None,
            hint=_("For the selected application. The clipboard is cleared after some seconds"),
            waits=False,
        )
        self._set = Button(
            _("New key is set there"),
            partial(self.note, use.application_changed),
            shown=lambda rotation: not self.is_changed(rotation),
            enabled=lambda rotation: (
                is_made(rotation) and _is_under_way(rotation) and table.selected is not None
            ),
            tone="primary",
            signed=True,
        )
        self._unset = Button(
            _("Not changed after all"),
            partial(self.note, use.application_not_changed),
            shown=self.is_changed,
            enabled=_goes_on,
            signed=True,
        )
        self.build(
            StageText(_("Applications that use this key"), "heading"),
            Content(table, table.show_rotation),
            StageText(lambda rotation: still_held(c.session.console.team, rotation.old)),
            (self._set, self._unset, copy),
            # Never with another rotation, whose new key isn't the one that is copied.
            StageText(
                lambda _rotation: self._said,
                "dim",
                when=lambda rotation: bool(self._said) and rotation.id == self._copied_of,
            ),
            Well((StageText(self._about_selected),), when=lambda _rotation: table.selected is not None),
            None,
            (
                Button(_("Add an application…"), ask=self._add, shown=is_open, enabled=_goes_on),
                Button(
                    _("Refresh the list"),
                    lambda: c.step(_("Reading…"), use.refresh_applications),
                    shown=is_open,
                    enabled=_goes_on,
                    hint=_("Bring in what changed on the Keys page"),
                ),
            ),
        )

    def begin(self) -> bool:
        self.table.setFocus()
        return True

    def _about_selected(self, _rotation: Rotation) -> str:
        step = self.table.selected
        return application_words(step) if step else ""

    def _on_copy(self) -> None:
        c, step = self.controller, self.table.selected
        if step is None or not is_made(c.rotation) or c.rotation.replacement is None:
            return
        rotation_id = self._copied_of = c.id
        said = _("The new key is copied for “{whom}”. The clipboard is cleared in {seconds} s.")
        unwanted = _("Nothing was copied: something else was chosen before the value came.")
        self.copying.copy(
            key_of(c.rotation, c.rotation.replacement),
            lambda seconds: said.format(whom=step.name, seconds=seconds),
            lambda: self.isVisible() and c.id == rotation_id,
            lambda: self._on_copy_told(unwanted),
            partial(c.failed, c.id),
        )

    def _on_copy_told(self, words: str, *_is_over: bool) -> None:
        self._said = words
        self.refresh()

    def _toggle(self) -> None:
        self.press(self._unset if self.is_changed(self.controller.rotation) else self._set)

    async def _add(self, asked: Rotation) -> None:
        c = self.controller
        environment, add = c.environment, c.session.administration.applications.add
        text = _("One that uses “{name}”: a program, a till, a report.").format(name=asked.old.name)
        dialog = ApplicationDialog(self, title=_("Add an application"), confirm=_("Add it"), text=text)
        if await dialog.keep(lambda: add(environment, asked.old.key_id, dialog.draft)):
            await c.carried(asked, _("Reading…"), c.rotations.refresh_applications)


class TestStage(_ApplicationStage):
    """The key's own test, the applications, and the proof from stage 1."""

    __test__ = False  # pytest takes a class of this name for one of its own

    def __init__(self, controller: RotationController) -> None:
        super().__init__(controller)
        c, use, table, proof = controller, controller.rotations, self.table, ProofTable()
        self.build(
            StageText(_("The new key itself"), "heading"),
            StageText(key_test_line),
            (
                Button(
                    _("Test the new key"),
                    lambda: c.step(_("Testing…"), use.test_key),
                    shown=is_open,
                    enabled=is_made,
                    tone=lambda rotation: (
                        "primary" if is_made(rotation) and rotation.test is None else "plain"
                    ),
                ),
            ),
            None,
            StageText(_("Applications that use this key"), "heading"),
            Content(table, table.show_rotation),
            (
                Button(
                    _("Test now"),
                    self._test_now,
                    shown=self._is_listed,
                    enabled=self._is_ready,
                    hint=_(
                        "Calls the gateway with the new key from here. That shows that the key is accepted, "
                        "not that the application works"
                    ),
                    short=_("Test the key from here"),
                ),
                Button(
                    _("Confirm it works…"),
                    self._record,
                    shown=self._is_listed,
                    enabled=self._is_ready,
                    tone=self._confirm_tone,
                    signed=True,
                ),
                Button(
                    _("Not seen after all"),
                    partial(self.note, use.application_not_seen),
                    shown=self._is_seen,
                    enabled=is_made,
                    signed=True,
                ),
            ),
            None,
            StageText(_("Same permission?"), "heading", when=_has_proof),
            Content(proof, proof.show_rotation, when=_has_proof),
        )

    def begin(self) -> bool:
        if self.controller.rotation.test is None:
            return super().begin()
        self.table.setFocus()
        return True

    @staticmethod
    def _is_listed(rotation: Rotation) -> bool:
        return rotation.is_open and bool(rotation.applications)

    def _is_ready(self, rotation: Rotation) -> bool:
        return is_made(rotation) and self.is_changed(rotation)

    def _confirm_tone(self, rotation: Rotation) -> str:
        step = self.table.selected
        is_next = rotation.test is not None and step is not None and not step.is_seen_working
        return "primary" if is_next and self._is_ready(rotation) else "plain"

    def _is_seen(self, rotation: Rotation) -> bool:
        step = self.table.selected
        return self._is_listed(rotation) and step is not None and step.is_seen_working

    def _test_now(self) -> None:
        c, step = self.controller, self.table.selected
        if step:
            done = _(
                "The gateway accepts the new key from this computer. That doesn't show that {name} works with "
                "it: confirm that it works."
            ).format(name=step.name)
            c.step(_("Testing…"), c.rotations.test_application, step.application_id, done=done)

    def _record(self) -> None:
        step = self.table.selected
        if step:
            self.controller.ask(partial(self._ask_what_was_seen, step, self.controller.person))

    async def _ask_what_was_seen(self, step: ApplicationStep, by: str, asked: Rotation) -> None:
        c = self.controller
        how = await ask_text(
            self,
            title=_("Confirm that {name} works").format(name=step.name),
            text=_("{text} It is recorded as seen by {by}.").format(
                text=_(
                    "Somebody saw the application work with the new key after it was changed there. Say what "
                    "was seen: a sale, a report, a line in its log."
                ),
                by=by,
            ),
            label=_("What was seen"),
            lines=1,
            confirm=_("Confirm"),
        )
        if how:
            await c.agreed(asked, _("Recording…"), c.rotations.application_seen, step.application_id, by, how)
