"""A contradictory answer in words: what says what, and never that nothing was taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.journal_samples import a_sale
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.sales.sale import Outcome, Verdict, contradictions, contradictory
from keybench.words.sales.outcomes import explain_sale


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("status cancelled", "flag approved"), "the status says cancelled, the success flag says approved"),
        (
            ("status by success", "code approved", "authorisation A1", "flag missing"),
            (
                "the status says that it is over, the response code says approved, "
                "there is an authorisation (A1), the success flag is missing"
            ),
        ),
        (
            ("flag approved", "amount 999.99 instead of 10.00", "currency EUR instead of USD"),
            (
                "the success flag says approved, the amount is 999.99 instead of 10.00, "
                "the currency is EUR instead of USD"
            ),
        ),
        (
            ("response by code", "code approved"),
            "the response says that it failed, the response code says approved",
        ),
        (("http 409", "flag unclear"), "the HTTP status is 409, the success flag is neither true nor false"),
        (
            ("found approved r1", "found cancelled r2"),
            "a sale with this reference is approved r1, a sale with this reference is cancelled r2",
        ),
        (("device a; b: c instead of till-1",), "the device is a, b: c instead of till-1"),
        (("oracle silent",), "oracle is silent"),
    ],
)
def test_what_contradicts_is_told(said: tuple[str, ...], told: str) -> None:
    verdict = Verdict(Outcome.UNKNOWN, contradictory(*said), status=200)
    explained = explain_sale(replace(a_sale(), verdict=verdict), EnvironmentKind.LIVE)
    assert explained.title == f"The gateway's answer is contradictory: {told}."
    assert explained.money == "The sale may have gone through: nobody can tell yet."


def test_other_reasons_hold_no_contradiction() -> None:
    for reason in ("", "timeout", "contradictory", "at the terminal: status cancelled"):
        assert contradictions(reason) == []
