"""Which button helps against a cause: it does what helps, or goes where that is done."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import Check, Seen, Silence
from keybench.core.diagnosis.record import Diagnosis
from keybench.core.environment import EnvironmentKind
from keybench.core.security_key import KeyState, SecurityKey
from keybench.words.language import _


class Help(enum.Enum):
    """What a button does."""

    TRY_ELSEWHERE = "try elsewhere"
    OTHER_FORMS = "other forms"
    PORTAL = "portal"
    USERS_KEYS = "keys of the user"
    EDIT_ENVIRONMENT = "edit environment"
    PROXY = "proxy"
    GIVE_VALUE = "give value"
    KEYSTORE = "keystore"
    DEVICES = "devices"
    ROTATE = "rotate"
    SALE = "sale"
    AGAIN = "again"


#: What helps, the best first: what can't be done here and now is passed over.
_HELPS: Final[dict[Cause, tuple[Help, ...]]] = {
    Cause.KEYSTORE: (Help.GIVE_VALUE, Help.KEYSTORE),
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
    Cause.USER_DISABLED: (Help.USERS_KEYS, Help.PORTAL),
    Cause.PERMISSION_MISSING: (Help.PORTAL, Help.ROTATE),
    Cause.KEY_INVALID: (Help.GIVE_VALUE, Help.PORTAL, Help.ROTATE),
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


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides which help can be had.

    Attributes:
        key: What it was about, as it is known now; None if it was about none, or it is gone.
        portal: The address of the portal's page of keys; empty if there is none.
        others: The names of the person's other environments of the same gateway.
    """

    diagnosis: Diagnosis
    key: SecurityKey | None
    portal: str
    others: tuple[str, ...]

    def help_against(self, cause: Cause) -> Help | None:
        """Return what helps against a cause; None where nothing does."""
        return next((one for one in _HELPS.get(cause, ()) if self.can(one)), None)

    def can(self, wanted: Help) -> bool:
        """Tell whether something can be done here and now."""
        key, diagnosis = self.key, self.diagnosis
        forms = diagnosis.finding(Check.FORMS)
        is_built_in = diagnosis.kind is EnvironmentKind.PRACTICE
        can = {
            Help.TRY_ELSEWHERE: bool(self.others) and Check.ELSEWHERE in diagnosis.offered,
            Help.OTHER_FORMS: forms is not None and forms.silence is Silence.NOT_ASKED,
            Help.PORTAL: bool(self.portal),
            Help.USERS_KEYS: bool(key and key.username),
            Help.EDIT_ENVIRONMENT: not is_built_in,
            Help.PROXY: not is_built_in,
            Help.GIVE_VALUE: key is not None and (key.state is not KeyState.WORKING or self._lacks_value()),
            Help.ROTATE: key is not None,
            Help.SALE: bool(diagnosis.reference),
        }
        return can.get(wanted, True)

    def _lacks_value(self) -> bool:
        """Tell whether the keystore was seen without the key's value, whatever the last test showed."""
        seen = {one.seen for finding in self.diagnosis.findings for one in finding.observations}
        return bool(seen & {Seen.VALUE_MISSING, Seen.VALUE_OTHER})

    def words(self, wanted: Help) -> str:
        """Return what the button says."""
        if wanted is Help.USERS_KEYS and self.key:
            return _("Keys of {username}").format(username=self.key.username)
        return _WORDS[wanted]


_WORDS: Final = {
    Help.TRY_ELSEWHERE: _("Try it there…"),
    Help.OTHER_FORMS: _("Try other forms…"),
    Help.PORTAL: _("Open the portal"),
    Help.EDIT_ENVIRONMENT: _("Edit the environment"),
    Help.PROXY: _("Proxy settings"),
    Help.GIVE_VALUE: _("Give it a value…"),
    Help.KEYSTORE: _("Open the keystore"),
    Help.DEVICES: _("Show the devices"),
    Help.ROTATE: _("Rotate"),
    Help.SALE: _("Show on the Bench"),
    Help.AGAIN: _("Test again"),
}
