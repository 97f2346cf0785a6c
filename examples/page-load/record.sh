#!/bin/sh
# Records Chromium loading the page beside this script, as Trace Event JSON.
# usage: record.sh OUT.json.gz [SECONDS]
set -eu
out=$1
seconds=${2:-2}
here=$(cd "$(dirname "$0")" && pwd)
port=8765
work=$(mktemp -d)

# A local server, so that the recording contains addresses of the page instead of paths of this machine.
python3 -m http.server --bind 127.0.0.1 --directory "$here" "$port" >"$work/server.log" 2>&1 &
server=$!
browser=
finish() {
    for process in $browser $server; do kill "$process" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

categories='-*,toplevel,blink,gpu,loading,v8,devtools.timeline'
# Disables the browser's own services: only the page is recorded, and no data leaves the machine.
chromium --headless --no-sandbox --app="http://localhost:$port/" --window-size=1280,900 \
    --user-data-dir="$work/profile" --disable-background-networking --disable-component-update \
    --disable-sync --disable-extensions --no-service-autorun --disable-default-apps --no-pings \
    --guest --gaia-url="http://localhost:$port/" --component-updater=url-source="http://localhost:$port/" \
    --disable-features=NetworkTimeServiceQuerying,OptimizationHints,Translate,SpareRendererForSitePerProcess \
    --host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE localhost' \
    --trace-startup="$categories" --trace-startup-duration="$seconds" --trace-startup-format=json \
    --trace-startup-file="$work/trace.json" >"$work/browser.log" 2>&1 &
browser=$!

tries=0
until [ -s "$work/trace.json" ] && python3 -m json.tool "$work/trace.json" >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt $((seconds + 30)) ]; then
        cat "$work/browser.log" >&2
        exit 1
    fi
    sleep 1
done

# Removes the object's last key, "metadata", which describes the machine and repeats the command line. The
# bytes of the events do not change.
sed -e 's/\],"metadata":$/]}/' -e '/^{"app-locale":/,$d' "$work/trace.json" >"$work/events.json"
python3 -m json.tool "$work/events.json" >/dev/null
gzip -9 -n -c "$work/events.json" >"$out"
