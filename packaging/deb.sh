#!/bin/sh
# Makes the Debian packages of the committed tree: varve, libvarve0, libvarve-dev, libsqlite3-mod-varve, python3-varve.
# usage: deb.sh OUT_FOLDER
#
# The same commit and the same installed tools give the same bytes, in every folder: all times are the time of the commit.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/varve"
git -C "$root" archive HEAD | tar -x -C "$work/varve"
cd "$work/varve"
mv packaging/debian debian
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
time=$(git -C "$root" log -1 --format=%ct)
printf 'varve (%s) unstable; urgency=medium\n\n  * New upstream release.\n\n -- %s  %s\n' \
    "$version" "The Varve authors <varve@example.org>" "$(LC_ALL=C date -u -R -d "@$time")" >debian/changelog
dpkg-buildpackage --build=binary --unsigned-changes
find "$work" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' -exec mv {} "$out" \;
