#!/usr/bin/env python3
"""Makes paint_fonts() of paint/paint.h from font files, one for each FontFace, in their order.

usage: embed_fonts.py OUT.c FONT...
"""

import sys
from pathlib import Path

LINE_BYTES = 48


def literal(data):
    """The lines of a C string literal that holds these bytes: three octal digits can run into nothing."""
    for at in range(0, len(data), LINE_BYTES):
        yield '    "' + "".join(f"\\{byte:03o}" for byte in data[at : at + LINE_BYTES]) + '"'


def main(out, names):
    fonts = [Path(name).read_bytes() for name in names]
    lines = ['#include "paint/paint.h"', ""]
    for i, data in enumerate(fonts):
        lines += [f"static const char FONT_{i}[] =", *literal(data), "    ;", ""]
    lines += ["PaintFonts paint_fonts(void)", "{", "    return (PaintFonts){"]
    lines += ["        .bytes = { " + ", ".join(f"(const uint8_t *)FONT_{i}" for i in range(len(fonts))) + " },"]
    lines += ["        .size = { " + ", ".join(str(len(data)) for data in fonts) + " },", "    };", "}", ""]
    Path(out).write_text("\n".join(lines), encoding="ascii")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
