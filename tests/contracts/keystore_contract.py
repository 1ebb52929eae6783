"""What every keystore does, the real ones and the fakes alike: subclass and give a `keystore` fixture."""

from __future__ import annotations

import logging
import traceback

import pytest

from keybench.core.errors import KeystoreFailed, ValueLost, ValueTooLong
from keybench.core.keys.key import VALUE_LIMIT
from keybench.core.ports import Keystore
from keybench.core.secret import Secret

MADE_UP = "sk_practice_7Qw3rtzMadeUpForTests"
OTHER = "sk_practice_AnotherMadeUpOne42"
ENTRY = "environment-1/key-1"


async def holds(keystore: Keystore, entry: str, text: str) -> bool:
    """Tell whether exactly `text` is kept, so that no assertion has to name it."""
    return (await keystore.read(entry)).matches(Secret(text))


def tells(text: str, *values: str) -> bool:
    """Tell whether a rendering gives any of the values away, whole or in a recognisable part."""
    return any(value[:12] in text or value[-12:] in text for value in values)


def rendered(error: BaseException) -> str:
    """Return all that a log or a crash report could show of an error, with the locals of every frame.

    The frames of the test itself are left out: it may know its made-up values.
    """
    frames = error.__traceback__
    while frames is not None and not frames.tb_frame.f_globals["__name__"].startswith("keybench."):
        frames = frames.tb_next
    full = traceback.TracebackException(type(error), error, frames, capture_locals=True)
    parts = [*full.format(), repr(error), str(error), repr(error.args), repr(vars(error))]
    context = error.__context__ or error.__cause__
    return "".join(parts) + (rendered(context) if context is not None else "")


class KeystoreContract:
    """The laws. The fixture `keystore` gives one that is open and empty."""

    async def test_gives_back_what_was_written(self, keystore: Keystore) -> None:
        await keystore.write(ENTRY, Secret(MADE_UP))
        assert await holds(keystore, ENTRY, MADE_UP)

    async def test_memory_is_no_worse_than_what_is_open(self, keystore: Keystore) -> None:
        before = await keystore.probe()
        await keystore.write(ENTRY, Secret(MADE_UP))
        assert keystore.use_memory().durable is before.durable
        assert await holds(keystore, ENTRY, MADE_UP)

    async def test_a_later_write_replaces_the_value(self, keystore: Keystore) -> None:
        await keystore.write(ENTRY, Secret(MADE_UP))
        await keystore.write(ENTRY, Secret(OTHER))
        assert await holds(keystore, ENTRY, OTHER)

    async def test_writing_the_same_value_again_is_no_error(self, keystore: Keystore) -> None:
        await keystore.write(ENTRY, Secret(MADE_UP))
        await keystore.write(ENTRY, Secret(MADE_UP))
        assert await holds(keystore, ENTRY, MADE_UP)

    async def test_a_value_that_was_never_written_is_lost(self, keystore: Keystore) -> None:
        with pytest.raises(ValueLost):
            await keystore.read(ENTRY)

    async def test_an_erased_value_is_gone(self, keystore: Keystore) -> None:
        await keystore.write(ENTRY, Secret(MADE_UP))
        await keystore.write(ENTRY, Secret(OTHER))
        await keystore.erase(ENTRY)
        with pytest.raises(ValueLost):
            await keystore.read(ENTRY)

    async def test_erasing_nothing_is_no_error(self, keystore: Keystore) -> None:
        await keystore.erase(ENTRY)
        await keystore.erase(ENTRY)

    async def test_a_write_can_be_put_back(self, keystore: Keystore) -> None:
        await keystore.write(ENTRY, Secret(MADE_UP))
        await keystore.write(ENTRY, Secret(OTHER))
        await keystore.put_back(ENTRY, Secret(MADE_UP))
        assert await holds(keystore, ENTRY, MADE_UP)
        await keystore.put_back(ENTRY, None)
        with pytest.raises(ValueLost):
            await keystore.read(ENTRY)

    async def test_looking_again_changes_nothing_that_is_well(self, keystore: Keystore) -> None:
        before = await keystore.probe()
        await keystore.write(ENTRY, Secret(MADE_UP))
        assert (await keystore.refresh()).durable is before.durable
        keystore.stop_asking()
        assert await holds(keystore, ENTRY, MADE_UP)

    async def test_entries_are_apart(self, keystore: Keystore) -> None:
        await keystore.write("environment-1/key-1", Secret(MADE_UP))
        await keystore.write("environment-1/key-11", Secret(OTHER))
        await keystore.erase("environment-1/key-11")
        assert await holds(keystore, "environment-1/key-1", MADE_UP)
        with pytest.raises(ValueLost):
            await keystore.read("environment-2/key-1")

    async def test_keeps_the_longest_value(self, keystore: Keystore) -> None:
        await keystore.write(ENTRY, Secret("k" * VALUE_LIMIT))
        assert await holds(keystore, ENTRY, "k" * VALUE_LIMIT)

    @pytest.mark.parametrize("text", ["k" * (VALUE_LIMIT + 1), "k" * 5_000, "🔑" * (VALUE_LIMIT // 2 + 1)])
    async def test_refuses_a_longer_one_and_touches_nothing(self, keystore: Keystore, text: str) -> None:
        await keystore.write(ENTRY, Secret(MADE_UP))
        with pytest.raises(ValueTooLong) as caught:
            await keystore.write(ENTRY, Secret(text))
        assert caught.value.limit == VALUE_LIMIT
        assert await holds(keystore, ENTRY, MADE_UP)

    @pytest.mark.parametrize(
        "text", ["ключ-密钥-🔑", "a b\tc", "=%2F+/\\'\"<&>", " edges ", "e\u0301é", "🔑" * 640]
    )
    async def test_keeps_every_character(self, keystore: Keystore, text: str) -> None:
        await keystore.write(ENTRY, Secret(text))
        assert await holds(keystore, ENTRY, text)

    async def test_refuses_what_cannot_be_encoded(self, keystore: Keystore) -> None:
        await keystore.write(ENTRY, Secret(MADE_UP))
        with pytest.raises(KeystoreFailed) as caught:
            await keystore.write(ENTRY, Secret(OTHER + "\ud800"))
        assert not tells(rendered(caught.value), OTHER)
        assert await holds(keystore, ENTRY, MADE_UP)

    async def test_probing_changes_no_value(self, keystore: Keystore) -> None:
        await keystore.write(ENTRY, Secret(MADE_UP))
        status = await keystore.probe()
        assert status == keystore.status
        assert status.name
        assert status.trouble is None or not status.durable
        assert await holds(keystore, ENTRY, MADE_UP)

    async def test_nothing_it_says_gives_a_value_away(
        self, keystore: Keystore, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
    ) -> None:
        caplog.set_level(logging.DEBUG)
        await keystore.write(ENTRY, Secret(MADE_UP))
        await keystore.write(ENTRY, Secret(OTHER))
        await keystore.read(ENTRY)
        with pytest.raises(ValueTooLong) as caught:
            await keystore.write(ENTRY, Secret(MADE_UP * 100))
        await keystore.erase(ENTRY)
        said = [
            caplog.text,
            *capfd.readouterr(),
            rendered(caught.value),
            repr(keystore),
            str(keystore.status),
        ]
        assert not any(tells(text, MADE_UP, OTHER) for text in said)
