#!/bin/sh
# Proves that the README's two commands are enough on a fresh machine.
# usage: fresh-machine.sh [COMMAND...]
#
# Makes a minimal Debian with debootstrap (git, make and a shell; nothing else), clones the
# committed state of this repository into it and runs there, as root:
#   make start TRACE=...   until the viewer answers at the address it prints
#   make check
# With a COMMAND, runs that in the clone instead.
#
# Copies the settings for package downloads: resolv.conf, apt's mirror and proxy, npm's configuration,
# extra CA certificates and the proxy variables. Runs in separate namespaces, so that no mount and no
# process outlives it.
#
#   FRESH_SUITE   the Debian to make; default: this machine's, else bookworm
#   FRESH_CACHE   a folder that keeps the base system between runs; default: the system is not stored
#   FRESH_TRACE   the trace to open, a path in the clone; default: the bundled example
#   FRESH_KEEP    if set, the machine is left in place and its path printed
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
home=root/varve # of the clone, inside the machine
start_seconds=1800
check_seconds=3600

say() {
    echo "fresh-machine: $*"
}

die() {
    say "$*" >&2
    exit 1
}

# ---- outside: the namespaces, and cleaning up after them ----

if [ "${FRESH_INSIDE:-}" != yes ]; then
    [ "$(id -u)" -eq 0 ] || die "debootstrap and chroot need root"
    for tool in debootstrap unshare git curl; do
        command -v "$tool" >/dev/null || die "needs $tool"
    done
    machine=$(mktemp -d)
    chmod 755 "$machine" # apt fetches as a user of its own
    status=0
    FRESH_INSIDE=yes FRESH_MACHINE=$machine \
        unshare --mount --mount-proc --pid --fork --kill-child sh "$0" "$@" || status=$?
    if [ -n "${FRESH_KEEP:-}" ]; then
        say "the machine is kept in $machine"
    else
        # Its mounts went with the namespace; --one-file-system is for the case that they did not.
        rm -rf --one-file-system "$machine"
    fi
    exit "$status"
fi

machine=$FRESH_MACHINE
began=$(date +%s)

elapsed() {
    echo "$(($(date +%s) - began)) s"
}

# ---- the base system ----

this_suite() {
    # shellcheck disable=SC1091
    (. /etc/os-release && [ "${ID:-}" = debian ] && echo "${VERSION_CODENAME:-}")
}

suite=${FRESH_SUITE:-$(this_suite || true)}
suite=${suite:-bookworm}

# Prints this machine's mirror of that suite; nothing on other systems, where debootstrap has a default.
mirror() {
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        awk -v suite="$suite" '$1 == suite { print $2; exit }'
}

bootstrap() {
    # shellcheck disable=SC2046 # no mirror, no argument
    debootstrap --variant=minbase --include=ca-certificates,git,make "$suite" "$machine" $(mirror) \
        >"$machine.log" 2>&1 || {
        tail -n 20 "$machine.log" >&2
        die "debootstrap failed"
    }
    rm -f "$machine.log"
}

make_base() {
    if [ -z "${FRESH_CACHE:-}" ]; then
        bootstrap
        return
    fi
    mkdir -p "$FRESH_CACHE"
    base=$FRESH_CACHE/$suite.tar
    if [ ! -f "$base" ]; then
        bootstrap
        tar -C "$machine" -cf "$base.part" . && mv "$base.part" "$base"
    else
        tar -C "$machine" -xf "$base"
    fi
}

# ---- settings for package downloads ----

