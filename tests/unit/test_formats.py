"""Figures, dates, times and money as each locale writes them, and the language they are said in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.money import Money, parse_money
from keybench.runtime.data_folder import resource_path
from keybench.words import formats, language, texts
from keybench.workflows.lessons.files import lesson_files, read_lesson

THEN = datetime(2026, 3, 3, 14, 2, 11, 204_000, tzinfo=UTC)
Speak = Callable[..., None]


@pytest.fixture
def speak(monkeypatch: pytest.MonkeyPatch) -> Iterator[Speak]:
    """Speak as the environment says, and as it did before afterwards."""

    def change(**variables: str) -> None:
        for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        language.use(language.system_languages())

    yield change
    monkeypatch.undo()
    language.use(language.system_languages())


@pytest.mark.parametrize(
    ("variables", "spoken", "number", "money", "time"),
    [
        ({"LANG": "C.UTF-8"}, "en", "12,345", "1,234.50 EUR", "3 Mar 2026, 14:02"),
        ({"LANG": "en_US.UTF-8"}, "en_US", "12,345", "1,234.50 EUR", "Mar 3, 2026, 2:02\u202fPM"),
        ({"LANG": "de_DE.UTF-8"}, "de_DE", "12.345", "1.234,50 EUR", "03.03.2026, 14:02"),
        ({"LANG": "de_CH.UTF-8"}, "de_CH", "12\u2019345", "1\u2019234.50 EUR", "03.03.2026, 14:02"),
        ({"LANG": "es_MX.UTF-8"}, "es_MX", "12,345", "1,234.50 EUR", "3 mar 2026, 2:02\u202fp.m."),
        (
            {"LANG": "fr_FR.UTF-8"},
            *("fr_FR", "12\u202f345", "1\u202f234,50 EUR", "3 mars 2026, 14:02"),
        ),
        (
            {"LANGUAGE": "pl:de:en", "LANG": "en_US.UTF-8"},
            "de",
            "12.345",
            "1.234,50 EUR",
            "03.03.2026, 14:02",
        ),
        ({"LANGUAGE": "en:de", "LANG": "C"}, "en", "12,345", "1,234.50 EUR", "3 Mar 2026, 14:02"),
        ({"LANG": "pl_PL.UTF-8"}, "en", "12,345", "1,234.50 EUR", "3 Mar 2026, 14:02"),
        (
            {"LC_ALL": "es_ES.UTF-8", "LANG": "de_DE.UTF-8"},
            *("es_ES", "12.345", "1.234,50 EUR", "3 mar 2026, 14:02"),
        ),
    ],
    ids=str,
)
def test_figures_and_times_are_written_as_in_the_country(
    speak: Speak, variables: dict[str, str], spoken: str, number: str, money: str, time: str
) -> None:
    speak(**variables)
    assert language.language() == spoken
    assert language.number(12_345) == number
    assert formats.money(Money(Decimal("1234.50"), "EUR")) == money
    assert formats.day_and_time(THEN) == time


def test_durations_shares_and_lists_are_written_so_too(speak: Speak) -> None:
    speak(LANG="de_DE.UTF-8")
    assert formats.duration(6.424) == "6,42 s"
    assert formats.duration(0.041) == "41 ms"
    assert formats.percent(0.123, 1) == "12,3\u00a0%"
    assert formats.short(2.5) == "2,5"
    assert formats.clock_time_exact(THEN).endswith("11,204")
    assert formats.full_day(THEN) == "Dienstag, 3. März 2026"
    assert formats.listed(["a", "b"]) == "a und b"
    assert formats.ago(THEN - timedelta(days=1_500), THEN) == "vor 1.500 Tagen"
    assert formats.quoted("Kasse") == "„Kasse“"
    assert formats.within("Ersatz anlegen") == "Ersatz anlegen", "a noun keeps its capital"
    speak(LANG="fr_FR.UTF-8")
    assert formats.within("Créer le remplacement") == "créer le remplacement"


def test_what_is_chosen_is_what_programs_started_from_here_speak(
    speak: Speak, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak(LANG="de_AT.UTF-8")
    language.choose("fr")
    assert (language.language(), language.system_languages()) == ("fr", ["fr"])
    language.leave_choice()
    assert language.system_languages() == ["de_AT"]
    language.choose("de")
    assert language.language() == "de_AT", "a language is written as in the country that speaks it"
    language.leave_choice()


def test_the_catalogues_are_loaded_once(speak: Speak) -> None:
    speak(LANG="de_DE.UTF-8")
    assert language.catalogue_of(language.DOMAIN) is language.catalogue_of(language.DOMAIN)
    assert texts.text("# Keys") == "# Schlüssel"
    assert texts.catalogue_of(texts.DOMAIN) is not language.catalogue_of(language.DOMAIN)
    assert texts.text("") == ""


@pytest.mark.parametrize("content", [b"", b"no catalogue", b"\xde\x12\x04\x95" + b"\xff" * 40])
def test_a_damaged_catalogue_is_english(
    speak: Speak, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "nl" / "LC_MESSAGES" / f"{language.DOMAIN}.mo"
    made.parent.mkdir(parents=True)
    made.write_bytes(content)
    monkeypatch.setattr(language, "folder", lambda: str(tmp_path))
    speak(LANG="nl_NL.UTF-8")
    assert language._("Keys") == "Keys"


def test_languages_call_themselves_by_their_names() -> None:
    assert [language.language_name(code) for code in language.languages()] == [
        *("English", "Deutsch", "Español", "Français")
    ]


@given(
    st.decimals(Decimal("0.01"), Decimal(999), places=2),
    st.sampled_from(["en_GB", "de_DE", "fr_FR", "es_ES"]),
)
def test_an_amount_can_be_typed_as_it_is_shown(amount: Decimal, locale: str) -> None:
    language._spoken.tag = locale
    language.locale.cache_clear()
    try:
        assert parse_money(formats.figure(amount), "EUR").amount == amount
    finally:
        language.use(language.system_languages())


@given(st.floats(-1e9, 1e9), st.integers(0, 3))
def test_in_english_a_figure_is_python_s_own(value: float, places: int) -> None:
    assert formats.decimal(value, places) == f"{value:,.{places}f}"


def test_a_page_keeps_its_form_and_its_commands_in_another_language(speak: Speak) -> None:
    page = resource_path("manual/command-line.md").read_text("utf-8")
    speak(LANG="C")
    assert texts.page_in_language(page).split() == page.split()
    speak(LANG="fr_FR.UTF-8")
    said = texts.page_in_language(page)
    assert said != page
    assert re.findall(r"```.*?```", said, re.DOTALL) == re.findall(r"```.*?```", page, re.DOTALL)
    shapes = [[line[:2] for line in text.split("\n") if line[:1] in "#-|"] for text in (said, page)]
    assert shapes[0] == shapes[1]


def test_a_lesson_shows_controls_by_their_names_in_the_language(speak: Speak) -> None:
    lesson = next(one for path in lesson_files() if len((one := read_lesson(path)).steps[0].show) > 0)
    speak(LANG="de_DE.UTF-8")
    said = texts.lesson_in_language(lesson)
    assert (lesson.title, said.title) == ("First key, first sale", "Erster Schlüssel, erster Verkauf")
    assert (lesson.steps[0].show, said.steps[0].show) == ("Add a New Key", "Neuen Schlüssel hinzufügen")
    assert said.steps[0].must[0].fields == lesson.steps[0].must[0].fields
    assert [step.solution for step in said.steps] == [step.solution for step in lesson.steps]
