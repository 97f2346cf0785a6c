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
    # the kinds of rows (view/jump.c), the counts of `info --json`, the colours of notes (view/notes_json.c)
    "word": NOUNS | {"asynchronous", "counter", "samples", "states", "objects", "memory-dumps", "trace", "group", "process"}
    | {"slices", "unfinished-slices", "instants", "counters", "counter-samples", "flows", "async-slices", "object-snapshots", "stacks", "strings",
       "max-depth", "processes", "threads", "tracks"}
    | {"category", "from", "to", "id"}  # the keys of tooltips (src/app/session)
    | {"blue", "orange", "green", "pink", "vermilion", "sky", "yellow", "grey"},
}


def commands():
    """The ids of the titles of the commands and of their groups, from the key table of the view."""
    path = ROOT / "src" / "view" / "commands.c"
    rows = re.findall(r'(?:\{ \{ |(?:HOST|DO|CALL)\()"([a-z-]+)", "([a-z]+)", "', path.read_text()) if path.exists() else []
    return {f"command.{name}" for name, _ in rows} | {f"group.{group}" for _, group in rows}


def view_words():
    """{id: text} of the words of the view in English."""
    path = ROOT / "src" / "view" / "words.c"
    rows = re.findall(r'\[WORD_\w+\] = \{ "([a-z-]+)", (NULL|"[^"]*"), "([^"]*)" \}', path.read_text()) if path.exists() else []
    plain = lambda text: text.encode().decode("unicode_escape").encode("latin-1").decode()
    return {f"view.{name}": plain(other) if one == "NULL" else {"one": plain(one.strip('"')), "other": plain(other)} for name, one, other in rows}


def main():
    sources = [path.read_text() for pattern in ("*.ts", "*.tsx") for path in sorted((ROOT / "web" / "src").rglob(pattern))]
    literals = set(re.findall(r'"([a-z0-9-]+\.[a-z0-9-]+)"', "\n".join(sources)))
    literals |= {f"{family}.{name}" for family, names in FAMILIES.items() for name in names} | commands()
    words = view_words()
    literals |= words.keys()
    table = json.loads(TABLE.read_text())
    faults = [f"{identifier}: no source uses it" for identifier in table if identifier not in literals]
    faults += [f"{identifier}: it has no text" for identifier in sorted(literals) if identifier.split(".")[0] in FAMILIES.keys() | {"command", "group"} and identifier not in table]
    faults += [f"{identifier}: src/view/words.c has the text {text}" for identifier, text in words.items() if table.get(identifier) != text]
    for fault in faults:
        print(f"{TABLE.relative_to(ROOT)}: {fault}")
    return 1 if faults else 0


sys.exit(main())
