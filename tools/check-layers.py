#!/usr/bin/env python3
"""Checks that every layer, a folder of src/, includes only files of the layers below it, that no headers form a cycle, and that
only src/trace reads the columns of a trace. The command line and the server use the header of the C library: a list has their
files that still include the code behind it.

usage: check-layers.py [ROOT]

Prints one line for each fault, `file:line: message`, and exits with 1 if there is any. The rules are those of
docs/ARCHITECTURE.md, as a table.
"""

import re
import sys
from pathlib import Path

# The folders that each folder may include besides itself.
LAYERS = {
    "base": set(),
    "codec": {"base"},
    "trace": {"base"},
    "format": {"base", "codec", "trace"},
    "analysis": {"base", "trace"},
    "schema": {"base", "trace", "analysis"},
    "query": {"base", "trace", "analysis", "schema"},
    "view": {"base", "trace"},
    "export": {"base", "trace", "format", "analysis", "schema", "view"},
    "paint": {"base", "trace", "format", "analysis", "view"},
    "api": {"base", "codec", "trace", "format", "analysis", "schema", "query", "export", "view", "paint"},
    "sqlite": set(),
    "app": {"base", "codec", "trace", "format", "analysis", "schema", "query", "export", "view", "paint", "api"},
}

# The view gets encoded bytes: of src/trace it uses their layout, the clock and times as text, not the
# columns.
VIEW_SEES_OF_TRACE = {"trace/wire/tile.h", "trace/wire/moments.h", "trace/wire/outline.h", "trace/store/clock.h", "trace/store/wall_time.h", "trace/store/time_spec.h"}

# The transports use the session, never the reverse.
APP_FOLDERS = {
    "cache": set(),
    "session": {"cache"},
    "server": {"session"},
    "wasm": {"session"},
    "live": {"session"},
    "cli": {"cache", "session", "server", "live"},
}

# The files of the view that show its state do not change it: only the files of input and selection do.
VIEW_SHOWING = re.compile(r"view/(draw_\w+|runs|rows_json|counter|tooltip|found|data|hidden|hit)\.c$")
VIEW_CHANGING = {"view/input.h", "view/select.h", "view/commands.h", "view/motion.h", "view/row_sizes.h", "view/chart_changes.h"}

# The order of the folders of a trace.
TRACE_FOLDERS = {
    "store": set(),
    "log": {"store"},
    "make": {"store", "log"},
    "scan": {"store"},
    "wire": {"store"},
    "live": {"store", "log", "make"},
    "file": {"store"},
}

# The order of the folders of a format. The format's own files, beside these
# folders, include files from all of them.
FORMAT_FOLDERS = {
    "format/go": {
        "common": set(),
        "v1": {"common"},
        "v2": {"common"},
        "trace": {"common", "v1", "v2"},
        "feed": {"common", "v1", "v2", "trace"},
        "stats": {"common", "v1", "v2", "trace"},
    },
    "format/trace_event": {
        "common": set(),
        "profile": {"common"},
        "read": {"common", "profile"},
        "write": {"common", "read"},
    },
}

# A folder of parts that several readers share. It has no reader.
FORMAT_SHARED = {"linux"}

# The table of formats is the only file that includes all readers.
FORMAT_TABLE = "format/formats.c"

# Other folders than this one read a trace through the headers that trace/store/lookup.h lists, never its columns.
COLUMN_LAYER = "trace"
COLUMNS = re.compile(r"->(slices|instants|samples|profile|flows|objects)\b(?!\()|\b(Slice|Instant|Sample|Profile|Flow|Object)Columns\b")
COLUMN_OWNER = re.compile(r"\btrace$")

