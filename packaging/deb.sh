#!/bin/sh
# Makes the Debian package varve_VERSION_ARCH.deb from a build of meson.
# usage: deb.sh BUILD OUT_FOLDER
#
# Same commit and same build, same bytes: all times in the package are the time of the commit, or SOURCE_DATE_EPOCH.
set -eu

build=$1 out=$2
root=$(cd "$(dirname "$0")/.." && pwd)
: "${SOURCE_DATE_EPOCH:=$(git -C "$root" log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/stage" "$work/package/DEBIAN" "$work/debian" "$out"
meson install -C "$build" --no-rebuild --quiet --destdir "$work/stage"
program=$(find "$work/stage" -path '*/bin/varve')
cp -R "$(dirname "$(dirname "$program")")" "$work/package/usr" # any prefix: the program finds nothing by it
usr=$work/package/usr
rm -rf "$usr/lib" "$usr/include/varve/varve.h" "$usr/share/man/man3" # the library is left out
version=$("$usr/bin/varve" --version | cut -d' ' -f2)
arch=$(dpkg --print-architecture)

# -- the layout of Debian --
mkdir -p "$usr/share/zsh/vendor-completions" "$usr/share/doc/varve"
mv "$usr/share/zsh/site-functions/_varve" "$usr/share/zsh/vendor-completions/_varve"
rmdir "$usr/share/zsh/site-functions"
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$usr/bin/varve"
gzip -9n "$usr"/share/man/man1/*.1
cp "$root/packaging/copyright" "$usr/share/doc/varve/copyright"
printf 'varve (%s) unstable; urgency=medium\n\n  * New upstream release.\n\n -- %s  %s\n' \
    "$version" "The Varve authors <varve@example.org>" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" |
    gzip -9n >"$usr/share/doc/varve/changelog.gz"

python3 "$root/packaging/sbom.py" "$usr/bin/varve" "$root" >"$usr/share/doc/varve/varve.spdx.json"

# -- control --
printf 'Source: varve\n\nPackage: varve\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info -e package/usr/bin/varve 2>/dev/null | sed 's/^shlibs:Depends=//')
size=$(du -sk "$usr" | cut -f1)
cat >"$work/package/DEBIAN/control" <<CONTROL
Package: varve
Version: $version
Architecture: $arch
Maintainer: The Varve authors <varve@example.org>
Installed-Size: $size
Depends: $libraries
Recommends: xdg-utils
Section: devel
Priority: optional
Description: viewer and toolkit for execution traces
 Varve opens recordings of Chromium, Go, spall.h, Heph, apitrace, V8 and many
 other programs of any size. It shows them as a timeline in the browser, prints
 statistics, answers SQL, draws pictures and converts between formats.
CONTROL
(cd "$work/package" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
find "$work/package" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$work/package" "$out/varve_${version}_$arch.deb"
