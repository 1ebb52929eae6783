"""What Windows and macOS read in the program, and which of their files are shipped."""

from __future__ import annotations

import sys
import xml.dom.minidom
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PyInstaller.utils.win32 import winmanifest

import bundle
import left_out
import product
import program_facts


@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        ("0.2.0", (0, 2, 0, 0)),
        ("12.3", (12, 3, 0, 0)),
        ("1.2.3.4.5", (1, 2, 3, 4)),
        ("1.0.0rc2", (1, 0, 0, 2)),
        ("1.2.0+local.7", (1, 2, 0, 0)),
    ],
)
def test_a_version_is_four_numbers_to_windows(version: str, numbers: tuple[int, ...]) -> None:
    assert program_facts.four_numbers(version) == numbers


def recorded(name: str) -> Callable[..., Any]:
    def record(*positional: Any, **named: Any) -> Any:
        return SimpleNamespace(kind=name, positional=positional, **named)

    return record


def test_the_version_information_is_what_pyinstaller_reads() -> None:
    text = program_facts.version_information("1.2.3", "keybench.com", 'Keybench "quoted"')
    names = ("VSVersionInfo", "FixedFileInfo", "StringFileInfo", "StringTable", "StringStruct", "VarFileInfo")
    read = eval(text, {name: recorded(name) for name in (*names, "VarStruct")})  # noqa: S307 - as PyInstaller does
    assert read.ffi.filevers == read.ffi.prodvers == (1, 2, 3, 0)
    strings, translation = read.kids
    (table,) = strings.positional[0]
    language, told = table.positional
    texts = dict(one.positional for one in told)
    assert language == "040904B0"
    assert translation.positional[0][0].positional == ("Translation", [0x0409, 0x04B0])
    assert texts["FileDescription"] == 'Keybench "quoted"'
    assert texts["OriginalFilename"] == "keybench.com"
    assert (texts["ProductName"], texts["ProductVersion"]) == (product.NAME, "1.2.3")
    assert texts["CompanyName"] == product.MAINTAINER


def test_the_manifest_stays_what_it_is_in_pyinstallers_hands() -> None:
    manifest = winmanifest.create_application_manifest(program_facts.MANIFEST.encode(), False, False)
    root = xml.dom.minidom.parseString(manifest).documentElement  # noqa: S318 - our own
    assert root is not None

    def text_of(name: str) -> str:
        (node,) = root.getElementsByTagName(name)
        return "".join(child.data for child in node.childNodes)  # type: ignore[attr-defined] # they are texts

    assert text_of("dpiAwareness") == "PerMonitorV2"
    assert text_of("longPathAware") == "true"
    (rights,) = root.getElementsByTagName("requestedExecutionLevel")
    assert rights.getAttribute("level") == "asInvoker"
    (controls,) = root.getElementsByTagName("assemblyIdentity")
    assert controls.getAttribute("name") == "Microsoft.Windows.Common-Controls"


def test_the_app_says_its_version_and_asks_for_nothing() -> None:
    told = program_facts.info_plist("1.2.3rc1")
    assert told["CFBundleShortVersionString"] == told["CFBundleVersion"] == "1.2.3"
    assert told["LSMinimumSystemVersion"] == "13.0"
    assert told["NSHighResolutionCapable"] is True
    assert not [name for name in told if name.endswith("UsageDescription")]


@pytest.mark.parametrize(
    ("path", "is_in"),
    [
        ("PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore", True),
        ("PySide6/Qt/lib/QtCore.framework/Versions/A/Resources/Info.plist", True),
        ("PySide6/Qt/lib/QtCore.framework/Versions/A/Headers/qobject.h", False),
        ("PySide6/Qt/lib/QtQml.framework/Versions/A/QtQml", False),
        ("PySide6/Qt/plugins/platforms/libqcocoa.dylib", True),
        ("PySide6\\plugins\\platforms\\qwindows.dll", True),
        ("PySide6\\plugins\\platforms\\qminimal.dll", False),
        ("PySide6\\opengl32sw.dll", False),
        ("PySide6\\translations\\qtbase_de.qm", True),
        ("PySide6\\translations\\qtbase_pl.qm", False),
        ("Python.framework/Versions/3.13/Python", True),
        ("libssl.3.dylib", True),
        ("vcruntime140_1.dll", True),
        ("python313.dll", True),
        ("ucrtbase.dll", False),
        ("api-ms-win-crt-runtime-l1-1-0.dll", False),
        ("_ssl.pyd", True),
    ],
)
def test_of_other_systems_files_what_is_of_no_use_stays_out(path: str, *, is_in: bool) -> None:
    assert left_out.is_left_out(path, "folder") is not is_in


