#!/bin/sh
# Builds libvarve and the tests of base, codec, trace and format for other machines, and runs them with qemu-user.
# usage: check-portable.sh FOLDER [s390x|armhf]...
#
# s390x is 64-bit and big-endian, armhf 32-bit and little-endian. FOLDER keeps a folder of Debian's libraries and a build for each machine.
# Tests of growing traces and of data beyond the memory limit (suite `reserves`) do not run: they reserve address space, for which qemu-user
# needs many gigabytes.
set -eu

folder=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# The release alone: its updates may lack a machine for a while.
archive=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $suite" | head -n 1)
libraries=libc6-dev,zlib1g-dev,libzstd-dev,libbrotli-dev,libsnappy-dev,libpcre2-dev,libxxhash-dev,libcmocka-dev
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# Makes the folder with Debian's libraries for a machine, and the file that describes the machine to Meson.
prepare() { # MACHINE TRIPLET QEMU FAMILY ENDIAN
    libs=$folder/$1-libraries
    if [ ! -e "$libs/usr/include/xxhash.h" ]; then
        rm -rf "$libs"
        mmdebstrap --quiet --variant=extract --architectures="$1" --include="$libraries" "$suite" "$libs" "$archive"
        # qemu-user reads a file in the folder instead of the one of this machine: temporary directories, too.
        find "$libs" -mindepth 1 -maxdepth 1 ! -name 'lib*' ! -name usr -exec rm -rf {} +
    fi
    cat >"$folder/$1.ini" <<MACHINE
[binaries]
c = ['ccache', '$2-gcc', '--sysroot=$libs']
ar = '$2-ar'
ld = '$2-ld'
objcopy = '$2-objcopy'
strip = '$2-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['$3', '-L', '$libs']
[properties]
sys_root = '$libs'
pkg_config_libdir = '$libs/usr/lib/$2/pkgconfig:$libs/usr/share/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = '$4'
cpu = '$4'
endian = '$5'
MACHINE
}

check() { # MACHINE TRIPLET QEMU FAMILY ENDIAN
    prepare "$@"
    build=$folder/$1
    [ -e "$build/build.ninja" ] || meson setup "$build" "$root" --cross-file="$folder/$1.ini" -Dminimal=true -Dsqlite=disabled
    meson compile -C "$build"
    "$3" -L "$folder/$1-libraries" "$build/varve" info "$root/examples/page-load.json.gz"
    ulimit -d 4000000 # KiB of a process: an emulator cannot take the memory of the machine
    meson test -C "$build" --suite base --suite codec --suite trace --suite format \
        --no-suite reserves --timeout-multiplier 10 --print-errorlogs
}

[ $# -gt 0 ] || set -- s390x armhf
for machine in "$@"; do
    case $machine in
    s390x) (check s390x s390x-linux-gnu qemu-s390x s390x big) ;;
    armhf) (check armhf arm-linux-gnueabihf qemu-arm arm little) ;;
    *)
        echo "check-portable: unknown machine: $machine" >&2
        exit 1
        ;;
    esac
done
