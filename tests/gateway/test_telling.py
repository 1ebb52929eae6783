"""When an answer was sent, by the gateway's clock."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.gateway.diagnosis.check_answers import date_of
from keybench.gateway.messages import Answer

AT = datetime(2026, 3, 3, 14, 2, 11, tzinfo=UTC)


@pytest.mark.parametrize(
    ("date", "age", "told"),
    [
        ("Tue, 03 Mar 2026 14:02:11 GMT", "", AT),
        ("Tue, 03 Mar 2026 15:02:11 +0100", "", AT),
        ("Tuesday, 03-Mar-26 14:02:11 GMT", "", AT),
        ("Tue, 03 Mar 2026 14:00:11 GMT", "120", AT),
        ("Tue, 03 Mar 2026 14:02:11 GMT", "-3", AT),
        ("Tue, 03 Mar 2026 14:02:11 GMT", "9" * 40, AT),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "99", None),
        ("yesterday", "", None),
        ("", "", None),
    ],
)
def test_an_answer_tells_when_it_was_sent(date: str, age: str, told: datetime | None) -> None:
    assert date_of(Answer(200, (("Date", date), ("Age", age)))) == told


@given(st.text(), st.text())
def test_any_date_can_be_looked_at(date: str, age: str) -> None:
    found = date_of(Answer(200, (("Date", date), ("Age", age))))
    assert found is None or found.tzinfo is not None
