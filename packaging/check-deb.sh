#!/bin/sh
# Installs, uses and removes the Debian package in a fresh Debian. Needs root, mmdebstrap and the archive of Debian.
# usage: check-deb.sh PACKAGE.deb TRACE
#
# Exits with 77 (skipped) without root or mmdebstrap.
set -eu

package=$1 trace=$2
if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null 2>&1; then
    echo "check-deb: skipped, needs root and mmdebstrap"
    exit 77
fi
if command -v lintian >/dev/null 2>&1; then
    lintian --allow-root --fail-on error "$package"
fi
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# mmdebstrap removes the fresh system after the last hook.
cat >"$work/use" <<'USE'
set -eu
root=$1
in_root() { chroot "$root" env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
in_root apt-get install -q -y --no-install-recommends /varve.deb
in_root varve --version
in_root varve info --strict /trace
in_root varve convert /trace -o /trace.json
in_root varve render /trace -o /trace.png --size=800x300
in_root varve stats /trace.json
in_root sh -c 'varve open --no-browser /trace >/address & sleep 3; kill $!; wait; grep http://127.0.0.1: /address'
in_root test -e /usr/share/bash-completion/completions/varve
in_root dpkg --verify varve
in_root apt-get remove -q -y --purge varve
in_root apt-get autoremove -q -y --purge
if in_root sh -c 'command -v varve'; then exit 1; fi
left=$(find "$root/usr" "$root/etc" -name '*varve*')
test -z "$left" || { echo "left behind: $left"; exit 1; }
USE
mmdebstrap --quiet --variant=apt --customize-hook="copy-in $(realpath "$package") /" \
    --customize-hook="mv \"\$1/$(basename "$package")\" \"\$1/varve.deb\"" \
    --customize-hook="cp '$(realpath "$trace")' \"\$1/trace\"" \
    --customize-hook="sh '$work/use' \"\$1\"" "$suite" /dev/null
echo "check-deb: installed, used and removed"
