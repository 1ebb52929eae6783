"""Which notices are over when: an error's notice goes when what caused it does."""

from __future__ import annotations

from typing import Final

from keybench.core import errors as e
from keybench.core.environments.environment import PRACTICE_ID, Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import ActivityRecorded, GatewayChanged, KeystoreChanged, RotationChanged
from keybench.ui.shared.reading import UNREAD
from keybench.ui.shared.session import Notice, Session
from keybench.words.explain import explain

_KEYSTORE: Final = "keystore"
_UNWRITTEN: Final = "journal unwritten"
#: That a team's journal can't be reached, however it is told.
AWAY: Final = "journal away"


def about_rotation(rotation_id: str) -> str:
    """Return the topic of what waits for a person in a rotation; it is over when that goes on."""
    return f"rotation {rotation_id}"


def notice_of(error: KeybenchError, environment: Environment) -> Notice:
    """Return the notice of an error that no panel took, which came while `environment` was shown."""
    words = explain(error)
    match error:
        case e.KeystoreMissing() | e.KeystoreLocked() | e.KeystoreDenied() | e.KeystoreSilent():
            topic = _KEYSTORE  # others concern one value
        case e.JournalAway():
            topic = AWAY
        case e.JournalBusy() | e.JournalGone():
            topic = UNREAD
        case e.JournalUnwritable():
            topic = _UNWRITTEN
        case e.PracticeUnavailable():
            topic = _about_gateway(PRACTICE_ID)
        case e.NotSent() | e.AnswerLost() | e.GatewayFailed():
            topic = _about_gateway(environment.id)  # a refusal is an answer
        case _:
            topic = ""
    return Notice("bad", words.title, words.text, topic)


def end_with_causes(session: Session) -> None:
    """Have notices end when keystore, journal or gateway work again, or a rotation goes on."""

    def on_keystore(event: KeystoreChanged) -> None:
        if event.status.trouble is None and not event.status.asking:
            session.end_notice(_KEYSTORE)

    def on_gateway(event: GatewayChanged) -> None:
        if event.up:
            session.end_notice(_about_gateway(event.environment_id))

    def on_written(_event: ActivityRecorded) -> None:
        session.end_notice(UNREAD)
        session.end_notice(_UNWRITTEN)

    def on_rotation(event: RotationChanged) -> None:
        session.end_notice(about_rotation(event.rotation_id))

    session.subscribe(session, {KeystoreChanged: on_keystore, GatewayChanged: on_gateway})
    session.subscribe(session, {ActivityRecorded: on_written, RotationChanged: on_rotation})


def _about_gateway(environment_id: str) -> str:
    return f"gateway {environment_id}"
