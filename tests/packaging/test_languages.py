"""The catalogues: whole, well filled, with the agreed terms; and a language more by one command."""

import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import languages
from keybench.workflows.lessons.files import lesson_files, read_lesson
from languages import COMPLETE, Message

ROOT = languages.ROOT
BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)


@cache
def told() -> dict[Message, list[str]]:
    return languages.sentences()


@pytest.mark.parametrize("language", COMPLETE)
def test_a_complete_language_says_every_sentence_that_there_is_and_no_other(language: str) -> None:
    source = languages.folder() / f"{language}.po"
    assert languages.missing(source, told()) == []
    assert languages.unused(source, told()) == []


@pytest.mark.parametrize("source", sorted(languages.folder().glob("*.po")), ids=lambda source: source.stem)
def test_every_translation_fits_its_sentence_and_says_the_agreed_terms(source: Path) -> None:
    assert list(languages.ill_filled(source)) == []


@pytest.mark.parametrize(
    ("original", "form", "why"),
    [
        ("Saved {name}.", "Gespeichert.", "other places"),
        ("Saved {name}.", "{name gespeichert.", "a brace without its fellow"),
        ("Press <b>Copy</b>.", "Drücken Sie Kopieren.", "other tags"),
        ("See [Keys](keys.md)", "Siehe [Schlüssel](schluessel.md)", "other tags"),
        ("and wait", " und warten", "another beginning"),
        ("It is over.", "Es ist vorbei", "another end"),
        ("value: ", "Wert:", "another end"),
        ("The sale was refused.", "Der Verkauf wurde abgelehnt.", "another word for refused"),
    ],
)
def test_what_is_badly_filled_is_found(original: str, form: str, why: str, tmp_path: Path) -> None:
    source = tmp_path / "de.po"
    source.write_text(f'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "{original}"\nmsgstr "{form}"\n', "utf-8")
    assert [line.partition(":")[0].startswith(why) for line in languages.ill_filled(source)] == [True]


def test_every_term_has_a_word_in_every_complete_language() -> None:
    terms = tomllib.loads((languages.folder() / "glossary.toml").read_text("utf-8"))
    assert {"security key", "reference", "refused", "unknown"} <= set(terms)
    assert [name for name, words in terms.items() if not {"en", *COMPLETE} <= set(words)] == []
    for language in COMPLETE:
        first = [words[language][0].casefold() for words in terms.values()]
        assert len(first) == len(set(first)), "two terms have one word"


#: Opens the window in a language whose catalogue is somewhere else, and prints what its rail and menus say.
PROGRAM = """
import asyncio, sys
from keybench.words import language
language.folder = lambda: sys.argv[1]
language.use(["nl"])
from fakes.world import Bench
from keybench.loop import run
from keybench.runtime.supervisor import Supervisor
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.session import Session
from keybench.ui.shell.application import make_application
from keybench.ui.shell.window import PAGES, MainWindow

async def open_it():
    bench = Bench()
    await bench.journal.open()
    supervisor = Supervisor(on_failure=lambda name, error: print("failed", name, error))
    window = MainWindow(Preferences())
    window.show()
    practice = await bench.practice_environment()
    window.attach(Session(bench.console, supervisor, practice, window))
    for page in PAGES:
        window.show_page(page.id)
        await asyncio.sleep(0)
        print(window.rail.buttons[page.id].accessibleName())
    await supervisor.close()
    return 0

sys.exit(run(make_application(["keybench"]), open_it))
"""


def test_dutch_is_added_with_one_command_and_english_where_it_says_nothing_yet(tmp_path: Path) -> None:
    source = languages.folder(tmp_path) / "nl.po"
    source.parent.mkdir(parents=True)
    languages.bring_up(source, told())
    assert len(languages.missing(source, told())) == len(told())
    said = source.read_text("utf-8")
    for original, form in (("Keys", "Sleutels"), ("Devices", "Apparaten")):
        said = said.replace(f'msgid "{original}"\nmsgstr ""', f'msgid "{original}"\nmsgstr "{form}"')
    source.write_text(said, "utf-8")
    languages.bring_up(source, told())  # what was said stays
    languages.compile_all(tmp_path)
    assert languages.is_compiled(tmp_path)
    assert len(languages.missing(source, told())) == len(told()) - 2
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(source.parent)],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": f"{ROOT / 'app'}:{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    assert run.stdout.split() == [
        *("Bench", "Sleutels", "Rotations", "Apparaten", "History", "Diagnose", "Lessons", "Settings")
    ]


def test_a_catalogue_that_is_newer_than_its_compiled_form_is_compiled_again(tmp_path: Path) -> None:
    source = languages.folder(tmp_path) / "nl.po"
    source.parent.mkdir(parents=True)
    source.write_text('msgid ""\nmsgstr "Language: nl\\n"\n', "utf-8")
    assert not languages.is_compiled(tmp_path)
    languages.compile_all(tmp_path)
    assert languages.is_compiled(tmp_path)
    later = source.stat().st_mtime + 3600
    os.utime(source, (later, later))
    assert not languages.is_compiled(tmp_path)


@pytest.mark.parametrize("language", COMPLETE)
def test_the_manual_calls_the_window_s_controls_as_the_window_does(language: str) -> None:
    said = languages.spoken(languages.folder() / f"{language}.po")
    shown = {str(message).replace("&", ""): str(form).replace("&", "") for message, form in said.items()}
    for message, files in told().items():
        if not isinstance(message, str) or not any(file.startswith("texts/") for file in files):
            continue
        if "texts/changes.md" in files:  # which tells of names that are gone, too
            continue
        names, forms = (
            {" ".join(name.split()) for name in BOLD.findall(str(text))} for text in (message, said[message])
        )
        assert {shown[name] for name in names & set(shown)} <= forms, message


def test_what_a_lesson_shows_is_found_by_a_name_of_the_catalogue() -> None:
    names = {
        name for path in lesson_files() for step in read_lesson(path).steps for name in step.show.split(" > ")
    }
    assert names - {str(message) for message in told()} - {""} == set()


def test_the_man_page_is_english_wherever_it_is_made() -> None:
    program = "import sys, manual; sys.stdout.write(manual.whole_parser().format_help())"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"LANGUAGE": "de", "PYTHONPATH": f"{ROOT / 'app'}:{ROOT / 'packaging'}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "exit status: 0 approved" in run.stdout
    assert "show this help message and exit" in run.stdout
