#!/usr/bin/env python3
"""Checks that web/texts/en.json has the texts that the page uses, and no others.

usage: check-texts.py ROOT

A text is used if its id is a literal of web/src. Ids that the page makes from a name of the engine or of the view belong to
a family, for example `count.NOUN`; FAMILIES has the names of each. TypeScript rejects a literal id without a text.

Prints a line for each fault; the exit status is 1 if there is any.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
TABLE = ROOT / "web" / "texts" / "en.json"
NOUNS = {"thread", "goroutine", "processor"}  # the kinds of threads of the readers

# The names of the ids that are not literals.
FAMILIES = {
    "count": NOUNS | {"call", "event", "wait"},
    "verdict": {"slower", "faster", "noise", "few", "new", "gone"},
    "word": NOUNS | {"asynchronous", "counter", "samples", "states", "objects", "memory-dumps", "trace", "group", "process"},
}


def commands():
    """The ids of the titles of the commands and of their groups, from the key table of the view."""
    path = ROOT / "src" / "view" / "commands.c"
    rows = re.findall(r'(?:\{ \{ |HOST\()"([a-z-]+)", "([a-z]+)", "', path.read_text()) if path.exists() else []
    return {f"command.{name}" for name, _ in rows} | {f"group.{group}" for _, group in rows}


def main():
    sources = [path.read_text() for pattern in ("*.ts", "*.tsx") for path in sorted((ROOT / "web" / "src").rglob(pattern))]
    literals = set(re.findall(r'"([a-z0-9-]+\.[a-z0-9-]+)"', "\n".join(sources)))
    literals |= {f"{family}.{name}" for family, names in FAMILIES.items() for name in names} | commands()
    table = json.loads(TABLE.read_text())
    faults = [f"{identifier}: no source uses it" for identifier in table if identifier not in literals]
    faults += [f"{identifier}: it has no text" for identifier in sorted(literals) if identifier.split(".")[0] in FAMILIES.keys() | {"command", "group"} and identifier not in table]
    for fault in faults:
        print(f"{TABLE.relative_to(ROOT)}: {fault}")
    return 1 if faults else 0


sys.exit(main())
