"""The workflows on GitHub: what can be said of them without running one."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import steps
import sums
from keybench.cli.parser import build_parser
from messages import SetupError

WORKFLOWS = Path(__file__).resolve().parents[2] / ".github" / "workflows"
FILES = sorted(WORKFLOWS.glob("*.yml"))
#: One command a line; what comes behind `|`, `&&` or `||` is another.
_OWN = re.compile(r"packaging/(\w+\.py)([^\n|&]*)")
_PINNED = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")

by_file = pytest.mark.parametrize("workflow", FILES, ids=[path.name for path in FILES])


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield our own scripts that the workflows call, each with its arguments."""
    for path in FILES:
        for script, rest in _OWN.findall(path.read_text("utf-8")):
            # What a workflow or a shell puts in stands for one argument.
            yield script, shlex.split(re.sub(r"\$\{\{.*?\}\}|\$\([^)]*\)", "X", rest))


def test_actionlint_finds_nothing() -> None:
    program = Path(sys.executable).with_name("actionlint")
    told = subprocess.run([program, "-no-color", *FILES], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


@by_file
def test_every_action_is_pinned_by_its_commit_with_the_version_beside_it(workflow: Path) -> None:
    used = re.findall(r"^\s*(?:- )?uses: *(.*)$", workflow.read_text("utf-8"), re.MULTILINE)
    assert used
    for one in used:
        assert _PINNED.fullmatch(one), one


def test_an_action_is_used_in_one_version() -> None:
    used = {
        one for path in FILES for one in re.findall(r"uses: *(.*)$", path.read_text("utf-8"), re.MULTILINE)
    }
    assert len(used) == len({one.partition("@")[0] for one in used})


@by_file
def test_a_workflow_may_read_and_no_more_and_ends_by_itself(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    assert re.findall(r"^( *)permissions:\n +(.*)$", text, re.MULTILINE) == [("", "contents: read")]
    assert re.search(r"^concurrency:$", text, re.MULTILINE)
    assert text.count("runs-on:") == text.count("timeout-minutes:") > 0, "every job has a limit"
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_secrets_are_for_tags_alone() -> None:
    """A step that has one runs for a tag only, so nothing of a pull request or a fork gets it."""
    found = 0
    for path in FILES:
        for step in re.split(r"^      - ", path.read_text("utf-8"), flags=re.MULTILINE):
            if "secrets." in step:
                found += 1
                assert "if: github.ref_type == 'tag'\n" in step
                assert "packaging/" not in step, "and not what is installed from elsewhere, either"
        assert "pull_request_target" not in path.read_text("utf-8")
    assert found == 2


@pytest.mark.parametrize("script", sorted({script for script, _ in commands()}))
def test_every_script_that_is_called_is_there_and_has_the_options(root: Path, script: str) -> None:
    path = root / "packaging" / script
    assert path.is_file()
    told = subprocess.run([sys.executable, path, "--help"], capture_output=True, text=True, check=True).stdout
    for one, arguments in commands():
        for option in [each for each in arguments if one == script and each.startswith("--")]:
            assert re.search(rf"{option}\b", told), f"{script} {option}"


def test_the_steps_that_are_named_are_there() -> None:
    named = [
        word
        for script, arguments in commands()
        if script == "test.py"
        for option, word in pairwise(arguments)
        if option == "--only"
    ]
    assert named
    assert set(named) <= set(steps.NAMES)


def test_each_package_is_asked_to_test_itself() -> None:
    text = (WORKFLOWS / "build.yml").read_text("utf-8")
    options = {option for action in build_parser([])._actions for option in action.option_strings}
    assert "--self-test" in options
    for program in (
        "keybench/keybench",
        " keybench",
        "keybench.com",
        "keybench.exe",
        "Contents/MacOS/keybench",
    ):
        assert re.search(rf"{re.escape(program)}['\"]* ['\"]?--self-test", text), program


def test_sums_are_those_that_sha256sum_compares(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(b"b")
    (tmp_path / "a b.deb").write_bytes(b"a")
    (tmp_path / "keybench").mkdir()
    told = sums.write(tmp_path).read_bytes()
    assert [line.split(b"  ")[1] for line in told.splitlines()] == [b"a b.deb", b"b.zip"]
    assert sums.write(tmp_path).read_bytes() == told, "without its own"
    subprocess.run(["sha256sum", "--check", "--strict", sums.NAME], cwd=tmp_path, check=True)
    (tmp_path / "b.zip").write_bytes(b"c")
    assert subprocess.run(["sha256sum", "--check", sums.NAME], cwd=tmp_path, check=False).returncode


def test_sums_of_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no package"):
        sums.write(tmp_path)
