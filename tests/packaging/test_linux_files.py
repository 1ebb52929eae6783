"""What desktops, software centres, `man` and shells find: judged by their own validators and shells."""

import argparse
import gzip
import os
import pty
import re
import subprocess
from collections.abc import Callable
from configparser import RawConfigParser
from contextlib import suppress
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

import icons
import linux_files
import manual
import product
from keybench.cli.parser import COMMANDS
from keybench.ui.shell import application


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("linux") / "a folder für 東京"
    linux_files.write(Path(__file__).resolve().parents[2], out)
    return out / "share"


def said(*command: str | Path, **more: str) -> tuple[int, str]:
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **more}, check=False, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


def test_the_windows_and_the_packages_name_the_same_application() -> None:
    assert application.ID == product.ID
    assert application.NAME == product.NAME == product.WINDOW_CLASS


def test_menus_get_a_valid_entry_that_starts_the_program_and_the_tour(share: Path) -> None:
    path = share / "applications" / f"{product.ID}.desktop"
    assert said("desktop-file-validate", path) == (0, "")
    entry = RawConfigParser(strict=True)
    entry.read(path, "utf-8")
    assert entry["Desktop Entry"]["Exec"] == "keybench"
    assert entry["Desktop Action tour"]["Exec"] == "keybench tour"
    assert entry["Desktop Entry"]["Icon"] == product.ID


def test_software_centres_get_valid_data_with_what_changed(share: Path, root: Path) -> None:
    path = share / "metainfo" / f"{product.ID}.metainfo.xml"
    status, told = said("appstreamcli", "validate", "--no-net", "--pedantic", path)
    # The one remark is on the capital letter of the id, which is the form that most desktop programs have.
    marks = re.findall(r"^([EWIP]): .*: (\S+)", told, re.MULTILINE)
    assert {mark for _, mark in marks} <= {"cid-contains-uppercase-letter"}, told
    assert status == 0, told
    assert said("appstream-util", "validate-relax", "--nonet", path)[0] == 0
    assert all(one.version in path.read_text("utf-8") for one in product.releases(root))


@pytest.mark.parametrize("homepage", [None, "https://keybench.example/"])
def test_the_stricter_validator_misses_the_homepage_and_nothing_else(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, homepage: str | None
) -> None:
    monkeypatch.setattr(product, "HOMEPAGE", homepage)
    path = tmp_path / f"{product.ID}.metainfo.xml"
    path.write_text(linux_files.appstream(root), "utf-8")
    status, told = said("appstream-util", "validate", "--nonet", path)
    faults = [line for line in told.splitlines() if line.startswith("•")]
    assert (status == 0, len(faults)) == ((True, 0) if homepage else (False, 1)), told
    assert all("<url> is not present" in line for line in faults)


