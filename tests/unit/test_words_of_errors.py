"""Every error a person can meet has words: what happened, what it means for the money, what to do next."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from keybench import __version__
from keybench.core import errors as e
from keybench.core.ports import JournalPlace
from keybench.core.reasons import Reason
from keybench.words.explain import Explanation, explain
from keybench.words.system import network_words


def reasons_of(*kinds: type[e.InputInvalid]) -> list[str]:
    """Return the reasons that classes list."""
    named = {name: reason for kind in kinds for name, reason in vars(kind).items() if name.isupper()}
    return [reason for reason in named.values() if isinstance(reason, str)]


# One or more of every error that can be raised; a new class without a line here fails the first test.
EXAMPLES: list[e.KeybenchError] = [
    *(e.AmountInvalid("x", reason) for reason in reasons_of(e.AmountInvalid)),
    e.AmountInvalid("1.5", e.AmountInvalid.TOO_PRECISE, decimals=0),
    e.CurrencyInvalid("US", e.CurrencyInvalid.NOT_A_CODE),
    e.CurrencyInvalid("zzz", e.CurrencyInvalid.UNKNOWN),
    *(e.NameInvalid("key name", reason, limit=100) for reason in reasons_of(e.NameInvalid)),
    e.NameTaken("key", "Till"),
    e.NameTaken("environment", "Shop"),
    *map(e.BaseUrlInvalid, reasons_of(e.BaseUrlInvalid)),
    *map(e.PortalUrlInvalid, reasons_of(e.BaseUrlInvalid)),
    *map(e.ProxyInvalid, reasons_of(e.ProxyInvalid)),
    *(e.KeyValueInvalid(reason, length=5000, limit=1280) for reason in reasons_of(e.KeyValueInvalid)),
    *map(e.RotationBarred, reasons_of(e.RotationBarred)),
    *map(e.DeviceListInvalid, reasons_of(e.ListInvalid, e.DeviceListInvalid)),
    *(
        e.KeyListInvalid(reason)
        for reason in reasons_of(e.ListInvalid, e.KeyListInvalid)
        if reason != e.KeyListInvalid.NO_COLUMN
    ),
    *(
        e.KeyListInvalid(e.KeyListInvalid.NO_COLUMN, missing=missing, text=text)
        for missing in (["name"], ["name", "kind"])
        for text in ("", "Till, Shop")
    ),
    e.KeyListInvalid(e.KeyListInvalid.CREATED, line=3, text="31.02.2025"),
    e.RotationUnderWay("Till"),
    e.KeyUnderWay("Till"),
    e.KeysUnsettled(["Till", "Shop"]),
    e.KeyUnsettled("Till", "id", e.AnswerLost("timeout"), is_made=False),
    e.KeyUnsettled("Till", "id", e.KeystoreLocked(), is_made=True),
    e.KeyNotNoted("Till", "id", e.JournalBusy()),
    e.SettingInvalid("idle_days", e.SettingInvalid.NOT_A_FIGURE, least=0, most=3650),
    e.SettingInvalid("overlap_days", e.SettingInvalid.OUT_OF_RANGE, least=1, most=365),
    e.CardDataRefused("amount", "card number"),
    e.ValueMisplaced("device"),
    e.KeyKindUnfit("Till"),
    e.KeyWithoutValue("Till"),
    e.NotFound("environment", "Shop"),
    e.NotFound("key", "Till"),
    e.NotFound("sale", "KB-1"),
    e.EnvironmentBuiltIn("practice"),
    e.EnvironmentFixed("practice"),
    *(
        e.MoveNotConfirmed(
            "Shop",
            ("https://a.example", "v5"),
            ("https://b.example", "v5"),
            is_live=count == 1,
            keys=count,
            under_way=count - 1,
            unknown=count - 1,
            rotations=["Till"] * (count - 1),
            unsettled=["Web"] * (2 - count),
        )
        for count in (1, 2)
    ),
    e.LiveNotConfirmed("Shop"),
    e.DeregistrationNotConfirmed("Till 1"),
    e.LiveBarred("Shop"),
    e.AmountOverLimit("60.00 USD", "50.00", "Shop"),
    e.ModeNotOffered("classic", "v5"),
    e.SalesUnderWay("Shop", 1),
    e.SalesUnderWay("Shop", 3),
    e.KeystoreMissing(),
    e.KeystoreGone("GNOME Keyring"),
    e.KeystoreLocked(),
    e.KeystoreDenied(),
    e.KeystoreSilent(),
    e.ValueTooLong(1280),
    e.ValueLost(),
    e.ValueNeverHere(),
    e.ValueDiffers("Till", "acorn-alarm-album-alley", "amber-anchor-angle-apple"),
    e.KeyMadeBefore("K-1"),
    e.KeystoreFailed(),
    e.DiagnosisInvalid("unreadable"),
    e.BundleUnsafe([("<key:Till>", "exchanges.har", "line 7"), ("<card number>", "", "line 1")]),
    e.FileNotSaved("/data/sales.txt", e.FileNotSaved.FORMAT),
    e.FileNotSaved("/home/history.csv", e.FileNotSaved.NOT_KEPT),
    e.JournalUnwritable("/data", "no space left"),
    e.JournalUnwritable("/data", e.JournalUnwritable.LONG_PATH),
    e.JournalUnwritable("/data", e.JournalUnwritable.NOT_KEPT),
    e.JournalNewer("/data", 9, 1),
    e.JournalNewer("/data", 9, 1, "0.3.0", "/data/journal.sqlite3.schema-1"),
    e.JournalInUse("/data", "nfs4"),
    e.JournalDamaged("/data"),
    e.JournalDamaged("/data", is_empty=True),
    e.JournalUnfamiliar("/data", "table meta"),
    e.JournalUnwritable("/data", e.JournalUnwritable.IO_FAILED),
    e.JournalUnwritable("postgresql://db/team", e.JournalUnwritable.SERVER_FULL),
    e.JournalAway("postgresql://db/team"),
    e.JournalAway("postgresql://db/team", "Connection refused"),
    e.JournalForbidden("postgresql://db/team"),
    e.JournalForbidden("postgresql://db/team", e.JournalForbidden.LOGIN),
    e.JournalForbidden("postgresql://db/team", e.JournalForbidden.TABLES, "keybench"),
    e.JournalGone("/data"),
    e.JournalGone("/data", is_open=True),
    e.JournalBusy(),
    e.NotChecked("KB-1"),
    e.FileNotSaved("/home/sale.har", "Permission denied"),
    e.ContractInvalid("v5.toml", "sales.async", "no path"),
    e.ContractInvalid("v5.toml", "", "not TOML"),
    e.LessonInvalid("one.toml", "steps[0].must", "is missing"),
    e.NotSent("something new"),
    *(e.NotSent(one) for one in Reason if one.name.startswith(("TLS", "PROXY", "CONNECT", "NOT_A_PROXY"))),
    e.AnswerLost("timeout"),
    e.AnswerUnreadable("not json", status=200),
    e.Refused("not found", status=404, message="Device not found", reference="E-7"),
    e.KeyRefused("unauthorised", status=401, message="key not found"),
    e.Forbidden("forbidden", status=403, message="may not sell"),
    e.Forbidden("rate limit", status=403, retry_after_s=7.0),
    e.Refused(Reason.RATE_LIMIT, status=429),
    e.Refused(Reason.DEVICE_OFFLINE, status=409),
    e.Refused(Reason.DEVICE_BUSY, status=409),
    e.Refused(Reason.REQUEST_UNKNOWN, status=404),
    e.GatewayFailed("failed", status=503),
    e.PracticeUnavailable("ended", message="no port"),
    *map(e.JoinInvalid, reasons_of(e.JoinInvalid)),
    *map(e.JournalMoveBarred, reasons_of(e.JournalMoveBarred)),
    e.NotSent(Reason.CLASS_CERTIFICATE),
    *(e.Refused(one, retry_after_s=30.0) for one in Reason if one.name.startswith("CLASS_")),
]
#: Classes that only gather others; nothing raises them but through a subclass.
GATHERING = {
    *(e.KeybenchError, e.InputInvalid, e.NamedInvalid, e.ListInvalid),
    *(e.KeystoreError, e.JournalError, e.GatewayError),
}


def subclasses(root: type[e.KeybenchError]) -> Iterator[type[e.KeybenchError]]:
    for found in root.__subclasses__():
        yield found
        yield from subclasses(found)


def named(error: e.KeybenchError) -> str:
    return f"{type(error).__name__}-{getattr(error, 'reason', '')}"


def all_of(explanation: Explanation) -> str:
    return f"{explanation.title} {explanation.text}"


def test_every_class_of_the_tree_has_an_example() -> None:
    concrete = {
        found for found in subclasses(e.KeybenchError) if found.__module__.startswith("keybench.core.")
    }
    assert concrete - GATHERING == {type(example) for example in EXAMPLES}


def test_the_tree_is_drawn_as_it_is() -> None:
    drawing = inspect.getdoc(e) or ""
    assert not [found.__name__ for found in subclasses(e.KeybenchError) if found.__name__ not in drawing]


def test_every_error_has_a_sentence_of_its_own() -> None:
    for error in EXAMPLES:
        explanation = explain(error)
        assert re.fullmatch(r"[A-Z“0-9].*[.?]", explanation.title), named(error)
        assert "can't explain" not in all_of(explanation), named(error)
        assert explanation.title != "This can't be used as it is.", named(error)


def test_the_words_are_plain_short_and_whole() -> None:
    for error in EXAMPLES:
        text = all_of(explain(error))
        assert len(text) < 400
        assert not re.search(r"\{|\}|None|  |\.\.|!|please|sorry|oops|invalid|exception", text, re.IGNORECASE)
        assert type(error).__name__ not in text
        assert text.count("“") == text.count("”")


def test_a_refusal_answers_the_question_of_the_money() -> None:
    for error in EXAMPLES:
        if isinstance(error, e.Refused | e.NotSent | e.PracticeUnavailable):
            assert re.search("Nothing|No money", explain(error).money), named(error)


def test_a_keystores_and_a_journals_trouble_say_what_to_do() -> None:
    for error in EXAMPLES:
        if isinstance(error, e.KeystoreError | e.JournalError):
            assert explain(error).next, named(error)
        if isinstance(error, e.JournalError):
            assert explain(error).money, named(error)


def test_the_gateways_own_words_are_quoted_with_its_reference() -> None:
    said = explain(e.Refused("not found", status=404, message="Device not found", reference="E-7"))
    assert "“Device not found (ref E-7)”" in said.text


def test_a_card_number_is_not_repeated() -> None:
    assert not re.search("[0-9]{4}", all_of(explain(e.CardDataRefused("amount", "card number"))))


def test_an_older_keybench_tells_how_to_go_on_and_how_to_go_back() -> None:
    known = explain(e.JournalNewer("/data", 9, 1, "0.3.0", "/data/journal.sqlite3.schema-1"))
    assert known.title == "This journal was written by a newer Keybench, 0.3.0."
    assert f"Keybench {__version__} can't read it." in known.money
    assert "It was not touched." in known.money
    assert "/data/journal.sqlite3.schema-1" in known.next
    unknown = explain(e.JournalNewer("/data", 9, 1))
    assert unknown.title == "This journal was written by a newer Keybench."
    assert unknown.next == "Install the newer Keybench, or choose another folder with --data-dir."


def test_a_data_folder_on_the_network_is_told_with_what_to_do() -> None:
    title, text = network_words(JournalPlace("/home/anna/keys", "nfs4"))
    assert title == "One program at a time can have this data folder open (nfs4)."
    assert "other windows and commands are refused" in text
    assert "while the network is down" in text
    assert "move /home/anna/keys" in text
    assert "--data-dir or KEYBENCH_DATA_DIR" in text
    assert network_words(JournalPlace("/data")) == ("", "")
