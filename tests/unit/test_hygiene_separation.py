"""The review's rules about what should be apart: values, applications, members, purposes, environments."""

from __future__ import annotations

import pytest

from fakes.estate import PRACTICE, SANDBOX, SHOP, application, estate, found, key
from keybench.core.environment import EnvironmentKind
from keybench.core.hygiene.facts import (
    Mixture,
    OneUser,
    Other,
    Ownerless,
    Sharing,
    Twins,
)
from keybench.core.hygiene.findings import Rule, Severity

LIVE, TEST = EnvironmentKind.LIVE, EnvironmentKind.TEST


def test_the_same_value_in_a_test_and_a_live_environment_is_worst() -> None:
    live, test = key("Till", fingerprint="same"), key("Probe", SANDBOX, fingerprint="same")
    findings = found(Rule.SAME_VALUE, estate(test, live))
    assert [one.severity for one in findings] == [Severity.BAD, Severity.BAD]
    assert [one.key for one in findings] == [live, test]
    assert findings[0].facts == Twins("same", (Other("sandbox", TEST, "Probe"),), 1, live_and_not=True)


def test_the_same_value_twice_where_no_money_moves_is_a_warning() -> None:
    one, two = key("A", SANDBOX, fingerprint="same"), key("B", PRACTICE, fingerprint="same")
    assert {f.severity for f in found(Rule.SAME_VALUE, estate(one, two))} == {Severity.WARNING}


def test_different_values_and_values_that_were_never_here_are_no_twins() -> None:
    unknown = key("A", fingerprint=""), key("B", SANDBOX, fingerprint="")
    assert not found(Rule.SAME_VALUE, estate(*unknown, key("C"), key("D")))


def test_many_twins_are_counted_and_some_are_named() -> None:
    twins = [key(f"K{number}", fingerprint="same") for number in range(20)]
    for finding in found(Rule.SAME_VALUE, estate(*twins)):
        assert isinstance(finding.facts, Twins)
        assert (finding.facts.total, len(finding.facts.others)) == (19, 5)
        assert finding.key
        assert finding.key.name not in {other.name for other in finding.facts.others}


def test_one_key_for_several_applications_is_found_with_their_members() -> None:
    till = key()
    both = [application(till, "Web shop", owner="Ada"), application(till, "Tills", owner="Mira")]
    (finding,) = found(Rule.SHARED, estate(till, applications=both))
    assert finding.facts == Sharing(("Tills", "Web shop"), ("Mira", "Ada"))
    assert finding.severity is Severity.WARNING


def test_one_application_a_key_is_as_it_should_be() -> None:
    till, web = key(), key("Web")
    apart = [application(till), application(web)]
    assert not found(Rule.SHARED, estate(till, web, applications=apart))


@pytest.mark.parametrize(
    "purpose", ["tills, web shop", "tills + refunds", "tills & web", "tills; web", "tills / web"]
)
def test_a_purpose_that_names_several_is_a_note(purpose: str) -> None:
    (finding,) = found(Rule.SHARED, estate(key(purpose=purpose)))
    assert finding.severity is Severity.NOTE
    assert isinstance(finding.facts, Sharing)
    assert len(finding.facts.purposes) == 2


@pytest.mark.parametrize(
    "purpose", ["", "tills", "returns and refunds", "tills,", "point-of-sale", "24/7 line"]
)
def test_a_purpose_that_names_one_is_fine(purpose: str) -> None:
    assert not found(Rule.SHARED, estate(key(purpose=purpose)))


def test_a_live_key_named_as_one_for_tests_or_of_its_user_is_a_note() -> None:
    live = key("Till", username="Mira")
    tests = [key("till", SANDBOX), key("Probe", PRACTICE, username="mira")]
    (finding,) = found(Rule.MIXED_UP, estate(live, *tests))
    assert finding.key == live
    assert finding.severity is Severity.NOTE
    assert finding.facts == Mixture(
        (Other("sandbox", TEST, "till"),), (Other("practice", EnvironmentKind.PRACTICE, "Probe"),), "Mira"
    )


def test_keys_for_tests_may_share_names_and_users_among_themselves() -> None:
    assert not found(Rule.MIXED_UP, estate(key("A", SANDBOX, username="u"), key("A", PRACTICE, username="u")))


def test_one_user_for_all_keys_of_an_environment_is_a_note() -> None:
    keys = [key(name, username="Mira") for name in ("A", "B", "C")]
    (finding,) = found(Rule.ONE_USER, estate(*keys))
    assert finding.facts == OneUser("Mira", 3)
    assert (finding.key, finding.environment) == (None, SHOP)
    assert not found(Rule.ONE_USER, estate(*keys[:2]))
    assert not found(Rule.ONE_USER, estate(*keys, key("D")))


def test_an_application_without_owner_is_found() -> None:
    till = key()
    nobodys = application(till, owner="  ")
    (finding,) = found(Rule.NO_OWNER, estate(till, applications=[nobodys]))
    assert (finding.subject, finding.facts) == (nobodys.id, Ownerless("Till software"))
    assert (finding.severity, finding.key) == (Severity.WARNING, till)
    assert not found(Rule.NO_OWNER, estate(till, applications=[application(till)]))


def test_an_application_whose_key_is_gone_is_still_found() -> None:
    (finding,) = found(Rule.NO_OWNER, estate(applications=[application(key(place=SANDBOX), owner="")]))
    assert (finding.key, finding.severity) == (None, Severity.NOTE)
