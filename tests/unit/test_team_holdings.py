"""Which desks hold a key: laws of the pure rules, and what they come to in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from contracts.journal_samples import NOW, a_key
from fakes.records import CREATED, environment
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyState
from keybench.core.keys.leaver import LeaverStep, leaver_check, usernames
from keybench.core.keys.review import Snapshot
from keybench.core.keys.review_rules import review
from keybench.core.team.desk import Held, Holding, TeamDesk
from keybench.core.team.holdings import TeamHoldings
from keybench.words.keys.leaver import leaver_reason, leaver_summary
from keybench.words.keys.review import finding_words
from keybench.words.team.holdings import held_bar, lacking_line, still_held

NAMES = ("Ana's desk", "cellar", "front office", "here", "stock room")
DESKS = tuple(
    TeamDesk(name, name, "ana" if "Ana" in name else "", NOW, timedelta(days=40 if name == "cellar" else 1))
    for name in NAMES
)
KEY = replace(a_key("Till", environment_id="e1"), fingerprint="acorn-alarm-album-alley")


def holding(desk: str, **other: str) -> Holding:
    """Return that a desk holds the key, but for what is other."""
    held = Holding(desk, "e1", KEY.id, Held.HELD, KEY.fingerprint, "", NOW)
    return replace(held, **other)


def team(*holdings: Holding) -> TeamHoldings:
    """Return the team as the desk `here` sees it."""
    return TeamHoldings("here", DESKS, holdings)


@given(
    st.lists(
        st.builds(
            Holding,
            st.sampled_from(NAMES),
            st.just("e1"),
            st.sampled_from((KEY.id, "k2")),
            st.sampled_from(Held),
            st.sampled_from((KEY.fingerprint, "lime-oak-pebble-quartz")),
            st.sampled_from(("", "p1")),
            st.just(NOW),
        )
    )
)
def test_a_desk_holds_a_key_exactly_if_it_says_so_of_its_entry_or_its_value(noted: list[Holding]) -> None:
    known = [one for one in noted if one.held is not Held.LOST]
    same = {one.proof for one in known if one.fingerprint == KEY.fingerprint} - {""}
    wanted = {
        one.desk_id
        for one in known
        if one.key_id == KEY.id or one.fingerprint == KEY.fingerprint or one.proof in same
    }
    seen = team(*noted)
    assert [desk.id for desk in seen.holders(KEY.id, KEY.fingerprint)] == sorted(wanted, key=NAMES.index)
    assert [desk.id for desk in seen.others(KEY.id, KEY.fingerprint)] == sorted(
        wanted - {"here"}, key=NAMES.index
    )


def test_a_key_without_a_value_anywhere_is_held_by_nobody_and_a_desk_alone_has_no_team() -> None:
    assert team(holding("cellar", key_id="k2", fingerprint="")).holders(KEY.id, "") == ()
    alone = TeamHoldings("here", DESKS[3:4], (holding("here"),))
    assert alone.holders(KEY.id, KEY.fingerprint) == ()


def test_who_holds_the_old_key_is_said_with_those_not_seen_lately_apart() -> None:
    old = replace(CREATED.old, key_id=KEY.id, fingerprint=KEY.fingerprint)
    seen = team(holding("here"), holding("stock room"), holding("cellar"))
    assert still_held(seen, old) == (
        "2 of 5 desks still hold the old key: here (this desk), stock room.\n"
        "1 desk that held it wasn't seen for 30 days: cellar."
    )
    assert "held at cellar, stock room." in held_bar(seen, old)
    assert still_held(team(), old) == held_bar(team(holding("here")), old) == ""


def test_a_desk_is_told_what_it_lacks_and_who_has_it_but_not_of_practice() -> None:
    lacked = replace(KEY, state=KeyState.NO_VALUE)
    rows = [InventoryRow(replace(lacked, id=f"k{n}"), environment()) for n in range(3)]
    rows += [InventoryRow(KEY, environment())]
    practice = environment(EnvironmentKind.PRACTICE)
    rows += [InventoryRow(replace(lacked, id="p"), practice)]
    assert lacking_line(team(holding("Ana's desk")).lacking(rows)) == (
        "You lack 3 keys of this team; Ana's desk holds them."
    )
    both = team(
        holding("cellar", fingerprint="", key_id="k0"), holding("stock room", fingerprint="", key_id="k1")
    )
    assert lacking_line(both.lacking(rows)) == (
        "You lack 2 keys of this team; cellar and stock room hold them."
    )
    assert lacking_line(team(holding("here")).lacking(rows)) == ""


def test_a_live_key_at_a_desk_that_is_not_seen_is_a_finding() -> None:
    live = environment(EnvironmentKind.LIVE)
    snapshot = Snapshot(
        now=NOW, environments=[live], keys=[KEY], team=team(holding("cellar"), holding("here"))
    )
    (found,) = [one for one in review(snapshot) if one.id == "held unseen"]
    assert finding_words([found]).reason.startswith("“Till” was held at cellar when")
    seen = replace(snapshot, team=team(holding("stock room")))
    assert "held unseen" not in {one.id for one in review(seen)}
    tested = replace(snapshot, environments=[environment()])
    assert "held unseen" not in {one.id for one in review(tested)}


def test_a_leaver_leaves_behind_the_values_at_the_desks_they_worked_at() -> None:
    own = replace(KEY, id="own", name="Own", username="Ana", fingerprint="lime-oak-pebble-quartz")
    snapshot = Snapshot(
        now=NOW, environments=[environment()], keys=[KEY, own], team=team(holding("Ana's desk"))
    )
    check = leaver_check(snapshot, "ANA")
    assert [(one.key.id, one.step) for one in check.keys] == [
        (KEY.id, LeaverStep.REPLACE),
        ("own", LeaverStep.ASK),
    ]
    assert leaver_reason(check.keys[0]).startswith("Its value is in the keystore of a desk")
    assert leaver_summary(check).endswith("1 key of others is held where “ANA” worked last.")
    assert "Ana" in usernames(snapshot)
    assert (
        leaver_check(replace(snapshot, environments=[environment(EnvironmentKind.PRACTICE)]), "ana")
        .keys[0]
        .key.id
        == "own"
    )
