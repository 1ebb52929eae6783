"""Finding values and parts of them: what is found, and how rarely something is that isn't there."""

from __future__ import annotations

import json
import random
import string
import uuid

import pytest

from fakes.echoing import cut, made_value
from fakes.spelled import SPELLINGS
from keybench.core.secret import Secret
from keybench.core.value_finder import SUSPICIOUS, Hit, Tree, ValueFinder

VALUE = "zK4vX9mQ2tL7pR5wB8nD3cF6hJ1sG0yA"


def finder_of(*values: str, enough: float = SUSPICIOUS) -> ValueFinder:
    return ValueFinder([(f"<{n}>", Secret(value)) for n, value in enumerate(values)], enough)


def hits_in(plain: object, *values: str) -> list[Hit]:
    return list(finder_of(*(values or (VALUE,))).in_tree(Tree([plain])))


@pytest.mark.parametrize("name", sorted(set(SPELLINGS) - {"full width", "zero-width spaces between"}))
def test_a_value_is_found_however_it_is_spelled(name: str) -> None:
    text = f"before {SPELLINGS[name](VALUE)} behind"
    assert list(finder_of(VALUE).in_text(text))
    assert hits_in({"said": text})


@pytest.mark.parametrize("pieces", range(2, 12))
def test_a_value_in_pieces_is_found_wherever_they_stand_side_by_side(pieces: int) -> None:
    rng = random.Random(pieces)
    parts = cut(rng, VALUE, pieces)
    assert hits_in(parts)
    assert hits_in({f"part {n}": part for n, part in enumerate(parts)})
    assert hits_in([[f"x-{n}", part] for n, part in enumerate(parts)])
    assert hits_in([{"name": "x-part", "value": part} for part in parts])
    assert hits_in({"text": json.dumps({"deep": {"a": parts}})})
    assert hits_in([[part, "1"] for part in parts])


@pytest.mark.parametrize("start", range(0, len(VALUE) - 8, 3))
def test_eight_characters_of_a_value_are_enough_to_be_suspicious(start: int) -> None:
    assert hits_in({"said": VALUE[start : start + 8]}) or VALUE[start : start + 8].isalpha()


def test_in_names_it_is_found_too() -> None:
    assert hits_in({VALUE: 1})
    assert hits_in({VALUE[:16]: 1, VALUE[16:]: 2})


def test_what_says_which_kind_of_key_it_is_is_no_part_of_a_value() -> None:
    value = "checkout_public_v4_" + VALUE
    assert not hits_in({"said": "a checkout_public_v4_ key"}, value)
    assert hits_in({"said": f"a {VALUE[:12]} key"}, value)


def test_a_value_that_is_a_word_is_found_as_a_whole_only() -> None:
    assert hits_in({"said": "the Passphrase is CorrectHorse"}, "correcthorse")
    assert not hits_in({"said": "a correct answer, a horse"}, "correcthorse")
    assert hits_in({"said": "use xy7 now"}, "xy7")
    assert not hits_in({"said": "use wxy7z now"}, "xy7")


def test_a_hit_says_where_and_can_be_replaced() -> None:
    plain = {"a": {"list": ["x", f"say {VALUE}!"]}}
    tree = Tree([plain])
    hit = next(iter(finder_of(VALUE).in_tree(tree)))
    assert (hit.label, hit.where) == ("<0>", "[0].a.list[1]") or hit.where.endswith("a.list[1]")
    ((index, span),) = hit.spans
    assert span
    assert tree.leaves[index].text[slice(*span)] == VALUE


def test_json_in_json_is_written_again_where_something_was_put() -> None:
    plain = {"body": json.dumps({"inner": json.dumps(["old", "stays"])})}
    tree = Tree(plain)
    leaf = next(leaf for leaf in tree.leaves if leaf.text == "old")
    leaf.put("new")
    tree.close()
    assert json.loads(json.loads(plain["body"])["inner"]) == ["new", "stays"]


def test_nothing_is_found_where_nothing_is() -> None:
    """Of fifty values no run is in two million characters of what gateways say, at either threshold."""
    rng = random.Random(7)
    finder = finder_of(*(made_value(rng) for _ in range(50)))
    sure = finder_of(*(made_value(rng) for _ in range(50)), enough=50.0)
    lines = [
        json.dumps(
            {
                "id": str(uuid.UUID(int=rng.getrandbits(128))),
                "transaction": rng.randrange(10**11),
                "etag": "".join(rng.choices("0123456789abcdef", k=40)),
                "session": "".join(rng.choices(string.ascii_letters + string.digits, k=22)),
                "text": " ".join(rng.choices(["payment", "request", "device", "accepted", "terminal"], k=6)),
            }
        )
        for _ in range(8_000)
    ]
    assert not list(sure.in_text("\n".join(lines)))
    suspicious = list(finder.in_text("\n".join(lines)))
    assert len(suspicious) <= 1