@pytest.mark.parametrize("size", icons.SIZES)
def test_the_icon_is_there_in_each_size(share: Path, size: int) -> None:
    image = QImage(str(share / "icons" / "hicolor" / f"{size}x{size}" / "apps" / f"{product.ID}.png"))
    assert (image.width(), image.height()) == (size, size)
    assert image.pixelColor(0, 0).alpha() == 0
    assert image.pixelColor(size // 2, size * 7 // 8) == QColor("#0f766e")


def test_the_drawing_itself_is_there(share: Path) -> None:
    drawn = (share / "icons" / "hicolor" / "scalable" / "apps" / f"{product.ID}.svg").read_text("utf-8")
    assert drawn.startswith("<svg")


def test_the_same_checkout_gives_the_same_bytes(share: Path, root: Path, tmp_path: Path) -> None:
    linux_files.write(root, tmp_path)

    def content(folder: Path) -> dict[str, bytes]:
        return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    assert content(tmp_path / "share") == content(share)


# --- the man page -------------------------------------------------------------------------------------


STATUSES = [0, 1, 2, 10, 11, 12, 20, 21, 30, 40, 128]


def everything_typed(parser: argparse.ArgumentParser) -> set[str]:
    shown = (action for action in parser._actions if action.help != argparse.SUPPRESS)
    typed = {option for action in shown for option in action.option_strings}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                typed |= everything_typed(below) | {below.prog}
    return typed


def test_the_man_page_tells_every_command_option_and_status(share: Path) -> None:
    path = share / "man" / "man1" / "keybench.1.gz"
    page = gzip.decompress(path.read_bytes()).decode()
    status, shown = said("man", "-l", path, MANWIDTH="200", LC_ALL="C.UTF-8")
    assert status == 0
    text = re.sub(r".\x08", "", shown)
    missing = {word for word in everything_typed(manual.whole_parser()) if word not in text}
    assert missing <= {f"keybench {command.name}" for command in COMMANDS if command.has_actions}
    told = re.search(r"^EXIT STATUS$(.*?)^ENVIRONMENT$", text, re.MULTILINE | re.DOTALL)
    assert told is not None
    assert [int(one) for one in re.findall(r"^ {7}(\d+) ", told[1], re.MULTILINE)] == STATUSES
    assert "KEYBENCH_DATA_DIR" in text
    assert not re.search(r"@[A-Z_]+@", page)


def test_groff_warns_of_nothing_in_the_man_page(share: Path) -> None:
    path = share / "man" / "man1" / "keybench.1.gz"
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", path],
        env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stderr == ""


def test_a_place_in_the_frame_that_nothing_fills_stops_the_page(root: Path, tmp_path: Path) -> None:
    for name in ("resources/changes.md", "app/keybench/__init__.py", "packaging/linux/keybench.1.in"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text((root / name).read_text("utf-8"), "utf-8")
    with (tmp_path / "packaging" / "linux" / "keybench.1.in").open("a") as frame:
        frame.write("@ANOTHER@\n")
    with pytest.raises(manual.SetupError, match="ANOTHER"):
        manual.page(tmp_path)


def test_what_roff_would_take_as_its_own_is_shown_as_it_is() -> None:
    assert manual._text(".start it's 'x' a\\b --json") == r"\&.start it\(aqs \(aqx\(aq a\eb \-\-json"


# --- the shells ---------------------------------------------------------------------------------------

COMPLETED = [
    ("keybench key re", {"rename", "revoke"}),
    ("keybench key add --kind p", {"private", "public"}),
    ("keybench sale --", {"--environment", "--device", "--mode", "--yes"}),
    ("keybench contract check k", {"kb-first.toml", "kb-second.toml"}),
]


class Shell:
    """A shell at a terminal, as a person has it."""

    def __init__(self, folder: Path, *command: str) -> None:
        self._end, other = pty.openpty()
        self._shell = subprocess.Popen(
            command,
            stdin=other,
            stdout=other,
            stderr=other,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
        os.close(other)

    def types(self, text: str, expected: set[str]) -> None:
        """Type, and read until all that is expected has come; pytest's own limit ends it where it doesn't."""
        os.write(self._end, text.encode())
        read = ""
        while not all(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", read) for word in expected):
            read += os.read(self._end, 4096).decode(errors="replace")

    def ends(self) -> None:
        self._shell.kill()
        self._shell.wait()
        with suppress(OSError):
            os.close(self._end)


def bash(share: Path, folder: Path) -> Shell:
    shell = Shell(folder, "bash", "--norc", "--noprofile", "-i")
    script = share / "bash-completion" / "completions" / "keybench"
    shell.types(f"source '{script}'; PS1='REA''DY> '\n", {"READY"})
    return shell


def zsh(share: Path, folder: Path) -> Shell:
    shell = Shell(folder, "zsh", "-f", "-i")
    scripts = share / "zsh" / "vendor-completions"
    shell.types(
        f"fpath=('{scripts}' $fpath); autoload -Uz compinit; compinit -u -D; PS1='REA''DY> '\n", {"READY"}
    )
    return shell


@pytest.mark.parametrize("start", [bash, zsh])
def test_bash_and_zsh_complete_what_is_typed(
    share: Path, tmp_path: Path, start: Callable[[Path, Path], Shell]
) -> None:
    for name in ("kb-first.toml", "kb-second.toml"):
        (tmp_path / name).touch()
    shell = start(share, tmp_path)
    try:
        for typed, expected in COMPLETED:
            shell.types(f"{typed}\t\t\t", expected)
            shell.types("\x15echo BA''CK\n", {"BACK"})
    finally:
        shell.ends()


@pytest.mark.parametrize(("typed", "expected"), COMPLETED)
def test_fish_completes_what_is_typed(share: Path, tmp_path: Path, typed: str, expected: set[str]) -> None:
    for name in ("kb-first.toml", "kb-second.toml"):
        (tmp_path / name).touch()
    script = share / "fish" / "vendor_completions.d" / "keybench.fish"
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source '{script}'; complete -C '{typed}'"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert expected <= {line.partition("\t")[0] for line in done.stdout.splitlines()}
