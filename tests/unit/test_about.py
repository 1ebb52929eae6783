"""About Keybench: what is told of the program and what it runs on, and the licences of what is shipped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from keybench.core.errors import KeystoreMissing
from keybench.core.ports import KeystoreStatus
from keybench.runtime.build import Build
from keybench.runtime.licences import LIST, QT_NOTICE, licences
from keybench.words.about import Surroundings, about_facts, about_text, package_words

AROUND = Surroundings(
    python="3.12.1",
    qt="6.11.3",
    pyside="6.11.3",
    openssl="3.0.19",
    sqlite="3.40.1",
    platform="wayland",
    screen_scale=1.5,
    text_scale=1.0,
    system="Linux 6.8 (x86_64)",
    data_folder="/home/mira/données",
    keystore=KeystoreStatus("GNOME Keyring", durable=True),
)
BUILT = Build("0123456789ab", "deb")


def told(build: Build | None = BUILT, **changes: Any) -> dict[str, str]:
    return {fact.name: fact.text for fact in about_facts(build, replace(AROUND, **changes))}


def test_all_is_copied_as_plain_text_a_line_each() -> None:
    assert about_text("0.2.0", about_facts(BUILT, AROUND)) == (
        "Keybench 0.2.0\n"
        "Commit: 0123456789ab\n"
        "Installed as: Debian package\n"
        "System: Linux 6.8 (x86_64)\n"
        "Display: wayland, screen at 150 %, text at 100 %\n"
        "Python: 3.12.1\n"
        "Qt: 6.11.3, PySide6 6.11.3\n"
        "OpenSSL: 3.0.19\n"
        "SQLite: 3.40.1\n"
        "Keystore: Keys kept in GNOME Keyring\n"
        "Data folder: /home/mira/données\n"
    )


def test_what_isnt_known_is_said_to_be_unknown() -> None:
    assert told(None)["Commit"] == told(None)["Installed as"] == "Looking…"
    nothing = told(Build("", ""), data_folder="")
    assert nothing["Commit"] == nothing["Installed as"] == "not known"
    assert nothing["Data folder"] == "Nothing is written in this run."
    memory = KeystoreStatus("this session's memory", durable=False, trouble=KeystoreMissing())
    assert told(keystore=memory)["Keystore"] == "Keys in memory only"


@pytest.mark.parametrize(
    ("package", "words"),
    [("", "checkout of the source"), ("flatpak", "Flatpak"), ("folder", "unpacked folder"), ("rpm", "rpm")],
)
def test_what_it_came_in_has_a_name(package: str, words: str) -> None:
    assert package_words(Build("0123456789ab", package)) == words


# --- licences ---------------------------------------------------------------------------------------------


def shipped(folder: Path, *listed: object) -> Path:
    (folder / LIST).write_text(json.dumps(listed), "utf-8")
    return folder


def a_component(name: str, text: str = "mit.txt", notice: str = "") -> dict[str, str]:
    return {"name": name, "version": "1.2", "licence": "MIT", "text": text, "notice": notice}


def test_the_list_of_what_is_shipped_comes_with_its_texts_and_notices(tmp_path: Path) -> None:
    (tmp_path / "mit.txt").write_text("Permission is hereby granted…\n", "utf-8")
    (tmp_path / QT_NOTICE).write_text("Qt is used under the LGPL.\n", "utf-8")
    noticed_by_file = a_component("Qt", notice=QT_NOTICE)
    listed = a_component("httpx"), a_component("ICU", notice="© 2016 Unicode"), noticed_by_file
    found = licences(shipped(tmp_path, *listed))
    assert found.qt_notice == "Qt is used under the LGPL.\n"
    plain, noticed, by_file = found.components
    assert (plain.name, plain.version, plain.licence) == ("httpx", "1.2", "MIT")
    assert plain.text == "Permission is hereby granted…"
    assert noticed.text == "© 2016 Unicode\n\nPermission is hereby granted…"
    assert by_file.text == "Qt is used under the LGPL.\n\nPermission is hereby granted…"


@pytest.mark.parametrize("name", ["gone.txt", "", "../secret.txt", "/etc/hostname", "folder/mit.txt"])
def test_a_text_that_isnt_there_or_is_elsewhere_is_left_out(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.txt").write_text("somebody's own", "utf-8")
    inside = tmp_path / "licences"
    inside.mkdir()
    (found,) = licences(shipped(inside, a_component("httpx", text=name))).components
    assert not found.text


@pytest.mark.parametrize("listed", [None, "", "[", '[{"name": "httpx"}]', "[1]", '{"a": 1}'])
def test_without_a_list_that_can_be_read_there_is_nothing(tmp_path: Path, listed: str | None) -> None:
    if listed is not None:
        (tmp_path / LIST).write_text(listed, "utf-8")
    assert not licences(tmp_path).components
