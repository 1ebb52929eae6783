"""What Keybench needs from a Linux system, and the package that brings it on each family of distributions.

The libraries are those that PySide6's own files name as needed (`readelf -d` on `libQt6Core`, `libQt6Gui`,
`libQt6Network`, `libQt6DBus` and the `xcb` platform plugin of 6.11); a font so that text is more than boxes.
"""

COLUMNS = ("apt-get", "dnf", "zypper", "pacman")

WINDOW_PARTS = """
libEGL.so.1             libegl1             libglvnd-egl        libglvnd                libglvnd
libGL.so.1              libgl1              libglvnd-glx        libglvnd                libglvnd
libglib-2.0.so.0        libglib2.0-0        glib2               libglib-2_0-0           glib2
libgthread-2.0.so.0     libglib2.0-0        glib2               libgthread-2_0-0        glib2
libgssapi_krb5.so.2     libgssapi-krb5-2    krb5-libs               krb5                    krb5
libbrotlidec.so.1       libbrotli1          libbrotli               libbrotlidec1           brotli
libdbus-1.so.3          libdbus-1-3         dbus-libs           libdbus-1-3             dbus
libfontconfig.so.1      fontconfig          fontconfig          fontconfig              fontconfig
libfreetype.so.6        libfreetype6        freetype            libfreetype6            freetype2
libX11.so.6             libx11-6            libX11              libX11-6                libx11
libX11-xcb.so.1         libx11-xcb1         libX11-xcb          libX11-xcb1             libx11
libxkbcommon.so.0       libxkbcommon0       libxkbcommon        libxkbcommon0           libxkbcommon
libxkbcommon-x11.so.0   libxkbcommon-x11-0  libxkbcommon-x11    libxkbcommon-x11-0      libxkbcommon-x11
libxcb-cursor.so.0      libxcb-cursor0      xcb-util-cursor     libxcb-cursor0          xcb-util-cursor
libxcb-glx.so.0         libxcb-glx0         libxcb              libxcb-glx0             libxcb
libxcb-icccm.so.4       libxcb-icccm4       xcb-util-wm         libxcb-icccm4           xcb-util-wm
libxcb-image.so.0       libxcb-image0       xcb-util-image      libxcb-image0           xcb-util-image
libxcb-keysyms.so.1     libxcb-keysyms1     xcb-util-keysyms    libxcb-keysyms1         xcb-util-keysyms
libxcb-randr.so.0       libxcb-randr0       libxcb              libxcb-randr0           libxcb
libxcb-render-util.so.0 libxcb-render-util0 xcb-util-renderutil libxcb-render-util0     xcb-util-renderutil
libxcb-shape.so.0       libxcb-shape0       libxcb              libxcb-shape0           libxcb
libxcb-shm.so.0         libxcb-shm0         libxcb              libxcb-shm0             libxcb
libxcb-sync.so.1        libxcb-sync1        libxcb              libxcb-sync1            libxcb
libxcb-util.so.1        libxcb-util1        xcb-util            libxcb-util1            xcb-util
libxcb-xfixes.so.0      libxcb-xfixes0      libxcb              libxcb-xfixes0          libxcb
libxcb-xkb.so.1         libxcb-xkb1         libxcb              libxcb-xkb1             libxcb
/usr/share/fonts        fonts-dejavu-core   dejavu-sans-fonts   dejavu-fonts            ttf-dejavu
"""

# What packs the program: the linker's tools, which tell what a library needs and take its symbols away.
BUNDLE_PARTS = """
objdump                 binutils            binutils            binutils                binutils
strip                   binutils            binutils            binutils                binutils
"""

# A private session bus, the keystores of Linux desktops, a screen of the tests' own, window managers and a
# Wayland compositor with what works them, an inspecting proxy, the accessibility bus and its client. Then
# what reads the files that packages bring: validators, man, shells and Debian's package tool; what makes and
# signs the installer for Windows. Where a family has no package (-), the tests that need it are left out.
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
dpkg-deb                dpkg                dpkg                dpkg                    dpkg
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
