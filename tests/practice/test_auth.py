"""Who is let in: the header's form, the key's kind, the user behind it, the limit."""

import httpx
import pytest

from practice.bench import PORTAL, Bench, refused

DEVICES = "/api/v5/devices"
STRANGE = "A1b2C3d4" * 4


async def ask(bench: Bench, value: str | None) -> httpx.Response:
    headers = {} if value is None else {"Authorization": value}
    return await bench.client.get(DEVICES, headers=headers)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "missing"),
        ("", "blank"),
        ("   ", "blank"),
        (f"Bearer {STRANGE}", "no scheme word"),
        (f"bearer {STRANGE}", "no scheme word"),
        ("Bearer", "no scheme word"),
        ("short", "format"),
        (f'"{STRANGE}"', "format"),
        (f"{STRANGE} {STRANGE}", "format"),
        ("x" * 5000, "format"),
        (STRANGE, "Specified API key not found"),
    ],
)
async def test_a_header_without_a_valid_key_is_401(bench: Bench, value: str | None, says: str) -> None:
    assert says in refused(await ask(bench, value), 401)


async def test_two_headers_are_401(bench: Bench) -> None:
    value = await bench.key()
    headers = [("Authorization", value), ("Authorization", value)]
    refused(await bench.client.get(DEVICES, headers=headers), 401)


async def test_a_key_of_another_installation_is_401(bench: Bench) -> None:
    other = Bench()
    foreign = await other.key()
    await other.close()
    assert refused(await ask(bench, foreign), 401) == "Specified API key not found"


async def test_a_partner_key_is_403(bench: Bench) -> None:
    refused(await ask(bench, "v4_secret_abcdefgh"), 403)


async def test_a_web_users_private_key_may_do_neither(bench: Bench) -> None:
    value = await bench.key("web")
    refused(await ask(bench, value), 403)
    refused(await bench.sell(value), 403)


async def test_a_disabled_user_is_403_until_enabled(bench: Bench) -> None:
    value = await bench.key("frozen")
    assert "disabled" in refused(await bench.sell(value), 403)
    await bench.client.patch("/portal/users/frozen", json={"enabled": True}, headers=PORTAL)
    assert (await bench.sell(value)).status_code == 202


async def test_the_rate_limit_is_403_with_a_hint_and_passes_with_time(bench: Bench) -> None:
    value = await bench.key()
    answers = [await ask(bench, value) for _ in range(401)]
    assert [answer.status_code for answer in answers[:400]] == [200] * 400
    assert "Rate limit" in refused(answers[400], 403)
    assert answers[400].headers["Retry-After"] == "1"
    bench.clock.now += 1.0
    assert (await ask(bench, value)).status_code == 200
