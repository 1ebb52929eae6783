"""The app and the disk image for macOS, as far as they can be made elsewhere: with tools that only note."""

from __future__ import annotations

import json
import plistlib
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import bundle
import macos
from macos import AD_HOC
from messages import SetupError

LIBRARY = b"\xcf\xfa\xed\xfe and more"
FAT = b"\xca\xfe\xba\xbe and more"
TEAM = "Developer ID Application: Made Up (ABCDE12345)"
KEY = {"KEYBENCH_NOTARY_KEY": __file__, "KEYBENCH_NOTARY_KEY_ID": "K", "KEYBENCH_NOTARY_ISSUER": "I"}

Tool = Callable[[str, str], None]


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """An app as PyInstaller lays it out, with nothing in it that works."""
    top = tmp_path / "Keybench.app"
    inside = top / "Contents"
    core = inside / "Frameworks" / "PySide6" / "Qt" / "lib" / "QtCore.framework"
    files = {
        "Info.plist": b"<plist/>",
        "MacOS/keybench": LIBRARY,
        "Frameworks/libssl.3.dylib": LIBRARY,
        "Frameworks/PySide6/QtCore.abi3.so": FAT,
        "Frameworks/PySide6/Qt/plugins/platforms/libqcocoa.dylib": LIBRARY,
        "Frameworks/PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore": FAT,
        "Frameworks/PySide6/Qt/lib/QtCore.framework/Versions/A/Resources/Info.plist": b"<plist/>",
        "Frameworks/Python.framework/Versions/3.13/Python": LIBRARY,
        "Frameworks/empty.so": b"",
        "Resources/keybench/resources/icons/key.svg": b"<svg/>",
    }
    for name, content in files.items():
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        (inside / name).write_bytes(content)
    (core / "Versions" / "Current").symlink_to("A")
    (core / "QtCore").symlink_to("Versions/Current/QtCore")
    (inside / "Frameworks" / "QtCore").symlink_to("PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore")
    (inside / "Resources" / "PySide6").symlink_to("../Frameworks/PySide6")
    return top


@pytest.fixture
def put_tool(programs: Path) -> Tool:
    """Put in a tool of our own that notes its arguments, a line a call, and then does what it is told."""

    def put(name: str, script: str) -> None:
        tool = programs / name
        log = shlex.quote(str(programs.parent / "calls"))
        tool.write_text(f'#!/bin/sh\nPATH=/usr/bin:/bin\necho "{name} $*" >> {log}\n{script}\n')
        tool.chmod(0o755)

    return put


@pytest.fixture
def calls(programs: Path) -> Callable[[], Sequence[str]]:
    return lambda: (programs.parent / "calls").read_text().splitlines()


def test_code_is_signed_from_the_inside_out_and_nothing_twice(app: Path) -> None:
    order = [str(path.relative_to(app)) for path in macos.signed_in_order(app)]
    frameworks = "Contents/Frameworks"
    assert order == [
        f"{frameworks}/PySide6/Qt/lib/QtCore.framework/Versions/A",
        f"{frameworks}/PySide6/Qt/plugins/platforms/libqcocoa.dylib",
        f"{frameworks}/Python.framework/Versions/3.13",
        f"{frameworks}/PySide6/QtCore.abi3.so",
        f"{frameworks}/libssl.3.dylib",
        ".",
    ]


def test_only_the_program_gets_rights_and_all_of_it_is_hardened(
    app: Path, put_tool: Tool, calls: Callable[[], Sequence[str]]
) -> None:
    put_tool(
        "codesign", 'for one; do case "$one" in */entitlements.plist) cp "$one" "$0.rights";; esac; done'
    )
    macos.sign(app, TEAM)
    *signed, last, looked_at = calls()
    assert len(signed) == 5
    for call in [*signed, last]:
        assert f"--sign {TEAM} --timestamp --options runtime" in call
    assert not [call for call in signed if "--entitlements" in call]
    assert "--entitlements" in last
    assert last.endswith("Keybench.app")
    assert looked_at.startswith("codesign --verify --deep --strict")


def test_the_program_may_do_what_qt_needs_and_no_more() -> None:
    rights = macos.entitlements_for(TEAM)
    assert rights == {"com.apple.security.cs.allow-jit": True}
    assert plistlib.loads(plistlib.dumps(macos.entitlements_for(AD_HOC))) == {
        **rights,
        "com.apple.security.cs.disable-library-validation": True,
    }


def test_an_ad_hoc_signature_asks_nobody_for_the_time() -> None:
    told = " ".join(macos.codesign_command(Path("a.dylib"), AD_HOC))
    assert told == "codesign --force --sign - --timestamp=none --options runtime a.dylib"
    assert "--options" not in macos.codesign_command(Path("a.dmg"), TEAM), "a disk image doesn't run"


