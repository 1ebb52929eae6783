"""The timeline's layout keeps its laws whatever a sale does: order, bounds, nothing on top of anything."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from contracts.journal_samples import a_sale
from keybench.core.sales.forensics import Account, account_of
from keybench.core.sales.sale import Mark, Outcome, SaleEvent, Verdict
from keybench.ui.kit.theme import scaled, theme, tokens
from keybench.ui.shared.sales.timeline import Timeline
from keybench.ui.shared.sales.timeline_layout import (
    TEXT_GAP,
    Look,
    Point,
    TimelineLayout,
    describe,
    gaps_of,
    lay_out,
    points_of,
    span_s,
)

NOTED = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)


def event(at_s: float, mark: Mark, detail: str = "", took_s: float | None = None) -> SaleEvent:
    return SaleEvent("KB-TEST-0001", NOTED + timedelta(seconds=at_s), mark, detail, took_s)


def usual() -> list[Point]:
    return points_of(
        NOTED,
        [
            event(0, Mark.NOTED),
            event(0.002, Mark.SENT, "async"),
            event(0.043, Mark.ACCEPTED, "pending", 0.041),
            event(2.0, Mark.STATUS, "pending", 0.008),
            event(3.2, Mark.STATUS, "inFlight", 0.008),
            event(4.3, Mark.STATUS, "inFlight", 0.008),
            event(6.42, Mark.OUTCOME, "approved", 0.008),
        ],
    )


def with_a_gap() -> tuple[list[SaleEvent], Account]:
    """Return a sale whose second and third poll got no answer."""
    events = [
        event(0, Mark.NOTED),
        event(0.002, Mark.SENT, "async"),
        event(0.043, Mark.ACCEPTED, "pending", 0.041),
        event(4.0, Mark.STATUS, "inFlight", 0.008),
        event(21.0, Mark.TROUBLE, "timeout", 15.0),
        event(24.0, Mark.TROUBLE, "connection refused", 0.01),
        event(35.0, Mark.OUTCOME, "approved", 0.008),
    ]
    sale = replace(a_sale(), noted_at=NOTED, verdict=Verdict(Outcome.APPROVED))
    return events, account_of(sale, events)


def width(text: str) -> float:
    return 7.0 * len(text)


point = st.builds(
    Point,
    at_s=st.floats(0, 400, allow_nan=False),
    label=st.text("abc ", max_size=30),
    look=st.sampled_from(Look),
    weight=st.integers(0, 7),
)
points = st.lists(point, max_size=120).map(lambda found: sorted(found, key=lambda p: p.at_s))


@st.composite
def layouts(draw: st.DrawFn) -> tuple[list[Point], float, float, TimelineLayout]:
    found = draw(points)
    left = draw(st.floats(0, 50))
    right = left + draw(st.floats(1, 3000))
    elapsed_s = max(draw(st.floats(0, 400)), found[-1].at_s if found else 0.0)
    end_s = span_s(elapsed_s, finished=draw(st.booleans()))
    return found, left, right, lay_out(found, left, right, elapsed_s, end_s, width)


@given(layouts())
def test_dots_keep_their_order_and_stay_inside(
    laid: tuple[list[Point], float, float, TimelineLayout],
) -> None:
    found, left, right, layout = laid
    assert len(layout.dots) == len(found)
    assert all(before <= after for before, after in pairwise(layout.dots))
    assert all(left - 1e-6 <= x <= right + 1e-6 for x in (*layout.dots, layout.now))


@given(layouts())
def test_texts_never_touch_keep_their_order_and_stay_inside(
    laid: tuple[list[Point], float, float, TimelineLayout],
) -> None:
    _, left, right, layout = laid
    labels = layout.labels
    assert all(before.right + TEXT_GAP <= after.left for before, after in pairwise(labels))
    assert all(left - 1e-6 <= text.left <= text.right <= right + 1e-6 for text in labels)
    assert [label.point for label in labels] == sorted(label.point for label in labels)


@given(layouts())
def test_a_label_stands_over_or_under_its_own_dot(
    laid: tuple[list[Point], float, float, TimelineLayout],
) -> None:
    _, _, _, layout = laid
    for label in layout.labels:
        assert label.left - 1e-6 <= layout.dots[label.point] <= label.right + 1e-6


@given(layouts())
def test_the_heaviest_label_is_never_the_one_left_out(
    laid: tuple[list[Point], float, float, TimelineLayout],
) -> None:
    found, left, right, layout = laid
    fitting = [p for p in found if p.label and width(p.label) <= right - left]
    if fitting:
        assert max(p.weight for p in fitting) == max(found[label.point].weight for label in layout.labels)


def test_a_usual_sale_shows_what_has_room() -> None:
    layout = lay_out(usual(), 10, 690, 6.42, 6.42, width)
    assert [label.text for label in layout.labels] == [
        *("recorded", "pending", "in flight", "in flight", "approved")
    ]


def test_five_minutes_of_polls_keep_the_outcome_and_the_start() -> None:
    events = [event(0, Mark.NOTED), event(0.01, Mark.SENT), event(0.05, Mark.ACCEPTED, "pending", 0.04)]
    events += [event(3 + 4 * n, Mark.STATUS, "inFlight", 0.01) for n in range(74)]
    events.append(event(300.2, Mark.OUTCOME, "expired", 0.01))
    layout = lay_out(points_of(NOTED, events), 10, 690, 300.2, 300.2, width)
    assert layout.labels[-1].text == "expired"
    assert layout.labels[0].text == "recorded"
    assert len(layout.dots) == 78


def test_a_running_timeline_grows_in_few_steps() -> None:
    spans = {span_s(tenth / 10, finished=False) for tenth in range(3000)}
    assert len(spans) == 8
    assert all(span_s(s, finished=False) > s for s in (0.0, 3.9, 100.0, 330.0, 4000.0))


def test_a_clock_set_back_does_not_turn_the_order_round() -> None:
    found = points_of(NOTED, [event(0, Mark.NOTED), event(3, Mark.SENT), event(1, Mark.ACCEPTED, "pending")])
    assert [p.at_s for p in found] == [0, 3, 3]


@pytest.mark.parametrize(
    ("outcome", "labels"),
    [
        (Outcome.NOT_SENT, ["recorded", "not sent"]),
        (Outcome.REFUSED, ["recorded", "sent", "refused"]),
        (Outcome.UNKNOWN, ["recorded", "sent", "unknown"]),
    ],
)
def test_a_sale_that_was_not_sent_has_no_dot_sent(outcome: Outcome, labels: list[str]) -> None:
    events = [event(0, Mark.NOTED), event(0.1, Mark.SENT, "async"), event(1, Mark.OUTCOME, outcome)]
    assert [point.label for point in points_of(NOTED, events)] == labels


def test_what_is_heard_has_every_point_as_it_came() -> None:
    told = describe(usual()).splitlines()
    assert told[0] == "0 ms: recorded"
    assert told[2] == "43 ms: accepted 41 ms"
    assert told[4] == "3.20 s: inFlight"
    assert told[-1] == "6.42 s: approved"


def test_long_words_of_a_gateway_are_cut_on_the_line_and_whole_for_the_ear() -> None:
    (found,) = points_of(NOTED, [event(1, Mark.TROUBLE, "503 something that goes on and on for long")])
    assert len(found.label) <= 26
    assert "for long" in found.words


def test_time_runs_to_the_left_where_text_does(qtbot: QtBot) -> None:
    timeline = Timeline()
    qtbot.addWidget(timeline)
    timeline.resize(600, timeline.sizeHint().height())
    timeline.show_points([Point(0.0, "noted", Look.STEP, weight=6)], 1.0, finished=False)
    begin, end, height = scaled(34), 600 - scaled(34), scaled(11)
    usual = timeline.grab().toImage()
    assert usual.pixelColor(begin, height) != usual.pixelColor(end, height)
    timeline.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    mirrored = timeline.grab().toImage()
    assert mirrored.pixelColor(end, height) == usual.pixelColor(begin, height)
    assert mirrored.pixelColor(begin, height) == usual.pixelColor(end, height)


# --- gaps -------------------------------------------------------------------------------------------------


def test_a_gap_lies_between_its_polls() -> None:
    events, account = with_a_gap()
    gaps = gaps_of(account)
    layout = lay_out(points_of(NOTED, events), 10, 690, 35, 35, width, gaps)
    ((begin, end),) = layout.gaps
    assert layout.dots[3] == begin < layout.dots[4] < layout.dots[5] < end == layout.dots[6]


def test_a_gap_is_heard_where_it_began() -> None:
    events, account = with_a_gap()
    gaps = gaps_of(account)
    told = describe(points_of(NOTED, events), gaps).splitlines()
    assert told[3:6] == ["4.00 s: inFlight", "4.00 s to 35.0 s: no answer 31.0 s", "21.0 s: timeout"]
    assert told[-1] == "35.0 s: approved"


@pytest.mark.usefixtures("light_theme")
def test_a_gap_is_hatched_in_either_direction(qtbot: QtBot) -> None:
    events, account = with_a_gap()
    gaps = gaps_of(account)
    timeline = Timeline()
    qtbot.addWidget(timeline)
    timeline.resize(600, timeline.sizeHint().height())
    points = points_of(NOTED, events)
    timeline.show_points(points, 35, finished=True, gaps=gaps)
    assert "no answer 31.0 s" in timeline.accessibleDescription()
    (begin, end), height = timeline.laid_out().gaps[0], scaled(11)
    middle = (begin + end) / 2
    soft, strong = tokens().soft("warning"), tokens().warning
    assert theme().tokens is tokens()
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        timeline.setLayoutDirection(direction)
        at = int(middle if direction is Qt.LayoutDirection.LeftToRight else 600 - middle)
        picture = timeline.grab().toImage()
        colours = {picture.pixelColor(at + x, height + y).name() for x in range(-8, 9) for y in range(-5, 6)}
        assert {soft, strong} <= colours


def test_a_lost_answer_is_a_gap_of_the_picture() -> None:
    events = [event(0, Mark.NOTED), event(0.01, Mark.SENT), event(15.01, Mark.OUTCOME, "unknown")]
    sale = replace(a_sale(), noted_at=NOTED, verdict=Verdict(Outcome.UNKNOWN, "timeout"))
    assert [gap.words for gap in gaps_of(account_of(sale, events))] == ["10 ms to 15.0 s: no answer 15.0 s"]
