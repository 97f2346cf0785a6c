#!/bin/sh
# Builds the command and the tests of base, codec, trace and format with musl, as static programs, and runs them.
# usage: check-musl.sh FOLDER
#
# The compiler is Zig's, a Clang with musl and libc++, from PyPI into an environment of its own. Zstandard, Brotli and the other
# libraries are compiled from Debian's source packages, because a static library for glibc does not fit musl.
# FOLDER keeps all of that.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
archive=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $suite" | head -n 1)
libs=$folder/libraries sources=$folder/sources

# ---- the compiler ----

if [ ! -e "$folder/zig-ar" ]; then
    python3 -m venv "$folder/zig"
    "$folder/zig/bin/pip" install --quiet ziglang==0.17.1
    for tool in cc c++; do
        cat >"$folder/zig-$tool" <<TOOL
#!/bin/sh
# Meson before 1.3 does not know the answer of Zig's linker. It takes the options of LLD.
case "\$*" in *-Wl,--version*) exec echo 'LLD 20 (compatible with GNU linkers)' ;; esac
exec "$folder/zig/bin/python" -m ziglang $tool -target $(uname -m)-linux-musl "\$@"
TOOL
    done
    printf '#!/bin/sh\nexec "%s/zig/bin/python" -m ziglang ar "$@"\n' "$folder" >"$folder/zig-ar"
    chmod +x "$folder"/zig-c* "$folder/zig-ar"
fi

# ---- the libraries ----

# Downloads and unpacks source packages.
fetch() { # PACKAGE...
    mkdir -p "$sources/lists"
    echo "deb-src [trusted=yes] $archive $suite main" >"$sources/sources.list"
    set -- -q -o Dir::Etc::SourceList="$sources/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$sources/lists" source "$@"
    (cd "$sources" && apt-get -q -o Dir::Etc::SourceList="$sources/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$sources/lists" update && apt-get "$@")
}

# Makes lib/libLIBRARY.a of the files, and a description of it for pkg-config under each name.
library() { # LIBRARY NAMES FLAGS FILE...
    library=$1 names=$2 flags=$3
    shift 3
    mkdir -p "$libs/objects/$library"
    for file in "$@"; do
        compiler=zig-cc
        case $file in *.cc) compiler=zig-c++ ;; esac
        # shellcheck disable=SC2086 # a list of flags
        "$folder/$compiler" -O3 -w -I"$libs/include" $flags -c "$file" -o "$libs/objects/$library/$(echo "$file" | tr ./ __).o"
    done
    "$folder/zig-ar" rcs "$libs/lib/lib$library.a" "$libs/objects/$library"/*.o
    for name in $names; do
        printf 'Name: %s\nDescription: %s\nVersion: 99\nLibs: -L%s -l%s\n\n' \
            "$name" "$name" "$libs/lib" "$library" >"$libs/lib/$name.pc"
    done
}

libraries() {
    mkdir -p "$libs/include" "$libs/lib"
    (cd "$sources"/zlib-* && cp zlib.h zconf.h "$libs/include" && library z zlib -DHAVE_UNISTD_H ./*.c)
    (cd "$sources"/libzstd-*/lib && cp ./*.h "$libs/include" && library zstd libzstd -DZSTD_DISABLE_ASM common/*.c compress/*.c decompress/*.c)
    (cd "$sources"/brotli-*/c && cp -r include/brotli "$libs/include" && library brotli 'libbrotlidec libbrotlienc' '' common/*.c dec/*.c enc/*.c)
    (cd "$sources"/xxhash-* && cp xxhash.h "$libs/include" && library xxhash libxxhash '' xxhash.c)
    (cd "$sources"/snappy-* && cp snappy-c.h "$libs/include" &&
        sed 's/${HAVE_SYS_UIO_H_01}/1/; s/${PROJECT_VERSION_[A-Z]*}/1/' snappy-stubs-public.h.in >snappy-stubs-public.h &&
        library snappy '' -DNDEBUG snappy.cc snappy-c.cc snappy-sinksource.cc snappy-stubs-internal.cc)
    (cd "$sources"/pcre2-*/src && cp pcre2.h.generic pcre2.h && cp config.h.generic config.h && cp pcre2.h "$libs/include" &&
        cp pcre2_chartables.c.dist pcre2_chartables.c &&
        library pcre2-8 libpcre2-8 '-DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DSUPPORT_UNICODE -DSUPPORT_PCRE2_8' \
            $(ls pcre2_*.c | grep -Ev 'dftables|fuzzsupport|jit_match|jit_misc|jit_test|printint|ucptables'))
    (cd "$sources"/cmocka-* && cp include/*.h "$libs/include" && library cmocka cmocka '-Iinclude -DHAVE_SIGNAL_H' src/cmocka.c)
    touch "$libs/ready"
}

if [ ! -e "$libs/ready" ]; then
    fetch zlib libzstd brotli snappy pcre2 xxhash cmocka
    libraries
fi

# ---- the build ----

cat >"$folder/musl.ini" <<MACHINE
[binaries]
c = '$folder/zig-cc'
ar = '$folder/zig-ar'
ld = 'ld'
objcopy = 'objcopy'
pkgconfig = 'pkg-config'
[properties]
pkg_config_libdir = '$libs/lib'
[built-in options]
c_args = ['-isystem', '$libs/include']
c_link_args = ['-L$libs/lib', '-lc++']
[host_machine]
system = 'linux'
cpu_family = '$(uname -m)'
cpu = '$(uname -m)'
endian = 'little'
MACHINE
build=$folder/build
[ -e "$build/build.ninja" ] || meson setup "$build" "$root" --cross-file="$folder/musl.ini" -Dminimal=true -Dsqlite=disabled
meson compile -C "$build" varve:executable # a shared library is not made
file "$build/varve" | grep -q 'statically linked'
"$build/varve" info "$root/examples/page-load.json.gz"
meson test -C "$build" --suite base --suite codec --suite trace --suite format --print-errorlogs
