"""The .deb, made from a small folder that stands in for the bundle; the workflow tries the whole one."""

import errno
import json
import os
import shutil
import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

import bundle as folders
import deb
import debian_files
import product
from elf import Needs
from messages import SetupError

INTERNAL = Path("_internal", "keybench", "resources")


@pytest.fixture
def bundle(root: Path, tmp_path: Path) -> Path:
    """A folder with a program, a library that is two, and what the bundle says of itself."""
    folder = tmp_path / "ein Bündel 東京"
    (folder / INTERNAL / "licences").mkdir(parents=True)
    shutil.copy("/bin/true", folder / "keybench")
    build = {"version": product.version(root), "commit": "abc", "package": "deb"}
    (folder / deb.BUILD_FILE).write_text(json.dumps(build), "utf-8")
    (folder / "_internal" / "libone.so.1").write_bytes(b"no library, but called like one")
    (folder / "_internal" / "libone.so.1").chmod(0o777)
    (folder / "_internal" / "libone.so").symlink_to("libone.so.1")
    licences = [
        {"name": "One", "version": "1.0", "licence": "LGPL-3.0-only", "text": "one.txt"},
        {"name": "Inner (in One)", "version": "", "licence": "MIT OR Apache-2.0", "text": "inner.txt"},
    ]
    (folder / INTERNAL / "licences" / "licences.json").write_text(json.dumps(licences), "utf-8")
    return folder


@pytest.fixture
def package(root: Path, bundle: Path, tmp_path: Path) -> Path:
    return deb.make(root, tmp_path / "out", bundle)


