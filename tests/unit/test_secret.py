"""A secret shows nothing of itself, whatever is done with it."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import re
import traceback
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.clock import START
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import KeyKind, tidy_value
from keybench.core.ports import Caller, CreatedKey
from keybench.core.secret import MASK, Secret

MADE_UP = "MadeUpForTests0123456789abcdefgh"


def shows(text: str) -> bool:
    return MADE_UP[:8] in text or MADE_UP[-8:] in text


def rendered(error: BaseException) -> str:
    return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())


@pytest.mark.parametrize(
    "render",
    [
        repr,
        str,
        format,
        ascii,
        lambda secret: f"{secret}",
        lambda secret: f"{secret!r:>40}",
        lambda secret: f"{secret:>40}",
        lambda secret: "%s %r" % (secret, secret),  # noqa: UP031 - this rendering too
        "{:>40}".format,
        lambda secret: str([secret, {"value": secret}]),
        lambda secret: repr(CreatedKey("K-1", secret)),
        lambda secret: repr(tidy_value(secret.reveal(), KeyKind.PRIVATE)),
        lambda secret: repr(
            Caller(Environment("e", "e", EnvironmentKind.TEST, "", "v5", START), "https://a", secret)
        ),
    ],
)
def test_every_rendering_is_a_mask(render: Callable[[Secret], str]) -> None:
    assert not shows(render(Secret(MADE_UP)))


def test_the_mask_tells_that_something_is_there() -> None:
    assert str(Secret(MADE_UP)) == MASK
    assert f"{Secret(MADE_UP):>8}" == f"{MASK:>8}"
    assert MASK in repr(Secret(""))


@pytest.mark.parametrize(
    "leak",
    [
        pickle.dumps,
        copy.copy,
        copy.deepcopy,
        json.dumps,
        hash,
        iter,
        vars,
        sorted,
        lambda secret: {secret: 1},
        lambda secret: secret == Secret(MADE_UP),
        lambda secret: secret != Secret(MADE_UP),
        lambda secret: secret < secret,  # noqa: PLR0124 - it is the operator that is tried
        lambda secret: [secret].index(Secret(MADE_UP)),
        lambda secret: secret[0],
        lambda secret: secret + "",
        lambda secret: dataclasses.asdict(CreatedKey("K-1", secret)),
        lambda secret: CreatedKey("K-1", secret) == CreatedKey("K-1", Secret(MADE_UP)),
    ],
)
def test_what_would_carry_it_elsewhere_fails_without_showing_it(leak: Callable[[Secret], object]) -> None:
    secret = Secret(MADE_UP)
    with pytest.raises(TypeError) as caught:
        leak(secret)
    assert not shows(rendered(caught.value))


def test_a_traceback_with_every_local_shows_nothing() -> None:
    def deepest(value: Secret) -> None:
        held = [value, {"value": value}]
        raise RuntimeError(f"failed with {value} of {held}")

    with pytest.raises(RuntimeError) as caught:
        deepest(Secret(MADE_UP))
    assert not shows(rendered(caught.value))


@given(st.text(), st.text())
def test_two_secrets_match_exactly_when_their_texts_do(one: str, other: str) -> None:
    assert Secret(one).matches(Secret(other)) == (one == other)


@given(st.text(st.characters(), max_size=20))
def test_any_text_can_be_hashed_and_compared(text: str) -> None:
    assert len(Secret(text).keyed_hash(b"key")) == 32
    assert Secret(text).matches(Secret(text))


def test_half_a_surrogate_pair_raises_no_error_that_would_carry_the_text() -> None:
    broken = Secret(MADE_UP + "\ud800")
    assert len(broken.keyed_hash(b"key")) == 32
    assert not broken.matches(Secret(MADE_UP))


def test_it_has_a_length_and_a_truth() -> None:
    assert len(Secret(MADE_UP)) == len(MADE_UP)
    assert Secret(MADE_UP)
    assert not Secret("")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (
            "MadeUpForTests0123456789abcdefgh",
            r"[A-Z][a-z]{3}[A-Z][a-z][A-Z][a-z]{2}[A-Z][a-z]{4}\d{10}[a-z]{8}",
        ),
        ("v4_secret_MadeUp0123456789abcdefgh", r"v4_secret_[A-Z][a-z]{3}[A-Z][a-z]\d{10}[a-z]{8}"),
        ("0123456789abcdef0123456789abcdef", r"(?:\d{10}[a-f]{6}){2}"),
        ("abcdef-ghijkl-mnopqr-stuvwx", r"[a-z]{6}(?:-[a-z]{6}){3}"),
        ("", ""),
        ("…", "…"),
    ],
)
def test_a_made_up_value_has_the_form_of_another(text: str, form: str) -> None:
    made_up = Secret(text).made_up()
    assert re.fullmatch(form, made_up.reveal())
    assert made_up.matches(Secret(text)) == (len(text) < 2)


@given(st.text())
def test_a_value_of_any_text_can_be_made_up(text: str) -> None:
    assert len(Secret(text).made_up()) == len(text)
