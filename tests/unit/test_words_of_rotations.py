"""Rotations in words: how far each stage is, why not yet, what the time left means."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from keybench.core.keys.key import KeyDraft, KeyKind, OrphanedKey, PlannedKey
from keybench.core.rotations.rotation import (
    ApplicationStep,
    Deletion,
    Documentation,
    Expectation,
    KeyFacts,
    KeyTest,
    Proof,
    ProofRow,
    Rotation,
)
from keybench.core.rotations.stages import Stage
from keybench.words.rotations import progress as words
from keybench.words.rotations import stages

NOW = datetime(2026, 11, 18, 14, 10, tzinfo=UTC)
OLD = KeyFacts(
    "k1", "web shop 2024", "web", "API", KeyKind.PRIVATE, "", "barn-gentle-bridge-wagon", "K-1", NOW
)
NEW = replace(OLD, key_id="k2", name="web shop 2026")
BEGUN = Rotation("r1", "practice", OLD, "old", NOW - timedelta(days=2), "Ann", NOW + timedelta(days=2))
ALLOWED = ProofRow("GET /devices", Expectation.ALLOWED, 200, 200)
SAME = Proof(NOW, (ALLOWED, ProofRow("GET /report", Expectation.REFUSED, 403, 403)))
HALF = Proof(NOW, (ALLOWED,))
DIFFERENT = Proof(NOW, (ProofRow("GET /report", Expectation.REFUSED, 403, 200),))
KIOSK = ApplicationStep("a1", "Kiosk")
MADE = replace(BEGUN, replacement=NEW, proof=SAME)
TESTED = replace(
    MADE,
    applications=(replace(KIOSK, changed_at=NOW, changed_by="Ann", seen_at=NOW, seen_by="Ann"),),
    test=KeyTest(NOW, 200),
)


@pytest.mark.parametrize(
    ("rotation", "stage", "line"),
    [
        (BEGUN, Stage.CREATE, "not made yet"),
        (replace(BEGUN, replacement=NEW), Stage.CREATE, "made, permissions not compared"),
        (MADE, Stage.CREATE, "allowed the same"),
        (replace(MADE, proof=DIFFERENT), Stage.CREATE, "not allowed the same"),
        (replace(MADE, proof=HALF), Stage.CREATE, "one allowed call compared"),
        (
            replace(MADE, proof=HALF, proof_waived="no"),
            Stage.CREATE,
            "one allowed call compared, with a reason",
        ),
        (replace(MADE, proof_waived="checked"), Stage.CREATE, "not proven the same, with a reason"),
        (BEGUN, Stage.REPLACE, "no applications listed"),
        (replace(MADE, applications=(KIOSK,)), Stage.REPLACE, "0 of 1 changed"),
        (replace(MADE, applications=(KIOSK,)), Stage.TEST, "0 of 1 seen working, key not tested"),
        (TESTED, Stage.TEST, "1 of 1 seen working"),
        (BEGUN, Stage.DELETE, "waits for stage 1"),
        (TESTED, Stage.DELETE, "ready"),
        (replace(TESTED, deletion=Deletion(NOW, "Ann")), Stage.DELETE, "requested"),
        (
            replace(TESTED, deletion=Deletion(NOW, "Ann", deleted_at=NOW)),
            Stage.DELETE,
            "said to be deleted, not refused yet",
        ),
        (BEGUN, Stage.DOCUMENT, "record is drafted"),
    ],
)
def test_a_stage_says_how_far_it_is(rotation: Rotation, stage: Stage, line: str) -> None:
    assert stages.stage_line(rotation, stage) == line


def test_the_bar_names_what_comes_first() -> None:
    assert "no replacement" in words.delete_bar(BEGUN)
    assert "Compare the permissions" in words.delete_bar(replace(BEGUN, replacement=NEW))
    using = replace(MADE, applications=(KIOSK, replace(KIOSK, application_id="a2", name="Web shop")))
    assert words.delete_bar(using).startswith("Kiosk and Web shop still use the old key.")
    changed = replace(MADE, applications=(replace(KIOSK, changed_at=NOW),))
    assert words.delete_bar(changed).startswith("Kiosk has not had a success on the new key")
    assert "not been tested" in words.delete_bar(replace(TESTED, test=None))
    assert words.delete_bar(TESTED) == ""


def test_many_applications_are_counted_and_not_all_named() -> None:
    many = tuple(replace(KIOSK, application_id=str(number), name=f"Shop {number}") for number in range(1, 6))
    assert words.delete_bar(replace(MADE, applications=many)).startswith(
        "Shop 1, Shop 2, Shop 3 and 2 more still use"
    )


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (timedelta(days=2), "planned end in 2 days, "),
        (timedelta(days=1), "planned end in 1 day, "),
        (timedelta(hours=3), "planned end in 3 h, "),
        (timedelta(hours=-1), "do that now. Its planned end was "),
    ],
)
def test_the_overlap_says_what_is_left(left: timedelta, said: str) -> None:
    assert said in words.overlap_line(replace(BEGUN, overlap_ends_at=NOW + left), NOW)


def test_the_overlap_of_one_that_is_over_says_how_it_ended() -> None:
    assert "Both keys stay as they are" in words.overlap_line(replace(BEGUN, abandoned_at=NOW), NOW)
    finished = replace(TESTED, documentation=Documentation(NOW, "Ann"))
    assert words.overlap_line(finished, NOW).startswith("Finished")
    assert words.standing_line(finished) == "18 November 2026 · finished"
    assert words.standing_line(replace(BEGUN, abandoned_at=NOW)) == "18 November 2026 · abandoned"


def test_the_list_says_the_stage_and_for_a_leak_that_nothing_waits() -> None:
    assert words.standing_line(MADE) == "Stage 3 of 5 · started 16 November 2026"
    assert words.standing_line(replace(BEGUN, compromised=True)) == "Stage 1 of 5 · rotate at once"


@pytest.mark.parametrize(
    ("status", "pause", "said"),
    [
        (200, 0.5, "Check 2: still accepted (200). Next check in 1 s."),
        (401, None, "Check 2: refused (401)."),
        (0, 5.0, "Check 2: no answer. Next check in 5 s."),
        (403, None, "Check 2: answered 403, which doesn't say that the key is gone."),
    ],
)
def test_a_try_with_the_old_key_is_told(status: int, pause: float | None, said: str) -> None:
    assert stages.tried_words(2, status, pause) == said


def test_names_are_those_of_both_keys_as_far_as_they_are_known() -> None:
    planned = PlannedKey("k2", "q1", KeyDraft("web shop 2027", "web", "API", KeyKind.PRIVATE))
    assert words.names_line(BEGUN) == "web shop 2024"
    assert words.names_line(replace(BEGUN, making=planned)) == "web shop 2024 → web shop 2027"
    assert words.names_line(MADE) == "web shop 2024 → web shop 2026"
    assert words.left_over_line(BEGUN) == ""
    assert "“web shop 2027” may still be" in words.left_over_line(
        replace(BEGUN, leftovers=(OrphanedKey(planned),))
    )


def test_the_proofs_rows_say_what_should_have_been_met() -> None:
    assert stages.proof_call(SAME.rows[0]) == "GET /devices (should be allowed)"
    assert stages.proof_call(DIFFERENT.rows[0]) == "GET /report (should be refused)"
    assert (stages.proof_result(SAME.rows[0]), stages.proof_result(DIFFERENT.rows[0])) == (
        "same",
        "differs",
    )
    assert "not compared" in stages.proof_line(BEGUN, NOW).lower()
    assert "no difference" in stages.proof_line(MADE, NOW)
    assert "not allowed the same" in stages.proof_line(replace(MADE, proof=DIFFERENT), NOW)


def test_the_rows_of_applications_say_when_and_by_whom() -> None:
    assert (stages.changed_words(KIOSK), stages.seen_words(KIOSK)) == ("not yet", "not changed yet")
    changed = replace(KIOSK, changed_at=NOW, changed_by="Ann")
    assert stages.seen_words(changed) == "not yet"
    assert stages.changed_by_words(changed).endswith(", by Ann")


def test_deleting_says_who_deletes_and_that_it_cant_be_undone() -> None:
    by_gateway, in_portal = (words.delete_text(TESTED, by_gateway=gateway) for gateway in (True, False))
    assert "The gateway deletes it" in by_gateway
    assert "in the portal" in in_portal
    assert all("can't be undone" in text and OLD.fingerprint in text for text in (by_gateway, in_portal))
    assert "No application is listed" not in by_gateway
    assert "No application is listed" in words.delete_text(MADE, by_gateway=True)
