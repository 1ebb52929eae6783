"""The system parts: told apart whether they are there, put in with apt, or asked for in one command."""

from pathlib import Path

import pytest

from messages import SetupError
from system_parts import (
    ALTERNATIVES,
    INSTALL_COMMANDS,
    TEST_PARTS,
    WINDOW_PARTS,
    Part,
    command_to_type,
    ensure,
    packages_for,
    parse_parts,
)

NOWHERE = Part("libkeybench-nowhere.so.9", dict.fromkeys(INSTALL_COMMANDS, "keybench-nowhere"))


def put(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def put_apt(folder: Path, script: str) -> None:
    """Put in an apt-get of our own, and a sudo that asks nothing for those who aren't root."""
    put(folder, "sudo", '[ "$1" = -n ] && shift; exec "$@"')
    put(folder, "true", "exit 0")
    put(folder, "env", 'exec /usr/bin/env "$@"')
    put(folder, "apt-get", script)


@pytest.mark.parametrize("table", [WINDOW_PARTS, TEST_PARTS])
def test_each_part_has_a_package_for_every_package_manager(table: str) -> None:
    for part in parse_parts(table):
        assert set(part.packages) == set(INSTALL_COMMANDS), part.probe
        assert not part.probe.startswith("/") or part.probe in ALTERNATIVES


def test_a_package_that_brings_several_parts_is_named_once() -> None:
    parts = [
        Part("liba.so.1", {"dnf": "libxcb"}),
        Part("libb.so.1", {"dnf": "libxcb"}),
        Part("c", {"dnf": "see"}),
    ]
    assert packages_for(parts, "dnf") == ["libxcb", "see"]


def test_the_command_to_type_has_sudo_for_all_but_root() -> None:
    assert command_to_type("pacman", ["xcb-util-wm"], root=False) == (
        "sudo pacman -S --needed --noconfirm xcb-util-wm"
    )
    assert command_to_type("dnf", ["xcb-util-wm"], root=True) == "dnf install -y xcb-util-wm"


def test_a_part_is_there_when_the_system_itself_has_it(programs: Path) -> None:
    put(programs, "here", "exit 0")
    assert Part("here", {}).is_there()
    assert not Part("elsewhere", {}).is_there()
    assert Part("ensurepip", {}).is_there()
    assert not NOWHERE.is_there()


def test_nothing_is_asked_for_when_all_is_there(programs: Path) -> None:
    put(programs, "here", "exit 0")
    ensure([Part("here", {})])


def test_a_part_that_a_family_has_no_package_of_is_gone_without(programs: Path) -> None:
    put(programs, "pacman", "echo this must not run >&2; exit 1")
    nowhere = Part("keybench-nowhere", {"pacman": "-", "dnf": "keybench-nowhere"})
    ensure([nowhere])
    with pytest.raises(SetupError, match=r"(?m)--noconfirm keybench-nowhere$"):
        ensure([nowhere, NOWHERE])


@pytest.mark.parametrize("manager", ["dnf", "zypper", "pacman"])
def test_where_apt_is_not_the_system_the_person_gets_one_command_to_type(
    programs: Path, manager: str
) -> None:
    put(programs, manager, "echo this must not run >&2; exit 1")
    with pytest.raises(SetupError, match=f"(?m)^ +(sudo )?{manager} .*keybench-nowhere$"):
        ensure([NOWHERE])


def test_apt_is_used_as_root_or_with_sudo_that_asks_nothing(programs: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    wanted = programs / "wanted"
    put_apt(programs, f'echo "$DEBIAN_FRONTEND $*" >> {log}; echo > {wanted}; /bin/chmod +x {wanted}')
    ensure([Part("wanted", {"apt-get": "wanted-package"})])
    update, install = log.read_text().splitlines()
    assert update.startswith("noninteractive")
    assert update.endswith("update")
    assert "install -y --no-install-recommends" in install
    assert install.endswith("wanted-package")


def test_apt_that_fails_is_quoted(programs: Path) -> None:
    put_apt(programs, "echo E: no way to the archive; exit 100")
    with pytest.raises(SetupError, match="no way to the archive"):
        ensure([NOWHERE])


def test_a_part_that_stays_away_after_its_package_came_is_named(programs: Path) -> None:
    put_apt(programs, "exit 0")
    with pytest.raises(SetupError, match="still doesn't find"):
        ensure([NOWHERE])
