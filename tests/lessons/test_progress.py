"""How far events bring a lesson: in order, by what must happen, and not past what must not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from keybench.core.lessons.lesson import Lesson, LessonEvent, LessonStep, Pattern, progress_of

BEGAN = datetime(2026, 3, 3, 9, 0, tzinfo=UTC)


def event(minute: int, name: str, **fields: str) -> LessonEvent:
    return LessonEvent(BEGAN + timedelta(minutes=minute), name, fields)


def pattern(
    name: str, *, count: int = 1, distinct: str = "", since_step: bool = False, **fields: str
) -> Pattern:
    return Pattern(name, {key: (word,) for key, word in fields.items()}, count, distinct, since_step)


def step(*must: Pattern, must_not: tuple[Pattern, ...] = ()) -> LessonStep:
    return LessonStep("title", "text", "about", ("hint",), must, must_not)


def lesson(*steps: LessonStep, must_not: tuple[Pattern, ...] = ()) -> Lesson:
    return Lesson("one", "title", 5, "story", "learnt", (), steps, must_not)


def test_a_step_is_done_when_all_that_must_has_happened() -> None:
    of = lesson(
        step(pattern("sale", outcome="approved"), pattern("key tested")), step(pattern("sale", count=2))
    )
    sold, tested = event(1, "sale", outcome="approved"), event(2, "key tested")
    assert progress_of(of, BEGAN, [sold]).counts == (1, 0)
    assert progress_of(of, BEGAN, [tested, sold]).done_at == (tested.at,)
    assert progress_of(of, BEGAN, [sold, tested, event(3, "sale")]).done == 2


def test_what_was_before_the_lesson_or_the_step_counts_only_where_it_may() -> None:
    of = lesson(step(pattern("sale")), step(pattern("sale", since_step=True, count=2)))
    assert progress_of(of, BEGAN, [event(-1, "sale")]).done == 0
    assert progress_of(of, BEGAN, [event(1, "sale")]).counts == (1,)
    assert progress_of(of, BEGAN, [event(1, "sale"), event(2, "sale")]).done == 2


def test_words_are_any_of_all_but_and_with_stars_in_any_case_of_letters() -> None:
    one = Pattern("call", {"caller": ("?*",), "why": ("key_deleted", "key_unknown"), "key": ("!Front desk",)})
    fits = {"caller": "kiosk", "why": "key_unknown", "key": "Front desk 2"}
    assert one.fits(event(0, "call", **fits))
    assert not one.fits(event(0, "call", **fits | {"caller": ""}))
    assert not one.fits(event(0, "call", **fits | {"key": "FRONT DESK"}))
    assert not one.fits(event(0, "sale", **fits))


def test_events_that_have_to_differ_count_once() -> None:
    of = lesson(step(pattern("call", distinct="caller", count=2)))
    same = [event(minute, "call", caller="kiosk") for minute in range(3)]
    assert progress_of(of, BEGAN, same).counts == (1,)
    till = event(1, "call", caller="till")
    assert progress_of(of, BEGAN, [*same, till]).done_at == (till.at,)


def test_what_must_not_happen_stops_the_lesson_from_then_on() -> None:
    gone = pattern("call", why="key_deleted")
    of = lesson(step(pattern("a")), step(pattern("b")), must_not=(gone,))
    events = [event(1, "a"), event(2, "call", why="key_deleted"), event(3, "b")]
    assert progress_of(of, BEGAN, events).done == 1
    assert progress_of(of, BEGAN, events).broken == (gone,)
    assert progress_of(of, BEGAN, [event(1, "a"), event(3, "b")]).broken == ()


def test_a_steps_own_rule_holds_in_that_step_alone() -> None:
    rule = pattern("key added")
    of = lesson(step(pattern("a"), must_not=(rule,)), step(pattern("b")))
    assert progress_of(of, BEGAN, [event(1, "a"), event(2, "key added"), event(3, "b")]).done == 2
    assert progress_of(of, BEGAN, [event(1, "key added"), event(2, "a")]).broken == (rule,)


def test_a_rule_that_allows_one_is_broken_by_the_second() -> None:
    twice = pattern("sale sent", count=2)
    of = lesson(step(pattern("sale")), must_not=(twice,))
    once = [event(1, "sale sent"), event(2, "sale")]
    assert progress_of(of, BEGAN, once).done == 1
    broken = progress_of(of, BEGAN, [event(0, "sale sent"), *once])
    assert (broken.done, broken.happened) == (0, ((twice, 2),))


@given(st.lists(st.tuples(st.integers(0, 20), st.sampled_from("abcx"))), st.randoms())
def test_order_of_reading_changes_nothing_and_more_events_never_take_a_step_back(
    told: list[tuple[int, str]], chance: object
) -> None:
    of = lesson(step(pattern("a")), step(pattern("b", since_step=True)), step(pattern("c", count=2)))
    events = [event(minute, name) for minute, name in told]
    shuffled = sorted(events, key=lambda _one: chance.random())  # type: ignore[attr-defined]  # hypothesis's own
    assert progress_of(of, BEGAN, shuffled) == progress_of(of, BEGAN, events)
    for end in range(len(events)):
        so_far = sorted(events, key=lambda one: one.at)[:end]
        assert progress_of(of, BEGAN, so_far).done <= progress_of(of, BEGAN, events).done
