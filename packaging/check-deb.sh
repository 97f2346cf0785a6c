#!/bin/sh
# Installs, uses and removes the Debian packages in a fresh Debian. Needs root, mmdebstrap and the archive of Debian.
# usage: check-deb.sh FOLDER_OF_PACKAGES TRACE
#
# Exits with 77 (skipped) without root or mmdebstrap.
set -eu

packages=$1 trace=$2
root=$(cd "$(dirname "$0")/.." && pwd)
if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null 2>&1; then
    echo "check-deb: skipped, needs root and mmdebstrap"
    exit 77
fi
if command -v lintian >/dev/null 2>&1; then
    lintian --allow-root --fail-on error "$packages"/*.deb
fi
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/check"
cp "$packages"/*.deb "$root/examples/c/count_slices.c" "$work/check"
cp "$trace" "$work/check/trace"
# mmdebstrap removes the fresh system after the last hook.
cat >"$work/use" <<'USE'
set -eu
root=$1
in_root() { chroot "$root" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
install() { in_root apt-get install -q -y --no-install-recommends "$@"; }
package() { (cd "$root" && ls "check/$1"_*.deb | sed 's,^,/,'); }

install "$(package varve)"
in_root varve --version
in_root varve info --strict /check/trace
in_root varve convert /check/trace -o /check/trace.json
in_root varve render /check/trace -o /check/trace.png --size=800x300
in_root varve stats /check/trace.json
in_root sh -c 'varve open --no-browser /check/trace >/check/address & sleep 3; kill $!; wait; grep http://127.0.0.1: /check/address'
in_root test -e /usr/share/bash-completion/completions/varve

install "$(package libvarve0)" "$(package python3-varve)" python3
in_root python3 -c 'import varve; trace = varve.open("/check/trace"); print(trace.summary)'

install "$(package libsqlite3-mod-varve)" sqlite3
in_root sqlite3 -cmd ".load varve" :memory: \
    "create virtual table slice using varve('/check/trace', 'slice'); select 'slices', count(*) from slice where true;" | tee "$root/check/count"
grep -q 'slices|[1-9]' "$root/check/count"

install "$(package libvarve-dev)" gcc libc6-dev pkgconf
in_root sh -c 'gcc -Wall -Wextra -Werror -pedantic /check/count_slices.c -o /check/shared $(pkg-config --cflags --libs varve) && /check/shared /check/trace'
in_root sh -c 'gcc /check/count_slices.c -o /check/static $(pkg-config --cflags varve) -l:libvarve.a $(pkg-config --libs --static varve |
    sed "s/-lvarve//") && /check/static /check/trace'

ours='varve libvarve0 libvarve-dev libsqlite3-mod-varve python3-varve'
for name in $ours; do in_root dpkg --verify "$name"; done
in_root apt-get remove -q -y --purge $ours
if in_root sh -c 'command -v varve'; then exit 1; fi
left=$(find "$root/usr" "$root/etc" -name '*varve*')
test -z "$left" || { echo "left behind: $left"; exit 1; }
USE
mmdebstrap --quiet --variant=apt --customize-hook="copy-in '$work/check' /" --customize-hook="sh '$work/use' \"\$1\"" "$suite" /dev/null
echo "check-deb: installed, used and removed"
