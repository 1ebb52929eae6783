"""Which button helps against a cause, and what it does: it does what helps, or goes where that is done."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Final

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import Check, Sign, Silence
from keybench.core.diagnosis.conclusion import Diagnosis
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.inventory import InventoryRow
from keybench.ui.shared.session import EditEnvironment, Notice, Place, Session
from keybench.words.language import _
from keybench.workflows.diagnosis.checks import Question


class Help(enum.Enum):
    """What a button does, with what it says."""

    TRY_ELSEWHERE = _("Try it there…")
    OTHER_FORMS = _("Try other forms…")
    PORTAL = _("Open the portal")
    EDIT_ENVIRONMENT = _("Edit the environment")
    PROXY = _("Proxy settings")
    GIVE_VALUE = _("Give it a value…")
    KEYSTORE = _("Open the keystore")
    DEVICES = _("Show the devices")
    ROTATE = _("Rotate")
    SALE = _("Show on the Bench")
    AGAIN = _("Test again")


#: What is helped by making a check.
CHECKS: Final = {Help.TRY_ELSEWHERE: Check.ELSEWHERE, Help.OTHER_FORMS: Check.FORMS}
#: What helps; the second where the first can't be done here and now.
_HELPS: Final[dict[Cause, tuple[Help, ...]]] = {
    Cause.KEYSTORE: (Help.KEYSTORE, Help.GIVE_VALUE),
    Cause.VALUE_CHANGED: (Help.GIVE_VALUE, Help.ROTATE),
    Cause.CONTRACT: (Help.EDIT_ENVIRONMENT,),
    Cause.BASE_URL: (Help.EDIT_ENVIRONMENT,),
    Cause.CLOCK: (Help.AGAIN,),
    Cause.PROXY: (Help.PROXY,),
    Cause.NAME_RESOLUTION: (Help.EDIT_ENVIRONMENT, Help.AGAIN),
    Cause.CONNECTION_REFUSED: (Help.EDIT_ENVIRONMENT, Help.AGAIN),
    Cause.NO_ANSWER: (Help.AGAIN,),
    Cause.CONNECTION_LOST: (Help.SALE, Help.AGAIN),
    Cause.TLS_WRONG_HOST: (Help.EDIT_ENVIRONMENT,),
    Cause.NOT_A_GATEWAY: (Help.EDIT_ENVIRONMENT,),
    Cause.GATEWAY_FAILING: (Help.AGAIN,),
    Cause.RATE_LIMIT: (Help.AGAIN,),
    Cause.KEY_WRONG_ENVIRONMENT: (Help.TRY_ELSEWHERE, Help.PORTAL),
    Cause.KEY_EXPIRED_OR_DELETED: (Help.PORTAL, Help.ROTATE),
    Cause.KEY_FORM: (Help.GIVE_VALUE, Help.ROTATE),
    Cause.HEADER_FORM: (Help.OTHER_FORMS, Help.EDIT_ENVIRONMENT),
    Cause.KEY_WRONG_KIND: (Help.ROTATE,),
    Cause.USER_DISABLED: (Help.PORTAL, Help.ROTATE),
    Cause.PERMISSION_MISSING: (Help.PORTAL, Help.ROTATE),
    Cause.KEY_INVALID: (Help.GIVE_VALUE, Help.PORTAL),
    Cause.ACCOUNT_RESTRICTED: (Help.PORTAL,),
    Cause.DEVICE_UNKNOWN: (Help.DEVICES,),
    Cause.DEVICE_OFFLINE: (Help.DEVICES,),
    Cause.DEVICE_BUSY: (Help.DEVICES,),
    Cause.DUPLICATE: (Help.SALE,),
    Cause.TEST_AMOUNT: (Help.SALE,),
    Cause.TEST_MODE: (Help.PORTAL,),
    Cause.CUSTOMER_LEFT: (Help.SALE,),
    Cause.CUSTOMER_SLOW: (Help.SALE,),
    Cause.DECLINED_BY_ISSUER: (Help.SALE,),
}


def helps_against(diagnosis: Diagnosis, portal: str, *, has_key: bool) -> Mapping[Cause, Help]:
    """Return what helps against the causes that something points to, where anything does."""
    seen = {one.seen for finding in diagnosis.findings for one in finding.observations}
    not_asked = {one.check for one in diagnosis.findings if one.silence is Silence.NOT_ASKED}
    is_built_in = diagnosis.kind is EnvironmentKind.PRACTICE
    can = {
        Help.TRY_ELSEWHERE: Check.ELSEWHERE in not_asked,
        Help.OTHER_FORMS: Check.FORMS in not_asked,
        Help.PORTAL: bool(portal),
        Help.EDIT_ENVIRONMENT: not is_built_in,
        Help.PROXY: not is_built_in,
        Help.KEYSTORE: Sign.VALUE_MISSING not in seen,
        Help.GIVE_VALUE: has_key,
        Help.ROTATE: has_key,
        Help.SALE: bool(diagnosis.reference),
    }
    suspects = [one.cause for one in diagnosis.conclusion.suspects]
    found = {cause: [one for one in _HELPS.get(cause, ()) if can.get(one, True)] for cause in suspects}
    return {cause: helps[0] for cause, helps in found.items() if helps}


def give_help(
    wanted: Help,
    question: Question,
    session: Session,
    view: QWidget,
    again: Callable[[], object],
) -> None:
    """Do what was chosen; dialogs open over the view's window."""
    environment, key = question.environment, question.key
    match wanted:
        case Help.PORTAL:
            url = session.console.environments.facts(environment).portal_page(environment)
            if not QDesktopServices.openUrl(QUrl(url)):
                text = _("The page is {url}.").format(url=url)
                session.notify(Notice("bad", _("No browser could be opened."), text, topic="portal"))
        case Help.EDIT_ENVIRONMENT | Help.PROXY:
            session.ask(EditEnvironment(environment))
        case Help.DEVICES:
            session.ask(Place("devices", environment))
        case Help.SALE:
            reference = question.sale.reference if question.sale else ""
            session.ask(Place("bench", environment, reference))
        case Help.KEYSTORE:
            session.run("diagnose: keystore", _look_at_keystore(session, again))
        case Help.ROTATE if key:
            session.show_rotation(environment, key)
        case Help.GIVE_VALUE if key:
            row = InventoryRow(key, environment)
            session.run(f"give value {key.id}", _give_value(session, view, row, again))
        case _:
            again()


async def _look_at_keystore(session: Session, again: Callable[[], object]) -> None:
    await session.console.look_at_keystore()
    again()


async def _give_value(
    session: Session, view: QWidget, row: InventoryRow, again: Callable[[], object]
) -> None:
    from keybench.ui.shared.keys.dialogs import give_value  # noqa: PLC0415 - when it is wanted

    if await give_value(view, session, row):
        again()
