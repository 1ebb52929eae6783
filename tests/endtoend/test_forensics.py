"""What went on while real sales were under way, told by look-up from what the journal kept."""

from __future__ import annotations

import pytest

from endtoend.conftest import Keybench


@pytest.mark.thin(4)
@pytest.mark.parametrize(
    ("amount", "state", "found"),
    [
        ("10.00", "approved", []),
        ("40.00", "expired", ["customer_left"]),
        ("70.00", "unknown", ["answer_lost"]),
        ("60.00", "refused", []),
    ],
)
def test_look_up_tells_whom_a_sale_waited_for(
    till: Keybench, amount: str, state: str, found: list[str]
) -> None:
    sold = till.sell(amount)
    assert sold.last["state"] == state
    told = till.run("look-up", sold.last["reference"]).last["forensics"]
    assert [one["finding"] for one in told] == found
    assert all(one["because"] for one in told)
