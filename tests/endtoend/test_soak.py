"""Nothing piles up in a window that is worked in."""

from pathlib import Path

import pytest

from benchmarks.figures import probed
from benchmarks.soak import grown

#: What has limits of its own: rows that are listed and measured, what is learnt from, what was sent and said.
_LIMITED = ("Exchanges", "History", "Log.", "NoticeBar.", "Rate", "SaleF", "Table", "_Known", "_Lines")


@pytest.mark.sweep
@pytest.mark.timeout(300)
def test_the_second_half_of_a_soak_adds_to_nothing(tmp_path: Path) -> None:
    sales = 34
    found = probed("soak", str(tmp_path / "data"), str(sales), str(sales), "2", "12", "0", "0")
    early, late = found["looks"]
    counts = ("widgets", "listeners", "subscriptions", "tasks", "threads")
    assert [late[one] for one in counts] == [early[one] for one in counts]
    # A connection may just be open, and a label has its text laid out when it is first shown.
    assert late["handles"] - early["handles"] <= 2
    assert late["objects of Qt"] - early["objects of Qt"] < sales
    more = [one for one in grown(early["lists"], late["lists"]) if not one[0].startswith(_LIMITED)]
    assert more == [] or more[0][1] < sales // 4, more
