"""No spelling of a known value survives, and secret fields are masked whatever they hold."""

from __future__ import annotations

import base64
import gc
import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.spelled import SPELLINGS
from keybench.core.secret import MASK, Secret
from keybench.gateway.redaction import _IN_USE, BODY_LIMIT, Redactor, mask_fields, redactor_of

VALUE = "MadeUpForTests0123456789abcdefgh"
VISIBLE = "".join(chr(code) for code in range(33, 127))
values = st.text(VISIBLE, min_size=12, max_size=60)
noise = st.text(string.ascii_letters + string.digits + ' {}[]":,\n', max_size=40)


@pytest.mark.thin(3)
@pytest.mark.parametrize("spelling", SPELLINGS)
@given(value=values, before=noise, after=noise)
def test_a_known_value_never_survives(spelling: str, value: str, before: str, after: str) -> None:
    spelt = SPELLINGS[spelling](value)
    redactor = Redactor([Secret(value)])
    redacted = [
        redactor.text(f"{before} {spelt} {after}"),
        redactor.body(f'"{before}" "{spelt}" {after}'),
        redactor.headers([("X-Trace", f"{before} {spelt} {after}")])[0][1],
        redactor.text(f"https://gateway.example/{spelt}?x={spelt}"),
    ]
    survived = any(spelt in text for text in redacted)
    assert not survived
    assert all(MASK in text for text in redacted)


@given(value=values, before=st.binary(max_size=9), after=st.binary(max_size=9))
def test_a_value_within_longer_base64_never_survives(value: str, before: bytes, after: bytes) -> None:
    spelt = base64.b64encode(before + value.encode() + after).decode()
    cleaned = Redactor([Secret(value)]).text(spelt)
    rest = cleaned.split(MASK)
    survived = len(max(rest, key=len)) >= len(spelt) - 8
    assert len(rest) == 2
    assert not survived


@given(body=st.text(max_size=200))
def test_a_body_without_secrets_comes_through_as_it_is(body: str) -> None:
    assert Redactor([Secret("MadeUpValueThatIsNowhere")]).text(body) == body