def test_the_disk_image_has_the_app_whole_and_where_to_drag_it(
    app: Path, tmp_path: Path, put_tool: Tool, calls: Callable[[], Sequence[str]]
) -> None:
    # Its last argument is the image; the folder is the one after -srcfolder.
    put_tool(
        "hdiutil",
        'while [ $# -gt 1 ]; do [ "$1" = -srcfolder ] && from=$2; shift; done; cp -a "$from" "$1.folder";'
        f' cp -a "$from" "{tmp_path}/folder"; echo image > "$1"',
    )
    image = tmp_path / "keybench.dmg"
    macos.make_image(app, image)
    assert image.read_text() == "image\n"
    copy = tmp_path / "folder"
    assert {path.name for path in copy.iterdir()} == {"Keybench.app", "Applications"}
    assert str((copy / "Applications").readlink()) == "/Applications"
    link = copy / "Keybench.app" / "Contents" / "Frameworks" / "QtCore"
    assert link.is_symlink(), "a link stays one, or the signature breaks"
    (call,) = calls()
    assert "-volname Keybench" in call


def test_an_image_that_cannot_be_made_leaves_the_one_before(
    app: Path, tmp_path: Path, put_tool: Tool
) -> None:
    put_tool("hdiutil", "echo 'hdiutil: create failed - No space left on device' >&2; exit 1")
    image = tmp_path / "keybench.dmg"
    image.write_text("before")
    with pytest.raises(SetupError, match="No space left"):
        macos.make_image(app, image)
    assert image.read_text() == "before"


def test_what_apple_accepts_gets_its_answer_attached(
    tmp_path: Path, put_tool: Tool, calls: Callable[[], Sequence[str]]
) -> None:
    put_tool(
        "xcrun",
        f"[ $1 = notarytool ] && echo 'Waiting {json.dumps({'id': 'x', 'status': 'Accepted'})}'; true",
    )
    macos.notarise(tmp_path / "keybench.dmg", ("--keychain-profile", "made-up"))
    submitted, stapled = calls()
    assert "notarytool submit" in submitted
    assert "--keychain-profile made-up --wait" in submitted
    assert stapled == f"xcrun stapler staple {tmp_path / 'keybench.dmg'}"


@pytest.mark.parametrize(
    ("answer", "told"),
    [('{"id": "x", "status": "Invalid"}', r"(?s)Invalid.*keybench: not signed"), ("nothing", "no answer")],
)
def test_what_apple_refuses_is_told_with_its_log_and_not_stapled(
    tmp_path: Path, put_tool: Tool, calls: Callable[[], Sequence[str]], answer: str, told: str
) -> None:
    put_tool(
        "xcrun", f"[ $2 = submit ] && echo '{answer}'; [ $2 = log ] && echo 'keybench: not signed'; true"
    )
    with pytest.raises(SetupError, match=told):
        macos.notarise(tmp_path / "keybench.dmg", ("--keychain-profile", "made-up"))
    assert not [call for call in calls() if "stapler" in call]


@pytest.mark.parametrize(
    ("variables", "options"),
    [
        ({"KEYBENCH_NOTARY_PROFILE": "made-up"}, ("--keychain-profile", "made-up")),
        (KEY, ("--key", __file__, "--key-id", "K", "--issuer", "I")),
    ],
)
def test_an_account_is_what_the_variables_name(variables: dict[str, str], options: tuple[str, ...]) -> None:
    assert macos.notary_in(variables) == options


@pytest.mark.parametrize(
    "variables",
    [{"KEYBENCH_NOTARY_KEY": __file__}, {**KEY, "KEYBENCH_NOTARY_KEY": "/nowhere"}],
)
def test_half_an_account_is_refused(variables: dict[str, str]) -> None:
    assert macos.notary_in({}) == ()
    with pytest.raises(SetupError, match="go together"):
        macos.notary_in(variables)


def test_nothing_is_notarised_that_nobody_signed(root: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="KEYBENCH_SIGN_IDENTITY"):
        macos.make(root, tmp_path, {"KEYBENCH_NOTARY_PROFILE": "made-up"})


def test_a_missing_tool_is_named_with_what_brings_it(app: Path, programs: Path) -> None:
    assert not list(programs.iterdir())
    with pytest.raises(SetupError, match=r"codesign isn't here.*Xcode"):
        macos.sign(app, AD_HOC)


def test_the_app_is_made_with_the_folder_and_has_what_that_got_afterwards(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def freeze(_python: Path, work: Path, _facts: bundle.Source, _package: str) -> Path:
        folder = work / "dist" / bundle.NAME
        for top in (
            folder / bundle.CONTENTS / "keybench" / "resources",
            folder.with_name(bundle.APP) / bundle.APP_RESOURCES,
        ):
            top.mkdir(parents=True)
            (top / "changes.md").write_text("changes")
        (folder / bundle.NAME).write_text("program")
        return folder

    for name in ("_tidy", "_describe"):
        monkeypatch.setattr(bundle, name, lambda *_arguments: None)
    monkeypatch.setattr(bundle, "_freeze", freeze)
    monkeypatch.setattr(bundle.system_parts, "ensure_for", lambda _what: None)
    monkeypatch.setattr(bundle.environment, "ensure", lambda *_arguments: Path("python"))
    for _ in range(2):
        assert bundle.make(root, tmp_path, package="macos") == tmp_path / bundle.NAME
        resources = tmp_path / bundle.APP / bundle.APP_RESOURCES
        assert json.loads((resources / "build.json").read_text())["package"] == "macos"
        assert {path.name for path in tmp_path.iterdir()} == {bundle.NAME, bundle.APP}