hand_on_apt() {
    apt-config dump 2>/dev/null |
        grep -E '^Acquire::(https?::|Retries|AllowInsecure)' >"$machine/etc/apt/apt.conf.d/90handed-on" || true
    # Debian's own sources only: others have keys that a fresh machine lacks.
    [ "$suite" = "$(this_suite || true)" ] || return 0
    for list in /etc/apt/sources.list.d/*.sources; do
        if [ -f "$list" ] && grep -q debian-archive-keyring "$list"; then
            cp "$list" "$machine/etc/apt/sources.list.d/"
            : >"$machine/etc/apt/sources.list"
        fi
    done
    if [ -s /etc/apt/sources.list ]; then cp /etc/apt/sources.list "$machine/etc/apt/sources.list"; fi
}

hand_on_certificates() {
    mkdir -p "$machine/usr/local/share/ca-certificates"
    for certificate in /usr/local/share/ca-certificates/*.crt; do
        if [ -f "$certificate" ]; then cp "$certificate" "$machine/usr/local/share/ca-certificates/"; fi
    done
    chroot "$machine" update-ca-certificates >/dev/null 2>&1
}

hand_on_npm() {
    # An npm of the distribution reads /etc/npmrc; the user's file has priority.
    if [ -f /etc/npmrc ]; then cp /etc/npmrc "$machine/etc/npmrc"; fi
    if [ -f "${HOME:-/root}/.npmrc" ]; then cp "${HOME:-/root}/.npmrc" "$machine/root/.npmrc"; fi
}

hand_on() {
    cp -L /etc/resolv.conf "$machine/etc/resolv.conf"
    hand_on_apt
    hand_on_certificates
    hand_on_npm
}

mount_system() {
    mount -t proc proc "$machine/proc"
    mount --rbind /dev "$machine/dev"
    mkdir -p "$machine/dev/shm"
    mountpoint -q "$machine/dev/shm" || mount -t tmpfs tmpfs "$machine/dev/shm"
}

# A command in the clone, with a fresh user's environment.
in_machine() {
    env -i HOME=/root USER=root LOGNAME=root TERM=dumb LANG=C.UTF-8 CI="${CI:-}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        ${no_proxy:+no_proxy="$no_proxy"} \
        NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
        chroot "$machine" sh -c "cd /$home && exec \"\$@\"" sh "$@"
}

count_packages() {
    chroot "$machine" dpkg-query -f '.\n' -W | wc -l
}

# ---- the two commands ----

# The address in the log of `make start`; fails until it is there.
printed_address() {
    grep -m 1 -oE 'http://(127\.0\.0\.1|localhost)[^[:space:]]*' "$1"
}

wait_for_address() { # LOG PROCESS
    waited=0
    while [ "$waited" -lt "$start_seconds" ]; do
        if printed_address "$1"; then return 0; fi
        kill -0 "$2" 2>/dev/null || return 1
        sleep 1
        waited=$((waited + 1))
    done
    return 1
}

prove_start() {
    log=$machine/start.log
    in_machine make start "TRACE=$trace" ARGS=--no-browser >"$log" 2>&1 </dev/null &
    start=$!
    address=$(wait_for_address "$log" "$start") || {
        tail -n 40 "$log" >&2
        die "make start printed no address"
    }
    page=$(curl -fsS --noproxy '*' "$address") || die "the viewer does not answer at $address"
    case $page in
    *"<title>Varve"*) ;;
    *) die "what answers at $address is not the viewer's page" ;;
    esac
    say "make start: the viewer answers, $(printf %s "$page" | wc -c) bytes of page, after $(elapsed)"
    stop_server
}

# This namespace has no other processes than ours. The server must end by itself when told to.
stop_server() {
    server=$(pgrep -f "^build/varve open" | head -n 1)
    [ -n "$server" ] || die "the server's process is not there"
    kill -INT "$server"
    waited=0
    while kill -0 "$server" 2>/dev/null; do
        [ "$waited" -lt 10 ] || die "the server did not stop within 10 s"
        sleep 1
        waited=$((waited + 1))
    done
    wait "$start" || say "make start ended with status $?"
}

prove_check() {
    log=$machine/check.log
    in_machine timeout "$check_seconds" make check >"$log" 2>&1 </dev/null || {
        tail -n 60 "$log" >&2
        die "make check failed: $(tail -n 1 "$log")"
    }
    say "make check: $(tail -n 1 "$log"), after $(elapsed)"
}

# ---- the run ----

make_base
hand_on
mount_system
git clone -q --no-local "$repository" "$machine/$home"
commit=$(git -C "$repository" rev-parse --short HEAD)
[ -z "$(git -C "$repository" status --porcelain)" ] || say "uncommitted changes are not part of this"
say "Debian $suite with $(count_packages) packages, commit $commit, after $(elapsed)"

if [ "$#" -gt 0 ]; then
    in_machine "$@"
    exit
fi

trace=${FRESH_TRACE:-$(sed -n 's/^TRACE *?= *//p' "$repository/Makefile")}
prove_start
prove_check
say "done: $(count_packages) packages, $(du -shx "$machine" | cut -f1) on disk, $(elapsed) in all"
