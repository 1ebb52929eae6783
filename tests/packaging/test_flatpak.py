"""The Flatpak's manifest, and what makes it, with small programs in place of Flatpak's own.

The workflow `build` makes a whole one and runs it in a real sandbox.
"""

import json
import re
import shutil
from pathlib import Path

import pytest

import bundle
import flatpak
import left_out
import linux_files
import product
import tools
from messages import SetupError

#: What people are shown, and asked to allow. A permission more needs a reason, and a line here.
PERMISSIONS = """
--socket=wayland --socket=fallback-x11 --share=ipc --share=network --filesystem=host-etc:ro
--env=QT_QPA_PLATFORMTHEME=xdgdesktopportal
--talk-name=org.freedesktop.secrets --talk-name=org.kde.kwalletd5 --talk-name=org.kde.kwalletd6
--metadata=Session_Bus_Policy=org.gnome.keyring=see
--metadata=Session_Bus_Policy=org.keepassxc.KeePassXC.MainWindow=see
--metadata=Session_Bus_Policy=org.kde.secretservicecompat=see
--talk-name=org.freedesktop.Notifications --talk-name=org.kde.StatusNotifierWatcher
"""
#: A Flatpak that notes what it is asked for; the runtime is there once it was put in.
FLATPAK = """#!/bin/sh
echo "$@" >> "$NOTED/asked"
case "$1" in
info) test -e "$NOTED/there" ;;
install) /usr/bin/touch "$NOTED/there" ;;
remote-add) test -z "$OFFLINE" || { echo "Couldn't resolve host name" >&2; exit 1; } ;;
esac
"""


def test_the_permissions_are_these_and_each_has_its_reason() -> None:
    lines = flatpak.MANIFEST.read_text("utf-8").partition("\nfinish-args:\n")[2].splitlines()
    found, reason = [], ""
    for line in lines[: lines.index("build-options:")]:
        if line.startswith("  # "):
            reason = line
        elif line.startswith("  - "):
            assert reason, f"{line} has no reason above it"
            found.append(line.removeprefix("  - ").replace(" ", "_"))
        else:
            reason = ""
    assert sorted(found) == sorted(PERMISSIONS.split())


def test_the_manifest_is_of_this_product() -> None:
    text = flatpak.MANIFEST.read_text("utf-8")
    told = dict(re.findall(r"^([a-z-]+): (\S.*)$", text, re.MULTILINE))
    assert told == {
        "id": product.ID,
        "runtime": flatpak.RUNTIME,
        "runtime-version": f"'{flatpak.runtime_version()}'",
        "sdk": flatpak.SDK,
        "default-branch": flatpak.BRANCH,
        "command": product.COMMAND,
    }


@pytest.mark.skipif(shutil.which("flatpak-builder") is None, reason="flatpak-builder reads it")
def test_flatpak_builder_can_read_the_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # it leaves a folder
    told = json.loads(tools.run("flatpak-builder", "--show-manifest", str(flatpak.MANIFEST)))
    assert told["id"] == product.ID
    (module,) = told["modules"]
    assert module["sources"] == [{"type": "dir", "path": "files"}]


@pytest.mark.parametrize("name", ["libgssapi_krb5.so.2", "libkrb5support.so.0", "libkeyutils.so.1"])
def test_what_the_runtime_lacks_goes_in_and_nowhere_else(name: str) -> None:
    assert not left_out.is_left_out(name, "flatpak")
    assert left_out.is_left_out(name, "folder")


def test_files_are_chosen_in_the_desktop_s_own_dialog_alone() -> None:
    gtk = "PySide6/Qt/plugins/platformthemes/libqgtk3.so"
    assert left_out.is_left_out(gtk, "flatpak")
    assert not left_out.is_left_out(gtk, "folder")
    assert not left_out.is_left_out(gtk.replace("qgtk3", "qxdgdesktopportal"), "flatpak")


def test_files_are_laid_out_as_they_are_installed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(_root: Path, out: Path, package: str) -> Path:
        (out / bundle.NAME).mkdir(parents=True)
        (out / bundle.NAME / product.COMMAND).write_text(package)
        return out / bundle.NAME

    def write(_root: Path, out: Path) -> None:
        for name in ("applications", "icons", "man", "metainfo", "fish"):
            (out / "share" / name).mkdir(parents=True)

    monkeypatch.setattr(bundle, "make", make)
    monkeypatch.setattr(linux_files, "write", write)
    flatpak.stage(root, tmp_path)
    assert (tmp_path / flatpak.MANIFEST.name).read_bytes() == flatpak.MANIFEST.read_bytes()
    assert (tmp_path / "files" / "bin" / product.COMMAND).read_text() == "flatpak"
    assert {path.name for path in (tmp_path / "files" / "share").iterdir()} == {
        "applications",
        "icons",
        "metainfo",
    }


@pytest.fixture
def noted(programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the stand-in for Flatpak notes what it is asked for."""
    program = programs / "flatpak"
    program.write_text(FLATPAK)
    program.chmod(0o755)
    monkeypatch.setenv("NOTED", str(tmp_path))
    return tmp_path / "asked"


def test_a_runtime_that_is_there_is_not_fetched(noted: Path) -> None:
    (noted.parent / "there").touch()
    flatpak.put_in_runtime()
    assert {line.split()[0] for line in noted.read_text().splitlines()} == {"info"}


def test_one_that_is_not_is_fetched_for_this_user_alone(noted: Path) -> None:
    flatpak.put_in_runtime()
    asked = [line for line in noted.read_text().splitlines() if not line.startswith("info")]
    version = flatpak.runtime_version()
    assert asked == [
        f"remote-add --user --if-not-exists flathub {flatpak.FLATHUB}",
        f"install --user --noninteractive flathub {flatpak.RUNTIME}//{version} {flatpak.SDK}//{version}",
    ]


def test_one_that_cannot_be_fetched_is_told(noted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFFLINE", "1")
    with pytest.raises(SetupError, match=r"(?s)resolve host name.*the SDK of freedesktop\.org"):
        flatpak.put_in_runtime()
    assert noted.exists()
