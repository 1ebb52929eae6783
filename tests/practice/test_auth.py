"""Who is let in, beyond what the service description states: odd headers, and the limit's own figures."""

import httpx
import pytest

from practice.bench import Bench, refused

DEVICES = "/api/v5/devices"
STRANGE = "A1b2C3d4" * 4


async def ask(bench: Bench, value: str) -> httpx.Response:
    return await bench.client.get(DEVICES, headers={"Authorization": value})


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("   ", "blank"),
        (f"bearer {STRANGE}", "no scheme word"),
        ("Bearer", "no scheme word"),
        (f'"{STRANGE}"', "format"),
        (f"{STRANGE} {STRANGE}", "format"),
        ("x" * 5000, "format"),
    ],
)
async def test_a_header_without_a_valid_key_is_401(bench: Bench, value: str, says: str) -> None:
    assert says in refused(await ask(bench, value), 401)


async def test_two_headers_are_401(bench: Bench) -> None:
    value = await bench.key()
    headers = [("Authorization", value), ("Authorization", value)]
    refused(await bench.client.get(DEVICES, headers=headers), 401)


async def test_the_rate_limit_is_each_keys_403_with_a_hint_and_passes_with_time(bench: Bench) -> None:
    value, other = await bench.key(), await bench.key()
    answers = [await ask(bench, value) for _ in range(401)]
    assert [answer.status_code for answer in answers[:400]] == [200] * 400
    assert "Rate limit" in refused(answers[400], 403)
    assert answers[400].headers["Retry-After"] == "1"
    assert (await ask(bench, other)).status_code == 200
    bench.clock.now += 1 / 128
    assert [(await ask(bench, value)).status_code for _ in range(2)] == [200, 403]
    bench.clock.now -= 100
    assert (await ask(bench, value)).status_code == 403
