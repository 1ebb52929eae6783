"""A key's value in any other field than its own is refused at every entrance, and nothing of it is kept."""

from __future__ import annotations

import inspect
import random
import string
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import keybench.workflows.guard as module
from fakes.gateway import NOW
from fakes.world import MADE_UP, Bench
from keybench.core.input_errors import ValueMisplaced
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.secret import Secret, fingerprint, folded_fingerprint, letters_and_figures
from keybench.workflows.administration import Administration
from keybench.workflows.guard import DRAFT, VALUE, KeptValues
from keybench.workflows.keys.applications import ApplicationDraft
from keybench.workflows.keys.importing import KeyImport

from .test_card_data_entrances import ENTRANCES

Entrance = Callable[[Bench, Administration, str], Awaitable[object]]
HELD = SecurityKey("k", "practice", "Held", "mira", "Sale", KeyKind.PRIVATE, "", "", NOW)
#: Entrances of the card-data guard where a value belongs, and a list whose rows are sold one by one.
NOT_OURS = {"key value", "list of devices"}


async def held(bench: Bench) -> SecurityKey:
    """Return a key whose value is held."""
    return await bench.add_key(await bench.practice_environment(), "Held")


async def _rotation(bench: Bench, administration: Administration, **texts: str) -> object:
    environment = await bench.practice_environment()
    key = await bench.console.keys.named(environment, "Held")
    given = {"reason": "old", "by": "Ann", **texts}
    name = given.pop("name", "Held 2")
    ends_at = bench.clock.now() + timedelta(days=7)
    draft = KeyDraft(name, key.username, key.permission, key.kind)
    return await administration.rotations.start(environment, key, draft, overlap_ends_at=ends_at, **given)


async def _step(bench: Bench, administration: Administration, name: str, *texts: str) -> object:
    rotation: Any = await _rotation(bench, administration)
    return await getattr(administration.rotations, name)(rotation.id, *texts)


async def _application(bench: Bench, administration: Administration, **texts: str) -> Any:
    key = await bench.console.keys.named(environment := await bench.practice_environment(), "Held")
    draft = ApplicationDraft(**{"name": "web shop", **texts})
    return await administration.applications.add(environment, key.id, draft)


async def _edit(bench: Bench, administration: Administration, **texts: str) -> object:
    key = await bench.console.keys.named(await bench.practice_environment(), "Held")
    return await administration.inventory.edit(key, **{"owner": "", "purpose": "", **texts})


async def _update(bench: Bench, administration: Administration, text: str) -> object:
    application = await _application(bench, administration)
    return await administration.applications.update(
        application, ApplicationDraft("web shop", instructions=text)
    )


#: One for each way that texts are given: named, by place, in a draft, in a mapping. That none is forgotten is
#: held by the last two tests.
ADMINISTERING: dict[str, Entrance] = {
    "owner": lambda bench, a, text: _edit(bench, a, owner=text),
    "application": lambda bench, a, text: _application(bench, a, name=text),
    "instructions edited": _update,
    "setting": lambda bench, a, text: a.settings.save({"idle_days": text}),
    "reason": lambda bench, a, text: _rotation(bench, a, reason=text),
    "reason to delete": lambda bench, a, text: _step(bench, a, "delete", "Ann", text),
}


@pytest.mark.parametrize("entrance", sorted(set(ENTRANCES) - NOT_OURS))
async def test_a_held_value_is_refused_and_leaves_nothing_behind(bench: Bench, entrance: str) -> None:
    await held(bench)
    with pytest.raises(ValueMisplaced) as caught:
        await ENTRANCES[entrance](bench, MADE_UP)
    assert MADE_UP not in f"{caught.value} {vars(caught.value)}"
    assert MADE_UP not in "".join(bench.journal.dump())
    assert not bench.gateway.posts


@pytest.mark.parametrize("entrance", ADMINISTERING)
async def test_a_held_value_is_refused_where_keys_are_administered(bench: Bench, entrance: str) -> None:
    await held(bench)
    with pytest.raises(ValueMisplaced):
        await ADMINISTERING[entrance](bench, Administration(bench.console), f"as told: {MADE_UP}")
    assert MADE_UP not in "".join(bench.journal.dump())


