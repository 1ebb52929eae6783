"""The review's rules about what should be apart: values, applications, environments."""

from __future__ import annotations

from fakes.snapshot import PRACTICE, SANDBOX, SHOP, application, found, key, snapshot
from keybench.core.keys.review import Severity


def test_the_same_value_in_a_test_and_a_live_environment_is_worst() -> None:
    live, test = key("Till", fingerprint="same"), key("Probe", SANDBOX, fingerprint="same")
    findings = found("same value", snapshot(test, live))
    assert [one.severity for one in findings] == [Severity.BAD, Severity.BAD]
    assert [one.key for one in findings] == [live, test]
    assert findings[0].kind == "same value/live"
    assert (findings[0].seen["others"], findings[0].seen["total"]) == (((test, SANDBOX),), 2)


def test_the_same_value_twice_where_no_money_moves_is_a_warning() -> None:
    one, two = key("A", SANDBOX, fingerprint="same"), key("B", PRACTICE, fingerprint="same")
    assert {f.severity for f in found("same value", snapshot(one, two))} == {Severity.WARNING}


def test_different_values_and_values_that_were_never_here_are_no_twins() -> None:
    unknown = key("A", fingerprint=""), key("B", SANDBOX, fingerprint="")
    assert not found("same value", snapshot(*unknown, key("C"), key("D")))


def test_many_twins_are_counted_and_some_are_named() -> None:
    twins = [key(f"K{number}", fingerprint="same") for number in range(20)]
    for finding in found("same value", snapshot(*twins)):
        assert (finding.seen["total"], len(finding.seen["others"])) == (20, 5)
        assert finding.key not in {key for key, _ in finding.seen["others"]}


def test_one_key_for_several_applications_is_found() -> None:
    till = key()
    both = [application(till, "Web shop", owner="Ada"), application(till, "Tills", owner="Mira")]
    (finding,) = found("shared", snapshot(till, applications=both))
    assert finding.seen["applications"] == ["Tills", "Web shop"]
    assert finding.severity is Severity.WARNING


def test_a_live_key_named_as_one_for_tests_or_of_its_user_is_a_note() -> None:
    live = key("Till", username="Mira")
    tests = [key("till", SANDBOX), key("Probe", PRACTICE, username="mira")]
    (finding,) = found("not separated", snapshot(live, *tests))
    assert finding.key == live
    assert finding.severity is Severity.NOTE
    assert finding.seen["others"] == ((tests[0], SANDBOX), (tests[1], PRACTICE))


def test_keys_for_tests_may_share_names_and_users_among_themselves() -> None:
    assert not found(
        "not separated", snapshot(key("A", SANDBOX, username="u"), key("A", PRACTICE, username="u"))
    )


def test_one_user_for_all_keys_of_an_environment_is_a_note() -> None:
    keys = [key(name, username="Mira") for name in ("A", "B", "C")]
    (finding,) = found("one user for everything", snapshot(*keys))
    assert (finding.seen["username"], finding.seen["keys"]) == ("Mira", 3)
    assert (finding.key, finding.environment) == (None, SHOP)
    assert not found("one user for everything", snapshot(*keys[:2]))
    assert not found("one user for everything", snapshot(*keys, key("D")))


def test_an_application_without_owner_is_found() -> None:
    till = key()
    nobodys = application(till, owner="  ")
    (finding,) = found("no owner", snapshot(till, applications=[nobodys]))
    assert (finding.subject, finding.name) == (nobodys.id, nobodys.name)
    assert (finding.severity, finding.key) == (Severity.WARNING, till)
    assert not found("no owner", snapshot(till, applications=[application(till)]))


def test_an_application_whose_key_is_gone_is_still_found() -> None:
    (finding,) = found("no owner", snapshot(applications=[application(key(place=SANDBOX), owner="")]))
    assert (finding.key, finding.severity) == (None, Severity.NOTE)
