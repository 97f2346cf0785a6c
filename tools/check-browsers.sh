#!/bin/sh
# Runs the core of the viewer's tests in Firefox and WebKitGTK, with both transports, also after failures in another one.
# Pictures are in BUILD_DIR/test/web.
# usage: check-browsers.sh BUILD_DIR
set -u
build=$(realpath "$1")
cd "$(dirname "$0")/.." || exit 1

status=0
for browser in firefox webkit; do
    for transport in worker http; do
        echo "# $browser, $transport"
        node test/web/core_test.mjs $browser $transport "$build/web/site" "$build/web/varve-timeline" "$build/varve" "$PWD/web/node_modules" "$build/test/web" || status=1
    done
done
exit $status
