"""Everything that can go wrong and that a person can meet, as one tree.

::

    KeybenchError
    ├── InputInvalid                what was typed can't be used; nothing was done
    │   ├── AmountInvalid, CurrencyInvalid, NameInvalid, NameTaken, BaseUrlInvalid, ProxyInvalid
    │   ├── KeyValueInvalid, CardDataRefused, KeyKindUnfit, KeyWithoutValue, NotFound, EnvironmentBuiltIn
    │   ├── LiveNotConfirmed, LiveBarred, AmountOverLimit
    │   ├── ModeNotOffered, SalesUnderWay, DeviceListInvalid, NotChecked
    │   ├── RotationBarred, RotationUnderWay, KeyListInvalid, SettingInvalid, ValueMisplaced
    │   └── KeyUnderWay, KeysUnsettled, TextNotErasable
    ├── KeystoreError               where values are kept did not serve
    │   ├── KeystoreMissing (KeystoreGone), KeystoreLocked, KeystoreDenied, KeystoreSilent
    │   └── ValueTooLong, ValueLost, ValueDiffers, KeystoreFailed
    ├── JournalError                what happened could not be kept or read; no sale starts
    │   ├── JournalUnwritable, JournalNewer, JournalDamaged, JournalUnfamiliar
    │   └── JournalBusy, KeyNotNoted
    ├── FileNotSaved                a file a person wanted isn't there; an older one is as it was
    ├── KeyUnsettled                a key that was to be added may be at the gateway; its plan leads to it
    ├── ContractInvalid             a gateway's contract file can't be used; nothing was sent
    └── GatewayError                a call to the gateway did not give its answer
        ├── NotSent                 certain: nothing reached the gateway
        ├── AnswerLost              the request may have reached it; nobody can tell
        ├── AnswerUnreadable        it answered, and the answer isn't understood
        ├── Refused                 it answered no: 4xx
        │   ├── KeyRefused          401
        │   ├── Forbidden           403
        │   └── KeyMadeBefore       409: the same wish made a key already, whose value is shown only once
        ├── GatewayFailed           it answered 5xx or 408
        └── PracticeUnavailable     the practice gateway can't be started

A declined sale is a value (see outcome), not an error; an unknown outcome is a state of a sale.
The sentences people read are in ``keybench.words``; ``str()`` of these is for logs and developers.
"""

from keybench.core.errors.administering import (
    KeyListInvalid,
    KeysUnsettled,
    KeyUnderWay,
    RotationBarred,
    RotationUnderWay,
    SettingInvalid,
    TextNotErasable,
)
from keybench.core.errors.calling import (
    DEVICE_BUSY,
    DEVICE_OFFLINE,
    RATE_LIMIT,
    REQUEST_UNKNOWN,
    AnswerLost,
    AnswerUnreadable,
    Forbidden,
    GatewayError,
    GatewayFailed,
    KeyMadeBefore,
    KeyRefused,
    KeyUnsettled,
    NotSent,
    PracticeUnavailable,
    Refused,
)
from keybench.core.errors.entered import (
    AmountInvalid,
    AmountOverLimit,
    BaseUrlInvalid,
    CardDataRefused,
    CurrencyInvalid,
    DeviceListInvalid,
    EnvironmentBuiltIn,
    InputInvalid,
    KeyKindUnfit,
    KeyValueInvalid,
    KeyWithoutValue,
    LiveBarred,
    LiveNotConfirmed,
    ModeNotOffered,
    NameInvalid,
    NameTaken,
    NotChecked,
    NotFound,
    ProxyInvalid,
    SalesUnderWay,
    ValueMisplaced,
)
from keybench.core.errors.keeping import (
    KeystoreDenied,
    KeystoreError,
    KeystoreFailed,
    KeystoreGone,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    ValueDiffers,
    ValueLost,
    ValueTooLong,
)
from keybench.core.errors.root import (
    KeybenchError,
)
from keybench.core.errors.writing import (
    ContractInvalid,
    FileNotSaved,
    JournalBusy,
    JournalDamaged,
    JournalError,
    JournalNewer,
    JournalUnfamiliar,
    JournalUnwritable,
    KeyNotNoted,
)

__all__ = [
    "DEVICE_BUSY",
    "DEVICE_OFFLINE",
    "RATE_LIMIT",
    "REQUEST_UNKNOWN",
    "AmountInvalid",
    "AmountOverLimit",
    "AnswerLost",
    "AnswerUnreadable",
    "BaseUrlInvalid",
    "CardDataRefused",
    "ContractInvalid",
    "CurrencyInvalid",
    "DeviceListInvalid",
    "EnvironmentBuiltIn",
    "FileNotSaved",
    "Forbidden",
    "GatewayError",
    "GatewayFailed",
    "InputInvalid",
    "JournalBusy",
    "JournalDamaged",
    "JournalError",
    "JournalNewer",
    "JournalUnfamiliar",
    "JournalUnwritable",
    "KeyKindUnfit",
    "KeyListInvalid",
    "KeyMadeBefore",
    "KeyNotNoted",
    "KeyRefused",
    "KeyUnderWay",
    "KeyUnsettled",
    "KeyValueInvalid",
    "KeyWithoutValue",
    "KeybenchError",
    "KeysUnsettled",
    "KeystoreDenied",
    "KeystoreError",
    "KeystoreFailed",
    "KeystoreGone",
    "KeystoreLocked",
    "KeystoreMissing",
    "KeystoreSilent",
    "LiveBarred",
    "LiveNotConfirmed",
    "ModeNotOffered",
    "NameInvalid",
    "NameTaken",
    "NotChecked",
    "NotFound",
    "NotSent",
    "PracticeUnavailable",
    "ProxyInvalid",
    "Refused",
    "RotationBarred",
    "RotationUnderWay",
    "SalesUnderWay",
    "SettingInvalid",
    "TextNotErasable",
    "ValueDiffers",
    "ValueLost",
    "ValueMisplaced",
    "ValueTooLong",
]
