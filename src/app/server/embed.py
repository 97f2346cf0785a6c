#!/usr/bin/env python3
"""Makes the C table of app/server/site.h from files.

usage: embed.py OUT.c ROOT FILE...

A file below ROOT is served under its path from there, any other under its bare name.
"""

import hashlib
import re
import sys
from pathlib import Path

LINE_BYTES = 48


def literal(data):
    """The lines of a C string literal that holds these bytes: three octal digits can run into nothing."""
    for at in range(0, len(data), LINE_BYTES):
        yield '    "' + "".join(f"\\{byte:03o}" for byte in data[at : at + LINE_BYTES]) + '"'


def served_path(path, root):
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return path.name


def main(out, root, names):
    files = sorted((served_path(Path(name), Path(root)), Path(name).read_bytes()) for name in names)
    lines = ['#include "app/server/site.h"', ""]
    for i, (_, data) in enumerate(files):
        lines += [f"static const char FILE_{i}[] =", *(literal(data) if data else ['    ""']), "    ;", ""]
    lines.append("const SiteFile SITE_FILES[] = {")
    for i, (path, data) in enumerate(files):
        quoted = path.replace("\\", "\\\\").replace('"', '\\"')
        tag = hashlib.sha256(data).hexdigest()[:16]
        lines.append(f'    {{ "{quoted}", FILE_{i}, {len(data)}, "{tag}" }},')
    lines += ["    { 0, 0, 0, 0 }", "};", ""]
    page = dict(files).get("index.html", b"").decode()
    hashes = " ".join(re.findall("'sha256-[^']*'", page))
    lines += [f'const char SITE_SCRIPT_HASH[] = "{hashes}";', ""]
    Path(out).write_text("\n".join(lines), encoding="ascii")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
