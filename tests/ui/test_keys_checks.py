"""What Add a New Key says of a value of an odd form."""

from __future__ import annotations

import pytest

from keybench.core.keys.key import KeyKind
from keybench.ui.shared.keys.form import check_value

USUAL = "a1" * 16


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (USUAL, KeyKind.PUBLIC, "looks like a private key"),
        ("abc123-abc123-abc123-abc123", KeyKind.PRIVATE, "looks like a public key"),
        ("v4_secret_abc", KeyKind.PRIVATE, "partner key"),
        ("Bearer abc", KeyKind.PRIVATE, "such as “Bearer”"),
        ("basic: abc", KeyKind.PRIVATE, "such as “Bearer”"),
        ("Authorization: abc", KeyKind.PRIVATE, "such as “Bearer”"),
        ("short", KeyKind.PRIVATE, "32 letters and digits"),
    ],
)
def test_an_odd_form_is_a_warning_and_no_fault(text: str, kind: KeyKind, said: str) -> None:
    finding = check_value(text, kind)

    assert finding.tone == "warning"
    assert said in finding.text


def test_the_usual_form_needs_no_word() -> None:
    assert not check_value(USUAL, KeyKind.PRIVATE).text
