"""What Windows and macOS read in the program's own files: its version, its names, how it is to be shown.

The recipe of the bundle puts it in, each on its own system.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import product

#: How Windows is to treat the program: it asks for no rights, draws itself at the scale of each screen and
#: takes long paths. Qt asks for the same scaling while it starts; here it holds from the first moment.
MANIFEST: Final = """\
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
  <trustInfo xmlns="urn:schemas-microsoft-com:asm.v3">
    <security>
      <requestedPrivileges>
        <requestedExecutionLevel level="asInvoker" uiAccess="false"/>
      </requestedPrivileges>
    </security>
  </trustInfo>
  <compatibility xmlns="urn:schemas-microsoft-com:compatibility.v1">
    <application>
      <!-- Windows 10 and 11 -->
      <supportedOS Id="{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}"/>
    </application>
  </compatibility>
  <application xmlns="urn:schemas-microsoft-com:asm.v3">
    <windowsSettings>
      <dpiAware xmlns="http://schemas.microsoft.com/SMI/2005/WindowsSettings">true/pm</dpiAware>
      <dpiAwareness xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">PerMonitorV2</dpiAwareness>
      <longPathAware xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">true</longPathAware>
    </windowsSettings>
  </application>
</assembly>
"""
#: The least that the wheels of Qt's bindings are built for.
LEAST_MACOS: Final = "13.0"
_VERSION_INFORMATION: Final = """\
VSVersionInfo(
  ffi=FixedFileInfo(filevers={numbers}, prodvers={numbers}, mask=0x3F, flags=0x0, OS=0x40004, fileType=0x1,
                    subtype=0x0, date=(0, 0)),
  kids=[
    StringFileInfo([StringTable('040904B0', [
{strings}
    ])]),
    VarFileInfo([VarStruct('Translation', [0x409, 1200])]),
  ],
)
"""


def four_numbers(version: str) -> tuple[int, int, int, int]:
    """Return a version as Windows has it: its first four numbers."""
    numbers = [int(number) for number in re.findall(r"\d+", version.partition("+")[0])]
    first, second, third, fourth = [*numbers, 0, 0, 0, 0][:4]
    return first, second, third, fourth


def version_information(version: str, file: str, description: str) -> str:
    """Return the version information of a program for Windows, as PyInstaller reads it."""
    told = {
        "CompanyName": product.MAINTAINER,
        "FileDescription": description,
        "FileVersion": version,
        "InternalName": product.COMMAND,
        "LegalCopyright": f"© {product.COPYRIGHT}",
        "OriginalFilename": file,
        "ProductName": product.NAME,
        "ProductVersion": version,
    }
    strings = "\n".join(f"      StringStruct({name!r}, {text!r})," for name, text in told.items())
    return _VERSION_INFORMATION.format(numbers=four_numbers(version), strings=strings)


def info_plist(version: str) -> Mapping[str, Any]:
    """Return what the app's `Info.plist` says beside what PyInstaller writes into it.

    The program asks for no camera, place or address book, so there is no sentence for any of these.
    """
    numbers = ".".join(map(str, four_numbers(version)[:3]))
    return {
        "CFBundleDisplayName": product.NAME,
        "CFBundleName": product.NAME,
        "CFBundleShortVersionString": numbers,
        "CFBundleVersion": numbers,
        "LSApplicationCategoryType": "public.app-category.business",
        "LSMinimumSystemVersion": LEAST_MACOS,
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": f"© {product.COPYRIGHT}",
        # Nothing here is for a Mac's slower processor or graphics alone; the system may choose.
        "NSSupportsAutomaticGraphicsSwitching": True,
    }
