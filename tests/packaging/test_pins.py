"""Which files are pinned, and for which systems."""

import pytest

import pins


@pytest.mark.parametrize(
    ("filename", "ours"),
    [
        ("tiny-1.0-py3-none-any.whl", True),
        ("tiny-1.0-py2.py3-none-any.whl", True),
        ("tiny-1.0-cp310-abi3-manylinux_2_34_x86_64.whl", True),
        ("tiny-1.0-cp312-cp312-macosx_11_0_arm64.whl", True),
        ("tiny-1.0-cp313-cp313-win_amd64.whl", True),
        ("tiny-1.0-cp312-cp312-manylinux2014_aarch64.manylinux_2_17_aarch64.whl", True),
        ("tiny-2.0-py3-none-any.whl", False),
        ("tiny-1.0-cp39-cp39-win_amd64.whl", False),
        ("tiny-1.0-cp313-cp313t-win_amd64.whl", False),
        ("tiny-1.0-cp312-cp312-musllinux_1_2_x86_64.whl", False),
        ("tiny-1.0-cp312-cp312-manylinux_2_17_ppc64le.whl", False),
        ("tiny-1.0-cp312-cp312-win32.whl", False),
        ("tiny-1.0.tar.gz", False),
    ],
)
def test_wheels_for_our_systems_are_ours(filename: str, ours: bool) -> None:  # noqa: FBT001 - a table
    assert pins.is_for_us(filename, "1.0") is ours


def test_what_only_one_system_or_python_needs_has_a_marker() -> None:
    every = {(system, python) for system in pins.SYSTEMS for python in pins.PYTHONS}
    assert pins.marker_of(every) == ""
    assert pins.marker_of({one for one in every if one[0] == "linux"}) == ' ; sys_platform == "linux"'
    assert pins.marker_of({one for one in every if one[1] == "3.11"}) == ' ; python_version == "3.11"'
    both = ' ; (sys_platform == "linux" or sys_platform == "darwin")'
    assert pins.marker_of({one for one in every if one[0] != "win32"}) == both


def test_what_a_package_needs_comes_with_it() -> None:
    found = pins.closure(["httpx", "SecretStorage; sys_platform == 'linux'"])
    assert {"httpx", "httpcore", "h11", "idna", "certifi"} <= set(found)
    assert {system for system, _ in found["jeepney"]} == {"linux"}
    assert {system for system, _ in found["idna"]} == set(pins.SYSTEMS)