@pytest.mark.parametrize(
    ("body", "masked"),
    [
        ('{"api_key": "abc", "amount": 10.00}', '{"api_key": "@", "amount": 10.00}'),
        ('{"API-Key":"a\\"b","x":1}', '{"API-Key":"@","x":1}'),
        ('{"value": {"deep": ["s"]}, "x": 1}', '{"value": "@", "x": 1}'),
        ('{"value": [1, {"a": "]"}], "x": 1}', '{"value": "@", "x": 1}'),
        ('{"cvv": 123, "cvv_response": "M"}', '{"cvv": "@", "cvv_response": "M"}'),
        ('{"access_token": "t", "token": null}', '{"access_token": "@", "token": "@"}'),
        ('{"card_number": "4111', '{"card_number": "@"'),
        ('{"security_key": {"broken', '{"security_key": "@"'),
        ('{"api\\u005fkey": "abc"}', '{"api\\u005fkey": "@"}'),
        ('{"id": 1, "id": 2, "value": "a", "value": "b"}', '{"id": 1, "id": 2, "value": "@", "value": "@"}'),
        ('{"order_details": {"id": "r"}}', '{"order_details": {"id": "r"}}'),
        ('{"value" : ' + "[" * 100_000, '{"value" : "@"'),
        ("<html>value: x</html>", "<html>value: x</html>"),
        ("", ""),
    ],
)
def test_secret_fields_are_masked_and_the_rest_is_as_it_came(body: str, masked: str) -> None:
    assert mask_fields(body) == masked.replace("@", MASK)


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "authorization",
        "Cookie",
        "Set-Cookie",
        "X-Api-Key",
        "X-Auth-Token",
        "Proxy-Authorization",
    ],
)
def test_secret_headers_are_masked_by_name(name: str) -> None:
    assert Redactor().headers([(name, "abc"), ("Accept", "x")]) == ((name, MASK), ("Accept", "x"))


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "piece", ['"\\', '"', '"a":', '"value":[', '"value":"', '"a ', '"a"  ', '"value" : {"']
)
def test_a_hostile_body_does_not_take_long(piece: str) -> None:
    body = piece * (1024 * 1024 // len(piece))
    assert len(Redactor([Secret("MadeUpValue0123456789")]).body(body)) <= BODY_LIMIT


def test_a_value_split_by_the_cut_does_not_move_up() -> None:
    value = "MadeUpValue0123456789" * 40
    body = Redactor([Secret(value)]).body(value * (2 * BODY_LIMIT // len(value) + 9))
    survived = "MadeUpValue" in body
    assert not survived


def test_a_body_is_cut_after_it_is_redacted() -> None:
    value = "MadeUpValue0123456789"
    body = Redactor([Secret(value)]).body("x" * (BODY_LIMIT - 5) + value)
    assert len(body) <= BODY_LIMIT
    beginning_survived = value[:5] in body
    assert not beginning_survived


def test_the_word_before_the_value_can_still_be_seen() -> None:
    redactor = Redactor([Secret("MadeUpForTests0123456789")])
    kept = redactor.headers([
        ("Authorization", "Bearer MadeUpForTests0123456789"),
        ("Authorization", "MadeUpForTests0123456789"),
        ("Authorization", "Bearer"),
        ("X-Api-Key", "another kind of secret"),
    ])  # fmt: skip
    assert [value for _, value in kept] == [f"Bearer {MASK}", MASK, MASK, MASK]


def test_the_redactor_of_a_value_is_kept_for_as_long_as_the_value_is() -> None:
    value = Secret("MadeUpForTheRedactor0123456789ab")
    kept = redactor_of((value,))
    assert redactor_of((value,)) is kept
    assert redactor_of((Secret("MadeUpForTheRedactor0123456789ab"),)) is not kept
    gc.collect()  # what other tests have left goes first
    before = len(_IN_USE)

    del value
    gc.collect()

    assert len(_IN_USE) == before - 1


NUMBER = "4111111111111111"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (NUMBER, "@1111"),
        ("card 4111 1111 1111 1111 was read", "card @1111 was read"),
        ('{"note": "5555-5555-5555-4444", "id": 7}', '{"note": "@4444", "id": 7}'),
        ("\\u0034111 1111 1111 1111", "@1111"),
        ("%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31", "@1111"),
        ("4111\u200b1111\u200b1111\u200b1111", "@1111"),
        ("4111********1111", "4111********1111"),
        ("411111XXXXXX1111", "411111XXXXXX1111"),
        ("10123456789", "10123456789"),
        ("2026-11-22T03:04:53.123456Z", "2026-11-22T03:04:53.123456Z"),
        ("4111111111111112", "4111111111111112"),
        ("41111111-1111-1111-a111-111111111111", "41111111-1111-1111-a111-111111111111"),
    ],
)
def test_a_card_number_is_masked_but_for_its_end(text: str, kept: str) -> None:
    for redactor in (Redactor(), Redactor([Secret("MadeUpForTests0123456789")])):
        assert redactor.text(text) == kept.replace("@", MASK)
        assert redactor.clean(text) == (text if text == kept else "")


def test_a_card_number_is_masked_in_headers_and_bodies_too() -> None:
    redactor = Redactor()
    assert redactor.headers([("X-Trace", f"card={NUMBER}")]) == (("X-Trace", f"card={MASK}1111"),)
    assert redactor.body(f'{{"echo": "{NUMBER}"}}') == f'{{"echo": "{MASK}1111"}}'


def test_a_short_value_is_looked_for_as_it_is_written_only() -> None:
    redactor = Redactor([Secret("Tills")])
    assert redactor.text("Tills, tills, slliT, VGlsbHM= and \\u0054ills") == (
        f"{MASK}, tills, slliT, VGlsbHM= and {MASK}"
    )


def test_what_nobody_can_disentangle_is_masked_whole() -> None:
    entangled = r"%2525252541&amp;amp;amp;#65;\\\\\\\\u0041" * 500
    assert Redactor([Secret("MadeUpForTests0123456789")]).text(entangled) == MASK


@given(before=st.integers(0, 40), value=values)
def test_a_value_at_the_cut_is_masked_or_left_out(before: int, value: str) -> None:
    spelt = "".join(f"\\u{ord(c):04x}" for c in value)
    kept = Redactor([Secret(value)]).text_within("-" * before + spelt + "-" * 5, 30)
    assert kept == ("-" * before + MASK)[:30]


#: What a gateway may say back of a value that it cut.
PARTS = [VALUE[at : at + 6] for at in range(0, len(VALUE), 6)]
HALVES = VALUE[: len(VALUE) // 2], VALUE[len(VALUE) // 2 :]


@pytest.mark.parametrize(
    "apart", [" ", "-", "/", ":", ".", "_", ", ", " | ", "\\t", "&nbsp;", "%20", "\\u2013"]
)
def test_a_value_in_groups_is_masked_as_one(apart: str) -> None:
    for parts in (PARTS, list(VALUE), [part.upper() for part in PARTS], list(VALUE[::-1])):
        body = f'{{"message": "no {apart.join(parts)} here"}}'
        assert Redactor([Secret(VALUE)]).body(body) == f'{{"message": "no {MASK} here"}}'


@pytest.mark.parametrize(
    "document",
    [
        {"parts": PARTS},
        {f"part{number}": part for number, part in enumerate(PARTS)},
        {str(number): one for number, one in enumerate(VALUE)},
        [{"n": number, "part": part, "ok": True} for number, part in enumerate(PARTS)],
        {"first": HALVES[0], "rest": {"then": [HALVES[1]]}},
    ],
)
def test_a_value_cut_over_neighbours_is_masked_and_the_document_stays_one(document: Any) -> None:
    kept = Redactor([Secret(VALUE)]).text(json.dumps(document))
    assert json.loads(kept) == masked(document)
    within = Redactor([Secret(VALUE)]).text(json.dumps({"said": json.dumps(document)}))
    assert json.loads(json.loads(within)["said"]) == masked(document)


def masked(document: Any) -> Any:
    """Return a document with a mask for each of its texts."""
    if isinstance(document, dict):
        return {name: masked(one) for name, one in document.items()}
    if isinstance(document, list):
        return [masked(one) for one in document]
    return MASK if isinstance(document, str) else document


def test_a_value_cut_over_a_forms_fields_is_masked() -> None:
    kept = Redactor([Secret(VALUE)]).text(f"ok=1&a={HALVES[0]}&b={HALVES[1]}&c=till")
    assert kept == f"ok=1&a={MASK}&b={MASK}&c=till"


def test_a_part_of_a_value_that_a_body_had_is_masked_where_it_stands_alone() -> None:
    redactor = Redactor([Secret(VALUE)])
    alone = f"no {HALVES[1]}"
    assert (redactor.text(alone), redactor.body(alone)) == (alone, alone)
    assert redactor.headers([("X-Said", alone)]) == (("X-Said", alone),)
    redactor.body(json.dumps({"message": f"no {HALVES[0]}", "code": HALVES[1]}))
    assert (redactor.text(f"no {HALVES[0]}"), redactor.text(HALVES[1])) == (f"no {MASK}", MASK)
    assert (redactor.body(alone), redactor.headers([("X-Said", alone)])) == (
        f"no {MASK}",
        (("X-Said", f"no {MASK}"),),
    )


def test_what_is_near_a_value_is_kept() -> None:
    for body in (
        json.dumps(PARTS[:-1]),
        json.dumps([*PARTS[:2], 7, *PARTS[2:]]),
        f"{HALVES[0]} and {HALVES[1]}",
    ):
        assert Redactor([Secret(VALUE)]).text(body) == body