def told(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def entries(package: Path) -> dict[str, tarfile.TarInfo]:
    packed = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as tar:
        return {one.name.removeprefix("./"): one for one in tar}


def test_everything_is_roots_and_has_the_usual_rights(root: Path, package: Path) -> None:
    found = entries(package)
    assert {(one.uname, one.gname, one.uid, one.gid) for one in found.values()} == {("root", "root", 0, 0)}
    runs = {name for name, one in found.items() if one.isfile() and one.mode == 0o755}
    assert runs == {"usr/lib/keybench/keybench"}
    assert {one.mode for name, one in found.items() if one.isfile() and name not in runs} == {0o644}
    assert {one.mode for one in found.values() if one.isdir()} == {0o755}
    assert {one.mtime for one in found.values()} == {folders.source(root).made_at}


def test_all_is_where_debian_has_it_and_nothing_is_elsewhere(package: Path) -> None:
    found = entries(package)
    assert found["usr/bin/keybench"].linkname == "../lib/keybench/keybench"
    assert found["usr/lib/keybench/_internal/libone.so"].linkname == "libone.so.1"
    for path in (
        "usr/share/applications/io.keybench.Keybench.desktop",
        "usr/share/bash-completion/completions/keybench",
        "usr/share/doc/keybench/changelog.gz",
        "usr/share/doc/keybench/copyright",
        "usr/share/fish/vendor_completions.d/keybench.fish",
        "usr/share/icons/hicolor/512x512/apps/io.keybench.Keybench.png",
        "usr/share/icons/hicolor/scalable/apps/io.keybench.Keybench.svg",
        "usr/share/man/man1/keybench.1.gz",
        "usr/share/metainfo/io.keybench.Keybench.metainfo.xml",
        "usr/share/zsh/vendor-completions/_keybench",
    ):
        assert found[path].isfile()
    tops = {"/".join(name.split("/")[:2]) for name in found}
    assert tops == {".", "usr", "usr/bin", "usr/lib", "usr/share"}


def test_the_control_file_names_the_version_the_machine_and_what_is_needed(root: Path, package: Path) -> None:
    fields = {
        name: told("dpkg-deb", "--field", package, name).strip()
        for name in ("Package", "Version", "Architecture", "Depends", "Description", "Maintainer")
    }
    machine = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    assert fields["Package"] == "keybench"
    assert fields["Version"] == product.version(root)
    assert fields["Architecture"] == machine
    assert "libc6 (>= 2." in fields["Depends"]
    assert "ca-certificates" in fields["Depends"]
    assert fields["Description"].startswith(product.SUMMARY)
    assert package.name == f"keybench_{product.version(root)}_{machine}.deb"


def test_nothing_of_it_runs_when_it_is_put_in_or_taken_away(package: Path, tmp_path: Path) -> None:
    told("dpkg-deb", "--control", package, tmp_path / "control")
    assert {path.name for path in (tmp_path / "control").iterdir()} == {"control", "md5sums"}


def test_every_file_has_its_sum(package: Path, tmp_path: Path) -> None:
    told("dpkg-deb", "--raw-extract", package, tmp_path / "tree")
    checked = subprocess.run(
        ["md5sum", "--check", "--strict", "DEBIAN/md5sums"],
        cwd=tmp_path / "tree",
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(checked.stdout.splitlines()) == sum(one.isfile() for one in entries(package).values())


def test_the_same_bundle_gives_the_same_bytes(
    root: Path, bundle: Path, package: Path, tmp_path: Path
) -> None:
    before = os.umask(0o077)
    try:
        again = deb.make(
            root, tmp_path / "another folder", shutil.copytree(bundle, tmp_path / "b", symlinks=True)
        )
    finally:
        os.umask(before)
    assert again.read_bytes() == package.read_bytes()


@pytest.mark.sweep
@pytest.mark.skipif(shutil.which("lintian") is None, reason="lintian is Debian's")
def test_lintian_finds_nothing(package: Path) -> None:
    done = subprocess.run(
        ["lintian", "--allow-root", "--tag-display-limit", "0", package],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_the_copyright_says_under_which_licence_each_part_is(package: Path, tmp_path: Path) -> None:
    told("dpkg-deb", "--extract", package, tmp_path / "tree")
    text = (tmp_path / "tree" / "usr" / "share" / "doc" / "keybench" / "copyright").read_text("utf-8")
    _head, everything, parts = text.split("\n\n")
    assert everything.startswith("Files: *\nCopyright: 2026 Keybench maintainers\n")
    assert parts == (
        "Files: usr/lib/keybench/_internal/*\n"
        "Copyright: told in the text of each licence\n"
        "License: LGPL-3.0-only and (MIT or Apache-2.0)\n"
        " One 1.0: LGPL-3.0-only, one.txt\n"
        " Inner (in One): MIT OR Apache-2.0, inner.txt\n"
    )


# --- what a bundle needs ------------------------------------------------------------------------------


def needs(*libraries: str, by: str = "_internal/lib.so") -> Needs:
    return Needs({name: [Path(by)] for name in libraries}, (2, 36), "amd64")


def test_packages_that_were_renamed_are_asked_for_by_either_name() -> None:
    depends = debian_files.dependencies(needs("libc.so.6", "libglib-2.0.so.0", "libX11.so.6"))
    assert depends == ["ca-certificates", "libc6 (>= 2.36)", "libglib2.0-0t64 | libglib2.0-0", "libx11-6"]


def test_what_only_an_optional_plugin_needs_is_not_required() -> None:
    plugin = "_internal/PySide6/Qt/plugins/platformthemes/libqgtk3.so"
    assert debian_files.dependencies(needs("libgtk-3.so.0", by=plugin)) == ["ca-certificates"]
    assert "libgtk-3-0t64 | libgtk-3-0" in debian_files.control(needs("libgtk-3.so.0", by=plugin), "1", 1)


def test_a_library_that_no_package_is_known_for_stops_it() -> None:
    with pytest.raises(SetupError, match=r"libstrange\.so\.7 \(for _internal/lib\.so\)"):
        debian_files.dependencies(needs("libstrange.so.7"))


# --- what can go wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fails", "match"),
    [
        (
            "echo half > \"$5\"; echo 'dpkg-deb: error: No space left on device'; exit 2",
            "No space left on device",
        ),
        ("kill -9 $$", "dpkg-deb could not make the package"),
    ],
)
def test_a_package_that_fails_leaves_nothing_under_its_name(
    root: Path, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str, match: str
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "dpkg-deb").write_text(f"#!/bin/sh\n{fails}\n", "utf-8")
    (programs / "dpkg-deb").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with pytest.raises(SetupError, match=match):
        deb.make(root, tmp_path / "out", bundle)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_full_disk_is_told_in_a_sentence(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fspath(target))

    monkeypatch.setattr(deb.shutil, "copy2", full)
    assert deb.main(["--out", str(tmp_path / "out"), "--bundle", str(bundle)]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("The disk is full")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_package_that_was_there_stays_when_the_next_one_is_interrupted(
    root: Path, bundle: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = package.read_bytes()

    def interrupted(_tree: Path, path: Path, _day: int) -> None:
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(deb, "_pack", interrupted)
    assert deb.main(["--out", str(package.parent), "--bundle", str(bundle)]) == 130
    assert [path.read_bytes() for path in package.parent.iterdir()] == [before]


def test_a_folder_that_is_no_bundle_is_refused(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert deb.main(["--out", str(tmp_path / "out"), "--bundle", str(tmp_path)]) == 1
    assert "is no bundle" in capsys.readouterr().err


def test_a_bundle_of_another_version_is_refused(root: Path, bundle: Path, tmp_path: Path) -> None:
    build = {"version": "0.0.9", "commit": "abc", "package": "deb"}
    (bundle / deb.BUILD_FILE).write_text(json.dumps(build), "utf-8")
    with pytest.raises(SetupError, match=r"has version 0\.0\.9"):
        deb.make(root, tmp_path / "out", bundle)


@pytest.mark.parametrize("target", ["/etc/passwd", "../../elsewhere", "nowhere"])
def test_a_link_that_leads_out_of_the_bundle_is_refused(
    root: Path, bundle: Path, tmp_path: Path, target: str
) -> None:
    (tmp_path / "elsewhere").touch()
    (bundle / "_internal" / "libtwo.so").symlink_to(target)
    with pytest.raises(SetupError, match=r"libtwo\.so in the bundle"):
        deb.make(root, tmp_path / "out", bundle)


def test_a_bundle_that_does_not_tell_its_licences_is_refused(
    root: Path, bundle: Path, tmp_path: Path
) -> None:
    (bundle / INTERNAL / "licences" / "licences.json").write_text("[]", "utf-8")
    with pytest.raises(SetupError, match="under which licences"):
        deb.make(root, tmp_path / "out", bundle)
