#!/bin/sh
# Installs the missing programs and libraries for building or testing Varve.
# usage: deps.sh build|tests|browsers|portable|fleet|coverage|peers|deb|check-deb
#
# Tests for a command, a pkg-config module or a header instead of a package, so that the origin of a
# program does not matter. Missing ones are installed from the packages of Debian or Ubuntu; on other
# systems their list is printed.
set -eu

has_command() {
    command -v "$1" >/dev/null 2>&1
}

has_module() {
    has_command pkg-config && pkg-config --exists "$1"
}

has_header() { # HEADER COMPILER...
    header=$1
    shift
    has_command "$1" && echo "#include <$header>" | "$@" -E -x c -o /dev/null - >/dev/null 2>&1
}

has_runtime() { # LIBRARY COMPILER...: the compiler finds this file among its own libraries
    library=$1
    shift
    has_command "$1" && test -f "$("$@" --print-file-name="$library")"
}

has_wasm_runtime() {
    has_command clang-19 &&
        test -f "$(clang-19 --target=wasm32-wasi --rtlib=compiler-rt --print-libgcc-file-name)"
}

# A program linked with the sanitizers is the only sure sign: the libraries' names differ by version.
has_sanitizers() {
    has_command clang-19 || return 1
    sanitized=$(mktemp) || return 1
    status=0
    for sanitizers in address,undefined,fuzzer-no-link thread; do
        echo 'int main(void) { return 0; }' |
            clang-19 -fsanitize=$sanitizers -x c -o "$sanitized" - >/dev/null 2>&1 || status=1
    done
    rm -f "$sanitized"
    return $status
}

has_certificates() {
    test -s "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}"
}

has_package() {
    ! has_command apt-cache || apt-cache policy "$1" | grep -q 'Candidate: [0-9]'
}

has_pytest() {
    has_command python3 && python3 -c 'import pytest' 2>/dev/null
}

has_browser() {
    has_command chromium || has_command chromium-browser || has_command google-chrome
}

missing=
need() { # PACKAGE TEST...
    package=$1
    shift
    "$@" || missing="$missing $package"
}

needs_of_build() {
    need ca-certificates has_certificates
    need gcc has_command gcc
    need libc6-dev has_header stdio.h gcc
    need meson has_command meson
    need ninja-build has_command ninja
    need pkg-config has_command pkg-config
    need clang-19 has_command clang-19
    need lld-19 has_command wasm-ld-19
    need wasi-libc has_header stdlib.h clang-19 --target=wasm32-wasi
    need libclang-rt-19-dev-wasm32 has_wasm_runtime
    need zlib1g-dev has_module zlib
    # ISA-L decompresses gzip faster than zlib, and is packaged for some processors only.
    if has_package libisal-dev; then need libisal-dev has_module libisal; fi
    need libzstd-dev has_module libzstd
    need libbrotli-dev has_module libbrotlidec
    need libsnappy-dev has_header snappy-c.h gcc
    need libpcre2-dev has_module libpcre2-8
    need libsqlite3-dev has_module sqlite3
    need libmicrohttpd-dev has_module libmicrohttpd
    need libdw-dev has_module libdw
    need libcurl4-openssl-dev has_module libcurl
    need libedit-dev has_module libedit
    need libxxhash-dev has_module libxxhash
    need libiberty-dev has_header libiberty/demangle.h gcc
    need libcairo2-dev has_module cairo
    need libfreetype-dev has_module freetype2
    need libcmocka-dev has_module cmocka
    need nodejs has_command node
    need npm has_command npm
}

needs_of_tests() {
    need libclang-rt-19-dev has_sanitizers
    need clang-format-19 has_command clang-format-19
    need clang-tidy-19 has_command clang-tidy-19
    need valgrind has_command valgrind
    need abigail-tools has_command abidiff
    need python3-pytest has_pytest
    need sqlite3 has_command sqlite3
    # Ubuntu has no such package, only a snap: without a browser its tests are skipped.
    if has_browser || has_package chromium; then
        need chromium has_browser
    else
        echo "deps: no chromium among this system's packages; the browser tests will be skipped" >&2
    fi
}

has_firefox() {
    has_command firefox-esr || has_command firefox
}

needs_of_browsers() {
    need firefox-esr has_firefox
    need webkit2gtk-driver has_command WebKitWebDriver
    need xvfb has_command Xvfb
}

needs_of_portable() {
    needs_of_build
    need gcc-s390x-linux-gnu has_command s390x-linux-gnu-gcc
    need libc6-dev-s390x-cross has_header stdio.h s390x-linux-gnu-gcc
    need gcc-arm-linux-gnueabihf has_command arm-linux-gnueabihf-gcc
    need libc6-dev-armhf-cross has_header stdio.h arm-linux-gnueabihf-gcc
    need qemu-user has_command qemu-s390x
    need mmdebstrap has_command mmdebstrap
}

has_venv() {
    has_command python3 && python3 -c 'import ensurepip, venv' 2>/dev/null
}

needs_of_fleet() {
    need python3-venv has_venv
    need default-jre-headless has_command java
}

needs_of_coverage() {
    need gcovr has_command gcovr
}

needs_of_peers() {
    need libsimdjson-dev has_header simdjson.h g++ -std=c++17
    need apitrace has_command apitrace
}

needs_of_deb() {
    need debhelper has_command dh
    need dh-python has_command dh_python3
    need dpkg-dev has_command dpkg-buildpackage
}

needs_of_check_deb() {
    need lintian has_command lintian
    need mmdebstrap has_command mmdebstrap
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif has_command sudo; then
        sudo "$@"
    else
        echo "deps: this needs root and there is no sudo; as root, run: $*" >&2
        exit 1
    fi
}

case "${1:-}" in
build) needs_of_build ;;
tests) needs_of_tests ;;
browsers) needs_of_browsers ;;
portable) needs_of_portable ;;
fleet) needs_of_fleet ;;
coverage) needs_of_coverage ;;
peers) needs_of_peers ;;
deb) needs_of_deb ;;
check-deb) needs_of_check_deb ;;
*)
    echo "usage: deps.sh build|tests|browsers|portable|fleet|coverage|peers|deb|check-deb" >&2
    exit 1
    ;;
esac

[ -n "$missing" ] || exit 0

if ! has_command apt-get; then
    {
        echo "deps: this machine has no apt-get. Please install what these Debian packages provide:"
        echo "deps:  $missing"
        echo "deps: clang and lld 19 are looked for as clang-19 and wasm-ld-19."
    } >&2
    exit 1
fi

echo "deps: installing$missing"
# The lock may be held by an update that runs in the background.
apt="env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600"
# shellcheck disable=SC2086 # both are lists of words
as_root $apt update
# shellcheck disable=SC2086
as_root $apt install --no-install-recommends $missing
