#!/usr/bin/env python3
"""Joins varve/record.h and its parts to one header.

usage: join_record.py RECORD_H OUT
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^#include "(record/\w+\.h)"\n', re.MULTILINE)
LAYOUT = re.compile(r"^// clang-format o.*\n", re.MULTILINE)


def main(header, out):
    path = Path(header)
    text = INCLUDE.sub(lambda found: "\n" + (path.parent / found[1]).read_text(), path.read_text())
    Path(out).write_text(LAYOUT.sub("", text))


if __name__ == "__main__":
    main(*sys.argv[1:])
