#!/usr/bin/env python3
"""Writes the man page libvarve(3) from the header varve/varve.h and its parts, which are the manual.

usage: make_man.py OUT varve.h PART.h...

The essay at the top of varve.h is the description; each section of a part is a section of the page, with its declarations
and comments as they are.
"""

import re
import sys
from pathlib import Path

SECTION = re.compile(r"^/\* ---- ([\w -]+?) ----(?:\n \*\n(.*?))? \*/\n", re.MULTILINE | re.DOTALL)


def plain(text):
    """Escapes text for roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(['.])", r"\\&\1", text, flags=re.MULTILINE)


def comment_text(text):
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in text.splitlines())


def literal(text):
    return [".nf", ".RS 2", plain(text.strip("\n")), ".RE", ".fi"]


def sections(part):
    """Returns the lines of the sections of a part."""
    body = part[part.index("/* ---- ") : part.index("#ifdef __cplusplus\n}")]
    starts = list(SECTION.finditer(body))
    for start, following in zip(starts, [*starts[1:], None]):
        text = body[start.end() : following.start() if following else len(body)]
        yield ".SH " + plain(start.group(1).upper())
        if start.group(2):
            yield from literal(comment_text(start.group(2)))
        yield from literal(text.replace("VARVE_API ", ""))


def page(header, parts):
    version = re.search(r'VARVE_VERSION "([^"]+)"', "".join(parts)).group(1)
    title, essay = re.match(r"/\* varve/varve.h - (.*?)\n \*\n(.*?) \*/\n", header, re.DOTALL).groups()
    lines = [f'.TH LIBVARVE 3 "" "varve {version}" "C library"', ".SH NAME", "libvarve \\- " + plain(title.rstrip(".")), ".SH SYNOPSIS"]
    lines += [".B #include <varve/varve.h>", ".PP", "Link with \\fI\\-lvarve\\fP."]
    lines += [".SH DESCRIPTION", *literal(comment_text(essay))]
    for part in parts:
        lines += sections(part)
    return "\n".join([*lines, ".SH SEE ALSO", ".BR varve (1)", ""])


if __name__ == "__main__":
    header, *parts = (Path(path).read_text() for path in sys.argv[2:])
    Path(sys.argv[1]).write_text(page(header, parts))
