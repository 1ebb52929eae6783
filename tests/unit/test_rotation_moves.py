"""The pure rules of a rotation: every move in every state fits or is barred, and evidence is only added to.

States are reached by any sequence of moves, so that what the rules allow is what is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.input_errors import RotationBarred
from keybench.core.keys.key import KeyDraft, KeyKind, PlannedKey
from keybench.core.rotations import moves, plans, stages
from keybench.core.rotations.rotation import (
    ApplicationStep,
    CompromiseStep,
    Expectation,
    KeyFacts,
    KeyTest,
    Proof,
    ProofRow,
    Rotation,
)
from keybench.core.rotations.stages import STAGES, Stage

AT = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)
LATER = AT + timedelta(hours=1)
ANN = "Ann"
DRAFT = KeyDraft("till 2026", "mira", "API", KeyKind.PRIVATE)
OLD = KeyFacts("K-1", "till", "mira", "API", KeyKind.PRIVATE, "", "one-two-three-four", "G-1", AT)
NEW = KeyFacts("K-2", "till 2026", "mira", "API", KeyKind.PRIVATE, "", "five-six-seven-eight", "G-2", AT)
ALLOWED = ProofRow("GET /", Expectation.ALLOWED, 200, 200)
SAME = Proof(AT, (ALLOWED, ProofRow("GET /keys", Expectation.REFUSED, 403, 403)))
OTHER = Proof(AT, (ProofRow("GET /", Expectation.ALLOWED, 200, 403),))
STEPS = (ApplicationStep("A-1", "Kiosk"), ApplicationStep("A-2", "web shop"))
Move = Callable[[Rotation], Rotation]


def making(number: int) -> PlannedKey:
    return PlannedKey(f"K-{number}", f"R-{number}", DRAFT)


def fresh() -> Rotation:
    return Rotation("R-1", "E-1", OLD, "old", AT, ANN, LATER, making=making(2), applications=STEPS)


def done_with(rotation: Rotation, *names: str) -> Rotation:
    for name in names:
        rotation = MOVES[name](rotation)
    return rotation


MOVES: dict[str, Move] = {
    "plan": lambda r: plans.plan_replacement(r, making(3)),
    "ask": lambda r: plans.creation_asked(r, AT, "program-1", durable=True),
    "leave": lambda r: plans.creation_left(r, "R-2"),
    "fail": lambda r: plans.creation_failed(r, making(2)),
    "undo creation": lambda r: plans.creation_undone(r, "G-9", making(2)),
    "keep": lambda r: plans.replacement_kept(r, NEW, AT),
    "withdraw": lambda r: plans.replacement_withdrawn(r, making(2), AT, ANN),
    "clear": lambda r: plans.orphan_cleared(r, "K-2", AT, certain=True),
    "prove": lambda r: moves.proof_made(r, SAME),
    "disprove": lambda r: moves.proof_made(r, OTHER),
    "waive": lambda r: moves.proof_waived(r, "because", AT, ANN),
    "test": lambda r: moves.key_tested(r, KeyTest(AT, 200)),
    "fail test": lambda r: moves.key_tested(r, KeyTest(AT, 401)),
    "change 1": lambda r: moves.application_changed(r, "A-1", AT, ANN),
    "change 2": lambda r: moves.application_changed(r, "A-2", AT, ANN),
    "change back": lambda r: moves.application_not_changed(r, "A-1", AT, ANN),
    "see 1": lambda r: moves.application_seen(r, "A-1", AT, ANN, "an order"),
    "see 2": lambda r: moves.application_seen(r, "A-2", AT, ANN, "an order"),
    "unsee": lambda r: moves.application_not_seen(r, "A-1", AT, ANN),
    "list": lambda r: moves.applications_listed(r, STEPS[:1]),
    "move end": lambda r: moves.overlap_moved(r, LATER, AT, ANN),
    "delete": lambda r: moves.deletion_asked(r, AT, ANN),
    "delete anyway": lambda r: moves.deletion_asked(r, AT, ANN, "leaked"),
    "undo deletion": lambda r: moves.deletion_undone(r, AT, ANN),
    "deleted": lambda r: moves.deleted(r, AT, ANN, in_portal=False),
    "deleted in portal": lambda r: moves.deleted(r, AT, ANN, in_portal=True),
    "refused": lambda r: moves.seen_refused(r, AT, 401),
    "erased": lambda r: moves.value_erased(r, AT),
    "document": lambda r: moves.documented(r, AT, ANN, "wiki"),
    "compromise": lambda r: moves.compromised(r, AT, ANN),
    "false alarm": lambda r: moves.not_compromised(r, AT, ANN, "another shop's"),
    "check": lambda r: moves.checked(r, CompromiseStep.SUPPORT, AT, ANN, done=True, findings="called"),
    "abandon": lambda r: moves.abandoned(r, AT, ANN, "no time"),
}
#: What may be done after the end.
AFTER_THE_END = {"leave", "fail", "clear", "check", "false alarm"}
TESTED = ("keep", "prove", "change 1", "change 2", "see 1", "see 2", "test")
DELETED = (*TESTED, "delete", "deleted", "refused", "erased")
names = st.lists(st.sampled_from(sorted(MOVES)), max_size=25)


def reached(sequence: list[str]) -> Rotation:
    """Return where those of the moves lead that aren't barred."""
    rotation = fresh()
    for name in sequence:
        try:
            rotation = MOVES[name](rotation)
        except RotationBarred:
            continue
    return rotation