class Recipe:
    """Runs the recipe of the bundle as PyInstaller does, with names that only note how they are called."""

    def __init__(self, root: Path, work: Path, monkeypatch: pytest.MonkeyPatch, system: str) -> None:
        self.called: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        analysis = SimpleNamespace(
            binaries=[(place, place, "BINARY") for place in ("ours.dll", "PySide6/Qt6Qml.dll")],
            datas=[
                ("keybench/resources/x.toml", "x.toml", "DATA"),
                ("QtCore", "PySide6/Qt/lib/QtCore.framework/QtCore", "SYMLINK"),
                ("Qml", "PySide6/Qt/lib/QtQml.framework/QtQml", "SYMLINK"),
                ("PySide6/translations/qtbase_pl.qm", "qtbase_pl.qm", "DATA"),
            ],
            pure=[("keybench", "x.py", "PYMODULE")],
            scripts=[],
        )
        monkeypatch.setattr(sys, "path", [*sys.path])
        source = root / "packaging" / "keybench.spec"
        names = {name: self._noted(name) for name in ("PYZ", "EXE", "COLLECT", "BUNDLE")}
        hooks = SimpleNamespace(
            collect_data_files=lambda _name: [],
            collect_submodules=lambda _name: [],
            copy_metadata=lambda _name, **_more: [],
        )
        monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", hooks)
        code = compile(source.read_text("utf-8"), str(source), "exec")
        monkeypatch.setattr(sys, "platform", system)
        own = {"SPECPATH": str(source.parent), "workpath": str(work), "Analysis": lambda *_a, **_k: analysis}
        exec(code, {**names, **own})  # noqa: S102 - as PyInstaller does
        self.analysis = analysis

    def _noted(self, name: str) -> Callable[..., str]:
        def note(*positional: Any, **named: Any) -> str:
            self.called.append((name, positional, named))
            return f"{name} {len(self.called)}"

        return note

    def calls_of(self, name: str) -> list[dict[str, Any]]:
        return [named for called, _, named in self.called if called == name]


def test_for_windows_one_program_is_for_the_window_and_one_for_terminals(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe(root, tmp_path, monkeypatch, "win32")
    window, terminal = recipe.calls_of("EXE")
    assert (window["name"], window["console"]) == ("keybench", False)
    assert (f"{terminal['name']}.exe", terminal["console"]) == (bundle.MADE_FOR_TERMINALS, True)
    assert window["manifest"] == terminal["manifest"] == program_facts.MANIFEST
    assert Path(window["icon"]).read_bytes()[:4] == b"\0\0\1\0"
    assert "'OriginalFilename', 'keybench.com'" in Path(terminal["version"]).read_text("utf-8")
    assert [place for place, _, _ in recipe.analysis.binaries] == ["ours.dll"]
    assert [place for place, _, _ in recipe.analysis.datas] == ["keybench/resources/x.toml"]
    assert not recipe.calls_of("BUNDLE")


def test_for_macos_the_folder_becomes_an_app(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe(root, tmp_path, monkeypatch, "darwin")
    (program,) = recipe.calls_of("EXE")
    assert (program["name"], program["console"]) == ("keybench", False)
    (app,) = recipe.calls_of("BUNDLE")
    assert (app["name"], app["bundle_identifier"]) == ("Keybench.app", "io.keybench.Keybench")
    assert app["info_plist"]["LSMinimumSystemVersion"] == "13.0"
    assert Path(app["icon"]).read_bytes()[:4] == b"icns"
    assert [place for place, _, _ in recipe.analysis.datas] == ["keybench/resources/x.toml", "QtCore"]


def test_on_linux_it_is_one_program_for_both(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe(root, tmp_path, monkeypatch, "linux")
    assert [(one["name"], one["console"]) for one in recipe.calls_of("EXE")] == [("keybench", True)]
    assert [place for place, _, _ in recipe.analysis.datas] == ["keybench/resources/x.toml"]