@pytest.mark.parametrize("field", ["name", "username", "permission", "purpose"])
async def test_a_value_that_is_being_added_is_refused_too(bench: Bench, field: str) -> None:
    draft = replace(KeyDraft("Till", "mira", "Sale", KeyKind.PRIVATE), **{field: f"it is {MADE_UP.upper()}"})  # type: ignore[arg-type]  # texts alone
    with pytest.raises(ValueMisplaced) as caught:
        await bench.console.add_key.keep(await bench.practice_environment(), draft, f" {MADE_UP} ")
    assert caught.value.where == field
    assert not bench.keystore.entries


async def test_a_row_of_a_list_that_holds_a_value_is_not_taken_over(bench: Bench, tmp_path: Path) -> None:
    odd = "Made-Up.For~Tests_0123"
    draft = KeyDraft("Held", "mira", "Sale", KeyKind.PRIVATE)
    await bench.console.add_key.keep(await bench.practice_environment(), draft, odd)
    listed = tmp_path / "keys.csv"
    listed.write_text(f"name,username,permission,kind,owner\nA,mira,Sale,private,it is {odd}\n")
    plan = await KeyImport(bench.console.world).read(listed, await bench.practice_environment())
    assert [type(one.error) for one in plan.wrong] == [ValueMisplaced]
    assert plan.rows == ()


async def test_what_is_no_value_is_kept(bench: Bench) -> None:
    await held(bench)
    draft = KeyDraft(
        "till-1 of the north entrance hall", "maria.magdalena.of.the.shop", "Sale", KeyKind.PRIVATE
    )
    added = await bench.console.add_key.keep(await bench.practice_environment(), draft, MADE_UP)
    assert added.key.name == draft.name


#: What a person, or a program that shows a value in groups, puts between its parts.
APART = (" ", "-", "/", ":", ".", "_", ", ", " + ", "\n", "\u00a0", "')+('")


@pytest.mark.parametrize("apart", APART)
@pytest.mark.parametrize(
    "value", [MADE_UP, "7f3e9c01-5b2d-4e88-a6f0-93c1d2b4e5f6", "v4_secret_Qx7/Rt2+Lm9=Wz4"]
)
async def test_a_held_value_is_found_whatever_stands_between_its_parts(value: str, apart: str) -> None:
    secret = Secret(value)
    key = replace(HELD, fingerprint=fingerprint(secret), folded_fingerprint=folded_fingerprint(secret))
    known = KeptValues([key])
    plain = letters_and_figures(value)
    for text in (apart.join(value[at : at + 4] for at in range(0, len(value), 4)), apart.join(value), plain):
        assert known.are_in(f"Front till {text} of the shop")
        assert not known.are_in(f"Front till {text.replace(plain[-1], '!')} of the shop")


def test_none_of_many_harmless_texts_is_refused_for_two_thousand_values_and_values_are_found() -> None:
    """Also where all values are known by the 32 bits that an older Keybench kept of them."""
    chance = random.Random(24)
    letters = string.ascii_letters + string.digits

    def drawn(length: int) -> str:
        return "".join(chance.choices(letters, k=length))

    secrets = [Secret(drawn(chance.choice((24, 32, 40)))) for _ in range(2000)]
    known = KeptValues([replace(HELD, folded_fingerprint=folded_fingerprint(one)) for one in secrets])
    older = KeptValues([replace(HELD, fingerprint=fingerprint(one)) for one in secrets])
    for secret in secrets[:1170]:
        value = secret.reveal()
        address = f"https://{drawn(9)}.example/{drawn(40)}/{drawn(30)}?id={drawn(36)}#{drawn(20)}"
        assert not known.are_in(f"see {address}, or ask Mira")
        assert not older.are_in(f"see {address}, or ask Mira")
        assert known.are_in(f"see {address}&v={value[:7]}-{value[7:]}, or ask Mira")
        assert older.are_in(f"see {address} with {value} or ask Mira")


