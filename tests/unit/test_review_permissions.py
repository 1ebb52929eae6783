"""The review's rules about what keys may do, and about rotations that need somebody."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from fakes.snapshot import NOW, SANDBOX, SHOP, ago, asked, found, key, rotation, snapshot, user
from keybench.core.keys.key import KeyKind
from keybench.core.keys.review import Severity
from keybench.core.rotations.rotation import Documentation, Evidence, Rotation
from keybench.words.keys.review import finding_words

TYPES = {KeyKind.PRIVATE: ("API", "API and Cart"), KeyKind.PUBLIC: ("Tokenization",)}
PUBLIC = KeyKind.PUBLIC


def test_a_permission_type_of_the_other_kind_does_not_fit() -> None:
    wrong = key(kind=PUBLIC, permission="api")
    (finding,) = found("wrong kind", snapshot(wrong, permissions={SHOP.id: TYPES}))
    assert (finding.key, finding.seen["fits"]) == (wrong, KeyKind.PRIVATE)


@pytest.mark.parametrize(
    ("kind", "permission"),
    [(KeyKind.PRIVATE, "API"), (PUBLIC, "Tokenization"), (PUBLIC, "a type of their own")],
)
def test_a_type_that_fits_or_that_nobody_knows_is_not_found(kind: KeyKind, permission: str) -> None:
    fine = key(kind=kind, permission=permission, used_at=None)
    assert not found("wrong kind", snapshot(fine, permissions={SHOP.id: TYPES}))


def test_nothing_is_claimed_about_kinds_where_the_contract_names_no_types() -> None:
    assert not found("wrong kind", snapshot(key(kind=PUBLIC, permission="API")))


def test_a_key_of_a_disabled_user_and_of_one_who_left_is_bad() -> None:
    frozen, gone = key("A", username="frozen"), key("B", username="gone")
    users = {SHOP.id: [user("Frozen", enabled=False), user("mira")]}
    findings = found("user gone", snapshot(frozen, gone, key("C", username="mira"), users=users))
    assert [(one.key, one.seen["frozen"]) for one in findings] == [(frozen, True), (gone, False)]
    assert "who is frozen." in finding_words(findings[:1]).reason
    assert {one.severity for one in findings} == {Severity.BAD}


def test_nothing_is_claimed_about_users_where_the_gateway_lists_none() -> None:
    users = {SANDBOX.id: [user("mira")]}
    assert not found("user gone", snapshot(key(username="gone"), users=users))


def test_a_user_who_may_manage_keys_is_too_much_for_a_key_that_sells() -> None:
    users = {SHOP.id: [user("admin", "sell on devices", "manage security keys", "manage_devices")]}
    (finding,) = found("more permissions than needed", snapshot(key(username="admin"), users=users))
    assert finding.seen["extra"] == ["manage security keys", "manage_devices"]


def test_a_user_who_may_only_sell_and_read_is_right_for_a_private_key_and_too_much_for_a_public_one() -> None:
    users = {SHOP.id: [user("till", "sell on devices", "read devices and payments", "browser checkout")]}
    assert not found("more permissions than needed", snapshot(key(username="till"), users=users))
    assert found("more permissions than needed", snapshot(key(username="till", kind=PUBLIC), users=users))


def test_nothing_is_claimed_about_a_key_whose_use_is_not_known() -> None:
    users = {SHOP.id: [user("admin", "manage security keys")]}
    unused = key(username="admin", used_at=None, tested_at=None)
    assert not found("more permissions than needed", snapshot(unused, users=users))


def test_a_public_key_that_sold_is_bad() -> None:
    public = key(kind=PUBLIC, used_at=ago(1))
    (finding,) = found("public key sells", snapshot(public))
    assert (finding.seen["used_at"], finding.severity) == (ago(1), Severity.BAD)


def test_a_public_key_that_never_sold_and_a_private_one_that_did_are_fine() -> None:
    assert not found("public key sells", snapshot(key("A", kind=PUBLIC, used_at=None), key("B")))


# --- rotations ----------------------------------------------------------------------------------------

OLD, NEW = key("Till"), key("Till 2")


def trouble(given: Rotation) -> tuple[str, Severity] | None:
    findings = found("rotation", snapshot(OLD, NEW, rotations=[given]))
    if not findings:
        return None
    (finding,) = findings
    assert finding.subject == given.id
    return finding.kind.removeprefix("rotation/"), finding.severity


def test_a_rotation_on_its_way_is_fine() -> None:
    assert trouble(rotation(OLD, to=NEW)) is None


def test_a_rotation_past_its_planned_end_is_overdue() -> None:
    late = rotation(OLD, to=NEW, overlap_ends_at=NOW)
    assert trouble(late) == ("overdue", Severity.WARNING)
    assert trouble(replace(late, overlap_ends_at=NOW + timedelta(seconds=1))) is None


def test_a_rotation_without_a_step_for_days_is_half_done() -> None:
    stuck = rotation(OLD, to=NEW, started_at=ago(9), evidence=(Evidence(ago(3), "a step"),))
    assert trouble(stuck) == ("stalled", Severity.WARNING)
    assert trouble(replace(stuck, evidence=(Evidence(ago(2.9), "a step"),))) is None
    assert trouble(replace(stuck, evidence=(), started_at=ago(2.9))) is None


def test_a_deletion_that_was_not_seen_through_is_bad() -> None:
    half = rotation(OLD, to=NEW, deletion=asked(4), evidence=(Evidence(ago(4), "deletion asked for"),))
    assert trouble(half) == ("half deleted", Severity.BAD)


def test_a_compromised_key_waits_a_day_at_the_most() -> None:
    leaked = rotation(OLD, to=NEW, compromised=True)
    assert trouble(leaked) == ("stalled", Severity.BAD)
    assert trouble(replace(leaked, evidence=(Evidence(ago(0.9), "a step"),))) is None


def test_an_abandoned_rotation_that_left_two_keys_is_a_note() -> None:
    given_up = rotation(OLD, to=NEW, abandoned_at=ago(50))
    assert trouble(given_up) == ("abandoned", Severity.NOTE)
    assert trouble(replace(given_up, replacement=None)) is None
    both = [given_up, replace(rotation(OLD, to=NEW), id="another")]
    assert not found("rotation", snapshot(OLD, NEW, rotations=both))
    assert not found("rotation", snapshot(NEW, rotations=[given_up]))


def test_a_finished_rotation_is_fine_however_old() -> None:
    done = rotation(
        OLD, to=NEW, documentation=Documentation(ago(300), "Mira"), evidence=(Evidence(ago(300), "x"),)
    )
    assert trouble(done) is None


def test_a_rotation_tells_its_names_its_stage_and_its_days() -> None:
    stuck = rotation(OLD, started_at=ago(5), evidence=())
    (finding,) = found("rotation", snapshot(OLD, rotations=[stuck]))
    assert (finding.seen["rotation"], finding.kind, finding.seen["days"]) == (stuck, "rotation/stalled", 5)
    assert "The next step is creating the replacement." in finding_words([finding]).reason