@given(names, st.sampled_from(sorted(MOVES)))
def test_every_move_in_every_state_fits_or_is_barred_and_keeps_the_order(
    sequence: list[str], name: str
) -> None:
    before = reached(sequence)
    try:
        after = MOVES[name](before)
    except RotationBarred:
        return
    assert after.evidence[: len(before.evidence)] == before.evidence, "evidence is only added to"
    assert before.is_open or name in AFTER_THE_END
    deletion = after.deletion
    if deletion:
        assert after.replacement, "no old key goes without a new one"
        moments = [deletion.deleted_at, deletion.refused_at, deletion.erased_at]
        assert [bool(one) for one in moments] == sorted((bool(one) for one in moments), reverse=True)
    if after.documentation:
        assert stages.is_erased(deletion)
    if after.abandoned_at:
        assert not stages.is_deleted(deletion)
    assert all(step.changed_at for step in after.applications if step.seen_at)


@given(names, st.sampled_from(sorted(MOVES)))
def test_a_move_that_is_made_again_changes_nothing_but_what_may_be_said_twice(
    sequence: list[str], name: str
) -> None:
    said_again = {"prove", "disprove", "waive", "test", "fail test", "see 1", "see 2", "move end", "check"}
    if name in said_again | {"undo creation", "withdraw"}:
        return
    try:
        once = MOVES[name](reached(sequence))
        twice = MOVES[name](once)
    except RotationBarred:
        return
    assert replace(twice, evidence=()) == replace(once, evidence=())
    assert twice.evidence == once.evidence


@given(names)
def test_no_key_that_may_have_been_made_is_forgotten(sequence: list[str]) -> None:
    rotation, asked = fresh(), set[str]()
    for name in sequence:
        try:
            rotation = MOVES[name](rotation)
        except RotationBarred:
            continue
        if name in {"fail", "clear"}:  # these say that it is certainly gone
            asked.discard("K-2")
        if rotation.making and rotation.making.asked_at:
            asked.add(rotation.making.key_id)
        known = {one.making.key_id for one in rotation.leftovers}
        known |= {rotation.making.key_id} if rotation.making else set()
        assert asked <= known


@given(names)
def test_a_stage_is_reached_when_those_before_are_done(sequence: list[str]) -> None:
    rotation = reached(sequence)
    stage = stages.stage_of(rotation)
    if rotation.deletion is None:
        assert all(stages.is_done(rotation, one) for one in STAGES[: STAGES.index(stage)])
    else:
        assert stage in {Stage.DELETE, Stage.DOCUMENT}


@pytest.mark.parametrize(
    ("made", "stage"),
    [
        ((), Stage.CREATE),
        (("keep",), Stage.CREATE),
        (("keep", "disprove"), Stage.CREATE),
        (("keep", "waive"), Stage.REPLACE),
        (("keep", "prove", "change 1"), Stage.REPLACE),
        (("keep", "prove", "change 1", "change 2"), Stage.TEST),
        (TESTED[:-1], Stage.TEST),
        ((*TESTED, "fail test"), Stage.TEST),
        (TESTED, Stage.DELETE),
        (("keep", "delete anyway"), Stage.DELETE),
        (DELETED[:-1], Stage.DELETE),
        (DELETED, Stage.DOCUMENT),
        ((*DELETED, "document"), Stage.DOCUMENT),
    ],
)
def test_where_a_rotation_stands(made: tuple[str, ...], stage: Stage) -> None:
    assert stages.stage_of(done_with(fresh(), *made)) is stage


