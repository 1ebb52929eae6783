"""The command line in another language: its sentences are in it; JSON and exit statuses never change."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from keybench.words.language import languages


def keybench(language: str, folder: Path, *words: str) -> tuple[int, str, str]:
    """Run a command and return its exit status and what it wrote on standard output and standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "keybench", "--data-dir", os.fspath(folder), *words],
        env=os.environ | {"LANGUAGE": language},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.thin(3)
@pytest.mark.parametrize("language", languages()[1:])
def test_sentences_are_in_the_language_and_json_is_not(language: str, tmp_path: Path) -> None:
    command = ("key", "list", "--environment", "nowhere")
    told = keybench(language, tmp_path, *command)
    assert told[0] == 2
    assert told[2] != keybench("en", tmp_path, *command)[2]
    assert "nowhere" in told[2]
    assert keybench(language, tmp_path, *command, "--json") == keybench("en", tmp_path, *command, "--json")


def test_help_is_in_the_language_argparse_s_own_words_included(tmp_path: Path) -> None:
    status, said, _errors = keybench("de", tmp_path, "sale", "--help")
    assert status == 0
    assert said.startswith("Aufruf: keybench sale [-h]")
    assert "diese Hilfe anzeigen und beenden" in said
    status, _said, errors = keybench("de", tmp_path, "sale", "--ammount", "10.00")
    assert status == 2
    assert "diese Argumente fehlen: --environment" in errors
    status, _said, errors = keybench("de", tmp_path, "history", "--value", "what-may-be-a-key")
    assert status == 2
    assert "unbekannte Optionen: --value" in errors
    assert "what-may-be-a-key" not in errors