# The command line and the server include these folders beside varve/varve.h: the header has no functions of them. Files that include
# others use the code behind the header, for the reasons in docs/ARCHITECTURE.md. Remove a file from the list when it no longer does.
APP_BESIDE_THE_HEADER = {
    "app/cli/": ("base/", "app/cli/", "app/cache/", "app/session/", "app/server/", "app/live/"),
    "app/server/": ("base/", "app/server/", "app/session/"),
}
BEHIND_THE_HEADER = {
    "app/cli/cmd_dump.c", "app/cli/convert_html.c", "app/cli/convert_targets.c",
    "app/cli/convert_tiles.c", "app/cli/part_options.c", "app/cli/traces.c",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def read_includes(path):
    """Returns [(line number, included path)] of the quoted includes."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = ((number, INCLUDE.match(line)) for number, line in enumerate(lines, 1))
    return [(number, match.group(1)) for number, match in found if match]


def subfolder_of(name):
    """Returns the second folder of a path, "" for files directly in the first one."""
    parts = name.split("/")
    return parts[1] if len(parts) > 2 else ""


def fault_of(name, target):
    """Returns the message about the file `name` including `target`, or None."""
    layer, target_layer = name.split("/")[0], target.split("/")[0]
    if layer not in LAYERS:
        return f"{layer}/ is not a layer of LAYERS in check-layers.py"
    if target_layer == "varve":
        return None
    if target_layer not in LAYERS:
        return f'"{target}" does not name a layer: write the path from src/'
    if target_layer != layer:
        if target_layer not in LAYERS[layer]:
            return f"{layer} must not include from {target_layer}: {target}"
        if layer == "view" and target_layer == "trace" and target not in VIEW_SEES_OF_TRACE:
            return f"view may include of trace only its encodings and the clock, not {target}"
        return None
    for folder, allowed in FORMAT_FOLDERS.items():
        if name.startswith(folder + "/") and target.startswith(folder + "/"):
            subfolder, target_subfolder = (subfolder_of(path.removeprefix("format/")) for path in (name, target))
            if subfolder and target_subfolder and target_subfolder not in allowed[subfolder] | {subfolder}:
                return f"{folder}/{subfolder} must not include from {folder}/{target_subfolder}: {target}"
            return None
    if target in VIEW_CHANGING and VIEW_SHOWING.match(name):
        return f"{name} shows the state of the view and must not include {target}, which changes it"
    subfolder, target_subfolder = subfolder_of(name), subfolder_of(target)
    if not target_subfolder or subfolder == target_subfolder:
        return None
    if layer == "format" and name != FORMAT_TABLE and target_subfolder not in FORMAT_SHARED:
        return f"only {FORMAT_TABLE} may include a reader's header: {target}"
    for folder, allowed in (("app", APP_FOLDERS), ("trace", TRACE_FOLDERS)):
        if layer == folder and subfolder in allowed and target_subfolder not in allowed[subfolder]:
            return f"{folder}/{subfolder} must not include from {folder}/{target_subfolder}: {target}"
    return None


def check_own_header_first(source, name, includes):
    """A header is self-contained if its own source includes it first."""
    if source.suffix != ".c" or not source.with_suffix(".h").exists():
        return []
    own = name[: -len(".c")] + ".h"
    if includes and includes[0][1] == own:
        return []
    return [f"src/{name}:1: its own header {own} must be its first include"]


def find_cycle(graph):
    """Returns the names of one cycle of includes, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name) :] + [name]
        if name in done:
            return None
        path.append(name)
        for target in graph.get(name, ()):
            cycle = visit(target)
            if cycle:
                return cycle
        path.pop()
        done.add(name)
        return None

    for name in sorted(graph):
        cycle = visit(name)
        if cycle:
            return cycle
    return None


def check_columns(source, name):
    """Returns the faults of a file outside src/trace that reads the columns of a trace."""
    if name.split("/")[0] == COLUMN_LAYER:
        return []
    offences = []
    for number, line in enumerate(source.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        for found in COLUMNS.finditer(line):
            if found.group(2) or COLUMN_OWNER.search(line[: found.start()]):
                offences.append(f"src/{name}:{number}: reads columns of the trace: use trace/scan/scan.h or trace/store/lookup.h")
                break
    return offences


def is_behind_the_header(name, target):
    """True if a file of the command line or the server includes code behind the header of the C library."""
    for folder, beside in APP_BESIDE_THE_HEADER.items():
        if name.startswith(folder):
            return not target.startswith(("varve/", *beside))
    return False


def check_header_users(graph):
    """Returns the new users of the code behind the header, and the files on the list that do not include it."""
    users = {name: [target for target in targets if is_behind_the_header(name, target)] for name, targets in graph.items()}
    offences = [
        f"src/{name}: includes {targets[0]}, which is behind varve/varve.h: use the header"
        for name, targets in users.items()
        if targets and name not in BEHIND_THE_HEADER
    ]
    return offences + [
        f"src/{name}: uses nothing behind varve/varve.h: remove it from BEHIND_THE_HEADER of check-layers.py"
        for name in sorted(BEHIND_THE_HEADER)
        if name in users and not users[name]
    ]


def check_public_headers(root):
    """The public headers are self-contained, because their users have no src/. The parts of the recorder are joined."""
    offences = []
    for header in sorted((root / "include").rglob("*.h")):
        for line, target in read_includes(header):
            if not target.startswith("varve/") and not (header.parent / target).is_relative_to(root / "include/varve/record"):
                offences.append(f"{header.relative_to(root)}:{line}: a public header includes {target}")
    return offences


def check(root):
    source_root = root / "src"
    offences, graph = [], {}
    for source in sorted(source_root.rglob("*.[ch]")):
        name = source.relative_to(source_root).as_posix()
        includes = read_includes(source)
        graph[name] = [target for _, target in includes]
        for line, target in includes:
            wrong = fault_of(name, target)
            if wrong:
                offences.append(f"src/{name}:{line}: {wrong}")
        offences += check_own_header_first(source, name, includes)
        offences += check_columns(source, name)
    offences += check_header_users(graph)
    offences += check_public_headers(root)
    cycle = find_cycle(graph)
    if cycle:
        offences.append("includes form a cycle: " + " -> ".join(cycle))
    return offences


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    if not any((root / "src").rglob("*.[ch]")):
        print(f"{root}: no sources found")
        return 1
    offences = check(root)
    print("\n".join(offences) if offences else "every include is of its own layer or one below")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