@pytest.mark.parametrize(
    ("made", "barred", "reason"),
    [
        ((), "prove", RotationBarred.NO_REPLACEMENT),
        ((), "change 1", RotationBarred.NO_REPLACEMENT),
        ((), "delete anyway", RotationBarred.NO_REPLACEMENT),
        ((), "deleted", RotationBarred.NOT_ASKED),
        ((), "check", RotationBarred.NOT_COMPROMISED),
        ((), "document", RotationBarred.NOT_REFUSED),
        (("keep",), "plan", RotationBarred.REPLACED_ALREADY),
        (("keep",), "ask", RotationBarred.REPLACED_ALREADY),
        (("keep",), "see 1", RotationBarred.NOT_CHANGED),
        (("keep", "change 1"), "withdraw", RotationBarred.IN_USE),
        (("keep", "prove"), "delete", RotationBarred.NOT_TESTED),
        ((*TESTED, "delete"), "refused", RotationBarred.NOT_DELETED),
        ((*TESTED, "delete", "deleted"), "erased", RotationBarred.NOT_REFUSED),
        ((*TESTED, "delete", "deleted"), "undo deletion", RotationBarred.DELETED),
        ((*TESTED, "delete", "deleted"), "abandon", RotationBarred.DELETED),
        ((*TESTED, "delete", "deleted"), "change back", RotationBarred.DELETED),
        ((*DELETED, "document"), "abandon", RotationBarred.OVER),
        (("abandon",), "keep", RotationBarred.OVER),
        (("abandon",), "compromise", RotationBarred.OVER),
    ],
)
def test_why_a_move_is_barred(made: tuple[str, ...], barred: str, reason: str) -> None:
    with pytest.raises(RotationBarred) as caught:
        done_with(fresh(), *made, barred)
    assert caught.value.reason == reason


def test_an_application_that_is_not_listed_is_barred() -> None:
    with pytest.raises(RotationBarred) as caught:
        moves.application_changed(done_with(fresh(), "keep"), "A-9", AT, ANN)
    assert caught.value.reason == RotationBarred.NOT_LISTED


def test_a_plan_that_nobody_was_asked_for_keeps_its_identifiers() -> None:
    other = plans.plan_replacement(fresh(), replace(making(3), draft=replace(DRAFT, name="other")))
    assert other.making
    assert (other.making.key_id, other.making.request_id, other.making.draft.name) == ("K-2", "R-2", "other")
    assert other.leftovers == ()


def test_a_plan_that_the_gateway_was_asked_for_is_left_over() -> None:
    other = plans.plan_replacement(done_with(fresh(), "ask"), making(3))
    assert other.making == making(3)
    assert [one.making.key_id for one in other.leftovers] == ["K-2"]


def test_an_abandoned_plan_is_left_over_and_a_kept_replacement_is_not() -> None:
    assert [one.making.key_id for one in done_with(fresh(), "abandon").leftovers] == ["K-2"]
    assert done_with(fresh(), "keep", "abandon").leftovers == ()


def test_a_clock_that_was_set_back_does_not_keep_an_application_from_being_seen() -> None:
    changed = moves.application_changed(done_with(fresh(), "keep"), "A-1", LATER, ANN)
    seen = moves.application_seen(changed, "A-1", AT, ANN, "an order")
    assert seen.applications[0].seen_at == LATER


def test_what_was_ticked_stays_ticked_when_the_register_is_read_again() -> None:
    changed = done_with(fresh(), "keep", "change 1", "see 1", "change 2")
    listed = moves.applications_listed(changed, (replace(STEPS[0], owner="Ops"),))
    assert [(one.name, one.owner, bool(one.seen_at)) for one in listed.applications] == [
        ("Kiosk", "Ops", True),
        ("web shop", "", False),
    ]


@pytest.mark.parametrize(
    ("made", "interrupted"),
    [
        ((), True),
        (("keep",), False),
        (("keep", "withdraw"), True),
        ((*TESTED, "delete"), True),
        ((*TESTED, "delete", "deleted"), False),
        (DELETED[:-1], True),
        (DELETED, False),
        (("abandon",), True),
        (("abandon", "clear"), False),
        (("keep", "abandon"), False),
    ],
)
def test_what_has_to_be_taken_up(made: tuple[str, ...], *, interrupted: bool) -> None:
    assert stages.was_interrupted(done_with(fresh(), *made)) is interrupted
