"""Keys of which nobody can tell whether they were made: found out about for as long as the window is open."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from keybench.core.errors import JournalError, KeybenchError
from keybench.core.input_errors import KeyUnderWay, NotFound
from keybench.core.keys.key import KeyPlan, SettledKey
from keybench.ui.shared.session import Notice, Session
from keybench.words.explain import explain
from keybench.words.keys.states import settled_words

#: How long it waits before it asks again, in seconds.
EVERY_S: Final = 20.0


async def settle_keys(session: Session) -> None:
    """Find out about every such key, and again about those that are still open, until it is cancelled.

    How each turned out is announced, see `KeySettled`. A person who wasn't there when it began is told what
    is still open.
    """
    await _settle_all(session, tells=True)
    while True:
        await session.console.clock.sleep(EVERY_S)
        await _settle_all(session, tells=False)


def settled_notice(settled: SettledKey) -> Notice:
    words = settled_words(settled)
    return Notice(words.tone, words.title, words.text, _topic(settled.plan))


async def _settle_all(session: Session, *, tells: bool) -> None:
    adding = session.console.add_key
    with suppress(JournalError):
        for plan in await adding.unsettled():
            try:
                await adding.settle(plan.making.key_id)
            except (NotFound, KeyUnderWay):
                continue  # somebody else was faster
            except KeybenchError as error:
                if tells:
                    words = explain(error)
                    session.notify(Notice("warning", words.title, words.text, _topic(plan)))


def _topic(plan: KeyPlan) -> str:
    return f"key plan {plan.making.key_id}"