async def test_a_value_that_an_older_keybench_kept_is_searched_for_like_others_from_its_test_on(
    bench: Bench,
) -> None:
    key = await held(bench)
    older = folded_fingerprint(Secret(MADE_UP)), fingerprint(Secret(MADE_UP).folded())
    assert key.folded_fingerprint == older[0]
    key = await bench.journal.update_key(key.id, lambda one: replace(one, folded_fingerprint=older[1]))
    assert KeptValues([key]).are_in(f"it is {MADE_UP.swapcase()}")
    tested = await bench.console.keys.test(await bench.practice_environment(), key)
    assert tested.folded_fingerprint == older[0]


async def test_a_value_kept_before_is_found_in_its_own_case(bench: Bench) -> None:
    key = replace(await held(bench), folded_fingerprint="")
    assert KeptValues([key]).are_in(f"it is {MADE_UP}")
    assert not KeptValues([key]).are_in(MADE_UP.swapcase())


async def test_looking_through_a_long_note_stays_bounded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The most pieces of a note of 4,000 characters, counted instead of timed."""

    count = 0
    real = module.bits_of_text

    def counted(text: str, length: int = 4) -> bytes:
        nonlocal count
        count += 1
        return real(text, length)

    monkeypatch.setattr(module, "bits_of_text", counted)
    key = await held(bench)
    for note in ("Zq7" * 1400, ("Zq7x" * 40 + " ") * 25, "Z-" * 2000):
        count = 0
        assert not KeptValues([key]).are_in(note)
        assert count <= 4000


# --- that no entrance is forgotten ------------------------------------------------------------------

#: What a use case may be given besides what is looked through: what was kept before, and what is ours.
KNOWN = {
    "Contradiction",
    *("bool", "int", "datetime", "timedelta", "Secret", "EnvironmentKind", "CompromiseStep", "NoneType"),
    *("Environment", "SecurityKey", "Sale", "Rotation", "Application", "Finding", "LeaverCheck"),
    *("OrphanedKey", "Cleared", "Environment | None"),
    *("Sequence[InventoryRow]", "Progress | None", "ImportPlan", "Collection[str]"),
    "Sequence[type[Finding]]",
    "Sequence[Finding]",
}


def use_cases(bench: Bench) -> list[object]:
    """Return every use case of the console."""
    administration = Administration(bench.console)
    of_console = [getattr(bench.console, name) for name in ("environments", "add_key", "keys", "sell")]
    names = ("settings", "review", "inventory", "rotations", "applications")
    return [*of_console, *(getattr(administration, name) for name in names)]


#: What is looked for in the history isn't kept; the others are given what use cases have looked through.
UNGUARDED = {"world", "history", "log", "habits"}


async def test_every_use_case_that_takes_a_text_is_guarded(bench: Bench) -> None:
    names = [*vars(bench.console), "diagnose"]
    of_console = [getattr(bench.console, name) for name in names if name not in UNGUARDED]
    everything = [*of_console, *use_cases(bench)]
    unguarded = {
        f"{type(one).__name__}.{name}"
        for one in everything
        for name, method in inspect.getmembers(type(one), inspect.iscoroutinefunction)
        if not name.startswith("_") and not hasattr(method, "__wrapped__") and takes_a_text(method)
    }
    assert unguarded == set()


def takes_a_text(method: Callable[..., object]) -> bool:
    """Tell whether a person's words may be among what a method is given."""
    given = {name: str(kind) for name, kind in inspect.get_annotations(method).items() if name != "return"}
    return any(
        (kind in {"str", "Path"} or DRAFT in kind or "Mapping" in kind)
        and name != VALUE
        and not name.endswith("_id")
        for name, kind in given.items()
    )


async def test_every_argument_of_a_use_case_is_looked_through_or_known(bench: Bench) -> None:
    unknown = {
        f"{type(one).__name__}.{name}({argument}: {kind})"
        for one in use_cases(bench)
        for name, method in inspect.getmembers(type(one), inspect.iscoroutinefunction)
        if not name.startswith("_")
        for argument, kind in inspect.get_annotations(method.__wrapped__).items()
        if argument != "return" and not is_looked_through(str(kind)) and str(kind) not in KNOWN
    }
    assert unknown == set()


def is_looked_through(kind: str) -> bool:
    """Tell whether an argument of this kind is looked through, wherever its texts stand."""
    plain = kind.removesuffix(" | None")
    return plain in {"str", "Path", "Mapping[str, str]"} or plain.endswith(DRAFT)
