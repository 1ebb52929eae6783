"""What Keybench needs from a Linux system, and the package that brings it on each family of distributions.

The libraries are those that PySide6's own files name as needed (`readelf -d` on `libQt6Core`, `libQt6Gui`,
`libQt6Network`, `libQt6DBus` and the `xcb` platform plugin of 6.11); a font so that text is more than boxes.
"""

from pathlib import Path

COLUMNS = ("apt-get", "dnf", "zypper", "pacman")

# The program reads it too, to say what is missing.
WINDOW_PARTS = (Path(__file__).resolve().parents[1] / "resources" / "window-libraries.txt").read_text("utf-8")

# What packs the program: the linker's tools, which tell what a library needs and take its symbols away, and
# what takes this computer's folders out of it.
BUNDLE_PARTS = """
objdump                 binutils            binutils            binutils                binutils
strip                   binutils            binutils            binutils                binutils
patchelf                patchelf            patchelf            patchelf                patchelf
"""

# What makes a package for Debian from that.
DEB_PARTS = """
dpkg-deb                dpkg                dpkg                dpkg                    dpkg
"""

# A private session bus, the keystores of Linux desktops, a screen of the tests' own, window managers and a
# Wayland compositor with what works them, an inspecting proxy, the accessibility bus and its client. Then
# what reads the files that packages bring: validators, man, shells and Debian's critic; what makes and signs
# the installer for Windows. Where a family has no package (-), the tests that need it are left out.
TEST_PARTS = """
dbus-run-session        dbus                dbus-daemon         dbus-1-daemon           dbus
gnome-keyring-daemon    gnome-keyring       gnome-keyring       gnome-keyring           gnome-keyring
/gcr-prompter           gcr                 gcr3                gcr3-prompter           gcr
keepassxc               keepassxc           keepassxc           keepassxc               keepassxc
kwalletd5               libkf5wallet-bin    kf5-kwallet         kwalletd5               kwallet5
Xvfb                    xvfb                xorg-x11-server-Xvfb xorg-x11-server-Xvfb   xorg-server-xvfb
openbox                 openbox             openbox             openbox                 openbox
metacity                metacity            metacity            metacity                metacity
wmctrl                  wmctrl              wmctrl              wmctrl                  wmctrl
xdotool                 xdotool             xdotool             xdotool                 xdotool
xprop                   x11-utils           xprop               xprop                   xorg-xprop
wtype                   wtype               wtype               wtype                   wtype
sway                    sway                sway                sway                    sway
mitmdump                mitmproxy           mitmproxy           mitmproxy               mitmproxy
/a11y-bus               at-spi2-core        at-spi2-core        at-spi2-core            at-spi2-core
/a11y-types             gir1.2-atspi-2.0    at-spi2-core        typelib-1_0-Atspi-2_0   at-spi2-core
/pyatspi                python3-pyatspi     python3-pyatspi     python3-pyatspi         python-atspi
desktop-file-validate   desktop-file-utils  desktop-file-utils  desktop-file-utils      desktop-file-utils
appstreamcli            appstream           appstream           AppStream               appstream
appstream-util          appstream-util      libappstream-glib   appstream-glib          appstream-glib
man                     man-db              man-db              man                     man-db
zsh                     zsh                 zsh                 zsh                     zsh
fish                    fish                fish                fish                    fish
lintian                 lintian             -                   -                       -
makensis                nsis                mingw32-nsis        -                       -
osslsigncode            osslsigncode        osslsigncode        -                       -
"""

# Where the distributions keep one and the same thing: a probe of the lists -> the patterns that prove it.
ALTERNATIVES = {
    "/usr/share/fonts": tuple(
        f"{folder}/**/*.{ending}"
        for folder in ("/usr/share/fonts", "/usr/local/share/fonts")
        for ending in ("ttf", "otf", "ttc")
    ),
    "/gcr-prompter": ("/usr/libexec/gcr-prompter", "/usr/lib/gcr*/gcr-prompter"),
    "/a11y-bus": ("/usr/share/dbus-1/services/org.a11y.Bus.service",),
    "/a11y-types": (
        "/usr/lib/*/girepository-1.0/Atspi-2.0.typelib",
        "/usr/lib*/girepository-1.0/Atspi-2.0.typelib",
    ),
    "/pyatspi": ("/usr/lib*/python3*/dist-packages/pyatspi", "/usr/lib*/python3*/site-packages/pyatspi"),
}
